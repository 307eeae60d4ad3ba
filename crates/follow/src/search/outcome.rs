//! What a search is told and what it tells: its limits, its progress, and its answer.

use std::sync::Arc;

use kilter_base::Name;
use kilter_eval::EvalError;
use kilter_value::{Store, Value};

use crate::coverage::Coverage;
use crate::demand::{Demand, LinePlace};
use crate::lines::Problem;
use crate::why::Why;

/// How a log is followed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most states that are kept to come back to. If more are left behind, the oldest are forgotten.
    pub alternatives_max: usize,
    /// The most states with which the search goes on at once. The others are left behind.
    pub width: usize,
    /// The most lines that are tried in states without getting further. Then the search gives up.
    pub effort_max: u64,
    /// How many steps before the last one are kept, to show them.
    pub history: usize,
    /// Whether every step is told to [`Progress::settled`] even if it stays open for long which behavior it is. If not, then after
    /// `alternatives_max` steps the first of them is taken, so that the memory does not grow with the log.
    pub tells_all: bool,
    /// Whether states in which an INVARIANT is false are no states of the behavior.
    pub invariants: bool,
    /// The size in bytes that the store may grow by until a fresh one is taken.
    pub store_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            alternatives_max: 100_000,
            width: 1_000,
            effort_max: 2_000_000,
            history: 100,
            tells_all: false,
            invariants: true,
            store_bytes: 256 << 20,
        }
    }
}

/// Is told how far the search is.
pub trait Progress {
    /// So many lines are explained, in this many ways.
    fn report(&mut self, lines: u64, states: usize);
    /// Lets a moment pass, because nothing more is written yet. Returns false if nobody wants to wait any longer.
    fn wait(&mut self) -> bool;
    /// Whether the search must end.
    fn is_interrupted(&self) -> bool;
    /// This is the next state of the behavior. The first is an initial state.
    fn settled(&mut self, _state: &Told, _store: &Store) {}
}

/// The result of following a log.
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The number of lines of all files that were read.
    pub lines: u64,
    /// The number of demands that the longest behavior meets.
    pub explained: u64,
    /// The most states that explained the same lines.
    pub states_max: usize,
    /// Whether a rejection supposes that nodes share nothing but messages: not all other orders of lines were tried.
    pub supposes: bool,
    /// The next lines that must come after another one, by the order that the log has, each with that one.
    pub held_back: Vec<(LinePlace, LinePlace)>,
    /// The longest behavior, as far back as it was kept.
    pub path: Vec<Told>,
    /// What the behavior has shown.
    pub coverage: Coverage,
    /// The store with all values.
    pub store: Store,
}

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// Some behavior explains all lines.
    Accepted,
    /// No behavior explains more than the lines before these.
    Rejected(Vec<Stuck>),
    /// None was found, and not all possibilities were tried.
    Undecided(Reason, Vec<Stuck>),
}

/// Why a search gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// More possibilities were left behind than are kept.
    Forgotten,
    /// It tried for too long.
    Effort,
    /// A step that is repeated for one line came through more states than are looked at.
    Repeated,
    /// It was told to end.
    Interrupted,
}

/// A line that no behavior explains.
#[derive(Debug)]
pub struct Stuck {
    /// The line.
    pub demand: Arc<Demand>,
    /// What is in the way, the nearest first.
    pub why: Vec<Why>,
}

impl Stuck {
    /// Whether the line only waits for a message. Then another line is at fault, if there is one.
    pub fn waits(&self) -> bool {
        !self.why.is_empty() && self.why.iter().all(|why| why.wrong.waits())
    }
}

/// A state of the behavior that was found.
#[derive(Clone, Debug)]
pub struct Told {
    /// The values of the variables.
    pub row: Vec<Value>,
    /// The action that leads to it, with its arguments. `None` for the first.
    pub action: Option<(Name, Vec<(Name, Value)>)>,
    /// The file and the number of the line that shows it. `None` for the first, and for silent actions.
    pub line: Option<LinePlace>,
}

/// Why a log can't be followed to its end.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A line can't be read.
    #[error(transparent)]
    Line(#[from] Problem),
    /// An expression of the specification can't be evaluated for a line.
    #[error("{}", .0.message)]
    Evaluation(Box<EvalError>, Option<LinePlace>),
    /// The specification has no initial state.
    #[error("the specification has no initial state")]
    NoInitialState,
}

impl From<EvalError> for Trouble {
    fn from(error: EvalError) -> Trouble {
        Trouble::Evaluation(Box::new(error), None)
    }
}
