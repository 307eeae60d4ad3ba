//! Finds the variants of events that belong to each action.
//!
//! A program with a gate says which event is which action: `Step::Timeout => Action::new("Timeout")`. Such arms show
//! which variants belong to an action. Arms that come to make one of these variants show more of them: a message of one
//! kind leads to one of a few handlers. Enumerations whose values may be kept from one action to the next are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::Mapping;
use crate::piece::{Piece, Reference, Variant, When};
use crate::program::Program;
use crate::walk;

/// The variants that belong to each action.
#[derive(Debug, Default)]
pub(crate) struct Dispatch {
    of: BTreeMap<String, BTreeSet<Variant>>,
    /// The enumerations of these variants.
    events: BTreeSet<String>,
}

impl Dispatch {
    pub(crate) fn new(program: &Program, mapping: &Mapping) -> Dispatch {
        let kept = kept(program);
        let mut of: BTreeMap<String, BTreeSet<Variant>> = BTreeMap::new();
        let mut events = mapping.events.clone();
        for piece in &program.pieces {
            let variants = variants_around(program, piece);
            for action in piece.literals.iter().filter(|literal| mapping.actions.contains_key(*literal)) {
                let fresh = variants.iter().filter(|(owner, _)| !kept.contains(owner));
                events.extend(fresh.clone().map(|(owner, _)| owner.clone()));
                of.entry(action.clone()).or_default().extend(fresh.cloned());
            }
        }
        let mut dispatch = Dispatch { of, events };
        dispatch.follow(program);
        dispatch
    }

    /// Adds variants whose arms come to make a variant that already belongs to the action.
    fn follow(&mut self, program: &Program) {
        let mut leads = Vec::new();
        for (index, piece) in program.pieces.iter().enumerate() {
            let When::Variants(variants) = &piece.when else { continue };
            let variants: BTreeSet<&Variant> =
                variants.iter().filter(|(owner, _)| self.events.contains(owner)).collect();
            if variants.is_empty() {
                continue;
            }
            let reached = walk::from(program, [index], &|_| true);
            let made: BTreeSet<&Variant> =
                reached.keys().flat_map(|reached| &program.pieces[*reached].variants).collect();
            leads.push((variants, made));
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (variants, made) in &leads {
                for of_action in self.of.values_mut() {
                    let is_other = |(owner, _): &Variant| variants.iter().all(|(other, _)| other != owner);
                    if made.iter().any(|made| is_other(made) && of_action.contains(*made)) {
                        for variant in variants {
                            changed |= of_action.insert((*variant).clone());
                        }
                    }
                }
            }
        }
    }

    /// True if the piece is an arm for some events. It runs only for their actions, wherever it is.
    pub(crate) fn is_for_events(&self, piece: &Piece) -> bool {
        match &piece.when {
            When::Always | When::Loop | When::Later => false,
            When::Actions(_) => true,
            When::Variants(variants) => variants.iter().any(|(owner, _)| self.events.contains(owner)),
        }
    }

    /// True if the piece may run for an action, provided that the code around it does.
    pub(crate) fn may_run(&self, piece: &Piece, action: &str) -> bool {
        match &piece.when {
            When::Always | When::Loop | When::Later => true,
            When::Actions(actions) => actions.contains(action),
            When::Variants(variants) => {
                let Some(own) = self.of.get(action) else { return true };
                let owners: BTreeSet<&String> = own.iter().map(|(owner, _)| owner).collect();
                owners.into_iter().all(|owner| {
                    let mut of_owner = variants.iter().filter(|(other, _)| other == owner).peekable();
                    of_owner.peek().is_none() || of_owner.any(|variant| own.contains(variant))
                })
            }
        }
    }
}

/// The variants for which a piece runs: those of its own arm and of the arms around it.
fn variants_around(program: &Program, piece: &Piece) -> BTreeSet<Variant> {
    let mut found = BTreeSet::new();
    let mut next = Some(piece);
    while let Some(piece) = next {
        if let When::Variants(variants) = &piece.when {
            found.extend(variants.iter().cloned());
        }
        next = piece.parent.map(|parent| &program.pieces[parent]);
    }
    found
}

/// Types whose values may be kept, because a struct or a static variable names them.
fn kept(program: &Program) -> BTreeSet<String> {
    let keepers = program.pieces.iter().filter(|piece| piece.identity.keeps);
    let named = keepers.flat_map(|piece| &piece.references).filter_map(|reference| match reference {
        Reference::Bare(name) | Reference::Path(_, name) => Some(name.clone()),
        _ => None,
    });
    named.collect()
}
