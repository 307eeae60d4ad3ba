//! Each bug is found by the quorum model alone, and the store without bugs agrees again after every schedule.

mod common;

use std::fs;

use common::play;

/// The shortest schedule that shows the bug, and shows it again. Who leads first is up to the processes, so a finding may not come again
/// when its schedule is run a second time; all schedules are then run once more.
fn shortest(ops: u8, bug: &str) -> String {
    let find = || {
        let entries = play(ops, Some(bug), None);
        let found = entries.iter().filter_map(|entry| entry.finding.as_ref());
        let stable = found.filter(|finding| finding.stable && finding.kind == "differ");
        stable.map(|finding| finding.shrunk.clone()).min_by_key(String::len)
    };
    (0..4).find_map(|_| find()).expect("the bug is found")
}

#[test]
fn without_a_bug_all_is_well() {
    for entry in play(2, None, None) {
        assert!(entry.finding.is_none() && entry.not_run.is_none(), "{entry:#?}");
    }
}

#[test]
fn what_the_nodes_leave_behind_is_kept() {
    let folder = tempfile::tempdir().expect("a directory");
    let entries = play(1, Some("incomplete-log"), Some(folder.path()));
    let found: Vec<_> = entries.iter().filter_map(|entry| entry.finding.as_ref()).collect();
    assert!(!found.is_empty(), "{entries:#?}");
    for finding in found {
        let kept = finding.kept.as_ref().expect("a directory");
        let about = fs::read_to_string(kept.join("about.txt")).expect("what was run");
        assert_eq!(about, format!("{}\n{}: {}\n", finding.shrunk, finding.kind, finding.what));
        for name in ["A", "B", "C"] {
            let n_files = fs::read_dir(kept.join(name)).expect("a node's files").count();
            assert!(n_files > 0 && kept.join(format!("{name}.output")).is_file(), "{name} in {kept:?}");
        }
    }
}

#[test]
fn an_incomplete_log_takes_one_write() {
    assert_eq!(shortest(1, "incomplete-log").matches("write=").count(), 1);
}

#[test]
fn forgotten_truncation_takes_two_writes() {
    assert_eq!(shortest(2, "forgotten-truncation").matches("write=").count(), 2);
}

#[test]
fn the_wrong_file_takes_two_writes() {
    assert_eq!(shortest(2, "wrong-file").matches("write=").count(), 2);
}

#[test]
fn a_lost_epoch_takes_two_writes() {
    assert_eq!(shortest(2, "lost-epoch").matches("write=").count(), 2);
}
