//! The `kilter` command.

use std::process::ExitCode;

use clap::Parser;

mod args;
mod check;
mod load;

fn main() -> ExitCode {
    match args::Args::parse().command {
        args::Command::Check(options) => check::run(&options),
    }
}
