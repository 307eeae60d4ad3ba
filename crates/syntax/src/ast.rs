//! The tree of a TLA+ module, close to the text: nothing is resolved, nothing is desugared.
//!
//! Operator symbols are stored in one spelling each (see [`crate::operators`]): `\union` is `\cup`, `=<` and `\leq`
//! are `<=`, `/=` is `#`, `\land` is `/\`, Unicode spellings are their ASCII ones.

use kilter_base::{Name, Span};

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name, or an operator symbol such as `\cup`, `-.` (prefix minus) or `^+` (postfix).
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// `---- MODULE M ---- … ====`
#[derive(Clone, Debug)]
pub struct Module {
    /// The module's name.
    pub name: Ident,
    /// The modules after EXTENDS.
    pub extends: Vec<Ident>,
    /// The body in order.
    pub units: Vec<Unit>,
    /// From the first dashes to the last `====`.
    pub span: Span,
}

/// One unit of a module's body.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it is.
    pub kind: UnitKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of units.
#[derive(Clone, Debug)]
pub enum UnitKind {
    /// `CONSTANTS a, F(_), _ + _`
    Constants(Vec<OpDecl>),
    /// `VARIABLES x, y`
    Variables(Vec<Ident>),
    /// `RECURSIVE F(_, _)`
    Recursive(Vec<OpDecl>),
    /// `[LOCAL] F(a, G(_)) == e`, also infix, prefix and postfix definitions.
    Operator(OperatorDef),
    /// `[LOCAL] f[x \in S, <<a, b>> \in T] == e`
    Function(FunctionDef),
    /// `[LOCAL] I(a) == INSTANCE M WITH …`
    ModuleDef(ModuleDef),
    /// `[LOCAL] INSTANCE M WITH …`
    Instance {
        /// Whether LOCAL stands before it.
        local: bool,
        /// The instance.
        instance: Instance,
    },
    /// `ASSUME [name ==] e` (also ASSUMPTION and AXIOM).
    Assume {
        /// Whether it is an AXIOM: something to prove with, which nobody evaluates.
        axiom: bool,
        /// The optional name.
        name: Option<Ident>,
        /// The formula.
        body: Expr,
    },
    /// `THEOREM [name ==] e` (also LEMMA, PROPOSITION, COROLLARY). The proof is parsed and dropped.
    Theorem {
        /// The optional name.
        name: Option<Ident>,
        /// The formula; `None` for an ASSUME … PROVE statement, which has no value.
        body: Option<Expr>,
    },
    /// A nested module.
    Module(Module),
    /// USE and HIDE, parsed and dropped.
    UseOrHide,
    /// `----`
    Separator,
}

/// `F(_, _)`: a name with a number of arguments.
#[derive(Clone, Debug)]
pub struct OpDecl {
    /// The operator.
    pub name: Ident,
    /// How many arguments it takes.
    pub arity: u32,
}

/// How an operator was written when it was defined; only the printer cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixity {
    /// `F(a, b)` or `F`
    Nonfix,
    /// `- a`; the name is `-.` for minus
    Prefix,
    /// `a + b`
    Infix,
    /// `a ^+`
    Postfix,
}

/// `F(a, G(_)) == e`
#[derive(Clone, Debug)]
pub struct OperatorDef {
    /// Whether LOCAL stands before it.
    pub local: bool,
    /// The operator being defined.
    pub name: Ident,
    /// How it was written.
    pub fixity: Fixity,
    /// Its parameters; arity above 0 for operator parameters.
    pub params: Vec<OpDecl>,
    /// The body.
    pub body: Expr,
}

/// `f[x \in S] == e`
#[derive(Clone, Debug)]
pub struct FunctionDef {
    /// Whether LOCAL stands before it.
    pub local: bool,
    /// The function being defined.
    pub name: Ident,
    /// The arguments.
    pub bounds: Vec<Bound>,
    /// The body.
    pub body: Expr,
}

/// `I(a) == INSTANCE M WITH x <- e`
#[derive(Clone, Debug)]
pub struct ModuleDef {
    /// Whether LOCAL stands before it.
    pub local: bool,
    /// The instance's name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<OpDecl>,
    /// What it instantiates.
    pub instance: Instance,
}

/// `INSTANCE M WITH x <- e, …`
#[derive(Clone, Debug)]
pub struct Instance {
    /// The module.
    pub module: Ident,
    /// The substitutions.
    pub substitutions: Vec<(Ident, Expr)>,
    /// All of it.
    pub span: Span,
}

/// `x, y \in S` or `<<a, b>> \in S`: one group of bound names with one set.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The names.
    pub pattern: Pattern,
    /// The set.
    pub set: Expr,
}

