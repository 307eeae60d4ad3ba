//! Workers that are stopped, that fail, and that are killed: what happens to their cases, and what is said of them.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;

use super::{Brokers, PATIENCE, Raft, command, json, run, wait_for};
use crate::common::says;

fn worker(raft: &Raft, name: &str, url: &str) -> Child {
    let folder = raft.empty(name);
    let log = File::create(folder.with_extension("log")).expect("ours");
    let mut work = command(&folder, &["campaign", "work", "--quiet", "--nats", url]);
    work.stdout(log.try_clone().expect("ours")).stderr(log).spawn().expect("it can be run")
}

fn log_of(raft: &Raft, name: &str) -> String {
    fs::read_to_string(raft.0.path().join(name).with_extension("log")).unwrap_or_default()
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id() as i32).expect("a process");
    kill_process(pid, signal).expect("it runs");
}

/// Waits until a worker ends by itself.
fn end(worker: &mut Child) {
    let begun = Instant::now();
    while worker.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

fn workers(seen: &Json, state: &str) -> usize {
    let all = seen["workers"].as_array().expect("a list");
    all.iter().filter(|worker| worker["state"] == state).count()
}

/// A broker with a campaign in its queue, its system, and the broker's address. `None` if there is no broker here.
fn queued() -> Option<(Brokers, Raft, String)> {
    let brokers = Brokers::start(1, &["-js"])?;
    let (raft, url) = (Raft::new(), brokers.url());
    let started = run(&raft.system(), &["campaign", "start", "missing-reply.toml", "--nats", &url]);
    says(&started, 0, &["in the queue"]);
    Some((brokers, raft, url))
}

/// Watching waits minutes for a broker that is lost, unless somebody does not want that.
#[test]
fn who_watches_a_lost_broker_ends_when_asked_to() {
    let Some((mut brokers, raft, url)) = queued() else { return };
    let mut watch = command(&raft.empty("watch"), &["campaign", "watch", "--json", "--nats", &url]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().expect("it can be run");
    let mut lines = BufReader::new(watch.stdout.take().expect("it is ours")).lines();
    lines.next().expect("it says how far the campaign is").expect("it is text");
    brokers.running[0].kill().expect("it runs");
    thread::sleep(Duration::from_secs(3));
    assert!(watch.try_wait().expect("it is ours").is_none(), "it does not wait");
    signal(&watch, Signal::TERM);
    end(&mut watch);
}

#[test]
fn cases_that_are_given_back_are_not_lost() {
    let Some((_brokers, raft, url)) = queued() else { return };
    let at = ["--nats", &url[..]];
    let folder = raft.empty("watch");
    // The first one ends because of Ctrl-C, the second because the campaign is stopped.
    let mut first = worker(&raft, "first", &url);
    wait_for(5, &folder, &at);
    signal(&first, Signal::INT);
    end(&mut first);
    assert!(
        log_of(&raft, "first").contains("its cases went back to the queue"),
        "{}",
        log_of(&raft, "first")
    );
    // They count as taken at the broker, but nobody plays them.
    let seen = json(&run(&folder, &[&["campaign", "watch", "--once", "--json"][..], &at].concat()));
    assert_eq!((workers(&seen, "ended"), &seen["being_played"]), (1, &0.into()), "{seen}");
    // However many the first one has played, the second one plays some, too.
    let played = wait_for(5, &folder, &at);
    let mut second = worker(&raft, "second", &url);
    wait_for(played + 5, &folder, &at);
    says(&run(&folder, &[&["campaign", "stop"][..], &at].concat()), 0, &["stopped"]);
    end(&mut second);
    let unfinished = run(&folder, &[&["campaign", "report", "--json"][..], &at].concat());
    let code = if json(&unfinished)["findings"].as_array().is_some_and(Vec::is_empty) { 3 } else { 1 };
    assert_eq!(unfinished.status.code(), Some(code), "cases are left");
    let seen = json(&run(&folder, &[&["campaign", "watch", "--once", "--json"][..], &at].concat()));
    assert_eq!((workers(&seen, "ended"), workers(&seen, "playing")), (2, 0), "{seen}");
    says(&run(&folder, &[&["campaign", "resume"][..], &at].concat()), 0, &["running"]);
    end(&mut worker(&raft, "third", &url));
    let report = json(&run(&folder, &[&["campaign", "report", "--json"][..], &at].concat()));
    assert_eq!((&report["redelivered"], &report["finished"]), (&0.into(), &true.into()), "{report}");
    let logs = ["first", "second", "third"].map(|name| log_of(&raft, name)).concat();
    assert!(!logs.contains("lost"), "{logs}");
    // Who has played what.
    let played_by = report["played_by"].as_object().expect("an object");
    let n_cases: usize = played_by.values().filter_map(Json::as_array).map(Vec::len).sum();
    assert_eq!((played_by.len(), Some(n_cases as u64)), (3, report["cases"].as_u64()));
    let findings = report["findings"].as_array().expect("a list");
    assert!(findings.len() == 8, "{findings:?}");
    for finding in findings {
        let worker = finding["worker"].as_str().expect("a name");
        assert!(
            played_by[worker].as_array().is_some_and(|cases| cases.contains(&finding["case"])),
            "{finding}"
        );
    }
    // The time between the workers counts, but not the time before the first.
    let rate = report["cases_per_second"].as_f64().expect("a number");
    let seconds = report["seconds"].as_f64().expect("a number");
    assert!(
        (rate * seconds - report["cases"].as_f64().expect("a number")).abs() < 1.0,
        "{rate} in {seconds} s"
    );
}

#[test]
fn workers_end_when_their_campaign_is_removed() {
    let Some((_brokers, raft, url)) = queued() else { return };
    let at = ["--nats", &url[..]];
    let mut worker = worker(&raft, "worker", &url);
    let folder = raft.empty("watch");
    wait_for(5, &folder, &at);
    says(&run(&folder, &[&["campaign", "stop", "--remove"][..], &at].concat()), 0, &["removed"]);
    end(&mut worker);
    assert!(log_of(&raft, "worker").contains("somebody has removed it"), "{}", log_of(&raft, "worker"));
}

#[test]
fn a_campaign_whose_workers_all_fail_has_not_passed() {
    let Some((_brokers, raft, url)) = queued() else { return };
    let at = ["--nats", &url[..]];
    let folder = raft.empty("watch");
    // Nobody has begun.
    says(&run(&folder, &[&["campaign", "report"][..], &at].concat()), 3, &["nothing was run"]);
    // The worker has another system than the campaign.
    let programs = raft.empty("programs");
    fs::write(programs.join("raft-node"), "#!/bin/sh\n").expect("ours");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kilter"), programs.join("kilter")).expect("ours");
    let mut work = command(&raft.empty("w1"), &["campaign", "work", "--nats", &url]);
    says(
        &work.env("PATH", &programs).output().expect("it can be run"),
        2,
        &["the system differs: raft-node"],
    );
    let report = run(&folder, &[&["campaign", "report"][..], &at].concat());
    says(&report, 3, &["bounded: nothing was run", " has failed: the system differs: raft-node"]);
    let seen = run(&folder, &[&["campaign", "watch", "--once"][..], &at].concat());
    says(&seen, 0, &["0 of ", "  failed: the system differs: raft-node"]);
}

#[test]
fn a_worker_that_is_killed_is_told_as_lost() {
    let Some(brokers) = Brokers::start(1, &["-js"]) else { return };
    let raft = Raft::new();
    let url = brokers.url();
    let at = ["--nats", &url[..]];
    let start = ["campaign", "start", "missing-reply.toml", "--lost-after", "3s"];
    says(&run(&raft.system(), &[&start[..], &at].concat()), 0, &["in the queue"]);
    let folder: &Path = &raft.empty("watch");
    let mut killed = worker(&raft, "killed", &url);
    wait_for(1, folder, &at);
    killed.kill().and_then(|()| killed.wait()).expect("it is ours");
    let begun = Instant::now();
    let seen = loop {
        let seen = json(&run(folder, &[&["campaign", "watch", "--once", "--json"][..], &at].concat()));
        if workers(&seen, "playing") == 0 {
            break seen;
        }
        assert!(begun.elapsed() < PATIENCE, "{seen}");
        thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(workers(&seen, "lost"), 1, "{seen}");
    let text = run(folder, &[&["campaign", "watch", "--once"][..], &at].concat());
    says(&text, 0, &["  lost: it has said nothing for "]);
    says(&run(folder, &[&["campaign", "stop", "--remove"][..], &at].concat()), 0, &["removed"]);
}
