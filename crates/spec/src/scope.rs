//! The meanings that a name can have during linking, and the scopes in which it is visible.

use std::collections::BTreeMap;
use std::rc::Rc;

use kilter_base::{Name, Span, define_id};
use kilter_syntax::ast;

use crate::ir::{DefId, LocalId, VarId};
use crate::load::Loaded;

define_id! {
    /// A name that becomes a definition of the specification once it is used.
    ItemId
}
define_id! {
    /// A module whose units have been declared in one world.
    LinkedId
}
define_id! {
    /// A named instance.
    InstanceId
}
define_id! {
    /// A world gives the declared constants and variables of modules one meaning. It is the root, or one instance.
    WorldId
}

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Var(VarId),
    Item(ItemId),
    Local(LocalId),
    /// A parameter of an enclosing instance, by its position among all such parameters.
    Param(usize),
    Instance(InstanceId),
}

/// The names that are visible at one place, innermost first.
pub(crate) struct Scope {
    pub(crate) parent: Option<Rc<Scope>>,
    pub(crate) kind: ScopeKind,
}

pub(crate) enum ScopeKind {
    /// The names of a module that are declared before unit `limit`.
    Module { linked: LinkedId, limit: u32 },
    /// Bound names, parameters or LET definitions.
    Names(Vec<(Name, Symbol, Span)>),
}

impl Scope {
    pub(crate) fn with(parent: &Rc<Scope>, names: Vec<(Name, Symbol, Span)>) -> Rc<Scope> {
        Rc::new(Scope { parent: Some(parent.clone()), kind: ScopeKind::Names(names) })
    }
}

/// A name of a linked module.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) symbol: Symbol,
    /// The number of the unit that declares it, from 1. 0 if it comes from EXTENDS.
    pub(crate) since: u32,
    pub(crate) local: bool,
    /// Whether it is a declared constant or variable. Instances do not export these.
    pub(crate) declared: bool,
    pub(crate) span: Span,
    /// The module that it is written in.
    pub(crate) origin: Name,
    /// Whether it comes through a community module that does not define it itself. Newer versions of these modules
    /// extend modules that older versions did not, so a user's own definition wins.
    pub(crate) passed_on: bool,
}

/// A nested module that has not been linked yet.
#[derive(Clone)]
pub(crate) struct Nested<'a> {
    pub(crate) tree: &'a ast::Module,
    pub(crate) file: &'a Loaded,
    pub(crate) scope: Rc<Scope>,
    pub(crate) since: u32,
}

/// A linked module, with its names.
pub(crate) struct Linked<'a> {
    pub(crate) tree: &'a ast::Module,
    pub(crate) file: &'a Loaded,
    pub(crate) world: WorldId,
    pub(crate) outer: Option<Rc<Scope>>,
    pub(crate) names: BTreeMap<Name, Entry>,
    /// The names in the order of declaration.
    pub(crate) order: Vec<Name>,
    pub(crate) nested: BTreeMap<Name, Nested<'a>>,
    pub(crate) extends: Vec<LinkedId>,
    /// The ASSUME units, each with the number of its unit.
    pub(crate) assumptions: Vec<(Option<&'a ast::Ident>, &'a ast::Expr, u32)>,
    /// Theorems without a name. Nothing can refer to them.
    pub(crate) theorems: Vec<(&'a ast::Expr, u32)>,
}

/// A named instance.
pub(crate) struct Instance {
    pub(crate) linked: LinkedId,
    /// The arities of the instance's own parameters.
    pub(crate) params: Vec<u32>,
}

/// A parameter of an instance.
#[derive(Clone, Debug)]
pub(crate) struct FrameParam {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) arity: u32,
}

/// The leading parameters of all definitions of a world.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The locals of the expression around, for an instance in a LET.
    pub(crate) captured: Rc<[LocalId]>,
    pub(crate) params: Rc<[FrameParam]>,
}

impl Frame {
    pub(crate) fn empty() -> Self {
        Frame { captured: Rc::new([]), params: Rc::new([]) }
    }
}

