//! Compiled expressions and actions: trees whose names are slots, with every operator call expanded in place.
//!
//! A [`Node`] yields a value. An [`Act`] yields successor states by assigning primed variables. All slots of one
//! function body live in one frame, so an expanded call costs nothing at run time.

use std::sync::Arc;

use kilter_base::{Name, define_id};
use kilter_spec::native::Native;
use kilter_value::Value;

use crate::origin::OriginId;

define_id! {
    /// A function of a [`crate::Program`]: the body of a recursive operator, or of an operator passed as an argument.
    FunctionId
}
define_id! {
    /// A cell for the value of a constant expression. The first use fills it.
    CellId
}

/// The index of a slot in the current frame.
pub type Slot = u32;
/// The index of a state variable in `Program::variables`. Inside of ENABLED, higher indices are variables of
/// instantiated modules.
pub type Var = u32;

/// A compiled expression.
#[derive(Debug)]
pub struct Node {
    /// The operation and its operands.
    pub kind: Kind,
    /// Where in the specification it comes from, for error messages.
    pub origin: OriginId,
}

/// Operators that evaluate both operands and then combine their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `\cup`
    Cup,
    /// `\cap`
    Cap,
    /// `\`
    Minus,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `\div`
    Div,
    /// `%`
    Mod,
    /// `^`
    Pow,
    /// `..`
    Range,
}

/// Operators that evaluate both operands and then compare their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// `=`
    Eq,
    /// `#`
    NotEq,
    /// `\subseteq`
    SubsetEq,
    /// `<`
    Less,
    /// `<=`
    LessEq,
    /// `>`
    Greater,
    /// `>=`
    GreaterEq,
}

/// The operation of a node.
#[derive(Debug)]
pub enum Kind {
    /// A value known at compile time.
    Value(Value),
    /// A constant expression. It is evaluated once, and the cell keeps its value.
    Cell(CellId, Arc<Node>),
    /// A variable of the current state.
    Var(Var),
    /// A variable of the next state (or of the initial state that is being built).
    VarPrimed(Var),
    /// A name bound by a quantifier, CHOOSE or the like, or captured from an outer frame.
    Slot(Slot),
    /// A parameter of a function. If the evaluation of the argument failed, its error is raised here, at the first use.
    Param(Slot),
    /// An argument or LET definition that is evaluated at its first use and kept in the slot.
    Lazy(Slot, Arc<Node>),
    /// An argument or LET definition that depends on the next state. It is evaluated at each use, because the next
    /// state changes while an action runs.
    Shared(Arc<Node>),
    /// Empties lazy slots, checks that there is stack left, then evaluates the body.
    Scope(Box<[Slot]>, Box<Node>),
    /// Looks up the value of an expensive expression by the values that it depends on.
    Memo(Box<Memo>),
    /// `/\`
    And(Box<[Node]>),
    /// `\/`
    Or(Box<[Node]>),
    /// `~`
    Not(Box<Node>),
    /// `=>`
    Implies(Box<[Node; 2]>),
    /// `<=>`
    Equiv(Box<[Node; 2]>),
    /// `=`, `#`, `<`, …
    Test(Test, Box<[Node; 2]>),
    /// `\in`; `\notin` when the flag is false.
    In(bool, Box<[Node; 2]>),
    /// `\cup`, `+`, …
    Binary(Binary, Box<[Node; 2]>),
    /// `SUBSET`
    Powerset(Box<Node>),
    /// `UNION`
    BigUnion(Box<Node>),
    /// `DOMAIN`
    Domain(Box<Node>),
    /// `\A` (true) and `\E` (false)
    Quantifier(bool, Box<Binder>),
    /// `CHOOSE x \in S : p`
    Choose(Box<Binder>),
    /// `{a, b}`
    SetEnum(Box<[Node]>),
    /// `{x \in S : p}`
    Filter(Box<Binder>),
    /// `{e : x \in S}`
    Map(Box<Binder>),
    /// `[x \in S |-> e]`
    Function(Arc<Lambda>),
    /// `f[x]`
    Index(Box<[Node; 2]>),
    /// `r.f`
    Field(Box<Node>, Value),
    /// `[S -> T]`
    FunctionSet(Box<[Node; 2]>),
    /// `[a |-> e]`: the set of field names, and the values in its order.
    Record(Value, Box<[Node]>),
    /// `[a : S]`
    RecordSet(Box<[(Value, Node)]>),
    /// `<<a, b>>`
    Tuple(Box<[Node]>),
    /// `S \X T`
    Product(Box<[Node]>),
    /// `[f EXCEPT …]`
    Except(Box<Node>, Box<[Update]>),
    /// `IF`
    If(Box<[Node; 3]>),
    /// `CASE`
    Case(Box<[(Node, Node)]>, Option<Box<Node>>),
    /// `UNCHANGED e` as a predicate. The nodes are `e` in the current and in the next state.
    Unchanged(Box<[Node; 2]>),
    /// `ENABLED A`. The number counts the variables of instantiated modules that A has besides those of the
    /// specification.
    Enabled(Box<Act>, u32),
    /// Evaluates an expression with the next state in the place of the current one.
    InNext(Box<Node>),
    /// A call of a recursive operator.
    Call(FunctionId, Box<[Node]>),
    /// Makes an operator that is passed at run time, from its code and the values that it captures.
    Closure(FunctionId, Box<[Node]>),
    /// Applies an operator that was passed at run time.
    Apply(Box<Node>, Box<[Node]>),
    /// An operator of a standard module.
    Native(Box<NativeCall>),
    /// Something that cannot be evaluated; the text says why.
    Refuse(Box<str>),
}

