//! The formats of a test run that are written to disk, with their versions.
//!
//! - [`run`] the record of a run of `kilter test`: a header, then one event a line

pub mod run;

pub use run::{
    Carried, Difference, Event, FORMAT, Finding, FindingKind, Group, Header, Offered, Step, VERSION,
};
