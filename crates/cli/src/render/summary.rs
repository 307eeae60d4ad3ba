//! Shows counts, coverage and warnings of a search.

use std::fmt::Write;

use kilter::remarks::ActionCoverage;
use kilter::verdict;
use kilter_check::{Coverage, Limit, OnDisk, Outcome, Share, Verdict};

use super::{DOUBT, FAINT, count, paint, plural};

/// TLC's counts in one line.
pub fn counts(outcome: &Outcome, seconds: f64) -> String {
    let kilter_check::Counts { generated, distinct, depth, .. } = outcome.counts;
    let time = if seconds < 1.0 { "under 1 s".to_owned() } else { format!("{seconds:.1} s") };
    if distinct == 0 {
        // Random behaviors are not compared with each other.
        return format!("{} generated, depth {depth}, {time}\n", plural(generated, "state"));
    }
    let bytes = bytes_per_state(outcome).map(|bytes| format!(", {bytes} bytes a state")).unwrap_or_default();
    format!(
        "{}, {} generated, depth {depth}, {time}{bytes}\n",
        plural(distinct, "distinct state"),
        count(generated)
    )
}

/// The memory for each distinct state. `None` if there are too few states for a meaningful number.
fn bytes_per_state(outcome: &Outcome) -> Option<u64> {
    const STATES_MIN: u64 = 1000;
    let n = outcome.counts.distinct;
    let shares: u64 = outcome.shares.iter().map(|share| share.memory_bytes).sum();
    (n >= STATES_MIN).then(|| outcome.memory_bytes.max(shares) / n)
}

/// What is violated, in one line, for a search that went on after violations.
pub fn violations(outcome: &Outcome) -> String {
    let violations = verdict::violations(outcome);
    if violations.is_empty() {
        return String::new();
    }
    let word = |violation: &&Verdict| {
        let verdict::Answer { word, property, .. } = verdict::of_verdict(violation);
        property.map_or(word.to_owned(), |property| format!("{word} {property}"))
    };
    let words: Vec<String> = violations.iter().map(word).collect();
    let end = outcome.limit.map(|limit| {
        format!("; the search ended before all states were explored: {}", verdict::reason(limit))
    });
    format!(
        "{}: {}{}\n",
        plural(violations.len() as u64, "violation"),
        words.join(", "),
        end.unwrap_or_default()
    )
}

/// How a search on disk can go on, if it can. With the limit that has ended it, it would end at once.
pub fn disk(disk: &OnDisk, outcome: &Outcome, go_on: &str) -> String {
    let Some(n_states) = disk.checkpoint else { return String::new() };
    let limit = match outcome.verdict {
        Verdict::Bounded(limit) => Some(limit),
        _ => outcome.limit,
    };
    let larger = match limit {
        Some(Limit::States) => ", with a larger --states-max",
        Some(Limit::Depth) => ", with a larger --depth-max",
        Some(Limit::Memory) => ", with a larger --memory-max",
        _ => "",
    };
    format!("the search can go on from {}{larger}:\n  {go_on}\n", plural(n_states, "distinct state"))
}

/// What one process of a search has had, in one line.
pub fn share(process: usize, share: &Share) -> String {
    let Share { states, memory_bytes, sent_bytes, disk_trouble } = share;
    let [memory, sent] = [memory_bytes, sent_bytes].map(|bytes| count(bytes.div_ceil(1 << 20)));
    let trouble = disk_trouble.as_ref().map(|why| format!("; its disk could not be used any more: {why}"));
    let trouble = trouble.unwrap_or_default();
    format!("process {process}: {}, {memory} MiB, {sent} MiB sent{trouble}\n", plural(*states, "state"))
}

/// Coverage as a table.
pub fn coverage(rows: &[ActionCoverage]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).chain([6]).max().unwrap_or(0);
    let mut out = format!(
        "{}\n",
        paint(
            FAINT,
            format!("  {:width$}  {:>12}  {:>12}  {:>12}", "action", "enabled", "taken", "new states")
        )
    );
    for row in rows {
        let Coverage { enabled, taken, new } = row.coverage;
        let [enabled, taken, new] = [enabled, taken, new].map(count);
        let _ = writeln!(out, "  {:width$}  {enabled:>12}  {taken:>12}  {new:>12}", row.name.as_str());
    }
    out
}

/// Warnings as lines.
pub fn warning_lines(warnings: &[String]) -> String {
    let lines: Vec<String> =
        warnings.iter().map(|warning| format!("{}: {warning}\n", paint(DOUBT, "warning"))).collect();
    lines.concat()
}
