//! `kilter man`: writes manual pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use kilter::error::FINE;
use kilter::program::rim;
use kilter::shell;

/// `kilter man`
#[derive(clap::Args, Clone, Debug)]
pub struct ManArgs {
    /// The folder to write the pages into
    #[arg(value_name = "DIR", default_value = "man")]
    pub folder: PathBuf,
}

/// Writes a page for a command line, and one for each of its verbs. Returns the exit code.
pub fn run(args: &ManArgs, command: clap::Command) -> anyhow::Result<u8> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("the pages cannot be written into {}", folder.display()))?;
    let page = shell::quoted(&folder.join("kilter.1"));
    rim::print(&format!(
        "wrote a page for each verb into {}; read the first with: man -l {page}\n",
        folder.display()
    ))?;
    Ok(FINE)
}
