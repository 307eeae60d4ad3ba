//! Which edges have to be tested again: the patterns P1 to P7 of the paper's Table 1.
//!
//! The paper matches edges by guessing which branch of an action they took. Here edges say which ways through the action lead along them, and both
//! graphs are at hand: an edge that both have, with the same states before and after, has nothing new about it, whatever was
//! rewritten. [`Width::Table`] tests it all the same, as the paper does; [`Width::Difference`] does not.
//!
//! An edge takes a changed block if one of its ways does. It is gone when its last way is: an edge that has lost or gained a way and is
//! still there does what it did, since no system can tell ways apart.
//!
//! Where it is known what nodes see ([`Alike`]), one of several edges is tested that are alike to the node that takes them, and what is
//! like an edge of the old graph has nothing new about it either.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{Block, EdgeId, StateGraph, StateId};

use crate::alike::Alike;
use crate::blocks::Place;
use crate::code::CodeChange;
use crate::graphs::GraphChange;
use crate::pattern::Pattern;
use crate::spec_change::SpecChanges;
use crate::view::View;
use crate::wants::{Visit, Wants};

/// Which of the matched edges are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// What is different in the new graph.
    #[default]
    Difference,
    /// Everything that Table 1 says.
    Table,
}

/// All that has changed besides the graphs.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// In the specification; `None` if only graphs are known.
    pub spec: Option<SpecChanges>,
    /// In the code of actions.
    pub code: Vec<CodeChange>,
    /// In how the state of the system is read: everything has to be compared again.
    pub compared: Vec<String>,
    /// In code that belongs to no action that could be found.
    pub unattributed: Vec<String>,
    /// Pairs of actions that may now follow each other.
    pub allowed: Vec<(String, String)>,
    /// Pairs of actions that may no longer follow each other.
    pub forbidden: Vec<(String, String)>,
}

/// The edges that a pattern has matched.
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
    /// What tests have to do about them.
    pub wants: Wants,
    /// What each pattern matched, in order.
    pub matches: Vec<Match>,
    /// How many edges go through changed blocks and are left out because the old graph has them too.
    pub same: usize,
    /// How many more are left out because the old graph has edges that are alike to the node that takes them.
    pub known: usize,
}

impl Affected {
    /// How many edges there are.
    pub fn n(&self) -> usize {
        self.edges.iter().filter(|is_affected| **is_affected).count()
    }

    /// Adds edges that a pattern matches; each of them has to be taken.
    pub fn add(
        &mut self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl IntoIterator<Item = EdgeId>,
    ) {
        let edges: BTreeSet<EdgeId> = edges.into_iter().collect();
        self.wants.each(edges.iter().copied());
        self.note(pattern, cause, edges);
    }

    /// P6 and P7: edges that have to be taken one right after the other.
    fn sequence(&mut self, pattern: Pattern, cause: String, pairs: &[(EdgeId, EdgeId)]) {
        self.wants.pairs(pairs.iter().copied());
        // All that is new about a forbidden sequence is what comes after its first action.
        let is_first_tested = pattern == Pattern::AllowSequence;
        let edges = pairs.iter().flat_map(|(first, then)| [is_first_tested.then_some(*first), Some(*then)]);
        self.note(pattern, cause, edges.flatten());
    }

