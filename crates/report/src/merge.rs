//! Makes one record of several: the parts of one run, or runs that have the same specification.

use std::collections::{BTreeMap, BTreeSet};

use kilter_run::{Finding, Group, Shard, hint_of_numbers};
use thiserror::Error;

use crate::record::Record;
use crate::summary::count_by_action;

/// The most missing parts that are named. A record can say that it is one of any number of parts.
const NAMED_MAX: usize = 100;

/// Why records can't be merged.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Unlike {
    /// They are of different commands.
    #[error("{first} is a record of `kilter {}` and {other} one of `kilter {}`; they cannot be merged", verbs.0, verbs.1)]
    Verb {
        /// The name of the first record.
        first: String,
        /// The name of the other one.
        other: String,
        /// The commands.
        verbs: (&'static str, &'static str),
    },
    /// They are about different specifications, graphs or searches.
    #[error(
        "{first} and {other} are about different specifications or graphs, so their numbers mean different things; make them again with the same"
    )]
    Run {
        /// The name of the first record.
        first: String,
        /// The name of the other one.
        other: String,
    },
    /// Both are the same part of a run.
    #[error("{first} and {other} are both part {shard}; leave one of them out")]
    Twice {
        /// The name of the first record.
        first: String,
        /// The name of the other one.
        other: String,
        /// The part.
        shard: Shard,
    },
    /// Both are the same record.
    #[error("{first} and {other} are the same record; leave one of them out")]
    Same {
        /// The name of the first record.
        first: String,
        /// The name of the other one.
        other: String,
    },
    /// A run was not divided into the same number of parts each time.
    #[error("{first} is part {shard} and {other} is {what}; all must be parts of one division")]
    Division {
        /// The name of the first record.
        first: String,
        /// Which part it is.
        shard: Shard,
        /// The name of the other one.
        other: String,
        /// What that is.
        what: String,
    },
    /// Two parts have the same case.
    #[error(
        "{first} and {other} both have the case {case}, so they are no parts of one run; make them with the same suite, seed and --durations"
    )]
    Case {
        /// The name of the first record.
        first: String,
        /// The name of the other one.
        other: String,
        /// The id of the case.
        case: String,
    },
}

/// Makes one record of several with their names. Parts of a run must belong together; those that are not there are named in
/// [`Record::missing`]. If two other records have a case of the same name, that of the later one gets the name of its record, too. `None` if
/// there are no records.
pub fn merge(mut records: Vec<(String, Record)>) -> Result<Option<Record>, Unlike> {
    check_all(&records)?;
    let missing = missing(&records);
    let are_several = records.len() > 1;
    if are_several {
        for (name, record) in &mut records {
            prepare(record, name);
        }
    }
    let mut records = records.into_iter();
    let Some((_, mut whole)) = records.next() else { return Ok(None) };
    for (name, mut record) in records {
        tell_apart(&whole, &mut record, &name);
        add(&mut whole, record);
    }
    if are_several {
        count_edges(&mut whole);
    }
    whole.missing = missing;
    whole.header.shard = None;
    Ok(Some(whole))
}

/// Checks that the records can be merged.
fn check_all(records: &[(String, Record)]) -> Result<(), Unlike> {
    let Some(((first, one), others)) = records.split_first() else { return Ok(()) };
    for (name, record) in others {
        let (first, other) = (first.clone(), name.clone());
        if record.header.verb != one.header.verb {
            let verbs = (one.header.verb.name(), record.header.verb.name());
            return Err(Unlike::Verb { first, other, verbs });
        }
        if record.header.run != one.header.run {
            return Err(Unlike::Run { first, other });
        }
    }
    for (index, (name, record)) in records.iter().enumerate() {
        for (first, one) in &records[..index] {
            check_two((first, one), (name, record))?;
        }
    }
    check_cases(records)
}

