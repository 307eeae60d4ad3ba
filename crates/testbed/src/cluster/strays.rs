//! Processes that nodes have started and that have left their process group. They become our children when their parents are gone,
//! and are known by what they have in their environment.

use std::fs;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// Ends all children of ours with this mark in their environment, and the children that they leave to us.
pub(super) fn end(mark: &str) {
    loop {
        let strays: Vec<Pid> = children().into_iter().filter(|child| is_marked(*child, mark)).collect();
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            // Either may fail for one reason only: it is gone.
            let _ = kill_process(stray, Signal::KILL);
            let _ = waitpid(Some(stray), WaitOptions::empty());
        }
    }
}

/// The children of this process; none where the system does not say.
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