/// A world gives declared constants and variables one meaning.
pub(crate) struct World<'a> {
    /// The instances in front of the names of its definitions, such as `I!J!`.
    pub(crate) prefix: String,
    pub(crate) frame: Frame,
    /// The modules linked so far, by the place of their text.
    pub(crate) linked: BTreeMap<Span, LinkedId>,
    /// What the declared names stand for. `None` in the root's world.
    pub(crate) substitution: Option<Substitution<'a>>,
    /// The LET in which the instance stands.
    pub(crate) owner: Option<usize>,
}

/// The WITH part of an instance.
#[derive(Clone)]
pub(crate) struct Substitution<'a> {
    pub(crate) instance: &'a ast::Instance,
    /// The scope of the substituting expressions.
    pub(crate) scope: Rc<Scope>,
    /// The frame of these expressions.
    pub(crate) frame: Frame,
    /// The module in which they are written.
    pub(crate) module: Name,
    /// Whether constants may only be replaced by constants. This is so if the module has variables.
    pub(crate) strict: bool,
}

/// A name that becomes a definition once it is used.
pub(crate) struct Item<'a> {
    /// The name with the instances in front.
    pub(crate) name: Name,
    pub(crate) short: Name,
    pub(crate) module: Name,
    pub(crate) span: Span,
    pub(crate) kind: ItemKind<'a>,
    /// The arity of each parameter, without the leading parameters.
    pub(crate) params: Rc<[u32]>,
    pub(crate) frame: Frame,
    pub(crate) scope: Rc<Scope>,
    pub(crate) def: Option<DefId>,
    pub(crate) owner: Option<usize>,
    pub(crate) in_let: bool,
    /// Whether it replaces a variable of an instance.
    pub(crate) for_variable: bool,
}

/// The kinds of items.
#[derive(Clone)]
pub(crate) enum ItemKind<'a> {
    Operator(&'a ast::OperatorDef),
    Function(&'a ast::FunctionDef),
    /// A named assumption or theorem.
    Formula(&'a ast::Expr),
    /// A named ASSUME … PROVE, which has no value.
    Statement,
    /// Declared RECURSIVE and not defined yet.
    Recursive,
    /// A declared constant of the root.
    Constant,
    /// An expression that replaces a declared constant or variable of an instance.
    Substitute(&'a ast::Expr),
    /// A symbol that replaces one: another name, or the same name as it is visible at the INSTANCE.
    Alias(Symbol),
    /// A part of a definition, named by a path such as `Op!2`.
    Part {
        layers: Vec<Layer<'a>>,
        place: Place<'a>,
    },
    /// An operator of a standard module that the evaluator implements.
    Native(crate::native::Native),
}

/// A binder or LET around a part of a definition.
#[derive(Clone)]
pub(crate) enum Layer<'a> {
    /// Names with their arities. They become parameters of the part.
    Names(Vec<(&'a ast::Ident, u32)>),
    Let(&'a [ast::Unit]),
}

impl Layer<'_> {
    /// The arities of the parameters.
    pub(crate) fn arities(&self) -> Vec<u32> {
        match self {
            Layer::Names(names) => names.iter().map(|(_, arity)| *arity).collect(),
            Layer::Let(_) => Vec::new(),
        }
    }
}

/// A place that a step of a path such as `Op!2` can lead to.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Expr(&'a ast::Expr),
    /// The function that `f[x \in S] == e` defines.
    Function(&'a ast::FunctionDef),
    /// An arm of a CASE. That of OTHER has no condition.
    Arm(Option<&'a ast::Expr>, &'a ast::Expr),
    /// The field name in `r.field`, which is a string.
    Field(&'a ast::Ident),
}

impl Place<'_> {
    pub(crate) fn span(self) -> Span {
        match self {
            Place::Expr(expr) | Place::Arm(_, expr) => expr.span,
            Place::Function(function) => function.name.span,
            Place::Field(field) => field.span,
        }
    }

    /// The end of its text.
    pub(crate) fn end(self) -> u32 {
        match self {
            Place::Function(function) => function.body.span.end,
            _ => self.span().end,
        }
    }
}
