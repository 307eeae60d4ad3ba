//! `kilter check --disk` as a process: signals, full disks, files that are damaged or of another search, and the lock.

use crate::common;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::says;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A module of 50,000 states in a hundred levels, whose values are made on the way.
const SPEC: &str = "---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLES a, b, log
Init == a = 0 /\\ b = 0 /\\ log = <<>>
A == a < 100 /\\ a' = a + 1 /\\ log' = <<a', \"a\">> /\\ UNCHANGED b
B == b < 250 /\\ b' = b + 1 /\\ log' = <<b', \"b\">> /\\ UNCHANGED a
Back == a = 100 /\\ b = 250 /\\ log' = <<>> /\\ UNCHANGED <<a, b>>
Next == A \\/ B \\/ Back
Low == a + b < 351
Seen == ~(a = 100 /\\ b = 249)
====
";

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Case {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let case = Case { folder };
        case.write("Spec.tla", SPEC);
        case.write("Spec.cfg", "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n");
        case.write("Bad.cfg", "INIT Init\nNEXT Next\nINVARIANT Seen\nCHECK_DEADLOCK FALSE\n");
        case
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file can be written");
    }

    fn on_disk(&self, name: &str) -> PathBuf {
        self.folder.path().join("disk").join(name)
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.args(["check", "Spec.tla"]).args(options).current_dir(self.folder.path());
        command
    }

    fn run(&self, options: &[&str]) -> Output {
        self.command(options).output().expect("kilter can be started")
    }

    /// Starts a search on disk that writes checkpoints all the time.
    fn start(&self, options: &[&str]) -> Child {
        let always = ["--disk", "disk", "--checkpoint", "0s", "--quiet"];
        let mut command = self.command(&[options, &always].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kilter can be started")
    }

    /// Waits for a checkpoint, and then sends a signal.
    fn signalled(&self, mut child: Child, signal: Signal, after: Duration) -> Output {
        let began = Instant::now();
        while !self.on_disk("checkpoint").exists() && child.try_wait().expect("a child").is_none() {
            assert!(began.elapsed() < Duration::from_secs(120), "there is no checkpoint");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(after);
        let pid = Pid::from_raw(child.id() as i32).expect("a process");
        // It may have come to its end.
        let _ = kill_process(pid, signal);
        child.wait_with_output().expect("it ends")
    }

    /// What is on disk after a search, besides the lock.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("disk")).expect("a folder");
        let names = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
        names.sort();
        names
    }
}

/// What must be the same in each search.
fn answer(output: &Output) -> (Option<i32>, Value) {
    let mut found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("an object: {}", String::from_utf8_lossy(&output.stderr)));
    for varying in ["seconds", "memory_bytes", "bytes_per_state", "values", "disk"] {
        found[varying] = Value::Null;
    }
    if output.status.code() != Some(0) {
        // How many states a search has found when it ends early depends on the size of blocks, and so on time.
        for varying in ["states_generated", "distinct_states", "coverage"] {
            found[varying] = Value::Null;
        }
    }
    (output.status.code(), found)
}

#[test]
fn a_search_goes_on_after_any_signal() {
    let case = Case::new();
    for config in ["Spec.cfg", "Bad.cfg"] {
        let wanted = answer(&case.run(&["--config", config, "--json"]));
        let signals = [(Signal::KILL, 0), (Signal::INT, 30), (Signal::KILL, 90), (Signal::TERM, 150)];
        for (round, (signal, after_ms)) in signals.into_iter().enumerate() {
            // The first search begins, the others go on from where the last one was ended.
            let go_on = case.folder.path().join("disk/checkpoint").exists();
            let recover: &[&str] = if go_on { &["--recover"] } else { &[] };
            let workers = ["1", "2"][round % 2];
            let child =
                case.start(&[recover, &["--config", config, "--json", "--workers", workers]].concat());
            let output = case.signalled(child, signal, Duration::from_millis(after_ms));
            match output.status.code() {
                // It ended before it listened to signals, or before it searched.
                None => {}
                Some(130) if output.stdout.is_empty() => {}
                Some(130) => says(&output, 130, &["\"verdict\":\"bounded\"", "checkpoint_states"]),
                Some(_) => assert_eq!(answer(&output), wanted),
            }
        }
        if case.on_disk("checkpoint").exists() {
            let last = case.run(&["--config", config, "--json", "--disk", "disk", "--recover"]);
            assert_eq!(answer(&last), wanted);
        }
        assert_eq!(case.left(), [""; 0]);
    }
}