    /// Says that a pattern matches edges.
    pub(crate) fn note(
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

/// Two versions of a graph, and what is known about them.
#[derive(Clone, Copy)]
pub struct Versions<'g> {
    /// The old graph.
    pub old: &'g StateGraph,
    /// The new graph.
    pub new: &'g StateGraph,
    /// How they compare.
    pub graphs: &'g GraphChange,
    /// What nodes see of them, if that is known.
    pub alike: Option<(&'g Alike, &'g View)>,
    /// Whether the new graph ends where the specification would go on. Nobody can say there that an action is unexpected.
    pub is_cut: bool,
    /// States beyond which the old graph was cut, and the new one is not: only now can an action be unexpected there.
    pub freed: &'g [StateId],
}

/// Applies all patterns.
pub fn apply(changes: &Changes, versions: Versions<'_>, width: Width) -> Affected {
    let new = versions.new;
    let mut affected = Affected {
        edges: vec![false; new.n_edges()],
        wants: Wants::default(),
        matches: Vec::new(),
        same: 0,
        known: 0,
    };
    // The table knows nothing of nodes.
    let alike = versions.alike.filter(|_| width == Width::Difference);
    let matcher = Matcher { versions: Versions { alike, ..versions }, width };
    matcher.specification(changes.spec.as_ref(), &mut affected);
    matcher.code(&changes.code, &mut affected);
    for (first, second) in &changes.allowed {
        let pairs = matcher.pairs(first, |edge| new.action_of(edge).name == *second);
        affected.sequence(Pattern::AllowSequence, format!("`{first}`, `{second}`"), &pairs);
    }
    for (first, second) in &changes.forbidden {
        let pairs = matcher.pairs(first, |_| true);
        affected.sequence(Pattern::ForbidSequence, format!("`{first}`, `{second}`"), &pairs);
    }
    if let Some(what) = changes.compared.first() {
        matcher.like(Pattern::All, what.clone(), new.edges(), &mut affected);
    }
    if let Some(what) = changes.unattributed.first() {
        affected.add(Pattern::All, what.clone(), new.edges());
    }
    affected
}

/// Which labels of a graph take a block at one of these places, by any of their ways.
fn changed_labels(graph: &StateGraph, places: &BTreeSet<Place>, all: bool) -> Vec<bool> {
    let place =
        |block: &Block| Place { file: graph.file(block).to_owned(), line: block.line, column: block.column };
    let own: Vec<Place> = graph.all_blocks().iter().map(place).collect();
    // A block that the graph does not know may be taken by any step.
    let known: BTreeSet<&Place> = own.iter().collect();
    let all = all || places.iter().any(|place| !known.contains(place));
    let is_changed: Vec<bool> = own.iter().map(|place| places.contains(place)).collect();
    let takes_changed = |label| {
        graph.ways(graph.label(label).ways()).any(|mut way| way.any(|block| is_changed[block.index()]))
    };
    (0..graph.n_labels()).map(|label| all || takes_changed(Id::from_index(label))).collect()
}

pub(crate) struct Matcher<'g> {
    pub(crate) versions: Versions<'g>,
    width: Width,
}

