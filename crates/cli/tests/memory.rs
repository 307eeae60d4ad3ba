//! With little memory, the search still ends with a verdict, whatever the limit is.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A specification with more states than fit into any memory here.
const ENDLESS: &str = "---- MODULE Spec ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == (x' = x + 1 /\\ y' = y) \\/ (y' = y + 1 /\\ x' = x)
====
";

fn write(folder: &Path, spec: &str) {
    fs::write(folder.join("Spec.tla"), spec).expect("the specification can be written");
    fs::write(folder.join("Spec.cfg"), "INIT Init\nNEXT Next\n").expect("the configuration can be written");
}

/// Runs `kilter` with this many kilobytes of addresses.
fn limited(folder: &Path, kilobytes: u32, args: &str) -> Output {
    let script = format!("ulimit -v {kilobytes}; exec '{}' {args}", env!("CARGO_BIN_EXE_kilter"));
    Command::new("sh").arg("-c").arg(script).current_dir(folder).output().expect("a shell runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn verbs_run_with_few_addresses() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    for kilobytes in [200_000, 500_000, 1_000_000, 2_000_000, 4_000_000] {
        for args in [
            "check Spec.tla --states-max 500",
            "check Spec.tla --states-max 500 --workers 4 --graph graph.kilter",
            "check Spec.tla --states-max 500 --workers 8",
            "check Spec.tla --states-max 500 --workers 32",
            "simulate Spec.tla --behaviors 3 --depth 5",
            "init Spec.tla --out -",
            "example --fixed",
        ] {
            let output = limited(folder.path(), kilobytes, args);
            assert_eq!(output.status.code(), Some(0), "{kilobytes} {args}: {}", said(&output));
            assert!(!said(&output).contains("out of memory"), "{kilobytes} {args}: {}", said(&output));
        }
        let output = limited(folder.path(), kilobytes, "suite graph.kilter");
        assert_eq!(output.status.code(), Some(0), "{kilobytes} suite: {}", said(&output));
    }
}

#[test]
fn too_little_memory_to_begin_with_is_an_error_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    let mut seen = 0;
    // With the smallest limit, the program cannot even be loaded. With the largest, there is a verdict.
    for kilobytes in (20_000..80_000).step_by(2_000) {
        let output = limited(folder.path(), kilobytes, "check Spec.tla --states-max 500");
        let text = said(&output);
        if text.contains("there is too little memory") {
            assert_eq!(output.status.code(), Some(153), "{kilobytes}: {text}");
            seen += 1;
        } else if seen > 0 {
            assert_eq!(output.status.code(), Some(0), "{kilobytes}: {text}");
        }
        assert!(!text.contains("has a bug"), "{kilobytes}: {text}");
    }
    assert!(seen > 0, "some limit must be too low");
}

#[test]
fn verbs_run_where_the_main_thread_has_hardly_any_stack() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    for args in ["check Spec.tla --states-max 500", "example --fixed", "--version"] {
        let script = format!("ulimit -s 64; exec '{}' {args}", env!("CARGO_BIN_EXE_kilter"));
        let mut command = Command::new("sh");
        // The environment lies on the same stack, so it must be small.
        command.arg("-c").arg(script).current_dir(folder.path()).env_clear();
        let output = command.output().expect("a shell runs");
        assert_eq!(output.status.code(), Some(0), "{args}: {}", said(&output));
    }
}

#[test]
fn a_search_that_runs_out_of_memory_is_bounded_and_keeps_its_graph() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    let output = limited(folder.path(), 200_000, "check Spec.tla --graph graph.kilter --json");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text.contains("\"verdict\":\"bounded\"") && text.contains("out of memory at "), "{text}");
    // Both variables of the specification have no bound.
    for variable in ["x", "y"] {
        let part = format!("{variable} gets larger with the depth (largest number: ");
        assert!(text.contains(&part), "{text}");
    }
    assert_eq!(limited(folder.path(), 1_000_000, "graph info graph.kilter").status.code(), Some(0));
}

/// The limits that the user sets are no reason to say nothing of what has no bound.
#[test]
fn what_has_no_bound_is_told_whatever_limit_ends_the_search() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    for limit in ["--states-max 500", "--depth-max 20", "--time-max 200ms"] {
        let output = limited(folder.path(), 4_000_000, &format!("check Spec.tla {limit} --json"));
        let text = said(&output);
        assert!(text.contains("\"verdict\":\"bounded\""), "{limit}: {text}");
        assert!(text.contains("x gets larger with the depth (largest number: "), "{limit}: {text}");
    }
}

