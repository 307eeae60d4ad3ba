//! A resolved specification: every name is an id, every constant has a value, instances are gone.
//!
//! An instance `I == INSTANCE M WITH x <- e` copies the definitions of `M`; inside the copies `x` is a definition whose
//! body is `e`. A parametrised instance `I(k)` gives each copy `k` as a leading parameter. LET definitions are
//! definitions too: their bodies may mention locals of the expression around the LET.

use kilter_base::{IdVec, Name, Span, define_id};
use kilter_value::Value;

use crate::native::Native;

define_id! {
    /// A definition of a [`Spec`].
    DefId
}
define_id! {
    /// A bound name (parameter, quantified variable, `@`) of a [`Spec`]; no two binders share one.
    LocalId
}
define_id! {
    /// A state variable of a [`Spec`].
    VarId
}

/// A specification with its model: everything that a checker needs.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The root module's name.
    pub module: Option<Name>,
    /// The state variables in order of declaration.
    pub variables: IdVec<VarId, Variable>,
    /// All definitions, of all modules and all LETs.
    pub defs: IdVec<DefId, Def>,
    /// All bound names.
    pub locals: IdVec<LocalId, Local>,
    /// The root module's assumptions and those of the modules it extends.
    pub assumptions: Vec<Formula>,
    /// The initial predicate, if the model has behaviors.
    pub init: Option<Formula>,
    /// The next-state action.
    pub next: Option<Formula>,
    /// Fairness and other temporal conjuncts of SPECIFICATION, next to `Init /\ [][Next]_v`.
    pub fairness: Vec<Formula>,
    /// INVARIANT
    pub invariants: Vec<Formula>,
    /// PROPERTY, as written.
    pub properties: Vec<Formula>,
    /// CONSTRAINT
    pub constraints: Vec<Formula>,
    /// `ACTION_CONSTRAINT`
    pub action_constraints: Vec<Formula>,
    /// SYMMETRY: each a set of permutations.
    pub symmetry: Vec<Formula>,
    /// VIEW
    pub view: Option<Formula>,
    /// ALIAS
    pub alias: Option<Formula>,
    /// POSTCONDITION
    pub postconditions: Vec<Formula>,
    /// `CHECK_DEADLOCK`; true unless switched off.
    pub check_deadlock: bool,
}

/// A state variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Where it is declared.
    pub span: Span,
}

/// A bound name.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Where it is bound.
    pub span: Span,
    /// 0 for values, more for operator parameters.
    pub arity: u32,
}

/// An expression that the configuration names.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What the configuration calls it; for an unnamed assumption, its place.
    pub name: Name,
    /// The expression.
    pub expr: Expr,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its full name: `Next`, `Inner!Send`.
    pub name: Name,
    /// Its parameters; those of parametrised instances and enclosing instances come first.
    pub params: Vec<LocalId>,
    /// What it stands for.
    pub body: DefBody,
    /// The level of its body.
    pub level: Level,
    /// Whether it refers to itself, directly or through others.
    pub recursive: bool,
    /// Where its name is defined.
    pub span: Span,
    /// The module that it is written in.
    pub module: Name,
    /// Whether it stands in a LET.
    pub in_let: bool,
    /// Whether it is what a variable of an instantiated module stands for.
    pub for_variable: bool,
}

/// What a definition stands for.
#[derive(Clone, Debug)]
pub enum DefBody {
    /// An expression over the parameters.
    Expr(Expr),
    /// An operator of a standard module that the evaluator implements.
    Native(Native),
}

/// What an expression's value depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Nothing.
    #[default]
    Constant,
    /// The state.
    State,
    /// A pair of states.
    Action,
    /// A behavior.
    Temporal,
}

/// A resolved expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Box<ExprKind>,
    /// Where it stands.
    pub span: Span,
    /// Its level; parameters count as constants.
    pub level: Level,
}

