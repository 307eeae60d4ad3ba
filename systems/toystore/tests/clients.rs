//! What clients see is compared: a bug in what the store tells them is found, and none where there is none.

use crate::common;

use std::fs;
use std::path::Path;

use common::play_in;
use kilter::run::Ran;
use kilter_run::FindingKind;

/// Plays the configuration with clients that comes with Kilter, up to the first finding, with these faults.
fn play(faults: &str, bug: Option<&str>) -> Ran {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../converge/toystore-clients.toml");
    let text = fs::read_to_string(file).expect("a file of ours");
    let (model, _) = text.split_once("[system]").expect("a section [system]");
    let folder = tempfile::tempdir().expect("a directory");
    let faults = format!("[constants]\nFaults = '{{{faults}}}'");
    let model = model.replace("ops = 2", "ops = 1").replace("[constants]", &faults);
    play_in(folder.path(), &model, bug, bug.map(|_| 1))
}

/// The first finding of this kind. Who leads is up to the processes, so a search may have to be repeated.
#[track_caller]
fn finds(bug: &str, kind: FindingKind, words: &str) {
    let find = || {
        let ran = play(r#""kill", "pause""#, Some(bug));
        let found = ran.record.findings.into_iter().find(|finding| finding.kind == kind);
        found.map(|finding| finding.summary)
    };
    let summary = (0..3).find_map(|_| find()).expect("the bug is found");
    assert!(summary.contains(words), "{summary}");
}

#[track_caller]
fn agree(ran: &Ran) {
    assert_eq!(ran.more["verdict"], "agree", "{:#?}", ran.record.findings);
    let reads: u64 = ran.record.cases.iter().filter_map(|case| case.counters.sums.get("reads")).sum();
    assert!(reads > 0);
}

#[test]
fn clients_of_a_store_without_bugs_see_what_they_are_promised() {
    agree(&play(r#""kill", "pause""#, None));
}

/// Relays stand between the nodes.
#[test]
fn nodes_that_are_cut_off_run_on_and_come_back() {
    let ran = play(r#""cut""#, None);
    // On a busy machine, a schedule may not be played in time. What was played shows nothing.
    assert!(ran.record.findings.is_empty(), "{:#?}", ran.record.findings);
    let n_played = ran.record.cases.iter().filter(|case| case.not_run.is_none()).count();
    assert!(n_played > 0);
}

#[test]
fn a_stale_read_is_found() {
    finds("stale-read", FindingKind::WrongRead, "which was acknowledged before");
}

#[test]
fn a_refused_write_that_is_made_is_found() {
    finds("hasty-no", FindingKind::WrongRead, "which was refused before");
}
