//! Finds what changed in the system's code, in the words of the specification.

use std::collections::{BTreeMap, BTreeSet};

use kilter_change::{Changes, CodeChange};
use kilter_java::{Changed, Jars, Table, Touched};
use kilter_mapping::Mapping;
use kilter_mapping::file::Fault;
use kilter_mapping::mapping::{Compared, Deed};
use kilter_source::{Affected, Runs, Tree};

use super::ran::Trace;
use super::side::Side;
use crate::error::Tried;

/// The changes of code, by what they affect.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The actions whose code changed.
    pub actions: Vec<CodeChange>,
    /// The variables that are read in another way.
    pub compared: Vec<String>,
    /// Changes that belong to no action.
    pub unattributed: Vec<String>,
    /// Changes of what a node does when it starts.
    pub start: Vec<String>,
    /// Changes of code that nothing here runs.
    pub unused: Vec<String>,
    /// Whether changed code may decide what a node offers. `None` if that is not known.
    pub offers: Option<bool>,
}

impl Code {
    /// Puts these changes among those of the specification.
    pub fn into_changes(self, changes: &mut Changes) {
        let Code { actions, compared, unattributed, start, unused, offers } = self;
        *changes = Changes {
            code: actions,
            compared,
            unattributed,
            start,
            unused,
            offers,
            ..std::mem::take(changes)
        };
    }
}

/// What changed in code and mapping. Without a mapping, this is empty, and only the specifications can be compared.
pub fn between(old: &Side, new: &Side) -> Tried<Code> {
    let Some(mapping) = &new.mapping else { return Ok(Code::default()) };
    let mut found = match (&old.source, &new.source) {
        (Some(before), Some(after)) => compare([before, after], mapping, old.trace.as_ref(), new)?,
        _ => Code::default(),
    };
    if let (Some((_, old)), Some((table, new))) = (&old.java, &new.java) {
        compare_jars(old, new, table, mapping, &mut found);
    }
    if old.mapping.is_some() {
        let changed = kilter_mapping::changed::compare(&old.mapping_text, &new.mapping_text);
        found.unattributed.extend(changed.other);
        found.compared.extend(changed.variables);
        found.actions.extend(changed.actions.into_iter().map(|action| CodeChange {
            why: "the mapping says something else about it".to_owned(),
            variables: None,
            shows_in: Vec::new(),
            spared: Vec::new(),
            action,
        }));
    }
    Ok(found)
}

/// Compares two releases of a Java system.
fn compare_jars(old: &Jars, new: &Jars, table: &Table, mapping: &Mapping, found: &mut Code) {
    let Changed { actions, start, unused } = kilter_java::changed(old, new, table);
    let is_start = |deed: &Deed| matches!(deed, Deed::Fault(Fault::Start | Fault::Restart));
    // What an action stores may show after a start only.
    let starts: BTreeSet<&str> =
        mapping.rules.iter().filter(|rule| is_start(&rule.deed)).map(|rule| rule.action.as_str()).collect();
    for (offered, Touched { methods, way }) in actions {
        let is_it = |deed: &Deed| matches!(deed, Deed::Offer { name, .. } if *name == offered);
        let named: BTreeSet<&str> =
            mapping.rules.iter().filter(|rule| is_it(&rule.deed)).map(|rule| rule.action.as_str()).collect();
        let by = way.last().map_or_else(String::new, |before| format!(" (called by {})", short(before)));
        let why = format!("{}{by}{}", methods[0], more_than(&methods, 1));
        found.actions.extend(named.into_iter().map(|action| CodeChange {
            action: action.to_owned(),
            variables: None,
            shows_in: starts.iter().map(|start| (*start).to_owned()).collect(),
            spared: Vec::new(),
            why: why.clone(),
        }));
    }
    if !start.is_empty() {
        let why = format!("the start of a node, or threads beside the actions: {}", first_of(&start, 1));
        found.actions.extend(starts.iter().map(|action| CodeChange {
            action: (*action).to_owned(),
            variables: None,
            shows_in: Vec::new(),
            spared: Vec::new(),
            why: why.clone(),
        }));
        found.start.push(why);
    }
    if !unused.is_empty() {
        found.unused.push(first_of(&unused, 3));
    }
}

/// The first names of a list, and how many more there are.
fn first_of(names: &[String], n: usize) -> String {
    names.iter().take(n).cloned().collect::<Vec<_>>().join(", ") + &more_than(names, n)
}

/// How many names there are after the first.
fn more_than(names: &[String], n: usize) -> String {
    match names.len().saturating_sub(n) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// A method without its package and its parameters.
fn short(method: &str) -> &str {
    let path = method.split('(').next().unwrap_or_default();
    let class = path.rsplit_once('.').map_or(path, |(class, _)| class);
    let package = class.rsplit_once('.').map_or(0, |(package, _)| package.len() + 1);
    &path[package..]
}

/// Compares two versions of the code of a mapped system.
fn compare(trees: [&Tree; 2], mapping: &Mapping, trace: Option<&Trace>, side: &Side) -> Tried<Code> {
    // Several actions may have the same code.
    let mut actions_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut known = kilter_source::Mapping::default();
    for rule in &mapping.rules {
        let (name, runs) = match &rule.deed {
            Deed::Offer { name, .. } | Deed::Request { name, .. } => (name.clone(), Runs::Code),
            Deed::Command(_) => (rule.action.clone(), Runs::Code),
            Deed::Fault(Fault::Start | Fault::Restart) => (rule.action.clone(), Runs::Start),
            Deed::Fault(_) | Deed::Internal => (rule.action.clone(), Runs::Nothing),
        };
        let names = actions_of.entry(name.clone()).or_default();
        if !names.contains(&rule.action) {
            names.push(rule.action.clone());
        }
        known.actions.insert(name, runs);
    }
    for variable in &mapping.variables {
        if let Compared::Node(path, _) | Compared::Global(path, _) = &variable.kind {
            known.variables.insert(path.join("."), variable.name.clone());
        }
    }
    known.events.extend(mapping.diff.events.iter().cloned());
    let starts = known.actions.iter().filter(|(_, runs)| **runs == Runs::Start);
    let starts: Vec<String> = starts.map(|(action, _)| action.clone()).collect();
    known.ran = trace.map(|trace| trace.ran.clone());
    let found = kilter_source::compare(trees[0], trees[1], &known);
    let mut code = Code { unattributed: found.unattributed, offers: found.offers, ..Code::default() };
    if !found.unused.is_empty() {
        code.unused.push(first_of(&found.unused, 3));
    }
    if !found.start.is_empty() {
        code.start.push(format!("the start of a node: {}", first_of(&found.start, 1)));
    }
    let steps = trace.map(|trace| trace.steps(mapping, &side.graph, side.store())).transpose()?;
    for changed in found.actions {
        let variables = match &changed.variables {
            Affected::All => None,
            Affected::Only(names) => Some(names.iter().cloned().collect()),
        };
        let actions =
            actions_of.get(&changed.action).cloned().unwrap_or_else(|| vec![changed.action.clone()]);
        code.actions.extend(actions.into_iter().map(|action| CodeChange {
            spared: match (&steps, &changed.at) {
                (Some(steps), Some(at)) => steps.without(&action, at),
                _ => Vec::new(),
            },
            action,
            variables: variables.clone(),
            shows_in: if changed.stores { starts.clone() } else { Vec::new() },
            why: changed.why.clone(),
        }));
    }
    Ok(code)
}
