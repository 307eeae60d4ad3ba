//! Notices that nodes resynchronise again and again, and never come to an end. Nobody has to wait for that to pass.

use std::time::{Duration, Instant};

use kilter_testbed::remains::read_tail;

use super::Seen;
use crate::nodes::Seat;

/// In one wait, each node resynchronises once or twice. With so many of one kind for each node, nodes run in circles.
const ROUNDS_MAX: u64 = 8;
/// The pause between two looks at the logs.
const PAUSE: Duration = Duration::from_millis(500);

/// How often a node has written of each kind of resynchronisation.
pub(super) fn of_node(seat: &Seat, kinds: &[(String, String)]) -> Seen {
    if kinds.is_empty() {
        return Seen::new();
    }
    let output = read_tail(&seat.output(), 0).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    let n_lines = |text: &str| output.lines().filter(|line| line.contains(text)).count() as u64;
    kinds.iter().map(|(name, text)| (name.clone(), n_lines(text))).collect()
}

/// The number of lines with a text that nodes have written.
fn n_lines(seats: &[&Seat], text: &str) -> u64 {
    let of = |seat: &&Seat| {
        let output = read_tail(&seat.output(), 0).unwrap_or_default();
        String::from_utf8_lossy(&output).lines().filter(|line| line.contains(text)).count() as u64
    };
    seats.iter().map(of).sum()
}

/// The resynchronisations in one wait.
pub(super) struct Rounds<'a> {
    seats: &'a [&'a Seat],
    /// The text of each kind, with the number of lines at the beginning.
    kinds: Vec<(&'a str, u64)>,
    looked: Instant,
}

impl<'a> Rounds<'a> {
    /// Begins to count.
    pub(super) fn new(seats: &'a [&'a Seat], kinds: &'a [(String, String)]) -> Self {
        let kinds = kinds.iter().map(|(_, text)| (text.as_str(), n_lines(seats, text))).collect();
        Self { seats, kinds, looked: Instant::now() }
    }

    /// Whether nodes have resynchronised so often that they run in circles.
    pub(super) fn are_too_many(&mut self) -> bool {
        if self.kinds.is_empty() || self.looked.elapsed() < PAUSE {
            return false;
        }
        self.looked = Instant::now();
        let most = ROUNDS_MAX * self.seats.len() as u64;
        self.kinds.iter().any(|(text, before)| n_lines(self.seats, text).saturating_sub(*before) >= most)
    }
}
