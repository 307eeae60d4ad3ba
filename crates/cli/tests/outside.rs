//! What specifications may do with files and programs, tested through the command line. Also, input files that are not
//! regular files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rustix::process::{Pid, Signal, kill_process};

/// Writes a specification whose initial state is the value of an expression.
fn write_spec(folder: &Path, extends: &str, expression: &str) {
    let spec = format!(
        "---- MODULE Spec ----\nEXTENDS {extends}\nVARIABLE x\nInit == x = {expression}\nNext == x' = x\n====\n"
    );
    fs::write(folder.join("Spec.tla"), spec).expect("the specification can be written");
    fs::write(folder.join("Spec.cfg"), "INIT Init\nNEXT Next\n").expect("the configuration can be written");
}

fn kilter(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.current_dir(folder).args(args).output().expect("kilter runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Every operator that writes files or runs programs: the modules it needs, its name, and a call that makes the file
/// `made`.
const DEEDS: [(&str, &str, &str); 10] = [
    ("IOUtils", "IOExec", r#"IOExec(<<"touch", "made">>)"#),
    ("IOUtils, TLC", "IOEnvExec", r#"IOEnvExec([A |-> "b"], <<"touch", "made">>)"#),
    ("IOUtils", "IOExecTemplate", r#"IOExecTemplate(<<"touch", "%s">>, <<"made">>)"#),
    ("IOUtils", "IOEnvExecTemplate", r#"IOEnvExecTemplate([A |-> "b"], <<"touch", "%s">>, <<"made">>)"#),
    ("IOUtils", "Serialize", r#"Serialize("text", "made", [format |-> "TXT", charset |-> "UTF-8"])"#),
    ("IOUtils", "IOSerialize", r#"IOSerialize(1, "made", FALSE)"#),
    ("Json", "JsonSerialize", r#"JsonSerialize("made", <<1>>)"#),
    ("Json", "ndJsonSerialize", r#"ndJsonSerialize("made", <<1>>)"#),
    ("CSV, Sequences", "CSVWrite", r#"CSVWrite("%s", <<1>>, "made")"#),
    ("CSV, Sequences", "CSVWriteRecord", r#"CSVWriteRecord([a |-> 1], ",", FALSE, "made")"#),
];

#[test]
fn specifications_write_and_run_only_what_is_allowed() {
    for (extends, operator, expression) in DEEDS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        write_spec(folder.path(), extends, expression);
        let refused = kilter(folder.path(), &["check", "Spec.tla"]);
        let text = said(&refused);
        assert_eq!(refused.status.code(), Some(75), "{operator}: {text}");
        assert!(text.contains(&format!("{operator} ")) && text.contains("--allow-io"), "{operator}: {text}");
        assert!(text.contains("Spec.tla:4:"), "the place of {operator}: {text}");
        assert!(!folder.path().join("made").exists(), "{operator}");
        let allowed = kilter(folder.path(), &["check", "Spec.tla", "--allow-io"]);
        assert_eq!(allowed.status.code(), Some(0), "{operator}: {}", said(&allowed));
        assert!(folder.path().join("made").exists(), "{operator}");
    }
}

#[test]
fn every_verb_that_evaluates_refuses() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write_spec(folder.path(), "IOUtils", r#"IOExec(<<"touch", "made">>).exitValue"#);
    let verbs: [&[&str]; 4] = [
        &["simulate", "Spec.tla"],
        &["init", "Spec.tla", "--out", "-"],
        &["diff", "--old", "Spec.tla", "--new", "Spec.tla"],
        &["check", "Spec.tla", "--workers", "2"],
    ];
    for verb in verbs {
        let output = kilter(folder.path(), verb);
        assert!(said(&output).contains("--allow-io"), "{verb:?}: {}", said(&output));
        assert!(!folder.path().join("made").exists(), "{verb:?}");
        let allowed: Vec<&str> = verb.iter().copied().chain(["--allow-io"]).collect();
        let output = kilter(folder.path(), &allowed);
        assert_eq!(output.status.code(), Some(0), "{allowed:?}: {}", said(&output));
        fs::remove_file(folder.path().join("made")).expect("the program was run");
    }
}

#[test]
fn an_assumption_is_evaluated_under_the_same_rules() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let spec = "---- MODULE Spec ----\nEXTENDS IOUtils\nASSUME IOExec(<<\"touch\", \"made\">>).exitValue = 0\n====\n";
    fs::write(folder.path().join("Spec.tla"), spec).expect("the specification can be written");
    fs::write(folder.path().join("Spec.cfg"), "").expect("the configuration can be written");
    let refused = kilter(folder.path(), &["check", "Spec.tla"]);
    assert_eq!(refused.status.code(), Some(75), "{}", said(&refused));
    assert!(!folder.path().join("made").exists());
    assert_eq!(kilter(folder.path(), &["check", "Spec.tla", "--allow-io"]).status.code(), Some(0));
    assert!(folder.path().join("made").exists());
}

#[test]
fn files_beside_the_specification_are_read_and_others_are_not() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let specs = folder.path().join("specs");
    fs::create_dir(&specs).expect("a folder can be made");
    fs::write(specs.join("in.json"), "[1, 2]").expect("a file can be written");
    fs::write(folder.path().join("out.json"), "[3]").expect("a file can be written");
    write_spec(&specs, "Json", r#"JsonDeserialize("in.json")"#);
    assert_eq!(kilter(&specs, &["check", "Spec.tla"]).status.code(), Some(0));
    write_spec(&specs, "Json", r#"JsonDeserialize("../out.json")"#);
    let refused = kilter(&specs, &["check", "Spec.tla"]);
    assert_eq!(refused.status.code(), Some(75));
    let text = said(&refused);
    assert!(text.contains("JsonDeserialize reads ../out.json") && text.contains("--allow-io"), "{text}");
    assert_eq!(kilter(&specs, &["check", "Spec.tla", "--allow-io"]).status.code(), Some(0));
    // A path begins where the command was typed, which may be elsewhere.
    let refused = said(&kilter(folder.path(), &["check", "specs/Spec.tla"]));
    assert!(refused.contains("relative paths begin in the current folder"), "{refused}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_nothing_hangs() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write_spec(folder.path(), "Naturals", "0");
    let made = Command::new("mkfifo").arg(folder.path().join("Fifo.tla")).status().expect("mkfifo runs");
    assert!(made.success());
    fs::create_dir(folder.path().join("Folder.tla")).expect("a folder can be made");
    for (what, why) in [
        ("/dev/zero", "a device"),
        ("Fifo.tla", "a named pipe"),
        ("Folder.tla", "a folder"),
        ("/dev/null", "a device"),
    ] {
        let verbs: [&[&str]; 9] = [
            &["check", what],
            &["check", "Spec.tla", "--config", what],
            &["simulate", what],
            &["init", what],
            &["graph", "info", what],
            &["graph", "import", what, "--from", "tlc-dot", "--out", "graph"],
            &["suite", what],
            &["diff", "--old", "Spec.tla", "--new", "Spec.tla", "--record", what],
            &["explore", what],
        ];
        for verb in verbs {
            let output = kilter(folder.path(), verb);
            let text = said(&output);
            assert!(output.status.code().is_some_and(|code| code != 0 && code != 101), "{verb:?}: {text}");
            // A folder may stand for a file in it.
            let is_told = text.contains(why) || text.contains("no record") || what == "Folder.tla";
            assert!(is_told && text.contains(what), "{verb:?}: {text}");
        }
        if what != "Folder.tla" {
            let output = kilter(folder.path(), &["map", what]);
            assert!(said(&output).contains(why), "map {what}: {}", said(&output));
        }
    }
}

#[test]
fn a_specification_comes_through_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write_spec(folder.path(), "Naturals", "0");
    let script =
        format!("cat Spec.cfg | '{}' check Spec.tla --config /dev/stdin", env!("CARGO_BIN_EXE_kilter"));
    let output = Command::new("sh").arg("-c").arg(script).current_dir(folder.path()).output();
    let output = output.expect("a shell runs");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn a_file_too_large_for_a_text_is_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = fs::File::create(folder.path().join("Spec.tla")).expect("a file can be made");
    file.set_len(300 << 20).expect("a file can have holes");
    let output = kilter(folder.path(), &["check", "Spec.tla"]);
    assert_eq!(output.status.code(), Some(150));
    assert!(said(&output).contains("too large"), "{}", said(&output));
}

#[test]
fn several_workers_run_a_program_of_the_initial_predicate_once() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let expression = r#"IOExec(<<"sh", "-c", "echo run >> made">>).exitValue /\ y \in 1..64"#;
    write_spec(folder.path(), "IOUtils, Naturals", expression);
    let path = folder.path().join("Spec.tla");
    let spec = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, spec.replace("VARIABLE x", "VARIABLES x, y").replace("x' = x", "UNCHANGED <<x, y>>"))
        .expect("the specification can be written");
    let output = kilter(folder.path(), &["check", "Spec.tla", "--allow-io", "--workers", "2"]);
    assert!(said(&output).contains("64 distinct states"), "{}", said(&output));
    assert_eq!(fs::read_to_string(folder.path().join("made")).expect("the program ran"), "run\n");
}

/// A specification that waits for a program with a unique command line.
struct Waiting {
    folder: tempfile::TempDir,
    seconds: String,
}

impl Waiting {
    fn new(number: u8) -> Waiting {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let seconds = format!("1{:07}.{number}", std::process::id());
        // The shell has a child process, which must end too.
        let expression = format!(r#"IOExec(<<"sh", "-c", "sleep {seconds}; true">>)"#);
        write_spec(folder.path(), "IOUtils", &expression);
        Waiting { folder, seconds }
    }

    fn start(&self, args: &[&str]) -> std::process::Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.current_dir(self.folder.path()).args(["check", "Spec.tla", "--allow-io"]).args(args);
        command.stdout(std::process::Stdio::piped()).spawn().expect("kilter runs")
    }

    /// Whether the program or its shell is running.
    fn runs(&self) -> bool {
        let processes = fs::read_dir("/proc").expect("processes are listed").flatten();
        let line = |process: fs::DirEntry| fs::read(process.path().join("cmdline")).unwrap_or_default();
        processes.map(line).any(|line| {
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains(&self.seconds) && line.contains("sleep") && !line.contains("kilter")
        })
    }

    fn wait_until(&self, runs: bool) {
        wait_for("the program", || self.runs() == runs);
    }
}

/// Waits until `is_so` holds.
#[track_caller]
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(300), "waited too long for {what}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Whether a process has started a guard for the programs that it runs.
fn has_guard(process: u32) -> bool {
    let processes = fs::read_dir("/proc").expect("processes are listed").flatten();
    let is_guard = |other: fs::DirEntry| {
        let line = fs::read(other.path().join("cmdline")).unwrap_or_default();
        let stat = fs::read_to_string(other.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        String::from_utf8_lossy(&line).contains("kilter-guard") && parent == Some(process)
    };
    processes.into_iter().any(is_guard)
}

#[test]
fn a_program_ends_when_the_time_is_over() {
    let waiting = Waiting::new(1);
    let output = waiting.start(&["--time-max", "1s"]).wait_with_output().expect("kilter ends");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("bounded: nothing wrong was found before the time was over"));
    waiting.wait_until(false);
}

#[test]
fn a_program_ends_with_the_first_interrupt() {
    let waiting = Waiting::new(2);
    let child = waiting.start(&[]);
    waiting.wait_until(true);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("kilter ends");
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    waiting.wait_until(false);
}

#[test]
fn a_program_ends_when_kilter_is_killed() {
    let waiting = Waiting::new(3);
    let mut child = waiting.start(&[]);
    waiting.wait_until(true);
    // Programs get a guard when they have run for a while.
    wait_for("the guard", || has_guard(child.id()));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    waiting.wait_until(false);
}
