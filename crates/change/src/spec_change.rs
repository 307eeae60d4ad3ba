//! Compares the meaning of two versions of a specification (Algorithm 2 of the paper).

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Sources;
use kilter_spec::Spec;
use kilter_spec::ir::{DefBody, Expr, ExprKind, Formula};
use kilter_value::Store;

use crate::blocks::{Block, Place, blocks};
use crate::canon::Canon;
use crate::pairing::{Pairing, pair};

/// A specification with its files and values.
#[derive(Clone, Copy)]
pub struct Version<'s> {
    /// The specification.
    pub spec: &'s Spec,
    /// The store that has its values.
    pub store: &'s Store,
    /// Its files.
    pub sources: &'s Sources,
}

/// One change of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecChange {
    /// A variable was added.
    VariableAdded(String),
    /// A variable was deleted.
    VariableDeleted(String),
    /// A basic block was added.
    BlockAdded {
        /// The definition that the block calls, or else the one that it is part of.
        name: String,
        /// Where the block is in the new version.
        new: Place,
    },
    /// A basic block was deleted.
    BlockDeleted {
        /// The definition that the block called, or else the one that it was part of.
        name: String,
        /// Where the block was in the old version.
        old: Place,
    },
    /// The text of a basic block was changed.
    BlockModified {
        /// The definition that the block calls, or else the one that it is part of.
        name: String,
        /// Where the block was in the old version.
        old: Place,
        /// Where the block is in the new version.
        new: Place,
    },
    /// The initial predicate was changed.
    Init,
    /// The value of a constant was changed, or of a definition that is a plain value.
    Constant {
        /// Its name.
        name: String,
        /// The old value, if it had one.
        old: Option<String>,
        /// The new value, if it has one.
        new: Option<String>,
    },
    /// CONSTRAINT, ACTION_CONSTRAINT, VIEW or SYMMETRY was changed. They decide which states and steps are explored.
    Model(&'static str),
    /// INVARIANT, PROPERTY, ASSUME or the like was changed. These only check the specification; no step depends on
    /// them.
    Checked(&'static str),
}

/// What changed in a specification.
#[derive(Clone, Debug, Default)]
pub struct SpecChanges {
    /// The changes, in the order in which they are reported.
    pub changes: Vec<SpecChange>,
    /// The places of old blocks that were deleted or changed.
    pub old_places: BTreeSet<Place>,
    /// The places of new blocks that were added or changed.
    pub new_places: BTreeSet<Place>,
    /// Whether a part of the next-state action changed that all steps take.
    pub is_root_changed: bool,
}

impl SpecChanges {
    /// Whether new states or steps may be explored even if blocks and initial states are the same.
    pub fn is_model_changed(&self) -> bool {
        self.changes.iter().any(|change| matches!(change, SpecChange::Constant { .. } | SpecChange::Model(_)))
    }
}

/// Compares two versions.
pub fn compare(old: Version<'_>, new: Version<'_>) -> SpecChanges {
    let (old_names, new_names) = (variables(old.spec), variables(new.spec));
    let gone: BTreeSet<String> = old_names.difference(&new_names).cloned().collect();
    let come: BTreeSet<String> = new_names.difference(&old_names).cloned().collect();
    let mut found = SpecChanges::default();
    found.changes.extend(come.iter().cloned().map(SpecChange::VariableAdded));
    found.changes.extend(gone.iter().cloned().map(SpecChange::VariableDeleted));
    // If only one version has a variable, UNCHANGED of it does not matter.
    let old_blocks = blocks_of(old, &gone);
    let new_blocks = blocks_of(new, &come);
    note_blocks(&mut found, &pair(&old_blocks, &new_blocks), &old_blocks, &new_blocks);
    if text(old, old.spec.init.as_ref(), &gone) != text(new, new.spec.init.as_ref(), &come) {
        found.changes.push(SpecChange::Init);
    }
    note_constants(&mut found, old, new);
    note_formulas(&mut found, old, new, &gone, &come);
    found
}

fn variables(spec: &Spec) -> BTreeSet<String> {
    spec.variables.iter().map(|variable| variable.name.to_string()).collect()
}

fn blocks_of(version: Version<'_>, ignored: &BTreeSet<String>) -> Vec<Block> {
    match &version.spec.next {
        Some(next) => blocks(version.spec, &next.expr, version.store, version.sources, ignored),
        None => Vec::new(),
    }
}

fn note_blocks(found: &mut SpecChanges, pairing: &Pairing, old_blocks: &[Block], new_blocks: &[Block]) {
    for number in &pairing.deleted {
        let Block { name, place, .. } = &old_blocks[*number];
        found.changes.push(SpecChange::BlockDeleted { name: name.clone(), old: place.clone() });
    }
    for number in &pairing.added {
        let Block { name, place, .. } = &new_blocks[*number];
        found.changes.push(SpecChange::BlockAdded { name: name.clone(), new: place.clone() });
    }
    for (old, new) in &pairing.modified {
        let Block { name, place, .. } = &new_blocks[*new];
        found.is_root_changed |= *new == 0;
        found.changes.push(SpecChange::BlockModified {
            name: if name.is_empty() { "Next".to_owned() } else { name.clone() },
            old: old_blocks[*old].place.clone(),
            new: place.clone(),
        });
    }
    let places = |blocks: &[Block], numbers: &[usize]| -> BTreeSet<Place> {
        numbers.iter().map(|number| blocks[*number].place.clone()).collect()
    };
    found.old_places = places(old_blocks, &pairing.old_changed);
    found.new_places = places(new_blocks, &pairing.new_changed);
}

fn note_constants(found: &mut SpecChanges, old: Version<'_>, new: Version<'_>) {
    let (before, after) = (constants(old), constants(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (was, is) = (before.get(name), after.get(name));
        // A definition that was added or deleted, or is no longer a plain value, shows where it is used.
        if let (Some(was), Some(is)) = (was, is)
            && was != is
        {
            found.changes.push(SpecChange::Constant {
                name: name.clone(),
                old: Some(was.clone()),
                new: Some(is.clone()),
            });
        }
    }
}

/// Constants, and definitions that are plain values.
fn constants(version: Version<'_>) -> BTreeMap<String, String> {
    let plain = version.spec.defs.iter().filter(|def| def.params.is_empty() && !def.in_let);
    plain
        .filter_map(|def| match &def.body {
            DefBody::Expr(Expr { kind, .. }) => match &**kind {
                ExprKind::Value(value) => Some((def.name.to_string(), version.store.show(*value))),
                _ => None,
            },
            DefBody::Native(_) => None,
        })
        .collect()
}

/// The name of a section of the configuration, and a function that returns its formulas.
type Section = (&'static str, fn(&Spec) -> Vec<&Formula>);

fn note_formulas(
    found: &mut SpecChanges,
    old: Version<'_>,
    new: Version<'_>,
    gone: &BTreeSet<String>,
    come: &BTreeSet<String>,
) {
    let differ = |of: fn(&Spec) -> Vec<&Formula>| {
        let texts = |version: Version<'_>, ignored: &BTreeSet<String>| -> BTreeSet<String> {
            of(version.spec).into_iter().filter_map(|formula| text(version, Some(formula), ignored)).collect()
        };
        texts(old, gone) != texts(new, come)
    };
    let model: [Section; 4] = [
        ("CONSTRAINT", |spec| spec.constraints.iter().collect()),
        ("ACTION_CONSTRAINT", |spec| spec.action_constraints.iter().collect()),
        ("VIEW", |spec| spec.view.iter().collect()),
        ("SYMMETRY", |spec| spec.symmetry.iter().collect()),
    ];
    let checked: [Section; 5] = [
        ("INVARIANT", |spec| spec.invariants.iter().collect()),
        ("PROPERTY", |spec| spec.properties.iter().collect()),
        ("fairness", |spec| spec.fairness.iter().collect()),
        ("ASSUME", |spec| spec.assumptions.iter().collect()),
        ("POSTCONDITION", |spec| spec.postconditions.iter().collect()),
    ];
    found.changes.extend(
        model.into_iter().filter(|(_, of)| differ(*of)).map(|(section, _)| SpecChange::Model(section)),
    );
    found.changes.extend(
        checked.into_iter().filter(|(_, of)| differ(*of)).map(|(section, _)| SpecChange::Checked(section)),
    );
    if old.spec.check_deadlock != new.spec.check_deadlock {
        found.changes.push(SpecChange::Checked("CHECK_DEADLOCK"));
    }
}

fn text(version: Version<'_>, formula: Option<&Formula>, ignored: &BTreeSet<String>) -> Option<String> {
    let formula = formula?;
    let mut text = String::new();
    Canon::new(version.spec, version.store, ignored).expr(&formula.expr, &mut text);
    Some(text)
}
