//! A compiled specification.

use std::sync::Arc;

use kilter_base::{IdVec, Name, Span};

use crate::node::{Act, Action, ActionId, BlockId, Function, Node, Var};
use crate::origin::{OriginId, Origins};
use crate::outside::Outside;
use crate::temporal::Temporals;

/// A compiled specification with its configuration. All workers share it.
#[derive(Debug)]
pub struct Program {
    /// The names of the state variables, in order.
    pub variables: Vec<Name>,
    /// ASSUME
    pub assumptions: Vec<Predicate>,
    /// The initial predicate, compiled as an action. `None` if the configuration names none.
    pub init: Option<Start>,
    /// The next-state action. `None` if the configuration names none.
    pub next: Option<Step>,
    /// INVARIANT
    pub invariants: Vec<Predicate>,
    /// CONSTRAINT
    pub constraints: Vec<Predicate>,
    /// ACTION_CONSTRAINT
    pub action_constraints: Vec<Predicate>,
    /// SYMMETRY
    pub symmetry: Vec<Predicate>,
    /// VIEW
    pub view: Option<Predicate>,
    /// ALIAS
    pub alias: Option<Predicate>,
    /// POSTCONDITION
    pub postconditions: Vec<Predicate>,
    /// The parts of PROPERTY that are checked state by state or step by step.
    pub properties: Properties,
    /// Fairness, and the parts of PROPERTY that are about whole behaviors.
    pub temporals: Temporals,
    /// CHECK_DEADLOCK
    pub check_deadlock: bool,
    /// The named actions that Next was split into.
    pub actions: IdVec<ActionId, Action>,
    /// Where each basic block comes from.
    pub blocks: IdVec<BlockId, OriginId>,
    /// Whether results depend on the order of evaluation, so that only one worker may evaluate: because of TLCSet,
    /// strings made at run time, or random numbers in actions.
    pub sequential: bool,
    /// Whether an expression asks for the behavior up to the current state. The checker must then put it into
    /// `Worker::trace`.
    pub asks_behavior: bool,
    /// Where each node comes from.
    pub origins: Origins,
    /// Recursive operators and operators passed as arguments.
    pub functions: Vec<Function>,
    /// The number of slots of each frame.
    pub frame_sizes: Vec<u32>,
    /// The number of cells for constant expressions.
    pub n_cells: usize,
    /// The number of actions whose successors are kept in a table.
    pub n_cached: u32,
    /// The number of expressions whose values are kept in a table.
    pub n_memos: u32,
    /// Carries out operators for files and programs. Unless the caller replaces it, it refuses all of them.
    pub outside: Arc<dyn Outside>,
}

/// PROPERTY formulas that are checked state by state or step by step. A property may contribute to several lists.
#[derive(Debug, Default)]
pub struct Properties {
    /// State predicates that must hold in initial states: a property without temporal operators.
    pub initial: Vec<Predicate>,
    /// `[]P` with a state predicate P.
    pub invariants: Vec<Predicate>,
    /// `[][A]_v`: every step must satisfy this action.
    pub steps: Vec<Predicate>,
}

/// A compiled formula that the configuration names.
#[derive(Debug)]
pub struct Named<T> {
    /// The name in the configuration.
    pub name: Name,
    /// Its place in the specification.
    pub span: Span,
    /// The frame for its evaluation.
    pub frame: u32,
    /// The variables of the current state that it reads.
    pub vars: Vec<Var>,
    /// The variables of the next state that it reads.
    pub primed: Vec<Var>,
    /// Whether its value depends on more than these variables.
    pub impure: bool,
    /// The compiled formula.
    pub body: T,
}

/// A predicate, or another expression such as a VIEW.
pub type Predicate = Named<Node>;
/// The initial predicate, as an action that assigns all variables.
pub type Start = Named<Act>;
/// The next-state action.
pub type Step = Named<Act>;
