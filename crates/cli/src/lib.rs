//! The `kilter` command, as a library so that tests can use its parts. What it does is in the crate `kilter` and those below.
//!
//! - [`args`]     the command line; `units` reads durations and sizes
//! - [`rim`]      where the process begins and ends: panics, signals, standard streams
//! - [`commands`] one file a verb
//! - [`testing`]  what `kilter test`, `map` and `init` are made of; [`worlds`] systems that are linked in
//! - [`changing`] what `kilter diff` is made of
//! - [`exploring`] what `kilter explore` is made of
//! - [`running`]  cases of any method: options, progress, answer
//! - [`progress`] how far a search is, on a terminal
//! - [`verdict`]  verdicts as words, sentences and exit codes
//! - [`render`]   everything as text for people
//! - [`json`], [`itf`] everything for scripts and other tools

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod args;
pub mod changing;
pub mod commands;
pub mod exploring;
pub mod itf;
pub mod json;
pub mod progress;
pub mod render;
pub mod rim;
pub mod running;
pub mod testing;
mod units;
pub mod verdict;
pub mod worlds;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
pub use crate::worlds::Worlds;

/// The whole command, with systems that are linked in; what `main` of a program with such systems calls.
pub fn run_with(worlds: Worlds) -> ExitCode {
    rim::begin(|| of_args(Args::parse(), worlds))
}

fn of_args(args: Args, worlds: Worlds) -> ExitCode {
    rim::run(move |signals| match &args.command {
        Command::Check(options) => commands::check::run(options, signals),
        Command::Simulate(options) => commands::simulate::run(options, signals),
        Command::Graph(options) => commands::graph::run(options),
        Command::Suite(options) => commands::suite::run(options),
        Command::Test(options) => commands::test::run(options, &worlds, signals),
        Command::Diff(options) => commands::diff::run(options, signals),
        Command::Init(options) => commands::init::run(options),
        Command::Map(options) => commands::map::run(options),
        Command::Report(options) => commands::report::run(options),
        Command::Explore(options) => commands::explore::run(options, &worlds, signals),
        Command::Converge(options) => commands::converge::run(options, signals),
        Command::Example(options) => commands::example::run(options, signals),
        Command::Completions(options) => commands::completions::run(options),
    })
}
