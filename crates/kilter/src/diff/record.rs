//! Reads what an earlier run has confirmed, and whether that was a run of the old version.

use std::io::BufReader;
use std::path::Path;

use kilter_graph::fingerprint;
use kilter_report::Record;
use kilter_run::Verb;

use super::side::Side;

/// What is known of the old version from a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nobody asked for a record.
    Unasked,
    /// There is no record.
    Nothing,
    /// There is a record that does not count.
    Doubtful(Doubt),
    /// The edges of each case that passed.
    Passed(Vec<Vec<u32>>),
}

/// Why a record says nothing of the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It is damaged.
    Unreadable,
    /// It is of a run over another graph.
    Graph,
    /// It is of a run with another mapping.
    Mapping,
    /// It is of a run of other code, or the code was changed in the middle of the run.
    Code,
    /// It does not say of which code it is.
    Unsaid,
}

impl Doubt {
    /// What the record is, as the end of a sentence.
    fn words(self) -> &'static str {
        match self {
            Doubt::Unreadable => "cannot be read",
            Doubt::Graph => "is of another specification than the old version's",
            Doubt::Mapping => "is of another mapping than the old version's",
            Doubt::Code => "is of other code than the old version's",
            Doubt::Unsaid => "does not say of which code it is",
        }
    }
}

impl Known {
    /// The edges of each case that passed. `None` if the old version counts as one that has passed.
    pub fn passed(&self) -> Option<&[Vec<u32>]> {
        match self {
            Known::Unasked | Known::Nothing => None,
            Known::Doubtful(_) => Some(&[]),
            Known::Passed(passed) => Some(passed),
        }
    }

    /// What the reader of a comparison has to know. `None` if there is nothing.
    pub fn words(&self) -> Option<String> {
        match self {
            Known::Unasked | Known::Passed(_) => None,
            Known::Nothing => Some(
                "there is no record of a full run, so the old version counts as one that has passed"
                    .to_owned(),
            ),
            Known::Doubtful(doubt) => Some(format!(
                "the record of the last full run {}: what it has confirmed does not count, and everything is tested",
                doubt.words()
            )),
        }
    }
}

/// Reads a record. The edges of cases that passed count only if there is no doubt that they belong to this version. `None` if there is no record
/// of `kilter test`.
pub fn read(path: &Path, old: &Side) -> Option<(Vec<Vec<u32>>, Option<Doubt>)> {
    let file = crate::read::open(path).ok()?;
    let Ok(record) = kilter_report::read(BufReader::new(file)) else {
        return Some((Vec::new(), Some(Doubt::Unreadable)));
    };
    if record.header.verb != Verb::Test {
        return None;
    }
    let doubt = doubt(&record, old);
    Some((record.cases.into_iter().filter(|case| case.passed).map(|case| case.edges).collect(), doubt))
}

fn doubt(record: &Record, old: &Side) -> Option<Doubt> {
    if record.header.run != format!("{:016x}", fingerprint(&old.graph)) {
        return Some(Doubt::Graph);
    }
    // Each of several is of the code of some cases only.
    let is_unsaid = record.sources.is_empty() || record.sources.contains("");
    if record.sources.len() > 1
        || !is_unsaid && old.code.as_ref().is_some_and(|code| !record.sources.contains(code))
    {
        return Some(Doubt::Code);
    }
    let mapping = kilter_run::source::fingerprint(std::iter::once(old.mapping_text.as_str()));
    if old.mapping.is_some() && record.header.system != mapping {
        return Some(Doubt::Mapping);
    }
    (is_unsaid || old.code.is_none()).then_some(Doubt::Unsaid)
}
