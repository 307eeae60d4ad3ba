//! Temporal formulas in two forms. The compiled form still has quantifiers; the expanded form has only `[]`, `<>`,
//! `/\`, `\/` and literals.
//!
//! A *leaf* is a predicate on a state or on a step. A literal is a leaf together with values for the names that are
//! bound around it. `[]` and `<>` are the only temporal operators that remain: `F ~> G` becomes `[](F => <>G)`,
//! `WF_v(A)` becomes `[]<>(~ENABLED <<A>>_v \/ <<A>>_v)`, and `SF_v(A)` becomes `<>[]~ENABLED <<A>>_v \/ []<><<A>>_v`.

use kilter_base::{Name, Span};
use kilter_value::Value;

use crate::node::{Bound, Node, Slot};

/// The temporal part of a program.
#[derive(Debug, Default)]
pub struct Temporals {
    /// The predicates that the formulas are made of. Formulas refer to them by index.
    pub leaves: Vec<Leaf>,
    /// The conjuncts of SPECIFICATION besides the initial predicate and the next-state action.
    pub fairness: Vec<TemporalFormula>,
    /// The parts of PROPERTY that cannot be checked state by state or step by step.
    pub properties: Vec<TemporalFormula>,
    /// Properties that cannot be checked.
    pub refused_properties: Vec<Refusal>,
    /// Fairness conditions that cannot be checked. This is an error only if there are temporal properties.
    pub refused_fairness: Vec<Refusal>,
}

/// A temporal formula that cannot be checked.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The name of the formula in the configuration.
    pub name: Name,
    /// The part of it that cannot be checked.
    pub span: Span,
    /// The reason, for the user.
    pub reason: &'static str,
}

/// A temporal formula that the configuration names, or a conjunct of one.
#[derive(Debug)]
pub struct TemporalFormula {
    /// The name in the configuration.
    pub name: Name,
    /// Its place in the specification.
    pub span: Span,
    /// The frame of its leaves and quantifiers.
    pub frame: u32,
    /// The compiled formula.
    pub body: Temporal,
}

/// A predicate on a state or on a step.
#[derive(Debug)]
pub struct Leaf {
    /// Its place in the specification.
    pub span: Span,
    /// The frame for its evaluation.
    pub frame: u32,
    /// The slots of bound names that it reads.
    pub slots: Box<[Slot]>,
    /// Whether it needs a state or a step.
    pub reads: Reads,
    /// Whether it is `<<Next>>_v` or `ENABLED <<Next>>_v`, with a `v` that every step of Next changes.
    pub about_next: bool,
    /// The compiled predicate.
    pub body: Node,
}

/// How much of a behavior a leaf reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Neither variables nor primed variables.
    Constant,
    /// Variables of one state.
    State,
    /// Variables of both states of a step.
    Step {
        /// The value for steps that change nothing, if it is known.
        stuttering: Option<bool>,
    },
}

/// A compiled temporal formula.
#[derive(Debug)]
pub enum Temporal {
    /// A leaf: an index into `Temporals::leaves`.
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
        /// Its place in the specification.
        span: Span,
        /// Whether it is `SF` and not `WF`.
        strong: bool,
        /// The leaf `ENABLED <<A>>_v`.
        enabled: u32,
        /// The leaf `<<A>>_v`.
        action: u32,
    },
}

/// Names bound by a quantifier in a temporal formula.
#[derive(Debug)]
pub struct TemporalBinder {
    /// The names and their slots.
    pub names: Vec<(Name, Slot)>,
    /// The lazy slots to empty before the sets are evaluated.
    pub scope: Box<[Slot]>,
    /// The sets that the names range over, with their slots.
    pub bounds: Box<[Bound]>,
    /// The formula that uses the names.
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
        /// `false` if it is negated.
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

/// A leaf with values for the names bound around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literal {
    /// The leaf: an index into `Temporals::leaves`.
    pub leaf: u32,
    /// The values of the leaf's slots, in the order of `Leaf::slots`.
    pub values: Box<[Value]>,
}

/// Everything that the expansion of formulas collects.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// All literals, without duplicates.
    pub literals: Vec<Literal>,
    /// The fairness conditions, one for each choice of bound values.
    pub fairness: Vec<Fairness>,
    /// The left sides of all `~>`.
    pub antecedents: Vec<Antecedent>,
}

/// The names bound around a part of a formula, with their values.
pub type Bindings = Vec<(Name, Value)>;

/// A fairness condition with values for the names bound around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// Its place in the specification.
    pub span: Span,
    /// The names bound around it.
    pub bindings: Bindings,
    /// Whether it is `SF` and not `WF`.
    pub strong: bool,
    /// The literal `ENABLED <<A>>_v`.
    pub enabled: u32,
    /// The literal `<<A>>_v`.
    pub action: u32,
}

/// The left side of a `~>`, with values for the names bound around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Antecedent {
    /// The place of the `~>`.
    pub span: Span,
    /// The names bound around it.
    pub bindings: Bindings,
    /// The left side, expanded.
    pub formula: Formula,
}
