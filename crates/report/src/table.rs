//! The lines of a Java system's table that say what a finding is about.

use kilter_run::{Finding, Place};

use crate::record::Record;

/// The action and the variables of a finding, each with the lines of the table that say what it is in the system.
pub(crate) fn cited<'r>(record: &'r Record, finding: &'r Finding) -> Vec<(&'r str, &'r [Place])> {
    let names = std::iter::once(&finding.action).chain(&finding.variables);
    names.filter_map(|name| Some((name.as_str(), record.header.table.get(name)?.as_slice()))).collect()
}
