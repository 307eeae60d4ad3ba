//! The syntax tree of a TLA+ module. It is close to the text: no name is resolved and nothing is desugared.
//!
//! Each operator symbol is stored in one spelling (see [`crate::operators`]): `\union` as `\cup`, `=<` and `\leq` as
//! `<=`, `/=` as `#`, `\land` as `/\`, and Unicode symbols as their ASCII spelling.

use kilter_base::{Name, Span};

/// A name and its place in the text.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name, or an operator symbol such as `\cup`, `-.` (prefix minus) or `^+` (postfix).
    pub name: Name,
    /// Its place in the text.
    pub span: Span,
}

/// `---- MODULE M ---- … ====`
#[derive(Clone, Debug)]
pub struct Module {
    /// The module's name.
    pub name: Ident,
    /// The modules after EXTENDS.
    pub extends: Vec<Ident>,
    /// The units of the body, in order.
    pub units: Vec<Unit>,
    /// The text from the first dashes to the last `====`.
    pub span: Span,
}

/// One unit of a module's body.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The unit's kind and content.
    pub kind: UnitKind,
    /// The text of the whole unit.
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
        /// Whether it begins with LOCAL.
        local: bool,
        /// The module and its substitutions.
        instance: Instance,
    },
    /// `ASSUME [name ==] e` (also ASSUMPTION and AXIOM).
    Assume {
        /// Whether it is an AXIOM. Provers use it, and it is not evaluated.
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
        /// The formula. `None` for an ASSUME … PROVE statement, which has no value.
        body: Option<Expr>,
    },
    /// A nested module.
    Module(Module),
    /// USE and HIDE, parsed and dropped.
    UseOrHide,
    /// `----`
    Separator,
}

/// A declared operator with the number of its arguments, such as `F(_, _)`.
#[derive(Clone, Debug)]
pub struct OpDecl {
    /// The name or symbol of the operator.
    pub name: Ident,
    /// The number of its arguments.
    pub arity: u32,
}

/// How an operator is written. Only the printer needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixity {
    /// `F(a, b)` or `F`
    Nonfix,
    /// `- a`. The name of the minus is `-.`.
    Prefix,
    /// `a + b`
    Infix,
    /// `a ^+`
    Postfix,
}

/// The definition of an operator: `F(a, G(_)) == e`.
#[derive(Clone, Debug)]
pub struct OperatorDef {
    /// Whether it begins with LOCAL.
    pub local: bool,
    /// The name or symbol that is defined.
    pub name: Ident,
    /// How its left side is written.
    pub fixity: Fixity,
    /// Its parameters. Operator parameters have an arity above 0.
    pub params: Vec<OpDecl>,
    /// The expression after `==`.
    pub body: Expr,
}

/// The definition of a function: `f[x \in S] == e`.
#[derive(Clone, Debug)]
pub struct FunctionDef {
    /// Whether it begins with LOCAL.
    pub local: bool,
    /// The name of the function.
    pub name: Ident,
    /// The arguments and their sets.
    pub bounds: Vec<Bound>,
    /// The expression after `==`.
    pub body: Expr,
}

/// A named instance: `I(a) == INSTANCE M WITH x <- e`.
#[derive(Clone, Debug)]
pub struct ModuleDef {
    /// Whether it begins with LOCAL.
    pub local: bool,
    /// The name of the instance.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<OpDecl>,
    /// The module and its substitutions.
    pub instance: Instance,
}

/// An instance: `INSTANCE M WITH x <- e, …`.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The name of the module.
    pub module: Ident,
    /// The pairs after WITH. The first of each is a constant or variable of the module.
    pub substitutions: Vec<(Ident, Expr)>,
    /// The text of the whole unit.
    pub span: Span,
}

/// Names that are bound to one set: `x, y \in S` or `<<a, b>> \in S`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The names, or one tuple of names.
    pub pattern: Pattern,
    /// The set after `\in`.
    pub set: Expr,
}

