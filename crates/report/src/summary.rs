//! Counts what a record has.

use std::collections::{BTreeMap, BTreeSet};

use kilter_run::{Counters, Finding, FindingKind, Verb};

use crate::record::{EdgeActions, Record};
use crate::style::count;

/// A record in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary<'r> {
    /// The number of cases to run.
    pub n_planned: u64,
    /// The number of cases that were run to their end.
    pub n_cases: u64,
    /// The number of cases that passed.
    pub n_passed: u64,
    /// The number of cases that the system could not be driven along.
    pub n_not_run: u64,
    /// The number of steps that were taken.
    pub n_steps: u64,
    /// The number of findings of each kind. Kinds without findings are left out.
    pub kinds: Vec<(FindingKind, usize)>,
    /// The groups of findings that probably have one cause. The largest groups of a kind come first.
    pub groups: Vec<Group<'r>>,
    /// The confirmed edges of the graph, by action.
    pub coverage: Vec<Coverage>,
    /// The number of edges that were confirmed.
    pub n_confirmed: u64,
    /// The number of edges that failed, and that no other case confirmed.
    pub n_failed_edges: u64,
    /// The number of edges that can be reached only through edges that failed.
    pub n_behind: u64,
    /// The number of edges that are none of these, because no case has come to them. Logs try nothing.
    pub n_untried: u64,
    /// The number of edges.
    pub n_edges: u64,
    /// How long the run took. For a run that was not finished, the sum of its cases' times.
    pub seconds: f64,
    /// Whether the run came to its end.
    pub is_finished: bool,
    /// The number of cases that ended in a second. 0 if no time has passed.
    pub cases_per_second: f64,
    /// How much of the cases' time was spent waiting for timeouts, in seconds.
    pub waited_seconds: f64,
    /// The share of that in the cases' time, from 0 to 1.
    pub waited_share: f64,
    /// The counters of the method.
    pub counters: Counters,
}

/// Findings that probably have one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'r> {
    /// The name of the group.
    pub name: &'r str,
    /// The kind of its findings.
    pub kind: FindingKind,
    /// The summary that the run has recorded, if it came to its end.
    pub facts: Option<&'r kilter_run::Group>,
    /// The findings. Those with the shortest paths come first. Those that did not come again come last.
    pub findings: Vec<&'r Finding>,
}

impl Summary<'_> {
    /// How much was tried: the number of sequences of a search, or else of cases.
    pub fn n_tried(&self, verb: Verb) -> u64 {
        match verb {
            Verb::Explore => self.counters.sums.get("sequences").copied().unwrap_or(0),
            Verb::Test | Verb::Converge | Verb::Follow => self.n_cases,
        }
    }
}

impl Summary<'_> {
    /// What is with the edges that were not confirmed, as the end of a sentence. Empty if there are none.
    pub(crate) fn not_confirmed(&self) -> String {
        let some = |n: u64, what: &str| if n > 0 { format!(", {} {what}", count(n)) } else { String::new() };
        some(self.n_failed_edges, "failed")
            + &some(self.n_behind, "not reachable for now")
            + &some(self.n_untried, "not tried")
    }
}

impl Group<'_> {
    /// The summary that the run has recorded, or else one made from the first finding.
    pub fn facts(&self) -> Option<kilter_run::Group> {
        let first = self.findings.first()?;
        let mut facts = self.facts.cloned().unwrap_or_else(|| kilter_run::Group::of(first));
        // A continued run knows only the findings since it was continued.
        facts.findings = self.findings.len() as u64;
        Some(facts)
    }

    /// The variables and the action of its first finding.
    pub fn subject(&self) -> String {
        let Some(first) = self.findings.first() else { return String::new() };
        let variables = first.variables.join(", ");
        match (variables.as_str(), first.action.as_str()) {
            ("", action) => action.to_owned(),
            (variables, "") => variables.to_owned(),
            (variables, action) => format!("{variables} after {action}"),
        }
    }
}

/// The edges of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The name of the action.
    pub action: String,
    /// The number of its edges that were confirmed. `None` if the record does not have the actions of edges.
    pub n_confirmed: Option<u64>,
    /// The number of its edges that failed, and that no other case confirmed. `None` as above.
    pub n_failed: Option<u64>,
    /// The number of its edges.
    pub n_edges: u64,
}

impl Coverage {
    /// The number of its edges that were neither confirmed nor failed.
    pub fn n_not_reached(&self) -> Option<u64> {
        Some(self.n_edges.saturating_sub(self.n_confirmed?).saturating_sub(self.n_failed?))
    }
}

