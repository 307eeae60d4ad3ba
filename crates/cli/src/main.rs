//! The `kilter` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kilter_cli::run()
}
