//! The `kilter` command.

use std::process::ExitCode;

use clap::Parser;
use kilter_cli::args::{Args, Command};
use kilter_cli::{commands, rim};

fn main() -> ExitCode {
    let args = Args::parse();
    rim::run(move || match &args.command {
        Command::Check(options) => commands::check::run(options),
        Command::Simulate(options) => commands::simulate::run(options),
        Command::Graph(options) => commands::graph::run(options),
        Command::Suite(options) => commands::suite::run(options),
        Command::Converge(options) => commands::converge::run(options),
        Command::Example(options) => commands::example::run(options),
        Command::Completions(options) => commands::completions::run(options),
    })
}
