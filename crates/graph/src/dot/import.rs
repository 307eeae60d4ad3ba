//! Makes a graph from statements.

use kilter_value::{Store, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::label::{parse_action, parse_block, parse_exchange, parse_state};
use super::lex::unescape;
use super::statement::{Attributes, Statement, Statements, attribute};
use super::{ImportError, Imported};
use crate::build::{Builder, OneWayId};
use crate::graph::{BlockId, StateId};
use crate::intake::Intake;
use crate::values::ValueId;

/// The action of edges without a label, which TLC writes if it was not asked for labels.
const UNLABELLED: &str = "Next";

/// The state of an import.
struct Import<'t> {
    store: &'t Store,
    intake: Intake<'t>,
    builder: Builder,
    variables: Vec<String>,
    states: FxHashMap<&'t str, StateId>,
    rows: FxHashMap<Box<[ValueId]>, &'t str>,
    /// Nodes that a constraint excludes, unless they are also states.
    excluded: FxHashSet<&'t str>,
    /// For each label, the index of its ways. A label has one or more ways.
    labels: FxHashMap<(&'t str, [Option<&'t str>; 3]), usize>,
    ways: Vec<Vec<OneWayId>>,
    blocks: FxHashMap<&'t str, BlockId>,
    /// Edges that wait, because they may come before the nodes that they lead to.
    edges: Vec<Pending<'t>>,
    n_excluded: usize,
    n_stuttering: usize,
}

struct Pending<'t> {
    source: &'t str,
    target: &'t str,
    /// The index of its ways.
    label: usize,
    /// The model values that are exchanged. Only our own DOT of a graph that SYMMETRY has reduced has them.
    exchange: Option<&'t str>,
    line: usize,
}

type Done<T> = Result<T, ImportError>;

fn error<T>(line: usize, message: impl Into<String>) -> Done<T> {
    Err(ImportError { line, message: message.into() })
}

pub(super) fn import(text: &str, origin: &str, store: &Store) -> Done<Imported> {
    let mut statements = Statements::new(text)?;
    let mut import: Option<Import<'_>> = None;
    let mut is_complete = true;
    let mut config = "";
    while let Some(statement) = statements.next()? {
        match statement {
            Statement::Setting { name: "kilter_complete", value } => is_complete = value != "false",
            Statement::Setting { name: "kilter_names", value } => number_names(store, value),
            Statement::Setting { name: "kilter_config", value } => config = value,
            Statement::Setting { .. } => {}
            Statement::Node { id, attributes, line } => {
                let state = read_state(store, &attributes, line)?;
                import.get_or_insert_with(|| Import::new(store, origin, &state)).node(
                    id,
                    &attributes,
                    &state,
                    line,
                )?;
            }
            Statement::Edge { source, target, attributes, line } => match &mut import {
                Some(import) => import.edge(source, target, &attributes, line)?,
                None => return error(line, "an edge comes before all states"),
            },
        }
    }
    let Some(mut import) = import else { return error(1, "there are no states") };
    import.builder.set_config(unescape(config));
    if !is_complete {
        import.builder.set_incomplete();
    }
    import.finish()
}

/// Interns names in the order in which they were before, so that sets have the same order again.
fn number_names(store: &Store, names: &str) {
    let names: Vec<String> = serde_json::from_str(&unescape(names)).unwrap_or_default();
    for name in &names {
        store.string(name);
    }
}

/// The state that a node shows. The tooltip has all variables, even if the label has an ALIAS or only differences.
fn read_state(store: &Store, attributes: &Attributes<'_>, line: usize) -> Done<Vec<(String, Value)>> {
    let Some(text) = attribute(attributes, "tooltip").or(attribute(attributes, "label")) else {
        return error(line, "a node has no label");
    };
    parse_state(store, &unescape(text))
        .map_err(|error| ImportError { line, message: format!("in a state, {error}") })
}

impl<'t> Import<'t> {
    fn new(store: &'t Store, origin: &str, first: &[(String, Value)]) -> Self {
        let variables: Vec<String> = first.iter().map(|(name, _)| name.clone()).collect();
        Import {
            store,
            intake: Intake::new(store),
            builder: Builder::new(origin, variables.clone()),
            variables,
            states: FxHashMap::default(),
            rows: FxHashMap::default(),
            excluded: FxHashSet::default(),
            labels: FxHashMap::default(),
            ways: Vec::new(),
            blocks: FxHashMap::default(),
            edges: Vec::new(),
            n_excluded: 0,
            n_stuttering: 0,
        }
    }

    fn node(
        &mut self,
        id: &'t str,
        attributes: &Attributes<'t>,
        state: &[(String, Value)],
        line: usize,
    ) -> Done<()> {
        if attribute(attributes, "fillcolor").is_some() {
            self.excluded.insert(id);
            return Ok(());
        }
        let known = self.states.get(id).copied();
        let state = match known {
            Some(state) => state,
            None => self.state(id, state, line)?,
        };
        // Nodes that a constraint excludes are filled too, but these also have a colour.
        if attribute(attributes, "style") == Some("filled") {
            self.builder.initial(state);
        }
        Ok(())
    }

    fn state(&mut self, id: &'t str, state: &[(String, Value)], line: usize) -> Done<StateId> {
        let row = self.row(state, line)?;
        if let Some(other) = self.rows.insert(row.clone().into(), id) {
            return error(
                line,
                format!("nodes {other} and {id} show the same state; was the dump made with ALIAS?"),
            );
        }
        let state = self.builder.state(row.into_iter());
        self.states.insert(id, state);
        Ok(state)
    }

