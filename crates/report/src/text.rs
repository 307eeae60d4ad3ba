//! Writes a record as text for people, at the end of `kilter test`, `explore` and `converge`, and in `kilter report`.

use std::fmt::Write as _;

use kilter_run::logs::LOGS;
use kilter_run::{Difference, Finding, Place, Step, Verb};
use serde_json::Value as Json;

use crate::record::Record;
use crate::shown::shown;
use crate::style::{BAD, DOUBT, FAINT, GOOD, STRONG, count, paint, plural, printable};
use crate::summary::{Group, Summary};
use crate::table::cited;

/// The most groups that are shown in full.
const GROUPS_MAX: usize = 10;
/// The most differences of a finding that are shown.
const DIFFERENCES_MAX: usize = 12;

/// Writes one finding of each group, what was not covered, and the verdict.
pub fn text(record: &Record, summary: &Summary<'_>) -> String {
    let mut out = String::new();
    for (index, group) in summary.groups.iter().take(GROUPS_MAX).enumerate() {
        write_group(&mut out, index + 1, record, group);
    }
    if let Some(more) = summary.groups.len().checked_sub(GROUPS_MAX).filter(|more| *more > 0) {
        _ = writeln!(out, "and {} of findings\n", plural(more as u64, "more kind"));
    }
    write_not_run(&mut out, record);
    if let Some(shown) = shown(record) {
        out.push_str(&shown.text(record));
    }
    write_gaps(&mut out, summary);
    for (_, note) in record.notes.iter().filter(|(case, _)| case.is_none()) {
        _ = writeln!(out, "{}", printable(note));
    }
    if let Some(untold) = untold(record, summary) {
        _ = writeln!(out, "{untold}");
    }
    for warning in &record.warnings {
        _ = writeln!(out, "{}: {}", paint(DOUBT, "warning"), printable(warning));
    }
    _ = writeln!(out, "{}", verdict(record, summary));
    _ = writeln!(out, "{}", numbers(record, summary));
    if let Some(why) = why_not_whole(record, summary) {
        _ = writeln!(out, "{}: {why}", paint(DOUBT, "not all cases were run"));
    }
    out
}

/// The verdict, in one line. Whoever reads it must know whether it is about the system as it is.
pub fn verdict(record: &Record, summary: &Summary<'_>) -> String {
    let verdict = verdict_alone(record, summary);
    match record.header.mutations.as_slice() {
        [] => verdict,
        mutations => format!(
            "{verdict}, with {}: {}",
            plural(mutations.len() as u64, "mutation"),
            printable(&mutations.join("; "))
        ),
    }
}

fn verdict_alone(record: &Record, summary: &Summary<'_>) -> String {
    let n_findings = record.findings.len() as u64;
    if n_findings > 0 {
        let groups = plural(summary.groups.len() as u64, "kind");
        return format!("{}: {} of {groups}", paint(BAD, "out of kilter"), plural(n_findings, "finding"));
    }
    if summary.n_planned == 0 {
        return format!("{}: there was nothing to run", paint(DOUBT, "bounded"));
    }
    if record.header.verb == Verb::Explore && is_left_out(summary) {
        let why = "no sequence of these parts has to be tried, for others of the search stand for them";
        return format!("{}: {why}", paint(DOUBT, "bounded"));
    }
    if summary.n_tried(record.header.verb) == 0 {
        return format!("{}: nothing was run", paint(DOUBT, "bounded"));
    }
    if !is_whole(record, summary) {
        let tried = match record.header.verb {
            Verb::Explore => "the sequences that were tried",
            Verb::Test if are_all_run(record, summary) => {
                "the cases that were run; other edges of the graph are in none of them"
            }
            Verb::Test | Verb::Converge => "the cases that were run",
            Verb::Follow => "what could be followed of the logs",
        };
        return format!("{}: nothing was found in {tried}", paint(DOUBT, "bounded"));
    }
    let fine = match record.header.verb {
        Verb::Test => "the system does what the specification says",
        Verb::Explore => "nothing wrong was found",
        Verb::Converge => "the replicas agree again",
        Verb::Follow => "every log is a behavior of the specification",
    };
    format!("{}: {fine}", paint(GOOD, "ok"))
}

