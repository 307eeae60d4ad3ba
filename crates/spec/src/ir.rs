//! A resolved specification: names are ids, constants have values, and there are no instances.
//!
//! An instance `I == INSTANCE M WITH x <- e` copies the definitions of `M`. In the copies, `x` is a definition with the
//! body `e`. For a parametrised instance `I(k)`, each copy has `k` as a leading parameter. LET definitions are
//! definitions too; their bodies may mention locals of the expression around the LET.

use kilter_base::{IdVec, Name, Span, define_id};
use kilter_value::Value;

use crate::native::Native;

define_id! {
    /// A definition of a [`Spec`].
    DefId
}
define_id! {
    /// A bound name of a [`Spec`]: a parameter, a quantified variable, or `@`. No two binders share one.
    LocalId
}
define_id! {
    /// A state variable of a [`Spec`].
    VarId
}

/// A specification with its model, which is everything that a checker needs.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The root module's name.
    pub module: Option<Name>,
    /// The state variables in order of declaration.
    pub variables: IdVec<VarId, Variable>,
    /// All definitions, of all modules and all LETs.
    pub defs: IdVec<DefId, Def>,
    /// All bound names, of all definitions.
    pub locals: IdVec<LocalId, Local>,
    /// The root module's assumptions and those of the modules it extends.
    pub assumptions: Vec<Formula>,
    /// The initial predicate. `None` if the model has no behaviors.
    pub init: Option<Formula>,
    /// The next-state action.
    pub next: Option<Formula>,
    /// The temporal conjuncts of SPECIFICATION besides `Init /\ [][Next]_v`, such as fairness.
    pub fairness: Vec<Formula>,
    /// INVARIANT
    pub invariants: Vec<Formula>,
    /// PROPERTY, not yet split into parts.
    pub properties: Vec<Formula>,
    /// CONSTRAINT
    pub constraints: Vec<Formula>,
    /// `ACTION_CONSTRAINT`
    pub action_constraints: Vec<Formula>,
    /// SYMMETRY. Each formula is a set of permutations.
    pub symmetry: Vec<Formula>,
    /// VIEW
    pub view: Option<Formula>,
    /// ALIAS
    pub alias: Option<Formula>,
    /// POSTCONDITION
    pub postconditions: Vec<Formula>,
    /// `CHECK_DEADLOCK`. It is true unless the configuration switches it off.
    pub check_deadlock: bool,
}

/// A state variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the module.
    pub name: Name,
    /// The place of its declaration.
    pub span: Span,
}

/// A bound name.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name in the module.
    pub name: Name,
    /// The place where it is bound.
    pub span: Span,
    /// The number of arguments: 0 for values, more for operator parameters.
    pub arity: u32,
}

/// A formula that the configuration names, or an assumption.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name in the configuration. An unnamed assumption is named after its place.
    pub name: Name,
    /// The resolved formula.
    pub expr: Expr,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its full name: `Next`, `Inner!Send`.
    pub name: Name,
    /// Its parameters. Those of enclosing instances come first.
    pub params: Vec<LocalId>,
    /// Its body, or the native operator that it is.
    pub body: DefBody,
    /// The level of its body.
    pub level: Level,
    /// Whether it refers to itself, directly or through others.
    pub recursive: bool,
    /// The place of its name in the definition.
    pub span: Span,
    /// The module that it is written in.
    pub module: Name,
    /// Whether it is defined in a LET.
    pub in_let: bool,
    /// Whether it stands for a variable of an instantiated module.
    pub for_variable: bool,
}

/// The body of a definition.
#[derive(Clone, Debug)]
pub enum DefBody {
    /// An expression over the parameters.
    Expr(Expr),
    /// An operator of a standard module that the evaluator implements.
    Native(Native),
}

/// What the value of an expression depends on. Higher levels include lower ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// On nothing that changes.
    #[default]
    Constant,
    /// On a state.
    State,
    /// On a step, which is a pair of states.
    Action,
    /// On a behavior.
    Temporal,
}