/// Also endless, and with everything that a configuration can ask for.
const DEMANDING: &str = "---- MODULE Spec ----
EXTENDS Naturals, TLC
CONSTANT P
VARIABLES x, s
vars == <<x, s>>
Init == x = 0 /\\ s = [p \\in P |-> 0]
Next == (x' = x + 1 /\\ UNCHANGED s) \\/ (\\E p \\in P : s' = [s EXCEPT ![p] = @ + 1] /\\ UNCHANGED x)
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Inv == x >= 0
Live == <>(x > 0 \\/ s # [p \\in P |-> 0])
View == <<x, s>>
Symmetry == Permutations(P)
====
";

#[test]
fn whatever_is_asked_for_running_out_of_memory_is_a_verdict() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("Spec.tla"), DEMANDING).expect("the specification can be written");
    for (kilobytes, workers, wanted, options) in [
        // 62,000 of these are the code of a program that is not optimised and has all features. A release has 24,000.
        (100_000, 1, "INVARIANT Inv", ""),
        (120_000, 1, "INVARIANT Inv", ""),
        (120_000, 2, "INVARIANT Inv", "--graph graph.kilter"),
        (160_000, 2, "PROPERTY Live", ""),
        (200_000, 1, "INVARIANT Inv", "--graph graph.kilter"),
        (300_000, 2, "PROPERTY Live", ""),
        (200_000, 1, "PROPERTY Live", "--graph graph.kilter"),
        (200_000, 2, "SYMMETRY Symmetry", ""),
        (200_000, 2, "VIEW View", ""),
    ] {
        let config = format!("SPECIFICATION Spec\nCONSTANT P = {{p1, p2}}\n{wanted}\n");
        fs::write(folder.path().join("Spec.cfg"), config).expect("the configuration can be written");
        let args = format!("check Spec.tla --json --workers {workers} {options}");
        let output = limited(folder.path(), kilobytes, &args);
        let case = format!("{kilobytes} {args} {wanted}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{case}: {}", said(&output));
        assert!(
            text.contains("\"verdict\":\"bounded\"") && text.contains("out of memory at "),
            "{case}: {text}"
        );
    }
}

#[test]
fn a_limit_on_memory_holds_for_the_whole_process() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), ENDLESS);
    let mut process = Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["check", "Spec.tla", "--memory-max", "48MB", "--graph", "graph.kilter"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("kilter runs");
    // As long as a process runs, the operating system knows its peak memory.
    let status = format!("/proc/{}/status", process.id());
    let mut peak_kilobytes = 0;
    while process.try_wait().expect("kilter can be waited for").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak_kilobytes = peak.unwrap_or(peak_kilobytes);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(folder.path().join("graph.kilter").exists());
    assert!((1..=48_000 * 104 / 100).contains(&peak_kilobytes), "{peak_kilobytes} kB");
}

/// Writes a specification with these definitions. `E` must be among them and is the initial value of x.
fn write_value(folder: &Path, definitions: &str) {
    let spec = format!(
        "---- MODULE Spec ----\nEXTENDS Integers, Sequences\nVARIABLE x\n{definitions}\nInit == x = E\nNext == x' = x\n====\n"
    );
    write(folder, &spec);
}

/// Runs `kilter check` under `limits`, such as `ulimit -s 256`.
fn check_under(folder: &Path, limits: &str) -> Output {
    let script = format!("{limits}; exec '{}' check Spec.tla", env!("CARGO_BIN_EXE_kilter"));
    Command::new("sh").arg("-c").arg(script).current_dir(folder).output().expect("a shell runs")
}

#[test]
fn long_chains_are_evaluated_whatever_the_stack() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let chains = [("1", " + "), ("TRUE", " /\\ "), ("FALSE", " \\/ "), ("{1}", " \\cup "), ("<<>>", " \\o ")];
    for (operand, operator) in chains {
        for n_operands in [3000, 5000, 100_000] {
            write_value(folder.path(), &format!("E == {}", vec![operand; n_operands].join(operator)));
            let output = check_under(folder.path(), "ulimit -s 256");
            assert_eq!(output.status.code(), Some(0), "{n_operands}{operator}: {}", said(&output));
        }
    }
}

#[test]
fn nesting_that_is_too_deep_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let nested = |open: &str, n: usize, close: &str| format!("E == {}1{}", open.repeat(n), close.repeat(n));
    for (limits, definitions) in [
        ("ulimit -s 256", format!("E == {}", vec!["1"; 1_000_000].join(" + "))),
        ("ulimit -v 200000", format!("E == {}", vec!["1"; 5000].join(" + "))),
        ("ulimit -s 256", nested("(", 10_000, ")")),
        ("ulimit -s 256", nested("{", 10_000, "}")),
        ("ulimit -s 256", nested("[i \\in {1} |-> ", 10_000, "]")),
        ("ulimit -s 256", nested("LET a == 1 IN ", 10_000, "")),
    ] {
        write_value(folder.path(), &definitions);
        let output = check_under(folder.path(), limits);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(150), "{limits}: {text}");
        assert!(
            text.len() < 3000 && text.contains("Spec.tla:4:") && text.contains("nested too deeply"),
            "{text}"
        );
    }
}

#[test]
fn definitions_that_are_deep_once_they_are_written_out_give_an_answer() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut definitions = "A0(y) == y".to_owned();
    for n in 1..200 {
        let chain = " + 1".repeat(3000);
        let _ = write!(definitions, "\nA{n}(y) == A{}(y){chain}", n - 1);
    }
    for limits in ["ulimit -s 256", "ulimit -v 400000"] {
        write_value(folder.path(), &format!("{definitions}\nE == A199(1)"));
        let output = check_under(folder.path(), limits);
        let text = said(&output);
        assert!(matches!(output.status.code(), Some(0 | 75 | 150)), "{limits}: {text}");
        assert!(text.contains("everything holds") || text.contains("nested too deeply"), "{text}");
    }
}

#[test]
fn huge_names_are_cut_in_messages() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for huge in ["a".repeat(1_000_000), "1".repeat(1_000_000)] {
        write(
            folder.path(),
            &format!("---- MODULE Spec ----\nVARIABLE x\nInit == x = {huge}\nNext == x' = x\n====\n"),
        );
        let output = limited(folder.path(), 4_000_000, "check Spec.tla");
        assert_eq!(
            output.status.code(),
            Some(150),
            "{}",
            said(&output).chars().take(500).collect::<String>()
        );
        assert!(said(&output).len() < 3000);
    }
}
