//! Each bug is found by the quorum model alone, and the store without bugs agrees again after every schedule.

use crate::common;

use std::fs;
use std::path::Path;

use common::{play, play_in};
use kilter::run::Ran;
use kilter_run::{Finding, FindingKind};

/// The schedule that shows a finding.
fn schedule(finding: &Finding) -> String {
    finding.more["shrunk"].as_str().expect("a schedule").to_owned()
}

/// The shortest schedule that shows the bug, and shows it again. Who leads first is up to the processes, so a finding may not come again
/// when its schedule is run a second time; all schedules are then run once more.
fn shortest(ops: u8, bug: &str) -> String {
    let find = || {
        let ran = play(ops, Some(bug), None);
        let found = ran.record.findings.iter();
        let stable =
            found.filter(|finding| finding.stable == Some(true) && finding.kind == FindingKind::Differ);
        stable.map(schedule).min_by_key(String::len)
    };
    (0..4).find_map(|_| find()).expect("the bug is found")
}

#[test]
fn without_a_bug_all_is_well() {
    let ran = play(2, None, None);
    assert_eq!((ran.more["verdict"].as_str(), ran.record.findings.len()), (Some("agree"), 0));
}

#[test]
fn what_the_nodes_leave_behind_is_kept() {
    let folder = tempfile::tempdir().expect("a directory");
    let ran = play(1, Some("incomplete-log"), Some(folder.path()));
    assert!(!ran.record.findings.is_empty());
    for finding in ran.record.findings {
        let kept = Path::new(finding.more["kept"].as_str().expect("a directory"));
        let about = fs::read_to_string(kept.join("about.txt")).expect("what was run");
        assert_eq!(about, format!("{}\n{}: {}\n", schedule(&finding), finding.kind.name(), finding.summary));
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

/// The blocks of the guide that are marked with a language, below the heading for models of one's own.
fn blocks(language: &str) -> Vec<String> {
    let guide = include_str!("../../../docs/guide/converge.md");
    let (_, section) = guide.split_once("### A model of your own").expect("a section on models");
    let begin = format!("```{language}\n");
    section.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0.to_owned())).collect()
}

/// Plays the model of the guide, as a reader would copy it, with so many writes.
fn play_guide(ops: u8, bug: Option<&str>) -> Ran {
    let folder = tempfile::tempdir().expect("a directory");
    fs::write(folder.path().join("Lonely.tla"), &blocks("tla")[0]).expect("a file");
    fs::write(folder.path().join("Lonely.cfg"), &blocks("text")[0]).expect("a file");
    let config = &blocks("toml")[0];
    let (model, _) = config.split_once("[system]").expect("a section [system]");
    play_in(folder.path(), &model.replace("ops = 3", &format!("ops = {ops}")), bug, Some(1))
}

/// Who leads first is up to the processes, so a search may have to be repeated.
#[track_caller]
fn guide_finds(ops: u8, bug: &str) {
    assert!((0..3).any(|_| !play_guide(ops, Some(bug)).record.findings.is_empty()), "{bug} is not found");
}

#[test]
fn the_model_of_the_guide_finds_an_incomplete_log() {
    guide_finds(1, "incomplete-log");
}

#[test]
fn the_model_of_the_guide_finds_a_lost_epoch() {
    guide_finds(2, "lost-epoch");
}

#[test]
fn the_model_of_the_guide_finds_what_is_not_truncated() {
    guide_finds(3, "forgotten-truncation");
    guide_finds(3, "wrong-file");
}

#[test]
fn the_model_of_the_guide_finds_nothing_where_nothing_is_wrong() {
    assert_eq!(play_guide(3, None).more["verdict"], "agree");
}

#[test]
fn the_model_of_the_guide_is_that_of_its_command() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../converge");
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("a file of ours");
    assert_eq!(text("Lonely.tla"), blocks("tla")[0]);
    assert_eq!(text("Lonely.cfg"), blocks("text")[0]);
    assert!(text("lonely.toml").ends_with(&blocks("toml")[0]));
}

#[test]
fn replicas_that_fail_while_others_go_on_come_back() {
    let folder = tempfile::tempdir().expect("a directory");
    let model = "model = \"partial\"\nreplicas = 3\nops = 1\n[constants]\nFailures = \"1\"\n";
    let ran = play_in(folder.path(), model, None, None);
    assert_eq!(ran.more["verdict"], "agree", "{:#?}", ran.record.findings);
}
