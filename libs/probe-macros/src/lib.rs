//! The macros of kilter-probe, which documents and re-exports them.
//!
//! - `action`    wraps a function so that it is offered before it runs
//! - `variables` implements `Variables` for a struct

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod action;
mod variables;

use proc_macro::TokenStream;

/// Marks a function or method as an action. It waits until the testbed lets it go, and reports when it is done.
///
/// ```text
/// #[action("BecomeLeader", args(self.id))]
/// fn become_leader(&mut self) { … }
///
/// #[action("HandleVote", args(self.id), message = vote)]
/// async fn handle_vote(&mut self, vote: Vote) -> Result<(), Error> { … }
/// ```
///
/// - `args(…)`: the arguments of the action;
/// - `message = EXPR`: the message that it takes in, equal to what the sender gave to `Probe::sent`. If the testbed
///   lets the message come twice, the body runs twice, and the second result is returned; parameters that are taken by
///   value are cloned for that;
/// - `dropped = EXPR`: the result if the testbed drops the message, and the body is skipped. The default is the default
///   of the type;
/// - `report = EXPR`: what holds the variables. The default is `self` for methods that borrow it, and nothing but
///   shadows for others;
/// - `probe = EXPR`: the probe. The default is `Probe::global()`.
///
/// A `return` or `?` in the body leaves the body, and the action is reported as done. A function that returns a borrow
/// of its parameters can't be marked; use `Probe::action` inside of it. Without the feature `controlled`, the function
/// stays as it is.
#[proc_macro_attribute]
pub fn action(attribute: TokenStream, item: TokenStream) -> TokenStream {
    action::expand(attribute.into(), item.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `Variables` for a struct. The trait documents the attributes of fields.
#[proc_macro_derive(Variables, attributes(variable, variables))]
pub fn variables(item: TokenStream) -> TokenStream {
    variables::expand(item.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
