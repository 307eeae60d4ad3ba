//! Simulates random behaviors, from a seed.

#![expect(clippy::disallowed_methods, reason = "measures time for people")]

use std::sync::atomic::Ordering;
use std::time::Instant;

use kilter_base::Name;
use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_eval::{ErrorKind, EvalError, Part, Program, Successors, Worker};
use kilter_value::{Store, Value};

use crate::assume;
use crate::chunk::What;
use crate::expand::{Hand, Model};
use crate::options::{Options, Progress};
use crate::outcome::{Counts, Limit, Outcome, Step, Trace, Verdict, Warning};
use crate::stop::{self, temporal_names};
use crate::symmetry::Identity;
use crate::trace::describe;

/// How to simulate.
#[derive(Clone, Debug)]
pub struct Walks {
    /// The number of behaviors to run.
    pub behaviors_max: u64,
    /// The most states in a behavior.
    pub depth_max: u32,
}

/// Runs random behaviors and checks every state and step of them. If it finds nothing, that is no proof.
pub fn simulate(
    program: &Program,
    store: &Store,
    options: &Options,
    walks: &Walks,
    progress: &mut (dyn Progress + Send),
) -> Outcome {
    let mut outcome = memory::with_stack(DEEP_STACK_BYTES, |stack| {
        Simulation::run(program, store, options, walks, stack, progress)
    });
    stop::without_programs(program, &progress.interrupted(), &mut outcome);
    outcome
}

struct Simulation<'p> {
    model: Model<'p>,
    hand: Hand<'p>,
    random: u64,
    counts: Counts,
}

impl<'p> Simulation<'p> {
    fn run(
        program: &'p Program,
        store: &'p Store,
        options: &Options,
        walks: &Walks,
        stack_bytes: usize,
        progress: &mut (dyn Progress + Send),
    ) -> Outcome {
        let started = Instant::now();
        let mut worker = Worker::new(program, store, stack_bytes);
        worker.set_recording(true);
        worker.info.simulating = true;
        let deadline = options.limits.time_max.map(|time_max| started + time_max);
        worker.set_stop(progress.interrupted(), deadline);
        program.outside.set_stop(progress.interrupted(), deadline);
        worker.info.workers = 1;
        worker.info.seed = options.seed;
        worker.info.check_deadlock = options.check_deadlock.unwrap_or(program.check_deadlock);
        worker.set_seed(options.seed);
        // States are not compared, so SYMMETRY and VIEW do not matter.
        let identity = Identity::none();
        let mut simulation = Simulation {
            model: Model {
                program,
                store,
                identity: &identity,
                check_deadlock: options.check_deadlock.unwrap_or(program.check_deadlock),
                graph: false,
                links: false,
                keep_going: false,
            },
            hand: Hand::new(worker),
            random: options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            counts: Counts::default(),
        };
        let mut warnings = Vec::new();
        let verdict = simulation.start(progress).and_then(|initial| {
            if initial.is_empty() && program.init.is_some() {
                warnings.push(Warning::no_initial_states(simulation.counts.generated));
                return Ok(());
            }
            simulation.behaviors(&initial, options, walks, started, progress)
        });
        Outcome {
            verdict: verdict.err().map_or(Verdict::Bounded(Limit::States), |verdict| *verdict),
            others: Vec::new(),
            limit: None,
            counts: simulation.counts,
            coverage: Vec::new(),
            unchecked: temporal_names(program),
            warnings,
            graph: None,
            disk: None,
            shares: Vec::new(),
            memory_bytes: store.memory_bytes() as u64,
            n_values: store.n_values() as u64,
        }
    }

    /// Checks the assumptions and all initial states. Returns the initial states that the constraints admit.
    fn start(&mut self, progress: &mut (dyn Progress + Send)) -> Result<Vec<Vec<Value>>, Box<Verdict>> {
        let program = self.model.program;
        assume::check(program, &mut self.hand.worker, progress, None)?;
        let mut successors = Successors::default();
        let result = self.hand.worker.initial(Part::WHOLE, &mut successors);
        let mut initial = Vec::new();
        for (row, _) in successors.iter(program.variables.len()) {
            self.counts.generated += 1;
            self.counts.depth = 1;
            self.hand.worker.info.level = 1;
            let checked = self.hand.check_initial(&self.model, row);
            checked.map_err(|what| verdict(what, Trace { steps: vec![step(None, row)] }))?;
            let admitted = self.hand.admits(&self.model, None, row, 1);
            if admitted.map_err(|error| error_verdict(error, Trace { steps: vec![step(None, row)] }))? {
                initial.push(row.to_vec());
            }
        }
        self.hand.worker.take_printed().iter().for_each(|line| progress.print(line));
        result.map_err(|error| error_verdict(error, Trace::default()))?;
        Ok(initial)
    }

