//! Plays a few schedules on real stores. `./test` installs the stores and sets `KILTER_STORES`. Without that variable,
//! stores that are missing are skipped.

use std::path::PathBuf;

use kilter::converge::{ConvergeOptions, run};
use kilter::{Error, Host};

/// Plays schedules of a configuration. After each one, the replicas must agree again.
#[track_caller]
fn agree(name: &str, schedules: &[&str]) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../systems/converge");
    let report = tempfile::tempdir().expect("a folder");
    let mut options = ConvergeOptions::of(folder.join(name));
    options.schedule = schedules.iter().map(|text| (*text).to_owned()).collect();
    options.run.report = Some(report.path().to_path_buf());
    let ran = match run(&options, &mut Host::default()) {
        Err(Error::NotRunnable(missing)) => {
            assert!(std::env::var_os("KILTER_STORES").is_none(), "{missing}");
            return;
        }
        ran => ran.expect("schedules of the model"),
    };
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
