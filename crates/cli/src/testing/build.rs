//! Builds the system under test, if the mapping says how.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the command in the folder of the mapping. What it says on the way goes to standard error, for standard output is ours.
pub fn build(command: &[String], folder: &Path) -> Result<(), String> {
    let Some((program, args)) = command.split_first() else { return Ok(()) };
    let said = format!("`{}`", command.join(" "));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let ended = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status()
        .map_err(|error| format!("{said} could not be started: {error}"))?;
    if ended.success() { Ok(()) } else { Err(format!("{said} ended with {ended}")) }
}
