//! The `kilter` command, as a library so that tests can use its parts. What it does is in the crate `kilter` and the
//! crates below. `kilter::program` has the beginning and the end of the process.
//!
//! - [`args`]     the command line
//! - [`tlc`]      the options of TLC, translated into ours
//! - [`commands`] one file for each verb
//! - [`render`]   writes counts and suites as text for people

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod args;
pub mod commands;
pub mod render;
pub mod tlc;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use kilter::Worlds;
use kilter::diagnostics::error_word;
use kilter::program::{self, rim};
use kilter::signals::Signals;

use crate::args::{Args, Command};

/// The exit code of a command line that cannot be read, which is clap's.
const BAD_USAGE: u8 = 2;

/// Runs the whole command.
pub fn run() -> ExitCode {
    rim::begin(|| match tlc::translate(std::env::args_os().collect()) {
        Ok(tlc::Translated { words, notes, recovers }) => {
            for note in notes {
                rim::say(&format!("note: {note}\n"));
            }
            let mut args = Args::parse_from(words);
            if let Command::Check(check) = &mut args.command {
                check.disk.is_of_tlc = recovers;
            }
            of_args(args)
        }
        Err(why) => {
            rim::say(&format!("{}: {why}\n", error_word()));
            ExitCode::from(BAD_USAGE)
        }
    })
}

fn of_args(args: Args) -> ExitCode {
    rim::run(move |signals| of_command(&args.command, signals).map_err(commands::ours))
}

fn of_command(command: &Command, signals: &Signals) -> anyhow::Result<u8> {
    Ok(match command {
        Command::Check(options) => commands::check::run(options, signals)?,
        Command::Simulate(options) => commands::simulate::run(options, signals)?,
        Command::Graph(options) => commands::graph::run(options)?,
        Command::Suite(options) => commands::suite::run(options)?,
        Command::Test(options) => program::test(options, Worlds::default(), signals)?,
        Command::Diff(options) => commands::diff::run(options, signals)?,
        Command::Init(options) => commands::init::run(options)?,
        Command::Map(options) => commands::map::run(options, signals)?,
        Command::Report(options) => commands::report::run(options)?,
        Command::Explore(options) => program::explore(options, Worlds::default(), signals)?,
        Command::Converge(options) => program::converge(options, Worlds::default(), signals)?,
        Command::Follow(options) => commands::follow::run(options, signals)?,
        Command::Campaign(options) => commands::campaign::run(options, signals)?,
        Command::ProbeCheck(options) => commands::probe_check::run(options)?,
        Command::Demo(options) => commands::demo::run(options)?,
        Command::Example(options) => commands::example::run(options, signals)?,
        Command::Completions(options) => commands::completions::run(options, Args::command())?,
        Command::Man(options) => commands::man::run(options, Args::command())?,
    })
}
