//! Vector clocks: what a node puts into its messages and into its trace, so that `kilter follow` knows the order of lines.
//!
//! The sample node sends `{"message":…,"clock":…}` when it writes a trace. The kit sends clocks of its own, and computes what each line must say.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::ledger::{NODE, PEER};
use crate::sample::{Fault, Sample, wrong};
use crate::trace::{BEGIN, START, wait_for, whole_lines};

/// How far each node is.
type Clock = BTreeMap<String, u64>;

/// Counts that tell the messages apart which the kit sends. The last one ends the ticks.
const COUNTS: [u64; 3] = [0, 1, 9];
/// The clock of the first message, and that of the second, in which one number is less and one is greater. The third has none.
const CLOCKS: [[(&str, u64); 2]; 2] = [[(PEER, 40), ("n3", 7)], [(PEER, 39), ("n3", 8)]];

/// What the kit sends: a message, and its clock.
struct Letter {
    message: Json,
    clock: Clock,
}

fn letters() -> Vec<Letter> {
    let clocks = CLOCKS.iter().map(|clock| clock.map(|(node, number)| (node.to_owned(), number)).into());
    let messages = COUNTS.map(|count| json!({"from": PEER, "to": NODE, "count": count}));
    let clocks = clocks.chain([Clock::new()]);
    messages.into_iter().zip(clocks).map(|(message, clock)| Letter { message, clock }).collect()
}

/// Checks the clocks of a node that sends and takes in messages, and is started again.
pub fn check(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let file = sample.file("clocks.log");
    sample.trace_to(Some(&file));
    sample.launch(None)?;
    let mut arrived = vec![sample.arrived()?];
    if arrived[0].get("clock").is_none() {
        wait_for(sample, &file, 0, "Tick")?;
        if whole_lines(sample, &file)?.iter().any(|line| line.get("clock").is_some()) {
            return wrong("its trace has a `clock`, and its messages have none");
        }
        return Err(Fault::LeftOut("its messages have no vector clock"));
    }
    let letters = letters();
    let mut n_lines = 0;
    for letter in &letters {
        if letter.clock.is_empty() {
            sample.send(&letter.message)?;
        } else {
            sample.send(&json!({"message": letter.message, "clock": letter.clock}))?;
        }
        n_lines = wait_for(sample, &file, n_lines, "Take")?;
        // What it sends after it has heard a clock has that, too.
        if arrived.len() < 2 {
            arrived.push(sample.arrived()?);
        }
    }
    sample.end();
    let lines = whole_lines(sample, &file)?;
    let before = follow(&lines, &letters, &arrived)?;

    // Nothing is stored, and yet a node that is started again must be further than before.
    sample.launch(None)?;
    wait_for(sample, &file, lines.len(), START)?;
    sample.send(&json!({"message": letters[0].message, "clock": letters[0].clock}))?;
    wait_for(sample, &file, lines.len(), "Take")?;
    sample.end();
    let more = whole_lines(sample, &file)?;
    let (_, line) = actions(&more).last().unwrap_or((0, &Json::Null));
    match own(line) {
        Some(now) if now > before => Ok(()),
        now => wrong(format!(
            "after it was started again, its own number in `clock` is {}, and was {before} before: it must grow",
            json!(now)
        )),
    }
}

/// The lines of actions, with their numbers.
fn actions(lines: &[Json]) -> impl Iterator<Item = (usize, &Json)> {
    let numbered = lines.iter().enumerate().map(|(at, line)| (at + 1, line));
    numbered.filter(|(_, line)| line["event"] != START && line["event"] != BEGIN)
}

/// The node's own number in the clock of a line.
fn own(line: &Json) -> Option<u64> {
    line["clock"][NODE].as_u64()
}

/// Follows what the node has heard, line by line, and compares its clock. Returns its own number in the last line.
fn follow(lines: &[Json], letters: &[Letter], arrived: &[Json]) -> Result<u64, Fault> {
    let mut known = Clock::new();
    for (number, line) in actions(lines) {
        let letter = letters.iter().find(|letter| letter.message == line["message"]);
        for (node, heard) in letter.iter().flat_map(|letter| &letter.clock) {
            let time = known.entry(node.clone()).or_default();
            *time = (*heard).max(*time);
        }
        compare(&line["clock"], &mut known).or_else(|what| {
            wrong(format!(
                "line {number} of its trace, {}: {what}",
                line["event"].as_str().unwrap_or("no event")
            ))
        })?;
        let sent = line["sent"].as_array().into_iter().flatten();
        for message in sent.map(|sent| &sent["message"]) {
            let letter = arrived.iter().find(|letter| letter["message"] == *message);
            if let Some(letter) = letter.filter(|letter| letter["clock"] != line["clock"]) {
                return wrong(format!(
                    "the message {message} has come with the clock {}, and the line of its event has {}",
                    letter["clock"], line["clock"]
                ));
            }
        }
    }
    let strange = arrived.iter().find(|letter| !lines.iter().any(|line| has_sent(line, &letter["message"])));
    match (strange, known.get(NODE)) {
        (Some(letter), _) => {
            wrong(format!("it has sent {letter}, and no line of its trace has such a message in `sent`"))
        }
        (None, Some(own)) => Ok(*own),
        (None, None) => wrong("its trace has no actions"),
    }
}