/// A resolved expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its operator and operands.
    pub kind: Box<ExprKind>,
    /// Its place in the text.
    pub span: Span,
    /// Its level, where parameters count as constants.
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
        /// The definition.
        def: DefId,
        /// The arguments, one for each parameter.
        args: Vec<Arg>,
    },
    /// An operator parameter applied to arguments.
    CallLocal {
        /// The parameter.
        local: LocalId,
        /// The arguments, as many as its arity.
        args: Vec<Arg>,
    },
    /// A built-in operator of the language applied to its operands.
    Core {
        /// The operator.
        op: Core,
        /// The operands. `And` and `Or` take any number, because a junction list or a chain is one node.
        args: Vec<Expr>,
    },
    /// `\A` or `\E` with sets.
    Quantifier {
        /// Whether it is `\A`.
        all: bool,
        /// The names and their sets.
        bounds: Vec<Bound>,
        /// The formula about the names.
        body: Expr,
    },
    /// `\A` or `\E` without sets. It can be resolved, but not evaluated.
    UnboundedQuantifier {
        /// Whether it is `\A`.
        all: bool,
        /// The bound names.
        locals: Vec<LocalId>,
        /// The formula about the names.
        body: Expr,
    },
    /// `\AA` or `\EE`.
    TemporalQuantifier {
        /// Whether it is `\AA`.
        all: bool,
        /// The bound names.
        locals: Vec<LocalId>,
        /// The formula about the names.
        body: Expr,
    },
    /// `CHOOSE x \in S : p`; the bound binds one name or one tuple.
    Choose {
        /// The name or tuple, and its set.
        bound: Bound,
        /// The condition.
        body: Expr,
    },
    /// `CHOOSE x : p` and `CHOOSE <<x, y>> : p`
    UnboundedChoose {
        /// The bound names.
        locals: Vec<LocalId>,
        /// The condition.
        body: Expr,
    },
    /// `{a, b}`
    SetEnum(Vec<Expr>),
    /// `{x \in S : p}`; the bound binds one name or one tuple.
    Filter {
        /// The name or tuple, and its set.
        bound: Bound,
        /// The condition.
        body: Expr,
    },
    /// `{e : x \in S}`
    Map {
        /// The names and their sets.
        bounds: Vec<Bound>,
        /// The element for given values of the names.
        body: Expr,
    },
    /// `[x \in S |-> e]`. Where a definition `f[x \in S] == e` is recursive, the body calls that definition.
    Function {
        /// The names and their sets.
        bounds: Vec<Bound>,
        /// The value for given arguments.
        body: Expr,
    },
    /// `f[a]`. Several arguments have become a tuple.
    Index {
        /// The function or record to change.
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
    /// `[a |-> 1]`. Each field is its name, as a string value, and its value.
    Record(Vec<(Value, Expr)>),
    /// `[a : S]`. Each field is its name, as a string value, and its set.
    RecordSet(Vec<(Value, Expr)>),
    /// `<<a, b>>`
    Tuple(Vec<Expr>),
    /// `S \X T`
    Product(Vec<Expr>),
    /// `[f EXCEPT !.a[i] = e]`
    Except {
        /// The function or record to change.
        function: Expr,
        /// The updates, in order.
        updates: Vec<Update>,
    },
    /// `IF p THEN a ELSE b`
    If {
        /// The condition.
        condition: Expr,
        /// The value if the condition is true.
        then: Expr,
        /// The value if the condition is false.
        otherwise: Expr,
    },
    /// `CASE p -> a [] OTHER -> b`
    Case {
        /// The conditions with their values.
        arms: Vec<(Expr, Expr)>,
        /// The value after OTHER.
        other: Option<Expr>,
    },
    /// `LET … IN e`. The definitions can be used in `e` and in each other.
    Let {
        /// The definitions.
        defs: Vec<DefId>,
        /// The formula about the names.
        body: Expr,
    },
    /// `[A]_v`, or `<<A>>_v` when `angle`.
    SubscriptAction {
        /// Whether it is `<<A>>_v` and not `[A]_v`.
        angle: bool,
        /// The action.
        action: Expr,
        /// The `v`.
        subscript: Expr,
    },
    /// `WF_v(A)`, or `SF_v(A)` when `strong`.
    Fairness {
        /// Whether it is `SF` and not `WF`.
        strong: bool,
        /// The `v`.
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
    /// A definition by name, with arguments for its leading parameters, which belong to instances.
    Def {
        /// The definition.
        def: DefId,
        /// The arguments for the leading parameters.
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
        /// The formula about the names.
        body: Expr,
    },
}

/// One bound: `x, y \in S` or `<<a, b>> \in S`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The names, in the order of the text.
    pub locals: Vec<LocalId>,
    /// Whether the names form a tuple. Otherwise each ranges over the set on its own.
    pub tuple: bool,
    /// The set that the names or tuples range over.
    pub set: Expr,
}

/// One update of an EXCEPT: `!.a[i] = e`.
#[derive(Clone, Debug)]
pub struct Update {
    /// The path. A field is its name as a string value. Several indices are a tuple.
    pub path: Vec<Expr>,
    /// The new value.
    pub value: Expr,
    /// The name of `@`, the old value, inside of `value`.
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
