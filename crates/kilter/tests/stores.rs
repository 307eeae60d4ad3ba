//! Plays a few schedules on real stores. `./test` installs the stores and sets `KILTER_STORES`. Without that variable,
//! stores that are missing are skipped.

use std::fs;
use std::path::PathBuf;

use kilter::converge::{ConvergeOptions, run};
use kilter::run::Ran;
use kilter::{Error, Host};
use kilter_converge::drive::Crash;
use kilter_run::FindingKind;

/// Plays schedules of a configuration. `None` if the store is missing.
fn play(config: PathBuf, change: impl FnOnce(&mut ConvergeOptions)) -> Option<Ran> {
    let report = tempfile::tempdir().expect("a folder");
    let mut options = ConvergeOptions::of(config);
    options.shrink = 0;
    options.run.report = Some(report.path().to_path_buf());
    change(&mut options);
    match run(&options, &mut Host::default()) {
        Err(Error::NotRunnable(missing)) => {
            assert!(std::env::var_os("KILTER_STORES").is_none(), "{missing}");
            None
        }
        ran => Some(ran.expect("schedules of the model")),
    }
}

fn shipped(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../systems/converge").join(name)
}

/// After each of these schedules, the replicas must agree again.
#[track_caller]
fn agree(name: &str, schedules: &[&str]) {
    agree_after(name, Crash::Kill, schedules);
}

#[track_caller]
fn agree_after(name: &str, crash: Crash, schedules: &[&str]) {
    let ran = play(shipped(name), |options| {
        options.crash = Some(crash);
        options.schedule = schedules.iter().map(|text| (*text).to_owned()).collect();
    });
    let Some(ran) = ran else { return };
    let (n_run, findings) = (&ran.more["run"], &ran.record.findings);
    assert_eq!((n_run, findings.len()), (&schedules.len().into(), 0), "{findings:#?}");
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
        &["isolate-cut,write=B link=A>B isolate-crash,write=B up=A,link=A>B,offline"],
    );
}

#[test]
fn redis_servers_that_end_in_order_or_are_replaced() {
    let schedule = ["isolate-crash,write=A up=B,link=B>A isolate-crash,write=A up=B,link=B>A"];
    agree_after("redis-crash-and-link.toml", Crash::Stop, &schedule);
    agree_after("redis-crash-and-link.toml", Crash::Decommission, &schedule);
}

#[test]
fn redis_transactions() {
    // Redis 4.0-RC2 does not converge after the second one.
    agree(
        "redis-transactions.toml",
        &[
            "isolate-cut,write=A:x+y isolate-cut,write=B:y link=B>A",
            "write=A:x+y isolate-crash,write=A:y up=B,link=B>A",
        ],
    );
}

#[test]
fn redis_with_sentinel() {
    agree("redis-sentinel.toml", &["write=ABC lead=A,kill=A write=BC up=A"]);
}

/// A model with one write, after which a replica is told something.
const TELL: &str = r#"---- MODULE Tell ----
EXTENDS Integers
CONSTANTS Replicas
VARIABLES at
Init == at = 0
Write(r) == at = 0 /\ at' = 1
Tell(r, text) == at = 1 /\ at' = 2
Next == \E r \in Replicas : Write(r) \/ \E text \in {"SWAPDB 1 2", "PING"} : Tell(r, text)
====
"#;

#[test]
fn redis_is_told_something_and_its_log_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let config = r#"
        model = "Tell.tla"
        replicas = 2
        [actions]
        Write = [{ write = "r", keys = "{\"x\", \"y\"}" }, { wait = "10" }]
        Tell = [{ say = "text", to = "r" }]
        [seen]
        ready = "eady to accept connections"
        [system]
        kind = "redis"
        patience-ms = 3000
    "#;
    fs::write(file("Tell.tla"), TELL).expect("a file");
    fs::write(file("Tell.cfg"), "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n").expect("a file");
    fs::write(file("converge.toml"), config).expect("a file");
    let ran = |told: &str| {
        let schedule = format!("write=A:x+y,wait=10 say=A:{told}");
        play(file("converge.toml"), |options| options.schedule = vec![schedule])
    };
    let (Some(swapped), Some(pinged)) = (ran("SWAPDB+1+2"), ran("PING")) else { return };
    // Nobody copies anybody: B has nothing. What A has is read only as long as it is in the database of the writes.
    let kinds = |ran: &Ran| ran.record.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&pinged), [FindingKind::Differ]);
    assert_eq!(kinds(&swapped), [FindingKind::Lost]);
    let seen: u64 = pinged.record.cases.iter().map(|case| case.counters.sums["seen_ready"]).sum();
    assert_eq!(seen, 2, "each of the two servers says once that it is ready");
}

#[test]
fn only_stores_with_links_have_replicas_that_are_replaced() {
    let mut options = ConvergeOptions::of(shipped("etcd.toml"));
    options.crash = Some(Crash::Decommission);
    let error = run(&options, &mut Host::default()).err().map(|error| error.to_string());
    assert!(error.as_ref().is_some_and(|error| error.contains("decommission")), "{error:?}");
}

#[test]
fn redis_stops() {
    // Redis 2.8.17 does not converge after this schedule. `wake` is how `up` was written before.
    agree("redis-pause.toml", &["pause=A,write=B wake=A,link=A>C link=C>B pause=A,write=D link=B>D wake=A"]);
}

#[test]
fn etcd() {
    agree("etcd.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
}

#[test]
fn ovsdb() {
    agree("ovsdb.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
}

#[test]
fn postgres_rewinds() {
    // The second write of B is given up for A's.
    agree("postgres-link.toml", &["cut=B,write=B write=A link=B>A"]);
}

#[test]
fn postgres_base_backups() {
    agree(
        "postgres-crash-and-link.toml",
        &["isolate-crash,write=B up=A,link=A>B,offline isolate-crash,write=A up=B,link=B>A"],
    );
}

#[test]
fn zookeeper() {
    agree("zookeeper.toml", &["write=A0,B0,C1 up=AB write=A0,B1 up=AC up=B"]);
    // The ballast of this configuration is not taken for a write.
    agree("zookeeper-logs.toml", &["write=A0,B2,C2 up=BC up=A"]);
}
