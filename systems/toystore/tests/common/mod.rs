//! Runs schedules on the store of this crate.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::model::generate::Schedules;
use kilter_converge::run::{Effort, Entry, Task, choose, run};

/// Runs all schedules of three replicas and so many writes; `keep`: where to keep what the nodes leave behind.
pub fn play(ops: u8, bug: Option<&str>, keep: Option<&Path>) -> Vec<Entry> {
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
    let options = Options {
        patience: config.store.patience(),
        crash: Crash::Kill,
        checkpoints: true,
        keep: keep.map(Path::to_path_buf),
    };
    let mut entries = Vec::new();
    let effort = Effort { jobs: 2, shrink: 1, again: 1 };
    let interrupted = Arc::new(AtomicBool::new(false));
    run(&model, &system, &options, tasks, effort, &interrupted, &mut |entry| entries.push(entry))
        .expect("it runs");
    assert_eq!(entries.len() as u64, count);
    entries
}
