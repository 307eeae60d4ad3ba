//! One search by several processes. Each has the states that belong to it by their content, explores them, and gives
//! their successors to the processes that these belong to. All go through the levels together, in rounds.
//!
//! - [`exchange`] how processes give each other bytes, as the caller provides it
//! - [`owner`]    the process that a state belongs to, and what a step has changed
//! - [`parcel`]   successors as bytes
//! - [`lately`]   the states that have gone to another process before
//! - [`fresh`]    the new states of the next level, each with its first way in
//! - [`order`]    the order of a level, which is that of a search by one process
//! - [`close`]    the end of a level
//! - [`tidy`]     values that are not needed are dropped
//! - [`young`]    where those begin that may be
//! - [`keep`]     checkpoints of all processes
//! - [`end`]      how a search ends
//! - [`news`]     what each process tells all others in a round
//! - [`search`]   the levels
//! - [`together`] a search from its beginning to its end
//! - [`ending`]   the behavior that leads to a violation, brought together in the first process

mod close;
mod end;
mod ending;
mod exchange;
mod fresh;
mod keep;
mod lately;
mod news;
mod order;
mod owner;
mod parcel;
mod search;
mod tidy;
mod together;
mod young;

pub use exchange::{Exchange, Lost};
pub(crate) use keep::open;

use kilter_eval::Program;
use kilter_value::Garbled;

use crate::disk::Unfit;
use crate::options::Options;
use crate::outcome::Share;
use crate::stop::temporal_names;

/// The most processes of a search.
pub const PROCESSES_MAX: usize = 255;

/// What one of the processes of a search gets.
#[derive(Debug)]
pub enum Part<A> {
    /// The first one gets the answer.
    First(A),
    /// Any other one has had its share.
    Other(Share),
}

/// Why a search by several processes did not begin, or has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A process is gone.
    #[error("{0}{how}", how = to_go_on(*.1))]
    Lost(Lost, Option<u64>),
    /// This process's files can't be used.
    #[error(transparent)]
    Disk(#[from] Unfit),
    /// A process has written what this one can't read.
    #[error("process {0} has sent what this process cannot read; all must be of the same version of kilter")]
    Garbled(usize),
    /// This kind of search is not shared.
    #[error("a search on several hosts {0}")]
    Unfit(String),
    /// Strings that are made during the search have other numbers, and so another order, in each process.
    #[error(
        "the specification makes strings that it does not contain, which a search on several hosts cannot have in one order; leave out --hosts"
    )]
    Strings,
}

impl From<Lost> for Trouble {
    fn from(lost: Lost) -> Trouble {
        Trouble::Lost(lost, None)
    }
}

/// How a search that has a checkpoint can go on.
fn to_go_on(checkpoint: Option<u64>) -> String {
    checkpoint.map_or_else(String::new, |n_states| {
        format!("; start all processes again with --recover: this one goes on from {n_states} of its states")
    })
}

/// Whether a search can be shared by so many processes.
pub fn fits(program: &Program, options: &Options, n_processes: usize) -> Result<(), Trouble> {
    let temporal = temporal_names(program);
    let names = || temporal.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let reason = if n_processes > PROCESSES_MAX {
        format!("has at most {PROCESSES_MAX} processes; leave out some of them")
    } else if !temporal.is_empty() {
        format!(
            "does not check temporal properties ({}); leave out --hosts, or take them out of the configuration",
            names()
        )
    } else if options.graph {
        "keeps no graph; leave out --hosts or --graph".to_owned()
    } else if options.keep_going {
        "ends with the first violation; leave out --hosts or --continue".to_owned()
    } else if program.view.is_some() || !program.symmetry.is_empty() {
        "does not know VIEW and SYMMETRY; leave out --hosts, or take them out of the configuration".to_owned()
    } else if program.sequential || program.asks_behavior {
        "evaluates in another order in each process, and the specification uses operators whose results depend on that, \
         such as TLCSet, ToString, RandomElement and Trace; leave out --hosts"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(Trouble::Unfit(reason))
}

/// Says which process has written what can't be read.
fn from_process<T>(process: usize, read: Result<T, Garbled>) -> Result<T, Trouble> {
    read.map_err(|Garbled| Trouble::Garbled(process))
}
