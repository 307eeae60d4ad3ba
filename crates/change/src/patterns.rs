//! Finds the edges that have to be tested again, by the patterns P1 to P7 of the paper's Table 1.
//!
//! The paper guesses which branch of an action an edge took. Here, each edge lists the ways through the action that
//! lead along it. Also, both graphs are known: an edge that both have, with the same states before and after, is not
//! new, even if the specification was rewritten. [`Width::Table`] tests such edges anyway, as the paper does.
//! [`Width::Difference`] does not.
//!
//! An edge takes a changed block if one of its ways does. An edge is gone if all of its ways are. An edge that has only
//! lost or gained a way still does the same, because no system can tell ways apart.
//!
//! If it is known what nodes see ([`Alike`](crate::Alike)), one of several edges that are alike to their node is
//! tested. An edge that is like an edge of the old graph is not new, either.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{Block, EdgeId, StateGraph, StateId};

use crate::blocks::Place;
use crate::matcher::Matcher;
use crate::pattern::Pattern;
use crate::spec_change::SpecChanges;
use crate::view::View;
use crate::wants::{Sequence, Then, Wants};

pub use crate::affected::{Affected, Match};
pub use crate::changes::Changes;
pub use crate::matcher::{Versions, Width};

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
    // Table 1 does not consider what nodes see.
    let alike = versions.alike.filter(|_| width == Width::Difference);
    let matcher = Matcher { versions: Versions { alike, ..versions }, width };
    matcher.specification(changes.spec.as_ref(), &mut affected);
    matcher.code(&changes.code, changes.offers, &mut affected);
    for (first, second) in &changes.allowed {
        let pairs = matcher.pairs(first, |edge| new.action_of(edge).name == *second);
        let cause = format!("`{first}`, `{second}`");
        affected.sequence(Pattern::AllowSequence, cause, &pairs, |pair| matcher.like_allowed(pair));
    }
    for (first, second) in &changes.forbidden {
        let pairs = matcher.pairs(first, |_| true);
        let cause = format!("`{first}`, `{second}`");
        affected
            .sequence(Pattern::ForbidSequence, cause, &pairs, |pair| matcher.like_forbidden(pair, second));
    }
    if let Some(what) = changes.compared.first() {
        matcher.like(Pattern::All, what.clone(), new.edges(), &mut affected);
    }
    if let Some(what) = changes.start.first() {
        let first = new.initial().flat_map(|state| new.outgoing(state));
        matcher.like(Pattern::ModifyCode, what.clone(), first, &mut affected);
    }
    if let Some(what) = changes.unattributed.first() {
        affected.add(Pattern::All, what.clone(), new.edges());
    }
    affected
}

/// For each label of a graph, whether one of its ways takes a block at one of these places.
fn changed_labels(graph: &StateGraph, places: &BTreeSet<Place>, all: bool) -> Vec<bool> {
    let place =
        |block: &Block| Place { file: graph.file(block).to_owned(), line: block.line, column: block.column };
    let own: Vec<Place> = graph.all_blocks().iter().map(place).collect();
    // If the graph does not have a block, any step may take it.
    let known: BTreeSet<&Place> = own.iter().collect();
    let all = all || places.iter().any(|place| !known.contains(place));
    let is_changed: Vec<bool> = own.iter().map(|place| places.contains(place)).collect();
    let takes_changed = |label| {
        graph.ways(graph.label(label).ways()).any(|mut way| way.any(|block| is_changed[block.index()]))
    };
    (0..graph.n_labels()).map(|label| all || takes_changed(Id::from_index(label))).collect()
}

impl Matcher<'_> {
    /// The set of pairs of steps that are alike to the nodes that take them: of an allowed sequence, one of them will do.
    fn like_allowed(&self, (first, then): (EdgeId, EdgeId)) -> Vec<Sequence> {
        let Some(alike) = self.alike() else { return Vec::new() };
        let kinds = alike.kind(first).zip(alike.kind(then));
        kinds.map(|(kind, then)| Sequence { kind, then: Then::Kind(then) }).into_iter().collect()
    }

    /// The sets of pairs that show to a node whether it offers what is forbidden after the first step: what it offers depends
    /// on what it sees, unless it takes in a message. Where the graph is cut, nothing is unexpected, so there no state can
    /// stand for another.
    fn like_forbidden(&self, (first, _): (EdgeId, EdgeId), second: &str) -> Vec<Sequence> {
        let takes_message =
            |view: &View| view.actions.get(second).is_none_or(|actor| actor.message.is_some());
        let versions = self.versions.alike.filter(|(_, view)| !self.versions.is_cut && !takes_message(view));
        let Some((alike, _)) = versions else { return Vec::new() };
        let Some(kind) = alike.kind(first) else { return Vec::new() };
        let views = alike.views(self.versions.new.target(first)).iter().enumerate();
        views.map(|(node, view)| Sequence { kind, then: Then::View(node, *view) }).collect()
    }

    /// Applies P1 to P4, and adds changed edges that no block explains.
    fn specification(&self, spec: Option<&SpecChanges>, affected: &mut Affected) {
        let Versions { old, new, graphs, .. } = self.versions;
        let nothing = SpecChanges::default();
        let SpecChanges { old_places, new_places, is_root_changed, .. } = spec.unwrap_or(&nothing);
        let new_labels = changed_labels(new, new_places, *is_root_changed);
        let old_labels = changed_labels(old, old_places, *is_root_changed);
        self.added_blocks(&new_labels, affected);
        self.deleted_blocks(&old_labels, affected);
        // If blocks explain the new states, only the steps right after them are tested, as in the paper. Otherwise all
        // new steps are tested.
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

    /// P1: for each action, edges through added blocks and the edges right after them.
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

    /// P2: for each action, states that had an edge through a deleted block.
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

    /// Edges that were added or are gone, although their blocks are unchanged.
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
}
