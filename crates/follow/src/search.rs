//! Looks for one behavior that meets all demands of a log.
//!
//! The search goes depth first. A [`Frame`] has all states that explain the lines up to a cut, one index for each file. Where
//! something else could have come next (a line of another file, a silent action), the frame stays behind, and the search comes
//! back to it if it gets stuck. A log in one file without silent actions leaves no frames behind, so the memory that it takes is
//! that of its states.
//!
//! Lines of different nodes commute, unless one takes in a message that the other sends: so the specification is supposed to be
//! about nodes that share nothing else (`shared` in `[diff]` says otherwise). Then a line that can be explained need not wait for
//! lines of other nodes, and most orders of several files are never tried.
//!
//! The steps up to the last state that all frames share are final: they are told, and then forgotten.
//!
//! Values are never freed, so from time to time the search goes on in a fresh store, with the values that it still needs.

mod furthest;
mod outcome;
mod settle;
mod thin;
mod tries;

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_eval::{Part, Program, Successors, Wanted};
use kilter_mapping::Mapping;
use kilter_value::{Moved, Store};
use rustc_hash::FxHashMap;

use crate::coverage::Coverage;
use crate::lines::Lines;
use crate::moment::Moment;
use crate::step::Stepper;
use crate::why;
use furthest::Furthest;
pub use outcome::{Options, Outcome, Progress, Reason, Stuck, Told, Trouble, Verdict};

/// Follows a log. `base` must be the store that the programs were compiled with, or a copy of it. `questions` is the program
/// of [`crate::question::module`].
pub fn follow(
    program: &Program,
    questions: Option<&Program>,
    base: &Store,
    mapping: &Mapping,
    lines: &mut Lines<'_>,
    options: &Options,
    progress: &mut (dyn Progress + Send),
) -> Result<Outcome, Trouble> {
    // Moments belong to one thread, so everything happens in the one with the deep stack.
    memory::with_stack(DEEP_STACK_BYTES, |stack| {
        let mut search = Search {
            program,
            questions,
            mapping,
            options,
            silent: lines.demander().silent(),
            stack_bytes: stack,
            frames: Vec::new(),
            n_behind: 0,
            thin_at: THIN_AFTER.min(options.alternatives_max),
            seen: FxHashMap::default(),
            furthest: None,
            incomplete: None,
            effort: 0,
            states_max: 0,
            coverage: Coverage::default(),
            settled: None,
            settle_at: SETTLE_AFTER,
            n_moves: 0,
            doubts: VecDeque::new(),
            is_doubting: false,
            supposes: false,
            is_looking: false,
        };
        let mut store = base.copy();
        search.begin(&store)?;
        loop {
            match search.sit(&store, lines, progress)? {
                Sitting::Full => {
                    let fresh = base.copy();
                    search.adopt(&fresh, &store, lines);
                    store = fresh;
                }
                Sitting::Over(verdict, last) => {
                    let path = last.map(|last| last.path()).unwrap_or_default();
                    search.settle_path(&path, &store, progress);
                    let shown = path.len().saturating_sub(options.history + 1);
                    let path = path[shown..].iter().map(|moment| search.tell(moment, &store)).collect();
                    let furthest = search.furthest.take();
                    let explained = furthest.as_ref().map_or(0, |furthest| furthest.n_lines);
                    return Ok(Outcome {
                        verdict,
                        lines: lines.n_read(),
                        explained,
                        states_max: search.states_max,
                        supposes: search.supposes,
                        held_back: furthest.map(|furthest| furthest.held_back).unwrap_or_default(),
                        path,
                        coverage: search.coverage,
                        store,
                    });
                }
            }
        }
    })
}

/// A cut through all files, and the states that explain the lines before it.
#[derive(Clone)]
struct Frame {
    /// For each file, the index of its next demand.
    cut: Box<[u64]>,
    states: Vec<Rc<Moment>>,
    /// The number of silent actions since the last line.
    n_silent: u32,
    /// The file whose line came last. It goes on first.
    last_file: usize,
    /// The number of possibilities that were tried: one for each file, then silent actions.
    n_tried: usize,
    /// Whether a line could be explained.
    is_explained: bool,
    /// The file whose next line is tried with a step that only may have been.
    guess: Option<usize>,
}

