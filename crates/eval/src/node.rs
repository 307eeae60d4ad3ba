//! Compiled expressions and actions: trees whose names are slots, with every operator call expanded in place.
//!
//! A [`Node`] yields a value; an [`Act`] yields successor states by assigning primed variables. All slots of one
//! function body live in one frame, so expanding a call costs nothing at run time.

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
    /// A place for the value of a constant expression, evaluated at its first use.
    CellId
}

/// A slot of the current frame.
pub type Slot = u32;
/// The number of a state variable.
pub type Var = u32;

/// A compiled expression.
#[derive(Debug)]
pub struct Node {
    /// What to do.
    pub kind: Kind,
    /// Where it comes from.
    pub origin: OriginId,
}

/// Operators of two sets or values that have no control flow of their own.
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

/// Operators of two values with a boolean result.
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

/// What a node does.
#[derive(Debug)]
pub enum Kind {
    /// A value known at compile time.
    Value(Value),
    /// A constant expression: evaluated once.
    Cell(CellId, Arc<Node>),
    /// A variable of the current state.
    Var(Var),
    /// A variable of the next state (or of the initial state that is being built).
    VarPrimed(Var),
    /// A bound name.
    Slot(Slot),
    /// A parameter of a function: its argument may have failed, which matters only now.
    Param(Slot),
    /// An argument or LET definition that is evaluated at its first use and kept in the slot.
    Lazy(Slot, Arc<Node>),
    /// An argument or LET definition that depends on the next state: evaluated at each use.
    Shared(Arc<Node>),
    /// Forgets what lazy slots hold, sees that there is stack left, then evaluates the body.
    Scope(Box<[Slot]>, Box<Node>),
    /// Looks up an expensive expression's value by the values that it depends on.
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
    /// `UNCHANGED e` as a predicate: the expression now and next.
    Unchanged(Box<[Node; 2]>),
    /// `ENABLED A`, and how many variables it has beside those of the specification.
    Enabled(Box<Act>, u32),
    /// An expression on the next state, evaluated as if that were the current one.
    InNext(Box<Node>),
    /// A call of a recursive operator.
    Call(FunctionId, Box<[Node]>),
    /// Makes an operator that can be passed at run time: its code and the values it captures.
    Closure(FunctionId, Box<[Node]>),
    /// Applies an operator that was passed at run time.
    Apply(Box<Node>, Box<[Node]>),
    /// An operator of a standard module.
    Native(Box<NativeCall>),
    /// Something that cannot be evaluated; the text says why.
    Refuse(Box<str>),
}

/// A memoised expression.
#[derive(Debug)]
pub struct Memo {
    /// Tells this expression from others in the table.
    pub number: u32,
    /// The slots that it depends on.
    pub slots: Box<[Slot]>,
    /// The variables that it depends on.
    pub vars: Box<[Var]>,
    /// The primed variables that it depends on.
    pub primed: Box<[Var]>,
    /// The expression.
    pub body: Node,
}

/// An operator of a standard module, applied.
#[derive(Debug)]
pub struct NativeCall {
    /// Which.
    pub native: Native,
    /// Its arguments that are values, in order.
    pub args: Box<[Node]>,
    /// Its arguments that are operators, in order.
    pub operators: Box<[Operator]>,
}

/// An operator argument of a native operator, expanded in place.
#[derive(Debug)]
pub struct Operator {
    /// Where its arguments go.
    pub params: Box<[Slot]>,
    /// Its body.
    pub body: Node,
}

/// Bound names with their sets, and what they are bound in.
#[derive(Debug)]
pub struct Binder {
    /// In order.
    pub bounds: Box<[Bound]>,
    /// The body.
    pub body: Node,
}

/// One bound name, or one tuple of names, with its set.
#[derive(Debug)]
pub struct Bound {
    /// Where elements go.
    pub target: Target,
    /// The set.
    pub set: Node,
}

/// Where an element goes.
#[derive(Debug)]
pub enum Target {
    /// Into one slot each; several slots range over the same set.
    Slots(Box<[Slot]>),
    /// A tuple's components into these.
    Tuple(Box<[Slot]>),
}

