//! Runs a program for a specification, in a process group of its own. The group ends with the search, and with this
//! process.

#![expect(clippy::disallowed_types, reason = "runs programs for IOExec, if it is allowed to")]

use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest pause between two checks whether the search must end.
const PAUSE_MAX: Duration = Duration::from_millis(20);
/// A program that runs longer than this gets a guard, which kills it if this process is killed.
const GUARDED_AFTER: Duration = Duration::from_millis(200);

/// The script of the guard. When its input ends, this process has ended.
const GUARD: &str = "trap '' INT TERM HUP QUIT; while read -r _; do :; done; kill -9 \"-$1\"";

/// The result of a program that ended by itself.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Runs a program to its end. If `is_due` becomes true before, the program is killed with everything that it has
/// started, and the result is `None`.
pub(super) fn run(command: &mut Command, is_due: &dyn Fn() -> bool) -> io::Result<Option<Output>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let mut group = Group { leader: command.spawn()?, guard: None, started: Instant::now() };
    let (sender, receiver) = mpsc::channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        group.leader.stdout.take().map(|pipe| Box::new(pipe) as _),
        group.leader.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    for (index, mut pipe) in pipes.into_iter().flatten().enumerate() {
        let sender = sender.clone();
        // The thread is not waited for if the program is killed, because a process that has left the group may still
        // hold the pipe.
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.read_to_end(&mut bytes).map(|_| bytes);
            let _ = sender.send((index, read));
        });
    }
    let mut texts = [Vec::new(), Vec::new()];
    for _ in 0..texts.len() {
        let (index, read) = loop {
            match receiver.recv_timeout(PAUSE_MAX) {
                Ok(read) => break read,
                Err(RecvTimeoutError::Timeout) if is_due() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => group.guard(),
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        };
        texts[index] = read?;
    }
    let status = group.wait(is_due)?;
    let [stdout, stderr] = texts;
    Ok(status.map(|status| Output { status, stdout, stderr }))
}

/// A program and everything that it has started. Dropping it kills them if the program has not ended.
struct Group {
    leader: Child,
    guard: Option<Child>,
    started: Instant,
}

impl Group {
    /// Waits for the end of the program, which may come later than the end of its output.
    fn wait(&mut self, is_due: &dyn Fn() -> bool) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self.leader.try_wait()? {
                return Ok(Some(status));
            }
            if is_due() {
                return Ok(None);
            }
            self.guard();
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSE_MAX);
        }
    }

    /// Starts a guard if the program runs for long. The guard kills the program when this process ends.
    fn guard(&mut self) {
        if self.guard.is_some() || self.started.elapsed() < GUARDED_AFTER {
            return;
        }
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", GUARD, "kilter-guard", &self.leader.id().to_string()]).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        shell.process_group(0);
        // The guard is only needed if this process is killed, so an error is ignored.
        self.guard = shell.spawn().ok();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            // The guard must not act later, when the group's id may belong to another program.
            let _ = guard.kill();
            let _ = guard.wait();
        }
        if !matches!(self.leader.try_wait(), Ok(Some(_))) {
            #[cfg(unix)]
            let _ = rustix::process::kill_process_group(
                rustix::process::Pid::from_child(&self.leader),
                rustix::process::Signal::KILL,
            );
            let _ = self.leader.kill();
            let _ = self.leader.wait();
        }
    }
}