    fn behaviors(
        &mut self,
        initial: &[Vec<Value>],
        options: &Options,
        walks: &Walks,
        started: Instant,
        progress: &mut (dyn Progress + Send),
    ) -> Result<(), Box<Verdict>> {
        for _ in 0..walks.behaviors_max {
            if progress.interrupted().load(Ordering::Relaxed) {
                return Err(Box::new(Verdict::Bounded(Limit::Interrupt)));
            }
            if options.limits.time_max.is_some_and(|max| started.elapsed() >= max) {
                return Err(Box::new(Verdict::Bounded(Limit::Time)));
            }
            let result = self.behavior(initial, walks.depth_max);
            self.hand.worker.take_printed().iter().for_each(|line| progress.print(line));
            progress.report(&self.counts, started.elapsed());
            result?;
        }
        Ok(())
    }

    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// Runs one behavior from a random initial state. The error is the violation that it finds.
    fn behavior(&mut self, initial: &[Vec<Value>], depth_max: u32) -> Result<(), Box<Verdict>> {
        let n_vars = self.model.program.variables.len();
        let mut successors = Successors::default();
        let Some(state) = initial.get(self.random_below(initial.len().max(1))) else { return Ok(()) };
        let mut trace = Trace { steps: vec![step(None, state)] };
        for depth in 1..depth_max {
            let state = trace.steps[trace.steps.len() - 1].state.clone();
            self.follow(&trace.steps[..trace.steps.len() - 1]);
            self.hand.worker.info.level = depth;
            let result = self.hand.worker.successors(&state, &mut successors);
            self.follow(&trace.steps);
            let mut open = Vec::new();
            for (row, label) in successors.iter(n_vars) {
                self.counts.generated += 1;
                let next = step(describe(self.model.program, self.model.store, label), row);
                if let Err(what) = self.check(&state, row, depth + 1) {
                    trace.steps.push(next);
                    return Err(verdict(what, trace));
                }
                open.push(next);
            }
            if let Err(error) = result {
                return Err(error_verdict(error, trace));
            }
            if open.is_empty() && self.model.check_deadlock {
                return Err(Box::new(Verdict::Deadlock { trace }));
            }
            self.follow(&trace.steps[..trace.steps.len() - 1]);
            match self.choose(&state, open, depth) {
                Ok(Some(next)) => trace.steps.push(next),
                Ok(None) => return Ok(()),
                Err(failure) => {
                    let (error, next) = *failure;
                    trace.steps.push(next);
                    return Err(error_verdict(error, trace));
                }
            }
            self.counts.depth = self.counts.depth.max(depth + 1);
        }
        Ok(())
    }

    /// Gives the worker the behavior up to the current state, if the program asks for it.
    fn follow(&mut self, before: &[Step]) {
        if self.model.program.asks_behavior {
            self.hand.worker.trace = before.iter().map(|step| step.state.clone()).collect();
        }
    }

    /// Chooses a random step among those that the constraints admit. If a constraint fails, the error comes with its
    /// step.
    fn choose(
        &mut self,
        state: &[Value],
        mut open: Vec<Step>,
        depth: u32,
    ) -> Result<Option<Step>, Box<(EvalError, Step)>> {
        while !open.is_empty() {
            let index = self.random_below(open.len());
            let candidate = open.swap_remove(index);
            match self.hand.admits(&self.model, Some(state), &candidate.state, depth + 1) {
                Ok(true) => return Ok(Some(candidate)),
                Ok(false) => {}
                Err(error) => return Err(Box::new((error, candidate))),
            }
        }
        Ok(None)
    }

    /// Checks a successor, whether or not the behavior goes there.
    fn check(&mut self, state: &[Value], successor: &[Value], level: u32) -> Result<(), What> {
        self.hand.worker.info.level = level;
        self.hand.check_state(&self.model, successor, Some(state))?;
        self.hand.check_step(&self.model, state, successor)
    }
}

fn step(action: Option<(Name, Vec<(Name, Value)>)>, state: &[Value]) -> Step {
    Step { action, state: state.to_vec(), alias: None }
}

fn verdict(what: What, trace: Trace) -> Box<Verdict> {
    match what {
        What::Invariant(name) => Box::new(Verdict::Invariant { name, trace }),
        What::Property(name) => Box::new(Verdict::Property { name, trace }),
        What::Error(error) => error_verdict(error, trace),
        // Random behaviors are in memory.
        What::Disk => Box::new(Verdict::Bounded(Limit::Disk)),
        What::Deadlock => Box::new(Verdict::Deadlock { trace }),
    }
}

/// The verdict for an evaluation that did not finish.
fn error_verdict(error: EvalError, trace: Trace) -> Box<Verdict> {
    Box::new(match error.kind {
        ErrorKind::Exit => Verdict::Bounded(Limit::Exit),
        ErrorKind::Stopped => Verdict::Bounded(Limit::Time),
        ErrorKind::OutOfMemory => Verdict::Bounded(Limit::OutOfMemory),
        ErrorKind::Evaluation | ErrorKind::Assertion => Verdict::Error { error, trace },
    })
}
