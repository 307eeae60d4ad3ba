//! `kilter check --hosts` as processes: the answer of one process, processes that do not fit together, and such that are killed.

use crate::common;

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use common::says;
use serde_json::Value;

/// A module of 50,000 states in 350 levels.
const SPEC: &str = "---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLES a, b, log
Init == a = 0 /\\ b = 0 /\\ log = <<>>
A == a < 100 /\\ a' = a + 1 /\\ log' = <<a', \"a\">> /\\ UNCHANGED b
B == b < 250 /\\ b' = b + 1 /\\ log' = <<b', \"b\">> /\\ UNCHANGED a
Back == a = 100 /\\ b = 250 /\\ log' = <<>> /\\ UNCHANGED <<a, b>>
Next == A \\/ B \\/ Back
Low == a + b < 351
Seen == ~(a = 60 /\\ b = 149)
Forever == [](a >= 0) /\\ <>(a = 100)
====
";

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(n_processes: usize) -> Case {
        let case = Case { folder: tempfile::tempdir().expect("a folder can be made") };
        case.write("Spec.tla", SPEC);
        case.write("Spec.cfg", "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n");
        case.write("Bad.cfg", "INIT Init\nNEXT Next\nINVARIANT Seen\nCHECK_DEADLOCK FALSE\n");
        case.write("Temporal.cfg", "INIT Init\nNEXT Next\nPROPERTY Forever\nCHECK_DEADLOCK FALSE\n");
        case.write("hosts", &addresses(n_processes));
        case
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file can be written");
    }

    /// Makes the search last longer than any test.
    fn lasts_long(&self) {
        self.write("Spec.tla", &SPEC.replace("b < 250", "b < 5000000"));
        self.write("Spec.cfg", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
    }

    fn start(&self, options: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.args(["check", "Spec.tla", "--workers", "1", "--quiet"]).args(options);
        command.current_dir(self.folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("kilter can be started")
    }

    fn run(&self, options: &[&str]) -> Output {
        self.start(options).wait_with_output().expect("it ends")
    }

    /// Starts one process of a search.
    fn host(&self, number: usize, options: &[&str]) -> Child {
        let number = number.to_string();
        self.start(&[&["--hosts", "hosts", "--host", &number], options].concat())
    }

    /// All processes of a search, to their ends.
    fn all(&self, n_processes: usize, options: &[&str]) -> Vec<Output> {
        let running: Vec<Child> = (0..n_processes).map(|number| self.host(number, options)).collect();
        running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect()
    }
}

/// Ports that were free a moment ago, one a line.
fn addresses(n: usize) -> String {
    let listeners: Vec<TcpListener> =
        (0..n).map(|_| TcpListener::bind("127.0.0.1:0").expect("there is a free port")).collect();
    let lines = listeners.iter().map(|one| format!("{}\n", one.local_addr().expect("it has an address")));
    lines.collect()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn several_processes_have_the_answer_of_one() {
    let case = Case::new(3);
    for config in ["Spec.cfg", "Bad.cfg"] {
        let alone = case.run(&["--config", config, "--json"]);
        let outputs = case.all(3, &["--config", config, "--json"]);
        let codes: Vec<_> = outputs.iter().map(|output| output.status.code()).collect();
        assert_eq!(codes, [alone.status.code(), Some(0), Some(0)], "{config}");
        let (wanted, found) = (json(&alone), json(&outputs[0]));
        for key in ["verdict", "message", "property", "trace", "depth", "unchecked_properties"] {
            assert_eq!(found[key], wanted[key], "{config}: {key}");
        }
        if wanted["verdict"] == "ok" {
            for key in ["states_generated", "distinct_states", "coverage"] {
                assert_eq!(found[key], wanted[key], "{config}: {key}");
            }
            let shares = found["hosts"].as_array().expect("there are three");
            let states: Vec<u64> = shares.iter().filter_map(|share| share["states"].as_u64()).collect();
            assert_eq!(states.iter().sum::<u64>(), wanted["distinct_states"].as_u64().expect("a number"));
            assert!(states.iter().all(|n| *n > 16_000), "{states:?}");
            assert_eq!(json(&outputs[2])["share"], found["hosts"][2]);
        }
    }
}

#[test]
fn what_each_process_has_had_is_told() {
    let case = Case::new(2);
    let outputs = case.all(2, &[]);
    says(
        &outputs[0],
        0,
        &["ok: ", "50,352 distinct states", "process 0: 25,", "process 1: 25,", " MiB sent"],
    );
    says(&outputs[1], 0, &["process 1: 25,", "process 0 has the answer"]);
}

#[test]
fn what_each_process_has_had_is_told_with_a_violation_too() {
    let case = Case::new(2);
    let outputs = case.all(2, &["--config", "Bad.cfg"]);
    let repeat = "kilter check Spec.tla --config Bad.cfg --hosts hosts --host 0";
    says(&outputs[0], 12, &["Seen is violated", "process 0: ", "process 1: ", " MiB sent", repeat]);
    says(&outputs[1], 0, &["process 1: ", "process 0 has the answer"]);
    let outputs = case.all(2, &["--config", "Bad.cfg", "--json"]);
    let answer = json(&outputs[0]);
    let shares = answer["hosts"].as_array().expect("each has a share");
    assert!(
        shares.len() == 2 && shares.iter().all(|share| share["states"].as_u64() > Some(1000)),
        "{shares:?}"
    );
}

#[test]
fn a_process_that_never_comes_is_named() {
    let case = Case::new(3);
    let (first, second) = (case.host(0, &["--hosts-wait", "2s"]), case.host(1, &["--hosts-wait", "2s"]));
    let addresses = fs::read_to_string(case.folder.path().join("hosts")).expect("it is there");
    let missing = addresses.lines().nth(2).expect("there are three");
    let wanted = format!("not there after 2 s: process 2 at {missing};");
    for child in [first, second] {
        says(&child.wait_with_output().expect("it ends"), 153, &[&wanted]);
    }
    // Somebody else listens there, who never says anything.
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let strange = listener.local_addr().expect("it has an address");
    case.write("hosts", &format!("{strange}\n{}", self::addresses(1)));
    let second = case.host(1, &["--hosts-wait", "1s"]).wait_with_output().expect("it ends");
    says(
        &second,
        153,
        &[&format!(
            "not there after 1 s: process 0 at {strange} (what listens there is no process of a search"
        )],
    );
}

#[test]
fn a_process_that_is_killed_leaves_no_answer() {
    let case = Case::new(3);
    case.lasts_long();
    let mut running: Vec<Child> = (0..3).map(|number| case.host(number, &[])).collect();
    std::thread::sleep(Duration::from_secs(3));
    running[1].kill().expect("it runs");
    let mut names_it = false;
    for (number, child) in running.into_iter().enumerate() {
        let output = child.wait_with_output().expect("it ends");
        if number != 1 {
            says(&output, 153, &["of the search is gone", "without its states there is no answer"]);
            names_it |= String::from_utf8_lossy(&output.stderr).contains("process 1 of the search is gone");
        }
    }
    // The first one that notices it ends, too, and that may be all that the other one notices.
    assert!(names_it);
}

#[test]
fn a_search_that_lost_a_process_goes_on_from_its_checkpoint() {
    let case = Case::new(3);
    let alone = case.run(&["--config", "Bad.cfg", "--json"]);
    let options = |me: usize| {
        ["--config", "Bad.cfg", "--json", "--checkpoint", "0s", "--disk"]
            .map(str::to_owned)
            .into_iter()
            .chain([format!("disk{me}")])
    };
    let start = |me: usize, more: &[&str]| {
        let options: Vec<String> = options(me).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
        case.host(me, &options)
    };
    let mut running: Vec<Child> = (0..3).map(|me| start(me, &[])).collect();
    let checkpoint = case.folder.path().join("disk2/checkpoint-before");
    while !checkpoint.exists() && running[1].try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    running[1].kill().expect("it is a child");
    let ended: Vec<Output> =
        running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
    says(&ended[2], 153, &["process 1 of the search is gone", "start all processes again with --recover"]);
    let running: Vec<Child> = (0..3).map(|me| start(me, &["--recover"])).collect();
    let ended: Vec<Output> =
        running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
    let codes: Vec<_> = ended.iter().map(|output| output.status.code()).collect();
    assert_eq!(codes, [alone.status.code(), Some(0), Some(0)]);
    let (wanted, found) = (json(&alone), json(&ended[0]));
    for key in ["verdict", "message", "property", "trace", "depth"] {
        assert_eq!(found[key], wanted[key], "{key}");
    }
    for me in 0..3 {
        let left = fs::read_dir(case.folder.path().join(format!("disk{me}"))).expect("it is there");
        let names: Vec<_> = left.map(|one| one.expect("readable").file_name()).collect();
        assert_eq!(names, ["lock"], "process {me}");
    }
}

/// Starts a process of a search with a disk of its own.
fn with_disk(case: &Case, me: usize, more: &[&str]) -> Child {
    let disk = format!("disk{me}");
    case.host(me, &[&["--json", "--disk", &disk], more].concat())
}

/// All processes of a search with disks, to their ends.
fn all_with_disks(case: &Case, n_processes: usize, more: &[&str]) -> Vec<Output> {
    let running: Vec<Child> = (0..n_processes).map(|me| with_disk(case, me, more)).collect();
    running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect()
}

/// Whoever ends a search by a limit wants to go on from there, not from the last checkpoint that it was time for.
#[test]
fn a_search_that_ends_early_goes_on_from_where_it_was() {
    let case = Case::new(2);
    for config in ["Spec.cfg", "Bad.cfg"] {
        let alone = json(&case.run(&["--config", config, "--json"]));
        let cut = all_with_disks(&case, 2, &["--config", config, "--states-max", "9000"]);
        let (cut, code) = (json(&cut[0]), cut[0].status.code());
        assert_eq!((&cut["verdict"], code), (&"bounded".into(), Some(0)), "{cut}");
        let n_kept = cut["disk"]["checkpoint_states"].as_u64().expect("there is a checkpoint");
        assert!((8_000..=9_500).contains(&n_kept), "{config}: {n_kept}");
        let ended = all_with_disks(&case, 2, &["--config", config, "--recover"]);
        let found = json(&ended[0]);
        assert_eq!(found["disk"]["recovered_states"], n_kept, "{config}");
        for key in ["verdict", "message", "property", "trace", "depth"] {
            assert_eq!(found[key], alone[key], "{config}: {key}");
        }
        if alone["verdict"] == "ok" {
            for key in ["states_generated", "distinct_states", "coverage"] {
                assert_eq!(found[key], alone[key], "{config}: {key}");
            }
        }
    }
}

/// It has a part of the states, and everything holds in a part.
#[test]
fn one_process_does_not_go_on_alone_from_a_part_of_a_search() {
    let case = Case::new(2);
    all_with_disks(&case, 2, &["--states-max", "9000"]);
    for me in 0..2 {
        let alone = case.run(&["--disk", &format!("disk{me}"), "--recover"]);
        says(&alone, 2, &["of a search by 2 processes", "the same --hosts in all of them"]);
    }
    says(&all_with_disks(&case, 2, &["--recover"])[0], 0, &["\"verdict\":\"ok\""]);
}

/// The disk of one process is full before a checkpoint, in a level of which it may have no state. All go on from the checkpoint before.
#[test]
fn a_full_disk_of_one_process_leaves_a_checkpoint_that_all_have() {
    let case = Case::new(2);
    let alone = json(&case.run(&["--json"]));
    for kilobytes in [30, 120] {
        let first = with_disk(&case, 0, &["--checkpoint", "0s"]);
        let mut second = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_kilter");
        let words =
            "check Spec.tla --workers 1 --quiet --hosts hosts --host 1 --json --disk disk1 --checkpoint 0s";
        // Not in units of 512 bytes, as sh has them.
        second.args(["-c", &format!("ulimit -f {}; exec {program} {words}", 2 * kilobytes)]);
        second.current_dir(case.folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let second = second.spawn().expect("a shell can be started");
        let first = first.wait_with_output().expect("it ends");
        let second = second.wait_with_output().expect("it ends");
        says(&first, 153, &["process 1: File too large"]);
        says(&second, 153, &["\"disk_trouble\":\"File too large"]);
        let ended = all_with_disks(&case, 2, &["--recover"]);
        let found = json(&ended[0]);
        assert!(found["disk"]["recovered_states"].as_u64() > Some(100), "{found}");
        for key in ["verdict", "depth", "states_generated", "distinct_states", "coverage"] {
            assert_eq!(found[key], alone[key], "{kilobytes}: {key}");
        }
    }
}

#[test]
fn a_process_without_a_checkpoint_is_named() {
    let case = Case::new(2);
    let together = |folders: [&str; 2], more: &[&str]| {
        let start = |me: usize| case.host(me, &[&["--disk", folders[me]], more].concat());
        [start(0), start(1)].map(|child| child.wait_with_output().expect("it ends"))
    };
    for output in together(["a", "b"], &["--depth-max", "3"]) {
        assert!(output.status.success(), "{output:?}");
    }
    for output in together(["a", "other"], &["--recover"]) {
        says(&output, 2, &["process 1 has no checkpoint to go on from"]);
    }
    let [first, second] = together(["a", "other"], &[]);
    says(&first, 2, &["the folder holds a search that can go on"]);
    says(&second, 2, &["process 0 has a checkpoint of the search already"]);
    for output in together(["x", "y"], &["--recover"]) {
        says(&output, 2, &["there is no checkpoint to go on from"]);
    }
}

#[test]
fn an_interrupt_of_one_process_ends_all() {
    let case = Case::new(2);
    case.lasts_long();
    let running: Vec<Child> = (0..2).map(|number| case.host(number, &[])).collect();
    std::thread::sleep(Duration::from_secs(3));
    let pid = rustix::process::Pid::from_raw(running[1].id() as i32).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let outputs: Vec<Output> =
        running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
    says(&outputs[0], 130, &["bounded: "]);
    says(&outputs[1], 130, &["process 1: "]);
}

#[test]
fn processes_that_search_something_else_are_told() {
    let case = Case::new(2);
    let first = case.host(0, &[]);
    let second = case.host(1, &["--config", "Bad.cfg"]);
    let outputs = [first, second].map(|child| child.wait_with_output().expect("it ends"));
    // One of them hears it from the other, and may be gone before that one has heard it.
    let texts = outputs.map(|output| {
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    });
    assert!(texts.iter().any(|text| text.contains("has another configuration")), "{texts:?}");
}

#[test]
fn what_does_not_fit_is_told_before_anybody_waits() {
    let case = Case::new(2);
    let host = ["--hosts", "hosts", "--host"];
    says(&case.run(&[&host[..], &["2"]].concat()), 2, &["there is no process 2", "from 0 to 1"]);
    says(&case.run(&["--hosts", "hosts"]), 2, &["--host <N>"]);
    says(
        &case.run(&[&host[..], &["x"]].concat()),
        2,
        &["'x' for '--host <N>': it should be the number of a line"],
    );
    says(&case.run(&["--hosts", "nobody", "--host", "0"]), 2, &["nobody: it cannot be read"]);
    case.write("hosts", "here\n");
    says(&case.run(&[&host[..], &["0"]].concat()), 2, &["line 1: `here` is no address"]);
    case.write("hosts", "127.0.0.1:1\n192.0.2.1:7\n");
    says(&case.run(&[&host[..], &["1"]].concat()), 2, &["cannot listen at 192.0.2.1:7, which is process 1"]);
    let temporal = [&host[..], &["0", "--config", "Temporal.cfg"]].concat();
    case.write("hosts", &addresses(1));
    says(&case.run(&temporal), 2, &["does not check temporal properties", "leave out --hosts"]);
}
