//! How commands end when their output cannot be written, and when a signal tells them to. Covers the verbs in their
//! phases, with real signals.

use crate::common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const INTERRUPTED: Option<i32> = Some(130);

/// Files for the verbs.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        let files = Files(tempfile::tempdir().expect("a folder"));
        files.kilter(&["example", "--save", &files.path("")]);
        // A search of this specification does not end.
        files.write("Long.tla", "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nStep == x' = x + 1\nNext == Step\n====\n");
        files.write("Long.cfg", "INIT Init\nNEXT Next\n");
        files.write(
            "Assume.tla",
            "---- MODULE Assume ----\nEXTENDS Naturals\nASSUME \\A s \\in SUBSET (1..60) : s \\subseteq 1..60\n====\n",
        );
        files.write("Assume.cfg", "");
        files.write("Wide.tla", "---- MODULE Wide ----\nEXTENDS Naturals\nVARIABLE x\nInit == x \\in SUBSET (1..60)\nNext == UNCHANGED x\n====\n");
        files.write("Wide.cfg", "INIT Init\nNEXT Next\n");
        files.write("Line.tla", "---- MODULE Line ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 5000 /\\ x' = x + 1\n====\n");
        files.write("Line.cfg", "INIT Init\nNEXT Next\n");
        files.kilter(&[
            "check",
            &files.path("Line.tla"),
            "--no-deadlock",
            "--graph",
            &files.path("line.graph"),
        ]);
        let header = kilter_run::Header {
            format: kilter_run::FORMAT.to_owned(),
            version: kilter_run::VERSION,
            ..kilter_run::Header::default()
        };
        files.write("record.jsonl", &format!("{}\n", serde_json::to_string(&header).expect("it is JSON")));
        for (name, build, command) in [("build", "sleep", "true"), ("nodes", "true", "sleep")] {
            let build = if build == "sleep" { "\"sleep\", \"1000\"" } else { "\"true\"" };
            let command = if command == "sleep" { "\"sleep\", \"1000\"" } else { "\"true\"" };
            files.write(&format!("{name}.toml"), &mapping("Few.tla", build, command));
        }
        files.write("Few.tla", "---- MODULE Few ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nStep == x < 3 /\\ x' = x + 1\nNext == Step\n====\n");
        files.write("Few.cfg", "INIT Init\nNEXT Next\n");
        files.write(
            "store.toml",
            "model = \"quorum\"\nreplicas = 3\nops = 2\n[system]\nkind = \"line\"\ncommand = [\"sh\", \"-c\", \"exec sleep 1000\"]\npatience-ms = 600000\n",
        );
        files.write("nodes-alone.toml", "[system]\nnodes = [\"n1\"]\ncommand = [\"sleep\", \"1000\"]\n");
        files.write("long.toml", &mapping("Long.tla", "\"true\"", "\"true\""));
        files
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn kilter(&self, args: &[&str]) {
        let status =
            self.command(args).stderr(Stdio::null()).stdout(Stdio::null()).status().expect("kilter runs");
        assert!(status.success(), "{args:?}");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.current_dir(self.0.path()).args(args);
        command
    }
}

fn mapping(spec: &str, build: &str, command: &str) -> String {
    format!(
        "[spec]\nfile = \"{spec}\"\n[system]\nnodes = [\"n1\"]\nbuild = [{build}]\ncommand = [{command}]\n\
         [variables]\nx = {{ kind = \"global\", node = \"n1\", shape = \"int\" }}\n[actions]\nStep = {{ kind = \"request\", node = \"n1\" }}\n"
    )
}

