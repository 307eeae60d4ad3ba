//! Each bug is found by the quorum model alone, and the store without bugs agrees again after every schedule.

mod common;

use common::play;

/// The shortest schedule that shows the bug, and shows it again. Who leads first is up to the processes, so a finding may not come again
/// when its schedule is run a second time; all schedules are then run once more.
fn shortest(ops: u8, bug: &str) -> String {
    let find = || {
        let entries = play(ops, Some(bug));
        let found = entries.iter().filter_map(|entry| entry.finding.as_ref());
        let stable = found.filter(|finding| finding.stable && finding.kind == "differ");
        stable.map(|finding| finding.shrunk.clone()).min_by_key(String::len)
    };
    (0..4).find_map(|_| find()).expect("the bug is found")
}

#[test]
fn without_a_bug_all_is_well() {
    for entry in play(2, None) {
        assert!(entry.finding.is_none() && entry.not_run.is_none(), "{entry:#?}");
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