/// Checks that two records are not the same, and that both are parts of one division, or neither is.
fn check_two((first, one): (&String, &Record), (name, record): (&String, &Record)) -> Result<(), Unlike> {
    let other = name.clone();
    match (one.header.shard, record.header.shard) {
        (Some(shard), Some(same)) if shard == same => {
            Err(Unlike::Twice { first: first.clone(), other, shard })
        }
        (Some(shard), Some(theirs)) if shard.parts != theirs.parts => {
            Err(Unlike::Division { first: first.clone(), shard, other, what: format!("part {theirs}") })
        }
        (Some(shard), None) => {
            Err(Unlike::Division { first: first.clone(), shard, other, what: "no part".to_owned() })
        }
        (None, Some(shard)) => {
            let (part, other) = (other, first.clone());
            Err(Unlike::Division { first: part, shard, other, what: "no part".to_owned() })
        }
        (None, None) if one.header.started_s == record.header.started_s && one == record => {
            Err(Unlike::Same { first: first.clone(), other })
        }
        _ => Ok(()),
    }
}

/// Checks that parts have no case in common. What findings have kept from being tried is planned by each part for itself, so that may be.
fn check_cases(records: &[(String, Record)]) -> Result<(), Unlike> {
    let mut known: BTreeMap<&str, &String> = BTreeMap::new();
    for (name, record) in records.iter().filter(|(_, record)| record.header.shard.is_some()) {
        let further: BTreeSet<&str> = record.further.iter().map(|case| case.id.as_str()).collect();
        for case in record.cases.iter().filter(|case| !further.contains(case.id.as_str())) {
            if let Some(first) = known.insert(&case.id, name) {
                let (first, other) = (first.clone(), name.clone());
                return Err(Unlike::Case { first, other, case: case.id.clone() });
            }
        }
    }
    Ok(())
}

/// What is missing of a run that was divided: parts without a record, and records without an end.
fn missing(records: &[(String, Record)]) -> Vec<String> {
    let parts: BTreeSet<Shard> = records.iter().filter_map(|(_, record)| record.header.shard).collect();
    let Some(n_parts) = parts.first().map(|shard| shard.parts) else { return Vec::new() };
    let all = (1..=n_parts).map(|part| Shard { part, parts: n_parts });
    let absent = all.filter(|shard| !parts.contains(shard)).take(NAMED_MAX);
    let absent = absent.map(|shard| format!("there is no record of part {shard}"));
    let has_end = |record: &Record| (record.is_finished || record.stopped.is_some()) && !record.is_cut;
    let cut = records.iter().filter(|(_, record)| !has_end(record));
    let cut = cut
        .map(|(name, _)| format!("the record {name} has no end, so its run was killed, or is still going"));
    absent.chain(cut).collect()
}

/// Makes a record one of several: what it says of its own run is told with its name, or not at all.
fn prepare(record: &mut Record, name: &str) {
    if let Some(why) = &mut record.stopped {
        *why = format!("{name}: {why}");
    }
    forget_numbers(record);
}

/// Gives cases other names that are in the other record already.
fn tell_apart(whole: &Record, record: &mut Record, name: &str) {
    let known: BTreeSet<&str> = whole.cases.iter().map(|case| case.id.as_str()).collect();
    let rename = |id: &mut String| {
        if known.contains(id.as_str()) {
            *id = format!("{id} ({name})");
        }
    };
    record.cases.iter_mut().for_each(|case| rename(&mut case.id));
    record.findings.iter_mut().for_each(|finding| rename(&mut finding.case));
    record.shown.iter_mut().for_each(|shown| rename(&mut shown.case));
    record.notes.iter_mut().filter_map(|(case, _)| case.as_mut()).for_each(rename);
}

