//! What was found, for people and scripts.

use std::time::Duration;

use kilter_explore::Spent;
use kilter_explore::outcome::{Outcome, Told};
use serde_json::json;

use crate::render::{BAD, GOOD, count, paint, plural};

/// What a search came to, as one JSON object. `repeat` gives the line that does a finding again.
pub fn in_json(outcome: &Outcome, seconds: f64, repeat: &dyn Fn(&Told) -> String) -> String {
    let counts = &outcome.counts;
    let findings: Vec<_> = outcome.findings.iter().map(|told| finding(told, repeat)).collect();
    let answer = json!({
        "sequences": counts.sequences,
        "states": counts.states,
        "findings": findings,
        "seconds": seconds,
        "failing_sequences": counts.failing,
        "complete": outcome.rest.is_none(),
        "events": counts.events,
        "depth": counts.depth,
        "pruned": counts.pruned,
        "late": counts.late,
        "late_by": counts.late_by,
        "peers": counts.peers,
        "peers_unlike": counts.peers_unlike,
        "spent": spent(&counts.spent),
    });
    format!("{answer}\n")
}

/// Who took how many seconds, all jobs together.
fn spent(spent: &Spent) -> serde_json::Value {
    let search = spent.whole.saturating_sub(spent.nodes + spent.testbed);
    json!({
        "nodes": spent.nodes.as_secs_f64(),
        "testbed": spent.testbed.as_secs_f64(),
        "search": search.as_secs_f64(),
    })
}

/// A finding as JSON.
pub fn finding(told: &Told, repeat: &dyn Fn(&Told) -> String) -> serde_json::Value {
    let mut json = told.json();
    json["repeat"] = json!(repeat(told));
    json
}

/// A finding's kind and sentence.
pub fn heading(told: &Told) -> String {
    let style = if told.fails { BAD } else { GOOD };
    format!("{}: {}\n", paint(style, &told.kind), told.sentence)
}

/// What a search came to, for people.
pub fn in_words(outcome: &Outcome, seconds: f64, repeat: &dyn Fn(&Told) -> String) -> String {
    let finding =
        |told: &Told| format!("{}{}repeat with:\n  {}\n\n", heading(told), told.draw(), repeat(told));
    let findings: Vec<String> = outcome.findings.iter().map(finding).collect();
    findings.concat() + &summary(outcome, seconds)
}

fn summary(outcome: &Outcome, seconds: f64) -> String {
    let counts = &outcome.counts;
    let rate = counts.events * 1000 / ((seconds * 1000.0) as u64).max(1);
    let mut lines = vec![format!(
        "{}, {} events ({}/s), {} states, depth {}, {seconds:.1} s",
        plural(counts.sequences, "sequence"),
        count(counts.events),
        count(rate),
        count(counts.states),
        counts.depth,
    )];
    if counts.late > 0 {
        lines.push(format!(
            "{} reached the goal only when extended, by {} at most",
            plural(counts.late, "sequence"),
            plural(counts.late_by.into(), "step")
        ));
    }
    if counts.peers_unlike > 0 {
        lines.push(format!(
            "peers that do not hold the same stood for each other {} of {} times: that they are alike is your claim",
            count(counts.peers_unlike),
            count(counts.peers)
        ));
    }
    let Spent { nodes, testbed, whole } = counts.spent;
    if !whole.is_zero() {
        let share = |part: Duration| 100.0 * part.as_secs_f64() / whole.as_secs_f64();
        let search = whole.saturating_sub(nodes + testbed);
        lines.push(format!(
            "time: {:.1} % the system itself, {:.1} % its testbed, {:.1} % the search",
            share(nodes),
            share(testbed),
            share(search)
        ));
    }
    lines.push(match (counts.failing, outcome.rest.is_some()) {
        (0, false) => paint(GOOD, "nothing wrong was found"),
        (0, true) => "nothing wrong was found so far; the search was ended early".to_owned(),
        (1, _) => paint(BAD, "1 sequence fails"),
        (failing, _) => paint(BAD, format!("{} sequences fail", count(failing))),
    });
    lines.join("\n") + "\n"
}
