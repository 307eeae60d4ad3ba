//! Explores a block of states in three phases. Workers compute the successors of the block's chunks. Then one thread
//! adds the new states in the order of the chunks. Then workers check the new states. The order of the chunks does not
//! depend on who computed them. So states have the same numbers, and verdicts and traces are the same, for any number
//! of workers.

#![expect(
    clippy::disallowed_methods,
    reason = "measures how long a block takes, to choose the size of the next"
)]

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

use kilter_eval::{ErrorKind, EvalError, Part};

use crate::chunk::{Chunk, Event, Passed, Target, What, up_to_event};
use crate::expand::{Hand, Model};
use crate::outcome::Edge;
use crate::search::Search;
use crate::space::Space;
use crate::violations::Place;

/// The initial states are divided into this many parts for each worker.
const PARTS_PER_HAND: usize = 8;

/// The error when there is no memory for more states.
fn out_of_memory() -> EvalError {
    let message = "out of memory for states".to_owned();
    EvalError { kind: ErrorKind::OutOfMemory, message, span: None, chain: Vec::new() }
}

impl Search<'_, '_> {
    /// Finds the initial states, in order. The list ends with the first chunk that has an event.
    pub(crate) fn initial(&mut self) -> Vec<Chunk> {
        let model = &self.model;
        let n_hands = self.crew.hands.len();
        // Parts may differ in size. With more parts than hands, the work is shared out more evenly.
        let of = if n_hands > 1 { PARTS_PER_HAND * n_hands } else { 1 };
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        self.crew.run(of, |_, hand| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= of {
                    break;
                }
                let chunk = hand.initial(model, Part { index, of });
                if chunk.event.is_some() {
                    // An event ends the search, so later parts do not matter any more.
                    next.store(of, Ordering::Relaxed);
                }
                done.lock().expect("no worker panics while it holds the lock").push((index, chunk));
            }
        });
        let mut chunks = done.into_inner().expect("no worker panics while it holds the lock");
        chunks.sort_by_key(|(index, _)| *index);
        up_to_event(chunks.into_iter().map(|(_, chunk)| chunk).collect())
    }

    /// Tells the workers how far the search is.
    pub(crate) fn inform(&mut self) {
        for hand in &mut self.crew.hands {
            let info = &mut hand.worker.info;
            info.generated = self.counts.generated;
            info.distinct = self.counts.distinct;
            info.queue = self.counts.queue;
            info.diameter = self.counts.depth;
            info.duration_s = self.started.elapsed().as_secs();
        }
    }

    /// Explores a block of states. The error is the event that ends the search.
    pub(crate) fn block(&mut self, block: Range<u32>) -> Result<(), Event> {
        let began = Instant::now();
        self.inform();
        let first = self.space.len();
        self.space.hold(block.clone());
        self.usable()?;
        let chunks = self.expand(block);
        self.usable()?;
        if self.keeper.is_some()
            && let Some(stop) = stopped(&chunks)
        {
            // Half a block would be no place to go on from.
            return Err(stop);
        }
        if self.allowance.is_limited() {
            self.block_found = self.block_found.max(chunks.iter().map(|chunk| chunk.found.len()).sum());
            self.block_bytes = self.block_bytes.max(chunks.iter().map(Chunk::memory_bytes).sum());
        }
        let taken_in = self.take_in(chunks, first, self.counts.depth + 1);
        self.usable()?;
        taken_in?;
        self.pace.adapt(began.elapsed(), self.allowance.is_limited());
        Ok(())
    }

    /// The error is the event that the disk can't be used any more. Then nothing counts that was read since.
    fn usable(&self) -> Result<(), Event> {
        match self.space.trouble() {
            Some(_) => Err(Event { source: None, successor: None, what: What::Disk }),
            None => Ok(()),
        }
    }

    /// Computes the successors of a block's states, as chunks in order. The list ends with the first chunk that has an
    /// event.
    pub(crate) fn expand(&mut self, block: Range<u32>) -> Vec<Chunk> {
        let (model, space, level) = (&self.model, &self.space, self.counts.depth);
        let ends_at = AtomicU32::new(u32::MAX);
        let chunks = self.crew.map_chunks(block, |hand, sources| {
            let start = sources.start;
            if start > ends_at.load(Ordering::Relaxed) {
                return None;
            }
            let chunk = hand.expand(model, space, sources, level);
            if chunk.event.is_some() {
                ends_at.fetch_min(start, Ordering::Relaxed);
            }
            Some(chunk)
        });
        up_to_event(chunks)
    }

    /// Adds the new states of chunks and checks them. The error is the event that ends the search.
    pub(crate) fn take_in(&mut self, chunks: Vec<Chunk>, first: u32, level: u32) -> Result<(), Event> {
        let event = self.merge_all(chunks);
        let checked = self.check_new(first..self.space.len(), level);
        let end = checked.as_ref().err().map(|(id, _)| Place::state(*id));
        self.violations.end_block(end);
        checked.map_err(|(_, event)| event)?;
        event.map_or(Ok(()), Err)
    }

    /// Adds the new states of chunks, in order. Returns the event of the last chunk, if it ended early.
    fn merge_all(&mut self, chunks: Vec<Chunk>) -> Option<Event> {
        let mut event = None;
        for chunk in chunks {
            // A chunk that was told to stop may be followed by one with a violation.
            event = self.merge(chunk).or(event);
            if event.as_ref().is_some_and(|event| event.what.is_out_of_memory()) {
                break;
            }
        }
        event
    }

    /// Adds the new states of a chunk, in order. Returns the event that ended the chunk early.
    fn merge(&mut self, mut chunk: Chunk) -> Option<Event> {
        let n_vars = self.model.program.variables.len();
        let key_width = self.model.identity.key_width(n_vars);
        let keep_ids = self.model.graph || self.model.links;
        let has_room = self.space.try_reserve(chunk.found.len())
            && self.edges.try_reserve(chunk.edges.len()).is_ok()
            && self.liveness.as_mut().is_none_or(|liveness| liveness.try_reserve(chunk.links.len()))
            && self.allowance.has_slack();
        if !has_room {
            return Some(Event { source: None, successor: None, what: What::Error(out_of_memory()) });
        }
        for line in &chunk.printed {
            self.progress.print(line);
        }
        let mut passed = std::mem::take(&mut chunk.violations).into_iter().peekable();
        let mut ids = Vec::with_capacity(if keep_ids { chunk.found.len() } else { 0 });
        let mut recalled = std::mem::take(&mut chunk.recalled).into_iter().peekable();
        for (index, found) in chunk.found.iter().enumerate() {
            while let Some(Passed { event, .. }) = passed.next_if(|passed| passed.n_found <= index) {
                self.violations.add(Place::step(self.space.len()), event);
            }
            let key = chunk.key(index, n_vars, key_width);
            let known = recalled.next_if(|(at, _)| *at as usize == index).map(|(_, id)| id);
            let id = match known.or_else(|| self.space.find(key, found.hash)) {
                Some(id) => id,
                None => {
                    if let Some(coverage) = self.coverage.get_mut(found.action as usize) {
                        coverage.new += 1;
                    }
                    let parent = (found.source != u32::MAX).then_some(found.source);
                    self.space.add(chunk.row(index, n_vars), key, found.hash, parent)
                }
            };
            if keep_ids {
                ids.push(id);
            }
        }
        for Passed { event, .. } in passed {
            self.violations.add(Place::step(self.space.len()), event);
        }
        self.counts.generated += chunk.generated;
        self.counts.distinct = u64::from(self.space.len());
        for (total, part) in self.coverage.iter_mut().zip(&chunk.coverage) {
            total.enabled += part.enabled;
            total.taken += part.taken;
        }
        let number = |target: &Target| match target {
            Target::Known(id) => *id,
            Target::Found(index) => ids[*index as usize],
        };
        if let Some(liveness) = &mut self.liveness {
            liveness.link(&chunk.links, number);
        }
        self.edges.extend(chunk.edges.iter().map(|(source, target, label, successor)| Edge {
            source: *source,
            target: number(target),
            action: label.action.map_or(u32::MAX, |action| action.0),
            args: label.args,
            blocks: label.blocks,
            successor: *successor,
        }));
        chunk.event
    }

    /// Checks invariants and properties in new states. The error is the first event that ends the search, in the order
    /// of the states, with its state.
    fn check_new(&mut self, states: Range<u32>, level: u32) -> Result<(), (u32, Event)> {
        let program = self.model.program;
        let initial = level == 1 && !program.properties.initial.is_empty();
        if program.invariants.is_empty() && program.properties.invariants.is_empty() && !initial {
            return Ok(());
        }
        let (model, space) = (&self.model, &self.space);
        let first_bad = AtomicU32::new(u32::MAX);
        let chunks = self.crew.map_chunks(states, |hand, chunk| {
            // A chunk that starts later cannot have an earlier violation.
            if chunk.start > first_bad.load(Ordering::Relaxed) {
                return None;
            }
            hand.worker.info.level = level;
            let checked = hand.check_chunk(model, space, chunk);
            if let Some((id, _)) = checked.end {
                first_bad.fetch_min(id, Ordering::Relaxed);
            }
            Some(checked)
        });
        let event = |space: &Space, id: u32, what: What| {
            let parent = space.parent(id);
            let source = (parent != id).then_some(parent);
            Event { source, successor: Some(space.row(id).to_vec()), what }
        };
        let mut ends = Vec::new();
        for Checked { passed, end, printed } in chunks {
            for line in &printed {
                self.progress.print(line);
            }
            for (id, what) in passed {
                self.violations.add(Place::state(id), event(&self.space, id, what));
            }
            ends.extend(end);
        }
        // As in `up_to_event`, being told to stop must not hide a violation.
        let first = ends.iter().position(|(_, what)| !what.is_stop()).unwrap_or(0);
        match ends.into_iter().nth(first) {
            None => Ok(()),
            Some((id, what)) => Err((id, event(&self.space, id, what))),
        }
    }
}

