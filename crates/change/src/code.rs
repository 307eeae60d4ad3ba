//! P5: finds the edges that have to be tested after a change of code.
//!
//! All edges of an action with changed code have to be tested. Of edges that are alike to their node, one is enough.
//! Changed code may also do harm elsewhere:
//!
//! - What it stores shows when the node starts again. So a test has to start the node right after the action, or later
//!   if it cannot start right then.
//! - The system may offer the action where it should not. So a test has to visit states with a message that the action
//!   could receive and does not. If the code of all offered actions was changed, the code that decides about offers may
//!   be wrong as well. Then tests have to visit every view of every node.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{EdgeId, StateId};
use kilter_value::Value;
use rustc_hash::FxHashSet;

use crate::affected::Affected;
use crate::alike::Alike;
use crate::changes::CodeChange;
use crate::matcher::Matcher;
use crate::pattern::Pattern;
use crate::view::{Message, View};
use crate::wants::{Sequence, Then, Visit};

impl Matcher<'_> {
    /// Applies P5 to all changes of code.
    ///
    /// `offers` says whether changed code may decide what nodes offer. `None` if that is not known.
    pub(crate) fn code(&self, changes: &[CodeChange], offers: Option<bool>, affected: &mut Affected) {
        let spared = spared(changes);
        for change in changes {
            let cause = format!("`{}`: {}", change.action, change.why);
            let is_spared = |edge: &EdgeId| change.spared.binary_search(edge).is_ok();
            let mut edges = self.of_action(&change.action);
            edges.retain(|edge| !is_spared(edge));
            self.like(Pattern::ModifyCode, cause, edges, affected);
        }
        let readers: BTreeSet<&String> = changes.iter().flat_map(|change| &change.shows_in).collect();
        for reader in readers {
            let writers: BTreeSet<&str> = changes
                .iter()
                .filter(|change| change.shows_in.contains(reader))
                .map(|change| change.action.as_str())
                .collect();
            let cause = format!("`{reader}` reads what {} may store", named(&writers));
            self.stored(cause, &writers, &spared, reader, affected);
        }
        if let Some((alike, view)) = self.versions.alike {
            let touched: BTreeSet<&str> = match offers {
                None => changes.iter().map(|change| change.action.as_str()).collect(),
                Some(true) => view.actions.keys().map(String::as_str).collect(),
                Some(false) => BTreeSet::new(),
            };
            self.not_offered(&touched, alike, view, affected);
        }
    }

    /// Adds starts that follow steps whose code may have stored something.
    fn stored(
        &self,
        cause: String,
        writers: &BTreeSet<&str>,
        spared: &FxHashSet<EdgeId>,
        reader: &str,
        affected: &mut Affected,
    ) {
        let new = self.versions.new;
        let is_written =
            |edge: &EdgeId| writers.contains(new.action_of(*edge).name.as_str()) && !spared.contains(edge);
        let starts = self.of_action(reader);
        let Some(alike) = self.alike() else {
            return affected.add(Pattern::ModifyCode, cause, starts);
        };
        let (mut tested, mut later) = (BTreeSet::new(), BTreeSet::new());
        // The states after steps of each kind, by node and kind. Kinds in `is_done` have a start right after one of
        // their steps.
        let mut open: BTreeMap<(Option<usize>, u32), Vec<StateId>> = BTreeMap::new();
        let mut is_done = BTreeSet::new();
        for edge in new.edges().filter(is_written) {
            let node = alike.node(edge);
            let is_own = |next: &EdgeId| new.action_of(*next).name == reader && alike.node(*next) == node;
            let kind = alike.kind(edge).filter(|_| node.is_some());
            for next in self.after(edge).filter(is_own) {
                tested.insert(next);
                match kind {
                    Some(kind) => {
                        let sequence = Sequence { kind, then: Then::Action(reader.to_owned()) };
                        affected.wants.sequence(sequence, edge, next);
                        is_done.insert(kind);
                    }
                    None => affected.wants.pairs([(edge, next)]),
                }
            }
            match kind {
                Some(kind) => open.entry((node, kind)).or_default().push(new.target(edge)),
                None => later.extend(starts.iter().copied()),
            }
        }
        let nodes: BTreeSet<Option<usize>> = open.keys().map(|(node, _)| *node).collect();
        for node in nodes {
            let own: Vec<EdgeId> =
                starts.iter().copied().filter(|start| alike.node(*start) == node).collect();
            let leads = self.leading_to(&own);
            let mut rest = open.iter().filter(|((of, kind), _)| *of == node && !is_done.contains(kind));
            if rest.any(|(_, states)| states.iter().any(|state| leads[state.index()])) {
                later.extend(own);
            }
        }
        for edge in &later {
            affected.wants.like(*edge, Some(alike));
        }
        tested.extend(later);
        affected.note(Pattern::ModifyCode, cause, tested);
    }

    /// For each state, whether a path leads from it to one of these edges.
    fn leading_to(&self, edges: &[EdgeId]) -> Vec<bool> {
        let new = self.versions.new;
        let mut leads = vec![false; new.n_states()];
        let mut open: Vec<StateId> = edges.iter().map(|edge| new.source(*edge)).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut leads[state.index()], true) {
                open.extend(new.incoming(state).map(|edge| new.source(edge)));
            }
        }
        leads
    }

    /// Adds states where changed code must not offer an action.
    fn not_offered(&self, touched: &BTreeSet<&str>, alike: &Alike, view: &View, affected: &mut Affected) {
        let new = self.versions.new;
        let mut offered = view.actions.iter().filter(|(_, actor)| actor.is_offered);
        if !touched.is_empty() && offered.all(|(action, _)| touched.contains(action.as_str())) {
            for state in new.states() {
                for seen in alike.views(state) {
                    affected.wants.visit(Visit::View(*seen), state);
                }
            }
        }
        let is_taker = |action: &&&str| {
            view.actions.get(**action).is_some_and(|actor| actor.message.is_some() && actor.is_offered)
        };
        for action in touched.iter().filter(is_taker) {
            self.not_taken(action, alike, affected);
        }
    }

    /// Adds states with a message that an action could receive and does not.
    fn not_taken(&self, action: &str, alike: &Alike, affected: &mut Affected) {
        let new = self.versions.new;
        let shapes = |is_own: bool| -> FxHashSet<Option<Value>> {
            let edges = new.edges().filter(|edge| (new.action_of(*edge).name == action) == is_own);
            edges.filter_map(|edge| Some(alike.message(edge)?.shape)).collect()
        };
        // If no action receives messages of a shape, any action might.
        let (own, others) = (shapes(true), shapes(false));
        let may_be_own = |message: Message| own.contains(&message.shape) || !others.contains(&message.shape);
        for state in new.states() {
            for (node, message) in alike.arrivals(state) {
                let takes_it = |edge: EdgeId| {
                    new.action_of(edge).name == action && alike.message(edge) == Some(*message)
                };
                if may_be_own(*message) && !new.outgoing(state).any(takes_it) {
                    let seen = alike.views(state)[*node];
                    affected.wants.visit(Visit::Message(action.to_owned(), message.value, seen), state);
                }
            }
        }
    }
}

/// The steps that run no changed code, whatever the change.
fn spared(changes: &[CodeChange]) -> FxHashSet<EdgeId> {
    let mut spared: BTreeMap<&str, BTreeSet<EdgeId>> = BTreeMap::new();
    for change in changes {
        let own: BTreeSet<EdgeId> = change.spared.iter().copied().collect();
        let known = spared.entry(&change.action).or_insert_with(|| own.clone());
        known.retain(|edge| own.contains(edge));
    }
    spared.into_values().flatten().collect()
}

fn named(names: &BTreeSet<&str>) -> String {
    let first = names.first().copied().unwrap_or_default();
    match names.len() {
        1 => format!("`{first}`"),
        n => format!("`{first}` or one of {} more", n - 1),
    }
}