/// Short commands that print something, for each verb except those that need a system. For these, see
/// `systems/protocols/tests/ends.rs`.
fn short() -> Vec<Vec<String>> {
    let converge = common::root().join("systems/converge/toystore.toml").display().to_string();
    let diff = "diff --old Register.tla Register_fixed.cfg --new Register.tla Register_fixed.cfg";
    let mut commands: Vec<String> = [
        "check Register.tla",
        "check Register.tla --json",
        "check Register.tla --config Register_fixed.cfg",
        "check Missing.tla --json",
        "simulate Register.tla --behaviors 3",
        "simulate Register.tla --behaviors 3 --json",
        "graph info line.graph",
        "graph info line.graph --json",
        "graph export line.graph --to dot",
        "graph export line.graph --to json",
        "graph export line.graph --to itf --state 7",
        "suite line.graph",
        "suite line.graph --json",
        "example",
        "example --json",
        "completions bash",
        "demo",
        "man",
        "init Few.tla --out -",
        "map nodes.toml",
        "map nodes.toml --json",
        "map missing.toml --json",
        "report record.jsonl",
        "report record.jsonl --json",
        diff,
    ]
    .map(str::to_owned)
    .to_vec();
    commands.push(format!("{diff} --json"));
    for json in ["", " --json"] {
        commands.push(format!("converge {converge} --list{json}"));
    }
    commands.iter().map(|command| command.split(' ').map(str::to_owned).collect()).collect()
}

#[test]
fn a_graph_that_cannot_be_written_is_an_error_before_the_search() {
    let files = Files::new();
    // A search of this specification would not end.
    let output =
        files.command(&["check", "Long.tla", "--graph", "missing/x.graph"]).output().expect("kilter runs");
    assert_eq!(output.status.code(), Some(153));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("missing/x.graph cannot be written"), "{said}");
}

