//! What is checked. Each check starts the sample node afresh.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kilter_protocol::{Done, LINE_BYTES_MAX, Offer, ToNode, encode};
use kilter_testbed::Control;
use serde_json::{Value as Json, json};

use crate::ledger::{NODE, PEER};
use crate::sample::{Fault, Sample, wrong};
use crate::{clocks, trace};

/// A check of the node.
type Check = fn(&mut Sample<'_>) -> Result<(), Fault>;

/// All checks, by name.
pub const CHECKS: [(&str, Check); 28] = [
    ("it says hello, reports its variables, offers and waits", begins),
    ("it takes no action before it is told to", is_held),
    ("it takes an action, and says what it has done and sent", goes),
    ("it offers a message that arrives, and counts it", takes_message),
    ("it forgets a message that is dropped", drops),
    ("it offers a message again after `twice`", takes_twice),
    ("it does what it is asked for", is_asked),
    ("it says so if it does not know a request", is_asked_in_vain),
    ("it withdraws what it can't do any more", withdraws),
    ("it ignores answers to offers that do not stand", ignores_late_answers),
    ("it keeps an offer that it still can take", keeps_offers),
    ("it takes delivery of messages, and does not count them", takes_delivery),
    ("it gives values back as they were", gives_values_back),
    ("it says notes", says_notes),
    ("it goes on if its peer is gone", loses_peer),
    ("it reads lines in pieces, and several at once", reads_pieces),
    ("it reads and writes long lines", has_long_lines),
    ("it stands a flood of messages", is_flooded_by_peer),
    ("it stands a flood of deliveries", is_flooded_by_testbed),
    ("its threads may all have something to do", works_in_threads),
    ("its clock jumps", jumps),
    ("it connects by TCP, too", connects_by_tcp),
    ("it ends when it is told to stop", stops),
    ("it ends when the testbed is gone, or was never there", ends_with_testbed),
    ("it ends when it does not understand the testbed", ends_at_garbage),
    ("it runs by itself without a testbed", runs_alone),
    ("it writes what it does to the file KILTER_TRACE", writes_trace),
    ("its vector clocks say what it knows of other nodes", has_clocks),
];

/// How many messages are a flood.
const FLOOD: u64 = 500;
/// How many threads offer something at the same time.
const THREADS: u64 = 50;
/// The text of a long line, which with the rest of the line is a little shorter than the longest that may be.
const LONG: usize = LINE_BYTES_MAX - 1024;

fn message(count: u64) -> Json {
    json!({"from": PEER, "to": NODE, "count": count})
}

/// Checks the value of a variable.
fn has(sample: &Sample<'_>, name: &str, wanted: &Json, after: &str) -> Result<(), Fault> {
    let value = sample.ledger()?.variable(name);
    if value == wanted {
        return Ok(());
    }
    wrong(format!("after {after}, `{name}` is {}, and should be {}", shown(value), shown(wanted)))
}

fn shown(value: &Json) -> String {
    let text = value.to_string();
    if text.chars().nth(100).is_none() { text } else { text.chars().take(100).collect::<String>() + " …" }
}

/// Checks what was sent.
fn has_sent(done: &Done, wanted: &[Json], after: &str) -> Result<(), Fault> {
    let sent: Vec<&Json> = done.sent.iter().map(|sent| &sent.message).collect();
    if sent.iter().copied().eq(wanted) {
        return Ok(());
    }
    wrong(format!("after {after}, `sent` is {}, and should be {}", json!(sent), json!(wanted)))
}

fn begins(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for (name, value) in [("count", json!(0)), ("value", Json::Null), ("jobs", json!(0)), ("hours", json!(0))]
    {
        has(sample, name, &value, "the start")?;
    }
    sample.offer("Tick")?;
    sample.stays_still()
}

fn is_held(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    sample.offer("Tick")?;
    // The timer would have fired by itself.
    if sample.hear(Duration::from_millis(1500))? {
        return wrong(
            "it says something, and nothing has happened since `still`: a timer must wait for `go`",
        );
    }
    Ok(())
}

/// Takes the tick that is offered, and gives what was done.
fn tick(sample: &mut Sample<'_>) -> Result<Done, Fault> {
    let Offer { id, .. } = sample.offer("Tick")?;
    sample.tell(&ToNode::Go { id })?;
    let n_heard = sample.conversation().len();
    let done = sample.done(id)?;
    if sample.conversation().len() != n_heard + 1 {
        return wrong("`done` must be the first that it says after `go`");
    }
    sample.settle()?;
    Ok(done)
}

fn goes(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for count in 1..=3 {
        let done = tick(sample)?;
        has(sample, "count", &json!(count), "Tick")?;
        let told = json!({"from": NODE, "to": PEER, "count": count});
        has_sent(&done, std::slice::from_ref(&told), "Tick")?;
        let arrived = sample.arrived()?;
        if arrived != told {
            return wrong(format!("it has sent {arrived} over the network, and says {told}"));
        }
    }
    match sample.ledger()?.offers().next() {
        None => Ok(()),
        Some(offer) => wrong(format!("it offers {}; at 3 there is no Tick any more", offer.action)),
    }
}

/// Sends a message, and gives the offer to take it.
fn send(sample: &mut Sample<'_>, message: &Json) -> Result<Offer, Fault> {
    sample.send(message)?;
    sample.settle()?;
    let offer = sample.offer("Take")?;
    if offer.message.as_ref() == Some(message) {
        return Ok(offer);
    }
    let offered = offer.message.unwrap_or_default();
    wrong(format!("it offers to take {}, and its peer has sent {}", shown(&offered), shown(message)))
}

fn takes_message(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for count in [2, 1] {
        let Offer { id, .. } = send(sample, &message(count))?;
        has(sample, "count", &json!(if count == 2 { 0 } else { 2 }), "a message that is not taken yet")?;
        sample.tell(&ToNode::Go { id })?;
        let done = sample.done(id)?;
        has(sample, "count", &json!(2), "Take")?;
        has_sent(&done, &[], "Take")?;
        sample.settle()?;
    }
    sample.stays_still()
}

fn drops(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let Offer { id, .. } = send(sample, &message(2))?;
    sample.tell(&ToNode::Drop { id })?;
    sample.done(id)?;
    sample.settle()?;
    has(sample, "count", &json!(0), "`drop`")?;
    if sample.ledger()?.offers().any(|offer| offer.action == "Take") {
        return wrong("it offers a message that was dropped");
    }
    sample.stays_still()
}

fn takes_twice(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let first = send(sample, &message(2))?;
    sample.tell(&ToNode::Twice { id: first.id })?;
    sample.done(first.id)?;
    has(sample, "count", &json!(2), "`twice`")?;
    sample.settle()?;
    let Ok(second) = sample.offer("Take") else {
        return wrong("after `twice` and `done`, it must offer the same message again");
    };
    if second.message != first.message {
        return wrong("after `twice`, it offers another message");
    }
    sample.tell(&ToNode::Go { id: second.id })?;
    sample.settle()?;
    if sample.ledger()?.offers().any(|offer| offer.action == "Take") {
        return wrong("after `twice`, it offers the message more than once more");
    }
    Ok(())
}

fn is_asked(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let tick = sample.offer("Tick")?;
    // Requests have numbers of their own, which may be those of offers.
    sample.request(tick.id, "Set", &[json!(1)])?;
    has(sample, "count", &json!(1), "the request Set with 1")?;
    sample.settle()?;
    sample.request(u64::MAX, "Set", &[json!(2)])?;
    has(sample, "count", &json!(2), "the request Set with 2")?;
    sample.settle()?;
    sample.offer("Tick").map(|_| ())
}

fn is_asked_in_vain(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let done = sample.request(7, "Fly", &[json!("high")])?;
    if !done.unknown {
        return wrong("a request that it does not know must be answered with `\"unknown\":true`");
    }
    sample.settle()?;
    let known = sample.request(8, "Set", &[json!(2)])?;
    if known.unknown {
        return wrong("it says that it does not know the request Set");
    }
    has(sample, "count", &json!(2), "the request Set with 2")
}

fn withdraws(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for (count, offered) in [(3, false), (1, true), (9, false), (0, true)] {
        sample.request(1, "Set", &[json!(count)])?;
        sample.settle()?;
        let stands = sample.ledger()?.offers().next().is_some();
        if stands != offered {
            let words = if offered { "does not stand" } else { "still stands: say `withdraw`" };
            return wrong(format!("count is {count}, and the offer of Tick {words}"));
        }
    }
    Ok(())
}

fn ignores_late_answers(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let Offer { id, .. } = sample.offer("Tick")?;
    sample.request(1, "Set", &[json!(3)])?;
    sample.settle()?;
    for late in [ToNode::Go { id }, ToNode::Drop { id }, ToNode::Twice { id }] {
        sample.tell_raw(&encode(&late))?;
        sample.request(2, "Keep", &[json!("still here")])?;
        has(sample, "count", &json!(3), "an answer to an offer that was withdrawn")?;
        sample.settle()?;
    }
    sample.stays_still()
}

fn keeps_offers(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let before = sample.offer("Tick")?.id;
    sample.request(1, "Keep", &[json!(1)])?;
    sample.settle()?;
    let after = sample.offer("Tick")?.id;
    if before == after {
        return Ok(());
    }
    wrong("it withdraws Tick and offers it anew, though nothing about it has changed")
}

/// Leaves a check out if the node does not take delivery.
fn starts_with_delivery(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    if sample.ledger()?.hello().is_some_and(|hello| hello.takes_delivery) {
        return Ok(());
    }
    Err(Fault::LeftOut("its `hello` does not promise `takes_delivery`"))
}

fn takes_delivery(sample: &mut Sample<'_>) -> Result<(), Fault> {
    starts_with_delivery(sample)?;
    // The sender is not known to have been a peer.
    for (from, count) in [(PEER, 2), ("", 5)] {
        sample.tell(&ToNode::Deliver { from: from.to_owned(), message: message(count) })?;
        sample.settle()?;
        let offer = sample.offer("Take")?;
        if offer.message != Some(message(count)) {
            return wrong(format!("it offers to take {}", shown(&offer.message.unwrap_or_default())));
        }
        sample.tell(&ToNode::Go { id: offer.id })?;
        sample.settle()?;
        has(sample, "count", &json!(count), "Take of what was delivered")?;
    }
    Ok(())
}

fn gives_values_back(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let deep = (0..60).fold(json!("deep"), |inner, _| json!([{ "in": inner }]));
    let values = [
        json!(u64::MAX),
        json!(9_007_199_254_740_993_u64),
        json!(-9_007_199_254_740_993_i64),
        json!(0),
        json!(""),
        json!("\" \\ / \u{8} \u{c} \n \r \t \u{0} \u{1f} \u{7f} \u{2028}"),
        json!("äöü ß 漢字 🦀 \u{10ffff}"),
        json!([]),
        json!({}),
        json!([null, true, false, [], {}, "null"]),
        json!({"": 1, "a b": {"\"": [2]}, "漢": "字"}),
        Json::Null,
        deep,
    ];
    for value in values {
        sample.request(1, "Keep", std::slice::from_ref(&value))?;
        has(sample, "value", &value, "the request Keep")?;
    }
    // The same, as another writer would write it.
    for (text, value) in [
        (r#"{"request":{"id":2,"action":"Keep","args":["\u00e4\ud83e\udd80\/"]}}"#, json!("ä🦀/")),
        (
            r#" { "request" : { "args" : [ { "a" : [ 1 , 2 ] } ] , "action" : "Keep" , "id" : 2 } } "#,
            json!({"a": [1, 2]}),
        ),
    ] {
        sample.tell_as_request(2, format!("{text}\n").as_bytes())?;
        sample.done(2)?;
        has(sample, "value", &value, "the request Keep")?;
    }
    // What a peer has sent must look the same when it is offered.
    let full = json!({"from": PEER, "to": NODE, "count": 1, "text": "漢 🦀 \"", "big": u64::MAX, "list": [1, {"a": null}]});
    send(sample, &full).map(|_| ())
}

fn says_notes(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let text = "a \"note\" in\nseveral lines, with ä";
    sample.request(1, "Note", &[json!(text)])?;
    sample.settle()?;
    match sample.ledger()?.notes() {
        [note] if note == text => Ok(()),
        [] => wrong("it was asked for a note, and says none"),
        notes => wrong(format!("it was asked for the note {text:?}, and says {notes:?}")),
    }
}

fn loses_peer(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    sample.end_peer()?;
    let done = tick(sample)?;
    has_sent(&done, &[json!({"from": NODE, "to": PEER, "count": 1})], "Tick without a peer")?;
    tick(sample).map(|_| ())
}

fn reads_pieces(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let line = r#"{"request":{"id":3,"action":"Keep","args":["ä 🦀"]}}"#;
    sample.begin_request(3)?;
    for byte in format!("{line}\n").as_bytes() {
        sample.write(&[*byte])?;
        // Each byte shall come by itself.
        let until = Instant::now() + Duration::from_micros(200);
        while Instant::now() < until {
            std::thread::yield_now();
        }
    }
    sample.done(3)?;
    has(sample, "value", &json!("ä 🦀"), "a request in pieces")?;
    sample.settle()?;
    // Several lines at once, of which the last is not whole yet.
    let late = encode(&ToNode::Go { id: u64::MAX });
    sample.begin_request(4)?;
    let line = "{\"request\":{\"id\":4,\"action\":\"Keep\",\"args\":[4]}}\n";
    let all = [&late[..], line.as_bytes(), &late, &late[..5]].concat();
    sample.tell_raw(&all)?;
    sample.done(4)?;
    has(sample, "value", &json!(4), "a request among other lines")?;
    sample.write(&late[5..])?;
    sample.request(5, "Keep", &[json!(5)])?;
    has(sample, "value", &json!(5), "a line that came in two parts")
}

fn has_long_lines(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    let long = json!("x".repeat(LONG));
    sample.request(1, "Keep", std::slice::from_ref(&long))?;
    has(sample, "value", &long, "a request of 16 MiB")?;
    sample.settle()
}

fn is_flooded_by_peer(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for count in 0..FLOOD {
        sample.send(&message(count))?;
    }
    takes_all(sample)
}

fn is_flooded_by_testbed(sample: &mut Sample<'_>) -> Result<(), Fault> {
    starts_with_delivery(sample)?;
    let deliver = |count| encode(&ToNode::Deliver { from: PEER.to_owned(), message: message(count) });
    let all: Vec<u8> = (0..FLOOD).flat_map(deliver).collect();
    sample.disturb()?;
    sample.write(&all)?;
    takes_all(sample)
}

/// Checks that all messages of a flood are offered once, and takes them, the last first.
fn takes_all(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let n_taken = |sample: &Sample<'_>| -> Result<usize, Fault> {
        Ok(sample.ledger()?.offers().filter(|offer| offer.action == "Take").count())
    };
    sample.settle()?;
    while n_taken(sample)? < usize::try_from(FLOOD).unwrap_or(usize::MAX) {
        if !sample.hear(Duration::from_secs(1))? {
            return wrong(format!("of {FLOOD} messages it offers {}", n_taken(sample)?));
        }
    }
    sample.settle()?;
    let takes = sample.ledger()?.offers().filter(|offer| offer.action == "Take");
    let offers: Vec<(u64, Json)> =
        takes.map(|offer| (offer.id, offer.message.clone().unwrap_or_default())).collect();
    let counts: BTreeSet<u64> = offers.iter().filter_map(|(_, message)| message["count"].as_u64()).collect();
    if !counts.into_iter().eq(0..FLOOD) || offers.len() as u64 != FLOOD {
        return wrong(format!("of {FLOOD} messages it does not offer each once, but {}", offers.len()));
    }
    for (id, _) in offers.into_iter().rev() {
        sample.tell(&ToNode::Go { id })?;
        sample.done(id)?;
    }
    sample.settle()?;
    has(sample, "count", &json!(FLOOD - 1), "all messages of a flood")
}

fn works_in_threads(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    sample.request(1, "Work", &[json!(THREADS)])?;
    let jobs = |sample: &Sample<'_>| -> Result<Vec<(u64, Option<u64>)>, Fault> {
        let offers = sample.ledger()?.offers().filter(|offer| offer.action == "Job");
        Ok(offers.map(|offer| (offer.id, offer.args[0].as_u64())).collect())
    };
    while (jobs(sample)?.len() as u64) < THREADS {
        if !sample.hear(Duration::from_secs(2))? {
            return wrong(format!("after Work with {THREADS}, it offers {} Jobs", jobs(sample)?.len()));
        }
    }
    sample.settle()?;
    let offers = jobs(sample)?;
    let numbers: BTreeSet<u64> = offers.iter().filter_map(|(_, number)| *number).collect();
    if !numbers.into_iter().eq(0..THREADS) || offers.len() as u64 != THREADS {
        return wrong(format!("the Jobs that it offers are not those from 0 to {}", THREADS - 1));
    }
    for (n_done, (id, _)) in offers.into_iter().rev().enumerate() {
        sample.tell(&ToNode::Go { id })?;
        sample.done(id)?;
        has(sample, "jobs", &json!(n_done + 1), "Job")?;
    }
    sample.settle()
}

