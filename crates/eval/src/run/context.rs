//! What an evaluation knows about its run, and leaves in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kilter_value::Value;

/// After this many elements of loops the worker looks whether it should stop.
const TICKS: u32 = 1 << 14;

/// What TLCGet tells about the run.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The level of the current state, counted from 1; 0 before there is one.
    pub level: u32,
    /// The levels reached so far.
    pub diameter: u32,
    /// States generated so far.
    pub generated: u64,
    /// Distinct states so far.
    pub distinct: u64,
    /// States waiting to be explored.
    pub queue: u64,
    /// Seconds since the start.
    pub duration_s: u64,
    /// Whether random behaviors are being run, not all.
    pub simulating: bool,
    /// How many workers there are.
    pub workers: u64,
    /// Whether states without successors are reported.
    pub check_deadlock: bool,
    /// The seed of random numbers.
    pub seed: u64,
}

/// What lasts from one evaluation to the next: registers, random numbers, and when to stop.
pub(super) struct Context {
    registers: Vec<(Value, Value)>,
    /// What Print and PrintT have printed.
    pub(super) printed: Vec<String>,
    seed: u64,
    random: u64,
    ticks: u32,
    /// A flag that somebody else sets, and a time.
    pub(super) stop: Option<(Arc<AtomicBool>, Option<Instant>)>,
}

impl Context {
    pub(super) fn new() -> Self {
        Context { registers: Vec::new(), printed: Vec::new(), seed: 1, random: 1, ticks: 0, stop: None }
    }

    /// For another worker: it has the same registers, stops at the same time, and draws other random numbers.
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
        // An odd number is never zero, which this generator could not leave; multiplying keeps seeds apart.
        self.seed = seed.wrapping_mul(2).wrapping_add(1);
        self.random = self.seed;
    }

    /// A pseudo-random number below `bound`, from the seed.
    pub(super) fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    /// Draws from now on what all workers draw for the constant with this number, whatever else they have drawn. Returns
    /// what [`Context::draw_on`] needs to go on as before.
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

    /// Counts an element of a loop, or a call; says whether it is time to look whether to stop.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        self.ticks.is_multiple_of(TICKS)
    }

    /// Whether somebody wants the evaluation to stop, or its time is over.
    pub(super) fn must_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|(flag, deadline)| {
            deadline.is_some_and(|deadline| Instant::now() >= deadline) || flag.load(Ordering::Relaxed)
        })
    }
}
