//! `kilter campaign` with real brokers: three of them, three workers, one of each killed. What it says must be what `kilter test` says.
//!
//! Without `nats-server`, these tests do nothing, unless `KILTER_STORES` is set, as `./test` does.

#[path = "campaign/access.rs"]
mod access;
#[path = "campaign/workers.rs"]
mod workers;

use crate::common;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{root, says};
use serde_json::Value as Json;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Brokers that keep everything in a folder of their own.
struct Brokers {
    folder: tempfile::TempDir,
    running: Vec<Child>,
    ports: Vec<u16>,
}

/// Ports that are free at this moment.
fn free_ports(n: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> =
        (0..n).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port is free")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("it has one").port()).collect()
}

impl Brokers {
    /// Starts so many. `None` if there is no `nats-server`, and nobody says that there must be one.
    fn start(n: usize, options: &[&str]) -> Option<Brokers> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let ports = free_ports(2 * n);
        let (ports, between) = ports.split_at(n);
        let routes: Vec<String> = between.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let mut brokers = Brokers { folder, running: Vec::new(), ports: ports.to_vec() };
        for (number, port) in ports.iter().enumerate() {
            let log = File::create(brokers.folder.path().join(format!("{number}.log"))).expect("ours");
            let mut command = Command::new("nats-server");
            command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-n", &format!("broker-{number}")]);
            command.arg("-sd").arg(brokers.folder.path().join(number.to_string())).args(options);
            if n > 1 {
                command.args([
                    "--cluster_name",
                    "kilter",
                    "--cluster",
                    &routes[number],
                    "--routes",
                    &routes.join(","),
                ]);
            }
            match command.stdout(Stdio::null()).stderr(log).spawn() {
                Ok(child) => brokers.running.push(child),
                Err(error) => {
                    assert!(std::env::var_os("KILTER_STORES").is_none(), "nats-server: {error}");
                    return None;
                }
            }
        }
        let begun = Instant::now();
        while !ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()) {
            assert!(begun.elapsed() < PATIENCE, "the brokers do not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Some(brokers)
    }

    fn url(&self) -> String {
        self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }
}

impl Drop for Brokers {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Copies the files of these folders of the repository.
fn copy(parts: &[&str], folder: &Path) {
    for part in parts {
        let to = folder.join(part);
        fs::create_dir_all(&to).expect("ours");
        for entry in fs::read_dir(root().join(part)).expect("it can be read").flatten() {
            if entry.path().is_file() {
                fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
            }
        }
    }
}

/// A copy of our Raft with its specification, in which a suite has eight findings.
struct Raft(tempfile::TempDir);

impl Raft {
    fn new() -> Raft {
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&["systems/raft", "specs/Raft"], folder.path());
        Raft(folder)
    }

    fn system(&self) -> PathBuf {
        self.0.path().join("systems/raft")
    }

    /// A folder for a worker, which has nothing but what it fetches.
    fn empty(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join(name);
        fs::create_dir_all(&folder).expect("ours");
        folder
    }
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let kilter = Path::new(env!("CARGO_BIN_EXE_kilter"));
    let programs = kilter.parent().expect("it is in a folder").display().to_string();
    let path = std::env::var("PATH").expect("there is a PATH");
    let mut command = Command::new(kilter);
    command.args(words).current_dir(folder).env("PATH", format!("{programs}:{path}"));
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_string_lossy().starts_with("NATS_")) {
        command.env_remove(name);
    }
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("it can be run")
}

fn json(output: &Output) -> Json {
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said()))
}

/// What does not depend on who has played a case: its id, and what it has shown.
fn verdicts(answer: &Json) -> BTreeSet<String> {
    let finding = |finding: &Json| {
        ["case", "kind", "step", "action", "variables"].map(|name| finding[name].to_string()).join(" ")
    };
    answer["findings"].as_array().expect("a list").iter().map(finding).collect()
}

