//! Shows the result of a search: as text for people, as JSON for scripts. Styles are always in the text; whoever prints it
//! removes them where they do not belong.
//!
//! - [`trace`]       a behavior, step by step
//! - [`lasso`]       how a behavior goes on forever
//! - `bound`         counters of the model that forbid what a log has
//! - [`difference`]  what changed between two values
//! - [`reason`]      why a formula is false, and why an action is not enabled
//! - [`follow`]      whether a log is a behavior, and why not
//! - `lanes`         the steps of a log with their nodes and messages, as a page draws them
//! - [`failure`]     evaluation errors: the expression and the chain of operators around it
//! - [`json`]        all of it as one JSON object

mod bound;
mod difference;
pub mod failure;
pub mod follow;
pub mod json;
pub(crate) mod lanes;
pub mod lasso;
pub mod reason;
pub mod trace;
