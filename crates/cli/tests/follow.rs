//! `kilter follow`: logs against the specification.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kilter::follow::{FollowOptions, run};
use kilter::load::Input;
use kilter::run::Ended;
use kilter::{Host, Options, Specification, StateGraph};
use kilter_base::Rng;
use kilter_graph::StateId;
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
    says(&play("1", &case), 1, &["inconsistent-state HandleAsk", &format!("--behavior {case}")]);
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

/// A counter of two nodes, and a log that says little of what it does.
fn counter(follow: &str, log: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put(
        "Counter.tla",
        r"---- MODULE Counter ----
EXTENDS Integers, Sequences
VARIABLES n, bag
Init == n \in [{1, 2} -> {0, 5}] /\ bag = <<>>
Add(i, k) == n' = [n EXCEPT ![i] = @ + k] /\ UNCHANGED bag
Put(i, m) == bag' = Append(bag, m) /\ UNCHANGED n
Clear(i) == n[i] > 0 /\ n' = [n EXCEPT ![i] = @ - 1] /\ UNCHANGED bag
Next == \E i \in {1, 2} : Clear(i) \/ (\E k \in 1..3 : Add(i, k))
          \/ (\E from, to, size \in 1..3 : Put(i, [from |-> from, to |-> to, body |-> [j \in 1..size |-> 0]]))
====
",
    );
    put("Counter.cfg", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
    let mapping = format!(
        "[spec]\nfile = \"Counter.tla\"\n[system]\nnodes = [\"one\", \"two\"]\n[constants]\n1 = \"one\"\n2 = \"two\"\n[follow]\n{follow}"
    );
    put("kilter.toml", &mapping);
    put("a.log", log);
    folder
}

#[test]
fn formulas_say_what_a_line_means() {
    let follow = r#"event = ["what", "kind"]
node = "at"
beginning = ["up"]
definitions = "N(i) == IF line.twice > 0 THEN 2 * n[i] ELSE 0\nFits(m) == m.from = line.m.from /\\ Len(m.body) = line.m.size"
[follow.values]
"n[node]" = "n"
"N(node)" = "twice"
"SubSeq(<<n[1], n[2]>>, 1, 2)" = { from = "all", shape = "seq of int" }
[follow.events]
up = { observes = true }
seen = { observes = true, compares = ["N(node)"] }
"sent small" = { steps = ["Put"], args = { i = "at" }, where = ["Fits(m)", "m.to # m.from"] }
"sent" = { steps = ["Put"], where = "Fits(m)" }
added = { steps = ["Add"], args = { i = "at" }, unless = "line.by = 0", where = "n'[node] - n[node] = line.by" }
cleared = { steps = ["Clear"], args = { i = "at" }, until = "n'[node] = 0" }
read = { steps = ["Add"], args = { i = "at" }, state-is = "before", compares = ["n[node]"] }
"#;
    let log = r#"{"what":"up","at":"one","n":7}
{"what":"up","at":"one","n":5}
{"what":"added","at":"one","by":0,"n":5}
{"what":"added","at":"one","by":2,"n":7}
{"what":"sent","kind":"small","at":"two","m":{"from":1,"size":2}}
{"what":"sent","kind":"large","at":"two","m":{"from":3,"size":3}}
{"what":"seen","at":"one","n":99,"twice":14}
{"what":"cleared","at":"one","n":0}
{"what":"read","at":"one","n":0,"all":[9,9]}
"#;
    let follow_it = |log: &str| kilter(&["follow", "a.log"], counter(follow, log).path());
    says(&follow_it(log), 0, &["accepted: 7 lines"]);
    says(
        &follow_it(&log.replace("14", "15")),
        1,
        &["rejected at a.log:7", "N(node) is 14, and the log says 15"],
    );
    // Each of these is no longer what the specification says.
    says(
        &follow_it(&log.replace("\"n\":5}\n{", "\"n\":4}\n{")),
        1,
        &["a.log:3", "n[node] is 5, and the log says 4"],
    );
    let wrong = follow_it(&log.replace("\"by\":2", "\"by\":4"));
    says(&wrong, 1, &["rejected at a.log:4", "is possible, but not what the line says", "line.by = 4"]);
    let wrong = follow_it(&log.replace("\"size\":2", "\"size\":4"));
    says(&wrong, 1, &["rejected at a.log:5", "Len(m.body) = line.m.size is false"]);
    let wrong = follow_it(&log.replace("\"n\":0}\n", "\"n\":1}\n"));
    says(&wrong, 1, &["rejected at a.log:8", "n[node] is 0, and the log says 1"]);
    let wrong = follow_it(&log.replace("\"n\":0,\"all\"", "\"n\":3,\"all\""));
    says(&wrong, 1, &["rejected at a.log:9", "the state before", "n[node] is 0, and the log says 3"]);
    let names = "{\"what\":\"read\",\"at\":\"one\",\"names\":[1,1]}\n";
    let set = follow.replace(
        "\"n[node]\" = \"n\"",
        "\"n[node]\" = \"n\"\n\"{n[node] + 1}\" = { from = \"names\", shape = \"set of int\" }",
    );
    let set = set.replace("compares = [\"n[node]\"]", "compares = [\"{n[node] + 1}\"]");
    let log_of = |names: &str| kilter(&["follow", "a.log"], counter(&set, names).path());
    says(&log_of(&names.replace("[1,1]", "[1]")), 0, &["accepted"]);
    says(&log_of(names), 1, &["rejected at a.log:1", "{n[node] + 1} is {1}, and the log says <<1, 1>>"]);
    // What is wrong with the mapping is said where it is.
    let wrong =
        |from: &str, to: &str| kilter(&["follow", "a.log"], counter(&follow.replace(from, to), log).path());
    says(&wrong("unless", "unles"), 2, &["unknown field `unles`", "kilter.toml:"]);
    says(&wrong("[\"n[node]\"]", "[\"m[node]\"]"), 2, &["compares `m[node]`", "did you mean"]);
    says(&wrong("seq of int", "sequence of int"), 2, &["kilter.toml:"]);
    says(
        &wrong("line.by = 0", "line.of = 0"),
        2,
        &["a.log:3", "`line.of = 0` of [follow] cannot be evaluated"],
    );
    says(&wrong("line.by = 0", "lin.by = 0"), 2, &["[follow]:", "lin"]);
}

#[test]
fn a_step_that_is_repeated_too_often_decides_nothing() {
    let repeated = |until: &str| {
        let follow = format!(
            "node = \"at\"\n[follow.events]\ngrown = {{ steps = [\"Add\"], args = {{ i = \"at\" }}, until = \"{until}\" }}\n"
        );
        let log = "{\"event\":\"grown\",\"at\":\"one\"}\n";
        kilter(&["follow", "a.log"], counter(&follow, log).path())
    };
    says(&repeated("n'[node] = 100"), 0, &["accepted: 1 line"]);
    says(&repeated("n'[node] < 0"), 3, &["undecided", "(`until`) leads through more than 10,000 states"]);
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
    says(&with("order = \"clock\"", late), 1, &["rejected", "not under way"]);
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
        &["happens at n1, not at the node of the line"],
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
    wrong(&format!("{ASK}\n{{\"event\":\"Ha"), "a.log:2: the file ends in the middle of this line");
    let folder = folder("", "");
    says(&kilter(&["follow", "b.log"], folder.path()), 2, &["the log b.log cannot be read"]);
    says(&kilter(&["follow", "kilter.toml"], folder.path()), 2, &["no log is named"]);
    says(&kilter(&["test"], folder.path()), 2, &["nothing says how a node is started"]);
    says(&lock("silent = [\"Aks\"]", ASK, &[]), 2, &["did you mean `Ask`?"]);
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

#[test]
fn map_looks_at_formulas_for_logs() {
    let wrong = counter("[follow.events]\nx = { steps = [\"Add\"], where = \"lin.by = 0\" }\n", "");
    says(&kilter(&["map"], wrong.path()), 2, &["`lin` is not defined"]);
}

/// Follows two logs that are being written.
struct Live {
    folder: TempDir,
    child: std::process::Child,
}

impl Live {
    fn start() -> Live {
        let folder = folder("", "");
        for name in ["n1.log", "n2.log"] {
            fs::write(folder.path().join(name), "").expect("it can be written");
        }
        let child = Command::new(env!("CARGO_BIN_EXE_kilter"))
            .args(["follow", "kilter.toml", "--live", "n1.log", "n2.log"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("kilter can be started");
        Live { folder, child }
    }

    fn append(&self, name: &str, text: &str) {
        let file = fs::OpenOptions::new().append(true).open(self.folder.path().join(name));
        std::io::Write::write_all(&mut file.expect("it is there"), text.as_bytes())
            .expect("it can be written");
    }

    fn must_wait(&mut self) {
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(self.child.try_wait().expect("it can be asked").is_none(), "it waits for more");
    }
}

/// What a program says after Ctrl-C.
fn interrupted(child: std::process::Child) -> Output {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_log_is_followed_while_it_is_written() {
    let mut live = Live::start();
    live.append("n2.log", &format!("{ASK}\n"));
    live.append("n1.log", &format!("{HANDLE}\n"));
    live.must_wait();
    live.append("n2.log", &format!("{ASK}\n"));
    live.append("n1.log", &format!("{HANDLE}\n"));
    let output = live.child.wait_with_output().expect("it ends by itself");
    says(&output, 1, &["rejected at n2.log:2", "n1.log:2 waits for a message"]);
}

#[test]
fn half_a_line_is_no_line_yet_and_ctrl_c_ends_the_waiting() {
    let mut live = Live::start();
    let (half, rest) = ASK.split_at(ASK.len() / 2);
    live.append("n2.log", half);
    live.append("n1.log", &format!("{HANDLE}\n"));
    live.must_wait();
    live.append("n2.log", &format!("{rest}\n"));
    live.append("n1.log", half);
    live.must_wait();
    let output = interrupted(live.child);
    says(&output, 130, &["accepted so far: 2 lines explained"]);
}

#[test]
fn a_line_that_waits_for_another_file_is_not_rejected_by_ctrl_c() {
    let mut live = Live::start();
    // It may be granted by a line of the server that is not written yet.
    live.append("n2.log", &format!("{ASK}\n{{\"event\":\"HandleGrant\",\"node\":\"n2\"}}\n"));
    live.must_wait();
    let output = interrupted(live.child);
    says(&output, 130, &["accepted so far: 1 line explained"]);
}

#[test]
fn a_silent_pipe_can_be_left() {
    for live in [&["--live"][..], &[]] {
        let folder = folder("", "");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kilter"))
            .args(["follow", "-"])
            .args(live)
            .current_dir(folder.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("kilter can be started");
        let mut input = child.stdin.take().expect("it has an input");
        std::io::Write::write_all(&mut input, format!("{ASK}\n").as_bytes()).expect("it reads");
        std::thread::sleep(std::time::Duration::from_millis(500));
        let output = interrupted(child);
        drop(input);
        says(&output, 130, &["1 line explained"]);
    }
}

/// A log of a random behavior, and what an exhaustive search over the state graph says of it.
struct Reference {
    graph: StateGraph,
    values: kilter_graph::values::Restored,
    store: kilter_value::Store,
}

const CLIENTS: [&str; 2] = ["n2", "n3"];

impl Reference {
    fn new(folder: &Path) -> Reference {
        let specification =
            Specification::load(Input::new(folder.join("Lock.tla"))).expect("it is a specification");
        let outcome = specification.check(&Options { graph: true, ..Options::default() });
        let graph = specification.graph(&outcome).expect("it was asked for");
        let store = kilter_value::Store::new();
        let values = graph.values().restore(&store).expect("the graph is whole");
        Reference { graph, values, store }
    }

    fn value(&self, state: StateId, name: &str) -> Json {
        let index =
            self.graph.variables().iter().position(|variable| variable == name).expect("it is a variable");
        self.store.to_json(self.values[self.graph.value(state, index)])
    }

    /// The part of a variable that a client has.
    fn part(&self, state: StateId, name: &str, client: &str) -> Json {
        let pairs = self.value(state, name);
        let pair = pairs.as_array().expect("a function").iter().find(|pair| pair[0] == client);
        pair.expect("every client has a part")[1].clone()
    }

    /// What a node logs of an edge: everything that `keep` says.
    fn line(&self, edge: kilter_graph::EdgeId, mut keep: impl FnMut() -> bool) -> Json {
        let graph = &self.graph;
        let (before, after) = (graph.source(edge), graph.target(edge));
        let label = graph.label(graph.label_id(edge));
        let arg = self.store.to_json(self.values[graph.args(label).next().expect("one argument")]);
        let name = graph.action_of(edge).name.clone();
        let mut line = json!({ "event": name });
        let node = if arg.is_string() { arg.clone() } else { arg["to"].clone() };
        line["node"] = node.clone();
        if !arg.is_string() && keep() {
            line["message"] = arg.clone();
        }
        if node == "n1" {
            if keep() {
                let holder = self.value(after, "holder");
                let holder = if holder == "Nobody" { Json::Null } else { holder };
                line["state"] = json!({ "holder": holder, "waiting": self.value(after, "waiting") });
            }
        } else if keep() {
            let client = node.as_str().expect("a name");
            line["state"] = json!({ "holds": self.part(after, "holds", client), "asked": self.part(after, "asked", client) });
        }
        if keep() {
            let under_way = |state| self.value(state, "messages").as_array().cloned().unwrap_or_default();
            let (old, new) = (under_way(before), under_way(after));
            let sent = new.iter().filter(|message| !old.contains(message));
            line["sent"] = sent.map(|message| json!({ "to": message["to"], "message": message })).collect();
        }
        line
    }

    /// Whether an edge shows all that a line says.
    fn shows(&self, edge: kilter_graph::EdgeId, line: &Json) -> bool {
        let whole = self.line(edge, || true);
        let fields = line.as_object().expect("a line is an object");
        fields.iter().all(|(name, said)| match (said, &whole[name]) {
            (Json::Object(parts), Json::Object(has)) if name == "state" => {
                parts.iter().all(|(part, value)| has.get(part) == Some(value))
            }
            (said, has) => said == has,
        })
    }

    fn after(&self, states: &BTreeSet<StateId>, line: &Json) -> BTreeSet<StateId> {
        let edges = states.iter().flat_map(|state| self.graph.outgoing(*state));
        edges.filter(|edge| self.shows(*edge, line)).map(|edge| self.graph.target(edge)).collect()
    }

    /// The number of lines of one file that some behavior explains.
    fn explained(&self, lines: &[Json]) -> usize {
        let mut states: BTreeSet<StateId> = self.graph.initial().collect();
        for (index, line) in lines.iter().enumerate() {
            states = self.after(&states, line);
            if states.is_empty() {
                return index;
            }
        }
        lines.len()
    }

    /// Whether some order of several files is a behavior.
    fn is_behavior(&self, files: &[Vec<Json>]) -> bool {
        let mut open: Vec<(Vec<usize>, BTreeSet<StateId>)> =
            vec![(vec![0; files.len()], self.graph.initial().collect())];
        let mut seen = BTreeSet::new();
        while let Some((cut, states)) = open.pop() {
            if cut.iter().zip(files).all(|(at, file)| *at == file.len()) {
                return true;
            }
            for (number, file) in files.iter().enumerate() {
                let Some(line) = file.get(cut[number]) else { continue };
                let next = self.after(&states, line);
                let mut cut = cut.clone();
                cut[number] += 1;
                if !next.is_empty() && seen.insert((cut.clone(), next.clone())) {
                    open.push((cut, next));
                }
            }
        }
        false
    }
}

/// Changes a log in one place: a line is lost, two are swapped, or something in one is another.
fn mutate(lines: &mut Vec<Json>, rng: &mut Rng) {
    let at = rng.below(lines.len());
    match rng.below(4) {
        0 => drop(lines.remove(at)),
        1 if at > 0 => lines.swap(at - 1, at),
        2 => {
            let other = CLIENTS[rng.below(2)];
            for field in ["from", "to"] {
                if CLIENTS.iter().any(|client| lines[at]["message"][field] == **client) {
                    lines[at]["message"][field] = other.into();
                }
            }
        }
        _ => {
            if let Some(state) = lines[at].get_mut("state").and_then(Json::as_object_mut) {
                for value in state.values_mut() {
                    if let Some(b) = value.as_bool() {
                        *value = Json::Bool(!b);
                    } else if value.is_string() || value.is_null() {
                        *value = CLIENTS[rng.below(2)].into();
                    }
                }
            }
        }
    }
}

#[test]
fn mutated_logs_are_judged_as_by_an_exhaustive_search() {
    let folder = folder("", "");
    let config = "SPECIFICATION Spec\nCONSTANTS\nServer = n1\nClient = {n2, n3}\nNobody = Nobody\nCrowd = 2\nRounds = 2\nINVARIANT OneHolds\nCHECK_DEADLOCK FALSE\n";
    fs::write(folder.path().join("Lock.cfg"), config).expect("it can be written");
    let mapping = folder.path().join("kilter.toml");
    let text = fs::read_to_string(&mapping).expect("it is there").replace(", \"n4\", \"n5\"", "");
    fs::write(&mapping, text).expect("it can be written");
    let reference = Reference::new(folder.path());
    let mut counts = [0, 0];
    // More on demand: KILTER_FOLLOW_LOGS=2000.
    let n_logs = std::env::var("KILTER_FOLLOW_LOGS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    for seed in 0..n_logs {
        let mut rng = Rng::from_seed(seed);
        let mut state = reference.graph.initial().next().expect("there is one");
        let mut lines = Vec::new();
        let is_whole = rng.below(2) == 0;
        for _ in 0..4 + rng.below(10) {
            let edges: Vec<_> = reference.graph.outgoing(state).collect();
            if edges.is_empty() {
                break;
            }
            let edge = edges[rng.below(edges.len())];
            lines.push(reference.line(edge, || is_whole || rng.below(2) == 0));
            state = reference.graph.target(edge);
        }
        for _ in 0..rng.below(3) {
            if lines.len() > 1 {
                mutate(&mut lines, &mut rng);
            }
        }
        let explained = reference.explained(&lines);
        let text = joined(&lines);
        let verdict = judge(folder.path(), &[text]);
        let expected = if explained == lines.len() { json!("accepted") } else { json!("rejected") };
        assert_eq!(verdict["verdict"], expected, "seed {seed}: {lines:#?}");
        if explained < lines.len() {
            assert_eq!(verdict["rejected_at"]["line"], explained + 1, "seed {seed}");
            assert_ne!(verdict["reasons"], json!([]), "seed {seed}");
        }
        counts[usize::from(explained == lines.len())] += 1;
        // The same lines, each node's in a file of its own.
        let files: Vec<Vec<Json>> = ["n1", "n2", "n3"]
            .map(|node| lines.iter().filter(|line| line["node"] == node).cloned().collect())
            .into();
        let texts: Vec<String> = files.iter().map(|lines| joined(lines)).collect();
        let expected = if reference.is_behavior(&files) { json!("accepted") } else { json!("rejected") };
        assert_eq!(judge(folder.path(), &texts)["verdict"], expected, "seed {seed}: {files:#?}");
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
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

/// The path of a file in a folder, as an argument.
fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn read_json(folder: &TempDir, name: &str) -> Json {
    let text = fs::read(folder.path().join(name)).expect("it is there");
    serde_json::from_slice(&text).expect("it is JSON")
}

/// The events of a record.
fn events(folder: &TempDir, name: &str) -> Vec<Json> {
    let text = fs::read_to_string(folder.path().join(name).join("record.jsonl")).expect("it is there");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn event<'e>(events: &'e [Json], name: &str) -> &'e Json {
    events.iter().find(|event| event["event"] == name).unwrap_or_else(|| panic!("there is a {name}"))
}

#[test]
fn coverage_of_many_logs_is_merged() {
    let out = tempfile::tempdir().expect("a folder can be made");
    let (graph, good, bad) = (path(&out, "lock.kilter"), path(&out, "good"), path(&out, "bad"));
    says(&kilter(&["check", "specs/Lock/Lock.tla", "--graph", &graph], &root()), 0, &["holds"]);
    let follow = |log: &str, folder: &str| {
        let log = format!("systems/lock/logs/{log}.log");
        kilter(&["follow", "systems/lock", &log, "--graph", &graph, "--report", folder], &root())
    };
    says(&follow("good", &good), 0, &["8 of 2,376 edges of the graph were walked\n", "report: "]);
    says(&follow("two-holders", &bad), 1, &["4 of 2,376 edges of the graph were walked"]);
    says(
        &kilter(&["report", &good], &root()),
        0,
        &[
            "1 log shows 5 of 5 actions and 10 of 11 branches",
            "Ask            2 steps\n",
            "Lock.tla:73:13",
            "ok: every log is",
        ],
    );
    let both = kilter(&["report", &good, &bad], &root());
    says(
        &both,
        1,
        &[
            "2 logs show 5 of 5 actions",
            "Release        1 step, only in systems/lock/logs/good.log",
            "two-holders.log  3 actions",
            "1 of 2 logs accepted",
        ],
    );
    let both = kilter(&["report", &good, &bad, "--json"], &root());
    let json: Json = serde_json::from_slice(&both.stdout).expect("it is JSON");
    assert_eq!(
        json["shown"]["actions"]["Ask"],
        json!({ "steps": 4, "logs": ["systems/lock/logs/good.log", "systems/lock/logs/two-holders.log"] })
    );
    assert_eq!((&json["edges"], &json["passed"]), (&json!(2376), &json!(1)));
    // A log of the same name is told apart.
    says(
        &kilter(&["report", &good, &good], &root()),
        0,
        &["2 of 2 logs accepted", &format!("good.log ({good})")],
    );
    // Numbers of another graph mean other edges.
    let other = path(&out, "other");
    let log = "systems/lock/logs/good.log";
    says(&kilter(&["follow", "systems/lock", log, "--report", &other], &root()), 0, &["accepted"]);
    says(&kilter(&["report", &good, &other], &root()), 2, &["are about different specifications or graphs"]);
}

#[test]
fn edges_are_those_of_the_behavior() {
    let folder = folder("", "");
    let config = "SPECIFICATION Spec\nCONSTANTS\nServer = n1\nClient = {n2, n3}\nNobody = Nobody\nCrowd = 2\nRounds = 2\nCHECK_DEADLOCK FALSE\n";
    fs::write(folder.path().join("Small.cfg"), config).expect("it can be written");
    let wide = config.replace("Rounds = 2", "Rounds = 1000");
    fs::write(folder.path().join("Lock.cfg"), wide).expect("it can be written");
    let mapping = folder.path().join("kilter.toml");
    let text = fs::read_to_string(&mapping).expect("it is there").replace(", \"n4\", \"n5\"", "");
    fs::write(&mapping, text).expect("it can be written");
    let made = kilter(&["check", "Lock.tla", "--config", "Small.cfg", "--graph", "g.kilter"], folder.path());
    says(&made, 0, &["holds"]);
    let bytes = fs::read(folder.path().join("g.kilter")).expect("it is there");
    let graph = kilter_graph::decode(&bytes).expect("it is a graph");
    let store = kilter_value::Store::new();
    let values = graph.values().restore(&store).expect("the graph is whole");
    let reference = Reference { graph, values, store };
    for seed in 0..20 {
        let mut rng = Rng::from_seed(seed);
        let mut state = reference.graph.initial().next().expect("there is one");
        let (mut lines, mut walked) = (Vec::new(), BTreeSet::new());
        while let Some(edge) = {
            let edges: Vec<_> = reference.graph.outgoing(state).collect();
            (!edges.is_empty()).then(|| edges[rng.below(edges.len())])
        } {
            lines.push(reference.line(edge, || true));
            walked.insert(kilter_base::Id::index(edge));
            state = reference.graph.target(edge);
        }
        // Every client has asked as often as the model lets it.
        lines.push(json!({ "event": "Ask", "node": "n2" }));
        fs::write(folder.path().join("a.log"), joined(&lines)).expect("it can be written");
        let said =
            kilter(&["follow", "a.log", "--graph", "g.kilter", "--report", "out", "--json"], folder.path());
        says(&said, 0, &["\"verdict\":\"accepted\"", "\"outside\":1"]);
        let events = events(&folder, "out");
        let edges: BTreeSet<usize> = event(&events, "case")["edges"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|edge| edge.as_u64().expect("a number") as usize)
            .collect();
        assert_eq!(edges, walked, "seed {seed}");
        assert_eq!(event(&events, "shown")["outside"], 1);
    }
}

#[test]
fn a_page_shows_the_end_of_a_log() {
    let folder = folder("", &format!("{ASK}\n{HANDLE}\n{GRANTED}\n"));
    says(&kilter(&["follow", "a.log", "--report", "good"], folder.path()), 0, &["report: good/report.html"]);
    let record = events(&folder, "good");
    let path = event(&record, "shown")["path"].as_array().expect("a path").clone();
    assert_eq!(path.len(), 3);
    assert_eq!((&path[1]["action"], &path[1]["node"]), (&json!("HandleAsk"), &json!("n1")));
    let fates = |step: &Json| -> Vec<String> {
        let fate = |message: &Json| format!("{} {}", message["fate"], message["to"]).replace('"', "");
        step["messages"].as_array().expect("a list").iter().map(fate).collect()
    };
    assert_eq!(fates(&path[1]), ["taken n1", "sent n2"]);
    let page = fs::read_to_string(folder.path().join("good/report.html")).expect("it is there");
    assert!(page.contains("1 of 1 log accepted") && page.contains("accepted: its last steps"));
    // The lock goes to two.
    let wrong = HANDLE.replace("n2", "n3").replace('}', "")
        + r#"},"state":{"holder":"n3"},"sent":[{"to":"n3","message":{"type":"grant","from":"n1","to":"n3"}}]}"#;
    let log = format!("{ASK}\n{HANDLE}\n{}\n{wrong}\n", ASK.replace("n2", "n3"));
    fs::write(folder.path().join("a.log"), log).expect("it can be written");
    says(&kilter(&["follow", "a.log", "--report", "bad"], folder.path()), 1, &["rejected at a.log:4"]);
    let record = events(&folder, "bad");
    let finding = event(&record, "finding");
    assert_eq!(finding["kind"], "inconsistent-state");
    assert_eq!(finding["step"], 4);
    assert_eq!(
        finding["differences"][0],
        json!({ "variable": "holder", "place": "", "expected": "n2", "observed": "n3" })
    );
    let last = &finding["path"][3];
    assert_eq!(fates(last), ["taken n1", "sent n3"]);
    assert_eq!(last["messages"][1]["unexpected"], true);
    assert_eq!(last["changes"][0], json!(["waiting", "<<n3>>"]), "the nearest state that is legal");
    let page = fs::read_to_string(folder.path().join("bad/report.html")).expect("it is there");
    assert!(page.contains("Log says") && page.contains("a.log:4"));
    says(
        &kilter(&["report", "bad"], folder.path()),
        1,
        &["out of kilter: 1 finding of 1 kind", "kilter follow kilter.toml a.log"],
    );
    // A line that nothing allows has no state beside it.
    fs::write(folder.path().join("a.log"), format!("{ASK}\n{ASK}\n")).expect("it can be written");
    says(&kilter(&["follow", "a.log", "--report", "bad"], folder.path()), 1, &["rejected at a.log:2"]);
    let record = events(&folder, "bad");
    assert_eq!(event(&record, "finding")["kind"], "unexpected-action");
}

#[test]
fn a_long_behavior_is_written_as_it_becomes_final() {
    let folder = folder("", "");
    let line = |event: &str, node: &str, kind: &str, from: &str| {
        let message = json!({ "type": kind, "from": from, "to": node });
        let mut line = json!({ "event": event, "node": node });
        if !kind.is_empty() {
            line["message"] = message;
        }
        line
    };
    let mut lines = Vec::new();
    for round in 0..400 {
        let client = ["n2", "n3", "n4"][round % 3];
        lines.push(line("Ask", client, "", ""));
        lines.push(line("HandleAsk", "n1", "ask", client));
        lines.push(line("HandleGrant", client, "grant", "n1"));
        lines.push(line("Release", client, "", ""));
        lines.push(line("HandleRelease", "n1", "release", client));
    }
    let of_node =
        |node: &str| joined(&lines.iter().filter(|line| line["node"] == node).cloned().collect::<Vec<_>>());
    for node in ["n1", "n2", "n3", "n4"] {
        fs::write(folder.path().join(format!("{node}.log")), of_node(node)).expect("it can be written");
    }
    fs::write(folder.path().join("a.log"), joined(&lines)).expect("it can be written");
    for logs in [vec!["a.log"], vec!["n1.log", "n2.log", "n3.log", "n4.log"]] {
        let args = [vec!["follow", "--itf", "out.itf.json", "--json"], logs.clone()].concat();
        says(
            &kilter(&args, folder.path()),
            0,
            &["\"verdict\":\"accepted\"", "\"Ask\":400", "\"HandleRelease\":400"],
        );
        let itf = read_json(&folder, "out.itf.json");
        let states = itf["states"].as_array().expect("a list");
        assert_eq!(states.len(), 2001, "{logs:?}");
        let taken = |state: &Json| state["mbt::actionTaken"].as_str().expect("a name").to_owned();
        assert_eq!(taken(&states[0]), "init");
        // Each client asks when it neither waits nor holds, in the state just before.
        for (index, pair) in states.windows(2).enumerate() {
            assert_eq!(pair[1]["#meta"]["index"], index + 1);
            let changed = |name: &str| pair[0][name] != pair[1][name];
            let expected: &[&str] = match taken(&pair[1]).as_str() {
                "Ask" => &["asked", "rounds"],
                "HandleAsk" | "HandleRelease" => &["holder"],
                "HandleGrant" => &["holds", "asked"],
                _ => &["holds"],
            };
            assert!(
                changed("messages") && expected.iter().all(|name| changed(name) || logs.len() > 1),
                "{index}"
            );
        }
        if logs.len() == 1 {
            let events: Vec<String> = states[1..].iter().map(taken).collect();
            let logged: Vec<String> =
                lines.iter().map(|line| line["event"].as_str().expect("a name").to_owned()).collect();
            assert_eq!(events, logged);
        }
    }
    // Where nothing is certain before the end, it is still one behavior.
    let silent = folder.path().join("kilter.toml");
    let text = fs::read_to_string(&silent)
        .expect("it is there")
        .replace("[follow]\n", "[follow]\nsilent = [\"HandleAsk\"]\n");
    fs::write(&silent, text).expect("it can be written");
    let heard: Vec<Json> = lines.iter().filter(|line| line["event"] != "HandleAsk").cloned().collect();
    fs::write(folder.path().join("a.log"), joined(&heard)).expect("it can be written");
    let args = ["follow", "--itf", "out.itf.json", "a.log", "--json"];
    says(&kilter(&args, folder.path()), 0, &["\"verdict\":\"accepted\"", "\"HandleAsk\":400"]);
    assert_eq!(read_json(&folder, "out.itf.json")["states"].as_array().map(Vec::len), Some(2001));
}