#[test]
fn a_verdict_is_told_before_its_graph_turns_out_to_be_unwritable() {
    let files = Files::new();
    for json in [None, Some("--json")] {
        let args = ["check", "Register.tla", "--graph", "/dev/full"];
        let output = files.command(&args).args(json).output().expect("kilter runs");
        assert_eq!(output.status.code(), Some(153), "{json:?}");
        let (told, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(told.contains("the invariant") && told.contains("is violated"), "{told}");
        assert!(said.contains("/dev/full cannot be written"), "{said}");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error_of_every_verb() {
    let files = Files::new();
    for args in short() {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let output = files.command(&args).stdout(full).output().expect("kilter runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(153), "{args:?}: {text}");
        assert!(
            text.contains("standard output cannot be written: No space left on device"),
            "{args:?}: {text}"
        );
    }
}

#[test]
fn nobody_who_listens_is_a_quiet_end_of_every_verb() {
    let files = Files::new();
    for args in short() {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (listener, pipe) = std::io::pipe().expect("a pipe");
        drop(listener);
        let output = files.command(&args).stdout(pipe).output().expect("kilter runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(141), "{args:?}: {text}");
        assert!(!text.contains("cannot be written") && !text.contains("has a bug"), "{args:?}: {text}");
    }
}

/// The phases in which a signal comes, each with a command that gets there and stays there.
fn phases(files: &Files) -> Vec<(&'static str, Vec<String>)> {
    let fifo = files.path("fifo");
    if !Path::new(&fifo).exists() {
        let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
        assert!(made.success());
    }
    let converge = common::root().join("systems/converge/toystore.toml").display().to_string();
    let long = "diff --cache cache --old Few.tla Few.cfg --new Long.tla Long.cfg";
    let commands = [
        ("check, searching", "check Long.tla".to_owned()),
        ("check with a graph, searching", "check Long.tla --graph long.graph".to_owned()),
        ("check, assumptions", "check Assume.tla".to_owned()),
        ("check, initial states", "check Wide.tla".to_owned()),
        ("simulate", "simulate Long.tla --behaviors 1000000000".to_owned()),
        ("graph export, writing", "graph export line.graph --to json".to_owned()),
        ("suite, writing", "suite line.graph --out fifo".to_owned()),
        ("report, writing", "report record.jsonl --html fifo".to_owned()),
        ("init, initial states", "init Wide.tla --out wide.toml".to_owned()),
        ("diff, searching", long.to_owned()),
        ("test, searching", "test long.toml --report searching".to_owned()),
        ("test, building", "test build.toml --report building".to_owned()),
        ("test, starting nodes", "test nodes.toml --report starting".to_owned()),
        ("explore, starting nodes", "explore nodes-alone.toml --report exploring".to_owned()),
        ("converge, listing", format!("converge {converge} --ops 4 --list")),
        ("converge, waiting for a store", "converge store.toml --report converged".to_owned()),
    ];
    commands.map(|(phase, command)| (phase, command.split(' ').map(str::to_owned).collect())).into()
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// All descendants of a process.
fn descendants(of: u32) -> Vec<u32> {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    for entry in fs::read_dir("/proc").expect("there").flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse() else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        parents.extend(parent.map(|parent| (process, parent)));
    }
    let mut found = vec![of];
    let mut index = 0;
    while let Some(parent) = found.get(index).copied() {
        found.extend(parents.iter().filter(|(_, other)| *other == parent).map(|(process, _)| *process));
        index += 1;
    }
    found.split_off(1)
}

/// The directories that guards watch. A command makes them for its nodes.
fn scratch(processes: &[u32]) -> Vec<PathBuf> {
    let guarded = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        let place = words.iter().position(|word| *word == b"kilter-guard")?;
        Some(PathBuf::from(String::from_utf8_lossy(words.get(place + 1)?).into_owned()))
    };
    processes.iter().filter_map(guarded).collect()
}

/// Whether a process exists and is not a zombie.
fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// A process is in a phase of computing when it has computed for this long, in hundredths of a second.
const PHASE_TICKS: u64 = 30;
/// A process is in a phase of waiting when all its threads were asleep in this many looks in a row.
const PHASE_LOOKS: u32 = 20;

/// The computing time of a process in hundredths of a second, and whether all its threads sleep.
fn activity(process: u32) -> (u64, bool) {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let stats = tasks.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    let sleeps =
        stats.into_iter().all(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S')));
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
    (fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum(), sleeps)
}

/// Whether a signal is in the set that `/proc` shows under this name.
fn has_signal(process: u32, set: &str, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':'));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// Waits until the process catches signals, and then until it computes or waits for something outside.
fn await_phase(child: &mut Child, phase: &str) {
    let mut catches = false;
    let mut n_asleep = 0;
    loop {
        assert!(child.try_wait().expect("it is ours").is_none(), "{phase}: it has ended");
        catches = catches || has_signal(child.id(), "SigCgt", Signal::TERM);
        let (ticks, sleeps) = activity(child.id());
        n_asleep = if catches && sleeps { n_asleep + 1 } else { 0 };
        if catches && (ticks >= PHASE_TICKS || n_asleep >= PHASE_LOOKS) {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn check_signals(signal: Signal, times: usize) {
    let files = Files::new();
    for (phase, args) in phases(&files) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // Nobody reads the output before the end.
        let mut command = files.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kilter runs");
        await_phase(&mut child, phase);
        let below = descendants(child.id());
        let directories = scratch(&below);
        for _ in 0..times {
            // The process may have ended after the first signal.
            let _ = kill_process(pid(&child), signal);
            while child.try_wait().expect("it is ours").is_none() && has_signal(child.id(), "ShdPnd", signal)
            {
                thread::sleep(Duration::from_millis(1));
            }
        }
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), INTERRUPTED, "{phase}: {}", output.status);
        // A verb that has nothing to put in order ends at once, without a word. `explore` waits for its nodes first, and
        // then tells what became of them.
        let is_tidy = ["check", "simulate", "diff", "test"].iter().any(|verb| phase.starts_with(verb));
        if times == 1 && is_tidy {
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            assert!(said.iter().any(|text| text.contains("interrupted")), "{phase}: {}", said[1]);
        }
        // Guards need a moment, and a long one on a busy machine.
        while below.iter().any(|process| is_alive(*process)) || directories.iter().any(|dir| dir.exists()) {
            thread::sleep(Duration::from_millis(10));
        }
        let left = fs::read_dir(files.0.path()).expect("there").flatten();
        let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(left.iter().all(|name| !name.starts_with('.')), "{phase}: {left:?}");
    }
}

#[test]
fn ctrl_c_ends_every_phase() {
    check_signals(Signal::INT, 1);
}

#[test]
fn a_second_sigterm_ends_every_phase_at_once() {
    check_signals(Signal::TERM, 2);
}
