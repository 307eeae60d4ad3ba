//! Temporal formulas: as compiled, with quantifiers, and as expanded, with nothing left but `[]`, `<>`, `/\`, `\/` and
//! literals.
//!
//! A literal is a *leaf* for given values of the names that are bound around it: a predicate on a state or on a step.
//! `[]` and `<>` are the only temporal operators that remain: `F ~> G` is `[](F => <>G)`, `WF_v(A)` is
//! `[]<>(~ENABLED <<A>>_v \/ <<A>>_v)`, and `SF_v(A)` is `<>[]~ENABLED <<A>>_v \/ []<><<A>>_v`.

use kilter_base::{Name, Span};
use kilter_value::Value;

use crate::node::{Bound, Node, Slot};

/// The temporal part of a program.
#[derive(Debug, Default)]
pub struct Temporals {
    /// Predicates that the formulas are made of.
    pub leaves: Vec<Leaf>,
    /// What SPECIFICATION says beside the initial predicate and the next-state action.
    pub fairness: Vec<TemporalFormula>,
    /// What PROPERTY asks for beside what is checked state by state and step by step.
    pub properties: Vec<TemporalFormula>,
    /// Properties that cannot be decided.
    pub refused_properties: Vec<Refusal>,
    /// Fairness that cannot be decided; it matters only where there are temporal properties.
    pub refused_fairness: Vec<Refusal>,
}

/// A temporal formula that cannot be decided.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What the configuration calls the formula.
    pub name: Name,
    /// The part at fault.
    pub span: Span,
    /// Why.
    pub reason: &'static str,
}

/// A temporal formula that the configuration names, or a conjunct of one.
#[derive(Debug)]
pub struct TemporalFormula {
    /// What the configuration calls it.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// The frame of its leaves and quantifiers.
    pub frame: u32,
    /// The formula.
    pub body: Temporal,
}

/// A predicate on states or steps.
#[derive(Debug)]
pub struct Leaf {
    /// Where it stands.
    pub span: Span,
    /// Its frame.
    pub frame: u32,
    /// The bound names' slots that it reads.
    pub slots: Box<[Slot]>,
    /// What it reads of states.
    pub reads: Reads,
    /// Whether it is `<<Next>>_v`, or `ENABLED` that, with a v that every step of Next changes.
    pub about_next: bool,
    /// The code.
    pub body: Node,
}

/// What a leaf reads of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Nothing.
    Constant,
    /// One state.
    State,
    /// A step; with the value for steps that change nothing, if it is known.
    Step {
        /// Its value where nothing changes.
        stuttering: Option<bool>,
    },
}

/// A temporal formula with quantifiers.
#[derive(Debug)]
pub enum Temporal {
    /// A leaf, by its number.
    Leaf(u32),
    /// `~F`
    Not(Box<Temporal>),
    /// `/\`
    And(Vec<Temporal>),
    /// `\/`
    Or(Vec<Temporal>),
    /// `<=>`
    Equiv(Box<[Temporal; 2]>),
    /// `[]F`
    Always(Box<Temporal>),
    /// `<>F`
    Eventually(Box<Temporal>),
    /// `F ~> G`
    LeadsTo(Span, Box<[Temporal; 2]>),
    /// `\A` (true) and `\E` over constant sets
    Quantifier(bool, Box<TemporalBinder>),
    /// `WF_v(A)`, or `SF_v(A)` when `strong`
    Fairness {
        /// Where it stands.
        span: Span,
        /// Whether it is `SF`.
        strong: bool,
        /// The leaf `ENABLED <<A>>_v`.
        enabled: u32,
        /// The leaf `<<A>>_v`.
        action: u32,
    },
}

/// Names bound in a temporal formula.
#[derive(Debug)]
pub struct TemporalBinder {
    /// The names with their slots.
    pub names: Vec<(Name, Slot)>,
    /// Slots to forget before the sets are evaluated.
    pub scope: Box<[Slot]>,
    /// The sets.
    pub bounds: Box<[Bound]>,
    /// The body.
    pub body: Temporal,
}

/// An expanded temporal formula in negation normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// TRUE or FALSE
    Bool(bool),
    /// A literal, or its negation.
    Literal {
        /// Its number: an index into [`Expansion::literals`].
        literal: u32,
        /// Whether it is not negated.
        positive: bool,
    },
    /// `/\`
    And(Vec<Formula>),
    /// `\/`
    Or(Vec<Formula>),
    /// `[]F`
    Always(Box<Formula>),
    /// `<>F`
    Eventually(Box<Formula>),
}

/// A leaf for given values of the names bound around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literal {
    /// The leaf.
    pub leaf: u32,
    /// The values of its slots.
    pub values: Box<[Value]>,
}

/// What the expansion of formulas found on its way.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// All literals.
    pub literals: Vec<Literal>,
    /// Fairness conditions.
    pub fairness: Vec<Fairness>,
    /// Left sides of `~>`.
    pub antecedents: Vec<Antecedent>,
}

/// Names with their values: what is bound around a part of a formula.
pub type Bindings = Vec<(Name, Value)>;

/// A fairness condition for given values of the names bound around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// Where it stands.
    pub span: Span,
    /// What is bound around it.
    pub bindings: Bindings,
    /// Whether it is `SF`.
    pub strong: bool,
    /// The literal `ENABLED <<A>>_v`.
    pub enabled: u32,
    /// The literal `<<A>>_v`.
    pub action: u32,
}

/// The left side of a `~>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Antecedent {
    /// The `~>`.
    pub span: Span,
    /// What is bound around it.
    pub bindings: Bindings,
    /// The left side.
    pub formula: Formula,
}
