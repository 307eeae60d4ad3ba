//! Writes the result of a comparison as Markdown, for a pull request.

use std::fmt::Write as _;

use super::round::Round;
use super::side::Side;
use super::words;
use kilter_report::style::{count, plural};

/// The most changes that are listed.
const CHANGES_MAX: usize = 50;

/// The summary as Markdown.
pub fn summary(round: &Round, new: &Side) -> String {
    let mut out = format!("## What to test again: {}\n\n", new.graph.origin());
    match words::nothing(round) {
        Some(why) => {
            let _ = writeln!(out, "**Nothing**: {why}.\n");
        }
        None => {
            let _ = writeln!(
                out,
                "**{}** with {} for {} of {}{}.\n",
                plural(round.n_tests(), "test"),
                plural(round.n_steps(), "step"),
                count(round.affected.n() as u64),
                plural(new.graph.n_edges() as u64, "edge"),
                words::alike(round),
            );
        }
    }
    if let Some(saved) = words::saved(round) {
        let (first, rest) = saved.split_at(1);
        let _ = writeln!(out, "{}{rest}.\n", first.to_uppercase());
    }
    if let Some(record) = &round.record {
        let (first, rest) = record.split_at(1);
        let _ = writeln!(out, "> {}{rest}.\n", first.to_uppercase());
    }
    let changes = words::changes(&round.changes);
    if !changes.is_empty() {
        out += "### What changed\n\n";
        for said in changes.iter().take(CHANGES_MAX) {
            let _ = writeln!(out, "- {}", said.text);
        }
        if changes.len() > CHANGES_MAX {
            let _ = writeln!(out, "- … and {} more", changes.len() - CHANGES_MAX);
        }
        out.push('\n');
    }
    if !round.changes.unattributed.is_empty() {
        out +=
            "> Some code was changed that could not be attributed to an action, so everything is tested.\n\n";
    }
    if !round.affected.matches.is_empty() {
        out += "### What that touches\n\n| pattern | because of | edges | |\n| --- | --- | ---: | --- |\n";
        for found in &round.affected.matches {
            let cause = found.cause.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| {} | {cause} | {} | {} |",
                found.pattern.name(),
                count(found.edges as u64),
                found.pattern.sentence()
            );
        }
    }
    out
}
