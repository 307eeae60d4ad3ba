//! Shows records of runs on a terminal, as JSON, as JUnit XML, and as one HTML page.
//!
//! - [`record`]  reads lines into a [`Record`], even if the run was killed in the middle of one
//! - [`mod@merge`] makes one record of several
//! - `moved`    a record whose paths begin elsewhere than at its folder
//! - [`mod@shown`] what logs have shown of their specification, and what none has
//! - [`summary`] counts a record: findings by group, confirmed edges by action, rate, waiting
//! - `table`    the lines of a Java system's table that findings are about
//! - [`text`]    for people; [`style`] the styles of the text
//! - [`json`]    for scripts
//! - [`junit`]   for continuous integration
//! - [`page`]    for a browser, in one file
//!
//! Everything here is a function from data to text; `cli` reads and writes the files.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod json;
pub mod junit;
pub mod merge;
mod moved;
pub mod page;
pub mod record;
pub mod shown;
pub mod style;
mod summary;
mod table;
pub mod text;

pub use merge::{Unlike, merge};
pub use record::{Building, Record, RecordError, read, read_on};
pub use summary::{Coverage, Group, Summary, summarize};