/// Whether everything that was planned was tried, and there was something to try.
pub(crate) fn is_whole(record: &Record, summary: &Summary<'_>) -> bool {
    let is_something = summary.n_tried(record.header.verb) > 0;
    is_something && are_all_run(record, summary) && !leaves_edges_out(record, summary)
}

/// Whether every case of the run came to an end, nobody has chosen among them, and no part is missing.
fn are_all_run(record: &Record, summary: &Summary<'_>) -> bool {
    let has_all = record.header.only.is_none() && record.header.shard.is_none() && record.missing.is_empty();
    summary.is_finished && summary.n_not_run == 0 && has_all
}

/// Whether there are steps of the specification that no case has tried.
fn leaves_edges_out(record: &Record, summary: &Summary<'_>) -> bool {
    record.header.verb == Verb::Test && summary.n_confirmed < summary.n_edges
}

/// Whether all parts of a search were looked at, and none of their sequences had to be tried.
fn is_left_out(summary: &Summary<'_>) -> bool {
    let is_done = summary.is_finished && summary.n_cases == summary.n_planned;
    is_done && summary.n_not_run == 0 && summary.n_tried(Verb::Explore) == 0
}

/// The numbers of cases, the time, and other counters, in one line.
fn numbers(record: &Record, summary: &Summary<'_>) -> String {
    let mut line = match record.header.verb {
        Verb::Explore => of_search(summary),
        Verb::Test | Verb::Converge => of_cases(summary),
        Verb::Follow => of_logs(summary),
    };
    if summary.n_edges > 0 {
        _ = write!(line, "; {} of {} confirmed", count(summary.n_confirmed), plural(summary.n_edges, "edge"));
        line += &summary.not_confirmed();
    }
    for (name, n) in summary.counters.n_distinct() {
        _ = write!(line, "; {} distinct {}", count(n), printable(&name.replace('_', " ")));
    }
    if matches!(record.header.verb, Verb::Test | Verb::Converge) {
        _ = write!(line, "; {}/s", rate(summary.cases_per_second));
    }
    _ = write!(line, "; {:.1} s", summary.seconds);
    if summary.waited_seconds > 0.0 {
        _ = write!(line, ", {:.1} s of them waiting for timeouts", summary.waited_seconds);
    }
    line
}

fn of_cases(summary: &Summary<'_>) -> String {
    format!(
        "{} of {} run, {} passed, {}",
        count(summary.n_cases),
        plural(summary.n_planned, "case"),
        count(summary.n_passed),
        plural(summary.n_steps, "step"),
    )
}

fn of_logs(summary: &Summary<'_>) -> String {
    format!(
        "{} of {} accepted, {}",
        count(summary.n_passed),
        plural(summary.n_planned, "log"),
        plural(summary.n_steps, "step"),
    )
}

/// The numbers of a search. It is divided into parts, but people want to know what was tried in them.
fn of_search(summary: &Summary<'_>) -> String {
    let sum = |name: &str| summary.counters.sums.get(name).copied().unwrap_or(0);
    let depth = summary.counters.peaks.get("depth").copied().unwrap_or(0);
    let seconds = if summary.seconds > 0.0 { summary.seconds } else { f64::INFINITY };
    #[expect(clippy::cast_precision_loss, reason = "rates are shown with a few digits")]
    let rate = (sum("events") as f64 / seconds) as u64;
    format!(
        "{}, {} of them failing; {} ({}/s), {}, depth {depth}; {} of {} done",
        plural(sum("sequences"), "sequence"),
        count(sum("failing_sequences")),
        plural(sum("events"), "event"),
        count(rate),
        plural(sum("states"), "state"),
        count(summary.n_cases),
        plural(summary.n_planned, "part"),
    )
}