/// The event of chunks that were told to stop, if nothing else ended them.
fn stopped(chunks: &[Chunk]) -> Option<Event> {
    let mut events = chunks.iter().filter_map(|chunk| chunk.event.as_ref());
    let Event { what, .. } = events.find(|event| event.is_stop())?;
    let What::Error(error) = what else { return None };
    let has_finding = chunks.iter().filter_map(|chunk| chunk.event.as_ref()).any(|event| !event.is_stop());
    let what = What::Error(error.clone());
    (!has_finding).then_some(Event { source: None, successor: None, what })
}

/// The result of checking some states.
#[derive(Default)]
struct Checked {
    /// Violations after which the search goes on, with their states: the first of each property.
    passed: Vec<(u32, What)>,
    /// What ends the search, with its state.
    end: Option<(u32, What)>,
    /// What the specification printed.
    printed: Vec<String>,
}

impl<'p> Hand<'p> {
    fn check_chunk(&mut self, model: &Model<'p>, space: &Space, states: Range<u32>) -> Checked {
        let mut checked = Checked::default();
        for id in states {
            let (row, parent) = (space.row(id), space.parent(id));
            self.follow(model, space, id);
            let result = if parent == id {
                self.check_initial(model, row)
            } else {
                self.check_state(model, row, Some(space.row(parent)))
            };
            for what in self.violated.drain(..) {
                if !checked.passed.iter().any(|(_, other)| other.is_like(&what)) {
                    checked.passed.push((id, what));
                }
            }
            if let Err(what) = result {
                checked.end = Some((id, what));
                break;
            }
        }
        checked.printed = self.worker.take_printed();
        checked
    }
}
