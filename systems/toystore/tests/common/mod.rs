//! Runs schedules on the store of this crate.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::method::batch;
use kilter_converge::model::generate::Schedules;
use kilter_converge::{Case, Convergence, step};
use kilter_run::{Cases, Outcome};

/// Runs all schedules of three replicas and so many writes; `keep`: where to keep what the nodes leave behind.
pub fn play(ops: u8, bug: Option<&str>, keep: Option<&Path>) -> Outcome {
    let program = env!("CARGO_BIN_EXE_toystore");
    let options = bug.map(|bug| format!("options = [\"--bug\", \"{bug}\"]")).unwrap_or_default();
    let text = format!(
        "model = \"quorum\"\nreplicas = 3\nops = {ops}\n[system]\nkind = \"line\"\ncommand = [\"{program}\"]\n\
         patience-ms = 5000\n{options}"
    );
    let config = Config::parse(&text).expect("a fine configuration");
    let (model, system) = (config.model().expect("a model"), config.system().expect("a system"));
    let mut schedules = Schedules::new(&model);
    let count = schedules.count();
    let case = |number| schedules.get(number).map(|schedule| Case::new(number, schedule, Crash::Kill));
    let cases: Vec<Case> = (0..count).filter_map(case).collect();
    let options = Options {
        patience: config.patience(),
        crash: Crash::Kill,
        checkpoints: true,
        keep: keep.map(Path::to_path_buf),
        logs_all: false,
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let method = Convergence {
        model: &model,
        system: &system,
        options,
        shrink: 1,
        again: 1,
        repeat: &|schedule, _| step::text(schedule),
        interrupted: Arc::clone(&interrupted),
        n_shrunk: AtomicUsize::new(0),
        logs: None,
    };
    let options = kilter_run::Options {
        jobs: 2,
        batch: batch(cases.len(), 2),
        ..kilter_run::Options::new(&interrupted)
    };
    let outcome = kilter_run::run(&method, &mut Cases::new(cases), &options, &mut Vec::new());
    assert_eq!((outcome.tally.ended, &outcome.stopped), (count, &None));
    outcome
}
