//! Breadth-first search, level by level.
//!
//! A block of states is explored in three phases: workers compute the successors of its chunks; one thread adds the
//! new states in the order of the chunks; workers check what must hold in them. The order of chunks does not depend
//! on who computed them, so states have the same numbers, and verdicts and traces are the same, for any number of
//! workers.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kilter_eval::{ErrorKind, Part, Program, Worker};
use kilter_value::Store;

use crate::chunk::{Chunk, Event, Target, What, up_to_event};
use crate::crew::{CHUNK_STATES, STACK_BYTES, run_all};
use crate::expand::{Hand, Model};
use crate::liveness::{Liveness, Plan};
use crate::options::{Options, Progress};
use crate::outcome::{Counts, Coverage, Edge, Graph, Limit, Outcome, Trace, Verdict, Warning};
use crate::space::Space;
use crate::stop::Stop;
use crate::symmetry::Identity;
use crate::trace;

const BLOCK_MIN: u32 = 256;
const BLOCK_MAX: u32 = 1 << 16;
/// How long a block should take: long enough to make the phases cheap, short enough to report and stop in time.
const BLOCK_TIME: Duration = Duration::from_millis(50);
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Searches all states of a program.
pub fn run(
    program: &Program,
    store: &Store,
    options: &Options,
    progress: &mut (dyn Progress + Send),
) -> Outcome {
    // What a specification counts or makes up as it goes depends on the order of evaluation.
    let n_workers = if program.sequential { 1 } else { options.workers.max(1) };
    let siblings: Vec<Store> = (1..n_workers).map(|_| store.sibling()).collect();
    // The search runs in a thread of its own for the sake of its stack.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || Search::start(program, store, &siblings, options, progress))
            .expect("a thread can be started");
        match thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

struct Search<'p, 'o> {
    model: Model<'p>,
    options: &'o Options,
    progress: &'o mut (dyn Progress + Send),
    hands: Vec<Hand<'p>>,
    space: Space,
    counts: Counts,
    coverage: Vec<Coverage>,
    edges: Vec<Edge>,
    liveness: Option<Liveness>,
    n_initial: u32,
    started: Instant,
    reported: Instant,
    block_states: u32,
}

impl<'p> Search<'p, '_> {
    fn start(
        program: &'p Program,
        store: &'p Store,
        siblings: &'p [Store],
        options: &Options,
        progress: &mut (dyn Progress + Send),
    ) -> Outcome {
        let mut first = Worker::new(program, store, STACK_BYTES);
        first.set_seed(options.seed);
        let started = Instant::now();
        let deadline = options.limits.time_max.map(|time_max| started + time_max);
        first.set_stop(progress.interrupted(), deadline);
        first.info.workers = 1 + siblings.len() as u64;
        first.info.seed = options.seed;
        first.info.check_deadlock = options.check_deadlock.unwrap_or(program.check_deadlock);
        let failed = |verdict| Outcome {
            verdict,
            counts: Counts::default(),
            coverage: Vec::new(),
            unchecked: Vec::new(),
            warnings: Vec::new(),
            graph: None,
            memory_bytes: 0,
            n_values: store.n_values() as u64,
        };
        for assumption in &program.assumptions {
            let result = first.holds(assumption, &[], None);
            first.take_printed().iter().for_each(|line| progress.print(line));
            match result {
                Ok(true) => {}
                Ok(false) => return failed(Verdict::Assumption { name: assumption.name.clone() }),
                Err(error) if error.kind == ErrorKind::Exit => return failed(Verdict::Bounded(Limit::Exit)),
                Err(error) if error.kind == ErrorKind::Stopped => {
                    let interrupted = progress.interrupted().load(Ordering::Relaxed);
                    return failed(Verdict::Bounded(if interrupted {
                        Limit::Interrupt
                    } else {
                        Limit::Time
                    }));
                }
                Err(error) => return failed(Verdict::Error { error, trace: Trace::default() }),
            }
        }
        let identity = match Identity::new(program, store, &mut first) {
            Ok(identity) => identity,
            Err(error) => return failed(Verdict::Error { error, trace: Trace::default() }),
        };
        let plan = match Plan::new(program, &mut first) {
            Ok(plan) => plan,
            Err(error) => return failed(Verdict::Error { error, trace: Trace::default() }),
        };
        let model = Model {
            program,
            store,
            identity: &identity,
            check_deadlock: options.check_deadlock.unwrap_or(program.check_deadlock),
            graph: options.graph,
            links: plan.is_some(),
        };
        first.set_recording(options.graph);
        let mut hands = vec![Hand::new(first)];
        for (i, sibling) in siblings.iter().enumerate() {
            let worker = hands[0].worker.sibling(sibling, i as u64 + 1, STACK_BYTES);
            hands.push(Hand::new(worker));
        }
        let n_vars = program.variables.len();
        let mut search = Search {
            space: Space::new(n_vars, identity.key_width(n_vars)),
            model: Model { identity: &identity, ..model },
            options,
            progress,
            hands,
            counts: Counts::default(),
            coverage: vec![Coverage::default(); program.actions.len()],
            edges: Vec::new(),
            liveness: plan.map(|plan| {
                let exact = identity.key_width(n_vars).is_none();
                Liveness::new(plan, exact, options.first_look_states)
            }),
            n_initial: 0,
            started,
            reported: Instant::now(),
            block_states: BLOCK_MIN,
        };
        let verdict = search.search();
        search.finish(verdict)
    }

    fn search(&mut self) -> Verdict {
        if self.model.program.init.is_none() {
            return self.postconditions();
        }
        let mut event = None;
        for chunk in self.initial() {
            event = self.merge(chunk);
        }
        self.n_initial = self.space.len();
        if let Err(event) = self.check_new(0..self.n_initial, 1) {
            return self.verdict(event);
        }
        if let Some(event) = event {
            return self.verdict(event);
        }
        let mut level = 0..self.space.len();
        while !level.is_empty() {
            self.counts.depth += 1;
            if self.options.limits.depth_max.is_some_and(|max| self.counts.depth >= max)
                && self.model.program.next.is_some()
            {
                return self.bounded(Limit::Depth, level.start);
            }
            let mut explored = level.start;
            while explored < level.end {
                if let Some(limit) = self.limit_reached() {
                    return self.bounded(limit, explored);
                }
                let block = explored..level.end.min(explored + self.block_states);
                explored = block.end;
                if let Err(event) = self.block(block) {
                    return self.verdict(event);
                }
                self.counts.queue = u64::from(self.space.len() - explored);
                self.report();
            }
            level = level.end..self.space.len();
            if let Some(verdict) = self.check_liveness(level.start, level.is_empty()) {
                return verdict;
            }
        }
        self.postconditions()
    }

    /// The initial states in order; nothing follows a chunk with an event.
    fn initial(&mut self) -> Vec<Chunk> {
        let (model, of) = (&self.model, self.hands.len());
        let next = AtomicU32::new(0);
        let done = Mutex::new(Vec::new());
        run_all(&mut self.hands, of, |hand| {
            let index = next.fetch_add(1, Ordering::Relaxed) as usize;
            let chunk = hand.initial(model, Part { index, of });
            done.lock().expect("no worker panics while it holds the lock").push((index, chunk));
        });
        let mut chunks = done.into_inner().expect("no worker panics while it holds the lock");
        chunks.sort_by_key(|(index, _)| *index);
        up_to_event(chunks.into_iter().map(|(_, chunk)| chunk).collect())
    }

    /// Explores a block of states.
    fn block(&mut self, block: Range<u32>) -> Result<(), Event> {
        let began = Instant::now();
        for hand in &mut self.hands {
            let info = &mut hand.worker.info;
            info.generated = self.counts.generated;
            info.distinct = self.counts.distinct;
            info.queue = self.counts.queue;
            info.diameter = self.counts.depth;
            info.duration_s = self.started.elapsed().as_secs();
        }
        let first = self.space.len();
        let mut event = None;
        for chunk in self.expand(&block) {
            event = self.merge(chunk);
        }
        self.check_new(first..self.space.len(), self.counts.depth + 1)?;
        if let Some(event) = event {
            return Err(event);
        }
        if began.elapsed() < BLOCK_TIME {
            self.block_states = (self.block_states * 2).min(BLOCK_MAX);
        } else if began.elapsed() > 4 * BLOCK_TIME {
            self.block_states = (self.block_states / 2).max(BLOCK_MIN);
        }
        Ok(())
    }

    /// The successors of a block's states, chunk by chunk in order; nothing follows a chunk with an event.
    fn expand(&mut self, block: &Range<u32>) -> Vec<Chunk> {
        let (model, space, level) = (&self.model, &self.space, self.counts.depth);
        let next = AtomicU32::new(block.start);
        let stop_at = AtomicU32::new(u32::MAX);
        let done = Mutex::new(Vec::new());
        let work = |hand: &mut Hand<'p>| {
            loop {
                let start = next.fetch_add(CHUNK_STATES, Ordering::Relaxed);
                if start >= block.end || start > stop_at.load(Ordering::Relaxed) {
                    break;
                }
                let chunk = hand.expand(model, space, start..block.end.min(start + CHUNK_STATES), level);
                if chunk.event.is_some() {
                    stop_at.fetch_min(start, Ordering::Relaxed);
                }
                done.lock().expect("no worker panics while it holds the lock").push(chunk);
            }
        };
        run_all(&mut self.hands, block.len().div_ceil(CHUNK_STATES as usize), work);
        let mut chunks = done.into_inner().expect("no worker panics while it holds the lock");
        chunks.sort_by_key(|chunk| chunk.sources.start);
        up_to_event(chunks)
    }

    /// Adds a chunk's new states in order; returns what ended the chunk early.
    fn merge(&mut self, chunk: Chunk) -> Option<Event> {
        let n_vars = self.model.program.variables.len();
        let key_width = self.model.identity.key_width(n_vars);
        let keep_ids = self.model.graph || self.model.links;
        let mut ids = Vec::with_capacity(if keep_ids { chunk.found.len() } else { 0 });
        for (index, found) in chunk.found.iter().enumerate() {
            let key = chunk.key(index, n_vars, key_width);
            let id = match self.space.find(key, found.hash) {
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

    /// Checks what must hold in new states; the first violation counts.
    fn check_new(&mut self, states: Range<u32>, level: u32) -> Result<(), Event> {
        let program = self.model.program;
        if program.invariants.is_empty() && program.properties.invariants.is_empty() {
            return Ok(());
        }
        let (model, space) = (&self.model, &self.space);
        let next = AtomicU32::new(states.start);
        let first_bad: Mutex<Option<(u32, What)>> = Mutex::new(None);
        let work = |hand: &mut Hand<'p>| {
            hand.worker.info.level = level;
            loop {
                let start = next.fetch_add(CHUNK_STATES, Ordering::Relaxed);
                if start >= states.end {
                    break;
                }
                for id in start..states.end.min(start + CHUNK_STATES) {
                    let parent = space.parent(id);
                    let before = (parent != id).then(|| space.row(parent));
                    hand.follow(model, space, id);
                    if let Err(what) = hand.check_state(model, space.row(id), before) {
                        // Chunks that start later cannot hold an earlier violation.
                        next.store(states.end, Ordering::Relaxed);
                        let mut first = first_bad.lock().expect("no worker panics while it holds the lock");
                        if first.as_ref().is_none_or(|(other, _)| id < *other) {
                            *first = Some((id, what));
                        }
                        break;
                    }
                }
            }
        };
        run_all(&mut self.hands, states.len().div_ceil(CHUNK_STATES as usize), work);
        match first_bad.into_inner().expect("no worker panics while it holds the lock") {
            None => Ok(()),
            Some((id, what)) => {
                let parent = self.space.parent(id);
                let source = (parent != id).then_some(parent);
                Err(Event { source, successor: Some(self.space.row(id).to_vec()), what })
            }
        }
    }

    /// A limit has been reached. A violation among the states explored so far is one all the same.
    fn bounded(&mut self, limit: Limit, n_explored: u32) -> Verdict {
        let in_a_hurry = matches!(limit, Limit::Time | Limit::Interrupt | Limit::Memory);
        let found = if in_a_hurry { None } else { self.check_liveness(n_explored, true) };
        found.unwrap_or(Verdict::Bounded(limit))
    }

    /// Checks temporal properties on what has been found, when the search has ended or it is time to look.
    fn check_liveness(&mut self, n_explored: u32, ended: bool) -> Option<Verdict> {
        let deadline = self.options.limits.time_max.map(|time_max| self.started + time_max);
        let stop = Stop { flag: self.progress.interrupted(), deadline };
        let liveness = self.liveness.as_mut().filter(|liveness| ended || liveness.is_due(n_explored))?;
        liveness
            .check(&self.model, &mut self.hands, &self.space, n_explored, self.n_initial, &stop)
            .unwrap_or_else(|event| Some(self.verdict(event)))
    }

    fn limit_reached(&self) -> Option<Limit> {
        let limits = &self.options.limits;
        if self.progress.interrupted().load(Ordering::Relaxed) {
            return Some(Limit::Interrupt);
        }
        if limits.states_max.is_some_and(|max| self.counts.distinct >= max) {
            return Some(Limit::States);
        }
        if limits.time_max.is_some_and(|max| self.started.elapsed() >= max) {
            return Some(Limit::Time);
        }
        if limits.memory_max_bytes.is_some_and(|max| self.memory_bytes() >= max) {
            return Some(Limit::Memory);
        }
        // Numbers of states have 32 bits.
        (self.space.len() > u32::MAX - (1 << 24)).then_some(Limit::States)
    }

    fn memory_bytes(&self) -> u64 {
        self.space.memory_bytes()
            + self.model.store.memory_bytes() as u64
            + (self.edges.capacity() * size_of::<Edge>()) as u64
            + self.liveness.as_ref().map_or(0, Liveness::memory_bytes)
    }

    fn report(&mut self) {
        for hand in &mut self.hands {
            hand.worker.take_printed().iter().for_each(|line| self.progress.print(line));
        }
        if self.reported.elapsed() >= REPORT_INTERVAL {
            self.reported = Instant::now();
            self.progress.report(&self.counts, self.started.elapsed());
        }
    }

    fn postconditions(&mut self) -> Verdict {
        let worker = &mut self.hands[0].worker;
        worker.info.generated = self.counts.generated;
        worker.info.distinct = self.counts.distinct;
        worker.info.diameter = self.counts.depth;
        worker.info.queue = 0;
        for postcondition in &self.model.program.postconditions {
            match worker.holds(postcondition, &[], None) {
                Ok(true) => {}
                Ok(false) => return Verdict::Postcondition { name: postcondition.name.clone() },
                Err(error) => return Verdict::Error { error, trace: Trace::default() },
            }
        }
        Verdict::Holds
    }

    fn verdict(&mut self, event: Event) -> Verdict {
        if let What::Error(error) = &event.what
            && error.kind == ErrorKind::Stopped
        {
            let interrupted = self.progress.interrupted().load(Ordering::Relaxed);
            return Verdict::Bounded(if interrupted { Limit::Interrupt } else { Limit::Time });
        }
        let worker = &mut self.hands[0].worker;
        let trace = trace::to_event(&self.model, &self.space, worker, &event);
        match event.what {
            What::Deadlock => Verdict::Deadlock { trace },
            What::Invariant(name) => Verdict::Invariant { name, trace },
            What::Property(name) => Verdict::Property { name, trace },
            What::Error(error) if error.kind == ErrorKind::Exit => Verdict::Bounded(Limit::Exit),
            What::Error(error) => Verdict::Error { error, trace },
        }
    }

    fn finish(mut self, verdict: Verdict) -> Outcome {
        self.report();
        let memory_bytes = self.memory_bytes();
        let complete = matches!(verdict, Verdict::Holds | Verdict::Postcondition { .. });
        let mut warnings =
            self.liveness.as_ref().map_or_else(Vec::new, |one| one.warnings(self.model.program, complete));
        if self.model.graph && self.model.program.view.is_some() {
            warnings.push(Warning::ViewedGraph);
        }
        let graph = self.model.graph.then(|| Graph {
            n_states: self.space.len(),
            n_initial: self.n_initial,
            rows: self.space.into_rows(),
            edges: self.edges,
            permutations: self.model.identity.permutations().to_vec(),
        });
        Outcome {
            verdict,
            counts: self.counts,
            coverage: self.coverage,
            unchecked: Vec::new(),
            warnings,
            graph,
            memory_bytes,
            n_values: self.model.store.n_values() as u64,
        }
    }
}