fn jumps(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    for hours in 1..=2 {
        let done = sample.request(hours, "kilter.clock", &[])?;
        if done.unknown {
            return wrong("it does not know the request `kilter.clock`");
        }
        has(sample, "hours", &json!(hours), "a jump of the clock")?;
        sample.settle()?;
    }
    Ok(())
}

fn connects_by_tcp(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start_over(Control::Tcp)?;
    tick(sample)?;
    has(sample, "count", &json!(1), "Tick")
}

fn stops(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    sample.tell(&ToNode::Stop {})?;
    sample.ends("after `stop`").map(|_| ())
}

fn ends_with_testbed(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.start()?;
    sample.hang_up()?;
    sample.ends("after the testbed is gone")?;

    sample.start()?;
    sample.write(br#"{"go":{"id""#)?;
    sample.hang_up()?;
    sample.ends("after the testbed is gone in the middle of a line")?;

    // It has something to say just then.
    sample.start()?;
    sample.write(b"{\"request\":{\"id\":1,\"action\":\"Work\",\"args\":[50]}}\n")?;
    sample.hang_up()?;
    sample.ends("after the testbed is gone while it works")?;

    sample.launch(Some("unix:/nobody/listens/here"))?;
    let how = sample.ends("though there is no testbed at KILTER_ADDRESS")?;
    if how == "exit code 0" {
        return wrong("there is no testbed at KILTER_ADDRESS, and it ends with exit code 0");
    }
    Ok(())
}

fn ends_at_garbage(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let long = [vec![b'x'; LINE_BYTES_MAX + 1], vec![b'\n']].concat();
    let lines: [&[u8]; 9] = [
        b"gibberish\n",
        b"{}\n",
        b"[]\n",
        b"{\"fly\":{}}\n",
        b"{\"go\":{\"id\":\"ID\"}}\n",
        b"{\"go\":{}}\n",
        b"{\"go\":{\"id\":ID}} {\n",
        b"{\"go\":{\"id\":ID}\n",
        &long,
    ];
    for line in lines {
        sample.start()?;
        // Each line would let the node go if it were read carelessly.
        let id = sample.offer("Tick")?.id.to_string();
        let line = if line.len() > 100 { line.to_vec() } else { replaced(line, &id) };
        // A node may end before it has read it all.
        match sample.tell_raw(&line) {
            Ok(()) | Err(Fault::Wrong(_)) => {}
            Err(trouble) => return Err(trouble),
        }
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).trim_end().to_owned();
        sample.ends(&format!("after the line `{shown}`, which is not of the protocol"))?;
        while let Ok(true) = sample.hear(Duration::ZERO) {}
        if sample.conversation().iter().any(|line| line.contains("\"done\"")) {
            return wrong(format!("it takes an action at `{shown}`, which is not of the protocol"));
        }
    }
    Ok(())
}

fn replaced(line: &[u8], id: &str) -> Vec<u8> {
    String::from_utf8_lossy(line).replace("ID", id).into_bytes()
}

fn runs_alone(sample: &mut Sample<'_>) -> Result<(), Fault> {
    sample.launch(None)?;
    for count in 1..=2 {
        let arrived = sample.arrived()?;
        if arrived["count"] != json!(count) {
            return wrong(format!("without a testbed, tick {count} sends {arrived}"));
        }
    }
    // Messages are taken in as they come.
    sample.send(&message(9))?;
    if let Some(how) = sample.how_ends(Duration::from_millis(1500))? {
        return wrong(format!("without a testbed, it ends ({how})"));
    }
    Ok(())
}

fn writes_trace(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let checked = trace::check(sample);
    sample.trace_to(None);
    checked
}

fn has_clocks(sample: &mut Sample<'_>) -> Result<(), Fault> {
    let checked = clocks::check(sample);
    sample.trace_to(None);
    checked
}
