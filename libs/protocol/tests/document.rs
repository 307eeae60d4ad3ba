//! The examples of docs/protocol.md are messages, and there is one of each kind.

use std::collections::BTreeSet;
use std::fs;

use kilter_protocol::{FromNode, LINE_BYTES_MAX, ToNode, VERSION, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

const NODE_SAYS: [&str; 7] = ["hello", "report", "offer", "withdraw", "done", "still", "note"];
const NODE_IS_TOLD: [&str; 7] = ["welcome", "go", "drop", "twice", "request", "deliver", "stop"];

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.md");
    fs::read_to_string(path).expect("docs/protocol.md is there")
}

/// The lines of the blocks of a kind in a section.
fn lines(section: &str, kind: &str) -> Vec<String> {
    let text = document();
    let from = text.find(&format!("## {section}\n")).unwrap_or_else(|| panic!("a section {section}"));
    let rest = &text[from + 3..];
    let section = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
    let begin = format!("```{kind}\n");
    let blocks = section.split(&begin).skip(1);
    blocks.flat_map(|block| block.lines().take_while(|line| *line != "```")).map(str::to_owned).collect()
}

/// Reads a line as a message, checks that writing it gives the same JSON, and tells its name.
#[track_caller]
fn check<M: Serialize + DeserializeOwned>(line: &str) -> String {
    let message: M = decode(line.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let given: Json = serde_json::from_str(line).expect("it was decoded");
    let mut written: Json = serde_json::from_slice(&encode(&message)).expect("it was encoded");
    leave_out_false(&given, &mut written);
    assert_eq!(written, given);
    let name = given.as_object().and_then(|object| object.keys().next());
    name.expect("an object with one field").clone()
}

/// `false` may be left out, and is written all the same.
fn leave_out_false(given: &Json, written: &mut Json) {
    let (Some(given), Some(hello)) = (given.get("hello"), written.get_mut("hello")) else { return };
    let fields = hello.as_object_mut().expect("hello has fields");
    fields.retain(|name, value| given.get(name).is_some() || *value != Json::Bool(false));
}

#[test]
fn each_message_has_an_example() {
    let said: BTreeSet<String> =
        lines("What a node says", "json").iter().map(|line| check::<FromNode>(line)).collect();
    assert_eq!(said, NODE_SAYS.map(str::to_owned).into());
    let told: BTreeSet<String> =
        lines("What a node is told", "json").iter().map(|line| check::<ToNode>(line)).collect();
    assert_eq!(told, NODE_IS_TOLD.map(str::to_owned).into());
}

#[test]
fn the_short_run_is_made_of_messages() {
    let run = lines("A short run", "text");
    assert!(run.len() > 10);
    for line in run {
        match line.split_at(2) {
            ("> ", said) => check::<FromNode>(said),
            ("< ", told) => check::<ToNode>(told),
            _ => panic!("neither said nor told: {line}"),
        };
    }
}

#[test]
fn the_document_is_about_this_version_and_limit() {
    assert!(document().contains(&format!("This is version {VERSION}.")));
    assert!(document().contains(&format!("at most {} MiB", LINE_BYTES_MAX >> 20)));
}
