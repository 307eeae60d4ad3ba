//! The result of a search.

use kilter_base::{Name, Span};
use kilter_eval::EvalError;
use kilter_value::{Permutation, Value};

use crate::disk::OnDisk;
use crate::growth::Grown;

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The answer to whether the specification is correct.
    pub verdict: Verdict,
    /// Further violations, if the options ask to go on after the first: one for each property, in order.
    pub others: Vec<Verdict>,
    /// The limit that ended a search after a violation, if the options ask to go on.
    pub limit: Option<Limit>,
    /// The size of the search.
    pub counts: Counts,
    /// For each named action what it did, in the order of the program's actions.
    pub coverage: Vec<Coverage>,
    /// The temporal properties that were not checked, because this kind of search cannot, or because it ended too
    /// early.
    pub unchecked: Vec<Name>,
    /// Remarks for the user besides the verdict.
    pub warnings: Vec<Warning>,
    /// All states and transitions, if the options asked for them.
    pub graph: Option<Graph>,
    /// What a search on disk has left there.
    pub disk: Option<OnDisk>,
    /// What each process of a search by several has had.
    pub shares: Vec<Share>,
    /// The memory for states, tables and values.
    pub memory_bytes: u64,
    /// The number of distinct values.
    pub n_values: u64,
}

/// What a process has had of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of states that belong to it.
    pub states: u64,
    /// The memory for states, tables and values.
    pub memory_bytes: u64,
    /// The bytes that it has given to others.
    pub sent_bytes: u64,
    /// Why its disk could not be used any more.
    pub disk_trouble: Option<String>,
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
        /// The name of the assumption.
        name: Name,
    },
    /// A state has no successor.
    Deadlock {
        /// A behavior that ends in this state.
        trace: Trace,
    },
    /// An invariant is false in the last state.
    Invariant {
        /// The name of the invariant.
        name: Name,
        /// A behavior that ends in this state.
        trace: Trace,
    },
    /// A property is false in the initial state or for the last step.
    Property {
        /// The name of the property.
        name: Name,
        /// A behavior that ends in this state.
        trace: Trace,
    },
    /// A temporal property is violated by a behavior that repeats itself.
    Liveness {
        /// The name of the property.
        name: Name,
        /// The behavior up to the end of the loop.
        trace: Trace,
        /// How the behavior goes on after the last state.
        back: Back,
    },
    /// A POSTCONDITION is false.
    Postcondition {
        /// The name of the postcondition.
        name: Name,
    },
    /// An expression could not be evaluated, or an Assert failed.
    Error {
        /// The error and its place.
        error: EvalError,
        /// A behavior that ends in the state in which the error happened.
        trace: Trace,
    },
}

impl Verdict {
    /// The name of what is violated, if it has one.
    pub fn property(&self) -> Option<&Name> {
        match self {
            Verdict::Assumption { name }
            | Verdict::Invariant { name, .. }
            | Verdict::Property { name, .. }
            | Verdict::Liveness { name, .. }
            | Verdict::Postcondition { name } => Some(name),
            Verdict::Holds | Verdict::Bounded(_) | Verdict::Deadlock { .. } | Verdict::Error { .. } => None,
        }
    }
}

/// The limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of distinct states.
    States,
    /// The number of levels.
    Depth,
    /// The time.
    Time,
    /// The memory that the user allows.
    Memory,
    /// The memory that there is.
    OutOfMemory,
    /// The disk, which is full or can't be used any more.
    Disk,
    /// The user interrupted the search.
    Interrupt,
    /// The specification asked to stop, by `TLCSet("exit", TRUE)`.
    Exit,
}

/// The counts that TLC also prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of states generated: initial states and successors, with repetitions.
    pub generated: u64,
    /// The number of distinct states.
    pub distinct: u64,
    /// The number of levels. An initial state is at depth 1.
    pub depth: u32,
    /// The number of distinct states that are not explored yet.
    pub queue: u64,
}

/// What one named action did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of states in which it had a successor. Several disjuncts of one definition count once, for the first
    /// of them.
    pub enabled: u64,
    /// The number of its successors.
    pub taken: u64,
    /// How many of these were new states.
    pub new: u64,
}

/// A behavior: states, each with the step that led to it.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The steps, from an initial state on.
    pub steps: Vec<Step>,
}

