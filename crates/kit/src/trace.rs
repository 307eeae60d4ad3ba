//! The trace that a node writes when nobody is in control: lines for `kilter follow`, in the file that `KILTER_TRACE` names.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::ledger::{NODE, PEER};
use crate::sample::{Fault, Sample, wrong};

/// How long it waits before it looks for more lines.
const PAUSE: Duration = Duration::from_millis(50);
/// The events that are no actions of the node.
pub const START: &str = "kilter.start";
pub const BEGIN: &str = "kilter.begin";
/// What the peer tells the node to count. It does not tick any more then.
const TOLD: u64 = 9;

/// Checks what the node writes, when, and where to.
pub fn check(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let file = sample.file("n1.log");
    sample.trace_to(Some(&file));
    sample.launch(None)?;
    wait_for(sample, &file, 0, "Tick")?;
    let message = json!({"from": PEER, "to": NODE, "count": TOLD});
    sample.send(&message)?;
    wait_for(sample, &file, 0, "Take")?;
    sample.end();
    let lines = without_clocks(whole_lines(sample, &file)?);
    let n_ticks = lines.iter().filter(|line| line["event"] == "Tick").count() as u64;
    are_as_expected(&lines, &expected(n_ticks, &message))?;

    // A node that is started again goes on where the last lines end.
    sample.launch(None)?;
    wait_for(sample, &file, lines.len(), START)?;
    sample.end();
    let more = without_clocks(whole_lines(sample, &file)?);
    are_as_expected(&more[..=lines.len()], &[&lines[..], &[start()]].concat())?;

    let controlled = sample.file("controlled.log");
    sample.trace_to(Some(&controlled));
    sample.start()?;
    if controlled.exists() {
        return wrong("it writes a trace under the control of a testbed, too");
    }

    let nowhere = sample.file("none").join("n1.log");
    sample.trace_to(Some(&nowhere));
    sample.launch(None)?;
    // It ticks nevertheless.
    sample.arrived()?;
    if sample.printed().is_empty() {
        return wrong("its trace can't be written, and it does not say so on standard error");
    }
    Ok(())
}

/// Waits until the event is in the trace, after so many lines. Returns how many lines there are up to it.
pub fn wait_for(sample: &mut Sample<'_>, file: &Path, n_before: usize, event: &str) -> Result<usize, Fault> {
    let until = Instant::now() + sample.patience();
    let is_it = |line: &str| serde_json::from_str::<Json>(line).is_ok_and(|line| line["event"] == event);
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        if let Some(at) = whole.lines().skip(n_before).position(is_it) {
            return Ok(n_before + at + 1);
        }
        if let Some(how) = sample.how_ends(PAUSE)? {
            return wrong(format!("with KILTER_TRACE and without a testbed, it ends ({how})"));
        }
        if Instant::now() > until {
            let n_lines = whole.lines().count();
            for line in whole.lines() {
                sample.show(line);
            }
            return wrong(format!(
                "with KILTER_TRACE and without a testbed, there is no {event} in its trace, which has {n_lines} lines"
            ));
        }
    }
}

/// The lines as they would be without vector clocks, which are checked by themselves.
fn without_clocks(mut lines: Vec<Json>) -> Vec<Json> {
    let actions = lines.iter_mut().filter(|line| line["event"] != START && line["event"] != BEGIN);
    for line in actions.filter_map(Json::as_object_mut) {
        line.remove("clock");
    }
    lines
}

/// The lines of a trace whose node was killed.
pub fn whole_lines(sample: &mut Sample<'_>, file: &Path) -> Result<Vec<Json>, Fault> {
    let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    for line in text.lines() {
        sample.show(line);
    }
    if !text.ends_with('\n') {
        return wrong("its trace ends in the middle of a line: each line must be written in one piece");
    }
    let read = text.lines().map(serde_json::from_str).collect::<Result<Vec<Json>, _>>();
    read.or_else(|error| wrong(format!("its trace is not lines of JSON: {error}")))
}

/// The line with which the node starts.
fn start() -> Json {
    json!({"event": START, "node": NODE, "state": {"count": 0, "value": null, "jobs": 0, "hours": 0}})
}

/// All lines of a node that ticks, and then takes the message.
fn expected(n_ticks: u64, message: &Json) -> Vec<Json> {
    let mut lines = vec![start()];
    for count in 1..=n_ticks {
        let told = json!({"from": NODE, "to": PEER, "count": count});
        lines.push(json!({"event": BEGIN, "node": NODE, "of": "Tick"}));
        lines.push(json!({
            "event": "Tick", "node": NODE, "delta": true, "state": {"count": count}, "sent": [{"to": PEER, "message": told}],
        }));
    }
    lines.push(json!({"event": BEGIN, "node": NODE, "of": "Take", "message": message}));
    lines.push(json!({
        "event": "Take", "node": NODE, "message": message, "delta": true, "state": {"count": TOLD}, "sent": [],
    }));
    lines
}

fn are_as_expected(lines: &[Json], expected: &[Json]) -> Result<(), Fault> {
    for (at, wanted) in expected.iter().enumerate() {
        let line = lines.get(at).unwrap_or(&Json::Null);
        if line != wanted {
            return wrong(format!("line {} of its trace is {line}, and should be {wanted}", at + 1));
        }
    }
    if lines.len() > expected.len() {
        return wrong(format!("its trace has {} lines, and should have {}", lines.len(), expected.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_line_is_named() {
        let message = json!({"count": TOLD});
        let right = expected(2, &message);
        assert_eq!(right.len(), 7);
        assert!(are_as_expected(&right, &right).is_ok());
        let says = |lines: &[Json]| are_as_expected(lines, &right).expect_err("it is wrong").to_string();
        let mut unbegun = right.clone();
        unbegun.remove(1);
        assert!(says(&unbegun).starts_with("line 2 of its trace is {"), "{}", says(&unbegun));
        assert!(says(&right[..6]).starts_with("line 7 of its trace is null"));
        assert!(says(&[&right[..], &right[..1]].concat()).starts_with("its trace has 8 lines"));
    }
}