/// What is bound.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x, y`: each ranges over the set.
    Names(Vec<Ident>),
    /// `<<a, b>>`: the set's elements are tuples.
    Tuple(Vec<Ident>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Box<ExprKind>,
    /// All of it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number as written: `12`, `\b101`, `\hFF`.
    Number(Name),
    /// `1.5`
    Decimal(Name),
    /// A string, escapes already replaced.
    String(String),
    /// `@` inside EXCEPT.
    At,
    /// A name, possibly through instances, applied to arguments or not: `x`, `F(1)`, `I(k)!J!Op(a)`.
    /// Infix, prefix and postfix applications are this too, with `fixity` telling how they were written.
    /// This includes `/\`, `\/`, `=>`, `=`, `'` (postfix), `[]`, `<>`, `~`, `ENABLED`, `UNCHANGED`, `SUBSET`, `UNION`,
    /// `DOMAIN` (all prefix), and the nullary built-ins `TRUE`, `FALSE`, `BOOLEAN`, `STRING`.
    Apply {
        /// The name that is applied.
        op: OpPath,
        /// How the application was written.
        fixity: Fixity,
        /// Its arguments; an operator argument is an `Apply` without arguments, or a `Lambda`.
        args: Vec<Expr>,
    },
    /// A junction list by columns: `/\ a /\ b`.
    Junction {
        /// Which.
        kind: Junction,
        /// The items.
        items: Vec<Expr>,
    },
    /// `LAMBDA x, y : e`, only as an argument or in a substitution.
    Lambda {
        /// The parameters.
        params: Vec<Ident>,
        /// The body.
        body: Expr,
    },
    /// `(e)`: kept for the printer and for subexpression names.
    Paren(Expr),
    /// `\A x \in S : p`
    Quantifier {
        /// Which.
        kind: Quantifier,
        /// What is bound.
        bounds: Vec<Bound>,
        /// The body.
        body: Expr,
    },
    /// `\A x, y : p` without sets, also the temporal `\AA` and `\EE`.
    Unbounded {
        /// Which.
        kind: Quantifier,
        /// The names.
        names: Vec<Ident>,
        /// The body.
        body: Expr,
    },
    /// `CHOOSE x \in S : p`; without a set when `set` is `None`.
    Choose {
        /// What is bound: one name or one tuple.
        pattern: Pattern,
        /// The set.
        set: Option<Expr>,
        /// The body.
        body: Expr,
    },
    /// `{a, b}`
    SetEnum(Vec<Expr>),
    /// `{x \in S : p}`
    Filter {
        /// What is bound: one name or one tuple.
        pattern: Pattern,
        /// The set.
        set: Expr,
        /// The condition.
        body: Expr,
    },
    /// `{e : x \in S, y \in T}`
    Map {
        /// The element.
        body: Expr,
        /// What is bound.
        bounds: Vec<Bound>,
    },
    /// `f[a, b]`
    Index {
        /// The function.
        function: Expr,
        /// The arguments; more than one means a tuple.
        args: Vec<Expr>,
    },
    /// `r.field`
    Field {
        /// The record.
        record: Expr,
        /// The field.
        field: Ident,
    },
    /// `[x \in S |-> e]`
    Function {
        /// What is bound.
        bounds: Vec<Bound>,
        /// The value.
        body: Expr,
    },
    /// `[S -> T]`
    FunctionSet {
        /// The domain.
        domain: Expr,
        /// The range.
        range: Expr,
    },
    /// `[a |-> 1, b |-> 2]`
    Record(Vec<(Ident, Expr)>),
    /// `[a : S, b : T]`
    RecordSet(Vec<(Ident, Expr)>),
    /// `[f EXCEPT !.a[1] = e, …]`
    Except {
        /// The function.
        function: Expr,
        /// The replacements.
        updates: Vec<Update>,
    },
    /// `<<a, b>>`
    Tuple(Vec<Expr>),
    /// `S \X T \X U`: one node for the whole chain, because `\X` is not associative.
    Product(Vec<Expr>),
    /// `[A]_v`
    BoxAction {
        /// The action.
        action: Expr,
        /// The subscript.
        subscript: Expr,
    },
    /// `<<A>>_v`
    AngleAction {
        /// The action.
        action: Expr,
        /// The subscript.
        subscript: Expr,
    },
    /// `WF_v(A)` and `SF_v(A)`
    Fairness {
        /// Whether it is `SF`.
        strong: bool,
        /// The subscript.
        subscript: Expr,
        /// The action.
        action: Expr,
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
    /// `CASE p -> a [] q -> b [] OTHER -> c`
    Case {
        /// The arms.
        arms: Vec<(Expr, Expr)>,
        /// What follows OTHER.
        other: Option<Expr>,
    },
    /// `LET … IN e`; units are `Operator`, `Function`, `ModuleDef` and `Recursive`.
    Let {
        /// The definitions.
        units: Vec<Unit>,
        /// The body.
        body: Expr,
    },
    /// `label :: e` or `label(x) :: e`
    Label {
        /// The label.
        name: Ident,
        /// Its arguments.
        params: Vec<Ident>,
        /// The labelled expression.
        body: Expr,
    },
    /// Text that could not be parsed; a diagnostic says why.
    Error,
}

/// `I(k)!J!Op`, and subexpression names such as `Op!1!2`, `Op!lab`, `Op!<<`, `Op!@`, `Op!:`.
#[derive(Clone, Debug)]
pub struct OpPath {
    /// The steps before the last, in order; empty for a plain name.
    pub prefix: Vec<PathStep>,
    /// The last step's name. For a selector such as `Op!1`, the selector's own text (`1`, `<<`, `>>`, `@`, `:`).
    pub name: Ident,
}

/// One step of a path before its last.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// The instance's (or definition's) name, or a selector's text. Empty for `!(x)!`, arguments alone.
    pub name: Ident,
    /// Its arguments.
    pub args: Vec<Expr>,
}

