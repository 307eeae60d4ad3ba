//! `kilter completions`

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::rim;

/// Prints a completion script.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "kilter", &mut script);
    rim::print(&String::from_utf8(script)?)?;
    Ok(0)
}
