//! Builds the system under test, if the mapping says how.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::rim;

/// Runs the command in the folder of the mapping. What it says on the way goes to standard error, for standard output is ours.
pub fn build(command: &[String], folder: &Path) -> Result<(), String> {
    let Some((program, args)) = command.split_first() else { return Ok(()) };
    let said = format!("`{}`", command.join(" "));
    // Whoever runs somebody else's mapping should see what it runs.
    rim::say(&format!("building the system: {}\n", command.join(" ")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(command: &[&str]) -> Result<(), String> {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        build(&command, Path::new(""))
    }

    #[test]
    fn a_build_that_fails_says_which() {
        assert_eq!(run(&[]), Ok(()));
        assert_eq!(run(&["true"]), Ok(()));
        assert_eq!(run(&["sh", "-c", "exit 7"]), Err("`sh -c exit 7` ended with exit status: 7".to_owned()));
        assert!(run(&["no-such-program"]).is_err_and(|why| why.contains("could not be started")));
    }
}