/// An expression whose values are kept in a table, by the values that it depends on.
#[derive(Debug)]
pub struct Memo {
    /// The number of this expression, which is part of the key in the table.
    pub number: u32,
    /// The slots that the expression reads.
    pub slots: Box<[Slot]>,
    /// The variables of the current state that it reads.
    pub vars: Box<[Var]>,
    /// The variables of the next state that it reads.
    pub primed: Box<[Var]>,
    /// The expression that is evaluated when the table has no value.
    pub body: Node,
}

/// An application of an operator of a standard module.
#[derive(Debug)]
pub struct NativeCall {
    /// The operator.
    pub native: Native,
    /// Its arguments that are values, in order.
    pub args: Box<[Node]>,
    /// Its arguments that are operators, in order.
    pub operators: Box<[Operator]>,
}

/// An operator argument of a native operator, expanded in place.
#[derive(Debug)]
pub struct Operator {
    /// The slots that receive the arguments.
    pub params: Box<[Slot]>,
    /// The expression that is evaluated for them.
    pub body: Node,
}

/// Names bound over sets, and the expression that uses them.
#[derive(Debug)]
pub struct Binder {
    /// The names and their sets. The first is the outermost loop.
    pub bounds: Box<[Bound]>,
    /// The expression that is evaluated for each choice of elements.
    pub body: Node,
}

/// One bound name, or one tuple of names, with its set.
#[derive(Debug)]
pub struct Bound {
    /// The names, for people.
    pub names: Box<[Name]>,
    /// The slots that receive an element.
    pub target: Target,
    /// The set that the names range over.
    pub set: Node,
}

/// The slots that receive an element of a bound's set.
#[derive(Debug)]
pub enum Target {
    /// One slot for each name. With several slots, each ranges over the same set on its own.
    Slots(Box<[Slot]>),
    /// One slot for each component of an element, which is a tuple.
    Tuple(Box<[Slot]>),
}

/// A function constructor.
#[derive(Debug)]
pub struct Lambda {
    /// The names of the arguments and their sets.
    pub bounds: Box<[Bound]>,
    /// The value for one choice of arguments.
    pub body: Node,
    /// The body of a recursive function as an action. TLC looks for successors inside of it.
    pub act: Option<Act>,
    /// The slot through which the body of a recursive function reaches the function itself.
    pub itself: Option<Slot>,
    /// The slots that the body reads besides its arguments.
    pub captures: Box<[Slot]>,
    /// The frame that the slots belong to: an index into [`crate::Program::frame_sizes`].
    pub frame: u32,
}

/// One update `!.a[i] = e` of an EXCEPT.
#[derive(Debug)]
pub struct Update {
    /// The arguments on the way down, outermost first: `"a"` and `i`.
    pub path: Box<[Node]>,
    /// The slot that receives `@`, the old value. `None` if the new value does not mention it.
    pub at: Option<Slot>,
    /// The new value `e`.
    pub value: Node,
}

/// A compiled action.
#[derive(Debug)]
pub struct Act {
    /// The operation and its operands.
    pub kind: ActKind,
    /// Where in the specification it comes from, for error messages.
    pub origin: OriginId,
}

