//! Finds the edges of two versions of a graph that a pattern is about.

use std::collections::BTreeSet;

use kilter_graph::{EdgeId, StateGraph, StateId};

use crate::affected::Affected;
use crate::alike::Alike;
use crate::graphs::GraphChange;
use crate::pattern::Pattern;
use crate::view::View;
use crate::wants::Visit;

/// How much of what a pattern matches is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// What is different in the new graph.
    #[default]
    Difference,
    /// Everything that Table 1 says.
    Table,
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

pub(crate) struct Matcher<'g> {
    pub(crate) versions: Versions<'g>,
    pub(crate) width: Width,
}

impl Matcher<'_> {
    /// Whether the old graph does not have an edge, or could not have: what becomes of an added variable is new.
    pub(crate) fn is_different(&self, edge: EdgeId) -> bool {
        let Versions { new, graphs, .. } = self.versions;
        let changes =
            |variable: usize| new.value(new.source(edge), variable) != new.value(new.target(edge), variable);
        let is_added = |name: &String| graphs.added_variables.contains(name);
        graphs.is_new_edge(edge)
            || (0..new.variables().len()).any(|v| is_added(&new.variables()[v]) && changes(v))
    }

    /// Edges that have to be taken, unless the old graph has some that are alike.
    pub(crate) fn unknown(
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
    pub(crate) fn gone(
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
    pub(crate) fn steps_at(&self, states: BTreeSet<StateId>) -> Vec<EdgeId> {
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
    pub(crate) fn pairs(&self, first: &str, is_second: impl Fn(EdgeId) -> bool) -> Vec<(EdgeId, EdgeId)> {
        let after =
            |edge: EdgeId| self.after(edge).filter(|next| is_second(*next)).map(move |next| (edge, next));
        self.of_action(first).into_iter().flat_map(after).collect()
    }
}
