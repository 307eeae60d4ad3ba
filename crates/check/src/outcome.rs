//! What a search finds.

use kilter_base::{Name, Span};
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
    /// Temporal properties that were not checked: the search is of a kind that cannot, or ended too early.
    pub unchecked: Vec<Name>,
    /// What the user should know beside the verdict.
    pub warnings: Vec<Warning>,
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
    /// A temporal property is violated by a behavior that repeats itself.
    Liveness {
        /// Which.
        name: Name,
        /// The behavior; what repeats is described by `back`.
        trace: Trace,
        /// How it goes on.
        back: Back,
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
    /// More memory than the user allows.
    Memory,
    /// More memory than there is.
    OutOfMemory,
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
    /// States in which it yielded a successor; disjuncts of one definition count once, for the first of them.
    pub enabled: u64,
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

/// How an infinite behavior goes on after its last state.
#[derive(Clone, Debug)]
pub struct Back {
    /// The position of the state that comes next; the last one's own where it stays as it is forever.
    pub to: usize,
    /// The step back, with the arguments by name; `None` where nothing changes any more.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// Why each fairness condition of the specification is satisfied nevertheless.
    pub fair: Vec<Fair>,
    /// Actions that are never taken in the loop though they could be: what fairness would rule it out.
    pub repairs: Vec<Repair>,
}

impl Back {
    /// Whether nothing changes any more after the last state of `trace`. A step that changes only what VIEW hides leads back to the
    /// same state, too.
    pub fn stutters(&self, trace: &Trace) -> bool {
        self.to + 1 == trace.steps.len() && self.action.is_none()
    }
}

/// An action that could leave a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The action.
    pub action: Name,
    /// Whether it is enabled in some states of the loop only, so that weak fairness would not do.
    pub strong: bool,
}

/// A fairness condition that a counterexample satisfies.
#[derive(Clone, Debug)]
pub struct Fair {
    /// Where it stands.
    pub span: Span,
    /// The values of the names that are bound around it.
    pub bindings: Vec<(Name, Value)>,
    /// Why it is satisfied.
    pub why: Why,
}

/// Why a loop satisfies a fairness condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The action is taken from the state at this position to the next one.
    Taken(usize),
    /// The action is not enabled in the state at this position.
    Disabled(usize),
    /// The action is enabled nowhere on the loop.
    NeverEnabled,
}

/// Something that the user should know beside the verdict.
#[derive(Clone, Debug)]
pub enum Warning {
    /// No state satisfies the initial predicate: nothing was checked.
    NoInitialStates,
    /// CONSTRAINT excludes all initial states: nothing follows from them.
    NoInitialStatesAdmitted {
        /// How many there are.
        n_initial: u64,
    },
    /// SYMMETRY is given: loops of states that stand for others need not be loops.
    Symmetry,
    /// VIEW is given: loops of states that only look the same need not be loops.
    View,
    /// VIEW is given, and the graph is kept: an edge may lead to a state that only looks like the one that it leads to.
    ViewedGraph,
    /// CONSTRAINT is given: behaviors that leave the constraint are not seen.
    Constraint,
    /// The left side of a `~>` is never true.
    Antecedent {
        /// The `~>`.
        span: Span,
        /// The values of the names that are bound around it.
        bindings: Vec<(Name, Value)>,
    },
    /// The action of a fairness condition is never enabled.
    NeverEnabled {
        /// The fairness condition.
        span: Span,
        /// The values of the names that are bound around it.
        bindings: Vec<(Name, Value)>,
    },
}

impl Warning {
    /// The search has nowhere to start, though so many states satisfy the initial predicate.
    pub(crate) fn no_initial_states(n_initial: u64) -> Self {
        if n_initial == 0 { Warning::NoInitialStates } else { Warning::NoInitialStatesAdmitted { n_initial } }
    }
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