fn has_sent(line: &Json, message: &Json) -> bool {
    line["sent"].as_array().into_iter().flatten().any(|sent| sent["message"] == *message)
}

/// Compares a clock with what its node knows, and counts the node's own number on. What is wrong, otherwise.
fn compare(clock: &Json, known: &mut Clock) -> Result<(), String> {
    let Some(clock) = clock.as_object() else {
        return Err("it has no `clock`, and its messages have one".to_owned());
    };
    let Some(own) = clock.get(NODE) else {
        return Err(format!("`clock` is {}, without a number of {NODE} itself", json!(clock)));
    };
    // The first number is the node's to choose.
    let next = known.get(NODE).map_or(own.as_u64().unwrap_or_default(), |before| before + 1);
    known.insert(NODE.to_owned(), next);
    if own.as_u64() != Some(next) {
        return Err(format!(
            "its own number in `clock` is {own}, and should be {next}: it grows by 1 with each action"
        ));
    }
    for (node, time) in &*known {
        let said = clock.get(node).unwrap_or(&Json::Null);
        if said.as_u64() != Some(*time) {
            return Err(format!(
                "`clock` has {said} for {node}, and should have {time}, the greatest that it has heard of"
            ));
        }
    }
    match clock.keys().find(|node| !known.contains_key(*node)) {
        Some(node) => Err(format!("`clock` has a number for {node}, which no message has brought")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trace of a node that takes all letters, and ticks between them.
    fn right() -> Vec<Json> {
        let told = |count: u64| json!({"from": NODE, "to": PEER, "count": count});
        let take = |letter: usize, clock: Json| json!({"event": "Take", "message": letters()[letter].message, "sent": [], "clock": clock});
        vec![
            json!({"event": START}),
            json!({"event": BEGIN, "of": "Tick"}),
            json!({"event": "Tick", "sent": [{"to": PEER, "message": told(1)}], "clock": {"n1": 5}}),
            take(0, json!({"n1": 6, "n2": 40, "n3": 7})),
            take(1, json!({"n1": 7, "n2": 40, "n3": 8})),
            json!({"event": "Tick", "sent": [{"to": PEER, "message": told(2)}], "clock": {"n1": 8, "n2": 40, "n3": 8}}),
            take(2, json!({"n1": 9, "n2": 40, "n3": 8})),
        ]
    }

    fn arrived(lines: &[Json]) -> Vec<Json> {
        let ticks = lines.iter().filter(|line| line["event"] == "Tick");
        ticks.map(|line| json!({"message": line["sent"][0]["message"], "clock": line["clock"]})).collect()
    }

    /// What is said of a trace in which the clock of one line is another one.
    fn says(line: usize, clock: Json) -> String {
        let mut lines = right();
        lines[line]["clock"] = clock;
        follow(&lines, &letters(), &arrived(&right())).expect_err("it is wrong").to_string()
    }

    #[test]
    fn each_fault_of_a_clock_is_named() {
        assert_eq!(follow(&right(), &letters(), &arrived(&right())).expect("all is well"), 9);
        let missing = says(3, Json::Null);
        assert_eq!(missing, "line 4 of its trace, Take: it has no `clock`, and its messages have one");
        let nameless = says(3, json!({"n2": 40, "n3": 7}));
        assert!(nameless.ends_with("without a number of n1 itself"), "{nameless}");
        let stopped = says(3, json!({"n1": 5, "n2": 40, "n3": 7}));
        assert!(stopped.contains("its own number in `clock` is 5, and should be 6"), "{stopped}");
        let deaf = says(3, json!({"n1": 6, "n3": 7}));
        assert!(deaf.contains("`clock` has null for n2, and should have 40"), "{deaf}");
        let forgetful = says(4, json!({"n1": 7, "n2": 39, "n3": 8}));
        assert!(forgetful.contains("`clock` has 39 for n2, and should have 40"), "{forgetful}");
        let inventive = says(2, json!({"n1": 5, "n7": 1}));
        assert!(inventive.contains("a number for n7, which no message has brought"), "{inventive}");
        let text = says(2, json!({"n1": "5"}));
        assert!(text.contains("its own number in `clock` is \"5\""), "{text}");
    }

    #[test]
    fn messages_have_the_clock_of_their_line() {
        let with = |clock: Json| {
            let mut arrived = arrived(&right());
            arrived[1]["clock"] = clock;
            follow(&right(), &letters(), &arrived).expect_err("it is wrong").to_string()
        };
        assert!(with(json!({"n1": 8})).contains("has come with the clock {\"n1\":8}, and the line"));
        let mut arrived = arrived(&right());
        arrived[1] = json!({"clock": {"n1": 8}});
        let strange = follow(&right(), &letters(), &arrived).expect_err("it is wrong").to_string();
        assert!(strange.ends_with("no line of its trace has such a message in `sent`"), "{strange}");
    }
}
