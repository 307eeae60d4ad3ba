//! Arguments of a search by several processes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use kilter::error::SYSTEM_ERROR;
use kilter::program::rim;
use kilter::shell::quoted;
use kilter::show::json;
use kilter::units;
use kilter_check::Share;

use crate::render::summary;

/// The other processes of a search.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Several hosts")]
pub struct HostsArgs {
    /// Search together with other processes; each line of this file is the address of one, such as 10.0.0.1:7400
    #[arg(long, value_name = "FILE", requires = "host", conflicts_with_all = ["graph", "keep_going"])]
    pub hosts: Option<PathBuf>,
    /// Which line of --hosts is this process, from 0; process 0 has the answer
    #[arg(long, value_name = "N", requires = "hosts", value_parser = number)]
    pub host: Option<usize>,
    /// How long to wait for the other processes before the search begins
    #[arg(long, value_name = "TIME", requires = "hosts", default_value = "10m", value_parser = units::some_time)]
    pub hosts_wait: Duration,
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it should be the number of a line of --hosts, from 0".to_owned())
}

impl HostsArgs {
    /// The file and the number of this process.
    pub fn given(&self) -> Option<(&PathBuf, usize)> {
        self.hosts.as_ref().zip(self.host)
    }

    /// The words that repeat the search as this process.
    pub fn repeat(&self) -> Option<String> {
        self.given().map(|(file, me)| format!("--hosts {} --host {me}", quoted(file)))
    }
}

/// Says what a process has had that does not have the answer. Returns the exit code.
pub fn told(me: usize, share: &Share, wants_json: bool) -> Result<u8> {
    rim::print(&if wants_json {
        format!("{}\n", serde_json::json!({ "host": me, "share": json::share(share) }))
    } else {
        format!("{}process 0 has the answer\n", summary::share(me, share))
    })?;
    Ok(if share.disk_trouble.is_some() { SYSTEM_ERROR } else { 0 })
}
