//! What was said between a cluster and its nodes in a case. It is kept in memory, and written only if somebody wants it.

use std::io::{self, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::world::NodeName;

/// With more bytes than this, the older half is dropped.
const BYTES_MAX: usize = 1 << 20;
/// Longer lines are cut.
const LINE_BYTES_MAX: usize = 16 << 10;

/// Who has said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The node has said it.
    Said,
    /// The node was told it.
    Told,
    /// It is about what was done to the node.
    Done,
}

/// The lines of a case, with the time of each.
pub(super) struct Transcript {
    begun: Instant,
    lines: Vec<Line>,
    text: Vec<u8>,
    n_dropped: u64,
}

struct Line {
    at: Duration,
    node: usize,
    way: Way,
    text: Range<usize>,
    n_cut: usize,
}

impl Transcript {
    pub(super) fn new() -> Transcript {
        Transcript { begun: Instant::now(), lines: Vec::new(), text: Vec::new(), n_dropped: 0 }
    }

    /// Begins a new case.
    pub(super) fn clear(&mut self) {
        self.begun = Instant::now();
        self.lines.clear();
        self.text.clear();
        self.n_dropped = 0;
    }

    /// Adds a line.
    pub(super) fn add(&mut self, node: usize, way: Way, line: &[u8]) {
        let line = line.trim_ascii_end();
        let (kept, cut) = line.split_at(line.len().min(LINE_BYTES_MAX));
        if self.text.len() + kept.len() > BYTES_MAX {
            self.drop_half();
        }
        let begin = self.text.len();
        self.text.extend_from_slice(kept);
        let text = begin..self.text.len();
        self.lines.push(Line { at: self.begun.elapsed(), node, way, text, n_cut: cut.len() });
    }

    /// Drops the older half of the lines.
    fn drop_half(&mut self) {
        let n_lines = self.lines.iter().position(|line| line.text.end > BYTES_MAX / 2);
        let n_lines = n_lines.map_or(self.lines.len(), |index| index + 1);
        let n_bytes = self.lines[..n_lines].last().map_or(0, |line| line.text.end);
        self.lines.drain(..n_lines);
        self.text.drain(..n_bytes);
        for line in &mut self.lines {
            line.text = line.text.start - n_bytes..line.text.end - n_bytes;
        }
        self.n_dropped += n_lines as u64;
    }

    /// Writes all lines for people.
    pub(super) fn write(&self, names: &[NodeName], out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "# seconds since the start of the case, node, and what it said (>), what it was told (<), or what was done to it (*)"
        )?;
        if self.n_dropped > 0 {
            writeln!(out, "# there was more than fits: the first {} lines are left out", self.n_dropped)?;
        }
        for Line { at, node, way, text, n_cut } in &self.lines {
            let way = match way {
                Way::Said => '>',
                Way::Told => '<',
                Way::Done => '*',
            };
            let name = names.get(*node).map_or("?", |name| &**name);
            write!(out, "{:.6} {name} {way} ", at.as_secs_f64())?;
            out.write_all(&self.text[text.clone()])?;
            if *n_cut > 0 {
                write!(out, " … and {n_cut} more bytes")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(transcript: &Transcript) -> Vec<String> {
        let mut out = Vec::new();
        transcript.write(&["n1".into(), "n2".into()], &mut out).expect("memory can be written");
        let text = String::from_utf8(out).expect("text");
        // Times are not the same twice.
        text.lines()
            .skip(1)
            .map(|line| line.split_once(' ').map_or(line, |(_, rest)| rest).to_owned())
            .collect()
    }

    #[test]
    fn lines_say_who_and_in_which_direction() {
        let mut transcript = Transcript::new();
        transcript.add(0, Way::Done, b"started");
        transcript.add(0, Way::Said, b"{\"still\":{}}\n");
        transcript.add(1, Way::Told, b"{\"go\":{\"id\":7}}\n");
        assert_eq!(written(&transcript), ["n1 * started", "n1 > {\"still\":{}}", "n2 < {\"go\":{\"id\":7}}"]);
        transcript.clear();
        assert_eq!(written(&transcript), Vec::<String>::new());
    }

    #[test]
    fn there_is_a_bound_and_the_last_lines_stay() {
        let mut transcript = Transcript::new();
        for number in 0..300 {
            transcript.add(0, Way::Said, format!("{number} {}", "x".repeat(20_000)).as_bytes());
            assert!(transcript.text.len() <= BYTES_MAX);
        }
        let lines = written(&transcript);
        assert!(lines[0].starts_with("there was more than fits: the first"), "{}", lines[0]);
        let last = lines.last().expect("a line");
        assert!(last.starts_with("n1 > 299 x") && last.ends_with("… and 3620 more bytes"), "{last}");
    }
}
