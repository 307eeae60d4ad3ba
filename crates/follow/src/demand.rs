//! What a line demands of a behavior, in the specification's words.

use std::sync::Arc;

use kilter_eval::Wanted;
use kilter_mapping::Mapping;
use kilter_mapping::file::Form;
use kilter_mapping::mapping::Compared;
use kilter_value::{Moved, Store, Value};

use crate::line::BadLine;

/// The number of a file, from 0, and of a line in it, from 1.
pub type LinePlace = (usize, u64);

/// What a line demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The number of its file, from 0.
    pub file: usize,
    /// The number of the line in its file, from 1.
    pub number: u64,
    /// The line itself, or its beginning.
    pub text: String,
    /// The name of its event.
    pub event: String,
    /// The node at which it happens.
    pub node: Option<usize>,
    /// The steps that it stands for, one after the other. If there are none, it only says what the state is.
    pub steps: Vec<StepDemand>,
    /// The index of a formula: if it is true, the line is no step.
    pub unless: Option<usize>,
    /// What must hold before the first step.
    pub before: Vec<Check>,
    /// What must hold after the last step.
    pub after: Vec<Check>,
    /// The messages that the steps send, each with the index of its variable. `None` if the line does not say.
    pub sent: Option<Vec<(usize, Value)>>,
    /// The message that is taken in.
    pub message: Option<Value>,
    /// The line itself, for formulas that ask about it.
    pub line: Option<Value>,
    /// The vector clock, by node. Empty if there is none.
    pub clock: Vec<u64>,
    /// When it began, and when it had ended.
    pub time: Option<(i128, i128)>,
}

/// A step that a line stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDemand {
    /// The actions that it may be.
    pub candidates: Vec<Candidate>,
    /// The same for the evaluator.
    pub wanted: Arc<[Wanted]>,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// What it makes true: indices of formulas.
    pub holds: Vec<usize>,
    /// If there is one, it is taken again and again until this formula is true.
    pub until: Option<usize>,
    /// Whether nothing is known of it but that it may have been. What can't be evaluated then did not happen.
    pub is_guess: bool,
}

/// An action with the arguments that are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The index of its rule in the mapping.
    pub rule: usize,
    /// Indices of parameters, and their values.
    pub args: Vec<(usize, Value)>,
}

/// Something that must hold in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is looked at.
    pub what: What,
    /// The node whose part is meant. `None` for the whole.
    pub node: Option<Value>,
    /// What it must be.
    pub is: Is,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The variable with this index.
    Variable(usize),
    /// The expression of `[follow.values]` with this index.
    Expression(usize),
}

/// What something must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// This value.
    Value(Value),
    /// A sequence: as many elements of the one before as are kept, and then these.
    Grown(usize, Vec<Value>),
    /// What it was before the line.
    Same,
}

/// The error for a line that demands nothing that makes sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDemand {
    /// The line can't be read.
    #[error(transparent)]
    Line(#[from] BadLine),
    /// Nothing is known of its event.
    #[error("nothing is known of the event `{name}`; {}", match similar {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => "say in [follow.events] which steps it stands for, or put it into `skip`".to_owned(),
    })]
    Event {
        /// Its name.
        name: String,
        /// An event with a similar name.
        similar: Option<String>,
    },
    /// A node is not one of the mapping's.
    #[error("there is no node `{name}`; the nodes are {nodes}")]
    Node {
        /// Its name.
        name: String,
        /// The names of all nodes.
        nodes: String,
    },
    /// A value does not have the shape that the mapping gives it.
    #[error("{what}: {misfit}")]
    Misfit {
        /// What it is.
        what: String,
        /// Why it does not fit.
        misfit: String,
    },
    /// A node is started again, and the specification has no such step.
    #[error("{node} is started again, and no action of the mapping is a fault that starts a node")]
    NoRestart {
        /// The name of the node.
        node: String,
    },
}

impl Demand {
    /// Its line.
    pub fn place(&self) -> LinePlace {
        (self.file, self.number)
    }

    /// Whether what it does is the same whenever it comes, as far as other nodes only send messages to its own: no step takes
    /// in a message that is not known.
    pub fn is_certain(&self, mapping: &Mapping) -> bool {
        self.node.is_some()
            && self.steps.iter().all(|step| {
                let mut messages = step.candidates.iter().filter_map(|candidate| {
                    let param = mapping.rules[candidate.rule].message?;
                    Some(candidate.args.iter().find(|(at, _)| *at == param).map(|(_, value)| *value))
                });
                let first = messages.next();
                !step.is_guess && first != Some(None) && messages.all(|message| Some(message) == first)
            })
    }

    /// The demand with the steps that nothing but a guess speaks for, or without them. `None` if it has none.
    pub fn guessed(&self, is_taken: bool) -> Option<Demand> {
        self.steps.iter().any(|step| step.is_guess).then(|| {
            let mut demand = self.clone();
            demand.steps.retain(|step| is_taken || !step.is_guess);
            for step in demand.steps.iter_mut().filter(|step| step.is_guess) {
                step.is_optional = false;
            }
            demand
        })
    }

    /// Takes the values of a demand along to another store.
    pub fn adopt(&mut self, to: &Store, from: &Store, moved: &mut Moved) {
        let mut adopt = |value: &mut Value| *value = to.adopt(*value, from, moved);
        for step in &mut self.steps {
            for candidate in &mut step.candidates {
                candidate.args.iter_mut().for_each(|(_, value)| adopt(value));
            }
            let mut wanted = step.wanted.to_vec();
            wanted.iter_mut().flat_map(|one| &mut one.args).for_each(|(_, value)| adopt(value));
            step.wanted = wanted.into();
        }
        for check in self.before.iter_mut().chain(&mut self.after) {
            check.node.iter_mut().for_each(&mut adopt);
            match &mut check.is {
                Is::Value(value) => adopt(value),
                Is::Grown(_, then) => then.iter_mut().for_each(&mut adopt),
                Is::Same => {}
            }
        }
        self.sent.iter_mut().flatten().for_each(|(_, value)| adopt(value));
        self.message.iter_mut().chain(&mut self.line).for_each(adopt);
    }
}

/// How a variable stores messages. `None` if it stores none.
pub(crate) fn form_of(mapping: &Mapping, variable: usize) -> Option<Form> {
    match &mapping.variables[variable].kind {
        Compared::Messages(form) => Some(*form),
        _ => None,
    }
}
