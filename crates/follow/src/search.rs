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

mod thin;

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

use kilter_base::Name;
use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_eval::{EvalError, Part, Program, Successors, Wanted};
use kilter_mapping::Mapping;
use kilter_value::{Moved, Store, Value, View};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::Coverage;
use crate::demand::{Demand, LinePlace};
use crate::lines::{HeldBy, Lines, Problem};
use crate::moment::Moment;
use crate::step::{Advanced, Stepper};
use crate::why::{self, Why};

/// How a log is followed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most states that are kept to come back to. If more are left behind, the oldest are forgotten.
    pub alternatives_max: usize,
    /// The most states with which the search goes on at once. The others are left behind.
    pub width: usize,
    /// The most lines that are tried in states without getting further. Then the search gives up.
    pub effort_max: u64,
    /// How many steps before the last one are kept, to show them.
    pub history: usize,
    /// Whether every step is told to [`Progress::settled`] even if it stays open for long which behavior it is. If not, then after
    /// `alternatives_max` steps the first of them is taken, so that the memory does not grow with the log.
    pub tells_all: bool,
    /// Whether states in which an INVARIANT is false are no states of the behavior.
    pub invariants: bool,
    /// The size in bytes that the store may grow by until a fresh one is taken.
    pub store_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            alternatives_max: 100_000,
            width: 1_000,
            effort_max: 2_000_000,
            history: 100,
            tells_all: false,
            invariants: true,
            store_bytes: 256 << 20,
        }
    }
}

/// Is told how far the search is.
pub trait Progress {
    /// So many lines are explained, in this many ways.
    fn report(&mut self, lines: u64, states: usize);
    /// Lets a moment pass, because nothing more is written yet. Returns false if nobody wants to wait any longer.
    fn wait(&mut self) -> bool;
    /// Whether the search must end.
    fn is_interrupted(&self) -> bool;
    /// This is the next state of the behavior. The first is an initial state.
    fn settled(&mut self, _state: &Told, _store: &Store) {}
}

/// The result of following a log.
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The number of lines of all files that were read.
    pub lines: u64,
    /// The number of demands that the longest behavior meets.
    pub explained: u64,
    /// The most states that explained the same lines.
    pub states_max: usize,
    /// Whether a rejection supposes that nodes share nothing but messages: not all other orders of lines were tried.
    pub supposes: bool,
    /// The next lines that must come after another one, by the order that the log has, each with that one.
    pub held_back: Vec<(LinePlace, LinePlace)>,
    /// The longest behavior, as far back as it was kept.
    pub path: Vec<Told>,
    /// What the behavior has shown.
    pub coverage: Coverage,
    /// The store with all values.
    pub store: Store,
}

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// Some behavior explains all lines.
    Accepted,
    /// No behavior explains more than the lines before these.
    Rejected(Vec<Stuck>),
    /// None was found, and not all possibilities were tried.
    Undecided(Reason, Vec<Stuck>),
}

/// Why a search gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// More possibilities were left behind than are kept.
    Forgotten,
    /// It tried for too long.
    Effort,
    /// A step that is repeated for one line came through more states than are looked at.
    Repeated,
    /// It was told to end.
    Interrupted,
}

/// A line that no behavior explains.
#[derive(Debug)]
pub struct Stuck {
    /// The line.
    pub demand: Arc<Demand>,
    /// What is in the way, the nearest first.
    pub why: Vec<Why>,
}

impl Stuck {
    /// Whether the line only waits for a message. Then another line is at fault, if there is one.
    pub fn waits(&self) -> bool {
        !self.why.is_empty() && self.why.iter().all(|why| why.wrong.waits())
    }
}

/// A state of the behavior that was found.
#[derive(Clone, Debug)]
pub struct Told {
    /// The values of the variables.
    pub row: Vec<Value>,
    /// The action that leads to it, with its arguments. `None` for the first.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// The file and the number of the line that shows it. `None` for the first, and for silent actions.
    pub line: Option<LinePlace>,
}

