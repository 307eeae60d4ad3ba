//! `kilter follow`: logs against the specification.
//!
//! - `formulas` lines that say only a part
//! - `live`     logs that are still written
//! - `mutated`  verdicts on mutated logs, against that of `reference`, an exhaustive search
//! - `silent`   actions that leave no line
//! - `shown`    what logs have shown: coverage, edges, the page, the behavior

mod formulas;
mod live;
mod mutated;
mod reference;
mod shown;
mod silent;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kilter::Host;
use kilter::follow::{FollowOptions, run};
use kilter::run::Ended;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::{root, says};

fn kilter(args: &[&str], folder: &Path) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).current_dir(folder).output();
    command.expect("kilter can be run")
}

/// A folder with the specification of the lock, a mapping with this section `[follow]`, and a log.
fn folder(follow: &str, log: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put("Lock.tla", &fs::read_to_string(root().join("specs/Lock/Lock.tla")).expect("it is there"));
    put("Lock.cfg", &fs::read_to_string(root().join("specs/Lock/Follow.cfg")).expect("it is there"));
    let mapping = fs::read_to_string(root().join("systems/lock/kilter.toml")).expect("it is there");
    let (_, rest) = mapping.split_once("[variables]").expect("it has variables");
    put(
        "kilter.toml",
        &format!(
            "[spec]\nfile = \"Lock.tla\"\n[system]\nnodes = [\"n1\", \"n2\", \"n3\", \"n4\", \"n5\"]\n[follow]\n{follow}\n[variables]{rest}"
        ),
    );
    put("a.log", log);
    folder
}

/// Follows a log of the lock.
fn lock(follow: &str, log: &str, more: &[&str]) -> Output {
    let folder = folder(follow, log);
    let args: Vec<&str> = ["follow", "a.log"].into_iter().chain(more.iter().copied()).collect();
    kilter(&args, folder.path())
}

/// The text of a file with these lines.
fn joined(lines: &[Json]) -> String {
    lines.iter().map(Json::to_string).map(|line| line + "\n").collect()
}

/// What Kilter says of a log.
fn judge(folder: &Path, texts: &[String]) -> Json {
    let mut paths = vec![folder.join("kilter.toml")];
    for (index, text) in texts.iter().enumerate() {
        let path = folder.join(format!("{index}.log"));
        fs::write(&path, text).expect("it can be written");
        paths.push(path);
    }
    match run(&FollowOptions::of(paths), &mut Host::default()) {
        Ok(Ended::Said { json, .. }) => json,
        Ok(_) => panic!("it says something"),
        Err(error) => panic!("{error}"),
    }
}

const ASK: &str = r#"{"event":"Ask","node":"n2"}"#;
const HANDLE: &str = r#"{"event":"HandleAsk","node":"n1","message":{"type":"ask","from":"n2","to":"n1"}}"#;
const GRANTED: &str =
    r#"{"event":"HandleGrant","node":"n2","message":{"type":"grant","from":"n1","to":"n2"}}"#;

#[test]
fn shipped_logs_are_as_their_names_say() {
    let good = kilter(&["follow", "systems/lock", "systems/lock/logs/good.log"], &root());
    says(&good, 0, &["accepted: 8 lines explained by a behavior of Lock", "5 of 5 actions were taken"]);
    let wrong = kilter(&["follow", "systems/lock", "systems/lock/logs/two-holders.log"], &root());
    says(
        &wrong,
        1,
        &["rejected at systems/lock/logs/two-holders.log:5", "holder is n2, and the log says n3"],
    );
}

#[test]
fn a_rejected_log_becomes_a_case() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let case = folder.path().join("case.json").display().to_string();
    let log = "systems/lock/logs/two-holders.log";
    let followed = kilter(&["follow", "systems/lock", log, "--case", &case], &root());
    says(&followed, 1, &["rejected at", &format!("test systems/lock --behavior {case}")]);
    let play = |bug: &str, behavior: &str| {
        let report = folder.path().join("report").display().to_string();
        let args = ["test", "systems/lock", "--behavior", behavior, "--report", &report];
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.args(args).current_dir(root()).env("LOCK_LANGUAGES", "python").env("LOCK_BUG", bug);
        command.output().expect("kilter can be run")
    };
    says(&play("", &case), 0, &["1 of 1 case run, 1 passed, 5 steps"]);
    // A shorter way would leave the behavior: the server may take in what n3 asks one step earlier.
    let wanted = ["inconsistent-state HandleAsk", "after step 5, HandleAsk", &format!("--behavior {case}")];
    says(&play("1", &case), 1, &wanted);
    // What is no behavior is refused.
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let text = fs::read_to_string(&case).expect("it was written");
    says(&play("", &put("1", "{}")), 2, &["it has no list `states`"]);
    says(
        &play("", &put("2", &text.replace("\"holder\"", "\"held\""))),
        2,
        &["state 0 says nothing of the variable `holder`"],
    );
    says(
        &play("", &put("3", &text.replace("HandleGrant", "Release"))),
        2,
        &["no step of the specification leads from state", "by Release"],
    );
}

