//! Breadth-first search, level by level, each level in blocks: see [`crate::block`].

#![expect(clippy::disallowed_methods, reason = "measures time for people, and reports from time to time")]

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_eval::{ErrorKind, Program, Worker};
use kilter_value::Store;

use crate::assume;
use crate::checkpoint::Frontier;
use crate::chunk::{Event, What};
use crate::crew::Crew;
use crate::disk::{Disk, Unfit};
use crate::expand::{Hand, Model};
use crate::growth::Growth;
use crate::hosts::{self, Exchange, Part, Trouble};
use crate::keeper::{Keeper, Opened};
use crate::liveness::{Liveness, Plan};
use crate::memory::{Allowance, Need};
use crate::options::{Options, Progress};
use crate::outcome::{Counts, Coverage, Edge, Graph, Limit, Outcome, Trace, Verdict, Warning};
use crate::pace::Pace;
use crate::space::Space;
use crate::stop::{self, Stop, temporal_names};
use crate::symmetry::Identity;
use crate::tide::Tide;
use crate::trace;
use crate::violations::{Conclusion, Violations, conclude};

/// The memory for each state while a graph is made and written, besides its values.
const GRAPH_STATE_BYTES: u64 = 16;
const GRAPH_EDGE_BYTES: u64 = 56;
/// The number of copies of values at that time: in the graph, and in the bytes of its file.
const GRAPH_COPIES: u64 = 2;
/// The part of a limit on memory that tables of results may take.
const TABLES_PART: u64 = 8;
/// A search that takes longer than this says which variables get larger and larger.
const GROWTH_AFTER: Duration = Duration::from_secs(30);
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Searches all states of a program, and checks everything that the configuration asks for.
pub fn run(
    program: &Program,
    store: &Store,
    options: &Options,
    progress: &mut (dyn Progress + Send),
) -> Outcome {
    match run_with(program, store, options, Place::Memory, progress) {
        Ok(Part::First(outcome)) => outcome,
        _ => unreachable!("only a search on disk or by several processes can be refused"),
    }
}

/// The same, with the states on disk. Counts, verdict and trace are those of [`run`].
pub fn run_on_disk(
    program: &Program,
    store: &Store,
    options: &Options,
    disk: &Disk,
    progress: &mut (dyn Progress + Send),
) -> Result<Outcome, Unfit> {
    match run_with(program, store, options, Place::Disk(disk), progress) {
        Ok(Part::First(outcome)) => Ok(outcome),
        Err(Refused::Disk(unfit)) => Err(unfit),
        Ok(Part::Other(_)) | Err(Refused::Hosts(_)) => unreachable!("this search is not shared"),
    }
}

/// The same, with the states in several processes, each of which calls this. The first of them gets the outcome, and
/// counts, verdict and trace are those of [`run`].
pub fn run_on_hosts(
    program: &Program,
    store: &Store,
    options: &Options,
    exchange: &mut (dyn Exchange + Send),
    disk: Option<&Disk>,
    progress: &mut (dyn Progress + Send),
) -> Result<Part<Outcome>, Trouble> {
    hosts::fits(program, options, exchange.n_processes())?;
    match run_with(program, store, options, Place::Hosts(exchange, disk), progress) {
        Ok(part) => Ok(part),
        Err(Refused::Hosts(trouble)) => Err(trouble),
        Err(Refused::Disk(_)) => unreachable!("this search has no disk"),
    }
}

/// Where a search has its states.
enum Place<'h> {
    Memory,
    Disk(&'h Disk),
    Hosts(&'h mut (dyn Exchange + Send), Option<&'h Disk>),
}

/// Why there is no outcome.
#[derive(Debug)]
enum Refused {
    Disk(Unfit),
    Hosts(Trouble),
}

impl From<Unfit> for Refused {
    fn from(unfit: Unfit) -> Refused {
        Refused::Disk(unfit)
    }
}

