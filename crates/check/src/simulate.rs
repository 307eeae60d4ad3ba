//! Random behaviors, from a seed.

use std::sync::atomic::Ordering;
use std::time::Instant;

use kilter_base::{Name, memory};
use kilter_eval::{ErrorKind, EvalError, Part, Program, Successors, Worker};
use kilter_value::{Store, Value};

use crate::chunk::What;
use crate::crew::STACK_BYTES;
use crate::expand::{Hand, Model};
use crate::options::{Options, Progress};
use crate::outcome::{Counts, Limit, Outcome, Step, Trace, Verdict};
use crate::symmetry::Identity;
use crate::trace::describe;

/// How to simulate.
#[derive(Clone, Debug)]
pub struct Walks {
    /// The number of behaviors.
    pub behaviors_max: u64,
    /// Their length.
    pub depth_max: u32,
}

/// Runs random behaviors and checks every state and step of them. Finding nothing is never a proof.
pub fn simulate(
    program: &Program,
    store: &Store,
    options: &Options,
    walks: &Walks,
    progress: &mut (dyn Progress + Send),
) -> Outcome {
    memory::with_stack(STACK_BYTES, |stack| Simulation::run(program, store, options, walks, stack, progress))
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
        worker.info.workers = 1;
        worker.info.seed = options.seed;
        worker.info.check_deadlock = options.check_deadlock.unwrap_or(program.check_deadlock);
        worker.set_seed(options.seed);
        // Behaviors are compared with nothing, so SYMMETRY and VIEW do not matter.
        let identity = Identity::none();
        let mut simulation = Simulation {
            model: Model {
                program,
                store,
                identity: &identity,
                check_deadlock: options.check_deadlock.unwrap_or(program.check_deadlock),
                graph: false,
                links: false,
            },
            hand: Hand::new(worker),
            random: options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            counts: Counts::default(),
        };
        let mut verdict = None;
        for _ in 0..walks.behaviors_max {
            if progress.interrupted().load(Ordering::Relaxed) {
                verdict = Some(Verdict::Bounded(Limit::Interrupt));
            } else if options.limits.time_max.is_some_and(|max| started.elapsed() >= max) {
                verdict = Some(Verdict::Bounded(Limit::Time));
            } else {
                verdict = simulation.behavior(walks.depth_max);
                simulation.hand.worker.take_printed().iter().for_each(|line| progress.print(line));
                progress.report(&simulation.counts, started.elapsed());
            }
            if verdict.is_some() {
                break;
            }
        }
        Outcome {
            verdict: verdict.unwrap_or(Verdict::Bounded(Limit::States)),
            counts: simulation.counts,
            coverage: Vec::new(),
            unchecked: temporal_names(program),
            warnings: Vec::new(),
            graph: None,
            memory_bytes: store.memory_bytes() as u64,
            n_values: store.n_values() as u64,
        }
    }

    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// One behavior; what it finds.
    fn behavior(&mut self, depth_max: u32) -> Option<Verdict> {
        let n_vars = self.model.program.variables.len();
        let mut trace = Trace::default();
        let mut successors = Successors::default();
        self.follow(&trace);
        if let Err(error) = self.hand.worker.initial(Part::WHOLE, &mut successors) {
            return Some(error_verdict(error, trace));
        }
        for depth in 1..=depth_max {
            self.counts.depth = self.counts.depth.max(depth);
            let mut open: Vec<(Vec<Value>, Option<_>)> = Vec::new();
            for (row, label) in successors.iter(n_vars) {
                self.counts.generated += 1;
                open.push((row.to_vec(), describe(self.model.program, self.model.store, label)));
            }
            if open.is_empty() {
                let deadlock = depth > 1 && self.model.check_deadlock;
                return deadlock.then_some(Verdict::Deadlock { trace });
            }
            let (state, action) = self.choose(&trace, open, depth)?;
            self.follow(&trace);
            let previous = trace.steps.last().map(|step| step.state.clone());
            trace.steps.push(Step { action, state: state.clone(), alias: None });
            if let Err(what) = self.check(previous.as_deref(), &state) {
                return Some(match what {
                    What::Invariant(name) => Verdict::Invariant { name, trace },
                    What::Property(name) => Verdict::Property { name, trace },
                    What::Error(error) => error_verdict(error, trace),
                    What::Deadlock => Verdict::Deadlock { trace },
                });
            }
            if let Err(error) = self.hand.worker.successors(&state, &mut successors) {
                return Some(error_verdict(error, trace));
            }
        }
        None
    }

    /// Tells the worker how its current state came about, if anything asks for it.
    fn follow(&mut self, trace: &Trace) {
        if self.model.program.asks_behavior {
            self.hand.worker.trace = trace.steps.iter().map(|step| step.state.clone()).collect();
        }
    }

    /// One of the states that the constraints admit, at random.
    #[allow(clippy::type_complexity, reason = "a state with its label, used nowhere else")]
    fn choose(
        &mut self,
        trace: &Trace,
        mut open: Vec<(Vec<Value>, Option<(kilter_base::Name, Vec<(kilter_base::Name, Value)>)>)>,
        depth: u32,
    ) -> Option<(Vec<Value>, Option<(kilter_base::Name, Vec<(kilter_base::Name, Value)>)>)> {
        while !open.is_empty() {
            let index = self.random_below(open.len());
            let candidate = open.swap_remove(index);
            let previous = trace.steps.last().map(|step| step.state.as_slice());
            if self.hand.admits(&self.model, previous, &candidate.0, depth) {
                return Some(candidate);
            }
        }
        None
    }

    fn check(&mut self, previous: Option<&[Value]>, state: &[Value]) -> Result<(), What> {
        let program = self.model.program;
        self.hand.check_state(&self.model, state, previous)?;
        let Some(previous) = previous else {
            for property in &program.properties.initial {
                if !self.hand.worker.holds(property, state, None).map_err(What::Error)? {
                    return Err(What::Property(property.name.clone()));
                }
            }
            return Ok(());
        };
        for step in &program.properties.steps {
            if !self.hand.worker.holds(step, previous, Some(state)).map_err(What::Error)? {
                return Err(What::Property(step.name.clone()));
            }
        }
        Ok(())
    }
}

/// The properties that random behaviors, which end somewhere, say nothing about.
fn temporal_names(program: &Program) -> Vec<Name> {
    let mut names: Vec<Name> =
        program.temporals.properties.iter().map(|property| property.name.clone()).collect();
    names.extend(program.temporals.refused_properties.iter().map(|refusal| refusal.name.clone()));
    names.dedup();
    names
}

/// What an evaluation that did not finish means for the run.
fn error_verdict(error: EvalError, trace: Trace) -> Verdict {
    match error.kind {
        ErrorKind::Exit => Verdict::Bounded(Limit::Exit),
        ErrorKind::Stopped => Verdict::Bounded(Limit::Time),
        ErrorKind::OutOfMemory => Verdict::Bounded(Limit::OutOfMemory),
        ErrorKind::Evaluation | ErrorKind::Assertion => Verdict::Error { error, trace },
    }
}
