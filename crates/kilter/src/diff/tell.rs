//! Writes the result of a comparison for people and for scripts.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::round::{Round, Taken};
use super::side::Side;
use super::words;
use kilter_report::style::{DOUBT, FAINT, GOOD, STRONG, count, paint, plural};

/// The most changes that are listed one by one.
const CHANGES_MAX: usize = 20;

/// The result as JSON. Scripts rely on its fields.
pub fn to_json(round: &Round, new: &Side) -> Value {
    let changes: Vec<Value> = words::changes(&round.changes)
        .into_iter()
        .map(|said| json!({ "kind": said.kind, "name": said.name, "text": said.text }))
        .collect();
    let patterns: Vec<Value> = round
        .affected
        .matches
        .iter()
        .map(|found| {
            json!({
                "pattern": found.pattern.name(), "cause": found.cause, "edges": found.edges,
                "first": found.first, "text": found.pattern.sentence(),
            })
        })
        .collect();
    let mut told = json!({
        "changes": changes,
        "patterns": patterns,
        "affected_edges": round.affected.n(),
        "same_edges": round.affected.same,
        "known_edges": round.affected.known,
        "wanted": round.affected.wants.n(),
        "covered": round.suite.as_ref().map_or(0, |suite| suite.n_covered),
        "edges": new.graph.n_edges(),
        "states": new.graph.n_states(),
        "tests": round.n_tests(),
        "steps": round.n_steps(),
        "unattributed": round.changes.unattributed,
        "seconds": round.took.as_secs_f64(),
    });
    if let (Some(full), Some(reduction)) = (round.full, round.reduction()) {
        told["full_tests"] = full.tests.into();
        told["full_steps"] = full.steps.into();
        told["reduction"] = reduction.into();
        told["step_reduction"] = round.step_reduction().into();
        if let Taken::Full { instead_of_tests, instead_of_steps } = full.taken {
            told["selected_tests"] = instead_of_tests.into();
            told["selected_steps"] = instead_of_steps.into();
        }
    }
    if let Some(reuse) = &round.reuse {
        told["record"] =
            json!({ "passed": reuse.passed, "standing": reuse.standing, "unconfirmed": reuse.unconfirmed });
        if let Some(why) = &round.record {
            told["record"]["note"] = why.as_str().into();
        }
    }
    if let Some(why) = words::nothing(round) {
        told["nothing"] = why.into();
    }
    told
}

/// The result as text for people.
pub fn to_text(round: &Round, new: &Side) -> String {
    let mut out = String::new();
    let changes = words::changes(&round.changes);
    let headline = match changes.len() {
        0 => "nothing changed that steps depend on".to_owned(),
        n => format!("what changed: {}", plural(n as u64, "change")),
    };
    let _ = writeln!(out, "{}", paint(STRONG, headline));
    for said in changes.iter().take(CHANGES_MAX) {
        let _ = writeln!(out, "  {}", said.text);
    }
    if changes.len() > CHANGES_MAX {
        let _ = writeln!(out, "  … and {} more", count((changes.len() - CHANGES_MAX) as u64));
    }
    if !round.changes.unattributed.is_empty() {
        let why = "code was changed that could not be attributed to an action, so everything is tested";
        let _ = writeln!(out, "{}: {why}", paint(DOUBT, "careful"));
    }
    out += &patterns(round);
    out + &verdict(round, new)
}

fn patterns(round: &Round) -> String {
    if round.affected.matches.is_empty() {
        return String::new();
    }
    let mut out = format!("{}\n", paint(STRONG, "what that touches"));
    for found in &round.affected.matches {
        let edges = plural(found.edges as u64, "edge");
        let more = match found.first {
            n if n == found.edges => String::new(),
            n => format!(", {} of them new here", count(n as u64)),
        };
        let _ = writeln!(out, "  {:<5} {}: {edges}{more}", found.pattern.name(), found.cause);
        let _ = writeln!(out, "        {}", paint(FAINT, found.pattern.sentence()));
    }
    out
}

fn verdict(round: &Round, new: &Side) -> String {
    let mut out = String::new();
    if round.affected.same > 0 {
        let _ = writeln!(
            out,
            "{} changed basic blocks and are in the old graph just so: nothing about them is new",
            if round.affected.same == 1 {
                "1 edge takes".to_owned()
            } else {
                format!("{} edges take", count(round.affected.same as u64))
            }
        );
    }
    if round.affected.known > 0 {
        let n = round.affected.known as u64;
        let _ = writeln!(out, "{} beside: to their nodes, the old graph has the same", plural(n, "edge"));
    }
    if let Some(record) = &round.record {
        let _ = writeln!(out, "{record}");
    } else if let Some(reuse) = &round.reuse {
        let _ = writeln!(
            out,
            "of {} that passed, {}",
            plural(reuse.passed as u64, "case"),
            match reuse.standing as u64 {
                0 => "none stays valid".to_owned(),
                n => format!("{} stay valid: nothing on the way is affected", count(n)),
            }
        );
    }
    if let Some(why) = words::nothing(round) {
        let _ = writeln!(out, "{}: {why}", paint(GOOD, "nothing to test"));
    } else {
        let _ = writeln!(
            out,
            "{} of {} affected{}, in {} with {}",
            count(round.affected.n() as u64),
            plural(new.graph.n_edges() as u64, "edge"),
            words::alike(round),
            paint(STRONG, plural(round.n_tests(), "test")),
            plural(round.n_steps(), "step"),
        );
    }
    if let Some(saved) = words::saved(round) {
        let _ = writeln!(out, "{saved}");
    }
    let _ = writeln!(
        out,
        "{}",
        paint(FAINT, format!("compared and selected in {:.2} s", round.took.as_secs_f64()))
    );
    out
}
