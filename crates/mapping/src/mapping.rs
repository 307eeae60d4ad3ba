//! A mapping that has been checked, so that everything in it is known.
use kilter_system::{Fault, System};
use kilter_value::{Store, Value};
use serde_json::Value as Json;

use crate::file::{DiffSection, Form, SpecSection, SuiteSection};
use crate::follow::Follow;
use crate::shape::Shape;
use crate::summary::ActionSummary;
use crate::words::Words;

/// What the parts of a specification are in an implementation.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The files of the specification.
    pub spec: SpecSection,
    /// The test cases that are made from the specification.
    pub suite: SuiteSection,
    /// What `kilter diff` can't see for itself.
    pub diff: DiffSection,
    /// How lines of a log are read.
    pub follow: Follow,
    /// How the system is run.
    pub system: System,
    /// The names of constants and nodes.
    pub words: Words,
    /// The variables, in the specification's order.
    pub variables: Vec<Variable>,
    /// A rule for each action, in the specification's order.
    pub rules: Vec<Rule>,
}

/// A variable of the specification.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the specification.
    pub name: String,
    /// What it is compared with.
    pub kind: Compared,
    /// The shape of its values, or of one node's part, or of single messages.
    pub shape: Shape,
}

/// What a variable is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It is not compared.
    Not,
    /// It is not compared, because the mapping does not name it.
    Unnamed,
    /// It is not compared, because it only bounds the model.
    Bound,
    /// The part of each node, or of these nodes alone, is compared with what the node reports under this path.
    Node(Vec<String>, Option<Vec<usize>>),
    /// The whole is compared with what this node, or every node that knows it, reports under this path.
    Global(Vec<String>, Option<usize>),
    /// It is compared with the messages in flight.
    Messages(Form),
}

impl Compared {
    /// Whether the variable is compared with anything.
    pub fn is_compared(&self) -> bool {
        !matches!(self, Compared::Not | Compared::Unnamed | Compared::Bound)
    }
}

/// What to do for an action.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The action's name.
    pub action: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    /// The shape of each parameter.
    pub shapes: Vec<Shape>,
    /// What is done for it.
    pub deed: Deed,
    /// The node at which it happens. `None` if it may happen anywhere.
    pub node: Option<Place>,
    /// The other node, for faults of a link.
    pub other: Option<Place>,
    /// The index of the parameter that is the message.
    pub message: Option<usize>,
    /// Whether it may be offered where the specification has no such step.
    pub is_bounded: bool,
    /// Whether states are compared after it.
    pub compares: bool,
}

impl Rule {
    /// The rule of an action of which a mapping says nothing.
    pub(crate) fn unmapped(action: &ActionSummary) -> Rule {
        Rule {
            action: action.name.clone(),
            params: action.params.clone(),
            shapes: vec![Shape::Any; action.params.len()],
            deed: Deed::Internal,
            node: None,
            other: None,
            message: None,
            is_bounded: false,
            compares: true,
        }
    }
}

/// What the testbed does for an action.
#[derive(Clone, Debug)]
pub enum Deed {
    /// It lets a node's offer go.
    Offer {
        /// The name of the offer.
        name: String,
        /// The parameters that the arguments of offers stand for. If `None`, all but the message, with or without the
        /// node.
        args: Option<Vec<usize>>,
        /// A program that is run first, and makes a node offer the action.
        provoked_by: Option<Vec<String>>,
    },
    /// It brings a fault about.
    Fault(Fault),
    /// It asks a node for it.
    Request {
        /// The name of the request.
        name: String,
        /// The arguments of the request.
        args: Vec<Template>,
    },
    /// It runs a program against a node, to its end.
    Command(Vec<String>),
    /// It does nothing.
    Internal,
}

/// A node at which an action happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The node that an argument, or a part of it, names.
    Part(Part),
    /// Always the node with this index.
    Fixed(usize),
}

/// A part of an argument, such as `m.dest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The index of the parameter.
    pub param: usize,
    /// The fields that lead to the part.
    pub path: Vec<String>,
}

/// An argument of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// The number of requests of this action so far, with this one.
    Count,
    /// An argument of the action.
    Param(usize),
    /// Always this value.
    Fixed(Json),
}

impl Part {
    /// The value of the part for these arguments. `None` if the arguments have no such part.
    pub fn of(&self, args: &[Value], store: &Store) -> Option<Value> {
        let mut value = *args.get(self.param)?;
        for field in &self.path {
            let by_name = store.field(value, store.string(field));
            let by_number = || Some(store.int(field.parse().ok()?));
            value = match by_name {
                Some(value) => value,
                None => store.apply(value, by_number()?).ok()??,
            };
        }
        Some(value)
    }
}

impl Rule {
    /// The parameters for `n_args` arguments in a row: those of the mapping, or all but the message, or all but message and
    /// node. An action that takes in a message may give no arguments, because the message has them all. The error says how
    /// many are expected.
    pub fn params_of(&self, n_args: usize) -> Result<Vec<usize>, String> {
        let given = match &self.deed {
            Deed::Offer { args: Some(args), .. } => Some(args.clone()),
            _ => None,
        };
        let all: Vec<usize> = (0..self.params.len()).filter(|param| Some(*param) != self.message).collect();
        let node = match &self.node {
            Some(Place::Part(part)) if part.path.is_empty() => Some(part.param),
            _ => None,
        };
        let without_node: Vec<usize> = all.iter().copied().filter(|param| Some(*param) != node).collect();
        let candidates = match given {
            Some(given) => vec![given],
            None if self.message.is_some() => vec![all, without_node, Vec::new()],
            None => vec![all, without_node],
        };
        let wanted: Vec<String> = candidates.iter().map(|params| params.len().to_string()).collect();
        candidates.into_iter().find(|params| params.len() == n_args).ok_or_else(|| wanted.join(" or "))
    }

    /// The name under which nodes offer the action. `None` if nodes do not offer it.
    pub fn offer(&self) -> Option<&str> {
        match &self.deed {
            Deed::Offer { name, .. } => Some(name),
            _ => None,
        }
    }
}
