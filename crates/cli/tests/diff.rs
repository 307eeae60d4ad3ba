//! Runs `kilter diff` on two versions, and checks what it says has to be tested.

use crate::common;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use common::root;
use serde_json::Value;

/// A folder with two versions of specs/Cache.
struct Versions {
    folder: tempfile::TempDir,
}

impl Versions {
    /// Writes both versions. In the new one, texts in the specification and in the configuration are replaced.
    fn new(spec: &[(&str, &str)], config: &[(&str, &str)]) -> Versions {
        let versions = Versions { folder: tempfile::tempdir().expect("a folder") };
        let read = |name: &str| {
            fs::read_to_string(root().join("specs/Cache").join(name)).expect("the specification")
        };
        for (version, spec, config) in [("old", &[][..], &[][..]), ("new", spec, config)] {
            fs::create_dir_all(versions.folder.path().join(version)).expect("a folder");
            versions.write(&format!("{version}/Cache.tla"), &replaced(read("Cache.tla"), spec));
            versions.write(&format!("{version}/Cache.cfg"), &replaced(read("Cache.cfg"), config));
        }
        versions
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    fn kilter(&self, args: &[&str]) -> Output {
        let command = &mut Command::new(env!("CARGO_BIN_EXE_kilter"));
        command.args(args).current_dir(self.folder.path()).output().expect("kilter can be started")
    }

    /// Runs `kilter diff --json` with more arguments.
    #[track_caller]
    fn diff(&self, more: &[&str]) -> Value {
        let args = [&["diff", "--old", "old/Cache.tla", "--new", "new/Cache.tla", "--json"], more].concat();
        let output = self.kilter(&args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn replaced(mut text: String, by: &[(&str, &str)]) -> String {
    for (from, to) in by {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

/// The patterns that matched.
fn patterns(told: &Value) -> BTreeSet<String> {
    let matched = told["patterns"].as_array().expect("a list").iter();
    matched.map(|found| found["pattern"].as_str().expect("a name").to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_change_of_names_and_comments_needs_no_test_and_says_why() {
    let renamed = [
        ("\\E m \\in messages : Receive(m)", "\\E x \\in messages : Receive(x)"),
        ("the client", "a client"),
    ];
    let versions = Versions::new(&renamed, &[]);
    let told = versions.diff(&["--exit-code", "--out", "none.suite"]);
    assert_eq!(told["tests"], 0);
    assert_eq!(told["affected_edges"], 0);
    assert_eq!(told["reduction"], 1.0);
    assert!(
        told["nothing"].as_str().is_some_and(|why| why.contains("only comments, layout, names")),
        "{told}"
    );
    assert_eq!(
        versions.kilter(&["suite", "--verify", "none.suite", "x"]).status.code(),
        Some(2),
        "no such graph"
    );
}

#[test]
fn a_rewritten_block_that_comes_to_the_same_needs_no_test() {
    let versions =
        Versions::new(&[("cache' = cache \\union {m.number}", "cache' = {m.number} \\union cache")], &[]);
    let told = versions.diff(&[]);
    assert_eq!(told["changes"][0]["kind"], "block-modified");
    assert_eq!((&told["tests"], &told["same_edges"]), (&0.into(), &36.into()));
    assert!(told["nothing"].as_str().is_some_and(|why| why.contains("comes to the same")), "{told}");
    let wide = versions.diff(&["--wide"]);
    assert_eq!(patterns(&wide), set(&["P1", "P2"]));
    assert!(wide["affected_edges"].as_u64() >= Some(36), "{wide}");
}

#[test]
fn a_modified_block_is_an_added_and_a_deleted_one() {
    let versions = Versions::new(&[("\"NotMax\"", "\"Less\"")], &[]);
    let told = versions.diff(&["--out", "selected.suite", "--markdown", "summary.md"]);
    assert_eq!(patterns(&told), set(&["P1", "P2"]));
    assert!(told["tests"].as_u64() < told["full_tests"].as_u64(), "{told}");
    let suite = versions.read("selected.suite");
    assert_eq!(suite.lines().count() as u64, 1 + told["tests"].as_u64().expect("a number"));
    assert!(versions.read("summary.md").contains("| P1 | `Respond` |"));
    // Some test has the new answer.
    assert!(suite.contains("Less"));
}

#[test]
fn every_affected_edge_is_covered_by_growth_too() {
    let versions = Versions::new(&[("\"NotMax\"", "\"Less\"")], &[]);
    let optimal = versions.diff(&[]);
    for seed in ["0", "7"] {
        let grown = versions.diff(&["--algorithm", "growth", "--seed", seed, "--out", "grown.suite"]);
        assert_eq!(grown["affected_edges"], optimal["affected_edges"]);
        let header: Value =
            serde_json::from_str(versions.read("grown.suite").lines().next().expect("a line")).expect("JSON");
        assert_eq!(header["covered"], optimal["affected_edges"]);
    }
}

#[test]
fn a_deleted_block_is_looked_for_where_it_was() {
    let versions = Versions::new(&[("\\/ \\E m \\in messages : Receive(m)", "")], &[]);
    let told = versions.diff(&[]);
    assert_eq!(told["changes"][0]["kind"], "block-deleted");
    assert_eq!(patterns(&told), set(&["P2"]));
    // The states where the client could receive have no other step, so tests have to go there.
    assert!(told["tests"].as_u64() > Some(0), "{told}");
}

#[test]
fn an_added_variable_is_tested_where_it_does_something() {
    let count = [
        ("    messages    \\*", "    count, messages    \\*"),
        ("Init ==\n", "Init ==\n    /\\ count = 0\n"),
        ("UNCHANGED <<cache, answer>>", "UNCHANGED <<count, cache, answer>>"),
        ("UNCHANGED answer", "UNCHANGED <<answer, count>>"),
        (
            "    /\\ messages' = {}\n    /\\ UNCHANGED cache",
            "    /\\ messages' = {}\n    /\\ UNCHANGED cache\n    /\\ count' = (count + 1) % 2",
        ),
        ("vars == <<cache", "vars == <<count, cache"),
    ];
    let told = Versions::new(&count, &[]).diff(&[]);
    let kinds: Vec<&str> = told["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|change| change["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["variable-added", "block-modified", "init"]);
    assert!(patterns(&told).is_superset(&set(&["P1", "P3"])), "{told}");
    // Only `Receive` changes the variable.
    let causes: Vec<&str> =
        told["patterns"].as_array().expect("a list").iter().filter_map(|p| p["cause"].as_str()).collect();
    assert_eq!(causes, ["`Receive`", "`count`"]);
}

#[test]
fn more_data_is_tested_wherever_it_leads() {
    let versions = Versions::new(&[], &[("Data = {1, 2, 3}", "Data = {1, 2}")]);
    let fewer = versions.diff(&[]);
    let args = ["diff", "--old", "new/Cache.tla", "--new", "old/Cache.tla", "--json"];
    let more: Value = serde_json::from_slice(&versions.kilter(&args).stdout).expect("JSON");
    assert!(patterns(&more).contains("model"), "{more}");
    assert!(patterns(&fewer).contains("P2"), "{fewer}");
    // The steps that exist only with three numbers are new.
    let new = more["edges"].as_u64().zip(fewer["edges"].as_u64()).map(|(all, old)| all - old);
    assert!(more["affected_edges"].as_u64() >= new, "{more}");
}

#[test]
fn sequences_of_actions() {
    let versions = Versions::new(&[], &[]);
    let told = versions.diff(&["--allow", "Request,Respond", "--forbid", "Receive,Receive"]);
    assert_eq!(patterns(&told), set(&["P6", "P7"]));
    let args = ["diff", "--old", "old/Cache.tla", "--new", "new/Cache.tla", "--allow", "Request,Reply"];
    let output = versions.kilter(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no action `Reply`"));
}

#[test]
fn graphs_alone_will_do() {
    let versions = Versions::new(&[("\"NotMax\"", "\"Less\"")], &[]);
    for version in ["old", "new"] {
        let (spec, graph) = (format!("{version}/Cache.tla"), format!("{version}.graph"));
        assert!(versions.kilter(&["check", &spec, "--graph", &graph, "--no-deadlock"]).status.success());
    }
    let of = |old: &str, new: &str| -> Value {
        let output = versions.kilter(&["diff", "--old", old, "--new", new, "--json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_eq!(of("old.graph", "old.graph")["tests"], 0);
    let told = of("old.graph", "new.graph");
    assert_eq!(patterns(&told), set(&["model"]));
    assert!(told["affected_edges"].as_u64() > Some(0));
}

#[test]
fn exit_codes_and_the_cache() {
    let versions = Versions::new(&[("\"NotMax\"", "\"Less\"")], &[]);
    let args = ["diff", "--old", "old/Cache.tla", "--new", "new/Cache.tla"];
    assert_eq!(versions.kilter(&args).status.code(), Some(0));
    assert_eq!(versions.kilter(&[&args[..], &["--exit-code"]].concat()).status.code(), Some(1));
    let kept = fs::read_dir(versions.folder.path().join(".kilter")).expect("the cache").count();
    assert_eq!(kept, 2);
    versions.write("new/Cache.tla", "---- MODULE Cache ----\nNext == x\n====\n");
    let output = versions.kilter(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--new: the specification has errors"));
    assert_eq!(versions.kilter(&["diff", "--old", "old/Cache.tla", "--new", "new"]).status.code(), Some(2));
}

/// Writes two versions of a specification with one variable.
fn counter(old: &str, new: &str) -> Versions {
    let versions = Versions::new(&[], &[]);
    for (version, next) in [("old", old), ("new", new)] {
        let module =
            format!("---- MODULE Count ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n{next}\n====\n");
        versions.write(&format!("{version}/Count.tla"), &module);
        versions.write(&format!("{version}/Count.cfg"), "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
    }
    versions
}

/// Runs `kilter diff` on both versions. Returns its JSON and its text.
#[track_caller]
fn diff_counter(versions: &Versions, more: &[&str]) -> (Value, String) {
    let args = [&["diff", "--old", "old/Count.tla", "--new", "new/Count.tla"], more].concat();
    let output = versions.kilter(&[&args[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(versions.kilter(&args).stdout).expect("text");
    (serde_json::from_slice(&output.stdout).expect("JSON"), said)
}

const THREE_WAYS: &str = "A == x < 2 /\\ (x < 5 \\/ x < 6 \\/ x < 7) /\\ x' = x + 1\nNext == A";

#[test]
fn a_step_that_keeps_a_way_is_still_there() {
    let versions = counter(THREE_WAYS, &THREE_WAYS.replace("x < 6", "x < 0"));
    let (told, said) = diff_counter(&versions, &[]);
    assert_eq!((&told["edges"], &told["affected_edges"], &told["tests"]), (&2.into(), &0.into(), &0.into()));
    assert!(said.contains("what changed: 1 change\n") && said.contains("nothing to test"), "{said}");
    // With `--wide`, as in the table, all steps of states that had a step through the block are affected.
    let (wide, _) = diff_counter(&versions, &["--wide"]);
    assert_eq!((&wide["affected_edges"], &wide["tests"]), (&2.into(), &1.into()));
    assert_eq!(patterns(&wide), set(&["P2"]));
}

#[test]
fn a_step_that_gains_a_way_is_not_new_and_one_through_a_new_block_is() {
    let versions = counter(THREE_WAYS, &THREE_WAYS.replace("x < 7)", "x < 7 \\/ x < 8)"));
    let (told, said) = diff_counter(&versions, &[]);
    assert_eq!((&told["affected_edges"], &told["same_edges"]), (&0.into(), &2.into()));
    assert!(said.contains("2 edges take changed basic blocks and are in the old graph just so"), "{said}");
    let longer = counter(&THREE_WAYS.replace("x < 5 \\/ x < 6 \\/ x < 7", "x < 1"), THREE_WAYS);
    let (told, _) = diff_counter(&longer, &[]);
    assert_eq!((&told["affected_edges"], &told["same_edges"]), (&1.into(), &1.into()));
    assert_eq!(patterns(&told), set(&["P1"]));
}

#[test]
fn a_step_whose_last_way_is_gone_is_gone() {
    let versions =
        counter(THREE_WAYS, &THREE_WAYS.replace("x < 5 \\/ x < 6 \\/ x < 7", "x < 0 \\/ x < 1 \\/ x < 0"));
    let (told, _) = diff_counter(&versions, &[]);
    assert_eq!((&told["edges"], &told["tests"]), (&1.into(), &1.into()));
    assert!(patterns(&told).contains("P2"), "{told}");
}

#[test]
fn fewer_steps_in_as_many_tests_are_said() {
    // One test goes round the cycle in both versions. The new step is the first one.
    let new = "A == x \\in 1..29 /\\ x' = x + 1\nB == x = 30 /\\ x' = 0\nC == x = 0 /\\ x' = 1\nNext == A \\/ B \\/ C";
    let (told, said) = diff_counter(&counter(&new.replace(" \\/ C", ""), new), &[]);
    assert_eq!((&told["tests"], &told["full_tests"]), (&1.into(), &1.into()), "{told}");
    let steps = |field: &str| told[field].as_f64().expect("a number");
    let share = 1.0 - steps("steps") / steps("full_steps");
    assert!(share > 0.0 && (steps("step_reduction") - share).abs() < 1e-9, "{told}");
    assert!(said.contains(&format!(": no fewer tests, {:.2} % fewer steps\n", 100.0 * share)), "{said}");
}

#[test]
fn more_tests_that_cost_less_are_said_in_plain_words() {
    // Each of the two new steps begins a long cycle. One test goes round both cycles. Two tests that stop right after
    // the new steps are shorter.
    let new = "A == x % 100 \\in 1..29 /\\ x' = x + 1\nB == x % 100 = 30 /\\ x' = 0\n\
               C == x = 0 /\\ x' = 1\nD == x = 0 /\\ x' = 101\nNext == A \\/ B \\/ C \\/ D";
    let old = &new.replace(" \\/ C \\/ D", "");
    let (told, said) = diff_counter(&counter(old, new), &[]);
    assert_eq!((&told["tests"], &told["full_tests"]), (&2.into(), &1.into()));
    assert_eq!(told["reduction"], 0.0);
    let steps = |field: &str| told[field].as_u64().expect("a number");
    let (own, full) = (steps("steps"), steps("full_steps"));
    let sentence = format!(
        "1 more than the full suite's 1 test with {full} steps, but cheaper: {} instead of {} = 20 × tests + steps\n",
        40 + own,
        20 + full
    );
    assert!(said.contains(&sentence), "{said}");
}

#[test]
fn a_full_suite_that_does_not_do_all_is_not_taken() {
    let next = "A(i) == x' = i\nNext == \\E i \\in 0..2 : A(i)";
    let versions = counter(next, next);
    let (told, said) = diff_counter(&versions, &["--allow", "A,A", "--markdown", "summary.md"]);
    // Each of the 9 steps has to follow each of the 3 steps that lead to its state.
    assert_eq!((&told["wanted"], &told["covered"]), (&27.into(), &27.into()));
    assert_eq!(told["reduction"], 0.0);
    let sentence = "o fewer than the full suite's 1 test with 9 steps, which does not do all of this";
    assert!(said.contains(&format!("n{sentence}\n")), "{said}");
    assert!(versions.read("summary.md").contains(&format!("N{sentence}.\n")));
}

#[test]
fn what_ran_tells_which_steps_a_change_of_code_touches() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(file, text).expect("it can be written");
    };
    put(
        "Step.tla",
        "---- MODULE Step ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = [n \\in {\"n1\"} |-> 0]\nUp(n) == x[n] < 2 /\\ x' = [x EXCEPT ![n] = @ + 1]\nDown(n) == x[n] > 0 /\\ x' = [x EXCEPT ![n] = @ - 1]\nNext == \\E n \\in {\"n1\"} : Up(n) \\/ Down(n)\n====\n",
    );
    put("Step.cfg", "INIT Init\nNEXT Next\n");
    put(
        "kilter.toml",
        "[spec]\nfile = \"Step.tla\"\n[system]\nnodes = [\"n1\"]\ncommand = [\"node\"]\n[variables]\nx = { kind = \"node\" }\n[actions]\nUp = { kind = \"node\", node = \"n\" }\nDown = { kind = \"node\", node = \"n\" }\n",
    );
    let code =
        "def step(self, action):\n    if self.x == 1:\n        self.note()\n    self.x += self.by(action)\n";
    put("v1/lib/node.py", code);
    put("v2/lib/node.py", &code.replace("self.note()", "self.forget()"));
    let ran = |action: &str, x: u32, lines: &str| {
        format!(
            "{{\"node\":\"n1\",\"action\":\"{action}\",\"args\":[],\"before\":{{\"x\":{x}}},\"ran\":{{\"lib/node.py\":{lines}}}}}\n"
        )
    };
    let noted = "{\"counts\":[\"lib\"]}\n".to_owned()
        + &ran("Up", 0, "[2,4]")
        + &ran("Up", 1, "[2,3,4]")
        + &ran("Down", 1, "[2,3,4]")
        + &ran("Down", 2, "[2,4]");
    put("v1.ran", &noted);
    let diff = |old: &[&str]| {
        let mut args = vec!["diff", "--old"];
        args.extend_from_slice(old);
        args.extend_from_slice(&["--new", "kilter.toml", "v2", "--json"]);
        let output =
            Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).current_dir(folder.path()).output();
        let output = output.expect("kilter can be run");
        serde_json::from_slice::<Value>(&output.stdout).expect("it is JSON")["affected_edges"].clone()
    };
    // Of four steps, the two in which x is 1 run the line that changed.
    assert_eq!(diff(&["kilter.toml", "v1", "v1.ran"]), 2);
    assert_eq!(diff(&["kilter.toml", "v1"]), 4);
}
