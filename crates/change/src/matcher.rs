//! Finds the edges of two versions of a graph that a pattern selects.

use std::collections::BTreeSet;

use kilter_graph::{EdgeId, StateGraph, StateId};

use crate::affected::Affected;
use crate::alike::Alike;
use crate::graphs::GraphChange;
use crate::pattern::Pattern;
use crate::view::View;
use crate::wants::Visit;

/// How many of the edges that a pattern matches are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// Only edges that differ from the old graph.
    #[default]
    Difference,
    /// All edges that Table 1 of the paper names.
    Table,
}

/// Two versions of a graph, and what is known about them.
#[derive(Clone, Copy)]
pub struct Versions<'g> {
    /// The old graph.
    pub old: &'g StateGraph,
    /// The new graph.
    pub new: &'g StateGraph,
    /// The differences between the two graphs.
    pub graphs: &'g GraphChange,
    /// What nodes see of both graphs, if that is known.
    pub alike: Option<(&'g Alike, &'g View)>,
    /// Whether the new graph is cut off where the specification would go on. There, no action can be called unexpected.
    pub is_cut: bool,
    /// States at which the old graph was cut off and the new one is not. Only now can an action be unexpected there.
    pub freed: &'g [StateId],
}

pub(crate) struct Matcher<'g> {
    pub(crate) versions: Versions<'g>,
    pub(crate) width: Width,
}

impl Matcher<'_> {
    /// Whether the old graph does not have this edge. An edge that changes an added variable counts as different.
    pub(crate) fn is_different(&self, edge: EdgeId) -> bool {
        let Versions { new, graphs, .. } = self.versions;
        let changes =
            |variable: usize| new.value(new.source(edge), variable) != new.value(new.target(edge), variable);
        let is_added = |name: &String| graphs.added_variables.contains(name);
        graphs.is_new_edge(edge)
            || (0..new.variables().len()).any(|v| is_added(&new.variables()[v]) && changes(v))
    }

    /// Adds edges that have to be taken. Leaves out edges if the old graph has an edge that is alike.
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

    /// Adds edges that have to be taken. One of several edges that are alike is enough.
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

    /// Adds states where an old edge is gone. A test has to visit them to see that the system no longer offers the
    /// step.
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
            // If the graph may be cut off, no other state can stand for this one.
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

    /// All edges that leave these states. For a state that no edge leaves, an edge that leads to it.
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

    /// Edges of an action, each with an edge right after it for which `is_second` holds.
    pub(crate) fn pairs(&self, first: &str, is_second: impl Fn(EdgeId) -> bool) -> Vec<(EdgeId, EdgeId)> {
        let after =
            |edge: EdgeId| self.after(edge).filter(|next| is_second(*next)).map(move |next| (edge, next));
        self.of_action(first).into_iter().flat_map(after).collect()
    }
}
