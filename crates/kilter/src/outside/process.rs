//! A program that a specification runs: in a process group of its own, which ends with the search, and with this process.

#![expect(clippy::disallowed_types, reason = "runs programs for IOExec, if it is allowed to")]

use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before looking again whether the search is to end.
const PAUSE_MAX: Duration = Duration::from_millis(20);
/// A program that runs longer than this is worth somebody who ends it if this process is killed.
const GUARDED_AFTER: Duration = Duration::from_millis(200);

/// What the shell does that guards a program. The end of its input is the end of this process.
const GUARD: &str = "trap '' INT TERM HUP QUIT; while read -r _; do :; done; kill -9 \"-$1\"";

/// What a program left when it ended by itself.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Runs a program to its end, or until `is_due`: then it is killed, with all that it has started, and `None` is the answer.
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
        // It is not waited for if the program is killed: somebody who has left the group may still have the pipe.
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

/// A program with what it has started. Whoever drops it before it has ended kills it.
struct Group {
    leader: Child,
    guard: Option<Child>,
    started: Instant,
}

impl Group {
    /// Waits for the program, which need not end when its output does.
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

    /// Has somebody wait for the end of this process who will then kill the program, if that runs for long.
    fn guard(&mut self) {
        if self.guard.is_some() || self.started.elapsed() < GUARDED_AFTER {
            return;
        }
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", GUARD, "kilter-guard", &self.leader.id().to_string()]).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        shell.process_group(0);
        // Without one, all is well unless we are killed.
        self.guard = shell.spawn().ok();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            // It must not act later, when the number may be another program's.
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