/// How an infinite behavior goes on after its last state.
#[derive(Clone, Debug)]
pub struct Back {
    /// The position of the state that comes next. It is the last position if the last state stays forever.
    pub to: usize,
    /// The action of the step back, with its arguments by name. `None` if nothing changes any more.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// For each fairness condition of the specification, why the behavior satisfies it.
    pub fair: Vec<Fair>,
    /// Actions that could be taken in the loop but never are. Fairness of these would rule the loop out.
    pub repairs: Vec<Repair>,
    /// Whether each step leads to the state shown next. Where states stand for others, by SYMMETRY or VIEW, it may lead
    /// to another one, in which the formulas of the properties have the same values.
    pub is_behavior: bool,
}

impl Back {
    /// Whether nothing changes any more after the last state of `trace`. A step that changes only what VIEW hides also
    /// leads back to the same state, but does not stutter.
    pub fn stutters(&self, trace: &Trace) -> bool {
        self.to + 1 == trace.steps.len() && self.action.is_none()
    }
}

/// An action whose fairness would rule a loop out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The name of the action.
    pub action: Name,
    /// Its arguments by name, if it is taken with others.
    pub args: Vec<(Name, Value)>,
    /// Whether it is enabled only in some states of the loop, so that it needs strong fairness.
    pub strong: bool,
}

/// A fairness condition that a counterexample satisfies.
#[derive(Clone, Debug)]
pub struct Fair {
    /// Its place in the specification.
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

/// A remark for the user besides the verdict.
#[derive(Clone, Debug)]
pub enum Warning {
    /// No state satisfies the initial predicate, so nothing was checked.
    NoInitialStates,
    /// CONSTRAINT excludes all initial states, so no others were explored.
    NoInitialStatesAdmitted {
        /// The number of initial states.
        n_initial: u64,
    },
    /// SYMMETRY is given. A loop of states that stand for others need not be a loop.
    Symmetry,
    /// VIEW is given. A loop of states that only look the same need not be a loop.
    View,
    /// VIEW is given, and the graph is kept. An edge may lead to a state that only looks like the real successor.
    ViewedGraph,
    /// CONSTRAINT is given. Behaviors that leave the constraint are not seen.
    Constraint,
    /// The search did not end, and a variable got larger and larger.
    Growing(Grown),
    /// The left side of a `~>` is never true.
    Antecedent {
        /// The place of the `~>`.
        span: Span,
        /// The values of the names that are bound around it.
        bindings: Vec<(Name, Value)>,
    },
    /// The action of a fairness condition is never enabled.
    NeverEnabled {
        /// The place of the fairness condition.
        span: Span,
        /// The values of the names that are bound around it.
        bindings: Vec<(Name, Value)>,
    },
}

impl Warning {
    /// The warning for a search that has nowhere to start. `n_initial` states satisfy the initial predicate.
    pub(crate) fn no_initial_states(n_initial: u64) -> Self {
        if n_initial == 0 { Warning::NoInitialStates } else { Warning::NoInitialStatesAdmitted { n_initial } }
    }
}

/// A state and how it was reached.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the action, with its arguments by name. `None` for the initial state.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// The values of the variables, in the order of the program's variables.
    pub state: Vec<Value>,
    /// The value of ALIAS in this state, if there is one.
    pub alias: Option<Value>,
}

/// All states and transitions.
#[derive(Debug, Default)]
pub struct Graph {
    /// The values of all states, one state after the other.
    pub rows: Vec<Value>,
    /// The number of states.
    pub n_states: u32,
    /// The number of initial states. They come first.
    pub n_initial: u32,
    /// The transitions, in the order of their sources.
    pub edges: Vec<Edge>,
    /// The permutations of SYMMETRY, without the identity.
    pub permutations: Vec<Permutation>,
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the state that it starts from.
    pub source: u32,
    /// The number of the state that it leads to.
    pub target: u32,
    /// The index of the action in the program, or `u32::MAX` if it belongs to none.
    pub action: u32,
    /// The arguments of the action, as a tuple.
    pub args: Value,
    /// The basic blocks taken, as a tuple of numbers.
    pub blocks: Value,
    /// With SYMMETRY, the state that the step really leads to, as a tuple. The target stands for it.
    pub successor: Option<Value>,
}
