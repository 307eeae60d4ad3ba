//! Each bug is found by the quorum model alone, and the store without bugs agrees again after every schedule.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::model::generate::Schedules;
use kilter_converge::run::{Effort, Entry, Task, choose, run};

/// Runs all schedules of three replicas and so many writes.
fn play(ops: u8, bug: Option<&str>) -> Vec<Entry> {
    let program = env!("CARGO_BIN_EXE_toystore");
    let options = bug.map(|bug| format!("options = [\"--bug\", \"{bug}\"]")).unwrap_or_default();
    let text = format!(
        "model = \"quorum\"\nreplicas = 3\nops = {ops}\n[store]\nkind = \"line\"\ncommand = [\"{program}\"]\n\
         patience-ms = 5000\n{options}"
    );
    let config = Config::parse(&text).expect("a fine configuration");
    let (model, system) = (config.model().expect("a model"), config.system().expect("a system"));
    let mut schedules = Schedules::new(&model);
    let count = schedules.count();
    let numbers = choose(count, None, (1, 1), &BTreeSet::new());
    let task = |number| schedules.get(number).map(|schedule| Task { number, schedule, crash: Crash::Kill });
    let tasks = numbers.into_iter().filter_map(task).collect();
    let options = Options { patience: config.store.patience(), crash: Crash::Kill, checkpoints: true };
    let mut entries = Vec::new();
    let effort = Effort { jobs: 2, shrink: 1 };
    let interrupted = Arc::new(AtomicBool::new(false));
    run(&model, &system, &options, tasks, effort, &interrupted, &mut |entry| entries.push(entry))
        .expect("it runs");
    assert_eq!(entries.len() as u64, count);
    entries
}

fn shortest(ops: u8, bug: &str) -> String {
    let entries = play(ops, Some(bug));
    let found = entries.iter().filter_map(|entry| entry.finding.as_ref());
    let stable = found.filter(|finding| finding.stable && finding.kind == "differ");
    stable.map(|finding| finding.shrunk.clone()).min_by_key(String::len).expect("the bug is found")
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

/// What runs on this machine with our files in its directory.
fn left_behind() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let folders = processes.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok());
    let ours = |folder: &Path| folder.to_string_lossy().contains(&format!("kilter-{}-", std::process::id()));
    folders.filter(|folder| ours(folder)).map(|folder| folder.display().to_string()).collect()
}

#[test]
fn nothing_is_left_behind() {
    play(1, None);
    assert_eq!(left_behind(), Vec::<String>::new());
}
