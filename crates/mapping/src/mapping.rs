//! The mapping after it has been checked: nothing in it is unknown any more.
use kilter_system::{Fault, System};
use kilter_value::{Store, Value};
use serde_json::Value as Json;

use crate::file::{DiffSection, Form, SpecSection, SuiteSection};
use crate::shape::Shape;
use crate::words::Words;

/// What the parts of a specification are in an implementation.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Where the specification is.
    pub spec: SpecSection,
    /// Which test cases are made from it.
    pub suite: SuiteSection,
    /// What is known about changes.
    pub diff: DiffSection,
    /// How the system is run.
    pub system: System,
    /// What constants and nodes are called.
    pub words: Words,
    /// The variables, in the specification's order.
    pub variables: Vec<Variable>,
    /// A rule for each action, in the specification's order.
    pub rules: Vec<Rule>,
}

/// A variable of the specification.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is compared with.
    pub kind: Compared,
    /// How its values, or the parts of one node, or single messages are spelled.
    pub shape: Shape,
}

/// What a variable is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// With nothing.
    Not,
    /// With nothing, because it only bounds the model.
    Bound,
    /// The part of each node with what it reports under a path.
    Node(Vec<String>),
    /// The whole with what a node (or every node that knows it) reports under a path.
    Global(Vec<String>, Option<usize>),
    /// With the messages under way.
    Messages(Form),
}

impl Compared {
    /// Whether it is compared with anything.
    pub fn is_compared(&self) -> bool {
        !matches!(self, Compared::Not | Compared::Bound)
    }
}

/// What an action is.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The action's name.
    pub action: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// How each of them is spelled.
    pub shapes: Vec<Shape>,
    /// What is done.
    pub deed: Deed,
    /// Where; anywhere if it does not say.
    pub node: Option<Place>,
    /// Between there and where.
    pub other: Option<Place>,
    /// The parameter that is the message.
    pub message: Option<usize>,
    /// Whether it may be offered where the specification has no such step.
    pub is_bounded: bool,
    /// Whether states are compared after it.
    pub compares: bool,
}

/// What is done for an action.
#[derive(Clone, Debug)]
pub enum Deed {
    /// A node's offer is let go.
    Offer {
        /// What nodes call it.
        name: String,
        /// The parameters that the arguments of offers are; if not given, all but the message, with the node or without.
        args: Option<Vec<usize>>,
        /// A program that is run first, and makes a node offer it.
        provoked_by: Option<Vec<String>>,
    },
    /// The testbed does something to the system.
    Fault(Fault),
    /// A node is asked for it.
    Request {
        /// What it is called.
        name: String,
        /// With these arguments.
        args: Vec<Template>,
    },
    /// A program is run against a node, to its end.
    Command(Vec<String>),
    /// Nothing.
    Internal,
}

/// A node that an action is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The one that an argument, or a part of it, says.
    Part(Part),
    /// Always this one, by number.
    Fixed(usize),
}

/// A part of an argument, such as `m.dest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The parameter.
    pub param: usize,
    /// The fields on the way.
    pub path: Vec<String>,
}

/// An argument of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// How many requests of this action there have been, this one included.
    Count,
    /// An argument of the action.
    Param(usize),
    /// Always this.
    Fixed(Json),
}

impl Part {
    /// What it is for these arguments.
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
    /// What nodes call the action when they offer it.
    pub fn offer(&self) -> Option<&str> {
        match &self.deed {
            Deed::Offer { name, .. } => Some(name),
            _ => None,
        }
    }
}
