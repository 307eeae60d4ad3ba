//! Arguments of a search on disk.

use std::path::PathBuf;
use std::time::Duration;

use kilter::shell::quoted;
use kilter::units::{self, Typed};

/// The time between two checkpoints, if nobody says.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Where states go that do not fit into memory.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Disk")]
pub struct DiskArgs {
    /// Keep states that do not fit into memory in this folder, and checkpoints to go on from
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    /// Write a checkpoint this often [default: 10m]
    #[arg(long, value_name = "TIME", requires = "disk", value_parser = units::typed(units::duration))]
    pub checkpoint: Option<Typed<Duration>>,
    /// Go on from the last checkpoint in the folder of --disk
    #[arg(long, requires = "disk")]
    pub recover: bool,
    /// Whether all of this was typed as `-recover DIR` of TLC.
    #[arg(skip)]
    pub is_of_tlc: bool,
}

impl DiskArgs {
    /// The time between two checkpoints.
    pub fn checkpoint_every(&self) -> Duration {
        self.checkpoint.as_ref().map_or(CHECKPOINT_EVERY, |every| every.value)
    }

    /// The option that asks for a search on disk, as it was typed.
    pub fn option(&self) -> &'static str {
        if self.is_of_tlc { "-recover" } else { "--disk" }
    }

    /// The words that repeat the search on this disk.
    pub fn repeat(&self) -> Option<String> {
        self.disk.as_ref().map(|folder| format!("--disk {}", quoted(folder)))
    }

    /// The words to go on from a checkpoint, after those that repeat the search.
    pub fn to_go_on(&self) -> String {
        let every = self.checkpoint.as_ref().map(|every| format!(" --checkpoint {every}"));
        format!("{} --recover", every.unwrap_or_default())
    }
}
