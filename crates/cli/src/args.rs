//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use kilter::load::Input;
use kilter::outside::Access;
use kilter_check::Limits;

use crate::commands::converge::ConvergeArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::explore::ExploreArgs;
use crate::commands::graph::GraphArgs;
use crate::commands::init::InitArgs;
use crate::commands::map::MapArgs;
use crate::commands::report::ReportArgs;
use crate::commands::suite::SuiteArgs;
use crate::commands::test::TestArgs;
use crate::units;

/// Tells where a distributed system and its design have come apart
#[derive(Parser, Debug)]
#[command(name = "kilter", version, about, subcommand_required = true, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a TLA+ specification: every reachable state, every step
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Check random behaviors of a TLA+ specification
    #[command(
        after_help = "The same seed gives the same behaviors. Finding nothing is never a proof: the verdict \
                            is then `bounded`.\nExit codes are those of `kilter check`."
    )]
    Simulate(SimulateArgs),
    /// Look at a state graph, or exchange it with other tools
    Graph(GraphArgs),
    /// Make a test suite from a state graph: few tests, few steps, with proof
    #[command(after_help = SUITE_HELP)]
    Suite(SuiteArgs),
    /// Drive a system along its specification, and compare the two after every step
    #[command(after_help = TEST_HELP)]
    Test(TestArgs),
    /// Tell which steps a change touches, and make the tests for them
    #[command(after_help = DIFF_HELP)]
    Diff(DiffArgs),
    /// Write a first draft of the mapping between a specification and a system
    Init(InitArgs),
    /// Check a mapping against its specification, without starting anything
    Map(MapArgs),
    /// Show what a test run has found: as text, JSON, JUnit XML, or a page for a browser
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Run a system under every order of its events, with faults where they hurt: is it safe, does it still reach its goal?
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArgs),
    /// Drive a replicated store apart and back together: do the replicas agree again?
    #[command(after_help = CONVERGE_HELP)]
    Converge(ConvergeArgs),
    /// Check a small built-in specification with a bug in its design
    Example(ExampleArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

const CHECK_HELP: &str = "\
Exit codes:
    0  nothing wrong: all holds, or a limit was reached (the verdict is then `bounded`, not `ok`)
   10  an ASSUME or a POSTCONDITION is false
   11  deadlock
   12  an invariant is violated
   13  a property is violated
   14  an Assert failed
   75  something could not be evaluated
  130  interrupted
  150  the specification has errors
  151  the configuration has errors
  141  nobody reads the answer any more
  153  a file or the answer could not be read or written, or Kilter has a bug";

const SUITE_HELP: &str = "\
Exit codes:
    0  a suite was made
    2  the graph, the suite or the goal cannot be used";

const TEST_HELP: &str = "\
Exit codes:
    0  the system does what the specification says
    1  findings
    2  the mapping, the specification or the suite cannot be used
    3  the system could not be run
  130  interrupted";
const DIFF_HELP: &str = "\
Exit codes:
    0  compared; with --exit-code: nothing has to be tested
    1  with --exit-code: something has to be tested
    2  one of the versions cannot be used
  130  interrupted";
const REPORT_HELP: &str = "\
Exit codes:
    0  every case that was run has passed
    1  there are findings
    2  the record cannot be read, or a report not written";
const EXPLORE_HELP: &str = "\
Exit codes:
    0  nothing wrong was found
    1  there are findings
    2  the configuration or an option cannot be used
    3  the system could not be run
  130  interrupted";
const CONVERGE_HELP: &str = "\
Exit codes:
    0  after every schedule that was run, the replicas agreed again
    1  there are findings
    2  the configuration or a schedule cannot be used
    3  the system could not be run
  130  interrupted";

/// Where the specification is.
#[derive(clap::Args, Clone, Debug)]
pub struct InputArgs {
    /// The root module's file
    #[arg(value_name = "SPEC.tla")]
    pub spec: PathBuf,
    /// The configuration [default: SPEC.cfg]
    #[arg(long, short, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Look for modules here too; may be repeated
    #[arg(long, value_name = "DIR")]
    pub library: Vec<PathBuf>,
    /// What the specification may do with files and programs.
    #[command(flatten)]
    pub io: IoArgs,
}

/// Whether specifications may start programs, write files, and read any file.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct IoArgs {
    /// Let the specification run programs, write files and read any file (IOExec, Serialize, CSVWrite and their like)
    #[arg(long)]
    pub allow_io: bool,
}

impl IoArgs {
    /// The same for the library.
    pub fn access(self) -> Access {
        if self.allow_io { Access::Everything } else { Access::OwnFolder }
    }
}

/// How results are shown.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct OutputArgs {
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
    /// Show all variables in every state of a trace, not only what changed
    #[arg(long)]
    pub full_trace: bool,
    /// Write the trace to this file, in the Informal Trace Format
    #[arg(long, value_name = "FILE")]
    pub itf: Option<PathBuf>,
}

/// Where to stop.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Stop after about this many distinct states
    #[arg(long, value_name = "N")]
    pub states_max: Option<u64>,
    /// Stop at this depth; initial states have depth 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth_max: Option<u32>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time_max: Option<Duration>,
    /// Stop at about this much memory, such as 500MB or 8GiB
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory_max: Option<u64>,
}

/// `kilter check`
#[derive(clap::Args, Clone, Debug)]
pub struct CheckArgs {
    /// Where the specification is.
    #[command(flatten)]
    pub input: InputArgs,
    /// Number of threads; counts, verdicts and traces do not depend on it
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = workers)]
    pub workers: usize,
    /// Do not report states without successors
    #[arg(long)]
    pub no_deadlock: bool,
    /// Keep all states and transitions in this file
    #[arg(long, value_name = "OUT")]
    pub graph: Option<PathBuf>,
    /// The seed of random choices in the specification
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// How results are shown.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Where to stop.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `kilter simulate`
#[derive(clap::Args, Clone, Debug)]
pub struct SimulateArgs {
    /// Where the specification is.
    #[command(flatten)]
    pub input: InputArgs,
    /// How many behaviors to try
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub behaviors: u64,
    /// How many states a behavior has at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Another seed, other behaviors
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Do not report states without successors
    #[arg(long)]
    pub no_deadlock: bool,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time_max: Option<Duration>,
    /// How results are shown.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `kilter example`
#[derive(clap::Args, Clone, Debug)]
pub struct ExampleArgs {
    /// Check the repaired design instead
    #[arg(long)]
    pub fixed: bool,
    /// Write the specification and its configurations into this folder instead of checking them
    #[arg(long, value_name = "DIR", conflicts_with = "fixed")]
    pub save: Option<PathBuf>,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// `kilter completions`
#[derive(clap::Args, Clone, Debug)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

impl From<&InputArgs> for Input {
    fn from(args: &InputArgs) -> Self {
        let InputArgs { spec, config, library, io } = args.clone();
        Input { spec, config, library, access: io.access() }
    }
}

impl From<&LimitArgs> for Limits {
    fn from(args: &LimitArgs) -> Self {
        let LimitArgs { states_max, depth_max, time_max, memory_max } = args.clone();
        Limits { states_max, depth_max, time_max, memory_max_bytes: memory_max }
    }
}

fn workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err("a number from 1 to 256 is expected".to_owned()),
    }
}