/// Waits until this many cases of the campaign have ended, or more. Returns how many have.
fn wait_for(n: u64, folder: &Path, at: &[&str]) -> u64 {
    let begun = Instant::now();
    loop {
        let seen = json(&run(folder, &[&["campaign", "watch", "--once", "--json"][..], at].concat()));
        if let Some(ended) = seen["cases"].as_u64().filter(|ended| *ended >= n) {
            return ended;
        }
        assert!(begun.elapsed() < PATIENCE, "{seen}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_campaign_that_loses_a_worker_and_a_broker_says_what_one_machine_says() {
    let Some(mut brokers) = Brokers::start(3, &["-js"]) else { return };
    let raft = Raft::new();
    let alone = json(&run(&raft.system(), &["test", "missing-reply.toml", "--json", "--quiet"]));
    let url = brokers.url();
    let at = ["--nats", &url[..]];
    // A cluster takes a while to have a leader.
    let begun = Instant::now();
    let started = loop {
        let words = ["campaign", "start", "missing-reply.toml", "--lost-after", "3s", "--json"];
        let started = run(&raft.system(), &[&words[..], &at[..]].concat());
        if started.status.success() {
            break json(&started);
        }
        assert!(begun.elapsed() < PATIENCE, "{}", String::from_utf8_lossy(&started.stderr));
        thread::sleep(Duration::from_millis(500));
    };
    assert!(started["cases"].as_u64().is_some_and(|cases| cases > 100), "{started}");
    let work = |name: &str| {
        let words = [&["campaign", "work", "--jobs", "1", "--quiet"][..], &at[..]].concat();
        let log = File::create(raft.0.path().join(format!("{name}.log"))).expect("ours");
        let mut command = command(&raft.empty(name), &words);
        command.stdout(Stdio::null()).stderr(log).spawn().expect("it can be run")
    };
    let mut workers = ["w1", "w2", "w3"].map(work);
    wait_for(20, &raft.0.path().join("w1"), &at);
    workers[0].kill().and_then(|()| workers[0].wait()).expect("it is ours");
    wait_for(40, &raft.0.path().join("w1"), &at);
    brokers.running[0].kill().and_then(|()| brokers.running[0].wait()).expect("it is ours");
    for worker in &mut workers[1..] {
        let code = worker.wait().expect("it is ours").code();
        assert!(
            matches!(code, Some(0 | 1)),
            "{code:?}: {}",
            fs::read_to_string(raft.0.path().join("w2.log")).unwrap_or_default()
        );
    }
    let report = run(&raft.0.path().join("w1"), &[&["campaign", "report", "--json"][..], &at[..]].concat());
    assert_eq!(report.status.code(), Some(1));
    let together = json(&report);
    assert_eq!(verdicts(&together), verdicts(&alone));
    for number in ["cases", "passed", "planned", "steps"] {
        assert_eq!(together[number], alone[number], "{number}");
    }
    assert_eq!(
        (together["workers"].as_u64() >= Some(2), together["redelivered"].as_u64() > Some(0)),
        (true, true)
    );
    // A worker that comes too late has nothing to do.
    says(
        &run(&raft.empty("w4"), &[&["campaign", "work"][..], &at[..]].concat()),
        0,
        &["0 cases played here", "every case has its result"],
    );
}

/// Plays all cases of a campaign by two workers, one after the other, and returns the report.
fn played(brokers: &Brokers, folder: &Path, start: &[&str], code: i32) -> Json {
    let url = brokers.url();
    let at = ["--nats", &url[..]];
    let started = run(folder, &[&["campaign", "start"][..], start, &at[..]].concat());
    says(&started, 0, &["in the queue"]);
    let workers = ["first", "second"].map(|name| {
        let place = folder.join(name);
        fs::create_dir_all(&place).expect("ours");
        let mut work = command(&place, &[&["campaign", "work", "--quiet"][..], &at[..]].concat());
        work.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it can be run")
    });
    for worker in workers {
        let ended = worker.wait_with_output().expect("it is ours");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(matches!(ended.status.code(), Some(0 | 1)), "{:?}: {said}", ended.status);
    }
    let report = run(folder, &[&["campaign", "report", "--json"][..], &at[..]].concat());
    assert_eq!(report.status.code(), Some(code));
    says(&run(folder, &[&["campaign", "stop", "--remove"][..], &at[..]].concat()), 0, &["removed"]);
    json(&report)
}

#[test]
fn schedules_of_converge_are_played_by_workers() {
    let Some(brokers) = Brokers::start(1, &["-js"]) else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let toystore = Path::new(env!("CARGO_BIN_EXE_kilter")).with_file_name("toystore");
    let text = fs::read_to_string(root().join("systems/converge/toystore.toml")).expect("it is there");
    // Named from where Kilter is started.
    fs::create_dir_all(folder.path().join("bin")).expect("ours");
    fs::copy(&toystore, folder.path().join("bin/toystore")).expect("the toy store is built");
    let text = text.replace("target/debug/toystore", "bin/toystore");
    fs::create_dir_all(folder.path().join("etc")).expect("ours");
    fs::write(folder.path().join("etc/good.toml"), &text).expect("ours");
    let bad = text + "options = [\"--bug\", \"wrong-file\"]\n";
    fs::write(folder.path().join("etc/bad.toml"), bad).expect("ours");
    let all = ["etc/good.toml", "--verb", "converge", "--sample", "20"];
    let good = played(&brokers, folder.path(), &all, 0);
    assert_eq!((&good["cases"], &good["passed"]), (&20.into(), &20.into()), "{good}");
    let words = ["converge", "etc/bad.toml", "--sample", "20", "--shrink", "0", "--json", "--quiet"];
    let alone = json(&run(folder.path(), &words));
    let bad = played(&brokers, folder.path(), &["etc/bad.toml", "--verb", "converge", "--sample", "20"], 1);
    let cases = |answer: &Json| -> BTreeSet<String> {
        let findings = answer["findings"].as_array().expect("a list");
        findings.iter().map(|finding| finding["case"].to_string()).collect()
    };
    assert_eq!((&bad["cases"], cases(&bad)), (&20.into(), cases(&alone)), "{bad}");
    assert!(!cases(&alone).is_empty());
}

#[test]
fn parts_of_an_exploration_are_played_by_workers() {
    let Some(brokers) = Brokers::start(1, &["-js"]) else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&["systems/lease", "probes/python"], folder.path());
    let config = "systems/lease/explore.toml";
    let with = ["--with", "systems/lease/lease.py", "--with", "probes/python"];
    let start = [&[config, "--verb", "explore"][..], &with[..]].concat();
    let together = played(&brokers, folder.path(), &start, 1);
    let alone = json(&run(folder.path(), &["explore", config, "--json", "--quiet"]));
    let found = |answer: &Json| -> BTreeSet<String> {
        let findings = answer["findings"].as_array().expect("a list");
        findings.iter().map(|finding| finding["summary"].to_string()).collect()
    };
    assert_eq!(found(&together), found(&alone), "{together}");
    assert!(together["cases"].as_u64() > Some(1), "{together}");
}

#[test]
fn what_is_not_there_or_differs_is_told() {
    let Some(brokers) = Brokers::start(1, &["-js"]) else { return };
    let raft = Raft::new();
    let url = brokers.url();
    let at = |words: &[&str]| run(&raft.system(), &[words, &["--nats", &url]].concat());
    says(&at(&["campaign", "watch", "--once"]), 2, &["the broker has no campaign", "campaign start"]);
    says(&run(&raft.system(), &["campaign", "watch"]), 2, &["nothing says where the broker is", "NATS_URL"]);
    let secret = run(&raft.system(), &["campaign", "watch", "--nats", "nats://me:secret@127.0.0.1:4222"]);
    says(&secret, 2, &["NATS_PASSWORD"]);
    assert!(!String::from_utf8_lossy(&secret.stderr).contains("secret@"));
    let nobody = format!("nats://127.0.0.1:{}", free_ports(1)[0]);
    says(
        &run(&raft.system(), &["campaign", "watch", "--nats", &nobody]),
        2,
        &["no broker answers", "nats-server -js"],
    );
    says(
        &at(&["campaign", "start", "missing-reply.toml"]),
        0,
        &["in the queue", "campaign work --name missing-reply"],
    );
    says(
        &at(&["campaign", "start", "missing-reply.toml"]),
        2,
        &["there is a campaign missing-reply already", "--remove"],
    );
    says(
        &at(&["campaign", "watch", "--once", "--name", "other"]),
        2,
        &["no campaign other; it has missing-reply"],
    );
    says(&at(&["campaign", "stop"]), 0, &["stopped"]);
    says(&at(&["campaign", "work"]), 2, &["the campaign is stopped"]);
    says(&at(&["campaign", "resume"]), 0, &["running"]);
    // A worker whose system is another one.
    let programs = raft.empty("programs");
    fs::write(programs.join("raft-node"), "#!/bin/sh\n").expect("ours");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kilter"), programs.join("kilter")).expect("ours");
    let mut other = command(&raft.empty("w1"), &["campaign", "work", "--nats", &url]);
    other.env("PATH", &programs);
    says(&other.output().expect("it can be run"), 2, &["the system differs: raft-node"]);
    says(&at(&["campaign", "stop", "--remove"]), 0, &["removed"]);
    says(&at(&["campaign", "watch", "--once"]), 2, &["the broker has no campaign"]);
}

#[test]
fn options_and_configurations_of_other_commands_are_refused() {
    let start = |words: &[&str]| run(&root(), &[&["campaign", "start"][..], words].concat());
    let sample = start(&["systems/raft/kilter.toml", "--sample", "5"]);
    says(&sample, 2, &["--sample says nothing about the cases of `kilter test`", "--verb converge"]);
    let seed = start(&["systems/lease/explore.toml", "--verb", "explore", "--seed", "1"]);
    says(&seed, 2, &["--seed says nothing", "--verb test or --verb converge"]);
    let explore = start(&["systems/lease/explore.toml"]);
    says(&explore, 2, &["explore.toml is a configuration of `kilter explore`; add --verb explore"]);
    let converge = start(&["systems/converge/toystore.toml", "--sample", "5"]);
    says(&converge, 2, &["toystore.toml is a configuration of `kilter converge`; add --verb converge"]);
    // Everything is as it should be, but for the broker.
    says(&start(&["systems/raft/kilter.toml", "--seed", "1"]), 2, &["nothing says where the broker is"]);
}

#[test]
fn a_broker_that_is_full_is_told() {
    let raft = Raft::new();
    let configuration = raft.0.path().join("server.conf");
    fs::write(&configuration, "jetstream { max_file_store: 20KB }\n").expect("ours");
    let configuration = configuration.to_str().expect("a plain path");
    let Some(brokers) = Brokers::start(1, &["-js", "-c", configuration]) else { return };
    let words = ["campaign", "start", "missing-reply.toml", "--nats", &brokers.url()];
    let mut start = command(&raft.system(), &words);
    let mut start = start.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it can be run");
    let said = BufReader::new(start.stderr.take().expect("it is ours"));
    let told = said.lines().map_while(Result::ok).find(|line| line.ends_with("; trying again"));
    start.kill().and_then(|()| start.wait()).expect("it is ours");
    assert!(told.as_ref().is_some_and(|told| told.contains("insufficient")), "{told:?}");
}

#[test]
fn brokers_without_jetstream_and_with_a_password_are_told_apart() {
    let Some(brokers) = Brokers::start(1, &["--user", "me", "--pass", "secret"]) else { return };
    let raft = Raft::new();
    let words = ["campaign", "watch", "--once", "--nats", &brokers.url()];
    says(&run(&raft.system(), &words), 2, &["does not let us in", "NATS_CREDS"]);
    let mut with_password = command(&raft.system(), &words);
    with_password.env("NATS_USER", "me").env("NATS_PASSWORD", "secret");
    says(&with_password.output().expect("it can be run"), 2, &["has no JetStream", "nats-server -js"]);
}
