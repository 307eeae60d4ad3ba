//! Arguments that several verbs share.

use std::path::PathBuf;
use std::time::Duration;

use kilter::load::Input;
use kilter::outside::Access;
use kilter::program::AnswerArgs;
use kilter::shell::quoted;
use kilter::units::{self, Typed};
use kilter_check::Limits;

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

impl InputArgs {
    /// The first words of the command line that repeats a verb.
    pub fn repeat(&self, verb: &str) -> Vec<String> {
        let mut words = vec![format!("kilter {verb} {}", quoted(&self.spec))];
        words.extend(self.config.iter().map(|config| format!("--config {}", quoted(config))));
        words.extend(self.library.iter().map(|folder| format!("--library {}", quoted(folder))));
        words.extend(self.io.allow_io.then(|| "--allow-io".to_owned()));
        words
    }
}

/// Whether specifications may start programs, write files, and read any file.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct IoArgs {
    /// Let the specification run programs, write files and read any file (IOExec, Serialize, CSVWrite and their like)
    #[arg(long)]
    pub allow_io: bool,
}

impl IoArgs {
    /// The access that these arguments allow.
    pub fn access(self) -> Access {
        if self.allow_io { Access::Everything } else { Access::OwnFolder }
    }
}

/// How results are shown.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct OutputArgs {
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub states_max: Option<u64>,
    /// Stop at this depth; initial states have depth 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth_max: Option<u32>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::some_time)]
    pub time_max: Option<Duration>,
    /// Stop at about this much memory, such as 500MB or 8GiB
    #[arg(long, value_name = "SIZE", value_parser = units::typed(units::some_bytes))]
    pub memory_max: Option<Typed<u64>>,
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
        Limits { states_max, depth_max, time_max, memory_max_bytes: memory_max.map(|bytes| bytes.value) }
    }
}
