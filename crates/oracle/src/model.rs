//! A module and its configuration as a small tree.

/// An expression, an action or a state predicate.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(String),
    /// A bound name, a parameter, a constant, or an operator without parameters.
    Name(String),
    /// An unprimed variable.
    Var(String),
    /// A primed variable.
    Primed(String),
    /// `@` in EXCEPT.
    At,
    /// A prefix operator.
    Unary(Unary, Box<Expr>),
    /// An infix operator.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A list of conjuncts.
    And(Vec<Expr>),
    /// A list of disjuncts.
    Or(Vec<Expr>),
    /// IF.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// CASE, with or without OTHER.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// LET.
    Let(Vec<Def>, Box<Expr>),
    /// `\A` if true, `\E` if false.
    Quant(bool, Vec<Bound>, Box<Expr>),
    /// CHOOSE from a set.
    Choose(Box<Bound>, Box<Expr>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `{x \in S : p}`.
    Filter(Box<Bound>, Box<Expr>),
    /// `{e : x \in S}`.
    Map(Box<Expr>, Vec<Bound>),
    /// `[x \in S |-> e]`.
    Fun(Vec<Bound>, Box<Expr>),
    /// `[S -> T]`.
    FunSet(Box<Expr>, Box<Expr>),
    /// `[a |-> e]`.
    Rec(Vec<(String, Expr)>),
    /// `[a : S]`.
    RecSet(Vec<(String, Expr)>),
    /// `<<a, b>>`.
    Tuple(Vec<Expr>),
    /// `S \X T`.
    Product(Box<Expr>, Box<Expr>),
    /// `f[e]`.
    Apply(Box<Expr>, Box<Expr>),
    /// `r.a`.
    Field(Box<Expr>, String),
    /// `[f EXCEPT ![a].b = e]`.
    Except(Box<Expr>, Vec<(Vec<Step>, Expr)>),
    /// A call of an operator of the model or of a standard module.
    Call(String, Vec<Expr>),
    /// `LAMBDA x : e`. It occurs only as an argument.
    Lambda(Vec<String>, Box<Expr>),
    /// `UNCHANGED <<x, y>>`.
    Unchanged(Vec<String>),
    /// `ENABLED A`.
    Enabled(Box<Expr>),
}

/// A bound name and its set.
pub type Bound = (String, Expr);

/// One step of an EXCEPT path into a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// `[e]`.
    Index(Expr),
    /// `.a`.
    Field(String),
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `~`.
    Not,
    /// `-`.
    Minus,
    /// SUBSET.
    Subset,
    /// UNION.
    Union,
    /// DOMAIN.
    Domain,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `=`.
    Eq,
    /// `#`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `\div`.
    Div,
    /// `%`.
    Mod,
    /// `..`.
    Range,
    /// `\in`.
    In,
    /// `\notin`.
    NotIn,
    /// `\subseteq`.
    SubsetEq,
    /// `\cup`.
    Cup,
    /// `\cap`.
    Cap,
    /// `\`.
    Diff,
    /// `=>`.
    Implies,
    /// `<=>`.
    Equiv,
    /// `\o`.
    Concat,
    /// `:>`.
    Single,
    /// `@@`.
    Merge,
}

/// A definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Def {
    /// Its name.
    pub name: String,
    /// Its parameters, each with its number of arguments, which is 0 unless the parameter is an operator.
    pub params: Vec<(String, usize)>,
    /// The argument and domain, if this is a recursive function.
    pub function: Option<Bound>,
    /// Whether it is an operator that calls itself.
    pub recursive: bool,
    /// Its right side.
    pub body: Expr,
}

/// A named disjunct of the next-state relation.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Its parameters, each with the set that it is taken from.
    pub params: Vec<Bound>,
    /// The formula of a step.
    pub body: Expr,
}

/// A fairness condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Fairness {
    /// Whether this is SF. Otherwise it is WF.
    pub strong: bool,
    /// The number of the action. `None` for the whole next-state relation.
    pub action: Option<usize>,
    /// Whether this is `\A p \in S : WF(A(p))`. Otherwise it is `WF(\E p \in S : A(p))`.
    pub each: bool,
}

/// A temporal formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Temporal {
    /// A state predicate.
    State(Expr),
    /// `[]F`.
    Always(Box<Temporal>),
    /// `<>F`.
    Eventually(Box<Temporal>),
    /// `F ~> G`.
    LeadsTo(Box<Temporal>, Box<Temporal>),
    /// `~F`.
    Not(Box<Temporal>),
    /// `F /\ G`.
    And(Box<Temporal>, Box<Temporal>),
    /// `F \/ G`.
    Or(Box<Temporal>, Box<Temporal>),
    /// `F => G`.
    Implies(Box<Temporal>, Box<Temporal>),
    /// `[]<><<A>>_vars`.
    OftenStep(Expr),
    /// `<>[][A]_vars`.
    AtLastSteps(Expr),
    /// A fairness condition.
    Fair(Fairness),
}

