//! What came of a run, for people and for scripts.

use std::fmt::Write as _;
use std::path::Path;

use kilter_conform::run::{Outcome, Stopped};
use kilter_wire::{Difference, Finding, Group, Step};
use serde_json::json;

use crate::commands::report::PAGE;
use crate::render::{BAD, DOUBT, FAINT, GOOD, STRONG, paint, plural};

/// How many groups are told in full.
const GROUPS_MAX: usize = 10;
/// How many differences of a finding are told.
const DIFFERENCES_MAX: usize = 12;

/// What a run is about.
pub struct About<'a> {
    /// States of the graph.
    pub n_states: usize,
    /// Edges of the graph.
    pub n_edges: usize,
    /// Where the record is.
    pub report: &'a Path,
    /// How the cases were chosen, if only what a change touches was to be tested.
    pub selected: Option<serde_json::Value>,
}

/// The contract for scripts.
pub fn to_json(outcome: &Outcome, about: &About<'_>) -> serde_json::Value {
    let tally = &outcome.tally;
    let findings: Vec<serde_json::Value> = outcome
        .findings
        .iter()
        .map(|finding| {
            json!({
                "kind": finding.kind.name(), "case": finding.case, "step": finding.step, "action": finding.action,
                "variables": finding.variables, "summary": finding.summary, "stable": finding.stable,
                "shortest": finding.shortest, "steps": finding.path.len(), "group": finding.group, "repeat": finding.repeat,
            })
        })
        .collect();
    let mut json = json!({
        "cases": tally.ended,
        "passed": tally.passed,
        "findings": findings,
        "groups": outcome.groups,
        "steps": tally.steps,
        "planned": tally.n_cases,
        "states": about.n_states,
        "edges": about.n_edges,
        "seconds": tally.took.as_secs_f64(),
        "cases_per_second": rate(outcome),
        "waited_seconds": tally.waited.as_secs_f64(),
        "report": about.report.display().to_string(),
    });
    if let Some(selected) = &about.selected {
        json["selected"] = selected.clone();
    }
    if let Some(first) = tally.first_finding {
        json["first_finding_seconds"] = first.as_secs_f64().into();
    }
    if let Some(stopped) = &outcome.stopped {
        json["stopped"] = why(stopped).into();
    }
    json
}

#[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
fn rate(outcome: &Outcome) -> f64 {
    outcome.tally.ended as f64 / outcome.tally.took.as_secs_f64().max(0.000_001)
}

fn why(stopped: &Stopped) -> String {
    match stopped {
        Stopped::Interrupted => "interrupted; `--resume` goes on".to_owned(),
        Stopped::Findings => "enough findings".to_owned(),
        Stopped::InitialState => "the initial state differs already, so no case can say more".to_owned(),
        Stopped::NotRunnable(why) => why.clone(),
    }
}

/// All that people want to know.
pub fn to_text(outcome: &Outcome, about: &About<'_>) -> String {
    let tally = &outcome.tally;
    let mut out = String::new();
    for (index, group) in outcome.groups.iter().take(GROUPS_MAX).enumerate() {
        let of_group = outcome.findings.iter().filter(|finding| finding.group == group.group);
        // The one with the shortest path says the most.
        if let Some(finding) = of_group
            .filter(|finding| !finding.path.is_empty() || finding.step == 0)
            .min_by_key(|f| f.path.len())
        {
            out += &tell_group(index + 1, group, finding);
        }
    }
    if outcome.groups.len() > GROUPS_MAX {
        let _ = writeln!(
            out,
            "and {} more\n",
            plural((outcome.groups.len() - GROUPS_MAX) as u64, "kind of finding")
        );
    }
    out += &headline(outcome);
    let _ = writeln!(
        out,
        "{} of {} run, {} passed, {}; {:.0}/s, {:.1} s{}",
        tally.ended,
        plural(tally.n_cases, "case"),
        tally.passed,
        plural(tally.steps, "step"),
        rate(outcome),
        tally.took.as_secs_f64(),
        waited(outcome),
    );
    if let Some(stopped) = &outcome.stopped {
        let _ = writeln!(out, "{}: {}", paint(DOUBT, "not all cases were run"), why(stopped));
    }
    let _ = writeln!(out, "report: {}", about.report.join(PAGE).display());
    out
}

fn waited(outcome: &Outcome) -> String {
    match outcome.tally.waited.as_secs_f64() {
        0.0 => String::new(),
        seconds => format!(", {seconds:.1} s of them waiting for timeouts"),
    }
}

fn headline(outcome: &Outcome) -> String {
    match (outcome.findings.len() as u64, &outcome.stopped) {
        (0, None) => format!("{}: the system does what the specification says\n", paint(GOOD, "ok")),
        (0, Some(_)) => {
            format!("{}: nothing was found in the cases that were run\n", paint(DOUBT, "bounded"))
        }
        (n, _) => format!(
            "{}: {} of {}\n",
            paint(BAD, "out of kilter"),
            plural(n, "finding"),
            plural(outcome.groups.len() as u64, "kind")
        ),
    }
}

fn tell_group(number: usize, group: &Group, finding: &Finding) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{number}. {}  {}",
        paint(BAD, &group.group),
        paint(
            FAINT,
            format!("({}, {})", plural(group.findings, "finding"), plural(group.edges_failed, "edge"))
        )
    );
    let _ = writeln!(out, "   {}", finding.summary);
    for (index, step) in finding.path.iter().enumerate() {
        let is_last = index + 1 == finding.path.len();
        out += &tell_step(index + 1, step, is_last);
    }
    for difference in finding.differences.iter().take(DIFFERENCES_MAX) {
        out += &tell_difference(difference);
    }
    if finding.differences.len() > DIFFERENCES_MAX {
        let _ = writeln!(out, "      … and {} more", finding.differences.len() - DIFFERENCES_MAX);
    }
    let stability = match finding.stable {
        Some(true) => "it came again when the case was run again",
        Some(false) => "it did not come again when the case was run again",
        None => "it was not run again",
    };
    let _ = writeln!(out, "   {stability}");
    for hint in &group.hints {
        let _ = writeln!(out, "   speaks for {hint}");
    }
    let _ = writeln!(out, "   repeat with:\n     {}\n", group.repeat);
    out
}

fn tell_step(number: usize, step: &Step, is_last: bool) -> String {
    let args: Vec<String> = step.args.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let shown =
        if args.is_empty() { step.action.clone() } else { format!("{}({})", step.action, args.join(", ")) };
    let shown = if is_last { paint(STRONG, shown) } else { shown };
    let at = step.node.as_ref().map(|node| paint(FAINT, format!(" at {node}"))).unwrap_or_default();
    format!("   {number:>4}  {shown}{at}\n")
}

fn tell_difference(difference: &Difference) -> String {
    let Difference { variable, place, expected, observed } = difference;
    let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
    format!(
        "      {variable}{place}\n        specification  {}\n        system         {}\n",
        paint(GOOD, or_nothing(expected)),
        paint(BAD, or_nothing(observed))
    )
}
