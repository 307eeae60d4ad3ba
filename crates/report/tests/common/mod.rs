//! What the tests share: records to report on.

#![allow(dead_code, reason = "each test uses its part")]

pub mod any;
pub mod browser;

use kilter_report::{Record, read};

/// A run of an election with a finding of each kind.
pub const ELECTION: &str = include_str!("../records/election.jsonl");

/// A search of a broadcast with its bug.
pub const BROADCAST: &str = include_str!("../records/broadcast.jsonl");

/// Schedules on a store with a bug.
pub const TOYSTORE: &str = include_str!("../records/toystore.jsonl");

/// A record of these lines, which can be read.
pub fn record(text: &str) -> Record {
    read(text.as_bytes()).expect("a record")
}
