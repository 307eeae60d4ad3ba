//! Which edges have to be tested again: the patterns P1 to P7 of the paper's Table 1.
//!
//! The paper matches edges by guessing which branch of an action they took. Here edges say which basic blocks they took, and both graphs
//! are at hand: an edge that both have, with the same states before and after, has nothing new about it, whatever was
//! rewritten. [`Width::Table`] tests it all the same, as the paper does; [`Width::Difference`] does not.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{Block, EdgeId, StateGraph, StateId};

use crate::blocks::Place;
use crate::graphs::GraphChange;
use crate::pattern::Pattern;
use crate::spec_change::SpecChanges;

/// How much of what a pattern matches is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// What is different in the new graph.
    #[default]
    Difference,
    /// Everything that Table 1 says.
    Table,
}

/// A change in the code of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// The action.
    pub action: String,
    /// The variables that the changed code assigns; `None` if that cannot be told.
    pub variables: Option<Vec<String>>,
    /// What was changed.
    pub why: String,
}

/// All that has changed besides the graphs.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// In the specification; `None` if only graphs are known.
    pub spec: Option<SpecChanges>,
    /// In the code of actions.
    pub code: Vec<CodeChange>,
    /// In code that belongs to no action that could be found.
    pub unattributed: Vec<String>,
    /// Pairs of actions that may now follow each other.
    pub allowed: Vec<(String, String)>,
    /// Pairs of actions that may no longer follow each other.
    pub forbidden: Vec<(String, String)>,
}

/// What a pattern has matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The pattern.
    pub pattern: Pattern,
    /// What it was applied to.
    pub cause: String,
    /// How many edges it matched.
    pub edges: usize,
    /// How many of them no earlier match had.
    pub first: usize,
}

/// The edges that have to be tested.
#[derive(Clone, Debug)]
pub struct Affected {
    /// By number.
    pub edges: Vec<bool>,
    /// What each pattern matched, in order.
    pub matches: Vec<Match>,
    /// How many edges go through changed blocks and are left out because the old graph has them too.
    pub same: usize,
}

impl Affected {
    /// How many edges there are.
    pub fn n(&self) -> usize {
        self.edges.iter().filter(|is_affected| **is_affected).count()
    }

    /// Adds edges that a pattern matches.
    pub fn add(
        &mut self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl IntoIterator<Item = EdgeId>,
    ) {
        let edges: BTreeSet<EdgeId> = edges.into_iter().collect();
        let mut first = 0;
        for edge in &edges {
            first += usize::from(!std::mem::replace(&mut self.edges[edge.index()], true));
        }
        if !edges.is_empty() {
            self.matches.push(Match { pattern, cause: cause.into(), edges: edges.len(), first });
        }
    }
}

/// Applies all patterns.
pub fn apply(
    changes: &Changes,
    old: &StateGraph,
    new: &StateGraph,
    graphs: &GraphChange,
    width: Width,
) -> Affected {
    let mut affected = Affected { edges: vec![false; new.n_edges()], matches: Vec::new(), same: 0 };
    let matcher = Matcher { old, new, graphs, width };
    matcher.specification(changes.spec.as_ref(), &mut affected);
    for change in &changes.code {
        let cause = format!("`{}`: {}", change.action, change.why);
        affected.add(Pattern::ModifyCode, cause, matcher.of_action(&change.action));
    }
    for (first, second) in &changes.allowed {
        affected.add(Pattern::AllowSequence, format!("`{first}`, `{second}`"), matcher.pairs(first, second));
    }
    for (first, second) in &changes.forbidden {
        let after = matcher.of_action(first).into_iter().flat_map(|edge| matcher.after(edge));
        affected.add(Pattern::ForbidSequence, format!("`{first}`, `{second}`"), after);
    }
    if !changes.unattributed.is_empty() {
        affected.add(Pattern::All, changes.unattributed[0].clone(), new.edges());
    }
    affected
}

/// Which labels of a graph take a block at one of these places.
fn changed_labels(graph: &StateGraph, places: &BTreeSet<Place>, all: bool) -> Vec<bool> {
    let place =
        |block: &Block| Place { file: graph.file(block).to_owned(), line: block.line, column: block.column };
    let own: Vec<Place> = graph.all_blocks().iter().map(place).collect();
    // A block that the graph does not know may be taken by any step.
    let known: BTreeSet<&Place> = own.iter().collect();
    let all = all || places.iter().any(|place| !known.contains(place));
    let is_changed: Vec<bool> = own.iter().map(|place| places.contains(place)).collect();
    let takes_changed = |label| graph.blocks(graph.label(label)).any(|block| is_changed[block.index()]);
    (0..graph.n_labels()).map(|label| all || takes_changed(Id::from_index(label))).collect()
}

struct Matcher<'g> {
    old: &'g StateGraph,
    new: &'g StateGraph,
    graphs: &'g GraphChange,
    width: Width,
}