/// Why a log can't be followed to its end.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A line can't be read.
    #[error(transparent)]
    Line(#[from] Problem),
    /// An expression of the specification can't be evaluated for a line.
    #[error("{}", .0.message)]
    Evaluation(Box<EvalError>, Option<LinePlace>),
    /// The specification has no initial state.
    #[error("the specification has no initial state")]
    NoInitialState,
}

impl From<EvalError> for Trouble {
    fn from(error: EvalError) -> Trouble {
        Trouble::Evaluation(Box::new(error), None)
    }
}

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

/// The cut that no behavior gets behind.
struct Furthest {
    n_lines: u64,
    states: Vec<Rc<Moment>>,
    stuck: Vec<Arc<Demand>>,
    held_back: Vec<(LinePlace, LinePlace)>,
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
/// The most frames that are kept in case that lines of different nodes do not commute.
const DOUBTS_MAX: usize = 300;
/// The share of the effort that is spent on them, as a divisor.
const DOUBTS_SHARE: u64 = 10;
/// Lines are forgotten only now and then.
const LINES_BETWEEN: u64 = 64;
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

    /// Tries the next possibility of a frame. Returns how the search ends, if it does.
    fn go_on_with(
        &mut self,
        mut frame: Frame,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Sitting>, Trouble> {
        let n_files = lines.n_files();
        if let Some(file) = frame.guess.take() {
            self.try_guess(frame, file, stepper, lines)?;
        } else if frame.n_tried < n_files {
            let file = Self::file_to_try(&frame, n_files);
            frame.n_tried += 1;
            return self.try_line(frame, file, stepper, lines, progress);
        } else {
            self.try_silent(&frame, stepper)?;
        }
        Ok(None)
    }

    /// The next file to take a line from: first the one that the last line came from.
    fn file_to_try(frame: &Frame, n_files: usize) -> usize {
        (frame.last_file + frame.n_tried) % n_files
    }

    /// Tries to explain the next line of a file. Returns how the search ends, if it does.
    fn try_line(
        &mut self,
        mut frame: Frame,
        file: usize,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Sitting>, Trouble> {
        let store = stepper.store;
        if frame.cut[file].is_multiple_of(LINES_BETWEEN) && !self.is_looking {
            lines.forget_before(&self.oldest(&frame));
        }
        let demand = lines.get(file, frame.cut[file], store)?;
        let Some(demand) = demand else {
            if Self::is_complete(&frame, lines, store)? {
                let last = frame.states.first().cloned();
                self.reach(&frame, Vec::new(), Vec::new());
                return Ok(Some(Sitting::Over(Verdict::Accepted, last)));
            }
            self.after_try(frame, lines, store)?;
            return Ok(None);
        };
        if lines.held_back(&frame.cut, file, &demand, store)?.is_some() {
            self.after_try(frame, lines, store)?;
            return Ok(None);
        }
        let without = demand.guessed(false);
        let guess = without.is_some().then(|| Frame {
            cut: frame.cut.clone(),
            states: frame.states.clone(),
            n_silent: frame.n_silent,
            last_file: frame.last_file,
            n_tried: lines.n_files(),
            is_explained: true,
            guess: Some(file),
        });
        let has_guess = without.is_some();
        let demand = without.map_or(demand, Arc::new);
        self.effort += frame.states.len() as u64;
        let Advanced { found: mut states, stay, is_local } = stepper
            .advance(&frame.states, &demand)
            .map_err(|error| Trouble::Evaluation(Box::new(error), Some((demand.file, demand.number))))?;
        let mut cut = frame.cut.clone();
        cut[file] += 1;
        frame.is_explained |= !states.is_empty();
        // If steps of other nodes can neither enable nor change the line, nothing is lost when it comes first.
        // A step that only may have been may have to wait for a message.
        let comes_first =
            is_local && !has_guess && !self.mapping.diff.shared && demand.is_certain(self.mapping);
        if comes_first
            && frame.n_tried < lines.n_files()
            && !states.is_empty()
            && !self.is_doubting
            && !self.is_looking
        {
            self.doubt(&frame);
            frame.states = stay;
        }
        if !frame.states.is_empty() {
            self.after_try(frame, lines, store)?;
        }
        // Whether the step was taken is more often the question than in which order the lines came.
        if let Some(guess) = guess {
            self.push(guess);
        }
        if !self.frames.is_empty() {
            self.keep_unseen(&cut, 0, &mut states);
        } else if !self.seen.is_empty() {
            self.seen.clear();
        }
        if !self.is_looking && states.first().is_some_and(|state| state.depth >= self.settle_at) {
            self.settle(&cut, &states, store, progress);
        }
        self.go_on(&cut, states, 0, file);
        Ok(None)
    }

    /// Keeps a frame in case that lines of different nodes do not commute after all.
    fn doubt(&mut self, frame: &Frame) {
        let (cut, states) = (frame.cut.clone(), frame.states.clone());
        let Frame { n_silent, last_file, n_tried, .. } = *frame;
        self.doubts.push_back(Frame {
            cut,
            states,
            n_silent,
            last_file,
            n_tried,
            is_explained: true,
            guess: None,
        });
        if self.doubts.len() > DOUBTS_MAX {
            self.doubts.pop_front();
            self.supposes = true;
        }
    }

    /// For each file, the first demand that some frame may ask for.
    fn oldest(&self, frame: &Frame) -> Box<[u64]> {
        let mut oldest = frame.cut.clone();
        for other in self.frames.first().into_iter().chain(&self.doubts) {
            for (index, own) in oldest.iter_mut().zip(&other.cut) {
                *index = (*index).min(*own);
            }
        }
        oldest
    }

    /// Tries to explain the next line of a file with a step before it that only may have been.
    fn try_guess(
        &mut self,
        frame: Frame,
        file: usize,
        stepper: &mut Stepper<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<(), Trouble> {
        let Some(demand) = lines.get(file, frame.cut[file], stepper.store)? else { return Ok(()) };
        let Some(demand) = demand.guessed(true) else { return Ok(()) };
        self.effort += frame.states.len() as u64;
        let mut states = stepper.advance(&frame.states, &demand)?.found;
        let mut cut = frame.cut;
        cut[file] += 1;
        self.keep_unseen(&cut, 0, &mut states);
        self.go_on(&cut, states, 0, file);
        Ok(())
    }

    /// Goes on with these states. If there are too many, the rest is left behind.
    fn go_on(&mut self, cut: &[u64], mut states: Vec<Rc<Moment>>, n_silent: u32, last_file: usize) {
        self.states_max = self.states_max.max(states.len());
        let n_lines: u64 = cut.iter().sum();
        if !states.is_empty() && self.furthest.as_ref().is_none_or(|furthest| n_lines > furthest.n_lines) {
            self.effort = 0;
        }
        let frame = |states| Frame {
            cut: cut.into(),
            states,
            n_silent,
            last_file,
            n_tried: 0,
            is_explained: false,
            guess: None,
        };
        while states.len() > self.options.width {
            let rest = states.split_off(states.len() - self.options.width);
            self.push(frame(rest));
        }
        if !states.is_empty() {
            self.push(frame(states));
        }
    }

    /// Notes how far a frame came once all its lines were tried, and leaves it behind if something is left to try.
    fn after_try(&mut self, frame: Frame, lines: &mut Lines<'_>, store: &Store) -> Result<(), Trouble> {
        let n_files = lines.n_files();
        if frame.n_tried == n_files && !frame.is_explained {
            if lines.may_grow() {
                self.push(frame);
                return Ok(());
            }
            self.note_furthest(&frame, lines, store)?;
        }
        let may_be_silent = !self.silent.is_empty() && frame.n_silent < self.mapping.follow.silent_max;
        if frame.n_tried < n_files || may_be_silent {
            self.push(frame);
        }
        Ok(())
    }

    /// Notes how far a frame came that no line follows, if none came further.
    fn note_furthest(&mut self, frame: &Frame, lines: &mut Lines<'_>, store: &Store) -> Result<(), Trouble> {
        let n_lines: u64 = frame.cut.iter().sum();
        let is_known = |furthest: &Furthest| n_lines == furthest.n_lines && !furthest.stuck.is_empty();
        if self.furthest.as_ref().is_some_and(|furthest| n_lines < furthest.n_lines || is_known(furthest)) {
            return Ok(());
        }
        let (mut stuck, mut held_back) = (Vec::new(), Vec::new());
        for file in 0..lines.n_files() {
            let Some(demand) = lines.get(file, frame.cut[file], store)? else { continue };
            match lines.held_back(&frame.cut, file, &demand, store)? {
                None => stuck.push(demand),
                Some(HeldBy::Line(other)) => held_back.push((demand.place(), other)),
                Some(HeldBy::NotWritten) => {}
            }
        }
        // If clocks or times say that each line comes after another one, none can be the next.
        if stuck.is_empty() {
            for file in 0..lines.n_files() {
                stuck.extend(lines.get(file, frame.cut[file], store)?);
            }
        }
        self.reach(frame, stuck, held_back);
        Ok(())
    }

    /// Notes how far the search is that is told to end.
    fn reach_last(&mut self) {
        if let Some(frame) = self.frames.pop() {
            if self.furthest.as_ref().is_none_or(|furthest| frame.cut.iter().sum::<u64>() > furthest.n_lines)
            {
                self.reach(&frame, Vec::new(), Vec::new());
            }
            self.frames.push(frame);
        }
    }

    fn reach(&mut self, frame: &Frame, stuck: Vec<Arc<Demand>>, held_back: Vec<(LinePlace, LinePlace)>) {
        let (n_lines, states) = (frame.cut.iter().sum(), frame.states.clone());
        self.furthest = Some(Furthest { n_lines, states, stuck, held_back });
    }

    /// Tries one more silent action.
    fn try_silent(&mut self, frame: &Frame, stepper: &mut Stepper<'_>) -> Result<(), Trouble> {
        if self.silent.is_empty() || frame.n_silent >= self.mapping.follow.silent_max {
            return Ok(());
        }
        self.effort += frame.states.len() as u64;
        let mut states = stepper.silent(&frame.states, &self.silent)?;
        self.keep_unseen(&frame.cut, frame.n_silent + 1, &mut states);
        self.go_on(&frame.cut, states, frame.n_silent + 1, frame.last_file);
        Ok(())
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

    /// Ends the search without a behavior for all lines. Without a reason to give up, there is none, unless something was left out.
    fn over(&mut self, reason: Option<Reason>, stepper: &mut Stepper<'_>) -> Result<Sitting, Trouble> {
        let (mut stuck, mut last) = (Vec::new(), None);
        if let Some(furthest) = &self.furthest {
            last = furthest.states.first().cloned();
            // A silent action may be what a line needs to be nearly right.
            let mut states = furthest.states.clone();
            if !self.silent.is_empty()
                && let Ok(silent) = stepper.silent(&states, &self.silent)
            {
                states.truncate(why::STATES_MAX);
                states.extend(silent);
            }
            for demand in &furthest.stuck {
                let why = why::explain(stepper, &states, demand)?;
                stuck.push(Stuck { demand: Arc::clone(demand), why });
            }
            // Of several files, most only wait for messages of the one at fault.
            stuck.sort_by_key(|one| one.why.first().map_or(usize::MAX, |why| why.wrong.distance()));
        }
        self.note_what_was_cut(stepper);
        let verdict = match reason.or(self.incomplete) {
            Some(reason) => Verdict::Undecided(reason, stuck),
            None => Verdict::Rejected(stuck),
        };
        Ok(Sitting::Over(verdict, last))
    }

    /// Tells the steps that are final, and forgets them. `states` are those with which the search goes on at this cut.
    fn settle(
        &mut self,
        cut: &[u64],
        states: &[Rc<Moment>],
        store: &Store,
        progress: &mut (dyn Progress + Send),
    ) {
        // What came less far than these states is not the longest behavior any more, and need not be kept.
        let n_lines: u64 = cut.iter().sum();
        if !self.is_doubting && self.furthest.as_ref().is_some_and(|furthest| furthest.n_lines < n_lines) {
            self.furthest =
                Some(Furthest { n_lines, states: states.to_vec(), stuck: Vec::new(), held_back: Vec::new() });
        }
        let Some(first) = states.first() else { return };
        let mut n_walked = 0;
        let mut last = self.shared(first, states, &mut n_walked);
        // Looking again only after as many steps as were walked now, it costs a constant time for each step.
        self.settle_at = first.depth + SETTLE_AFTER.max(n_walked);
        let is_late =
            first.depth.saturating_sub(self.settled.unwrap_or(0)) > self.options.alternatives_max as u64;
        if is_late && !self.options.tells_all && last.as_ref().is_none_or(|last| last.depth < first.depth) {
            last = Some(Rc::clone(first));
        }
        if let Some(last) = last {
            self.settle_path(&last.path(), store, progress);
            last.trim(self.options.history);
        }
    }

    /// The last moment that all behaviors share with which the search may go on. `None` if they begin in different states.
    fn shared(&self, first: &Rc<Moment>, states: &[Rc<Moment>], n_walked: &mut u64) -> Option<Rc<Moment>> {
        let behind = self.frames.iter().chain(&self.doubts).flat_map(|frame| &frame.states);
        let furthest = self.furthest.iter().flat_map(|furthest| &furthest.states);
        let mut shared = Rc::clone(first);
        let mut seen: FxHashSet<*const Moment> = FxHashSet::default();
        for moment in states.iter().chain(furthest).chain(behind) {
            let mut own = Rc::clone(moment);
            *n_walked += 1;
            while own.depth > shared.depth && seen.insert(Rc::as_ptr(&own)) {
                own = own.before()?;
                *n_walked += 1;
            }
            // What was seen leads to the shared moment.
            if own.depth > shared.depth {
                continue;
            }
            while !Rc::ptr_eq(&own, &shared) {
                let later = if own.depth >= shared.depth { &mut own } else { &mut shared };
                let before = later.before()?;
                *later = before;
                *n_walked += 1;
            }
        }
        Some(shared)
    }

    /// Tells the moments of a path that were not told yet.
    fn settle_path(&mut self, path: &[Rc<Moment>], store: &Store, progress: &mut (dyn Progress + Send)) {
        let is_new = |moment: &&Rc<Moment>| self.settled.is_none_or(|settled| moment.depth > settled);
        let new: Vec<&Rc<Moment>> = path.iter().filter(is_new).collect();
        for moment in new {
            if let Some(reached) = &moment.reached {
                self.coverage.add(reached.label(), store);
            }
            progress.settled(&self.tell(moment, store), store);
            self.settled = Some(moment.depth);
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

    fn tell(&self, moment: &Moment, store: &Store) -> Told {
        let action = moment.reached.as_ref().and_then(|reached| {
            let label = reached.label();
            let action = &self.program.actions[label.action?];
            let args = match store.view(label.args) {
                View::Tuple(args) => args.to_vec(),
                _ => Vec::new(),
            };
            Some((action.name.clone(), action.args.iter().map(|(name, _)| name.clone()).zip(args).collect()))
        });
        let line = moment.reached.as_ref().and_then(|reached| reached.line);
        Told { row: moment.row().to_vec(), action, line }
    }
}
