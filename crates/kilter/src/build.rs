//! Builds the system under test, if `[system]` says how.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "runs the build command of a configuration, whose output goes where ours does"
)]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use kilter_system::System;
use kilter_testbed::cluster::Guard;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::{Context as _, Interrupted, NotBuilt, Tried};
use crate::host::{Host, Watch};
use crate::signals::Signals;

/// How often the end of the build is checked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Builds the system in the folder of its configuration. What the command says goes to standard error, for standard output is ours.
pub(crate) fn build(system: &System, folder: &Path, host: &mut Host) -> Tried<()> {
    if let Some(program) = system.command().first().filter(|_| system.build().is_empty())
        && is_missing(program, system, folder)
    {
        host.watch.say(&format!(
            "note: there is no program `{program}`: build it first, or say in [system] what builds it, such as \
             build = [\"make\"]\n"
        ));
    }
    let built = run(system.build(), folder, &host.signals, &mut *host.watch)?;
    Ok(built.map_err(NotBuilt)?)
}

/// Whether there is no such program for the nodes, as far as that is known before one is started.
fn is_missing(program: &str, system: &System, folder: &Path) -> bool {
    let program = program.replace("{dir}", ".");
    if program.contains('{') {
        return false;
    }
    if program.contains('/') {
        return !Path::new(&program).exists() && !folder.join(&program).exists();
    }
    let own_path = system.env().any(|(name, _)| name == "PATH");
    let path = std::env::var_os("PATH").unwrap_or_default();
    !own_path && !std::env::split_paths(&path).any(|folder| folder.join(&program).is_file())
}

/// Why the command failed, if it did.
fn run(
    command: &[String],
    folder: &Path,
    signals: &Signals,
    watch: &mut dyn Watch,
) -> Tried<Result<(), String>> {
    let Some((program, args)) = command.split_first() else { return Ok(Ok(())) };
    let said = format!("`{}`", command.join(" "));
    // Whoever runs somebody else's configuration should see what it runs.
    watch.say(&format!("building the system: {}\n", command.join(" ")));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // An interrupt has to end the build too.
    let _patience = signals.patience();
    let scratch = tempfile::Builder::new().prefix("kilter-").tempdir().context("a folder for the guard")?;
    let mut guard = Guard::start(scratch.path()).context("a guard for the build")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(io::stderr()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Err(format!("{said} could not be started: {error}"))),
    };
    guard.watch([Pid::from_child(&child)].into_iter());
    let ended = wait(&mut child, signals)?;
    Ok(if ended.success() { Ok(()) } else { Err(format!("{said} ended with {ended}")) })
}

fn wait(child: &mut Child, signals: &Signals) -> Tried<ExitStatus> {
    loop {
        if let Some(ended) = child.try_wait()? {
            return Ok(ended);
        }
        if signals.are_raised() {
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            child.wait()?;
            return Err(Interrupted.into());
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Silent;

    fn run(command: &[&str]) -> Result<(), String> {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        super::run(&command, Path::new(""), &Signals::unheard(), &mut Silent).expect("nobody interrupts")
    }

    #[test]
    fn a_build_that_fails_says_which() {
        assert_eq!(run(&[]), Ok(()));
        assert_eq!(run(&["true"]), Ok(()));
        assert_eq!(run(&["sh", "-c", "exit 7"]), Err("`sh -c exit 7` ended with exit status: 7".to_owned()));
        assert!(run(&["no-such-program"]).is_err_and(|why| why.contains("could not be started")));
    }
}
