//! A record for a terminal.

use std::fmt::Write as _;

use kilter_wire::run::{Difference, Finding};

use crate::record::Record;
use crate::summary::{Group, Summary, words};

/// How many findings of a group are shown in full.
const SHOWN_MAX: usize = 1;

/// Everything that fits on a screen or two: counts, one finding of each group, edges by action.
pub fn text(record: &Record, summary: &Summary<'_>) -> String {
    let mut out = String::new();
    for group in &summary.groups {
        write_group(&mut out, group);
    }
    write_coverage(&mut out, summary);
    if record.is_cut {
        out.push_str(
            "the record ends in the middle of a line: the run was killed; what it had written is counted\n",
        );
    } else if !summary.is_finished {
        out.push_str("the record has no end: the run was stopped, or is still going\n");
    }
    out.push_str(&headline(summary));
    out.push('\n');
    printable(&out)
}

/// A system's own words can't command the terminal.
fn printable(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n' && c != '\t', "\u{FFFD}")
}

/// One line: cases, findings, edges, time.
pub fn headline(summary: &Summary<'_>) -> String {
    let n_findings: usize = summary.kinds.iter().map(|(_, n)| n).sum();
    let of_planned = if summary.n_cases < summary.n_planned {
        format!(" of {}", summary.n_planned)
    } else {
        String::new()
    };
    let mut line = match &of_planned {
        planned if planned.is_empty() => {
            format!("{}, {} passed, ", count_cases(summary.n_cases), summary.n_passed)
        }
        planned => format!("{}{planned} cases, {} passed, ", summary.n_cases, summary.n_passed),
    };
    match (n_findings, summary.groups.len()) {
        (0, _) => line.push_str("no findings"),
        (1, _) => line.push_str("1 finding"),
        (n, 1) => _ = write!(line, "{n} findings in 1 group"),
        (n, groups) => _ = write!(line, "{n} findings in {groups} groups"),
    }
    _ = write!(line, "; {} of {} edges confirmed", summary.n_confirmed, summary.n_edges);
    _ = write!(line, "; {:.1} s, {} cases a second", summary.seconds, rate(summary.cases_per_second));
    if summary.waited_share > 0.0 {
        _ = write!(line, ", {} of the time waiting for timeouts", percent(summary.waited_share));
    }
    line
}

/// A number of cases.
pub(crate) fn count_cases(n: u64) -> String {
    if n == 1 { "1 case".to_owned() } else { format!("{n} cases") }
}

/// A rate with as many digits as mean something.
pub(crate) fn rate(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// A share as a percentage. Never rounded up to all or down to nothing.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent < 1.0 => "under 1 %".to_owned(),
        percent => format!("{:.0} %", percent.floor()),
    }
}

fn write_group(out: &mut String, group: &Group<'_>) {
    let n = group.findings.len();
    let count = if n == 1 { String::new() } else { format!(" ({})", count_cases(n as u64)) };
    _ = writeln!(out, "{}: {}{count}", words(group.kind), group.subject());
    for finding in group.findings.iter().take(SHOWN_MAX) {
        write_finding(out, finding);
    }
    if n > SHOWN_MAX {
        let others = group.findings.iter().skip(SHOWN_MAX).take(10).map(|finding| finding.case.as_str());
        let others: Vec<&str> = others.collect();
        let more = if n > SHOWN_MAX + others.len() { ", …" } else { "" };
        _ = writeln!(out, "  also in {}{more}", others.join(", "));
    }
    out.push('\n');
}

/// One finding in full.
pub fn finding(finding: &Finding) -> String {
    let mut out = String::new();
    write_finding(&mut out, finding);
    for (index, step) in finding.path.iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        _ = writeln!(out, "  {}. {}({})", index + 1, step.action, args.join(", "));
    }
    out
}

fn write_finding(out: &mut String, finding: &Finding) {
    _ = writeln!(
        out,
        "  case {}, step {} of {}: {}",
        finding.case,
        finding.step,
        finding.path.len(),
        indented(&finding.summary, 4)
    );
    for difference in &finding.differences {
        write_difference(out, difference);
    }
    if !finding.offers.is_empty() {
        let offers: Vec<String> =
            finding.offers.iter().map(|offer| format!("{} at {}", offer.action, offer.node)).collect();
        _ = writeln!(out, "    offered: {}", offers.join("; "));
    }
    if finding.stable == Some(false) {
        out.push_str("    a second run of the case did not show it again\n");
    }
    if let Some(shortest) = &finding.shortest {
        _ = writeln!(out, "    the shortest path to the same edge is case {shortest}");
    }
    for hint in &finding.hints {
        _ = writeln!(out, "    hint: {hint}");
    }
    _ = writeln!(out, "    repeat with: {}", finding.repeat);
}

fn write_difference(out: &mut String, difference: &Difference) {
    let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { indented(text, 21) };
    let Difference { variable, place, expected, observed } = difference;
    _ = writeln!(out, "    {variable}{place}");
    _ = writeln!(out, "      specification: {}", or_nothing(expected));
    _ = writeln!(out, "      system:        {}", or_nothing(observed));
}

/// Text with its further lines moved to the right.
fn indented(text: &str, columns: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(columns)))
}

fn write_coverage(out: &mut String, summary: &Summary<'_>) {
    if summary.coverage.is_empty() {
        return;
    }
    let width = summary.coverage.iter().map(|row| row.action.chars().count()).max().unwrap_or(0);
    out.push_str("edges confirmed by action\n");
    for row in &summary.coverage {
        let pad = " ".repeat(width - row.action.chars().count());
        match row.n_confirmed {
            Some(n) => _ = writeln!(out, "  {}{pad}  {n} of {}", row.action, row.n_edges),
            None => _ = writeln!(out, "  {}{pad}  ? of {}", row.action, row.n_edges),
        }
    }
    out.push('\n');
}
