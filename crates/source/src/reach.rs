//! The code of each action, of the start, and of threads in the background.

use std::collections::{BTreeMap, BTreeSet};

use crate::dispatch::Dispatch;
use crate::piece::{Kind, Piece, Reference, When};
use crate::program::Program;
use crate::walk::{self, Reached};
use crate::{Mapping, Runs};

/// Whose code each piece is.
pub(crate) struct Code {
    /// What runs for each action that has code.
    actions: BTreeMap<String, Reached>,
    /// What runs outside of actions: at the start, and in programs without a gate between actions as well.
    outside: Reached,
    /// What may still run, or run again, when the start is over.
    background: Reached,
    /// Whether events come from a gate.
    has_gate: bool,
    /// What runs without being named.
    always: Reached,
    /// Types that the start can read back, as far as their declarations say so.
    read_back: BTreeSet<String>,
}

/// What a change of a piece touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touches {
    /// These actions, each with the way to the piece.
    Actions(BTreeMap<String, Vec<usize>>),
    /// All actions that have code, and the start; with the way to the piece.
    Everything(Vec<usize>),
    /// Nothing that is known.
    Unknown,
}

impl Code {
    pub(crate) fn new(program: &Program, mapping: &Mapping) -> Code {
        let dispatch = Dispatch::new(program, mapping);
        let loops = program.loops();
        let marked = |action: &str| -> Vec<usize> {
            let has = |piece: &Piece| piece.literals.contains(action) && dispatch.may_run(piece, action);
            (0..program.pieces.len()).filter(|index| has(&program.pieces[*index])).collect()
        };
        let mut actions = BTreeMap::new();
        let mut marks = BTreeSet::new();
        for action in
            mapping.actions.iter().filter(|(_, runs)| **runs == Runs::Code).map(|(action, _)| action)
        {
            let own = marked(action);
            marks.extend(own.iter().copied());
            let roots = own.into_iter().chain(loops.iter().copied());
            actions
                .insert(action.clone(), walk::from(program, roots, &|piece| dispatch.may_run(piece, action)));
        }
        let has_gate = !loops.is_empty();
        // A marked function is its action's, whoever calls it; but with a gate, marks are names and no more.
        marks.retain(|index| !has_gate && program.pieces[*index].identity.kind == Kind::Function);
        let without_events = |piece: &Piece| piece.when != When::Loop && !dispatch.is_for_events(piece);
        let outside = walk::around(program, program.entries(), &marks, &without_events);
        let begun = outside.keys().copied().filter(|index| {
            let piece = &program.pieces[*index];
            piece.spawns || piece.when == When::Later
        });
        let background = walk::around(program, begun, &marks, &without_events);
        let always = walk::around(program, program.always.iter().copied(), &marks, &without_events);
        let is_read_back = |piece: &&Piece| {
            piece.identity.kind == Kind::Type
                && piece.references.contains(&Reference::Bare("Deserialize".to_owned()))
        };
        let read_back = outside.keys().map(|index| &program.pieces[*index]).filter(is_read_back);
        let read_back = read_back.map(|piece| piece.identity.name.clone()).collect();
        Code { actions, outside, background, has_gate, always, read_back }
    }

    /// True if a piece may have a part in what a node stores and finds again when it starts: it comes to name a type that the start
    /// can read back. Where no declaration says which types those are, any piece may.
    pub(crate) fn may_store(&self, program: &Program, index: usize) -> bool {
        // Code alone: to have a value of some type is not yet to store it.
        let is_declared = |index: &usize| program.pieces[*index].identity.kind == Kind::Type;
        let types = (0..program.pieces.len()).filter(is_declared).collect();
        let used = walk::around(program, [index], &types, &|piece| piece.when != When::Loop);
        let names = |reference: &Reference| match reference {
            Reference::Bare(name) | Reference::Path(name, _) => self.read_back.contains(name),
            Reference::Field(_) | Reference::Method(_) => false,
        };
        self.read_back.is_empty()
            || used.keys().any(|used| program.pieces[*used].references.iter().any(names))
    }

    /// What a change of a piece touches.
    pub(crate) fn touches(&self, index: usize, mapping: &Mapping) -> Touches {
        let is_outside = self.outside.contains_key(&index);
        let outside = if self.has_gate { &self.background } else { &self.outside };
        for whenever in [&self.always, outside] {
            if whenever.contains_key(&index) {
                return Touches::Everything(walk::way(whenever, index));
            }
        }
        let reaching = self.actions.iter().filter(|(_, reached)| reached.contains_key(&index));
        let mut touched: BTreeMap<String, Vec<usize>> =
            reaching.map(|(action, reached)| (action.clone(), walk::way(reached, index))).collect();
        if is_outside {
            let starts = mapping.actions.iter().filter(|(_, runs)| **runs == Runs::Start);
            let n_before = touched.len();
            touched.extend(starts.map(|(action, _)| (action.clone(), walk::way(&self.outside, index))));
            if touched.len() == n_before {
                return Touches::Unknown; // nodes are started, but no action of the specification says so
            }
        }
        if touched.is_empty() { Touches::Unknown } else { Touches::Actions(touched) }
    }
}
