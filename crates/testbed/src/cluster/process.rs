//! A node's process. It is started in a group of its own, so that it can be stopped, continued, killed and reaped
//! together with its children.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process_group, pidfd_open,
    set_child_subreaper, waitid, waitpgid,
};

/// A process that leads a process group. If it is dropped without [`Process::reap`], it becomes a zombie;
/// [`super::Cluster`] always reaps it.
pub struct Process {
    pid: Pid,
    /// A descriptor that becomes readable when the process ends.
    end: OwnedFd,
}

/// What a process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pulse {
    /// Whether it runs, or would run if it got a processor or its data from the disk.
    pub ready: bool,
    /// The processor time that it has used.
    pub used: Duration,
}

/// The unit in which Linux reports processor time.
const TICK: Duration = Duration::from_millis(10);

/// Makes the children of nodes ours when the nodes are gone, so that they can be reaped. A zombie would still count as
/// alive.
pub fn become_reaper() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

impl Process {
    /// Starts a process whose output goes to a file.
    pub fn start(command: &mut Command, output: &Path) -> io::Result<Process> {
        let output = File::options().create(true).append(true).open(output)?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).process_group(0);
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let end = pidfd_open(pid, PidfdFlags::empty());
        let process = |end| Process { pid, end };
        end.map(process).map_err(|error| {
            // A process whose end cannot be observed cannot be supervised.
            let _ = kill_process_group(pid, Signal::KILL);
            reap_group(pid);
            error.into()
        })
    }

    /// Its process id, which is also the id of its group.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// A descriptor that becomes readable when the process ends.
    pub fn end(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    /// Sends a signal to the process and its children. It is not an error if none is left.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
    }

    /// Stops the process and its children, and waits until the process has stopped. On a busy machine it may run for
    /// many milliseconds after the signal was sent. It is not an error if it has ended.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
        // Linux reports this when the last thread has stopped.
        let options = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(self.pid), options) {}
    }

    /// How the process has ended: its exit code or signal. `None` if it still runs.
    pub fn how_ended(&self) -> Option<String> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.pid), options).ok()??;
        Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}{}", signal_name(signal)),
            (None, None) => "for no known reason".to_owned(),
        })
    }

    /// Whether the process has ended with exit code 0.
    pub fn has_succeeded(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.pid), options).ok().flatten();
        status.is_some_and(|status| status.exit_status() == Some(0))
    }

    /// What the process is doing now. `None` where the system does not say.
    pub(super) fn pulse(&self) -> Option<Pulse> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid.as_raw_nonzero())).ok()?.flatten();
        let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
        stats
            .filter_map(|stat| thread_pulse(&stat))
            .reduce(|all, one| Pulse { ready: all.ready || one.ready, used: all.used + one.used })
    }

    /// Waits for the ends of the process and its children. They must have been killed.
    pub fn reap(self) {
        reap_group(self.pid);
    }
}

fn reap_group(group: Pid) {
    // There is an error as soon as we have no child left in the group.
    while let Ok(_) | Err(Errno::INTR) = waitpgid(group, WaitOptions::empty()) {}
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        6 => ", SIGABRT",
        9 => ", SIGKILL",
        11 => ", SIGSEGV",
        15 => ", SIGTERM",
        _ => "",
    }
}

/// Parses a thread's line of `/proc`. The thread's name is in parentheses and may contain anything.
fn thread_pulse(stat: &str) -> Option<Pulse> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u32>().ok();
    Some(Pulse { ready: matches!(*fields.first()?, "R" | "D"), used: TICK * (ticks(11)? + ticks(12)?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If a suspended node could still run, it would now and then get a message that it must miss.
    #[test]
    fn a_paused_process_does_not_run() {
        let folder = tempfile::tempdir().expect("a directory");
        let busy = |_| {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]);
            Process::start(&mut command, &folder.path().join("output")).expect("a shell")
        };
        let processes: Vec<Process> = (0..8).map(busy).collect();
        let state = |process: &Process| {
            let stat = fs::read_to_string(format!("/proc/{}/stat", process.pid.as_raw_nonzero()));
            stat.expect("a process").rsplit_once(") ").expect("its fields").1.chars().next()
        };
        for _ in 0..5 {
            for process in &processes {
                process.pause();
                assert_eq!(state(process), Some('T'));
                // Pausing a process twice makes no difference.
                process.pause();
                process.signal(Signal::CONT);
            }
        }
        for process in processes {
            process.signal(Signal::KILL);
            process.pause();
            process.reap();
        }
    }

    #[test]
    fn a_thread_is_ready_when_it_runs_or_waits_for_the_disk() {
        let stat =
            |state: &str| format!("7 (a) (b) {state} 1 7 7 0 -1 64 123 0 0 0 5 2 0 0 20 0 1 0 99 31 383\n");
        let used = TICK * 7;
        assert_eq!(thread_pulse(&stat("R")), Some(Pulse { ready: true, used }));
        assert_eq!(thread_pulse(&stat("D")), Some(Pulse { ready: true, used }));
        assert_eq!(thread_pulse(&stat("S")), Some(Pulse { ready: false, used }));
        assert_eq!(thread_pulse("7 (a) R 1"), None);
    }
}
