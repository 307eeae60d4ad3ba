//! The processes that a node has started and that have left its process group, as those of PostgreSQL and Erlang do.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpgid, kill_process, waitpid};

/// How often, and with which pause, we look whether a process stands still.
const LOOKS_MAX: usize = 2000;
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// The descendants of a process that are not in its group. Empty where the system does not list them.
pub(crate) fn of(leader: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut parents = vec![leader];
    while let Some(parent) = parents.pop() {
        for child in children(parent) {
            parents.push(child);
            if getpgid(Some(child)).is_ok_and(|group| group != leader) {
                found.push(child);
            }
        }
    }
    found
}

/// Sends a signal to all of them. It is not an error if some are gone.
pub(crate) fn signal(kin: &[Pid], signal: Signal) {
    for one in kin {
        let _ = kill_process(*one, signal);
    }
}

/// Stops the descendants of a process that has stopped, and waits until they have stopped. They are not our children,
/// so we have to look. Returns them.
pub(crate) fn pause(leader: Pid) -> Vec<Pid> {
    let mut paused = Vec::new();
    loop {
        let kin = of(leader);
        // Those that still ran may have started others.
        if kin == paused {
            return kin;
        }
        signal(&kin, Signal::STOP);
        for one in &kin {
            let runs = || matches!(state(*one), Some(state) if !"TtZX".contains(state));
            let _ = (0..LOOKS_MAX).take_while(|_| runs()).map(|_| thread::sleep(LOOK_PAUSE)).count();
        }
        paused = kin;
    }
}

/// Waits for the ends of those that were killed. They are our children now, because their parents have been reaped.
pub(crate) fn reap(kin: &[Pid]) {
    for one in kin {
        // It can only fail because somebody else has reaped it.
        let _ = waitpid(Some(*one), WaitOptions::empty());
    }
}

fn children(parent: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", parent.as_raw_nonzero())).into_iter().flatten();
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pid = |text: &str| Pid::from_raw(text.parse().ok()?);
    lists.flat_map(|list| list.split_whitespace().filter_map(pid).collect::<Vec<_>>()).collect()
}

/// The state of a process, as in its line of `/proc`.
fn state(process: Pid) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}
