//! The `kilter` command.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

use std::process::ExitCode;

fn main() -> ExitCode {
    kilter_cli::run()
}
