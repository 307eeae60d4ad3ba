//! Processes that nodes have started and that have left their process group. When their parents are gone, they become
//! our children. They are recognized by a mark in their environment.

use std::fs;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// Kills all our children that have this mark in their environment, and the children that these leave to us.
pub(super) fn end(mark: &str) {
    loop {
        let strays: Vec<Pid> = children().into_iter().filter(|child| is_marked(*child, mark)).collect();
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            // Either can only fail because the process is gone.
            let _ = kill_process(stray, Signal::KILL);
            let _ = waitpid(Some(stray), WaitOptions::empty());
        }
    }
}

/// The children of this process. Empty where the system does not list them.
fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(pid).collect::<Vec<_>>()).collect()
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

fn is_marked(process: Pid, mark: &str) -> bool {
    let environ = fs::read(format!("/proc/{}/environ", process.as_raw_nonzero())).unwrap_or_default();
    environ.split(|byte| *byte == 0).any(|entry| entry.starts_with(mark.as_bytes()))
}
