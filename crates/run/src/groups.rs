//! Groups findings that probably have one cause.

use std::collections::BTreeSet;

use crate::method::{Method, Seen};
use crate::played::Found;
use crate::record::Group;

/// The groups of a run, in the order of their first findings.
#[derive(Debug)]
pub(crate) struct Groups<D> {
    entries: Vec<Entry<D>>,
}

#[derive(Debug)]
struct Entry<D> {
    name: String,
    n_findings: u64,
    /// The places that are to blame for its findings.
    places: BTreeSet<Option<u64>>,
    n_looked_again: usize,
    is_unstable: bool,
    /// The first finding, and its index among all findings.
    first: (usize, Found<D>),
    shortest: Found<D>,
    hints: Vec<String>,
}

impl<D: Clone> Groups<D> {
    pub(crate) fn new() -> Groups<D> {
        Groups { entries: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a finding should be checked again: few of its group were, and none with the same place.
    pub(crate) fn wants_look(&self, found: &Found<D>, max: usize) -> bool {
        let known = self.entries.iter().find(|entry| entry.name == found.finding.group);
        known.is_none_or(|entry| entry.n_looked_again < max && !entry.places.contains(&found.place))
    }

    /// Adds a finding, which has the index `place` among all findings. Returns how many its group has now.
    pub(crate) fn add(&mut self, place: usize, found: &Found<D>) -> u64 {
        let finding = &found.finding;
        let index = self.entries.iter().position(|entry| entry.name == finding.group).unwrap_or_else(|| {
            self.entries.push(Entry {
                name: finding.group.clone(),
                n_findings: 0,
                places: BTreeSet::new(),
                n_looked_again: 0,
                is_unstable: false,
                first: (place, found.clone()),
                shortest: found.clone(),
                hints: Vec::new(),
            });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[index];
        entry.n_findings += 1;
        entry.places.insert(found.place);
        entry.n_looked_again += usize::from(finding.stable.is_some());
        entry.is_unstable |= finding.stable == Some(false);
        for hint in &finding.hints {
            if !entry.hints.contains(hint) {
                entry.hints.push(hint.clone());
            }
        }
        if found.n_steps < entry.shortest.n_steps {
            entry.shortest = found.clone();
        }
        entry.n_findings
    }

    /// The first finding of a group, and the one with the shortest path. `None` if the group's findings do not come
    /// again.
    pub(crate) fn to_shorten(&self, group: usize) -> Option<(&Found<D>, &Found<D>)> {
        let entry = &self.entries[group];
        (!entry.is_unstable).then_some((&entry.first.1, &entry.shortest))
    }

    /// Sets a shorter path for a group. Returns the index of its first finding.
    pub(crate) fn shorten(&mut self, group: usize, shorter: Found<D>) -> usize {
        let entry = &mut self.entries[group];
        entry.shortest = shorter;
        entry.first.0
    }

    /// Summarizes the groups for the record.
    pub(crate) fn finish<M: Method<Discovery = D>>(&self, method: &M, covered: &[bool]) -> Vec<Group> {
        let group = |entry: &Entry<D>| {
            let mut group = Group::of(&entry.shortest.finding);
            group.findings = entry.n_findings;
            group.steps = entry.shortest.n_steps;
            group.hints.clone_from(&entry.hints);
            if entry.is_unstable {
                group.hints.push(
                    "implementation: not every finding came again when its case was run again".to_owned(),
                );
            }
            let (example, is_unstable) = (&entry.shortest.finding, entry.is_unstable);
            let seen = Seen { example, failed: &entry.places, covered, is_unstable };
            method.comment(&mut group, &seen);
            group
        };
        self.entries.iter().map(group).collect()
    }
}
