//! Stores the value of each literal in each state and for each step, as bits.

use kilter_eval::temporal::Formula;

/// The place of a literal's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// This bit of the state.
    State(u32),
    /// This bit of the step.
    Step(u32),
}

/// A step along a link, or a stuttering step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The number of the link.
    Link(usize),
    /// The state stays as it is.
    Stutter,
}

/// A table of bits with rows of equal length.
#[derive(Clone, Debug, Default)]
struct Table {
    row_bytes: usize,
    bytes: Vec<u8>,
}

impl Table {
    fn new(n_bits: u32) -> Self {
        Table { row_bytes: (n_bits as usize).div_ceil(8), bytes: Vec::new() }
    }

    fn row(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.row_bytes..(index + 1) * self.row_bytes]
    }

    fn begin(&mut self, n_rows: usize) {
        self.bytes.resize(self.bytes.len() + n_rows * self.row_bytes, 0);
    }

    /// Sets a bit of a row. Rows are counted from the last one.
    fn set(&mut self, row_from_end: usize, bit: u32) {
        let start = self.bytes.len() - (row_from_end + 1) * self.row_bytes;
        self.bytes[start + bit as usize / 8] |= 1 << (bit % 8);
    }
}

/// The bits of states in order, and of the steps from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Letters {
    n_states: u32,
    /// The number of links of the last state.
    n_links: usize,
    states: Table,
    stutters: Table,
    links: Table,
}

/// Assigns a bit to each literal, given whether it is about steps.
pub(crate) fn places(about_steps: &[bool]) -> Vec<Place> {
    let (mut n_state, mut n_step) = (0, 0);
    let place = |about_step: &bool| {
        let count = if *about_step { &mut n_step } else { &mut n_state };
        *count += 1;
        if *about_step { Place::Step(*count - 1) } else { Place::State(*count - 1) }
    };
    about_steps.iter().map(place).collect()
}

impl Letters {
    /// Makes empty tables.
    pub(crate) fn new(places: &[Place]) -> Self {
        let n_steps = places.iter().filter(|place| matches!(place, Place::Step(_))).count() as u32;
        let n_states = places.len() as u32 - n_steps;
        Letters {
            n_states: 0,
            n_links: 0,
            states: Table::new(n_states),
            stutters: Table::new(n_steps),
            links: Table::new(n_steps),
        }
    }

    /// Begins the next state, which has this many links. All its bits are false.
    pub(crate) fn begin_state(&mut self, n_links: usize) {
        self.n_states += 1;
        self.n_links = n_links;
        self.states.begin(1);
        self.stutters.begin(1);
        self.links.begin(n_links);
    }

    /// Sets a literal to true in the state.
    pub(crate) fn set_state(&mut self, bit: u32) {
        self.states.set(0, bit);
    }

    /// Sets a literal to true for stuttering in the state.
    pub(crate) fn set_stutter(&mut self, bit: u32) {
        self.stutters.set(0, bit);
    }

    /// Sets a literal to true for the state's link with this index.
    pub(crate) fn set_link(&mut self, index: usize, bit: u32) {
        self.links.set(self.n_links - 1 - index, bit);
    }

    /// Adds the bits of the states that follow.
    pub(crate) fn append(&mut self, more: &Letters) {
        self.n_states += more.n_states;
        self.states.bytes.extend_from_slice(&more.states.bytes);
        self.stutters.bytes.extend_from_slice(&more.stutters.bytes);
        self.links.bytes.extend_from_slice(&more.links.bytes);
    }

    /// The number of states.
    pub(crate) fn n_states(&self) -> u32 {
        self.n_states
    }

    /// The bits of a state.
    pub(crate) fn state(&self, state: u32) -> &[u8] {
        self.states.row(state as usize)
    }

    /// The bits of a step from a state.
    pub(crate) fn step(&self, state: u32, step: Step) -> &[u8] {
        match step {
            Step::Link(link) => self.links.row(link),
            Step::Stutter => self.stutters.row(state as usize),
        }
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        [&self.states, &self.stutters, &self.links].map(|table| table.bytes.capacity() as u64).iter().sum()
    }
}

/// A formula without `[]` and `<>`, prepared for evaluation on bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Bool(bool),
    State { bit: u32, positive: bool },
    Step { bit: u32, positive: bool },
    All(Vec<Test>),
    Any(Vec<Test>),
}

impl Test {
    /// Prepares a formula. `places` gives the bit of each literal.
    pub(crate) fn new(formula: &Formula, places: &[Place]) -> Test {
        let tests = |parts: &[Formula]| parts.iter().map(|part| Test::new(part, places)).collect();
        match formula {
            Formula::Bool(value) => Test::Bool(*value),
            Formula::Literal { literal, positive } => match places[*literal as usize] {
                Place::State(bit) => Test::State { bit, positive: *positive },
                Place::Step(bit) => Test::Step { bit, positive: *positive },
            },
            Formula::And(parts) => Test::All(tests(parts)),
            Formula::Or(parts) => Test::Any(tests(parts)),
            Formula::Always(_) | Formula::Eventually(_) => unreachable!("a test is not temporal"),
        }
    }

    /// Splits the test into two that must both hold: one on states alone, one on steps.
    pub(crate) fn split(self) -> (Test, Test) {
        let parts = match self {
            Test::All(parts) => parts,
            other => vec![other],
        };
        let (steps, states): (Vec<_>, Vec<_>) = parts.into_iter().partition(Test::reads_steps);
        (all(states), all(steps))
    }

    /// Whether the test reads bits of steps.
    pub(crate) fn reads_steps(&self) -> bool {
        match self {
            Test::Bool(_) | Test::State { .. } => false,
            Test::Step { .. } => true,
            Test::All(parts) | Test::Any(parts) => parts.iter().any(Test::reads_steps),
        }
    }

    /// Evaluates the test on the bits of a state and of a step.
    pub(crate) fn holds(&self, state: &[u8], step: &[u8]) -> bool {
        let bit = |bytes: &[u8], bit: u32| bytes[bit as usize / 8] >> (bit % 8) & 1 == 1;
        match self {
            Test::Bool(value) => *value,
            Test::State { bit: index, positive } => bit(state, *index) == *positive,
            Test::Step { bit: index, positive } => bit(step, *index) == *positive,
            Test::All(parts) => parts.iter().all(|part| part.holds(state, step)),
            Test::Any(parts) => parts.iter().any(|part| part.holds(state, step)),
        }
    }
}

fn all(mut parts: Vec<Test>) -> Test {
    match parts.len() {
        0 => Test::Bool(true),
        1 => parts.swap_remove(0),
        _ => Test::All(parts),
    }
}
