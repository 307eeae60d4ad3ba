//! Arguments of a search by several processes.

use std::path::PathBuf;

use anyhow::Result;
use kilter::program::rim;
use kilter_check::Share;

use crate::render::summary;

/// The other processes of a search.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Several hosts")]
pub struct HostsArgs {
    /// Search together with other processes; each line of this file is the address of one, such as 10.0.0.1:7400
    #[arg(long, value_name = "FILE", requires = "host", conflicts_with_all = ["graph", "keep_going"])]
    pub hosts: Option<PathBuf>,
    /// Which line of --hosts is this process, from 0; process 0 has the answer
    #[arg(long, value_name = "N", requires = "hosts")]
    pub host: Option<usize>,
}

impl HostsArgs {
    /// The file and the number of this process.
    pub fn given(&self) -> Option<(&PathBuf, usize)> {
        self.hosts.as_ref().zip(self.host)
    }
}

/// Says what a process has had that does not have the answer. Returns the exit code.
pub fn told(me: usize, share: Share, json: bool) -> Result<u8> {
    let Share { states, memory_bytes, sent_bytes } = share;
    rim::print(&if json {
        let share =
            serde_json::json!({ "states": states, "memory_bytes": memory_bytes, "sent_bytes": sent_bytes });
        format!("{}\n", serde_json::json!({ "host": me, "share": share }))
    } else {
        format!("{}process 0 has the answer\n", summary::share(me, share))
    })?;
    Ok(0)
}