fn run_with(
    program: &Program,
    store: &Store,
    options: &Options,
    place: Place<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Part<Outcome>, Refused> {
    if options.limits.memory_max_bytes.is_some() {
        // The search asks how large the process is, so what it frees must count.
        kilter_base::pages::give_back_large();
    }
    // If results depend on the order of evaluation, there is only one worker.
    let n_workers = if program.sequential { 1 } else { crate::memory::workers(options.workers) };
    let siblings: Vec<Store> = (1..n_workers).map(|_| store.sibling()).collect();
    // The search runs in a thread of its own, which has a large stack.
    let mut part = memory::with_stack(DEEP_STACK_BYTES, |stack| {
        Search::start(program, store, &siblings, options, place, stack, progress)
    })?;
    if let Part::First(outcome) = &mut part {
        stop::without_programs(program, &progress.interrupted(), outcome);
    }
    Ok(part)
}

/// Opens the files of a search, if a search of this kind can be on disk.
fn open(program: &Program, store: &Store, options: &Options, disk: &Disk) -> Result<Opened, Unfit> {
    let temporal = temporal_names(program);
    if !temporal.is_empty() {
        let names: Vec<String> = temporal.iter().map(ToString::to_string).collect();
        return Err(Unfit::Temporal(names.join(", ")));
    }
    if options.graph {
        return Err(Unfit::Graph);
    }
    if program.sequential {
        return Err(Unfit::Sequential);
    }
    Keeper::open(disk, store)
}

pub(crate) struct Search<'p, 'o> {
    pub(crate) model: Model<'p>,
    pub(crate) options: &'o Options,
    pub(crate) progress: &'o mut (dyn Progress + Send),
    pub(crate) crew: Crew<'p>,
    pub(crate) space: Space,
    pub(crate) counts: Counts,
    pub(crate) coverage: Vec<Coverage>,
    pub(crate) edges: Vec<Edge>,
    /// Violations after which the search goes on, as they are found.
    pub(crate) violations: Violations,
    /// The same as verdicts.
    listed: Vec<Verdict>,
    pub(crate) liveness: Option<Liveness>,
    /// Writes checkpoints, in a search on disk.
    pub(crate) keeper: Option<Keeper>,
    /// Whether temporal properties were checked on everything that was found.
    liveness_checked: bool,
    pub(crate) n_initial: u32,
    pub(crate) started: Instant,
    pub(crate) reported: Instant,
    pub(crate) pace: Pace,
    pub(crate) allowance: Allowance,
    pub(crate) tide: Tide,
    pub(crate) growth: Growth,
    is_growth_told: bool,
    /// The most states that a block has found, with repetitions, and the memory that it took until they were merged.
    pub(crate) block_found: usize,
    pub(crate) block_bytes: usize,
}

impl<'p> Search<'p, '_> {
    fn start(
        program: &'p Program,
        store: &'p Store,
        siblings: &'p [Store],
        options: &Options,
        place: Place<'_>,
        stack_bytes: usize,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Part<Outcome>, Refused> {
        // Values come back before anything else makes some.
        let (opened, exchange) = match place {
            Place::Memory => (None, None),
            Place::Disk(disk) => (Some(open(program, store, options, disk)?), None),
            Place::Hosts(exchange, disk) => {
                let opened = disk.map(|disk| hosts::open(disk, store, exchange)).transpose();
                (opened.map_err(Refused::Hosts)?, Some(exchange))
            }
        };
        let mut first = Worker::new(program, store, stack_bytes);
        first.set_seed(options.seed);
        if let Some(bytes) = options.limits.memory_max_bytes {
            first.set_table_bytes((bytes / TABLES_PART) as usize);
        }
        let started = Instant::now();
        let deadline = options.limits.time_max.map(|time_max| started + time_max);
        first.set_stop(progress.interrupted(), deadline);
        program.outside.set_stop(progress.interrupted(), deadline);
        first.info.workers = 1 + siblings.len() as u64;
        first.info.seed = options.seed;
        first.info.check_deadlock = options.check_deadlock.unwrap_or(program.check_deadlock);
        let mut listed = Vec::new();
        let failed = |listed, end, opened: Option<Opened>| {
            let is_over = !matches!(end, Verdict::Bounded(_));
            let disk = opened.map(|mut opened| opened.keeper.leave(is_over, None));
            let Conclusion { verdict, others, limit } = conclude(listed, end);
            Ok(Part::First(Outcome {
                verdict,
                others,
                limit,
                counts: Counts::default(),
                coverage: Vec::new(),
                unchecked: Vec::new(),
                warnings: Vec::new(),
                graph: None,
                disk,
                shares: Vec::new(),
                memory_bytes: 0,
                n_values: store.n_values() as u64,
            }))
        };
        if let Err(verdict) =
            assume::check(program, &mut first, progress, options.keep_going.then_some(&mut listed))
        {
            return failed(listed, *verdict, opened);
        }
        let identity = match Identity::new(program, store, &mut first) {
            Ok(identity) => identity,
            Err(error) => return failed(listed, Verdict::Error { error, trace: Trace::default() }, opened),
        };
        let exact = identity.key_width(program.variables.len()).is_none();
        let plan = match Plan::new(program, &mut first) {
            Ok(plan) => plan,
            Err(error) => return failed(listed, Verdict::Error { error, trace: Trace::default() }, opened),
        };
        let model = Model {
            program,
            store,
            identity: &identity,
            check_deadlock: options.check_deadlock.unwrap_or(program.check_deadlock),
            keep_going: options.keep_going,
            graph: options.graph,
            links: plan.is_some(),
        };
        first.set_recording(options.graph);
        let mut hands = vec![Hand::new(first)];
        for (i, sibling) in siblings.iter().enumerate() {
            let worker = hands[0].worker.sibling(sibling, i as u64 + 1, stack_bytes);
            hands.push(Hand::new(worker));
        }
        let n_vars = program.variables.len();
        let key_width = identity.key_width(n_vars);
        let (keeper, space, recovered) = match opened {
            None => (None, Space::new(n_vars, key_width), None),
            Some(Opened { keeper, states, recovered }) => {
                let n_written = recovered.as_ref().map_or(0, |recovered| recovered.standing.n_states);
                let space = keeper.space(states, n_vars, key_width, n_written);
                (Some(keeper), space, recovered)
            }
        };
        let mut search = Search {
            space,
            keeper,
            model: Model { identity: &identity, ..model },
            options,
            progress,
            crew: Crew::new(hands),
            counts: Counts::default(),
            coverage: vec![Coverage::default(); program.actions.len()],
            edges: Vec::new(),
            violations: Violations::default(),
            listed,
            liveness: plan.map(|plan| Liveness::new(plan, exact, options.first_look_states)),
            liveness_checked: false,
            n_initial: 0,
            started,
            reported: Instant::now(),
            pace: Pace::new(),
            allowance: Allowance::new(options),
            tide: Tide::default(),
            growth: Growth::new(n_vars),
            is_growth_told: false,
            block_found: 0,
            block_bytes: 0,
        };
        if let Some(exchange) = exchange {
            let answer = search.search_together(exchange, recovered);
            let checkpoint = search.keeper.as_ref().and_then(|keeper| keeper.report.checkpoint);
            let answer = answer.map_err(|trouble| match trouble {
                Trouble::Lost(lost, _) => Refused::Hosts(Trouble::Lost(lost, checkpoint)),
                other => Refused::Hosts(other),
            })?;
            return Ok(match answer {
                Part::First((verdict, shares)) => Part::First(Outcome { shares, ..search.finish(verdict) }),
                Part::Other(share) => Part::Other(share),
            });
        }
        let verdict = match recovered {
            None => search.search(),
            Some(recovered) => search.recover(recovered)?,
        };
        Ok(Part::First(search.finish(verdict)))
    }

    fn search(&mut self) -> Verdict {
        if self.model.program.init.is_none() {
            return self.postconditions();
        }
        let chunks = self.initial();
        let taken_in = self.take_in(chunks, 0, 1);
        self.n_initial = self.space.len();
        if let Err(event) = taken_in {
            return self.verdict(event);
        }
        // As in TLC, initial states are a level even if CONSTRAINT excludes all of them.
        self.counts.depth = u32::from(self.n_initial == 0 && self.counts.generated > 0);
        self.explore(Frontier { level: 0..self.n_initial, explored: 0, is_begun: false })
    }

    /// Explores all states from a frontier on.
    pub(crate) fn explore(&mut self, mut frontier: Frontier) -> Verdict {
        while !frontier.level.is_empty() {
            let level = frontier.level.clone();
            if !frontier.is_begun {
                self.between_blocks(&frontier);
                self.counts.depth += 1;
                self.growth.level(self.model.store, &self.space, level.clone());
                if self.options.limits.depth_max.is_some_and(|max| self.counts.depth >= max)
                    && self.model.program.next.is_some()
                {
                    return self.bounded(Limit::Depth, level.start);
                }
                frontier.is_begun = true;
            }
            while frontier.explored < level.end {
                self.between_blocks(&frontier);
                if let Some(limit) = self.limit_reached() {
                    return self.bounded(limit, frontier.explored);
                }
                let block = frontier.explored..level.end.min(frontier.explored + self.pace.block_states);
                frontier.explored = block.end;
                if let Err(event) = self.block(block) {
                    return self.verdict(event);
                }
                self.counts.queue = u64::from(self.space.len() - frontier.explored);
                self.report();
            }
            frontier = Frontier { level: level.end..self.space.len(), explored: level.end, is_begun: false };
            if let Some(verdict) = self.check_liveness(level.end, frontier.level.is_empty()) {
                return verdict;
            }
        }
        self.postconditions()
    }

    /// Ends a search at a limit. Checks first whether the states explored so far have a violation.
    fn bounded(&mut self, limit: Limit, n_explored: u32) -> Verdict {
        // There is memory for this check, because it was counted before. But there is no time for it if time is over.
        let in_a_hurry = matches!(limit, Limit::Time | Limit::Interrupt | Limit::OutOfMemory | Limit::Disk);
        let found = if in_a_hurry { None } else { self.check_liveness(n_explored, true) };
        found.unwrap_or(Verdict::Bounded(limit))
    }

    /// Checks temporal properties on what has been found, if the search has ended or a check is due. A search that goes
    /// on after violations is checked at its end, until there are no others.
    fn check_liveness(&mut self, n_explored: u32, ended: bool) -> Option<Verdict> {
        if !self.options.keep_going {
            return self.first_lasso(n_explored, ended);
        }
        if !ended {
            return None;
        }
        self.list_violations();
        loop {
            let known = self.listed.iter().filter_map(Verdict::property).cloned().collect();
            self.liveness.as_mut()?.leave_out(known);
            match self.first_lasso(n_explored, ended)? {
                end @ (Verdict::Error { .. } | Verdict::Bounded(_)) => return Some(end),
                violation => self.listed.push(violation),
            }
        }
    }

    /// Makes verdicts of the violations found in states and steps.
    fn list_violations(&mut self) {
        for event in self.violations.take() {
            let verdict = self.verdict(event);
            self.listed.push(verdict);
        }
    }

    fn first_lasso(&mut self, n_explored: u32, ended: bool) -> Option<Verdict> {
        let deadline = self.options.limits.time_max.map(|time_max| self.started + time_max);
        let stop = Stop { flag: self.progress.interrupted(), deadline, memory: self.allowance };
        let liveness = self.liveness.as_mut().filter(|liveness| ended || liveness.is_due(n_explored))?;
        let found =
            liveness.check(&self.model, &mut self.crew, &self.space, n_explored, self.n_initial, &stop);
        self.liveness_checked = ended && n_explored > 0 && matches!(found, Ok(None));
        found.unwrap_or_else(|event| Some(self.verdict(event)))
    }

    pub(crate) fn limit_reached(&self) -> Option<Limit> {
        let limits = &self.options.limits;
        if self.space.trouble().is_some() {
            return Some(Limit::Disk);
        }
        if self.progress.interrupted().load(Ordering::Relaxed) {
            return Some(Limit::Interrupt);
        }
        if limits.states_max.is_some_and(|max| self.counts.distinct >= max) {
            return Some(Limit::States);
        }
        if limits.time_max.is_some_and(|max| self.started.elapsed() >= max) {
            return Some(Limit::Time);
        }
        // A search on disk makes room first.
        if self.keeper.is_none() || self.tide.is_over {
            let limit = self.allowance.exceeded(self.need());
            if limit.is_some() {
                return limit;
            }
        }
        // The numbers of states have 32 bits.
        (self.space.len() > u32::MAX - (1 << 24)).then_some(Limit::States)
    }

    /// The memory that the next block and the end of the search will need.
    pub(crate) fn need(&self) -> Need {
        // The next block may be twice as large as the largest so far. A vector that grows also has a larger copy for a
        // while.
        let block = 3 * self.block_bytes as u64;
        let (soon, addresses) = self.space.growth(2 * self.block_found);
        let n_vars = self.model.program.variables.len() as u64;
        let graph = if self.model.graph {
            let values = self.model.store.memory_bytes() as u64;
            GRAPH_STATE_BYTES * u64::from(self.space.len())
                + 4 * n_vars * u64::from(self.space.len()) * GRAPH_COPIES
                + GRAPH_EDGE_BYTES * self.edges.len() as u64
                + values * GRAPH_COPIES
        } else {
            0
        };
        let links = self.liveness.as_ref().map_or(0, |liveness| liveness.check_bytes(self.space.len()));
        // The table of states is freed after temporal properties are checked and before a graph is made.
        let freed = if self.model.graph { self.space.table_bytes() } else { 0 };
        let end = graph.saturating_sub(freed).max(links);
        Need {
            known_bytes: self.memory_bytes(),
            soon_bytes: (soon + block).max(end),
            addresses: (addresses + block).max(2 * end),
        }
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.space.memory_bytes()
            + self.model.store.memory_bytes() as u64
            + (self.edges.capacity() * size_of::<Edge>()) as u64
            + self.liveness.as_ref().map_or(0, Liveness::memory_bytes)
    }

    pub(crate) fn report(&mut self) {
        for hand in &mut self.crew.hands {
            hand.worker.take_printed().iter().for_each(|line| self.progress.print(line));
        }
        if self.reported.elapsed() >= REPORT_INTERVAL {
            self.reported = Instant::now();
            self.progress.report(&self.counts, self.started.elapsed());
            if !self.is_growth_told && self.started.elapsed() >= GROWTH_AFTER {
                self.tell_growth();
            }
        }
    }

    fn tell_growth(&mut self) {
        let grown = self.growth.grown(&self.model.program.variables);
        if !grown.is_empty() {
            self.progress.growing(&grown);
            self.is_growth_told = true;
        }
    }

    pub(crate) fn postconditions(&mut self) -> Verdict {
        self.list_violations();
        let worker = &mut self.crew.hands[0].worker;
        worker.info.generated = self.counts.generated;
        worker.info.distinct = self.counts.distinct;
        worker.info.diameter = self.counts.depth;
        worker.info.queue = 0;
        for postcondition in &self.model.program.postconditions {
            match worker.holds(postcondition, &[], None) {
                Ok(true) => {}
                Ok(false) if self.options.keep_going => {
                    self.listed.push(Verdict::Postcondition { name: postcondition.name.clone() });
                }
                Ok(false) => return Verdict::Postcondition { name: postcondition.name.clone() },
                Err(error) => return Verdict::Error { error, trace: Trace::default() },
            }
        }
        Verdict::Holds
    }

    pub(crate) fn verdict(&mut self, event: Event) -> Verdict {
        if let What::Error(error) = &event.what
            && error.kind == ErrorKind::Stopped
        {
            return Verdict::Bounded(self.limit_reached().unwrap_or(Limit::Time));
        }
        if matches!(&event.what, What::Error(error) if error.kind == ErrorKind::OutOfMemory) {
            return Verdict::Bounded(Limit::OutOfMemory);
        }
        if event.source.is_some_and(|source| !self.space.has_way_to(source)) {
            return Verdict::Bounded(Limit::Disk);
        }
        let worker = &mut self.crew.hands[0].worker;
        let trace = trace::to_event(&self.model, &self.space, worker, &event);
        match event.what {
            What::Deadlock => Verdict::Deadlock { trace },
            What::Invariant(name) => Verdict::Invariant { name, trace },
            What::Property(name) => Verdict::Property { name, trace },
            What::Error(error) if error.kind == ErrorKind::Exit => Verdict::Bounded(Limit::Exit),
            What::Error(error) => Verdict::Error { error, trace },
            What::Disk => Verdict::Bounded(Limit::Disk),
        }
    }

    /// Makes the outcome of a search that ended with `verdict`.
    fn finish(mut self, verdict: Verdict) -> Outcome {
        self.counts.depth = self.counts.depth.max(depth_of_new(&verdict));
        let is_over = !matches!(verdict, Verdict::Bounded(_));
        self.write_last(is_over);
        self.list_violations();
        let disk = self.leave_disk(is_over);
        self.report();
        let memory_bytes = self.memory_bytes();
        let complete = matches!(verdict, Verdict::Holds | Verdict::Postcondition { .. });
        let mut warnings =
            self.liveness.as_ref().map_or_else(Vec::new, |one| one.warnings(self.model.program, complete));
        if complete && self.n_initial == 0 && self.model.program.init.is_some() {
            warnings.push(Warning::no_initial_states(self.counts.generated));
        }
        if self.model.graph && self.model.program.view.is_some() {
            warnings.push(Warning::ViewedGraph);
        }
        // A search that the specification ends has come as far as it should.
        if matches!(verdict, Verdict::Bounded(limit) if limit != Limit::Exit) {
            let grown = self.growth.grown(&self.model.program.variables);
            warnings.extend(grown.into_iter().map(Warning::Growing));
        }
        let bounded = matches!(verdict, Verdict::Bounded(_)) && self.liveness.is_some();
        let unchecked =
            if bounded && !self.liveness_checked { temporal_names(self.model.program) } else { Vec::new() };
        let Conclusion { verdict, others, limit } = conclude(self.listed, verdict);
        let graph = self.model.graph.then(|| Graph {
            n_states: self.space.len(),
            n_initial: self.n_initial,
            rows: self.space.into_rows(),
            edges: self.edges,
            permutations: self.model.identity.permutations().to_vec(),
        });
        Outcome {
            verdict,
            others,
            limit,
            counts: self.counts,
            coverage: self.coverage,
            unchecked,
            warnings,
            graph,
            disk,
            shares: Vec::new(),
            memory_bytes,
            n_values: self.model.store.n_values() as u64,
        }
    }
}

/// The depth of the state that ended the search, if it was new: then the search has come as far. The last step of a property may
/// lead to a state that was known.
fn depth_of_new(verdict: &Verdict) -> u32 {
    match verdict {
        Verdict::Invariant { trace, .. } | Verdict::Error { trace, .. } => trace.steps.len() as u32,
        Verdict::Property { trace, .. } => u32::from(trace.steps.len() == 1),
        _ => 0,
    }
}
