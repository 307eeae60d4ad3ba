//! Finds the code of each action, of the start, and of background threads.

use std::collections::{BTreeMap, BTreeSet};

use crate::dispatch::Dispatch;
use crate::piece::{Kind, Piece, Reference, When};
use crate::program::Program;
use crate::walk::{self, Reached};
use crate::{Mapping, Runs};

/// Which code belongs to what.
pub(crate) struct Code {
    /// The code that runs for each action that has code.
    actions: BTreeMap<String, Reached>,
    /// The code that runs outside of actions: at the start, and in programs without a gate also between actions.
    outside: Reached,
    /// The code that may still run, or run again, after the start.
    background: Reached,
    /// Whether the program takes its events from a gate.
    has_gate: bool,
    /// The code that runs without being named.
    always: Reached,
    /// The types that the start can read back, because their declarations name `Deserialize`.
    read_back: BTreeSet<String>,
}

/// What a change of a piece affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touches {
    /// These actions, each with the way to the piece.
    Actions(BTreeMap<String, Vec<usize>>),
    /// All actions that have code, and the start. The way leads to the piece.
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
        // Without a gate, a function that mentions an action belongs to it, whoever calls the function. With a gate,
        // such a mention is only a name.
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

    /// True if a piece may take part in what a node stores and reads back when it starts. Such a piece comes to name a
    /// type that the start can read back. If no declaration says which types these are, any piece may take part.
    pub(crate) fn may_store(&self, program: &Program, index: usize) -> bool {
        // Follows only code. A piece does not store a value just because it has one of some type.
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

    /// What a change of a piece affects.
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
