//! A compiled specification.

use std::sync::Arc;

use kilter_base::{IdVec, Name, Span};

use crate::node::{Act, Action, ActionId, BlockId, Function, Node, Var};
use crate::origin::{OriginId, Origins};
use crate::outside::Outside;
use crate::temporal::Temporals;

/// Everything that a checker evaluates, compiled; shared by all workers.
#[derive(Debug)]
pub struct Program {
    /// The names of the state variables, in order.
    pub variables: Vec<Name>,
    /// ASSUME
    pub assumptions: Vec<Predicate>,
    /// The initial predicate.
    pub init: Option<Start>,
    /// The next-state action.
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
    /// PROPERTY, sorted by what it takes to check them.
    pub properties: Properties,
    /// Fairness, and what of PROPERTY is neither about single states nor about single steps.
    pub temporals: Temporals,
    /// CHECK_DEADLOCK
    pub check_deadlock: bool,
    /// The named actions that Next was split into.
    pub actions: IdVec<ActionId, Action>,
    /// Where each basic block comes from.
    pub blocks: IdVec<BlockId, OriginId>,
    /// Whether results depend on the order of evaluation, so that one worker must do it all: TLCSet, strings made at
    /// run time, random numbers in actions.
    pub sequential: bool,
    /// Whether something asks for the behavior up to the current state: workers must be told it.
    pub asks_behavior: bool,
    /// Where nodes come from.
    pub origins: Origins,
    /// Recursive operators and operators passed as arguments.
    pub functions: Vec<Function>,
    /// The number of slots of each frame.
    pub frame_sizes: Vec<u32>,
    /// How many constant expressions are evaluated once.
    pub n_cells: usize,
    /// How many actions' successors are remembered.
    pub n_cached: u32,
    /// How many expressions are memoised.
    pub n_memos: u32,
    /// What operators for files and programs may do; nothing unless somebody says so.
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

/// Something compiled that the configuration names.
#[derive(Debug)]
pub struct Named<T> {
    /// What the configuration calls it.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// The frame that it is evaluated in.
    pub frame: u32,
    /// The variables of the current state that it reads.
    pub vars: Vec<Var>,
    /// The variables of the next state that it reads.
    pub primed: Vec<Var>,
    /// Whether its value depends on more than those.
    pub impure: bool,
    /// The code.
    pub body: T,
}

/// A predicate or other expression.
pub type Predicate = Named<Node>;
/// The initial predicate, as an action that assigns all variables.
pub type Start = Named<Act>;
/// The next-state action.
pub type Step = Named<Act>;