/// Kinds of resolved expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a string, a boolean, a model value, a set given by the configuration.
    Value(Value),
    /// A state variable in the current state (or in the next one below a prime).
    Var(VarId),
    /// A bound name without arguments.
    Local(LocalId),
    /// A definition applied to its arguments.
    Call {
        /// Which.
        def: DefId,
        /// As many as it has parameters.
        args: Vec<Arg>,
    },
    /// An operator parameter applied to arguments.
    CallLocal {
        /// Which.
        local: LocalId,
        /// As many as its arity.
        args: Vec<Arg>,
    },
    /// A built-in operator of the language applied to its operands.
    Core {
        /// Which.
        op: Core,
        /// The operands; `And` and `Or` take any number (a junction list or a chain is one node).
        args: Vec<Expr>,
    },
    /// `\A` or `\E` with sets.
    Quantifier {
        /// Whether it is `\A`.
        all: bool,
        /// What is bound.
        bounds: Vec<Bound>,
        /// The body.
        body: Expr,
    },
    /// `\A` or `\E` without sets: only TLC's refusal awaits it.
    UnboundedQuantifier {
        /// Whether it is `\A`.
        all: bool,
        /// What is bound.
        locals: Vec<LocalId>,
        /// The body.
        body: Expr,
    },
    /// `\AA` or `\EE`.
    TemporalQuantifier {
        /// Whether it is `\AA`.
        all: bool,
        /// What is bound.
        locals: Vec<LocalId>,
        /// The body.
        body: Expr,
    },
    /// `CHOOSE x \in S : p`; the bound binds one name or one tuple.
    Choose {
        /// What is bound.
        bound: Bound,
        /// The condition.
        body: Expr,
    },
    /// `CHOOSE x : p` and `CHOOSE <<x, y>> : p`
    UnboundedChoose {
        /// What is bound.
        locals: Vec<LocalId>,
        /// The condition.
        body: Expr,
    },
    /// `{a, b}`
    SetEnum(Vec<Expr>),
    /// `{x \in S : p}`; the bound binds one name or one tuple.
    Filter {
        /// What is bound.
        bound: Bound,
        /// The condition.
        body: Expr,
    },
    /// `{e : x \in S}`
    Map {
        /// What is bound.
        bounds: Vec<Bound>,
        /// The element.
        body: Expr,
    },
    /// `[x \in S |-> e]`. Where a definition `f[x \in S] == e` is recursive, the body calls that definition.
    Function {
        /// What is bound.
        bounds: Vec<Bound>,
        /// The value.
        body: Expr,
    },
    /// `f[a]`; several arguments have become a tuple.
    Index {
        /// The function.
        function: Expr,
        /// The argument.
        arg: Expr,
    },
    /// `r.field`
    Field {
        /// The record.
        record: Expr,
        /// The field's name as a string value.
        field: Value,
    },
    /// `[S -> T]`
    FunctionSet {
        /// The domain.
        domain: Expr,
        /// The range.
        range: Expr,
    },
    /// `[a |-> 1]`
    Record(Vec<(Value, Expr)>),
    /// `[a : S]`
    RecordSet(Vec<(Value, Expr)>),
    /// `<<a, b>>`
    Tuple(Vec<Expr>),
    /// `S \X T`
    Product(Vec<Expr>),
    /// `[f EXCEPT !.a[i] = e]`
    Except {
        /// The function.
        function: Expr,
        /// The replacements, in order.
        updates: Vec<Update>,
    },
    /// `IF p THEN a ELSE b`
    If {
        /// The condition.
        condition: Expr,
        /// When true.
        then: Expr,
        /// When false.
        otherwise: Expr,
    },
    /// `CASE p -> a [] OTHER -> b`
    Case {
        /// The arms.
        arms: Vec<(Expr, Expr)>,
        /// What follows OTHER.
        other: Option<Expr>,
    },
    /// `LET … IN e`; the definitions may be mentioned in `e` and in each other.
    Let {
        /// What is defined.
        defs: Vec<DefId>,
        /// The body.
        body: Expr,
    },
    /// `[A]_v`, or `<<A>>_v` when `angle`.
    SubscriptAction {
        /// Whether it is `<<A>>_v`.
        angle: bool,
        /// The action.
        action: Expr,
        /// The subscript.
        subscript: Expr,
    },
    /// `WF_v(A)`, or `SF_v(A)` when `strong`.
    Fairness {
        /// Whether it is `SF`.
        strong: bool,
        /// The subscript.
        subscript: Expr,
        /// The action.
        action: Expr,
    },
}

/// An argument of a definition or of an operator parameter.
#[derive(Clone, Debug)]
pub enum Arg {
    /// For a parameter that is a value.
    Expr(Expr),
    /// For an operator parameter.
    Op(OpArg),
}

/// An operator as an argument.
#[derive(Clone, Debug)]
pub enum OpArg {
    /// A definition by name, with arguments for its leading (instance) parameters.
    Def {
        /// Which.
        def: DefId,
        /// Arguments for the first parameters.
        leading: Vec<Arg>,
    },
    /// A built-in operator by name, such as `\cup`.
    Core(Core),
    /// An operator parameter passed on.
    Local(LocalId),
    /// `LAMBDA x : e`
    Lambda {
        /// The parameters.
        params: Vec<LocalId>,
        /// The body.
        body: Expr,
    },
}

/// `x, y \in S` or `<<a, b>> \in S`
#[derive(Clone, Debug)]
pub struct Bound {
    /// The names, in order.
    pub locals: Vec<LocalId>,
    /// Whether they form a tuple pattern; otherwise each ranges over the set on its own.
    pub tuple: bool,
    /// The set.
    pub set: Expr,
}

/// `!.a[i] = e`
#[derive(Clone, Debug)]
pub struct Update {
    /// The path; a field is its name as a string value, several indices are a tuple.
    pub path: Vec<Expr>,
    /// The new value.
    pub value: Expr,
    /// What `@` stands for inside `value`.
    pub at: LocalId,
}

/// Operators of the language itself; no module can redefine them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Core {
    /// `/\`, any number of operands
    And,
    /// `\/`, any number of operands
    Or,
    /// `~`
    Not,
    /// `=>`
    Implies,
    /// `<=>`
    Equiv,
    /// `=`
    Eq,
    /// `#`
    NotEq,
    /// `\in`
    In,
    /// `\notin`
    NotIn,
    /// `\cup`
    Cup,
    /// `\cap`
    Cap,
    /// `\`
    Minus,
    /// `\subseteq`
    SubsetEq,
    /// `SUBSET`
    Powerset,
    /// `UNION`
    BigUnion,
    /// `DOMAIN`
    Domain,
    /// `e'`
    Prime,
    /// `UNCHANGED e`
    Unchanged,
    /// `ENABLED A`
    Enabled,
    /// `A \cdot B`
    Compose,
    /// `[]F`
    Always,
    /// `<>F`
    Eventually,
    /// `F ~> G`
    LeadsTo,
    /// `F -+-> G`
    Guarantees,
}
