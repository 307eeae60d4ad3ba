//! The results of one piece of a worker's work, and the events that end a search.

use kilter_base::Name;
use kilter_eval::{ErrorKind, EvalError, Label};
use kilter_value::Value;

use crate::outcome::Coverage;

/// The successors of a chunk of states.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) generated: u64,
    /// The states that were not known when they were found. Some of them may be equal.
    pub(crate) rows: Vec<Value>,
    pub(crate) keys: Vec<Value>,
    pub(crate) found: Vec<Found>,
    /// Those of `found` that are known after all, because they are on disk: their indices, in order, and their numbers.
    pub(crate) recalled: Vec<(u32, u32)>,
    /// All transitions, if the graph is kept. The target is a known state or an index into `found`. With SYMMETRY, the
    /// last field is the state that the transition really leads to, as a tuple.
    pub(crate) edges: Vec<(u32, Target, Label, Option<Value>)>,
    /// Pairs of a state and a successor, if links are recorded for temporal properties.
    pub(crate) links: Vec<(u32, Target)>,
    pub(crate) coverage: Vec<Coverage>,
    /// Violations after which the search goes on: the first of each property in this chunk.
    pub(crate) violations: Vec<Passed>,
    /// What the specification printed.
    pub(crate) printed: Vec<String>,
    /// The event because of which the chunk was not finished.
    pub(crate) event: Option<Event>,
}

/// A violation after which the search goes on.
#[derive(Debug)]
pub(crate) struct Passed {
    /// How many states of the chunk had been found by then.
    pub(crate) n_found: usize,
    pub(crate) event: Event,
}

/// A state that was not known when it was found.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) source: u32,
    pub(crate) hash: u32,
    pub(crate) action: u32,
}

/// The state that a transition leads to.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Known(u32),
    Found(u32),
}

/// An event that ends a search, or a violation after which it goes on.
#[derive(Debug)]
pub(crate) struct Event {
    /// The state that was being explored. `None` for initial states.
    pub(crate) source: Option<u32>,
    /// The successor at which it happened. `None` if it happened in the source itself.
    pub(crate) successor: Option<Vec<Value>>,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Deadlock,
    Invariant(Name),
    Property(Name),
    Error(EvalError),
    /// The disk can't be used any more. The space knows why.
    Disk,
}

impl Chunk {
    /// Adds a state. `key` identifies it, if the state itself does not.
    pub(crate) fn push(&mut self, row: &[Value], key: Option<&[Value]>, found: Found) {
        self.rows.extend_from_slice(row);
        self.keys.extend_from_slice(key.unwrap_or_default());
        self.found.push(found);
    }

    /// Adds a violation after which the search goes on, unless it is not the first of its kind.
    pub(crate) fn pass(&mut self, event: Event) {
        if !self.violations.iter().any(|passed| passed.event.what.is_like(&event.what)) {
            self.violations.push(Passed { n_found: self.found.len(), event });
        }
    }

    /// The memory that the chunk takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Value>() * (self.rows.capacity() + self.keys.capacity())
            + size_of::<Found>() * self.found.capacity()
            + size_of::<(u32, Target, Label, Option<Value>)>() * self.edges.capacity()
            + size_of::<(u32, Target)>() * self.links.capacity()
    }

    /// Whether the state at this index is identified by `key`.
    pub(crate) fn has_at(
        &self,
        index: u32,
        hash: u32,
        key: &[Value],
        n_vars: usize,
        key_width: Option<usize>,
    ) -> bool {
        let found = self.found.get(index as usize);
        found.is_some_and(|found| found.hash == hash) && self.key(index as usize, n_vars, key_width) == key
    }

    pub(crate) fn row(&self, index: usize, n_vars: usize) -> &[Value] {
        &self.rows[index * n_vars..(index + 1) * n_vars]
    }

    pub(crate) fn key(&self, index: usize, n_vars: usize, key_width: Option<usize>) -> &[Value] {
        match key_width {
            None => self.row(index, n_vars),
            Some(width) => &self.keys[index * width..(index + 1) * width],
        }
    }
}

impl Event {
    /// Whether the search was told to stop here. Such an event says nothing about the specification.
    pub(crate) fn is_stop(&self) -> bool {
        self.what.is_stop()
    }
}

impl What {
    pub(crate) fn is_stop(&self) -> bool {
        matches!(self, What::Error(error) if error.kind == ErrorKind::Stopped)
    }

    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, What::Error(error) if error.kind == ErrorKind::OutOfMemory)
    }
}

/// Drops the chunks after the first event. An event that only says that a worker was told to stop does not count if a
/// later chunk has a finding.
pub(crate) fn up_to_event(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    let finding = |chunk: &Chunk| chunk.event.as_ref().is_some_and(|event| !event.is_stop());
    if let Some(end) = chunks.iter().position(finding) {
        chunks.truncate(end + 1);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(what: Option<What>) -> Chunk {
        let event = what.map(|what| Event { source: None, successor: None, what });
        Chunk { event, ..Chunk::default() }
    }

    fn stopped() -> What {
        What::Error(EvalError {
            kind: ErrorKind::Stopped,
            message: String::new(),
            span: None,
            chain: Vec::new(),
        })
    }

    #[test]
    fn nothing_counts_after_the_first_finding() {
        let chunks = up_to_event(vec![chunk(None), chunk(Some(What::Deadlock)), chunk(Some(What::Deadlock))]);
        assert_eq!(chunks.len(), 2);
    }

    #[test]
    fn a_stop_hides_no_finding() {
        let chunks = up_to_event(vec![chunk(Some(stopped())), chunk(None), chunk(Some(What::Deadlock))]);
        let last = chunks.last().and_then(|chunk| chunk.event.as_ref());
        assert!(matches!(last, Some(Event { what: What::Deadlock, .. })));
    }
}