/// How many sequences of a search fail without being told as findings. `None` if each is told.
pub(crate) fn untold(record: &Record, summary: &Summary<'_>) -> Option<String> {
    let n_failing = summary.counters.sums.get("failing_sequences").copied().unwrap_or(0);
    let n_told = record.findings.len() as u64;
    let told = if n_told == 1 { "is told as a finding" } else { "are told as findings" };
    let (failing, n_told_words) = (count(n_failing), count(n_told));
    let text = format!(
        "{failing} sequences fail; {n_told_words} of them {told}, the first in each part of the search"
    );
    (n_failing > n_told && n_told > 0).then_some(text)
}

/// Why not everything was run. `None` if everything was.
fn why_not_whole(record: &Record, summary: &Summary<'_>) -> Option<String> {
    if !record.missing.is_empty() {
        let reasons: Vec<String> =
            record.missing.iter().chain(&record.stopped).map(|reason| printable(reason)).collect();
        return Some(reasons.join("; "));
    }
    if record.is_cut {
        let text =
            "the record ends in the middle of a line: the run was killed; what it had written is counted";
        return Some(text.to_owned());
    }
    if summary.is_finished {
        let part = record.header.shard.map(|shard| format!("this is part {shard}, without the others"));
        return record.header.only.as_deref().map(printable).or(part);
    }
    let stopped = record.stopped.as_deref().map(printable);
    Some(stopped.unwrap_or_else(|| "the record has no end: the run was killed, or is still going".to_owned()))
}

/// A number of cases.
pub(crate) fn count_cases(n: u64) -> String {
    if n == 1 { "1 case".to_owned() } else { format!("{n} cases") }
}

/// A rate with as many digits as are meaningful.
pub(crate) fn rate(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// A share as a percentage. It is never rounded up to 100 % or down to 0 %.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent < 1.0 => "under 1 %".to_owned(),
        percent => format!("{:.0} %", percent.floor()),
    }
}

fn write_group(out: &mut String, number: usize, record: &Record, group: &Group<'_>) {
    // The finding with the shortest path tells the most.
    let Some(finding) = group.findings.first() else { return };
    let mut size = plural(group.findings.len() as u64, "finding");
    if let Some(n_edges) = group.facts.and_then(|facts| facts.edges_failed) {
        _ = write!(size, ", {}", plural(n_edges, "edge"));
    }
    let (name, size) = (paint(BAD, printable(group.name)), paint(FAINT, format!("({size})")));
    _ = writeln!(out, "{number}. {name}  {size}");
    out.push_str(&self::finding(finding));
    if others_came_again(group) {
        out.push_str("   others of this group came again when their cases were run again\n");
    }
    write_cited(out, &cited(record, finding));
    let hints = group.facts.map_or(&finding.hints, |facts| &facts.hints);
    for hint in hints {
        _ = writeln!(out, "   speaks for {}", printable(hint));
    }
    let repeat = group.facts.map_or(&finding.repeat, |facts| &facts.repeat);
    _ = writeln!(out, "   repeat with:\n     {}\n", printable(repeat));
}

fn write_cited(out: &mut String, cited: &[(&str, &[Place])]) {
    if !cited.is_empty() {
        out.push_str("   in the table of the system:\n");
    }
    for (name, places) in cited {
        let lines: Vec<String> =
            places.iter().map(|place| format!("{}:{}", place.file, place.line)).collect();
        _ = writeln!(out, "     {}: {}", printable(name), printable(&lines.join(", ")));
    }
}

/// Whether the first finding of a group was not looked at again, but another one was, and came again.
pub(crate) fn others_came_again(group: &Group<'_>) -> bool {
    let is_first_open = group.findings.first().is_some_and(|first| first.stable.is_none());
    is_first_open && group.findings.iter().any(|finding| finding.stable == Some(true))
}

