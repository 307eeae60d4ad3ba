//! The state of a worker that outlasts one evaluation, and what it knows about the run.

#![expect(clippy::disallowed_methods, reason = "a time limit of the user stops an evaluation")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kilter_value::Value;

/// After this many ticks the worker checks whether it should stop.
const TICKS: u32 = 1 << 14;

/// What TLCGet can tell about the run. The checker fills it in.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The level of the current state, counted from 1. It is 0 before there is a state.
    pub level: u32,
    /// The number of levels reached so far.
    pub diameter: u32,
    /// The number of states generated so far.
    pub generated: u64,
    /// The number of distinct states found so far.
    pub distinct: u64,
    /// The number of states that wait to be explored.
    pub queue: u64,
    /// The seconds since the start of the run.
    pub duration_s: u64,
    /// Whether this run simulates random behaviors.
    pub simulating: bool,
    /// The number of workers.
    pub workers: u64,
    /// Whether deadlocks are reported.
    pub check_deadlock: bool,
    /// The seed of random numbers.
    pub seed: u64,
}

/// Registers, printed lines, random numbers, and when to stop.
pub(super) struct Context {
    registers: Vec<(Value, Value)>,
    /// The lines that Print and PrintT have printed.
    pub(super) printed: Vec<String>,
    seed: u64,
    random: u64,
    ticks: u32,
    /// The evaluation stops when the flag is set or the time has passed.
    pub(super) stop: Option<(Arc<AtomicBool>, Option<Instant>)>,
}

impl Context {
    pub(super) fn new() -> Self {
        Context { registers: Vec::new(), printed: Vec::new(), seed: 1, random: 1, ticks: 0, stop: None }
    }

    /// Makes the context of another worker. It has the same registers and the same time to stop, but draws other random
    /// numbers.
    pub(super) fn sibling(&self, number: u64) -> Self {
        Context {
            registers: self.registers.clone(),
            printed: Vec::new(),
            seed: self.seed,
            random: self.seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) << 1),
            ticks: 0,
            stop: self.stop.clone(),
        }
    }

    pub(super) fn set_seed(&mut self, seed: u64) {
        // The generator could never leave zero, and an odd number is never zero. Doubling keeps different seeds apart.
        self.seed = seed.wrapping_mul(2).wrapping_add(1);
        self.random = self.seed;
    }

    /// Draws a pseudo-random number below `bound`. The same seed gives the same numbers.
    pub(super) fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    /// Switches to the random numbers of one constant, so that all workers draw the same value for it. Returns the
    /// state that [`Context::draw_on`] needs to go on as before.
    pub(super) fn draw_for_constant(&mut self, number: u32) -> u64 {
        std::mem::replace(&mut self.random, self.seed ^ (u64::from(number) << 32 | 1))
    }

    pub(super) fn draw_on(&mut self, random: u64) {
        self.random = random;
    }

    pub(super) fn register(&self, key: Value) -> Option<Value> {
        self.registers.iter().find(|(other, _)| *other == key).map(|(_, value)| *value)
    }

    pub(super) fn set_register(&mut self, key: Value, value: Value) {
        match self.registers.iter_mut().find(|(other, _)| *other == key) {
            Some(register) => register.1 = value,
            None => self.registers.push((key, value)),
        }
    }

    /// Counts an element of a loop, or a call. Returns whether it is time to check for a stop.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        self.ticks.is_multiple_of(TICKS)
    }

    /// Whether the flag is set or the deadline has passed.
    pub(super) fn must_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|(flag, deadline)| {
            deadline.is_some_and(|deadline| Instant::now() >= deadline) || flag.load(Ordering::Relaxed)
        })
    }
}
