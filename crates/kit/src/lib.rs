//! Checks a probe in any language: plays the testbed against a small sample node, and says what it does wrong. `docs/protocol.md` says
//! what the sample node does.
//!
//! - [`checks`] what is checked, one function each
//! - [`trace`]  one of them: what a node writes when nobody is in control
//! - [`clocks`] another: vector clocks in messages and traces
//! - [`sample`] the node, as the kit starts it and talks with it
//! - [`ledger`] what a node has said, and the rules for every line
//! - [`link`]   the connection

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod checks;
mod clocks;
mod ledger;
mod link;
mod sample;
mod trace;

use std::io;
use std::time::Duration;

pub use kilter_testbed::Control;

use crate::checks::CHECKS;
use crate::sample::{Fault, Sample};

/// How much of a conversation is kept.
const LINES_MAX: usize = 12;

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The probe does it right.
    Passed,
    /// The node does not promise this, so that nothing is to be checked.
    LeftOut(&'static str),
    /// The probe does it wrong.
    Failed(Failure),
}

/// What a probe does wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it is.
    pub wrong: String,
    /// The last lines before: `>` is what the node said, `<` what it was told.
    pub conversation: Vec<String>,
    /// What the node has printed.
    pub printed: String,
}

/// The names of all checks, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(name, _)| *name)
}

/// Checks the probe of the sample node that this command starts: all checks whose name is `wanted`. Tells each verdict as soon as it is
/// known. An error is one of the kit: the command can't be started.
pub fn run(
    command: &[String],
    control: Control,
    patience: Duration,
    wanted: impl Fn(&str) -> bool,
    mut tell: impl FnMut(&'static str, Verdict),
) -> io::Result<()> {
    let mut sample = Sample::new(command, control, patience)?;
    for (name, check) in CHECKS.iter().filter(|(name, _)| wanted(name)) {
        let verdict = match check(&mut sample) {
            Ok(()) => Verdict::Passed,
            Err(Fault::LeftOut(why)) => Verdict::LeftOut(why),
            Err(Fault::Trouble(error)) => return Err(error),
            Err(Fault::Wrong(wrong)) => {
                let lines = sample.conversation();
                let conversation = lines[lines.len().saturating_sub(LINES_MAX)..].to_vec();
                Verdict::Failed(Failure { wrong, conversation, printed: sample.printed() })
            }
        };
        sample.end();
        tell(name, verdict);
    }
    Ok(())
}
