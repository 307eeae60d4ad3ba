//! Arguments of a search on disk.

use std::path::PathBuf;
use std::time::Duration;

use kilter::shell::quoted;
use kilter::units;

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
    #[arg(long, value_name = "TIME", requires = "disk", value_parser = units::duration)]
    pub checkpoint: Option<Duration>,
    /// Go on from the last checkpoint in the folder of --disk
    #[arg(long, requires = "disk")]
    pub recover: bool,
}

impl DiskArgs {
    /// The time between two checkpoints.
    pub fn checkpoint_every(&self) -> Duration {
        self.checkpoint.unwrap_or(CHECKPOINT_EVERY)
    }

    /// The words to go on from a checkpoint, after those that repeat the search.
    pub fn to_go_on(&self) -> String {
        let folder = self.disk.as_ref().map(|folder| format!(" --disk {}", quoted(folder)));
        format!("{} --recover", folder.unwrap_or_default())
    }
}
