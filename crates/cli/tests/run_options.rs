//! The options `--only`, `--keep`, `--time-max` and `--report`, which all verbs that run cases have.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::root;
use serde_json::Value as Json;

fn kilter(words: &[&str]) -> Output {
    run(words, &[])
}

/// Like [`kilter`], with the bug of the lease.
fn with_bug(words: &[&str]) -> Output {
    run(words, &[("LEASE_BUG", "1")])
}

fn run(words: &[&str], env: &[(&str, &str)]) -> Output {
    let report = tempfile::tempdir().expect("a folder can be made");
    run_into(report.path(), words, env)
}

fn run_into(report: &Path, words: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(words).arg("--report").arg(report).current_dir(root()).envs(env.iter().copied());
    command.output().expect("it can be run")
}

fn json(output: &Output) -> Json {
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said()))
}

fn lines(words: &[&str]) -> Vec<String> {
    let output = kilter(words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Checks that `--list --only` lists exactly the cases that have this text in them.
#[track_caller]
fn check(words: &[&str], only: &str) {
    let all = lines(&[words, &["--list"]].concat());
    let wanted: Vec<String> = all.iter().filter(|line| line.contains(only)).cloned().collect();
    assert!(!wanted.is_empty() && wanted.len() < all.len(), "{all:#?}");
    assert_eq!(lines(&[words, &["--list", "--only", only]].concat()), wanted);
}

#[test]
fn cases_are_chosen_by_their_text() {
    check(&["test", "systems/lease"], "TakeOver");
    check(&["converge", "systems/converge/toystore.toml"], "up=AB");
}

#[test]
fn what_is_run_is_what_is_listed() {
    let n_listed = lines(&["test", "systems/lease", "--list", "--only", "TakeOver"]).len();
    let ran = lines(&["test", "systems/lease", "--only", "TakeOver"]);
    let said = format!("{n_listed} of {n_listed} cases run, {n_listed} passed");
    assert!(ran.iter().any(|line| line.starts_with(&said)), "{ran:#?}");
}

/// If the chosen cases all pass, this says nothing about the others.
#[test]
fn chosen_cases_are_not_everything() {
    let chosen = [
        (
            vec!["test", "systems/lease", "--only", "TakeOver"],
            "only cases with `TakeOver` in them were wanted",
        ),
        (
            vec!["converge", "systems/converge/toystore.toml", "--sample", "3"],
            "a sample of 3 of 80 was wanted",
        ),
    ];
    for (words, why) in chosen {
        let said = lines(&words);
        assert!(said.iter().any(|line| line.contains("bounded: nothing was found")), "{said:#?}");
        assert!(
            said.iter().any(|line| line.ends_with(&format!("not all cases were run: {why}"))),
            "{said:#?}"
        );
        let answer = json(&kilter(&[&words[..], &["--json"]].concat()));
        assert_eq!((&answer["verdict"], &answer["only"]), (&"bounded".into(), &why.into()), "{answer}");
    }
    let whole = json(&kilter(&["test", "systems/lease", "--json"]));
    assert_eq!((&whole["verdict"], whole.get("only")), (&"ok".into(), None), "{whole}");
}

/// The name of an action means that action, and not every action whose name contains it.
#[test]
fn cases_are_chosen_by_action_and_by_id() {
    let words = ["test", "systems/lease"];
    let all = lines(&[&words[..], &["--list"]].concat());
    let begin = &all[0][..6];
    let of_id = lines(&[&words[..], &["--list", "--only", begin]].concat());
    assert_eq!(of_id, [all[0].as_str()]);
    // No case is left out, so everything is known.
    let answer = json(&kilter(&[&words[..], &["--only", "ClockJumps", "--json"]].concat()));
    assert_eq!(answer["planned"].as_u64(), Some(all.len() as u64), "{answer}");
    assert_eq!((&answer["verdict"], answer.get("only")), (&"ok".into(), None), "{answer}");
}

/// A run that broke off is an error in every form of its report.
#[test]
fn a_system_that_does_not_start_is_an_error_everywhere() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = folder.path().join("explore.toml");
    std::fs::write(&config, "[system]\nnodes = [\"n1\"]\ncommand = [\"false\"]\n").expect("ours");
    let report = folder.path().join("report");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.arg("explore").arg(&config).arg("--report").arg(&report).arg("--json");
    let output = command.output().expect("it can be run");
    let answer = json(&output);
    assert_eq!((output.status.code(), &answer["verdict"]), (Some(3), &"error".into()), "{answer}");
    assert_eq!(answer["errors"], serde_json::json!([answer["error"]]));
    let junit = std::fs::read_to_string(report.join("junit.xml")).expect("it was written");
    assert!(junit.contains("errors=\"1\""), "{junit}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    let output = command.arg("report").arg(&report).output().expect("it can be run");
    assert_eq!(output.status.code(), Some(3));
}

/// An error in a configuration has its place, also in JSON.
#[test]
fn errors_of_configurations_have_their_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = folder.path().join("wrong.toml");
    for (verb, text, line) in [
        ("explore", "[system]\nnodes = [\"n1\"]\nbreaks = 3\n", 3),
        ("converge", "model = \"chain\"\n[system]\npatience_ms = 3\n", 3),
    ] {
        std::fs::write(&config, text).expect("ours");
        let output = kilter(&[verb, config.to_str().expect("a path of letters"), "--json"]);
        let error = &json(&output)["errors"][0];
        assert_eq!((output.status.code(), &error["line"]), (Some(2), &line.into()), "{error}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("help: it is called `"), "{said}");
    }
}

#[test]
fn a_text_that_no_case_has_is_an_error() {
    for words in [["test", "systems/lease"], ["converge", "systems/converge/toystore.toml"]] {
        let output = kilter(&[&words[..], &["--only", "Nonsense"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("no case has `Nonsense` in it"), "{said}");
    }
}

/// Whoever misspells an action gets other cases than wanted, and is told so.
#[test]
fn a_name_that_is_nearly_an_action_is_told() {
    let output = kilter(&["test", "systems/lease", "--list", "--only", "TakeOve"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("note: there is no action `TakeOve`,") && said.contains("is `TakeOver` meant?"),
        "{said}"
    );
    let output = kilter(&["test", "systems/lease", "--list", "--only", "takeOevr"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("no case has `takeOevr` in it") && said.contains("is the action `TakeOver` meant?"),
        "{said}"
    );
    for only in ["TakeOver", "n1"] {
        let output = kilter(&["test", "systems/lease", "--list", "--only", only]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{only}");
    }
}

/// A file that is no suite or no behavior has one message.
#[test]
fn files_of_a_test_that_cannot_be_used_are_told_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name).to_str().expect("a path of letters").to_owned();
    let refused = |words: &[&str]| {
        let output = kilter(&[&["test", "systems/lease"], words].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
    };
    let cfg = at("Lease.cfg");
    fs::write(&cfg, "INIT Init\n").expect("ours");
    let said = refused(&["--behavior", &cfg]);
    let wanted = "it is no JSON; a file of `--itf` or `kilter follow --case` is wanted";
    assert!(said.ends_with(&format!("{cfg}: {wanted}")), "{said}");
    let made = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        let output = command.args(words).current_dir(root()).output().expect("it can be run");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let (graph, suite) = (at("graph"), at("suite"));
    made(&["check", "specs/Lease/Lease.tla", "--graph", &graph]);
    made(&["suite", &graph, "--out", &suite]);
    let text = fs::read_to_string(&suite).expect("it was made");
    let mut lines: Vec<&str> = text.lines().collect();
    let (half, _) = lines[1].split_at(lines[1].len() / 2);
    lines[1] = half;
    fs::write(&suite, lines.join("\n")).expect("ours");
    let output = Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["suite", &graph, "--verify", &suite])
        .output()
        .expect("it can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    let wanted = format!("{suite}: line 2: EOF while parsing");
    assert!(said.contains(&wanted) && said.contains(", in column ") && !said.contains("line 1"), "{said}");
}

/// `--keep` keeps what the nodes of a finding leave behind, so that the user can look at it.
#[test]
fn what_nodes_leave_behind_is_kept() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let keep = folder.path().join("kept");
    let keep = keep.to_str().expect("a path of letters");
    let kept = || {
        let cases = std::fs::read_dir(keep).expect("something was kept");
        cases.map(|case| case.expect("a folder").path()).collect::<Vec<_>>()
    };
    assert_eq!(with_bug(&["test", "systems/lease", "--keep", keep]).status.code(), Some(1));
    assert!(!kept().is_empty());
    assert!(kept().iter().all(|case| case.join("n1/output").is_file() && case.join("n2/data").is_dir()));
    std::fs::remove_dir_all(keep).expect("ours");
    assert_eq!(kilter(&["explore", "systems/lease/explore.toml", "--keep", keep]).status.code(), Some(1));
    assert!(!kept().is_empty() && kept().iter().all(|case| case.join("n2/output").is_file()));
    // A repeated finding leaves the same files behind.
    let found = json(&kilter(&["explore", "systems/lease/explore.toml", "--json"]));
    let schedule = found["findings"][0]["case"].as_str().expect("it has a finding");
    std::fs::remove_dir_all(keep).expect("ours");
    let again = kilter(&["explore", "systems/lease/explore.toml", "--case", schedule, "--keep", keep]);
    assert_eq!((again.status.code(), kept().len()), (Some(1), 1));
}

/// A search that would take hours ends when its time is over.
#[test]
fn a_search_ends_when_its_time_is_over() {
    let words =
        ["explore", "systems/lease/explore.toml", "--depth", "40", "--faults", "4", "--time-max", "2s"];
    let found = json(&kilter(&[&words[..], &["--json"]].concat()));
    assert_eq!(found["complete"], false, "{found}");
    assert_eq!(found["stopped"], "time is up; `--resume` goes on", "{found}");
}

/// A specification without an end is told as that when the time is over, with what grows.
#[test]
fn the_states_of_a_specification_are_looked_for_only_while_there_is_time() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("ours");
    write(
        "Endless.tla",
        "---- MODULE Endless ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = [n \\in {\"a\"} |-> 0]\n\
         Tick(n) == x' = [x EXCEPT ![n] = @ + 1]\nNext == \\E n \\in {\"a\"} : Tick(n)\n====\n",
    );
    write("Endless.cfg", "INIT Init\nNEXT Next\n");
    write(
        "kilter.toml",
        "[spec]\nfile = \"Endless.tla\"\n\n[system]\nnodes = [\"a\"]\ncommand = [\"true\"]\n\n[actions]\nTick = { kind = \"node\", node = \"n\" }\n\n\
         [variables]\nx = { kind = \"node\" }\n",
    );
    let mapping = folder.path().join("kilter.toml").display().to_string();
    let ended = kilter(&["test", &mapping, "--time-max", "1s"]);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("the time was over before all were found; x gets larger with the depth"), "{said}");
}

/// A model with too many states to count its schedules in the time that there is.
#[test]
fn schedules_are_counted_only_while_there_is_time() {
    let config = "systems/converge/toystore.toml";
    let ended = kilter(&["converge", config, "--ops", "8", "--replicas", "5", "--time-max", "1s"]);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("the time was over before the schedules were counted: the model has"), "{said}");
}

/// A schedule that is under way ends with the time, however long its store may be waited for.
#[test]
fn a_schedule_ends_when_the_time_is_over() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = folder.path().join("never.toml");
    let never = "model = \"quorum\"\nreplicas = 3\nops = 1\n\n[system]\nkind = \"line\"\ncommand = [\"sh\", \"-c\", \"sleep 600\", \"idle\"]\npatience-ms = 300000\n";
    std::fs::write(&config, never).expect("a file can be written");
    let config = config.to_str().expect("the path is text");
    let found = json(&kilter(&["converge", config, "--time-max", "2s", "--json"]));
    assert_eq!((&found["cases"], &found["finished"]), (&0.into(), &false.into()), "{found}");
    assert_eq!(found["stopped"], "time is up; `--resume` goes on", "{found}");
}

/// To divide a search into parts takes time, too. The parts that it has when the time is over are those that `--resume`
/// goes on with.
#[test]
fn a_search_is_divided_only_while_there_is_time() {
    // Nine parts. In a millisecond, a fast machine may get as far as two.
    let lease = ["explore", "systems/lease/explore.toml", "--jobs", "2", "--faults", "2"];
    let report = tempfile::tempdir().expect("a folder can be made");
    let run = |more: &[&str]| json(&run_into(report.path(), &[&lease[..], more, &["--json"]].concat(), &[]));
    let cut = run(&["--time-max", "1ms"]);
    assert_eq!((&cut["cases"], &cut["complete"]), (&0.into(), &false.into()), "{cut}");
    assert_eq!(cut["stopped"], "time is up; `--resume` goes on", "{cut}");
    let resumed = run(&["--resume"]);
    let whole = json(&kilter(&[&lease[..], &["--json"]].concat()));
    assert_eq!((&resumed["planned"], &resumed["complete"]), (&cut["planned"], &true.into()), "{resumed}");
    assert!(whole["planned"].as_u64() > cut["planned"].as_u64(), "{whole}");
    let wrong = |found: &Json| -> std::collections::BTreeSet<String> {
        let findings = found["findings"].as_array().expect("it has findings").iter();
        findings.map(|finding| finding["summary"].to_string()).collect()
    };
    assert_eq!(wrong(&resumed), wrong(&whole));
    // All machines must divide a search in the same way.
    let part = kilter(&["explore", "systems/lease/explore.toml", "--shard", "1/2", "--time-max", "1ms"]);
    let said = String::from_utf8_lossy(&part.stderr);
    assert!(part.status.code() == Some(2) && said.contains("parts of --shard; give it more time"), "{said}");
}

/// What replicas printed is kept for each schedule that fails, and the page links to it.
#[test]
fn what_replicas_printed_is_linked_from_the_page() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = folder.path().join("toystore.toml");
    let usual = fs::read_to_string(root().join("systems/converge/toystore.toml")).expect("there");
    fs::write(&config, usual + "options = [\"--bug\", \"wrong-file\"]\n").expect("ours");
    let config = config.to_str().expect("a path of letters");
    let report = folder.path().join("report");
    let found = json(&run_into(&report, &["converge", config, "--max-findings", "1", "--json"], &[]));
    let logs = found["findings"][0]["logs"].as_str().expect("it has logs");
    let entries = fs::read_dir(report.join(logs)).expect("they are there");
    assert!(entries.count() >= 3, "one for each replica");
    assert!(fs::read_to_string(report.join("report.html")).expect("a page").contains(logs));
}

#[test]
fn shards_are_divided_by_what_cases_took() {
    let report = tempfile::tempdir().expect("a folder can be made");
    let lease = ["test", "systems/lease"];
    assert_eq!(run_into(report.path(), &lease, &[]).status.code(), Some(0));
    let record = report.path().join("record.jsonl");
    let text = std::fs::read_to_string(&record).expect("it was written");
    let mut n_cases = 0;
    let lines_of_record = text.lines().map(|line| {
        let mut event: Json = serde_json::from_str(line).expect("a line is JSON");
        if event["event"] == "case" {
            n_cases += 1;
            // The last case takes longer than all others.
            event["ms"] = (10.0_f64.powi(n_cases)).into();
        }
        event.to_string() + "\n"
    });
    let changed: String = lines_of_record.collect();
    assert!(n_cases > 2, "{text}");
    std::fs::write(&record, changed).expect("it can be written");
    let record = record.to_str().expect("a text");
    let shard =
        |part: &str| lines(&[&lease[..], &["--list", "--shard", part, "--durations", record]].concat());
    let (one, two) = (shard("1/2"), shard("2/2"));
    assert_eq!((one.len(), two.len() as i32), (1, n_cases - 1));
    let mut all = [one, two].concat();
    let mut listed = lines(&[&lease[..], &["--list"]].concat());
    all.sort();
    listed.sort();
    assert_eq!(all, listed);
    let refused = |words: &[&str], why: &str| {
        let output = kilter(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{words:?}: {said}");
    };
    let by_it = ["--shard", "1/2", "--durations", record];
    refused(&[&["test", "systems/lock"], &by_it[..]].concat(), "none of these cases is in the records");
    refused(&[&["converge", "systems/converge/toystore.toml"], &by_it[..]].concat(), "is not for `converge`");
    refused(&["test", "systems/lease", "--durations", record], "--shard");
    refused(&["test", "systems/lease", "--shard", "1/2", "--durations", "nowhere"], "nowhere");
}
