//! Findings that probably have one cause, and what speaks for which.

use std::collections::BTreeSet;

use kilter_base::Id;
use kilter_graph::EdgeId;
use kilter_wire::Group;

use crate::discovery::Discovery;
use crate::drive::Case;
use crate::follow::shorter_cases;
use crate::plan::Plan;
use crate::record::FollowUp;

/// The groups of a run, in the order of their first findings.
#[derive(Debug)]
pub struct Groups {
    entries: Vec<Entry>,
    confirmed: Vec<bool>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    action: String,
    n_findings: u64,
    edges: BTreeSet<Option<EdgeId>>,
    n_followed: usize,
    unstable: bool,
    /// The shortest case so far, with its length.
    shortest: (u32, String),
    /// The first finding.
    first: Discovery,
    hints: Vec<String>,
}

impl Groups {
    /// No groups, in a graph with so many edges.
    pub fn new(n_edges: usize) -> Groups {
        Groups { entries: Vec::new(), confirmed: vec![false; n_edges] }
    }

    /// These edges were taken, and came to what the specification says.
    pub fn confirm(&mut self, edges: &[EdgeId]) {
        for edge in edges {
            self.confirmed[edge.index()] = true;
        }
    }

    /// Whether a discovery is worth another look: few of its group have had one, and none with the same edge.
    pub fn wants_follow_up(&self, discovery: &Discovery, max: usize) -> bool {
        let name = discovery.group();
        let known = self.entries.iter().find(|entry| entry.name == name);
        known.is_none_or(|entry| entry.n_followed < max && !entry.edges.contains(&discovery.edge))
    }

    /// Adds a finding; how many its group has now.
    pub fn add(&mut self, case: &Case, discovery: &Discovery, follow_up: &FollowUp) -> u64 {
        let name = discovery.group();
        let index = self.entries.iter().position(|entry| entry.name == name).unwrap_or_else(|| {
            self.entries.push(Entry {
                name,
                action: discovery.action.clone(),
                n_findings: 0,
                edges: BTreeSet::new(),
                n_followed: 0,
                unstable: false,
                shortest: (u32::MAX, String::new()),
                first: discovery.clone(),
                hints: Vec::new(),
            });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[index];
        entry.n_findings += 1;
        entry.edges.insert(discovery.edge);
        entry.n_followed += usize::from(follow_up.stable.is_some());
        entry.unstable |= follow_up.stable == Some(false);
        for hint in &discovery.hints {
            if !entry.hints.contains(hint) {
                entry.hints.push(hint.clone());
            }
        }
        let (id, length) = match &follow_up.shortest {
            Some((shorter, _)) => (&shorter.id, shorter.edges.len() as u32),
            None => (&case.id, discovery.step),
        };
        if length < entry.shortest.0 {
            entry.shortest = (length, id.clone());
        }
        entry.n_findings
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name of a group.
    pub fn name(&self, group: usize) -> &str {
        &self.entries[group].name
    }

    /// Cases that may show what a group is about with fewer steps, and the discovery that they should show.
    pub fn shorter_cases(&self, group: usize, plan: &Plan<'_>) -> (Vec<Case>, &Discovery) {
        let entry = &self.entries[group];
        if entry.unstable {
            return (Vec::new(), &entry.first);
        }
        (shorter_cases(plan, &entry.first, entry.shortest.0, &self.confirmed), &entry.first)
    }

    /// A group has a shorter case.
    pub fn shorten(&mut self, group: usize, case: &Case) {
        self.entries[group].shortest = (case.edges.len() as u32, case.id.clone());
    }

    /// What the groups have in common.
    pub fn finish(&self, plan: &Plan<'_>, repeat: &dyn Fn(&str) -> String) -> Vec<Group> {
        self.entries.iter().map(|entry| self.group(entry, plan, repeat)).collect()
    }

    fn group(&self, entry: &Entry, plan: &Plan<'_>, repeat: &dyn Fn(&str) -> String) -> Group {
        let of_action = plan.graph.edges().filter(|edge| plan.rule(*edge).action == entry.action);
        let edges_passed = of_action.filter(|edge| self.confirmed[edge.index()]).count() as u64;
        let edges_failed = entry.edges.len() as u64;
        let mut hints = entry.hints.clone();
        hints.extend(hint_of_numbers(entry, edges_failed, edges_passed));
        let (steps, shortest) = entry.shortest.clone();
        Group {
            group: entry.name.clone(),
            findings: entry.n_findings,
            edges_failed,
            edges_passed,
            repeat: repeat(&shortest),
            shortest,
            steps,
            hints,
        }
    }
}

fn hint_of_numbers(entry: &Entry, failed: u64, passed: u64) -> Option<String> {
    let action = &entry.action;
    if entry.edges.contains(&None) {
        return None;
    }
    if entry.unstable {
        return Some("implementation: not every finding came again when its case was run again".to_owned());
    }
    match (failed, passed) {
        (_, 0) if failed > 1 => Some(format!(
            "specification or mapping: all {failed} edges of `{action}` that were tried fail, none passes"
        )),
        (_, 0) => None,
        _ => Some(format!(
            "implementation: {passed} other edges of `{action}` pass, so the mapping of it is not all wrong"
        )),
    }
}
