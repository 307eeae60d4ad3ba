//! Each bug is found by the quorum model alone, and the store without bugs agrees again after every schedule.

mod common;

use std::fs;
use std::path::Path;

use common::play;
use kilter_run::FindingKind;

/// The shortest schedule that shows the bug, and shows it again. Who leads first is up to the processes, so a finding may not come again
/// when its schedule is run a second time; all schedules are then run once more.
fn shortest(ops: u8, bug: &str) -> String {
    let find = || {
        let outcome = play(ops, Some(bug), None);
        let found = outcome.findings.iter();
        let stable =
            found.filter(|finding| finding.stable == Some(true) && finding.kind == FindingKind::Differ);
        // In this test, that is the schedule that shows it.
        stable.map(|finding| finding.repeat.clone()).min_by_key(String::len)
    };
    (0..4).find_map(|_| find()).expect("the bug is found")
}

#[test]
fn without_a_bug_all_is_well() {
    let outcome = play(2, None, None);
    assert_eq!(outcome.tally.passed, outcome.tally.n_cases, "{outcome:#?}");
}

#[test]
fn what_the_nodes_leave_behind_is_kept() {
    let folder = tempfile::tempdir().expect("a directory");
    let outcome = play(1, Some("incomplete-log"), Some(folder.path()));
    assert!(!outcome.findings.is_empty(), "{outcome:#?}");
    for finding in outcome.findings {
        let kept = Path::new(finding.more["kept"].as_str().expect("a directory"));
        let about = fs::read_to_string(kept.join("about.txt")).expect("what was run");
        assert_eq!(about, format!("{}\n{}: {}\n", finding.repeat, finding.kind.name(), finding.summary));
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
