//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Tells where a distributed system and its design have come apart.
#[derive(Parser, Debug)]
#[command(name = "kilter", version, about)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a TLA+ specification: every reachable state, every step.
    Check(CheckArgs),
}

/// `kilter check`
#[derive(clap::Args, Debug)]
pub struct CheckArgs {
    /// The root module's file.
    pub spec: PathBuf,
    /// The configuration file; SPEC with the ending .cfg if not given.
    #[arg(long, short)]
    pub config: Option<PathBuf>,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    pub workers: usize,
    /// Keep the whole state graph in this file.
    #[arg(long)]
    pub graph: Option<PathBuf>,
    /// Do not report states without successors.
    #[arg(long)]
    pub no_deadlock: bool,
    /// Where else to look for modules.
    #[arg(long)]
    pub library: Vec<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}
