//! What logs have shown: coverage, edges, the page, the behavior.

use std::collections::BTreeSet;
use std::fs;

use kilter_base::Rng;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::reference::Reference;
use super::{ASK, GRANTED, HANDLE, folder, joined, kilter};
use crate::common::{root, says};

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
    // A log of the same name is told apart. A record does not count twice.
    let again = path(&out, "again");
    says(&follow("good", &again), 0, &["report: "]);
    says(&kilter(&["report", &good, &good], &root()), 2, &["are the same record; leave one of them out"]);
    says(
        &kilter(&["report", &good, &again], &root()),
        0,
        &["2 of 2 logs accepted", &format!("good.log ({again})")],
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
    let reference = Reference { graph, values, store, silent: "" };
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