enum Sitting {
    /// The store has no more room.
    Full,
    /// The search has ended, with this moment as the last of the longest behavior.
    Over(Verdict, Option<Rc<Moment>>),
}

struct Search<'s> {
    program: &'s Program,
    questions: Option<&'s Program>,
    mapping: &'s Mapping,
    options: &'s Options,
    silent: Arc<[Wanted]>,
    stack_bytes: usize,
    frames: Vec<Frame>,
    /// The number of states in all frames.
    n_behind: usize,
    /// The number of states in all frames with which those that lead nowhere are looked for.
    thin_at: usize,
    /// Cuts and states that were reached already, each with the fewest silent actions in a row that have led to it.
    seen: FxHashMap<Box<[u32]>, u32>,
    furthest: Option<Furthest>,
    /// What was left out, so that a line that nothing explains may still have an explanation.
    incomplete: Option<Reason>,
    effort: u64,
    states_max: usize,
    coverage: Coverage,
    /// The depth of the last state that is final.
    settled: Option<u64>,
    /// The depth at which it is looked again what is final.
    settle_at: u64,
    n_moves: u64,
    /// Frames that were not left behind because lines of different nodes are supposed to commute, the latest last.
    doubts: VecDeque<Frame>,
    /// Whether they are tried now, because everything else is.
    is_doubting: bool,
    /// Whether some were not tried.
    supposes: bool,
    /// Whether it is only looked where a frame leads: then no line comes first, no step is final, and no line is forgotten.
    is_looking: bool,
}

/// After this many steps somebody is asked whether to go on.
const STEPS_BETWEEN_REPORTS: u64 = 256;
/// The fewest steps after which it is looked again what is final.
const SETTLE_AFTER: u64 = 256;
/// The share of the effort that is spent on them, as a divisor.
const DOUBTS_SHARE: u64 = 10;
/// The fewest states with which frames that lead nowhere are looked for.
const THIN_AFTER: usize = 4_096;
/// More cuts and states are not remembered at a time.
const SEEN_MAX: usize = 1_000_000;

