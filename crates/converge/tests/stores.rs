//! A few schedules on the real stores that are installed. `./test` installs them, and says so by `KILTER_STORES`; elsewhere those that
//! are missing are left out.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kilter_converge::Trouble;
use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::model::legal;
use kilter_converge::run::{Effort, Task, run};
use kilter_converge::step;

fn config(name: &str) -> Config {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../systems/converge");
    let text = fs::read_to_string(folder.join(name)).expect("a configuration of ours");
    Config::parse(&text).expect("a fine configuration")
}

/// Plays schedules of a configuration; after each, the replicas must agree again.
#[track_caller]
fn agree(name: &str, schedules: &[&str]) {
    let config = config(name);
    let (model, system) = (config.model().expect("a model"), config.system().expect("a system"));
    if let Err(trouble @ Trouble::Missing { .. }) = system.store().check() {
        assert!(std::env::var_os("KILTER_STORES").is_none(), "{trouble}");
        return;
    }
    let task = |(number, text): (u64, &&str)| {
        let schedule = step::parse(text).expect("steps");
        legal::check(&model, &schedule).expect("a schedule of the model");
        Task { number, schedule, crash: Crash::Kill }
    };
    let tasks = (0..).zip(schedules).map(task).collect();
    let options =
        Options { patience: config.store.patience(), crash: Crash::Kill, checkpoints: true, keep: None };
    let (effort, interrupted) = (Effort { jobs: 1, shrink: 0, again: 1 }, Arc::new(AtomicBool::new(false)));
    let mut n_run = 0;
    let mut observe = |entry: kilter_converge::run::Entry| {
        assert!(entry.finding.is_none() && entry.not_run.is_none(), "{entry:#?}");
        n_run += 1;
    };
    run(&model, &system, &options, tasks, effort, &interrupted, &mut observe).expect("it runs");
    assert_eq!(n_run, schedules.len());
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
    // Redis 2.8.17 does not converge after this one.
    agree(
        "redis-suspend.toml",
        &["suspend=A,write=B wake=A,link=A>C link=C>B suspend=A,write=D link=B>D wake=A"],
    );
}

#[test]
fn etcd() {
    agree("etcd.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
}

#[test]
fn zookeeper() {
    agree("zookeeper.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
    // Its data is not taken for a write.
    agree("zookeeper-logs.toml", &["write=A0,B2,C2 up=BC up=A"]);
}