impl Matcher<'_> {
    /// P1 to P4, and what no block explains.
    fn specification(&self, spec: Option<&SpecChanges>, affected: &mut Affected) {
        let nothing = SpecChanges::default();
        let SpecChanges { old_places, new_places, is_root_changed, .. } = spec.unwrap_or(&nothing);
        let new_labels = changed_labels(self.new, new_places, *is_root_changed);
        let old_labels = changed_labels(self.old, old_places, *is_root_changed);
        self.added_blocks(&new_labels, affected);
        self.deleted_blocks(&old_labels, affected);
        // Where blocks explain what is new, only what comes right after it is tested, as in the paper. Nothing explains what else is new.
        let is_all_tested = self.graphs.is_initial_new || spec.is_none_or(SpecChanges::is_model_changed);
        self.unexplained(&new_labels, &old_labels, is_all_tested, affected);
        let initial = self.graphs.new_initial.iter().flat_map(|state| self.new.outgoing(*state));
        let (pattern, cause) = match self.graphs.added_variables.as_slice() {
            [] => (Pattern::Model, "initial states that were none before".to_owned()),
            names => (Pattern::AddVariable, format!("`{}`", names.join("`, `"))),
        };
        affected.add(pattern, cause, initial);
    }

    /// P1: edges through added blocks, by action, and those right after them.
    fn added_blocks(&self, labels: &[bool], affected: &mut Affected) {
        let mut by_action: BTreeMap<&str, Vec<EdgeId>> = BTreeMap::new();
        for edge in self.new.edges().filter(|edge| labels[self.new.label_id(*edge).index()]) {
            if self.width == Width::Difference && !self.is_different(edge) {
                affected.same += 1;
                continue;
            }
            let edges = by_action.entry(&self.new.action_of(edge).name).or_default();
            edges.push(edge);
            edges.extend(self.after(edge));
        }
        for (action, edges) in by_action {
            affected.add(Pattern::AddBlock, format!("`{action}`"), edges);
        }
    }

    /// P2: all edges of states that had an edge through a deleted block, by its action.
    fn deleted_blocks(&self, labels: &[bool], affected: &mut Affected) {
        let mut by_action: BTreeMap<&str, BTreeSet<StateId>> = BTreeMap::new();
        let mut add = |edge: EdgeId, state: StateId| {
            by_action.entry(&self.old.action_of(edge).name).or_default().insert(state);
        };
        let is_changed = |edge: EdgeId| labels[self.old.label_id(edge).index()];
        match self.width {
            Width::Difference => {
                let lost = self.graphs.lost.iter().filter(|(edge, _)| is_changed(*edge));
                lost.for_each(|(edge, state)| add(*edge, *state));
            }
            Width::Table => {
                for edge in self.old.edges().filter(|edge| is_changed(*edge)) {
                    for state in self.graphs.new_states(self.old.source(edge)) {
                        add(edge, *state);
                    }
                }
            }
        }
        for (action, states) in by_action {
            affected.add(Pattern::DeleteBlock, format!("`{action}`"), self.steps_at(states));
        }
    }

    /// Edges that came or went though their blocks are as before.
    fn unexplained(&self, new_labels: &[bool], old_labels: &[bool], all: bool, affected: &mut Affected) {
        let is_unexplained = |edge: &EdgeId| {
            self.graphs.is_new_edge(*edge)
                && !new_labels[self.new.label_id(*edge).index()]
                && (all || !self.graphs.is_new_state[self.new.source(*edge).index()])
        };
        let come = self.new.edges().filter(is_unexplained);
        affected.add(Pattern::Model, "steps that were not there before", come);
        let gone = self.graphs.lost.iter().filter(|(edge, _)| !old_labels[self.old.label_id(*edge).index()]);
        let states: BTreeSet<StateId> = gone.map(|(_, state)| *state).collect();
        affected.add(Pattern::Model, "states where a step is gone", self.steps_at(states));
    }

    /// Whether the old graph does not have an edge, or could not have: what becomes of an added variable is new.
    fn is_different(&self, edge: EdgeId) -> bool {
        let changes = |variable: usize| {
            self.new.value(self.new.source(edge), variable) != self.new.value(self.new.target(edge), variable)
        };
        let is_added = |name: &String| self.graphs.added_variables.contains(name);
        self.graphs.is_new_edge(edge)
            || (0..self.new.variables().len()).any(|v| is_added(&self.new.variables()[v]) && changes(v))
    }

    /// All edges of states; of one without any, an edge that leads there, so that a test comes by.
    fn steps_at(&self, states: BTreeSet<StateId>) -> Vec<EdgeId> {
        let steps = |state: StateId| {
            let arrival = self.new.incoming(state).find(|edge| self.new.source(*edge) != state);
            let arrival = arrival.filter(|_| self.new.outgoing(state).len() == 0);
            self.new.outgoing(state).chain(arrival)
        };
        states.into_iter().flat_map(steps).collect()
    }

    fn after(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> + use<> {
        self.new.outgoing(self.new.target(edge))
    }

    fn of_action(&self, name: &str) -> Vec<EdgeId> {
        self.new.edges().filter(|edge| self.new.action_of(*edge).name == name).collect()
    }

    /// P6: edges of one action, and edges of another right after them.
    fn pairs(&self, first: &str, second: &str) -> Vec<EdgeId> {
        let mut found = Vec::new();
        for edge in self.of_action(first) {
            let next: Vec<EdgeId> =
                self.after(edge).filter(|next| self.new.action_of(*next).name == second).collect();
            if !next.is_empty() {
                found.push(edge);
                found.extend(next);
            }
        }
        found
    }
}
