//! What changed between two sets of jars, and which actions of a table that touches. Code is compared as instructions: debug information
//! and the numbers of constants do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::jars::Jars;
use crate::reach::Program;
use crate::table::{Point, Table};

/// The changes between two sets of jars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The actions whose code changed.
    pub actions: BTreeMap<String, Touched>,
    /// Changed methods that no action runs, but the start of a node, or threads beside those of the actions.
    pub start: Vec<String>,
    /// Changed methods that nothing of this runs.
    pub unused: Vec<String>,
}

/// What changed of the code of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The methods that changed, the nearest to the action first.
    pub methods: Vec<String>,
    /// How the action comes to the first of them: what it runs before, in order.
    pub way: Vec<String>,
}

/// Compares two sets of jars. Actions are those that nodes offer.
pub fn changed(old: &Jars, new: &Jars, table: &Table) -> Changed {
    let (old, new) = (Program::new(old, table), Program::new(new, table));
    let differ = differences(&old, &new);
    let mut actions: BTreeMap<String, Touched> = BTreeMap::new();
    let (mut known, mut started): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    // The new one comes first: the way to a method is rather shown in it.
    for program in [&new, &old] {
        started.extend(program.of_start(table).order);
        for action in table.points.iter().flat_map(Point::actions) {
            let reached = program.of_action(action, table);
            for name in reached.order.iter().copied().filter(|name| differ.contains(*name)) {
                known.insert(name);
                let touched = actions.entry(action.to_owned()).or_default();
                if touched.methods.is_empty() {
                    touched.way = reached.way(name).into_iter().map(str::to_owned).collect();
                }
                if !touched.methods.iter().any(|other| other == name) {
                    touched.methods.push(name.to_owned());
                }
            }
        }
    }
    let others = differ.iter().filter(|name| !known.contains(name.as_str())).cloned();
    let (start, unused) = others.partition(|name| started.contains(name.as_str()));
    Changed { actions, start, unused }
}

/// The methods that are not the same in both, as `Class.method(types)`.
fn differences(old: &Program, new: &Program) -> BTreeSet<String> {
    let names: BTreeSet<&String> = old.methods.keys().chain(new.methods.keys()).collect();
    let differs = |name: &&String| match (old.methods.get(*name), new.methods.get(*name)) {
        (Some(old), Some(new)) => old.code != new.code || old.parents != new.parents,
        _ => true,
    };
    names.into_iter().filter(differs).cloned().collect()
}