/// Counts a record.
pub fn summarize(record: &Record) -> Summary<'_> {
    let groups = groups(record);
    let mut counters = record.under_way.clone();
    record.cases.iter().for_each(|case| counters.join(&case.counters));
    if record.header.verb == Verb::Explore {
        // A search that was killed has told its findings, but not how many sequences it had tried since its last checkpoint.
        for name in ["sequences", "failing_sequences"] {
            let n = counters.sums.entry(name.to_owned()).or_default();
            *n = (*n).max(record.findings.len() as u64);
        }
    }
    let mut kinds: BTreeMap<FindingKind, usize> = BTreeMap::new();
    for finding in &record.findings {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let confirmed: BTreeSet<u32> = record.cases.iter().flat_map(|case| case.edges.iter().copied()).collect();
    let failed: BTreeSet<u32> = record.findings.iter().filter_map(|finding| finding.edge).collect();
    let only_failed = failed.difference(&confirmed).count() as u64;
    // One part of a run may have come to what is behind a finding of another.
    let behind: BTreeSet<u32> = record.behind.iter().copied().collect();
    let behind = behind.iter().filter(|edge| !confirmed.contains(edge) && !failed.contains(edge));
    let n_behind = behind.count() as u64;
    let n_edges = record.header.edges.values().fold(0, |sum: u64, n| sum.saturating_add(*n));
    let n_known = confirmed.len() as u64 + only_failed + n_behind;
    let n_ended = record.cases.len() as u64;
    let n_not_run = record.cases.iter().filter(|case| case.not_run.is_some()).count() as u64;
    let n_cases = n_ended - n_not_run;
    // The sum of no numbers is -0.0, which nobody wants to read.
    let total_ms = 0.0 + record.cases.iter().map(|case| finite(case.ms)).sum::<f64>();
    let waited_ms = 0.0 + record.cases.iter().map(|case| finite(case.waited_ms)).sum::<f64>();
    let seconds = finite(record.seconds.unwrap_or(total_ms / 1000.0));
    Summary {
        n_planned: record.header.cases.saturating_add(record.further.len() as u64).max(n_ended),
        n_cases,
        n_passed: record.cases.iter().filter(|case| case.passed).count() as u64,
        n_not_run,
        n_steps: record.cases.iter().fold(0, |sum: u64, case| sum.saturating_add(case.steps)),
        kinds: kinds.into_iter().collect(),
        groups,
        coverage: coverage(record, &confirmed, &failed),
        n_confirmed: confirmed.len() as u64,
        n_failed_edges: only_failed,
        n_behind,
        n_untried: if record.header.verb == Verb::Test { n_edges.saturating_sub(n_known) } else { 0 },
        n_edges,
        seconds,
        is_finished: record.is_finished && !record.is_cut,
        cases_per_second: if seconds > 0.0 { finite(number(n_cases) / seconds) } else { 0.0 },
        waited_seconds: finite(waited_ms / 1000.0),
        waited_share: if total_ms > 0.0 { (waited_ms / total_ms).min(1.0) } else { 0.0 },
        counters,
    }
}

/// The share of a part in a whole, from 0 to 1.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (number(part) / number(whole)).min(1.0) }
}

#[expect(clippy::cast_precision_loss, reason = "rates and shares are shown with a few digits")]
fn number(count: u64) -> f64 {
    count as f64
}

/// Times come from a file. A time that is not a valid number counts as 0.
fn finite(number: f64) -> f64 {
    if number.is_finite() { number.max(0.0) } else { 0.0 }
}

fn groups(record: &Record) -> Vec<Group<'_>> {
    let mut by_name: BTreeMap<(FindingKind, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in &record.findings {
        by_name.entry((finding.kind, &finding.group)).or_default().push(finding);
    }
    let mut groups: Vec<Group<'_>> = by_name
        .into_iter()
        .map(|((kind, name), mut findings)| {
            // In a group with very many findings, not all have a path.
            let tells_nothing = |finding: &Finding| finding.path.is_empty() && finding.step > 0;
            findings.sort_by_key(|finding| {
                (finding.stable == Some(false) || tells_nothing(finding), finding.length())
            });
            let facts = record.groups.iter().find(|group| group.group == name);
            Group { name, kind, facts, findings }
        })
        .collect();
    groups.sort_by_key(|group| (group.kind, std::cmp::Reverse(group.findings.len())));
    groups
}

fn coverage(record: &Record, confirmed: &BTreeSet<u32>, failed: &BTreeSet<u32>) -> Vec<Coverage> {
    let only_failed: BTreeSet<u32> = failed.difference(confirmed).copied().collect();
    let count = |edges| record.actions.as_ref().map(|actions| count_by_action(actions, edges));
    let (confirmed, failed) = (count(confirmed), count(&only_failed));
    let of = |counts: &Option<BTreeMap<&str, u64>>, action: &str| {
        counts.as_ref().map(|counts| counts.get(action).copied().unwrap_or(0))
    };
    let row = |(action, n_edges): (&String, &u64)| Coverage {
        action: action.clone(),
        n_confirmed: of(&confirmed, action),
        n_failed: of(&failed, action),
        n_edges: *n_edges,
    };
    record.header.edges.iter().map(row).collect()
}

/// The number of these edges that each action has.
pub(crate) fn count_by_action<'r>(
    actions: &'r EdgeActions,
    confirmed: &BTreeSet<u32>,
) -> BTreeMap<&'r str, u64> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for edge in confirmed {
        let name = actions.of_edges.get(*edge as usize).and_then(|place| actions.names.get(*place as usize));
        if let Some(name) = name {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}