/// A function constructor.
#[derive(Debug)]
pub struct Lambda {
    /// The arguments.
    pub bounds: Box<[Bound]>,
    /// The value.
    pub body: Node,
    /// The value of a recursive function as an action: TLC looks for successors inside of it.
    pub act: Option<Act>,
    /// For a recursive function, the slot through which the body reaches the function itself.
    pub itself: Option<Slot>,
    /// The slots of the frame that the body reads besides its arguments.
    pub captures: Box<[Slot]>,
    /// The frame that the slots belong to: an index into [`crate::Program::frame_sizes`].
    pub frame: u32,
}

/// `!.a[i] = e`
#[derive(Debug)]
pub struct Update {
    /// The path.
    pub path: Box<[Node]>,
    /// Where `@` goes, if the value mentions it.
    pub at: Option<Slot>,
    /// The new value.
    pub value: Node,
}

/// A compiled action.
#[derive(Debug)]
pub struct Act {
    /// What to do.
    pub kind: ActKind,
    /// Where it comes from.
    pub origin: OriginId,
}

/// What an action does.
#[derive(Debug)]
pub enum ActKind {
    /// All of them, in order.
    And(Box<[Act]>),
    /// Any of them, each a basic block.
    Or(Box<[(BlockId, Act)]>),
    /// `\E`
    Exists(Box<ActBinder>),
    /// `\A`: a conjunction over the elements.
    Forall(Box<ActBinder>),
    /// A predicate.
    Guard(Node),
    /// `x' = e`
    Assign(Var, Node),
    /// `x' \in S`
    AssignIn(Var, Node),
    /// `x' \subseteq S`
    AssignSubset(Var, Node),
    /// `UNCHANGED x`
    Unchanged(Var),
    /// The expression must have changed: `<<A>>_v`.
    Changed(Box<[Node; 2]>),
    /// `IF`; both branches are basic blocks.
    If(Node, Box<[(BlockId, Act); 2]>),
    /// `CASE`; the arms are basic blocks.
    Case(Box<[(Node, BlockId, Act)]>, Option<Box<(BlockId, Act)>>),
    /// `P => A`
    Implies(Node, Box<Act>),
    /// Forgets what lazy slots hold, then continues with the body.
    Scope(Box<[Slot]>, Box<Act>),
    /// Looks successors up by what the action reads, where nothing remains to be done after it.
    Cached(Box<CachedAct>),
    /// What follows is this action of the program.
    Named(ActionId, Box<Act>),
    /// `A \cdot B`
    Compose(Box<[Act; 2]>),
    /// A recursive function applied where an action is expected.
    Index(Box<[Node; 2]>),
    /// A recursive operator used as an action.
    Call(FunctionId, Box<[Node]>),
}

impl Act {
    /// The conditions that an action with a name begins with.
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

/// An action whose successors are remembered.
#[derive(Debug)]
pub struct CachedAct {
    /// Tells this action from others in the table.
    pub number: u32,
    /// How many conditions at its start are evaluated before it is looked up.
    pub n_guards: usize,
    /// Whether they read anything that the rest does not: then they can't be left out.
    pub guards_decide: bool,
    /// The slots that it reads after these.
    pub slots: Box<[Slot]>,
    /// The variables that it reads after these.
    pub vars: Box<[Var]>,
    /// The variables that it may change; all others keep their values.
    pub writes: Box<[Var]>,
    /// The action.
    pub body: Act,
}

/// `\E x \in S : A`
#[derive(Debug)]
pub struct ActBinder {
    /// In order.
    pub bounds: Box<[Bound]>,
    /// The body.
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
    /// Where it comes from.
    pub origin: OriginId,
}

/// A recursive operator or an operator that is passed as an argument.
#[derive(Debug)]
pub struct Function {
    /// Its name, for error messages.
    pub name: Name,
    /// Its frame: an index into [`crate::Program::frame_sizes`]; parameters and captures come first.
    pub frame: u32,
    /// The body as an expression.
    pub body: Node,
    /// The body as an action, when it is used as one.
    pub act: Option<Act>,
}
