//! What a search finds.

use kilter_base::Name;
use kilter_eval::EvalError;
use kilter_value::{Permutation, Value};

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// How much was searched.
    pub counts: Counts,
    /// What happened to each named action, in the program's order.
    pub coverage: Vec<Coverage>,
    /// Properties that were not checked, with the reason.
    pub unchecked: Vec<(Name, String)>,
    /// All states and transitions, if they were asked for.
    pub graph: Option<Graph>,
    /// Memory for states, tables and values.
    pub memory_bytes: u64,
    /// Distinct values in all.
    pub n_values: u64,
}

/// The answer of a search.
#[derive(Debug)]
pub enum Verdict {
    /// Everything that was asked holds.
    Holds,
    /// Nothing wrong was found before a limit was reached.
    Bounded(Limit),
    /// An ASSUME is false.
    Assumption {
        /// Which.
        name: Name,
    },
    /// A state has no successor.
    Deadlock {
        /// How to get there.
        trace: Trace,
    },
    /// An invariant is false in the last state.
    Invariant {
        /// Which.
        name: Name,
        /// How to get there.
        trace: Trace,
    },
    /// A property is false in the initial state or for the last step.
    Property {
        /// Which.
        name: Name,
        /// How to get there.
        trace: Trace,
    },
    /// A POSTCONDITION is false.
    Postcondition {
        /// Which.
        name: Name,
    },
    /// Something could not be evaluated, or an Assert failed.
    Error {
        /// What went wrong.
        error: EvalError,
        /// The state in which it went wrong comes last.
        trace: Trace,
    },
}

/// A limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Too many states.
    States,
    /// Too deep.
    Depth,
    /// Took too long.
    Time,
    /// Too much memory.
    Memory,
    /// Somebody interrupted it.
    Interrupt,
    /// The specification itself asked to stop.
    Exit,
}

/// TLC's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States generated: initial states and successors, with repetitions.
    pub generated: u64,
    /// Distinct states found.
    pub distinct: u64,
    /// Levels of the search: an initial state is at depth 1.
    pub depth: u32,
    /// Distinct states not yet explored.
    pub queue: u64,
}

/// What happened to one named action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Successors that it yielded.
    pub taken: u64,
    /// How many of those were new states.
    pub new: u64,
}

/// A behavior: each state with the step that led to it.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// From an initial state on.
    pub steps: Vec<Step>,
}

/// A state and how it was reached.
#[derive(Clone, Debug)]
pub struct Step {
    /// The action, with its arguments by name; `None` for the initial state.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// The values of the variables.
    pub state: Vec<Value>,
    /// What ALIAS makes of the state.
    pub alias: Option<Value>,
}

/// All states and transitions.
#[derive(Debug, Default)]
pub struct Graph {
    /// The states, one row of handles after the other.
    pub rows: Vec<Value>,
    /// How many states there are.
    pub n_states: u32,
    /// The first states are initial.
    pub n_initial: u32,
    /// Transitions in order of their sources.
    pub edges: Vec<Edge>,
    /// The permutations of SYMMETRY, without the identity.
    pub permutations: Vec<Permutation>,
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From.
    pub source: u32,
    /// To.
    pub target: u32,
    /// The action's number, or `u32::MAX`.
    pub action: u32,
    /// Its arguments, as a tuple.
    pub args: Value,
    /// The basic blocks taken, as a tuple of numbers.
    pub blocks: Value,
    /// The state that the step really leads to, as a tuple, if SYMMETRY lets the target stand for it.
    pub successor: Option<Value>,
}
