//! Makes one record of several.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::record::Record;

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
}

/// Makes one record of several with their names. If two have a case of the same name, that of the later one gets the name of its
/// record, too. `None` if there are no records.
pub fn merge(records: Vec<(String, Record)>) -> Result<Option<Record>, Unlike> {
    let mut records = records.into_iter();
    let Some((first, mut whole)) = records.next() else { return Ok(None) };
    for (name, mut record) in records {
        if record.header.verb != whole.header.verb {
            let verbs = (whole.header.verb.name(), record.header.verb.name());
            return Err(Unlike::Verb { first, other: name, verbs });
        }
        if record.header.run != whole.header.run {
            return Err(Unlike::Run { first, other: name });
        }
        tell_apart(&whole, &mut record, &name);
        add(&mut whole, record);
    }
    Ok(Some(whole))
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
    whole.actions = whole.actions.take().or(record.actions);
    whole.cases.extend(record.cases);
    whole.findings.extend(record.findings);
    whole.groups.extend(record.groups);
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
    // What leads only through edges that failed in one run does so in all, unless another run came there.
    whole.behind.extend(record.behind);
    let confirmed: BTreeSet<u32> = whole.cases.iter().flat_map(|case| case.edges.iter().copied()).collect();
    whole.behind.retain(|edge| !confirmed.contains(edge));
    whole.behind.sort_unstable();
    whole.behind.dedup();
    whole.is_finished &= record.is_finished;
    whole.stopped = whole.stopped.take().or(record.stopped);
    whole.is_error |= record.is_error;
    whole.is_cut |= record.is_cut;
}