/// The operation of an action.
#[derive(Debug)]
pub enum ActKind {
    /// A conjunction; the conjuncts run in order.
    And(Box<[Act]>),
    /// A disjunction. Each disjunct is a basic block.
    Or(Box<[(BlockId, Act)]>),
    /// `\E`
    Exists(Box<ActBinder>),
    /// `\A`: a conjunction over the elements.
    Forall(Box<ActBinder>),
    /// A predicate: if it is false, there are no successors.
    Guard(Node),
    /// `x' = e`
    Assign(Var, Node),
    /// `x' \in S`
    AssignIn(Var, Node),
    /// `x' \subseteq S`
    AssignSubset(Var, Node),
    /// `UNCHANGED x`
    Unchanged(Var),
    /// The expression must differ between the current and the next state: the `v` of `<<A>>_v`.
    Changed(Box<[Node; 2]>),
    /// `IF`; both branches are basic blocks.
    If(Node, Box<[(BlockId, Act); 2]>),
    /// `CASE`; the arms are basic blocks.
    Case(Box<[(Node, BlockId, Act)]>, Option<Box<(BlockId, Act)>>),
    /// `P => A`
    Implies(Node, Box<Act>),
    /// Empties lazy slots, then continues with the body.
    Scope(Box<[Slot]>, Box<Act>),
    /// Looks up the successors by what the action reads. This works only where nothing remains to be done after it.
    Cached(Box<CachedAct>),
    /// Marks the body as this named action of the program.
    Named(ActionId, Box<Act>),
    /// `A \cdot B`
    Compose(Box<[Act; 2]>),
    /// A recursive function applied where an action is expected.
    Index(Box<[Node; 2]>),
    /// A recursive operator used as an action.
    Call(FunctionId, Box<[Node]>),
}

impl Act {
    /// The guards at the start of a named action's conjunction.
    pub(crate) fn first_guards(&self) -> impl Iterator<Item = &Node> {
        let items: &[Act] = match &self.kind {
            ActKind::Named(_, body) => match &body.kind {
                ActKind::And(items) => items,
                _ => &[],
            },
            _ => &[],
        };
        items.iter().map_while(|item| match &item.kind {
            ActKind::Guard(node) => Some(node),
            _ => None,
        })
    }
}

/// An action whose successors are kept in a table, by the values that it reads.
#[derive(Debug)]
pub struct CachedAct {
    /// The number of this action, which is part of the key in the table.
    pub number: u32,
    /// The number of guards at its start that are evaluated before the lookup.
    pub n_guards: usize,
    /// Whether these guards read anything that the rest does not. Then the key does not tell whether they hold, and
    /// they must be evaluated each time.
    pub guards_decide: bool,
    /// The slots that the rest reads.
    pub slots: Box<[Slot]>,
    /// The variables whose values are part of the key: those that the rest reads, and those whose old value may show in
    /// the result.
    pub vars: Box<[Var]>,
    /// The variables that it may change; all others keep their values.
    pub writes: Box<[Var]>,
    /// The whole action, with the guards.
    pub body: Act,
}

/// Names bound over sets in an action: `\E x \in S : A` or `\A x \in S : A`.
#[derive(Debug)]
pub struct ActBinder {
    /// The names and their sets. The first is the outermost loop.
    pub bounds: Box<[Bound]>,
    /// The action that runs for each choice of elements.
    pub body: Act,
}

define_id! {
    /// A named action that Next was split into.
    ActionId
}
define_id! {
    /// A basic block: one branch of a disjunction, IF or CASE inside an action.
    BlockId
}

/// A named action: a leaf of Next's disjunctions, quantifiers and definitions.
#[derive(Debug)]
pub struct Action {
    /// The name of the innermost definition around it.
    pub name: Name,
    /// Its arguments: parameters of that definition and names bound by `\E` on the way, outermost first.
    pub args: Vec<(Name, Node)>,
    /// Where in the specification it comes from, for error messages.
    pub origin: OriginId,
}

/// A recursive operator, or an operator that is passed as an argument. It has a frame of its own.
#[derive(Debug)]
pub struct Function {
    /// Its name, for error messages.
    pub name: Name,
    /// Its frame: an index into [`crate::Program::frame_sizes`]. The first slots are its parameters, then its captures.
    pub frame: u32,
    /// The body as an expression.
    pub body: Node,
    /// The body as an action. `None` if it is never used as one.
    pub act: Option<Act>,
}