impl Matcher<'_> {
    /// P1 to P4, and what no block explains.
    fn specification(&self, spec: Option<&SpecChanges>, affected: &mut Affected) {
        let Versions { old, new, graphs, .. } = self.versions;
        let nothing = SpecChanges::default();
        let SpecChanges { old_places, new_places, is_root_changed, .. } = spec.unwrap_or(&nothing);
        let new_labels = changed_labels(new, new_places, *is_root_changed);
        let old_labels = changed_labels(old, old_places, *is_root_changed);
        self.added_blocks(&new_labels, affected);
        self.deleted_blocks(&old_labels, affected);
        // Where blocks explain what is new, only what comes right after it is tested, as in the paper. Nothing explains what else is new.
        let is_all_tested = graphs.is_initial_new || spec.is_none_or(SpecChanges::is_model_changed);
        self.unexplained(&new_labels, &old_labels, is_all_tested, affected);
        let freed = self.steps_at(self.versions.freed.iter().copied().collect());
        affected.add(Pattern::Model, "states beyond which the old graph was cut", freed);
        let initial = graphs.new_initial.iter().flat_map(|state| new.outgoing(*state));
        let (pattern, cause) = match graphs.added_variables.as_slice() {
            [] => (Pattern::Model, "initial states that were none before".to_owned()),
            names => (Pattern::AddVariable, format!("`{}`", names.join("`, `"))),
        };
        self.unknown(pattern, cause, initial, affected);
    }

    /// P1: edges through added blocks, by action, and those right after them.
    fn added_blocks(&self, labels: &[bool], affected: &mut Affected) {
        let new = self.versions.new;
        let mut by_action: BTreeMap<&str, Vec<EdgeId>> = BTreeMap::new();
        for edge in new.edges().filter(|edge| labels[new.label_id(*edge).index()]) {
            if self.width == Width::Difference && !self.is_different(edge) {
                affected.same += 1;
                continue;
            }
            by_action.entry(&new.action_of(edge).name).or_default().push(edge);
        }
        for (action, edges) in by_action {
            let after: BTreeSet<EdgeId> = edges.iter().flat_map(|edge| self.after(*edge)).collect();
            let cause = format!("`{action}`");
            self.unknown(Pattern::AddBlock, cause, edges.into_iter().chain(after), affected);
        }
    }

    /// P2: states that had an edge through a deleted block, by its action.
    fn deleted_blocks(&self, labels: &[bool], affected: &mut Affected) {
        let Versions { old, graphs, .. } = self.versions;
        let mut by_action: BTreeMap<&str, Vec<(EdgeId, StateId)>> = BTreeMap::new();
        let mut add = |edge: EdgeId, state: StateId| {
            by_action.entry(&old.action_of(edge).name).or_default().push((edge, state));
        };
        let is_changed = |edge: EdgeId| labels[old.label_id(edge).index()];
        match self.width {
            Width::Difference => {
                let lost = graphs.lost.iter().filter(|(edge, _)| is_changed(*edge));
                lost.for_each(|(edge, state)| add(*edge, *state));
            }
            Width::Table => {
                for edge in old.edges().filter(|edge| is_changed(*edge)) {
                    for state in graphs.new_states(old.source(edge)) {
                        add(edge, *state);
                    }
                }
            }
        }
        for (action, gone) in by_action {
            self.gone(Pattern::DeleteBlock, format!("`{action}`"), &gone, affected);
        }
    }

    /// Edges that came or went though their blocks are as before.
    fn unexplained(&self, new_labels: &[bool], old_labels: &[bool], all: bool, affected: &mut Affected) {
        let Versions { old, new, graphs, .. } = self.versions;
        let is_unexplained = |edge: &EdgeId| {
            graphs.is_new_edge(*edge)
                && !new_labels[new.label_id(*edge).index()]
                && (all || !graphs.is_new_state[new.source(*edge).index()])
        };
        let come = new.edges().filter(is_unexplained);
        self.unknown(Pattern::Model, "steps that were not there before", come, affected);
        let gone = graphs.lost.iter().filter(|(edge, _)| !old_labels[old.label_id(*edge).index()]);
        let gone: Vec<(EdgeId, StateId)> = gone.copied().collect();
        self.gone(Pattern::Model, "states where a step is gone", &gone, affected);
    }

    /// Whether the old graph does not have an edge, or could not have: what becomes of an added variable is new.
    fn is_different(&self, edge: EdgeId) -> bool {
        let Versions { new, graphs, .. } = self.versions;
        let changes =
            |variable: usize| new.value(new.source(edge), variable) != new.value(new.target(edge), variable);
        let is_added = |name: &String| graphs.added_variables.contains(name);
        graphs.is_new_edge(edge)
            || (0..new.variables().len()).any(|v| is_added(&new.variables()[v]) && changes(v))
    }

    /// Edges that have to be taken, unless the old graph has some that are alike.
    fn unknown(
        &self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl Iterator<Item = EdgeId>,
        affected: &mut Affected,
    ) {
        let is_known = |edge: &EdgeId| self.alike().is_some_and(|alike| alike.is_known(*edge));
        let (known, fresh): (BTreeSet<EdgeId>, BTreeSet<EdgeId>) = edges.partition(is_known);
        affected.known += known.len();
        self.like(pattern, cause, fresh, affected);
    }

    /// Edges that have to be taken; of those that are alike, one.
    pub(crate) fn like(
        &self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl IntoIterator<Item = EdgeId>,
        affected: &mut Affected,
    ) {
        let edges: Vec<EdgeId> = edges.into_iter().collect();
        for edge in &edges {
            affected.wants.like(*edge, self.alike());
        }
        affected.note(pattern, cause, edges);
    }

    /// States where an old edge is gone: that it is not offered any more shows when a test comes by.
    fn gone(
        &self,
        pattern: Pattern,
        cause: impl Into<String>,
        gone: &[(EdgeId, StateId)],
        affected: &mut Affected,
    ) {
        let states: BTreeSet<StateId> = gone.iter().map(|(_, state)| *state).collect();
        let edges = self.steps_at(states);
        for (edge, state) in gone {
            // Where the graph may be cut, one state is not as good as another.
            let alike = self.alike().filter(|_| !self.versions.is_cut);
            let seen = alike.and_then(|alike| Some(alike.views(*state)[alike.old_node(*edge)?]));
            match seen {
                Some(view) => {
                    affected.wants.visit(Visit::Gone(self.versions.old.label_id(*edge).0, view), *state);
                }
                None => {
                    affected.wants.each(self.steps_at([*state].into()));
                }
            }
        }
        affected.note(pattern, cause, edges);
    }

    /// All edges of states; of one without any, an edge that leads there, so that a test comes by.
    fn steps_at(&self, states: BTreeSet<StateId>) -> Vec<EdgeId> {
        let new = self.versions.new;
        let steps = |state: StateId| {
            let arrival = new.incoming(state).find(|edge| new.source(*edge) != state);
            let arrival = arrival.filter(|_| new.outgoing(state).len() == 0);
            new.outgoing(state).chain(arrival)
        };
        states.into_iter().flat_map(steps).collect()
    }

    pub(crate) fn alike(&self) -> Option<&Alike> {
        self.versions.alike.map(|(alike, _)| alike)
    }

    pub(crate) fn after(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> + use<> {
        self.versions.new.outgoing(self.versions.new.target(edge))
    }

    pub(crate) fn of_action(&self, name: &str) -> Vec<EdgeId> {
        let new = self.versions.new;
        new.edges().filter(|edge| new.action_of(*edge).name == name).collect()
    }

    /// Edges of an action, each with such an edge right after it.
    fn pairs(&self, first: &str, is_second: impl Fn(EdgeId) -> bool) -> Vec<(EdgeId, EdgeId)> {
        let after =
            |edge: EdgeId| self.after(edge).filter(|next| is_second(*next)).map(move |next| (edge, next));
        self.of_action(first).into_iter().flat_map(after).collect()
    }
}
