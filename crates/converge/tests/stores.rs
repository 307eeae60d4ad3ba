//! Plays a few schedules on real stores. `./test` installs the stores and sets `KILTER_STORES`. Without that variable,
//! stores that are missing are skipped.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::model::legal;
use kilter_converge::{Case, Convergence, Trouble, step};
use kilter_run::Cases;

fn config(name: &str) -> Config {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../systems/converge");
    let text = fs::read_to_string(folder.join(name)).expect("a configuration of ours");
    Config::parse(&text).expect("a fine configuration")
}

/// Plays schedules of a configuration. After each one, the replicas must agree again.
#[track_caller]
fn agree(name: &str, schedules: &[&str]) {
    let config = config(name);
    let (model, system) = (config.model().expect("a model"), config.system().expect("a system"));
    if let Err(trouble @ Trouble::Missing { .. }) = system.store().check() {
        assert!(std::env::var_os("KILTER_STORES").is_none(), "{trouble}");
        return;
    }
    let case = |(number, text): (u64, &&str)| {
        let schedule = step::parse(text).expect("steps");
        legal::check(&model, &schedule).expect("a schedule of the model");
        Case::new(number, schedule, Crash::Kill)
    };
    let cases: Vec<Case> = (0..).zip(schedules).map(case).collect();
    let options = Options {
        patience: config.patience(),
        crash: Crash::Kill,
        checkpoints: true,
        keep: None,
        logs_all: false,
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let method = Convergence {
        model: &model,
        system: &system,
        options,
        shrink: 0,
        again: 1,
        repeat: &|schedule, _| step::text(schedule),
        interrupted: Arc::clone(&interrupted),
        n_shrunk: AtomicUsize::new(0),
        logs: None,
    };
    let options = kilter_run::Options { batch: cases.len(), ..kilter_run::Options::new(&interrupted) };
    let mut events = Vec::new();
    let outcome = kilter_run::run(&method, &mut Cases::new(cases), &options, &mut events);
    assert_eq!(outcome.stopped, None);
    assert_eq!(outcome.tally.passed, schedules.len() as u64, "{events:#?}");
}

#[test]
fn redis_links() {
    agree(
        "redis-link.toml",
        &["cut=B,write=A write=B link=A>C", "cut=C,write=C link=C>A cut=B,write=A link=B>C"],
    );
}

#[test]
fn redis_crashes() {
    agree(
        "redis-crash-and-link.toml",
        &["isolate-cut,write=B link=A>B isolate-crash,write=B wake=A,link=A>B,offline"],
    );
}

#[test]
fn redis_stops() {
    // Redis 2.8.17 does not converge after this schedule.
    agree("redis-pause.toml", &["pause=A,write=B wake=A,link=A>C link=C>B pause=A,write=D link=B>D wake=A"]);
}

#[test]
fn etcd() {
    agree("etcd.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
}

#[test]
fn zookeeper() {
    agree("zookeeper.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
    // The ballast of this configuration is not taken for a write.
    agree("zookeeper-logs.toml", &["write=A0,B2,C2 up=BC up=A"]);
}
