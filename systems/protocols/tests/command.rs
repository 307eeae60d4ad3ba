//! `protocols explore` through the command line: what every program with a system of its own has from the library.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

/// Runs the command in the folder of the protocols, and leaves nothing there.
fn protocols(args: &[&str]) -> Output {
    let report = tempfile::tempdir().expect("a folder");
    protocols_in(report.path(), args)
}

fn protocols_in(report: &Path, args: &[&str]) -> Output {
    command(report, args).output().expect("it runs")
}

fn command(report: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_protocols"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).arg("--report").arg(report);
    command
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[track_caller]
fn explored(args: &[&str], code: i32) -> Json {
    let output = protocols(&[&["explore", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let answer = json(&output);
    assert!(answer["seconds"].is_number() && answer["states"].is_u64(), "{answer}");
    answer
}

#[test]
fn correct_protocols_pass() {
    for protocol in ["broadcast", "election", "gossip"] {
        let file = format!("{protocol}.toml");
        let answer = explored(&[&file, "--peers=claimed", "--sequences-max", "2000"], 0);
        assert_eq!(answer["findings"], Json::Array(Vec::new()));
        assert!(answer["sequences"].as_u64() > Some(0), "{answer}");
    }
}

#[test]
fn bugs_are_found_and_the_line_that_is_printed_finds_them_again() {
    for protocol in ["broadcast", "election", "gossip"] {
        let file = format!("{protocol}-bug.toml");
        let answer = explored(&[&file, "--peers=claimed", "--sequences-max", "2000"], 1);
        let finding = &answer["findings"][0];
        let repeat = finding["repeat"].as_str().expect("a line");
        let words: Vec<String> =
            repeat.split(' ').skip(1).map(|word| word.trim_matches('\'').to_owned()).collect();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("--json");
        let again = protocols(&words);
        assert_eq!(again.status.code(), Some(1), "{repeat}: {again:?}");
        let again = json(&again);
        assert_eq!((&again["events"], &again["kind"]), (&finding["events"], &finding["kind"]));
    }
}

#[test]
fn enough_findings_are_enough() {
    let answer = explored(&["broadcast-bug.toml", "--search", "dfs", "--max-findings", "2"], 1);
    // The shortest of them was made shorter, and is told besides.
    let n_findings = answer["findings"].as_array().map(Vec::len);
    assert!(n_findings == Some(2) || n_findings == Some(3), "{answer}");
    assert_eq!(answer["stopped"], "enough findings");
}

#[test]
fn every_search_finds_the_bug() {
    for search in ["dfs", "dpor", "bfs", "random", "pct"] {
        // Breadth first is for what is near.
        let matching: &[&str] = if search == "bfs" { &["--matching"] } else { &[] };
        let args = ["broadcast-bug.toml", "--search", search, "--walks", "50", "--sequences-max", "5000"];
        explored(&[&args, matching].concat(), 1);
    }
}

#[test]
fn the_same_command_gives_the_same_answer() {
    let args = ["election.toml", "--search", "random", "--seed", "7", "--walks", "300"];
    let run = || {
        let answer = explored(&args, 0);
        ["sequences", "events", "states", "depth", "findings", "complete"].map(|field| answer[field].clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn people_see_lanes_and_the_line_that_does_it_again() {
    let output = protocols(&["explore", "broadcast-bug.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for words in
        ["n1   n2   n3", "CRASH n1", "repeat with:\n     protocols explore broadcast-bug.toml --case"]
    {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
}

#[test]
fn faults_anywhere_find_what_faults_at_critical_transitions_find() {
    explored(&["broadcast-bug.toml", "--faults-anywhere", "--search", "dfs", "--sequences-max", "50000"], 1);
    let few = explored(&["broadcast.toml", "--search", "dfs"], 0);
    let many =
        explored(&["broadcast.toml", "--search", "dfs", "--faults-anywhere", "--sequences-max", "20000"], 0);
    assert!(few["sequences"].as_u64() < many["sequences"].as_u64(), "{few} {many}");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let processes = "[system]\nnodes = [\"n1\"]\ncommand = [\"no-such-program\"]\n";
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let unknown = write("unknown.toml", "[system]\nworld = \"paxos\"\n");
    let misspelt = write("misspelt.toml", "[system]\nworld = \"gossip\"\nsise = 3\n");
    let senseless = write("senseless.toml", &format!("{processes}[properties]\ngoal = \"x > \"\n"));
    let both = write("both.toml", &format!("{processes}world = \"gossip\"\n"));
    for (args, says) in [
        (vec![senseless.as_str()], "in the goal: "),
        (vec![senseless.as_str()], "senseless.toml:5:12"),
        (vec!["gossip.toml", "--case", "all"], "`all` is a part of a search"),
        (vec!["gossip.toml", "--nodes", "100"], "at most 63"),
        (vec!["gossip.toml", "--walks", "0", "--search", "random"], "'0'"),
        (vec!["gossip.toml", "--sequences-max", "0"], "'0'"),
        (vec!["gossip.toml", "--time-max", "0s"], "in no time nothing is run"),
        (vec!["gossip.toml", "--search", "bfs", "--shard", "2/2"], "can't be split"),
        (vec![both.as_str()], "either a `world` or a `command`"),
        (vec!["no-such.toml"], "cannot be read"),
        (vec![unknown.as_str()], "there is no world `paxos`"),
        (vec![misspelt.as_str()], "sise"),
        (vec!["gossip.toml", "--matching"], "dfs and bfs only"),
        (vec!["gossip.toml", "--replay", "0.99"], "step 2 of the schedule is 99"),
        (vec!["gossip.toml", "--replay", "a"], "numbers with dots"),
        (vec!["gossip.toml", "--nodes", "0"], "at least one node"),
        (vec!["gossip.toml", "--fault-kinds", "duplicate"], "destroys no event"),
    ] {
        let output = protocols(&[&["explore"], &args[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn a_shard_without_anything_to_do_says_so() {
    let args = ["explore", "gossip.toml", "--search", "random", "--walks", "3", "--shard", "7/7"];
    let output = protocols(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("shard 7/7 has no case"), "{output:?}");
    // All that its parts begin with is explored in those of the others.
    let output = protocols(&["explore", "gossip.toml", "--faults", "0", "--shard", "7/7"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("stand for them"), "{output:?}");
}

#[test]
fn listing_lists_and_runs_nothing() {
    let output = protocols(&["explore", "gossip.toml", "--case", "1.2", "--list"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"1.2\n"[..]), "{output:?}");
    let output = protocols(&["explore", "gossip.toml", "--case", "start", "--list"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"start\n"[..]), "{output:?}");
    // Without any step of its own, the system goes on by itself.
    let output = protocols(&["explore", "gossip.toml", "--case", "start", "--json"]);
    assert_eq!((output.status.code(), &json(&output)["schedule"]), (Some(0), &Json::from("start")));
}

#[test]
fn several_jobs_give_the_same_answer() {
    let sequences =
        |jobs| explored(&["broadcast.toml", "--search", "dfs", "--jobs", jobs], 0)["sequences"].clone();
    assert_eq!(sequences("1"), sequences("3"));
}

#[test]
fn a_search_that_was_ended_early_goes_on() {
    let report = tempfile::tempdir().expect("a folder");
    let run = |more: &[&str]| {
        let args = ["explore", "broadcast.toml", "--json", "--search", "dfs"];
        protocols_in(report.path(), &[&args, more].concat())
    };
    assert_eq!(run(&["--resume"]).status.code(), Some(2), "there is nothing to go on with");
    let first = json(&run(&["--sequences-max", "1000"]));
    assert_eq!((&first["sequences"], &first["complete"]), (&Json::from(1000), &Json::from(false)));
    let other = run(&["--resume", "--depth", "7"]);
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("another specification, system or search"),
        "{other:?}"
    );
    let second = json(&run(&["--resume", "--jobs", "2"]));
    let whole = json(&run(&[]));
    assert_eq!(second["complete"], true);
    assert_eq!(second["sequences"], whole["sequences"]);
}

#[test]
fn ctrl_c_saves_where_it_was() {
    let report = tempfile::tempdir().expect("a folder");
    let args = ["explore", "election.toml", "--json", "--search", "dfs"];
    let child = command(report.path(), &args).stdout(Stdio::piped()).spawn().expect("it runs");
    thread::sleep(Duration::from_secs(2));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let before = json(&output)["sequences"].as_u64();
    let more = [&args[..], &["--resume", "--sequences-max", "100"]].concat();
    let after = json(&protocols_in(report.path(), &more))["sequences"].as_u64();
    assert!(before > Some(0) && after > before, "{before:?} {after:?}");
}

/// The findings that are written down as they come.
fn found(report: &Path) -> Vec<Json> {
    let text = fs::read_to_string(report.join("record.jsonl")).unwrap_or_default();
    let events = text.lines().skip(1).filter_map(|line| serde_json::from_str::<Json>(line).ok());
    events.filter(|event| event["event"] == "finding").collect()
}

#[test]
fn a_search_that_is_killed_keeps_its_findings_and_goes_on() {
    let report = tempfile::tempdir().expect("a folder");
    let args = ["explore", "election-bug.toml", "--search", "dfs", "--nodes", "4", "--json"];
    let mut child = command(report.path(), &args).stdout(Stdio::null()).spawn().expect("it runs");
    let has_checkpoint = || {
        let text = fs::read_to_string(report.path().join("record.jsonl")).unwrap_or_default();
        text.lines().any(|line| line.contains("\"event\":\"checkpoint\""))
    };
    while found(report.path()).is_empty() || !has_checkpoint() {
        assert!(child.try_wait().expect("it is ours").is_none(), "it has ended");
        thread::sleep(Duration::from_millis(5));
    }
    let second = protocols_in(report.path(), &args);
    let text = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(2), "{text}");
    assert!(text.contains(&format!("is in use by process {} on ", child.id())), "{text}");
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    let found = found(report.path());
    // It goes on from the checkpoint, and what was found before is told with the rest.
    let resumed = protocols_in(report.path(), &[&args[..], &["--resume", "--sequences-max", "1"]].concat());
    assert_eq!(resumed.status.code(), Some(1), "{resumed:?}");
    let resumed = json(&resumed);
    assert!(resumed["sequences"].as_u64() > Some(1), "{resumed}");
    assert!(resumed["findings"].as_array().map(Vec::len) >= Some(found.len()), "{resumed}");
    let page = fs::read_to_string(report.path().join("report.html")).expect("a page");
    assert!(page.contains("n1   n2   n3   n4") && report.path().join("junit.xml").is_file());
    let schedule = found[0]["case"].as_str().expect("a schedule");
    let again = ["explore", "election-bug.toml", "--nodes", "4", "--json", "--case", schedule];
    let again = protocols(&again);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert_eq!(json(&again)["kind"], found[0]["kind"]);
}

/// Each of them, not only the shortest: also those of a search that goes on, which nobody has made shorter.
#[test]
fn every_finding_is_found_again_by_its_own_line() {
    let report = tempfile::tempdir().expect("a folder");
    let args = ["explore", "election.toml", "--nodes", "4", "--faults", "2", "--search", "dfs", "--json"];
    protocols_in(report.path(), &[&args[..], &["--sequences-max", "2000"]].concat());
    let answer =
        json(&protocols_in(report.path(), &[&args[..], &["--resume", "--sequences-max", "2000"]].concat()));
    let findings = answer["findings"].as_array().expect("a list");
    assert!(findings.len() > 1, "{answer}");
    let longest = findings.iter().rev().take(3);
    for finding in longest.chain(findings.first()) {
        let schedule = finding["schedule"].as_str().expect("a schedule");
        let again = ["explore", "election.toml", "--nodes", "4", "--json", "--case", schedule];
        let again = json(&protocols(&again));
        assert_eq!(again["kind"], finding["kind"], "{schedule}: {again}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_search() {
    let output = protocols_in(Path::new("/proc/self/kilter"), &["explore", "broadcast-bug.toml"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("/proc/self/kilter cannot be made") && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn findings_that_cannot_be_written_are_told() {
    let report = tempfile::tempdir().expect("a folder");
    let folder = env!("CARGO_MANIFEST_DIR");
    let script = "ulimit -f 4; exec \"$@\"";
    let output = Command::new("sh")
        .args([
            "-c",
            script,
            "sh",
            env!("CARGO_BIN_EXE_protocols"),
            "explore",
            "broadcast-bug.toml",
            "--search",
            "dfs",
        ])
        .args(["--sequences-max", "3000", "--report"])
        .arg(report.path())
        .current_dir(folder)
        .output()
        .expect("sh runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(153), "{out}{err}");
    assert!(out.contains("repeat with:") && out.contains("--case"), "{out}{err}");
    assert!(err.contains("record.jsonl cannot be written") && err.contains("ulimit -f"), "{err}");
}