fn add(whole: &mut Record, record: Record) {
    whole.header.cases = whole.header.cases.saturating_add(record.header.cases);
    whole.header.only = whole.header.only.take().or(record.header.only);
    whole.header.started_s = whole.header.started_s.min(record.header.started_s);
    for node in record.header.nodes {
        if !whole.header.nodes.contains(&node) {
            whole.header.nodes.push(node);
        }
    }
    whole.sources.extend(record.sources);
    whole.actions = whole.actions.take().or(record.actions);
    whole.cases.extend(record.cases);
    whole.findings.extend(record.findings);
    record.groups.into_iter().for_each(|group| add_group(&mut whole.groups, group));
    whole.shown.extend(record.shown);
    if let Some(planned) = record.planned {
        whole.planned.get_or_insert_default().extend(planned);
    }
    whole.further.extend(record.further);
    whole.under_way.join(&record.under_way);
    whole.notes.extend(record.notes);
    whole.seconds = match (whole.seconds, record.seconds) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
    let is_new = |warning: &String| !whole.warnings.contains(warning);
    let new: Vec<String> = record.warnings.into_iter().filter(is_new).collect();
    whole.warnings.extend(new);
    whole.behind.extend(record.behind);
    whole.is_finished &= record.is_finished;
    whole.stopped = match (whole.stopped.take(), record.stopped) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    };
    whole.is_error |= record.is_error;
    whole.is_cut |= record.is_cut;
}

/// Adds a group to those of other records.
fn add_group(groups: &mut Vec<Group>, mut group: Group) {
    let Some(known) = groups.iter_mut().find(|known| known.group == group.group) else {
        groups.push(group);
        return;
    };
    // That of the shortest path speaks for all.
    if group.steps < known.steps {
        std::mem::swap(known, &mut group);
    }
    known.findings = known.findings.saturating_add(group.findings);
    let new = |hint: &String| !known.hints.contains(hint);
    let hints: Vec<String> = group.hints.into_iter().filter(new).collect();
    known.hints.extend(hints);
}

/// Removes the hints that speak of numbers of edges, because each record knows only its own.
fn forget_numbers(record: &mut Record) {
    let Record { groups, findings, .. } = record;
    for group in groups {
        let of_group = findings.iter().find(|finding| finding.group == group.group);
        let numbers = group.edges_failed.zip(group.edges_passed);
        if let Some((finding, (failed, passed))) = of_group.zip(numbers)
            && let Some(told) = hint_of_numbers(&finding.action, failed, passed)
        {
            group.hints.retain(|hint| *hint != told);
        }
    }
}

/// Counts edges, of which no record alone knows whether others have confirmed them.
fn count_edges(whole: &mut Record) {
    let confirmed: BTreeSet<u32> = whole.cases.iter().flat_map(|case| case.edges.iter().copied()).collect();
    let failed: BTreeSet<u32> = whole.findings.iter().filter_map(|finding| finding.edge).collect();
    // What leads only through edges that failed in one run does so in all, unless another run came there.
    whole.behind.retain(|edge| !confirmed.contains(edge) && !failed.contains(edge));
    whole.behind.sort_unstable();
    whole.behind.dedup();
    let Record { groups, findings, actions: Some(actions), .. } = whole else { return };
    let n_confirmed = count_by_action(actions, &confirmed);
    for group in groups.iter_mut().filter(|group| group.edges_failed.is_some()) {
        let of_group: Vec<&Finding> =
            findings.iter().filter(|finding| finding.group == group.group).collect();
        let Some(first) = of_group.first() else { continue };
        let failed: BTreeSet<Option<u32>> = of_group.iter().map(|finding| finding.edge).collect();
        let n_passed = n_confirmed.get(first.action.as_str()).copied().unwrap_or(0);
        let n_failed = failed.len() as u64;
        (group.edges_failed, group.edges_passed) = (Some(n_failed), Some(n_passed));
        let is_unstable = of_group.iter().any(|finding| finding.stable == Some(false));
        if !is_unstable && !failed.contains(&None) {
            group.hints.extend(hint_of_numbers(&first.action, n_failed, n_passed));
        }
    }
}