/// The names on the left of `\in`.
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
    /// The expression's kind and its parts.
    pub kind: Box<ExprKind>,
    /// The text of the whole unit.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number as written: `12`, `\b101`, `\hFF`.
    Number(Name),
    /// A number with a fraction as written: `1.5`
    Decimal(Name),
    /// A string in which escapes have been replaced.
    String(String),
    /// `@` inside EXCEPT.
    At,
    /// A name, possibly through instances, with or without arguments: `x`, `F(1)`, `I(k)!J!Op(a)`. Infix, prefix and
    /// postfix operators are applications too; `fixity` says how they were written. This includes `/\`, `\/`, `=>`,
    /// `=`, `'` (postfix), `[]`, `<>`, `~`, `ENABLED`, `UNCHANGED`, `SUBSET`, `UNION`, `DOMAIN` (all prefix), and the
    /// built-in names `TRUE`, `FALSE`, `BOOLEAN`, `STRING`.
    Apply {
        /// The name or symbol that is applied.
        op: OpPath,
        /// How the application was written.
        fixity: Fixity,
        /// Its arguments. An operator argument is an `Apply` without arguments, or a `Lambda`.
        args: Vec<Expr>,
    },
    /// A junction list, whose items are aligned: `/\ a /\ b`.
    Junction {
        /// Whether it is `/\` or `\/`.
        kind: Junction,
        /// The items, in order.
        items: Vec<Expr>,
    },
    /// `LAMBDA x, y : e`, only as an argument or in a substitution.
    Lambda {
        /// The parameters.
        params: Vec<Ident>,
        /// The expression after the colon.
        body: Expr,
    },
    /// `(e)`. It is kept for the printer and for names of subexpressions.
    Paren(Expr),
    /// `\A x \in S : p`
    Quantifier {
        /// The quantifier.
        kind: Quantifier,
        /// The bound names and their sets.
        bounds: Vec<Bound>,
        /// The expression after the colon.
        body: Expr,
    },
    /// `\A x, y : p` without sets, also the temporal `\AA` and `\EE`.
    Unbounded {
        /// The quantifier.
        kind: Quantifier,
        /// The bound names.
        names: Vec<Ident>,
        /// The expression after the colon.
        body: Expr,
    },
    /// `CHOOSE x \in S : p`, or `CHOOSE x : p`.
    Choose {
        /// The bound name, or one tuple of names.
        pattern: Pattern,
        /// The set. `None` if there is none.
        set: Option<Expr>,
        /// The expression after the colon.
        body: Expr,
    },
    /// `{a, b}`
    SetEnum(Vec<Expr>),
    /// `{x \in S : p}`
    Filter {
        /// The bound name, or one tuple of names.
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
        /// The bound names and their sets.
        bounds: Vec<Bound>,
    },
    /// `f[a, b]`
    Index {
        /// The function or record.
        function: Expr,
        /// The arguments. Several arguments mean a tuple.
        args: Vec<Expr>,
    },
    /// `r.field`
    Field {
        /// The record.
        record: Expr,
        /// The name of the field.
        field: Ident,
    },
    /// `[x \in S |-> e]`
    Function {
        /// The bound names and their sets.
        bounds: Vec<Bound>,
        /// The value for given arguments.
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
        /// The function or record.
        function: Expr,
        /// The updates, in order.
        updates: Vec<Update>,
    },
    /// `<<a, b>>`
    Tuple(Vec<Expr>),
    /// `S \X T \X U`. The whole chain is one node, because `\X` is not associative.
    Product(Vec<Expr>),
    /// `[A]_v`
    BoxAction {
        /// The action.
        action: Expr,
        /// The subscript `v`.
        subscript: Expr,
    },
    /// `<<A>>_v`
    AngleAction {
        /// The action.
        action: Expr,
        /// The subscript `v`.
        subscript: Expr,
    },
    /// `WF_v(A)` and `SF_v(A)`
    Fairness {
        /// Whether it is `SF` and not `WF`.
        strong: bool,
        /// The subscript `v`.
        subscript: Expr,
        /// The action.
        action: Expr,
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
    /// `CASE p -> a [] q -> b [] OTHER -> c`
    Case {
        /// The conditions with their values.
        arms: Vec<(Expr, Expr)>,
        /// The value after OTHER.
        other: Option<Expr>,
    },
    /// `LET … IN e`. The units are `Operator`, `Function`, `ModuleDef` and `Recursive`.
    Let {
        /// The definitions.
        units: Vec<Unit>,
        /// The expression after the colon.
        body: Expr,
    },
    /// `label :: e` or `label(x) :: e`
    Label {
        /// The label.
        name: Ident,
        /// The parameters of the label.
        params: Vec<Ident>,
        /// The labelled expression.
        body: Expr,
    },
    /// Text that could not be parsed. A diagnostic says why.
    Error,
}

/// A path to an operator, such as `I(k)!J!Op`, or the name of a subexpression, such as `Op!1!2`, `Op!lab`, `Op!<<`,
/// `Op!@`, `Op!:`.
#[derive(Clone, Debug)]
pub struct OpPath {
    /// The steps before the last one, in order. Empty for a plain name.
    pub prefix: Vec<PathStep>,
    /// The name in the last step. A selector such as the `1` of `Op!1` is its own text (`1`, `<<`, `>>`, `@`, `:`).
    pub name: Ident,
}

/// A step of a path before the last one.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// The name of an instance or definition, or the text of a selector. It is empty for `!(x)!`, which has only
    /// arguments.
    pub name: Ident,
    /// The arguments of the step.
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

/// One update of an EXCEPT: `!.a[1] = e`.
#[derive(Clone, Debug)]
pub struct Update {
    /// The path, which has at least one step.
    pub path: Vec<UpdateStep>,
    /// The new value, in which `@` stands for the old one.
    pub value: Expr,
}

/// One step of an update's path.
#[derive(Clone, Debug)]
pub enum UpdateStep {
    /// `.field`
    Field(Ident),
    /// `[a, b]`. Several arguments mean a tuple.
    Index(Vec<Expr>),
}

/// A parsed configuration file.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The entries under CONSTANT, in order.
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
    /// POSTCONDITION, all of them.
    pub postconditions: Vec<Ident>,
    /// `CHECK_DEADLOCK`. `None` if the file does not mention it.
    pub check_deadlock: Option<bool>,
}

/// One entry under CONSTANT.
#[derive(Clone, Debug)]
pub struct ConstantEntry {
    /// The constant or operator on the left side.
    pub name: Ident,
    /// The right side.
    pub value: ConstantValue,
}

/// The right-hand side of a CONSTANT entry.
#[derive(Clone, Debug)]
pub enum ConstantValue {
    /// `N = 3`, `Node = {a, b}`, `a = a`
    Literal(ConfigValue),
    /// `F(1, a) = 2`: the value of an operator constant for given arguments.
    Applied {
        /// The arguments on the left side.
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
