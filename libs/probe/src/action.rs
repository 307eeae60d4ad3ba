//! An action, as it is shown to the testbed.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value as Json;

/// An action that a node is about to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The name of the action.
    pub name: Cow<'static, str>,
    /// Its arguments, in order. The node itself is known to the testbed and need not be among them.
    pub args: Vec<Json>,
    /// The message that it takes in. It must be equal to what the sender gave to [`Outbox::sent`](crate::Outbox::sent).
    pub message: Option<Json>,
}

impl Action {
    /// Makes an action without arguments and message.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Action {
        Action { name: name.into(), args: Vec::new(), message: None }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, value: impl Serialize) -> Action {
        self.args.push(to_json(&value));
        self
    }

    /// Sets the message that it takes in.
    #[must_use]
    pub fn message(mut self, message: &(impl Serialize + ?Sized)) -> Action {
        self.message = Some(to_json(message));
        self
    }
}

/// Converts a value to JSON. A value that has no JSON form, such as a map whose keys are not strings, becomes a string
/// that says so. The testbed shows it as a difference.
pub fn to_json(value: &(impl Serialize + ?Sized)) -> Json {
    serde_json::to_value(value).unwrap_or_else(|error| not_json(&error))
}

pub(crate) fn not_json(error: &impl std::fmt::Display) -> Json {
    Json::String(format!("not JSON: {error}"))
}