    /// The values in the order of the first state's variables. TLC's own order is that of a hash table.
    fn row(&mut self, state: &[(String, Value)], line: usize) -> Done<Vec<ValueId>> {
        let mut row = Vec::with_capacity(self.variables.len());
        for (index, variable) in self.variables.iter().enumerate() {
            let likely = state.get(index).filter(|(name, _)| name == variable);
            let Some((_, value)) = likely.or_else(|| state.iter().find(|(name, _)| name == variable)) else {
                return error(
                    line,
                    format!("a state has no value for `{variable}`, which the first state has"),
                );
            };
            row.push(self.intake.add(*value));
        }
        if let Some((extra, _)) = state.iter().find(|(name, _)| !self.variables.contains(name)) {
            return error(line, format!("a state has a value for `{extra}`, which the first state has not"));
        }
        if state.len() != self.variables.len() {
            return error(line, "a state has two values for one variable");
        }
        Ok(row)
    }

    fn edge(
        &mut self,
        source: &'t str,
        target: &'t str,
        attributes: &Attributes<'t>,
        line: usize,
    ) -> Done<()> {
        let label = attribute(attributes, "label");
        if label.is_none() && attribute(attributes, "style") == Some("dashed") {
            self.n_stuttering += 1;
            return Ok(());
        }
        let label = label.unwrap_or("");
        // The place of a constraint follows the action after a line end that is not escaped. No other line end is like
        // that.
        if label.contains('\n') {
            self.n_excluded += 1;
            return Ok(());
        }
        let label = self.label(label, attributes, line)?;
        let exchange = attribute(attributes, "exchange");
        if exchange.is_some() != self.edges.first().is_some_and(|first| first.exchange.is_some())
            && !self.edges.is_empty()
        {
            return error(line, "some edges exchange model values and others do not say");
        }
        self.edges.push(Pending { source, target, label, exchange, line });
        Ok(())
    }

    fn label(&mut self, text: &'t str, attributes: &Attributes<'t>, line: usize) -> Done<usize> {
        let ours = ["params", "ways", "blocks"].map(|name| attribute(attributes, name));
        if let Some(label) = self.labels.get(&(text, ours)) {
            return Ok(*label);
        }
        let label = unescape(text);
        let (name, args) = parse_action(self.store, &label)
            .map_err(|error| ImportError { line, message: format!("in an action, {error}") })?;
        let name = if name.is_empty() { UNLABELLED } else { name };
        // An earlier Kilter wrote an edge for each way, with the blocks of that way.
        let [params, ways, blocks] = ours;
        let params = match params {
            Some(params) => params.split(',').filter(|param| !param.is_empty()).map(str::to_owned).collect(),
            None => (1..=args.len()).map(|index| format!("arg{index}")).collect::<Vec<String>>(),
        };
        if params.len() != args.len() {
            return error(
                line,
                format!("`{name}` has {} parameters and {} arguments", params.len(), args.len()),
            );
        }
        let action = self.builder.action(name, params);
        let args: Vec<ValueId> = args.into_iter().map(|arg| self.intake.add(arg)).collect();
        let mut all = Vec::new();
        for way in ways.or(blocks).unwrap_or("").split('|') {
            let blocks = self.blocks(way, line)?;
            all.push(self.builder.label(action, args.iter().copied(), blocks.into_iter()));
        }
        self.ways.push(all);
        self.labels.insert((text, ours), self.ways.len() - 1);
        Ok(self.ways.len() - 1)
    }

    fn blocks(&mut self, text: &'t str, line: usize) -> Done<Vec<BlockId>> {
        let mut blocks = Vec::new();
        for block in text.split(';').filter(|block| !block.is_empty()) {
            let Some((file, at_line, column)) = parse_block(block) else {
                return error(line, format!("`{block}` is not the place of a basic block"));
            };
            let builder = &mut self.builder;
            blocks.push(
                *self.blocks.entry(block).or_insert_with(|| builder.block(&unescape(file), at_line, column)),
            );
        }
        Ok(blocks)
    }

    /// Adds an edge by all of its ways, unless a constraint excludes it. Returns whether it was added.
    fn place(&mut self, edge: &Pending<'t>) -> Done<bool> {
        let Pending { source, target, label, exchange, line } = edge;
        let (source, target) = match (self.states.get(source), self.states.get(target)) {
            (Some(source), Some(target)) => (*source, *target),
            (Some(_), None) if self.excluded.contains(target) => {
                self.n_excluded += 1;
                return Ok(false);
            }
            (source_id, _) => {
                let missing = if source_id.is_none() { source } else { target };
                return error(
                    *line,
                    format!("an edge mentions node {missing}, which the dump does not describe"),
                );
            }
        };
        for way in &self.ways[*label] {
            match exchange {
                None => self.builder.edge(source, target, *way),
                Some(text) => match parse_exchange(text) {
                    Some(pairs) => self.builder.exchanging_edge(source, target, *way, pairs),
                    None => return error(*line, format!("`{text}` exchanges nothing")),
                },
            }
        }
        Ok(true)
    }

    fn finish(mut self) -> Done<Imported> {
        if self.states.is_empty() {
            return error(1, "there are no states");
        }
        let mut n_edges = 0;
        for pending in std::mem::take(&mut self.edges) {
            n_edges += usize::from(self.place(&pending)?);
        }
        let graph = self.builder.finish(self.intake.finish());
        if graph.initial().len() == 0 {
            return error(1, "there are no initial states: no node has `style = filled`");
        }
        let n_repeated = n_edges - graph.n_edges();
        Ok(Imported { graph, n_repeated, n_excluded: self.n_excluded, n_stuttering: self.n_stuttering })
    }
}