/// Writes one finding: what happened, the steps that led there, and what differs.
pub fn finding(finding: &Finding) -> String {
    let mut out = String::new();
    _ = writeln!(out, "   {}", indented(&finding.summary, 3));
    let n_steps = finding.path.len();
    // A drawing tells more than a list of steps.
    if finding.details.is_empty() {
        for (index, step) in finding.path.iter().enumerate() {
            write_step(&mut out, index + 1, step, index + 1 == n_steps);
        }
    }
    for difference in finding.differences.iter().take(DIFFERENCES_MAX) {
        write_difference(&mut out, difference);
    }
    if finding.differences.len() > DIFFERENCES_MAX {
        _ = writeln!(out, "      … and {} more", finding.differences.len() - DIFFERENCES_MAX);
    }
    for detail in &finding.details {
        _ = writeln!(out, "   {}\n     {}", printable(&detail.title), indented(&detail.text, 5));
    }
    out.push_str(match finding.stable {
        Some(true) => "   it came again when the case was run again\n",
        Some(false) => "   it did not come again when the case was run again\n",
        None => "",
    });
    if let Some(logs) = &finding.logs {
        let place = match finding.more.get("worker").and_then(Json::as_str) {
            Some(worker) => format!(" where the worker {} has played", printable(worker)),
            None if logs.starts_with(LOGS) => " in the folder of the report".to_owned(),
            None => String::new(),
        };
        _ = writeln!(out, "   logs: {}{place}", printable(logs));
    }
    out
}

fn write_step(out: &mut String, number: usize, step: &Step, is_last: bool) {
    let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let shown =
        if args.is_empty() { step.action.clone() } else { format!("{}({})", step.action, args.join(", ")) };
    let shown = if is_last { paint(STRONG, printable(&shown)) } else { printable(&shown) };
    let at = step.node.as_ref().map(|node| paint(FAINT, format!(" at {}", printable(node))));
    _ = writeln!(out, "   {number:>4}  {shown}{}", at.unwrap_or_default());
}

fn write_difference(out: &mut String, difference: &Difference) {
    let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { indented(text, 23) };
    let Difference { variable, place, expected, observed } = difference;
    _ = writeln!(out, "      {}{}", printable(variable), printable(place));
    _ = writeln!(out, "        specification  {}", paint(GOOD, or_nothing(expected)));
    _ = writeln!(out, "        system         {}", paint(BAD, or_nothing(observed)));
}

/// Indents all lines of a text but the first.
fn indented(text: &str, columns: usize) -> String {
    printable(text.trim_end()).replace('\n', &format!("\n{}", " ".repeat(columns)))
}

/// Writes the cases that the system could not be driven along.
fn write_not_run(out: &mut String, record: &Record) {
    for case in &record.cases {
        let Some(why) = &case.not_run else { continue };
        let (id, why) = (printable(&case.id), indented(why, 2));
        _ = match record.header.verb {
            Verb::Follow => writeln!(out, "{id}: {why}"),
            Verb::Test | Verb::Explore | Verb::Converge => writeln!(out, "case {id} was not run: {why}"),
        };
    }
}

/// Writes the actions of which not all edges were confirmed.
fn write_gaps(out: &mut String, summary: &Summary<'_>) {
    let is_open = |row: &&crate::Coverage| row.n_confirmed.is_none_or(|n| n < row.n_edges);
    let rows: Vec<_> = summary.coverage.iter().filter(is_open).collect();
    let width = rows.iter().map(|row| row.action.chars().count()).max().unwrap_or(0);
    if !rows.is_empty() {
        out.push_str("edges confirmed, of actions where some are not\n");
    }
    for row in rows {
        let pad = " ".repeat(width - row.action.chars().count());
        let n = row.n_confirmed.map_or_else(|| "?".to_owned(), count);
        _ = writeln!(out, "  {}{pad}  {n} of {}", printable(&row.action), count(row.n_edges));
    }
}