impl Search<'_> {
    fn begin(&mut self, store: &Store) -> Result<(), Trouble> {
        let mut initial = Successors::default();
        let mut worker = kilter_eval::Worker::new(self.program, store, self.stack_bytes);
        worker.initial(Part::WHOLE, &mut initial)?;
        let states: Vec<Rc<Moment>> =
            initial.iter(self.program.variables.len()).map(|(row, _)| Moment::initial(row)).collect();
        if states.is_empty() {
            return Err(Trouble::NoInitialState);
        }
        // The number of files is known when the first line is asked for.
        self.push(Frame {
            cut: Box::new([]),
            states,
            n_silent: 0,
            last_file: 0,
            n_tried: 0,
            is_explained: false,
            guess: None,
        });
        Ok(())
    }

    /// Searches until it is over, or until the store is full.
    fn sit(
        &mut self,
        store: &Store,
        lines: &mut Lines<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Sitting, Trouble> {
        let n_files = lines.n_files();
        if let [first] = &mut self.frames[..]
            && first.cut.is_empty()
        {
            first.cut = vec![0; n_files].into();
        }
        let full_bytes = store.memory_bytes() + self.options.store_bytes;
        let (program, mapping) = (self.program, self.mapping);
        let mut stepper = Stepper::new(
            program,
            self.questions,
            mapping,
            store,
            lines.demander(),
            self.options.invariants,
            self.stack_bytes,
        );
        let mut n_steps = 0;
        loop {
            n_steps += 1;
            if n_steps % STEPS_BETWEEN_REPORTS == 0 {
                let states = self.frames.last().map_or(0, |frame| frame.states.len());
                progress.report(self.frames.last().map_or(0, |frame| frame.cut.iter().sum()), states);
                if progress.is_interrupted() {
                    self.reach_last();
                    return self.over(Some(Reason::Interrupted), &mut stepper);
                }
                if store.memory_bytes() > full_bytes {
                    self.note_what_was_cut(&stepper);
                    return Ok(Sitting::Full);
                }
            }
            if self.frames.is_empty()
                && let Some(doubt) = self.doubts.pop_back()
            {
                if !std::mem::replace(&mut self.is_doubting, true) {
                    self.effort = 0;
                }
                self.push(doubt);
            }
            if self.is_doubting && self.effort > self.options.effort_max / DOUBTS_SHARE {
                self.supposes = true;
                return self.over(None, &mut stepper);
            }
            let Some(frame) = self.frames.pop() else {
                return self.over(None, &mut stepper);
            };
            self.n_behind -= frame.states.len();
            let is_tried = frame.guess.is_none() && frame.n_tried == n_files;
            if is_tried && self.must_wait(&frame, &mut stepper, lines)? {
                self.effort = 0;
                self.push(Frame { n_tried: 0, ..frame });
                // Once nobody waits any longer, nothing that may still be written holds lines back.
                if !progress.wait() && !lines.release() {
                    self.reach_last();
                    return self.over(Some(Reason::Interrupted), &mut stepper);
                }
            } else if let Some(ended) = self.go_on_with(frame, &mut stepper, lines, progress)? {
                return Ok(ended);
            }
            if self.n_behind > self.thin_at {
                self.thin(&mut stepper, lines)?;
            }
            if self.effort > self.options.effort_max {
                return self.over(Some(Reason::Effort), &mut stepper);
            }
        }
    }

    /// Whether more lines may come that help. They can't if some line could not be explained whatever other nodes will write,
    /// because more than a message is missing.
    fn must_wait(
        &mut self,
        frame: &Frame,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<bool, Trouble> {
        if frame.is_explained || !lines.may_grow() {
            return Ok(false);
        }
        for file in 0..lines.n_files() {
            if let Some(demand) = lines.get(file, frame.cut[file], stepper.store)?
                && demand.is_certain(self.mapping)
                && stepper.advance(&frame.states, &demand)?.found.is_empty()
                && !why::explain(stepper, &frame.states, &demand)?.iter().any(|why| why.wrong.waits())
            {
                self.note_furthest(frame, lines, stepper.store)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all files are at their end.
    fn is_complete(frame: &Frame, lines: &mut Lines<'_>, store: &Store) -> Result<bool, Trouble> {
        for file in 0..lines.n_files() {
            if lines.get(file, frame.cut[file], store)?.is_some() || lines.is_waiting(file) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Leaves out states that were reached at the same cut before, by as many silent actions in a row or fewer: with more of
    /// them, fewer can follow.
    fn keep_unseen(&mut self, cut: &[u64], n_silent: u32, states: &mut Vec<Rc<Moment>>) {
        if self.seen.len() > SEEN_MAX {
            self.seen.clear();
        }
        states.retain(|state| {
            let place = cut.iter().flat_map(|index| [*index as u32, (*index >> 32) as u32]);
            let key: Box<[u32]> = place.chain(state.row().iter().map(|value| value.bits())).collect();
            match self.seen.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(n_silent);
                    true
                }
                Entry::Occupied(mut entry) => n_silent < entry.insert(n_silent.min(*entry.get())),
            }
        });
    }

    fn push(&mut self, frame: Frame) {
        self.n_behind += frame.states.len();
        self.frames.push(frame);
    }

    fn note_what_was_cut(&mut self, stepper: &Stepper<'_>) {
        if stepper.has_cut_short {
            self.incomplete.get_or_insert(Reason::Repeated);
        }
    }

    /// Goes on in a fresh store.
    fn adopt(&mut self, fresh: &Store, old: &Store, lines: &mut Lines<'_>) {
        self.n_moves += 1;
        let mut moved = Moved::default();
        let furthest = self.furthest.iter().flat_map(|furthest| &furthest.states);
        let frames = self.frames.iter().chain(&self.doubts);
        for moment in frames.flat_map(|frame| &frame.states).chain(furthest) {
            moment.adopt(self.n_moves, fresh, old, &mut moved);
        }
        lines.adopt(fresh, old, &mut moved);
        for demand in self.furthest.iter_mut().flat_map(|furthest| &mut furthest.stuck) {
            Arc::make_mut(demand).adopt(fresh, old, &mut moved);
        }
        self.seen.clear();
    }
}