/// `/\` or `\/`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Junction {
    /// `/\`
    And,
    /// `\/`
    Or,
}

/// Quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `\A`
    All,
    /// `\E`
    Exists,
    /// `\AA`
    TemporalAll,
    /// `\EE`
    TemporalExists,
}

/// `!.a[1] = e`
#[derive(Clone, Debug)]
pub struct Update {
    /// The path, at least one step.
    pub path: Vec<UpdateStep>,
    /// The new value; `@` stands for the old one.
    pub value: Expr,
}

/// One step of an update's path.
#[derive(Clone, Debug)]
pub enum UpdateStep {
    /// `.field`
    Field(Ident),
    /// `[a, b]`; more than one means a tuple.
    Index(Vec<Expr>),
}

/// A parsed configuration file.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// CONSTANT entries in order.
    pub constants: Vec<ConstantEntry>,
    /// SPECIFICATION
    pub specification: Option<Ident>,
    /// INIT
    pub init: Option<Ident>,
    /// NEXT
    pub next: Option<Ident>,
    /// INVARIANT and INVARIANTS
    pub invariants: Vec<Ident>,
    /// PROPERTY and PROPERTIES
    pub properties: Vec<Ident>,
    /// CONSTRAINT and CONSTRAINTS
    pub constraints: Vec<Ident>,
    /// `ACTION_CONSTRAINT` and `ACTION_CONSTRAINTS`
    pub action_constraints: Vec<Ident>,
    /// SYMMETRY
    pub symmetry: Vec<Ident>,
    /// VIEW
    pub view: Option<Ident>,
    /// ALIAS
    pub alias: Option<Ident>,
    /// POSTCONDITION (all of them)
    pub postconditions: Vec<Ident>,
    /// `CHECK_DEADLOCK`
    pub check_deadlock: Option<bool>,
}

/// One line under CONSTANT.
#[derive(Clone, Debug)]
pub struct ConstantEntry {
    /// The constant or operator.
    pub name: Ident,
    /// What it becomes.
    pub value: ConstantValue,
}

/// The right-hand side of a CONSTANT entry.
#[derive(Clone, Debug)]
pub enum ConstantValue {
    /// `N = 3`, `Node = {a, b}`, `a = a`
    Literal(ConfigValue),
    /// `F(1, a) = 2`: value of an operator constant at given arguments.
    Applied {
        /// The arguments.
        args: Vec<ConfigValue>,
        /// The value.
        value: ConfigValue,
    },
    /// `N = [Module] v`: the value of a constant of that module.
    LiteralIn {
        /// The module in which the value holds.
        module: Ident,
        /// The value.
        value: ConfigValue,
    },
    /// `N <- MyN`
    Replace(Ident),
    /// `N <- [Module] MyN`
    ReplaceIn {
        /// The module in which the replacement holds.
        module: Ident,
        /// The operator that replaces it.
        with: Ident,
    },
}

/// A value as configuration files write it.
#[derive(Clone, Debug)]
pub enum ConfigValue {
    /// `3`, `-3`
    Number(Name, Span),
    /// `"abc"`
    String(String, Span),
    /// `TRUE`, `FALSE`
    Boolean(bool, Span),
    /// `{a, 1}`
    Set(Vec<ConfigValue>, Span),
    /// A model value, or the constant itself when the name is the same.
    ModelValue(Ident),
}
