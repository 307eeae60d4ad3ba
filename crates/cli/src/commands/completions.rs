//! `kilter completions`

use kilter::program::rim;

/// `kilter completions`
#[derive(clap::Args, Clone, Debug)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints a completion script for a command line.
pub fn run(args: &CompletionsArgs, mut command: clap::Command) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kilter", &mut script);
    rim::print(&String::from_utf8(script)?)?;
    Ok(0)
}