#[test]
fn a_search_that_was_cut_short_says_how_it_goes_on() {
    let case = Case::new();
    let cut = case.run(&["--disk", "disk", "--states-max", "2000"]);
    says(&cut, 0, &["bounded: ", "the search can go on from ", "--disk disk --recover\n"]);
    assert_eq!(case.left(), ["checkpoint", "names", "states", "values"]);
    says(&case.run(&["--disk", "disk"]), 2, &["go on with --recover, or remove its file `checkpoint`"]);
    let refused = [
        (&["--no-deadlock"] as &[&str], "a search with another setting of --no-deadlock"),
        (&["--continue"], "a search with another setting of --continue"),
        (&["--config", "Bad.cfg"], "a search with another configuration"),
        (&["--seed", "4"], "a search with another --seed"),
        (&["--depth-max", "3"], "has already come to depth"),
    ];
    for (options, why) in refused {
        says(&case.run(&[&["--disk", "disk", "--recover"], options].concat()), 2, &[why]);
    }
    case.write("Spec.tla", &SPEC.replace("a < 100", "a < 101"));
    says(&case.run(&["--disk", "disk", "--recover"]), 2, &["a search with another specification"]);
    case.write("Spec.tla", SPEC);
    let wanted = answer(&case.run(&["--json"]));
    let found = case.run(&["--disk", "disk", "--recover", "--json", "--memory-max", "2GiB"]);
    assert_eq!(answer(&found), wanted);
    assert_eq!(case.left(), [""; 0]);
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let case = Case::new();
    let go_on = ["--disk", "disk", "--recover"];
    says(&case.run(&go_on), 2, &["there is no checkpoint to go on from", "leave out --recover"]);
    case.run(&["--disk", "disk", "--states-max", "2000"]);
    for file in ["checkpoint", "names", "states", "values"] {
        let path = case.on_disk(file);
        let whole = fs::read(&path).expect("it is there");
        let mut wrong = whole.clone();
        wrong[whole.len() / 2] ^= 1;
        for (bytes, how) in [(wrong.as_slice(), "is damaged"), (&whole[..whole.len() - 1], "is ")] {
            fs::write(&path, bytes).expect("it can be written");
            let said = format!("the file `{file}` {how}");
            says(&case.run(&go_on), 2, &[&said, "begin anew"]);
        }
        fs::write(&path, &whole).expect("it can be written");
    }
    let path = case.on_disk("checkpoint");
    let whole = fs::read(&path).expect("it is there");
    for (text, who) in
        [("kilter checkpoint 0\n...", "another version of Kilter"), ("hello", "something else")]
    {
        fs::write(&path, text).expect("it can be written");
        says(&case.run(&go_on), 2, &[&format!("has been written by {who}")]);
    }
    fs::write(&path, &whole).expect("it can be written");
    // What was written after the checkpoint does not count.
    let states = [fs::read(case.on_disk("states")).expect("it is there"), vec![1; 1000]].concat();
    fs::write(case.on_disk("states"), states).expect("it can be written");
    assert_eq!(case.run(&go_on).status.code(), Some(0));
}

#[test]
fn one_search_at_a_time_uses_a_folder() {
    let case = Case::new();
    let child = case.start(&["--config", "Spec.cfg"]);
    let pid = child.id().to_string();
    let began = Instant::now();
    while !case.on_disk("checkpoint").exists() {
        assert!(began.elapsed() < Duration::from_secs(120), "there is no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = case.run(&["--disk", "disk", "--recover"]);
    case.signalled(child, Signal::KILL, Duration::ZERO);
    if second.status.code() == Some(2) && case.on_disk("checkpoint").exists() {
        says(&second, 2, &["is in use by process", &pid, "--disk"]);
    }
}

#[test]
fn a_full_disk_ends_the_search_and_it_goes_on() {
    let case = Case::new();
    let wanted = answer(&case.run(&["--json"]));
    // A file may have this many blocks of 1024 bytes at most.
    let line = format!(
        "ulimit -f 200; exec {} check Spec.tla --disk disk --checkpoint 0s --json",
        env!("CARGO_BIN_EXE_kilter")
    );
    let full = Command::new("bash").args(["-c", &line]).current_dir(case.folder.path()).output();
    let full = full.expect("a shell can be started");
    says(&full, 153, &["\"verdict\":\"bounded\"", "the disk could not be used any more"]);
    let found = case.run(&["--disk", "disk", "--recover", "--json"]);
    assert_eq!(answer(&found), wanted);
    assert_eq!(case.left(), [""; 0]);
}

#[test]
fn what_is_not_done_on_disk_is_refused_before_the_search() {
    let case = Case::new();
    let on_disk = ["--disk", "disk"];
    says(&case.run(&[&on_disk as &[&str], &["--graph", "out"]].concat()), 2, &["keeps no graph"]);
    case.write("Live.cfg", "SPECIFICATION Live\nPROPERTY Ends\n");
    case.write(
        "Spec.tla",
        &SPEC.replace("====", "Live == Init /\\ [][Next]_<<a, b, log>>\nEnds == <>(a = 100)\n===="),
    );
    let live = case.run(&["--config", "Live.cfg", "--disk", "disk"]);
    says(&live, 2, &["does not check temporal properties (Ends); leave out --disk"]);
    let of_tlc = case.run(&["--config", "Live.cfg", "-recover", "disk"]);
    says(&of_tlc, 2, &["does not check temporal properties (Ends); leave out -recover,"]);
    case.write(
        "Spec.tla",
        &SPEC.replace("Sequences", "Sequences, TLC").replace("Next == A", "Next == (TLCSet(1, a) /\\ A)"),
    );
    says(&case.run(&on_disk), 2, &["depend on the order of evaluation"]);
    assert_eq!(case.left(), [""; 0]);
    says(&case.run(&["Spec.cfg", "--disk", "disk"]), 2, &["--disk is for one specification alone"]);
    assert_eq!(case.run(&["--recover"]).status.code(), Some(2));
}

#[test]
fn the_command_to_go_on_with_is_as_it_was_typed() {
    let case = Case::new();
    let options = ["--disk", "disk", "--memory-max", "200MiB", "--checkpoint", "2s", "--depth-max", "3"];
    // With the same limit, it would end at once.
    says(&case.run(&["--disk", "deep", "--depth-max", "3"]), 0, &[", with a larger --depth-max:\n"]);
    let wanted = "--depth-max 3 --memory-max 200MiB --disk disk --checkpoint 2s --recover";
    says(&case.run(&options), 0, &["bounded", wanted]);
    let again = case.run(&["--disk", "disk", "--recover", "--memory-max", "1.5 GiB", "--depth-max", "4"]);
    says(&again, 0, &["--depth-max 4 --memory-max '1.5 GiB' --disk disk --recover"]);
}
