//! The `kilter` command.

use std::process::ExitCode;

use kilter_cli::{Worlds, run_with};

fn main() -> ExitCode {
    run_with(Worlds::default())
}
