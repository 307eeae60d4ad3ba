//! A system, its specification and a `#[test]` that drives the one along the other: `cargo test -p kilter --example cargo_test`
//!
//! The system is a cache: a client sends numbers, and a server says whether the latest is the largest so far. Both are state machines in
//! this process, so nothing has to be started. For a system of processes, `kilter.toml` names a `command` instead of a `world`, and
//! `worlds` below is not needed.

use std::collections::BTreeSet;
use std::path::Path;

use kilter::test::{TestOptions, run};
use kilter::{Error, Host, Worlds};
use kilter_testbed::{Call, InProcess, Machine, Outbox};
use serde_json::{Map, Value as Json, json};

#[derive(Clone, Default)]
struct Node {
    is_server: bool,
    /// The bug: a number that is sent again is not the largest any more.
    strict: bool,
    cache: BTreeSet<u64>,
    answer: Option<&'static str>,
}

#[derive(Clone, PartialEq)]
enum Message {
    Request(u64),
    Answer(&'static str),
}

impl Machine for Node {
    type Action = ();
    type Message = Message;

    fn actions(&self) -> Vec<()> {
        Vec::new()
    }

    fn call(&self, (): &()) -> Call {
        Call::new("Nothing", [])
    }

    fn act(&mut self, (): (), _: &mut Outbox<Message>) -> Result<(), String> {
        Ok(())
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        let name = if matches!(message, Message::Request(_)) { "Respond" } else { "Receive" };
        Some(Call::new(name, []))
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match message {
            Message::Request(number) => {
                let is_new = self.cache.insert(number);
                let is_largest = self.cache.last() == Some(&number) && (is_new || !self.strict);
                outbox.send("client", Message::Answer(if is_largest { "Max" } else { "NotMax" }));
            }
            Message::Answer(text) => self.answer = Some(text),
        }
        Ok(())
    }

    fn request(&mut self, _: &str, args: &[Json], outbox: &mut Outbox<Message>) -> Result<(), String> {
        let number = args.first().and_then(Json::as_u64).ok_or("a number is expected")?;
        outbox.send("server", Message::Request(number));
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        let (name, value) =
            if self.is_server { ("cache", json!(self.cache)) } else { ("answer", json!(self.answer)) };
        Map::from_iter([(name.to_owned(), value)])
    }

    fn show(message: &Message) -> Json {
        match message {
            Message::Request(number) => json!({ "type": "request", "number": number }),
            Message::Answer(text) => json!({ "type": "answer", "text": text }),
        }
    }

    fn restart(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// Drives the system along all cases; how many passed, and what was found, as text for people.
fn conform(strict: bool, report: &Path) -> Result<(usize, Vec<String>, String), Error> {
    let worlds = Worlds::default().with("cache", move |system| {
        let names = system.nodes().iter().map(String::as_str);
        let node = move |name: &std::sync::Arc<str>| Node {
            is_server: &**name == "server",
            strict,
            ..Node::default()
        };
        Ok(Box::new(InProcess::new(names, node)))
    });
    let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cargo_test/kilter.toml");
    let mut options = TestOptions::of(mapping);
    options.run.report = Some(report.to_path_buf());
    let ended = run(&options, &mut Host { worlds, ..Host::default() })?;
    let ran = ended.ran().expect("cases are run, not listed");
    let passed = ran.record.cases.iter().filter(|case| case.passed).count();
    let found = ran.record.findings.iter().map(|finding| finding.summary.clone()).collect();
    Ok((passed, found, ran.text()))
}

#[allow(clippy::print_stdout, reason = "it is a program")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let report = tempfile::tempdir()?;
    let (passed, ..) = conform(false, report.path())?;
    println!("{passed} cases passed");
    let (_, _, text) = conform(true, report.path())?;
    println!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::conform;

    #[test]
    fn the_cache_conforms() {
        let report = tempfile::tempdir().expect("a folder");
        let (passed, found, text) = conform(false, report.path()).expect("it can be run");
        assert!(passed > 3 && found.is_empty(), "{text}");
        assert!(report.path().join("report.html").is_file());
    }

    #[test]
    fn the_bug_is_found() {
        let report = tempfile::tempdir().expect("a folder");
        let (_, found, text) = conform(true, report.path()).expect("it can be run");
        assert!(found.iter().any(|summary| summary.contains("Respond")), "{text}");
    }
}