#[test]
fn a_line_may_say_little() {
    says(&lock("", &format!("{ASK}\n{HANDLE}\n{GRANTED}\n"), &[]), 0, &["accepted: 3 lines"]);
    // Nothing says who asks.
    says(&lock("", "{\"event\":\"Ask\"}\n{\"event\":\"HandleAsk\"}\n", &[]), 0, &["accepted: 2 lines"]);
}

#[test]
fn the_reason_is_said() {
    let log = format!("{ASK}\n{ASK}\n");
    says(&lock("", &log, &[]), 1, &["rejected at a.log:2", "Ask(c = n2) is not enabled", "asked[c] is true"]);
    let log = format!("{ASK}\n{GRANTED}\n");
    says(&lock("", &log, &[]), 1, &["rejected at a.log:2", "this message is not under way"]);
    let log = format!("{}\n", ASK.replace('}', r#","before":{"holds":true}}"#));
    says(&lock("", &log, &[]), 1, &["the state before", "holds[n2] is FALSE, and the log says TRUE"]);
    let log = format!("{}\n", ASK.replace('}', r#","sent":[]}"#));
    says(
        &lock("", &log, &[]),
        1,
        &["it sends [type |-> \"ask\", from |-> n2, to |-> n1], and the log does not say so"],
    );
    let json = lock("", &format!("{ASK}\n{ASK}\n"), &["--json"]);
    let json: Json = serde_json::from_slice(&json.stdout).expect("it is JSON");
    assert_eq!(json["verdict"], "rejected");
    assert_eq!(json["rejected_at"], json!({ "file": "a.log", "line": 2 }));
    assert_eq!(json["reasons"][0]["conjunct"], "asked[c]");
    assert_eq!(json["lines"], 2);
}

#[test]
fn a_line_beyond_the_bounds_of_the_model_is_explained() {
    let log = format!("{ASK}\n");
    let folder = folder("", &log);
    let config = folder.path().join("Lock.cfg");
    let text = fs::read_to_string(&config).expect("it is there");
    let said = |config_text: String| {
        fs::write(&config, config_text).expect("it can be written");
        let output = kilter(&["follow", "a.log"], folder.path());
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let bounded = said(text.replace("Rounds = 1000000000", "Rounds = 0"));
    assert!(bounded.contains("hint: rounds only bounds the model, and a log is not bounded"), "{bounded}");
    // What the system must not do is no matter of bounds.
    let crowded = said(text.replace("Crowd = 4", "Crowd = 0"));
    assert!(crowded.contains("is not enabled") && !crowded.contains("hint:"), "{crowded}");
}

#[test]
fn what_a_trace_leaves_out_is_as_it_was() {
    let handled = HANDLE.replace("}}", r#"},"delta":true,"state":{}}"#);
    let wrong = lock("", &format!("{ASK}\n{handled}\n"), &[]);
    says(&wrong, 1, &["rejected at a.log:2", "holder is n2, and the log says Nobody"]);
    let right = handled.replace("\"state\":{}", "\"state\":{\"holder\":\"n2\"}");
    says(&lock("", &format!("{ASK}\n{right}\n"), &[]), 0, &["accepted: 2 lines"]);
}

#[test]
fn a_false_invariant_rejects() {
    let folder = folder("", &format!("{ASK}\n{HANDLE}\n{GRANTED}\n"));
    let config = folder.path().join("Lock.cfg");
    let text = fs::read_to_string(&config).expect("it is there").replace("OneHolds", "NobodyHolds");
    fs::write(&config, text).expect("it can be written");
    let spec = folder.path().join("Lock.tla");
    let text = fs::read_to_string(&spec).expect("it is there");
    let text = text.replace("OneHolds ==", "NobodyHolds == \\A a \\in Client : ~holds[a]\nOneHolds ==");
    fs::write(&spec, text).expect("it can be written");
    says(
        &kilter(&["follow", "a.log"], folder.path()),
        1,
        &["rejected at a.log:3", "the invariant NobodyHolds is false"],
    );
    says(&kilter(&["follow", "a.log", "--no-invariants"], folder.path()), 0, &["accepted"]);
}

#[test]
fn logs_of_others_are_read_by_renaming() {
    let log = "noise\n{\"tag\":\"other\"}\n{\"tag\":\"trace\",\"it\":{\"what\":\"wants\",\"who\":\"n2\",\"pending\":1}}\n{\"tag\":\"trace\",\"it\":{\"what\":\"tick\"}}\n{\"tag\":\"trace\",\"it\":{\"what\":\"lends\",\"who\":\"n1\",\"m\":{\"type\":\"ask\",\"from\":\"n2\",\"to\":\"n1\"}}}\n";
    let follow = "event = \"it.what\"\nnode = \"it.who\"\nmessage = \"it.m\"\nonly = { tag = \"trace\" }\nskip = [\"tick\"]\n[follow.events]\nwants = \"Ask\"\nlends = \"HandleAsk\"\n[follow.values]\n\"Cardinality(messages)\" = \"it.pending\"";
    says(&lock(follow, log, &[]), 2, &["a.log:1: this is no line of JSON"]);
    says(
        &lock(follow, log, &["--lenient"]),
        0,
        &["accepted", "1 line could not be read and left out, first a.log:1"],
    );
    let wrong = log.replace("\"pending\":1", "\"pending\":2");
    says(&lock(follow, &wrong, &["--lenient"]), 1, &["Cardinality(messages) is 1, and the log says 2"]);
}

#[test]
fn events_need_not_be_single_steps() {
    // One line for two steps, one of them optional.
    let follow = "[follow.events]\nServed = [\"Ask\", \"HandleAsk\"]\nGot = [\"HandleGrant?\", \"Release\"]";
    let log = "{\"event\":\"Served\"}\n{\"event\":\"Got\",\"node\":\"n3\",\"state\":{\"holds\":false}}\n";
    says(&lock(follow, log, &[]), 0, &["accepted: 2 lines", "4 of 5 actions"]);
    // Two lines for one step.
    let follow = "[follow.events]\nAsking = { part-of = \"Ask\" }";
    let log = "{\"event\":\"Asking\",\"node\":\"n2\",\"before\":{\"holds\":true}}\n{\"event\":\"Ask\",\"node\":\"n2\"}\n";
    says(&lock(follow, log, &[]), 1, &["rejected at a.log:2", "holds[n2] is FALSE, and the log says TRUE"]);
    // Actions that leave no line.
    let log = format!("{ASK}\n{GRANTED}\n");
    says(&lock("silent = [\"HandleAsk\"]", &log, &[]), 0, &["accepted: 2 lines"]);
    says(&lock("silent = [\"HandleRelease\"]", &log, &[]), 1, &["rejected at a.log:2"]);
    // A line that is no step.
    let follow = "[follow.events]\nAlive = { observes = true }";
    let log = format!("{ASK}\n{{\"event\":\"Alive\",\"node\":\"n2\",\"state\":{{\"asked\":false}}}}\n");
    says(&lock(follow, &log, &[]), 1, &["rejected at a.log:2", "asked[n2] is TRUE, and the log says FALSE"]);
}

#[test]
fn several_files_are_ordered_by_messages_and_clocks() {
    let with = |order: &str, clocks: [&str; 2]| {
        let folder = folder(order, &format!("{}\n", HANDLE.replace('}', "") + "}" + clocks[0] + "}"));
        let line = ASK.replace('}', clocks[1]) + "}\n";
        fs::write(folder.path().join("b.log"), line).expect("it can be written");
        kilter(&["follow", "a.log", "b.log"], folder.path())
    };
    says(&with("", ["", ""]), 0, &["accepted: 2 lines"]);
    let early = [r#","clock":{"n1":1,"n2":1}"#, r#","clock":{"n2":1}"#];
    says(&with("order = \"clock\"", early), 0, &["accepted"]);
    let late = [r#","clock":{"n1":1}"#, r#","clock":{"n1":1,"n2":1}"#];
    says(
        &with("order = \"clock\"", late),
        1,
        &["rejected at a.log:1", "not under way", "b.log:1 comes after a.log:1, by its clock"],
    );
    says(&with("order = \"clock\"", [r#","clock":{}"#, r#","clock":{}"#]), 0, &["accepted"]);
    // A line without a clock does not hide those behind it.
    let alive = "{\"event\":\"Alive\",\"node\":\"n1\"}\n";
    let handle = format!("{alive}{}\n", HANDLE.replace('}', "") + "}" + late[0] + "}");
    let hidden = folder("order = \"clock\"\n[follow.events]\nAlive = { observes = true }", &handle);
    fs::write(hidden.path().join("b.log"), ASK.replace('}', late[1]) + "}\n").expect("it can be written");
    says(&kilter(&["follow", "a.log", "b.log"], hidden.path()), 1, &["rejected at a.log:2"]);
    let times = [r#","start":5,"end":7"#, r#","start":1,"end":2"#];
    says(&with("order = \"time\"", times), 0, &["accepted"]);
    let times = [r#","start":1,"end":2"#, r#","start":3"#];
    says(&with("order = \"time\"", times), 1, &["rejected"]);
}

#[test]
fn nodes_may_read_what_belongs_to_others() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put(
        "Copy.tla",
        "---- MODULE Copy ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = [n \\in {\"a\", \"b\"} |-> 0]\nInc(n) == n = \"a\" /\\ x' = [x EXCEPT ![n] = @ + 1]\nTake(n) == n = \"b\" /\\ x' = [x EXCEPT ![n] = x[\"a\"]]\nNext == \\E n \\in {\"a\", \"b\"} : Inc(n) \\/ Take(n)\n====\n",
    );
    put("Copy.cfg", "INIT Init\nNEXT Next\n");
    put(
        "kilter.toml",
        "[spec]\nfile = \"Copy.tla\"\n[follow]\n[system]\nnodes = [\"a\", \"b\"]\n[variables]\nx = { kind = \"node\" }\n[actions]\nInc = { kind = \"node\", node = \"n\" }\nTake = { kind = \"node\", node = \"n\" }\n",
    );
    let line = |event: &str, node: &str, x: u32| {
        format!("{}\n", json!({ "event": event, "node": node, "state": { "x": x } }))
    };
    put("a.log", &(line("Inc", "a", 1) + &line("Inc", "a", 2)));
    put("b.log", &line("Take", "b", 1));
    says(&kilter(&["follow", "a.log", "b.log"], folder.path()), 0, &["accepted: 3 lines"]);
    put("b.log", &line("Take", "b", 3));
    says(
        &kilter(&["follow", "a.log", "b.log"], folder.path()),
        1,
        &["rejected at b.log:1", "x[\"b\"] is 2, and the log says 3"],
    );
}

#[test]
fn what_no_line_says_is_said() {
    says(
        &lock("", &format!("{ASK}\n"), &[]),
        0,
        &["no line says what these are: holds, asked, holder, waiting, messages"],
    );
    says(&lock("only = { tag = \"trace\" }", &format!("{ASK}\n"), &[]), 2, &["none of 1 lines counts"]);
    says(&lock("", "", &[]), 2, &["the log is empty"]);
    let elsewhere = HANDLE.replace("\"node\":\"n1\"", "\"node\":\"n3\"");
    says(
        &lock("", &format!("{ASK}\n{elsewhere}\n"), &[]),
        1,
        &["happens at n1, not at the node of the line", "no line is of these nodes: n1, n4, n5"],
    );
    says(&lock("", &format!("\u{feff}{ASK}\n"), &[]), 0, &["accepted"]);
    says(
        &lock("message = \"mesage\"", &format!("{ASK}\n{HANDLE}\n"), &[]),
        0,
        &["accepted", "[follow] names these, and no line has them: mesage"],
    );
}

#[test]
fn what_is_wrong_with_lines_is_said() {
    let wrong = |log: &str, wanted: &str| says(&lock("", log, &[]), 2, &["a.log:", wanted]);
    wrong("{\"event\":\"Asks\"}\n", "did you mean `Ask`?");
    wrong("{\"event\":7}\n", "`event` must be the name of an event, not 7");
    wrong("{}\n", "`event` must be the name of an event");
    wrong("{\"event\":\"Ask\",\"node\":\"n9\"}\n", "there is no node `n9`; the nodes are n1, n2");
    wrong(
        "{\"event\":\"Ask\",\"node\":\"n2\",\"state\":{\"asked\":null}}\n",
        "the variable `asked` cannot be read",
    );
    wrong("{\"event\":\"Ask\",\"node\":\"n2\",\"state\":[]}\n", "`state` must be an object, not []");
    wrong(
        "{\"event\":\"Ask\",\"start\":2,\"end\":1}\n",
        "it ends before it begins: look at `start` and `end`",
    );
    wrong(&format!("{ASK}\n{{\"event\":\"Ha"), "a.log:2: the file ends in the middle of this line");
    let folder = folder("", "");
    says(&kilter(&["follow", "b.log"], folder.path()), 2, &["the log b.log cannot be read"]);
    says(&kilter(&["follow", "kilter.toml"], folder.path()), 2, &["no log is named"]);
    says(&kilter(&["test"], folder.path()), 2, &["nothing says how a node is started"]);
    says(&lock("silent = [\"Aks\"]", ASK, &[]), 2, &["did you mean `Ask`?"]);
    let answer = lock("", &format!("{ASK}\n{{\"event\"\n"), &["--json"]);
    let answer: Json = serde_json::from_slice(&answer.stdout).expect("it is JSON");
    assert_eq!((&answer["error"]["file"], &answer["error"]["line"]), (&json!("a.log"), &json!(2)));
}

#[test]
fn a_draft_of_a_mapping_is_enough_for_a_log() {
    let folder = folder("", &format!("{ASK}\n{HANDLE}\n"));
    let draft = kilter(&["init", "Lock.tla", "--out", "draft.toml"], folder.path());
    says(&draft, 0, &["wrote draft.toml"]);
    says(&kilter(&["follow", "draft.toml", "a.log"], folder.path()), 0, &["accepted: 2 lines"]);
}

#[test]
fn a_pipe_is_followed_and_the_behavior_written() {
    let folder = folder("", "");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["follow", "-", "--itf", "trace.itf.json", "--json"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("kilter can be started");
    let mut input = child.stdin.take().expect("it has an input");
    std::io::Write::write_all(&mut input, format!("{ASK}\n{HANDLE}\n").as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    says(&output, 0, &["\"verdict\":\"accepted\""]);
    let itf: Json =
        serde_json::from_slice(&fs::read(folder.path().join("trace.itf.json")).expect("it is there"))
            .expect("it is JSON");
    assert_eq!(itf["states"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_behavior_is_played_with_what_else_its_states_allow() {
    let folder = folder("[follow.events]\nServed = [\"Ask\", \"HandleAsk\"]", "");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
    // Nobody may give the lock back, and one action that no node offers has no end of steps.
    let module = read("Lock.tla").replace("Release(c) ==\n", "Release(c) ==\n    /\\ rounds[c] > 1\n");
    let module = module.replace("Next ==\n", "Count(n) == rounds' = [c \\in Client |-> n] /\\ UNCHANGED <<holds, asked, holder, waiting, messages>>\nNext ==\n    \\/ \\E n \\in Nat : Count(n)\n");
    put("Lock.tla", &module);
    let node = root().join("systems/lock/node").display().to_string();
    let mapping = read("kilter.toml")
        .replace("[follow]\n", &format!("command = [\"{node}\", \"{{node}}\", \"{{peers}}\"]\n[follow]\n"));
    put("kilter.toml", &(mapping + "Count = { kind = \"request\", node = \"n1\" }\n"));
    let case = |log: &str| {
        put("a.log", log);
        let followed = kilter(&["follow", "a.log", "--case", "case.json"], folder.path());
        let case: Json = serde_json::from_str(&read("case.json")).expect("it is JSON");
        (followed, case["states"].as_array().map_or(0, Vec::len))
    };
    let play = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.args(["test", "--behavior", "case.json"]).current_dir(folder.path());
        command.env("LOCK_LANGUAGES", "python").output().expect("kilter can be run")
    };
    // All steps that a line stands for are in the case, although the line is rejected.
    let (rejected, n_states) = case("{\"event\":\"Served\",\"state\":{\"holder\":\"n1\"}}\n");
    says(&rejected, 1, &["rejected at a.log:1", "and the log says n1"]);
    assert_eq!(n_states, 3);
    says(&play(), 0, &["1 passed, 2 steps; 2 of 2 edges confirmed"]);
    let (rejected, _) = case("{\"event\":\"Count\",\"args\":{\"n\":\"many\"}}\n");
    says(&rejected, 1, &["rejected at a.log:1", "Count(n = \"many\")"]);
    let (accepted, n_states) = case(&format!("{ASK}\n{HANDLE}\n{GRANTED}\n"));
    says(&accepted, 0, &["accepted: 3 lines"]);
    assert_eq!(n_states, 4);
    says(&play(), 1, &["unexpected-action Release"]);
}

#[test]
fn what_orders_lines_and_where_they_happen_must_be_said() {
    let with = |follow: &str| {
        let folder = folder(follow, &format!("{ASK}\n"));
        fs::write(folder.path().join("b.log"), format!("{HANDLE}\n")).expect("it can be written");
        kilter(&["follow", "a.log", "b.log"], folder.path())
    };
    says(&with("order = \"clock\""), 2, &["no line has a clock", "`clock`"]);
    says(&with("order = \"time\""), 2, &["no line has a time", "`start` and `end`"]);
    says(&with("node = \"whom\""), 0, &["no line names its node; look at `node` in [follow]"]);
}