/// A formula that the configuration lists under PROPERTY.
#[derive(Clone, PartialEq, Debug)]
pub enum Property {
    /// A state predicate, which initial states must satisfy.
    Init(Expr),
    /// `[]P`.
    Always(Expr),
    /// `[][A]_e`, with the names of the variables in `e`.
    Steps(Expr, Vec<String>),
    /// Any other temporal formula.
    Temporal(Temporal),
    /// The specification of the abstract module.
    Refines,
}

/// A constant's value in the configuration.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A non-negative integer.
    Int(i64),
    /// A string.
    Str(String),
    /// A model value with the constant's name.
    Model,
    /// A set of integers.
    Ints(Vec<i64>),
    /// A set of model values.
    Models(Vec<String>),
}

/// The behaviors of a module.
#[derive(Clone, PartialEq, Debug)]
pub struct Behaviors {
    /// The variables.
    pub variables: Vec<String>,
    /// The initial predicate.
    pub init: Expr,
    /// The disjuncts of the next-state relation.
    pub actions: Vec<Action>,
    /// The fairness of the specification.
    pub fairness: Vec<Fairness>,
}

/// A second module that the first may refine.
#[derive(Clone, PartialEq, Debug)]
pub struct Abstraction {
    /// The behaviors of the second module.
    pub behaviors: Behaviors,
    /// The expression that replaces each variable of the second module.
    pub mapping: Vec<(String, Expr)>,
}

/// A module with its configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// The root module's name.
    pub name: String,
    /// The strings, in the order of their first use in the module.
    pub strings: Vec<String>,
    /// The fields of records, in the order of their first use in the module.
    pub fields: Vec<String>,
    /// The constants, in the order of the configuration.
    pub constants: Vec<(String, Constant)>,
    /// The operators.
    pub defs: Vec<Def>,
    /// The assumptions.
    pub assumes: Vec<Expr>,
    /// The behaviors of the module.
    pub behaviors: Behaviors,
    /// CONSTRAINT, each with its name.
    pub constraints: Vec<(String, Expr)>,
    /// ACTION_CONSTRAINT, each with its name.
    pub action_constraints: Vec<(String, Expr)>,
    /// VIEW.
    pub view: Option<Expr>,
    /// The constants whose elements are symmetric.
    pub symmetry: Vec<String>,
    /// INVARIANT, each with its name.
    pub invariants: Vec<(String, Expr)>,
    /// PROPERTY, each with its name.
    pub properties: Vec<(String, Property)>,
    /// The abstract module, if a property needs one.
    pub abstraction: Option<Abstraction>,
    /// The value of CHECK_DEADLOCK.
    pub deadlock: bool,
}

impl Model {
    /// A model with only a name and behaviors.
    pub fn of(name: String, behaviors: Behaviors) -> Model {
        Model {
            name,
            strings: Vec::new(),
            fields: Vec::new(),
            constants: Vec::new(),
            defs: Vec::new(),
            assumes: Vec::new(),
            behaviors,
            constraints: Vec::new(),
            action_constraints: Vec::new(),
            view: None,
            symmetry: Vec::new(),
            invariants: Vec::new(),
            properties: Vec::new(),
            abstraction: None,
            deadlock: false,
        }
    }

    /// Whether some property needs a search for loops.
    pub fn has_temporal(&self) -> bool {
        self.properties.iter().any(|(_, property)| match property {
            Property::Temporal(_) => true,
            Property::Refines => {
                self.abstraction.as_ref().is_some_and(|second| !second.behaviors.fairness.is_empty())
            }
            _ => false,
        })
    }
}

/// Shorthands that keep the generator readable.
impl Expr {
    /// A name.
    pub fn name(name: &str) -> Expr {
        Expr::Name(name.to_owned())
    }

    /// An infix operator applied.
    pub fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// A prefix operator applied.
    pub fn unary(op: Unary, of: Expr) -> Expr {
        Expr::Unary(op, Box::new(of))
    }

    /// An operator applied.
    pub fn call(name: &str, args: Vec<Expr>) -> Expr {
        Expr::Call(name.to_owned(), args)
    }

    /// IF.
    pub fn cond(test: Expr, yes: Expr, no: Expr) -> Expr {
        Expr::If(Box::new(test), Box::new(yes), Box::new(no))
    }
}
