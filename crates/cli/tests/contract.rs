//! Checks what scripts rely on: the fields of `--json`, the ITF file, the streams, the exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs the command in the folder with the specifications of the transcripts.
fn kilter(args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/check.in");
    Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("kilter can be started")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("standard output is one JSON object")
}

fn temporary(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join(name);
    (folder, path)
}

#[test]
fn a_finished_search_has_all_fields() {
    let output = kilter(&["check", "Counter.tla", "--json"]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(found["verdict"], "ok");
    assert_eq!(found["states_generated"], 7);
    assert_eq!(found["distinct_states"], 7);
    assert_eq!(found["depth"], 4);
    assert_eq!(found["unchecked_properties"], json!([]));
    assert_eq!(
        found["coverage"][1],
        json!({ "action": "Never", "place": "Counter.tla:10:10", "enabled": 0, "taken": 0, "new": 0 })
    );
    assert_eq!(found["warnings"].as_array().map(Vec::len), Some(1));
    assert!(found["seconds"].is_f64() && found["memory_bytes"].is_u64() && found["bytes_per_state"].is_u64());
    for absent in ["property", "trace", "loop", "error", "errors"] {
        assert_eq!(found.get(absent), None, "{absent}");
    }
}

#[test]
fn an_action_is_enabled_once_in_a_state_whatever_it_yields() {
    let (_folder, path) = temporary("Split.tla");
    let spec = "---- MODULE Split ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
        Go == (x < 2 /\\ x' \\in x..x+2) \\/ (x = 0 /\\ x' = 5)\nStop == x > 1 /\\ x' = 1\nNext == Go \\/ Stop\n====\n\
        ---- CONFIG Split ----\nINIT Init\nNEXT Next\n====\n";
    fs::write(&path, spec).expect("a file can be written");
    let found = json(&kilter(&["check", path.to_str().expect("a path of plain letters"), "--json"]));
    // The states are 0, 1, 2, 5 and 3. Go is possible in the first two, and both of its ways are in 0.
    let counts = |row: &Value| ["enabled", "taken", "new"].map(|key| row[key].as_u64());
    assert_eq!(counts(&found["coverage"][0]), [Some(2), Some(7), Some(4)]);
    assert_eq!(counts(&found["coverage"][1]), [Some(3), Some(3), Some(0)]);
}

#[test]
fn a_graph_of_views_comes_with_a_warning() {
    let (folder, path) = temporary("Seen.tla");
    let spec = "---- MODULE Seen ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = 1 - x /\\ y' \\in {0, 1}\nSeen == x\n====\n\
        ---- CONFIG Seen ----\nINIT Init\nNEXT Next\nVIEW Seen\n====\n";
    fs::write(&path, spec).expect("a file can be written");
    let (spec, graph) = (path.to_str().expect("plain letters"), folder.path().join("seen.graph"));
    let warnings = |args: &[&str]| json(&kilter(args))["warnings"].to_string();
    let kept = warnings(&["check", spec, "--json", "--graph", graph.to_str().expect("plain letters")]);
    assert!(kept.contains("make no tests from it"), "{kept}");
    assert!(!warnings(&["check", spec, "--json"]).contains("VIEW"));
}

#[test]
fn a_configuration_may_stand_in_the_modules_file() {
    let (folder, path) = temporary("Both.tla");
    let spec = "---- MODULE Both ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\nInv == x = 1\n====\n\
        ---- CONFIG Other ----\nNONSENSE\n====\n---- CONFIG Both ----\nINIT Init\nNEXT Next\nINVARIANT Inv\n====\n";
    fs::write(&path, spec).expect("a file can be written");
    let path = path.to_str().expect("a path of plain letters");
    for args in [vec!["check", path], vec!["check", path, "--config", path]] {
        assert_eq!(kilter(&args).status.code(), Some(12), "{args:?}");
    }
    let wrong = folder.path().join("Wrong.tla");
    fs::write(&wrong, spec.replace("INVARIANT Inv", "INVARIANT Imv").replace("Both", "Wrong"))
        .expect("a file");
    let found = json(&kilter(&["check", wrong.to_str().expect("a path of plain letters"), "--json"]));
    assert_eq!((&found["verdict"], &found["errors"][0]["line"]), (&json!("config"), &json!(13)));
    let bare = folder.path().join("Bare.tla");
    fs::write(&bare, "---- MODULE Bare ----\n====\n").expect("a file can be written");
    let bare = bare.to_str().expect("a path of plain letters");
    assert_eq!(kilter(&["check", path, "--config", bare]).status.code(), Some(151));
}

#[test]
fn a_violated_temporal_property_has_its_loop() {
    let (_folder, path) = temporary("loop.itf.json");
    let itf_path = path.to_str().expect("a path of plain letters");
    let output = kilter(&["check", "Counter.tla", "--config", "unfair.cfg", "--json", "--itf", itf_path]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(13));
    assert_eq!((&found["verdict"], &found["property"]), (&json!("property"), &json!("Reaches")));
    assert_eq!(found["trace"].as_array().map(Vec::len), Some(1));
    let repair = "Up is enabled all along, but never taken: fairness of it would rule this out";
    let expected = json!({ "state": 1, "stuttering": true, "action": null, "fairness": [], "repairs": [repair], "behavior": true });
    assert_eq!(found["loop"], expected);
    let itf: Value = serde_json::from_str(&fs::read_to_string(&path).expect("the ITF file")).expect("JSON");
    assert_eq!(itf["loop"], 0);
}

#[test]
fn a_violation_has_its_trace() {
    let (_folder, path) = temporary("trace.itf.json");
    let itf_path = path.to_str().expect("a path of plain letters");
    let output = kilter(&["check", "Counter.tla", "--config", "alias.cfg", "--json", "--itf", itf_path]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(12));
    assert_eq!((&found["verdict"], &found["property"]), (&json!("invariant"), &json!("Bounded")));
    let trace = found["trace"].as_array().expect("a trace");
    assert_eq!(trace.len(), 4);
    let first = json!({
        "action": null, "arguments": {}, "alias": "[n |-> 0, last |-> 0]",
        "state": { "n": "0", "log": "[items |-> <<>>, size |-> 0]" },
    });
    assert_eq!(trace[0], first);
    assert_eq!(trace[1]["action"], "Up");
    assert_eq!(trace[1]["arguments"], json!({ "step": "1" }));

    let itf: Value = serde_json::from_str(&fs::read_to_string(&path).expect("the ITF file")).expect("JSON");
    assert_eq!(itf["vars"], json!(["n", "log", "mbt::actionTaken", "mbt::nondetPicks"]));
    assert_eq!(itf["states"][1]["n"], json!({ "#bigint": "1" }));
    assert_eq!(itf["states"][1]["mbt::actionTaken"], "Up");
    assert_eq!(
        itf["states"][1]["mbt::nondetPicks"]["step"],
        json!({ "tag": "Some", "value": { "#bigint": "1" } })
    );
    assert_eq!(itf["states"][0]["mbt::nondetPicks"]["step"]["tag"], "None");
}

#[test]
fn an_evaluation_error_has_its_place() {
    let output = kilter(&["check", "Counter.tla", "--config", "crash.cfg", "--json"]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(75));
    let error = &found["error"];
    assert_eq!(error["expression"], "Head(log.items)");
    assert_eq!(
        (&error["file"], &error["line"], &error["column"]),
        (&json!("Counter.tla"), &json!(18), &json!(10))
    );
    assert_eq!(error["chain"][0]["operator"], "Crash");
    assert_eq!(found["trace"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_evaluation_error_names_each_call_once() {
    let definitions = [
        ("Zero == 1 \\div 0", "Zero"),
        ("Zero == LET a == 1 \\div 0 IN a", "Zero"),
        ("Zero == CHOOSE k \\in 0..2 : 1 \\div k = 1", "Zero"),
        ("Zero(n) == 1 \\div n", "Zero(0)"),
        ("RECURSIVE Zero(_)\nZero(n) == IF n = 0 THEN 1 \\div n ELSE Zero(n - 1)", "Zero(0)"),
    ];
    for (definition, call) in definitions {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let module = format!(
            "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\n{definition}\nInit == x = {call}\nNext == x' = x\n====\n"
        );
        let path = folder.path().join("M.tla");
        fs::write(&path, module).expect("a file can be written");
        fs::write(folder.path().join("M.cfg"), "INIT Init\nNEXT Next\n").expect("a file can be written");
        let found = json(&kilter(&["check", &path.display().to_string(), "--json"]));
        let calls = found["error"]["chain"].as_array().expect("a chain").iter().map(|call| &call["operator"]);
        assert_eq!(calls.collect::<Vec<_>>(), ["Zero", "Init"], "{definition}");
    }
}

#[test]
fn limits_are_never_ok() {
    for limit in
        [["--states-max", "1"], ["--depth-max", "2"], ["--time-max", "0.000001ms"], ["--memory-max", "1"]]
    {
        let output = kilter(&["check", "Counter.tla", "--json", limit[0], limit[1]]);
        assert_eq!(json(&output)["verdict"], "bounded", "{limit:?}");
        assert_eq!(output.status.code(), Some(0), "{limit:?}");
    }
    assert_eq!(
        json(&kilter(&["simulate", "Counter.tla", "--json", "--behaviors", "3"]))["verdict"],
        "bounded"
    );
}

#[test]
fn errors_in_texts_have_their_places() {
    let (_folder, path) = temporary("Bad.tla");
    fs::write(&path, "---- MODULE Bad ----\nA == b\n====\n").expect("a temporary file can be written");
    let output =
        kilter(&["check", path.to_str().expect("plain letters"), "--config", "Counter.cfg", "--json"]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(150));
    assert_eq!(found["verdict"], "parse");
    let error = &found["errors"][0];
    assert_eq!((&error["line"], &error["column"]), (&json!(2), &json!(6)));
    assert_eq!(error["message"], "`b` is not defined");
    assert!(
        error["file"].as_str().is_some_and(|file| file.ends_with("Bad.tla")) && error.get("help").is_some()
    );
}

#[test]
fn what_cannot_be_used_is_an_object_too() {
    let none = ["no-such-folder/none"];
    for verb in [&["test"][..], &["explore"], &["converge"], &["suite"], &["graph", "info"], &["report"]] {
        let output = kilter(&[verb, &none, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        let found = json(&output);
        assert_eq!(found["verdict"], "error", "{verb:?}");
        let message = found["error"]["message"].as_str().expect("a message");
        assert!(message.contains("no-such-folder/none"), "{verb:?}: {message}");
        assert_eq!(found["errors"][0], found["error"]);
        assert!(!output.stderr.is_empty(), "people read it on standard error");
    }
    let old = ["diff", "--old", "no-such.tla", "--new", "Counter.tla", "--json"];
    let output = kilter(&old);
    let found = json(&output);
    assert_eq!((output.status.code(), &found["verdict"]), (Some(2), &json!("error")));
    let message = found["error"]["message"].as_str().expect("a message");
    assert!(message.contains("no-such.tla does not exist") && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn errors_of_a_mapping_have_their_places() {
    let (_folder, path) = temporary("kilter.toml");
    fs::write(&path, "[spec]\nfile = \"A.tla\"\nfiel = 1\n").expect("a file");
    let output = kilter(&["test", path.to_str().expect("plain letters"), "--json"]);
    let found = json(&output);
    assert_eq!((output.status.code(), &found["verdict"]), (Some(2), &json!("error")));
    assert_eq!((&found["error"]["line"], &found["error"]["column"]), (&json!(3), &json!(1)));
}

#[test]
fn a_system_that_does_not_start_is_an_error() {
    let (folder, path) = temporary("explore.toml");
    fs::write(&path, "[system]\nnodes = [\"n1\"]\ncommand = [\"no-such-program\"]\n").expect("a file");
    let (config, report) = (path.to_str().expect("plain letters"), folder.path().join("report"));
    let output = kilter(&["explore", config, "--json", "--report", report.to_str().expect("plain letters")]);
    let found = json(&output);
    assert_eq!((output.status.code(), &found["verdict"]), (Some(3), &json!("error")));
    assert!(found["error"]["message"].as_str().is_some_and(|why| why.contains("no-such-program")), "{found}");
}

#[test]
fn a_specification_is_no_mapping() {
    for (verb, says) in [
        ("test", "`kilter init Counter.tla`"),
        ("map", "`kilter init Counter.tla`"),
        ("explore", "a configuration is expected"),
        ("converge", "a configuration is expected"),
    ] {
        let output = kilter(&[verb, "Counter.tla"]);
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("Counter.tla is a specification") && text.contains(says), "{verb}: {text}");
    }
}

#[test]
fn a_specification_that_is_not_there_is_told_before_the_draft_that_is() {
    let (_folder, path) = temporary("kilter.toml");
    fs::write(&path, "").expect("a file");
    let draft = path.to_str().expect("plain letters");
    for (spec, says) in [("no-such.tla", "does not exist"), ("Counter.tla", "exists already")] {
        let output = kilter(&["init", spec, "--out", draft]);
        assert_eq!(output.status.code(), Some(2), "{spec}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(says), "{spec}: {text}");
    }
}

#[test]
fn what_a_specification_prints_stays_out_of_the_json() {
    let (_folder, path) = temporary("Says.tla");
    fs::write(&path, "---- MODULE Says ----\nEXTENDS TLC\nASSUME PrintT(\"hello\")\n====\n").expect("a file");
    fs::write(path.with_extension("cfg"), "").expect("a file");
    let spec = path.to_str().expect("plain letters");
    let with_json = kilter(&["check", spec, "--json"]);
    assert_eq!(json(&with_json)["verdict"], "ok");
    assert!(String::from_utf8_lossy(&with_json.stderr).contains("hello"));
    assert!(String::from_utf8_lossy(&kilter(&["check", spec]).stdout).contains("hello"));
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_with_what_was_found_so_far() {
    let (_folder, path) = temporary("Endless.tla");
    let text = "---- MODULE Endless ----\nEXTENDS Naturals, TLC\nVARIABLE x\nASSUME PrintT(\"started\")\n\
                Init == x = 0\nNext == x' = (x + 1) % 2000000000\n====\n";
    fs::write(&path, text).expect("a file");
    fs::write(path.with_extension("cfg"), "INIT Init\nNEXT Next\n").expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["check", path.to_str().expect("plain letters"), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kilter can be started");
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().expect("piped")).read_line(&mut line).expect("a line");
    assert_eq!(line, "\"started\"\n");
    let killed =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill can be started");
    assert!(killed.success());
    let output = child.wait_with_output().expect("kilter ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(json(&output)["verdict"], "bounded");
}

#[test]
fn any_bytes_give_an_answer() {
    let deep = format!("---- MODULE Odd ----\nA == {}1\n====", "(".repeat(50_000));
    let texts: [&[u8]; 9] = [
        deep.as_bytes(),
        b"",
        b"\xff\xfe\x00\x01",
        b"---- MODULE Odd ----\n\xe9\n====",
        b"---- MODULE Odd ----\n\\* \xe9\n====",
        b"\xef\xbb\xbf---- MODULE Odd ----\n====",
        b"---- MODULE Odd ----\r\nA == 1\r\n====\r\n",
        b"---- MODULE Odd",
        "---- MODULE Odd ----\nA == \"é → 𝔸\" \\cup ∀\n====".as_bytes(),
    ];
    for text in texts {
        let (_folder, path) = temporary("Odd.tla");
        fs::write(&path, text).expect("a file");
        fs::write(path.with_extension("cfg"), text).expect("a file");
        for config in ["Counter.cfg", path.with_extension("cfg").to_str().expect("plain letters")] {
            let output =
                kilter(&["check", path.to_str().expect("plain letters"), "--config", config, "--json"]);
            let code = output.status.code().expect("kilter ends by itself");
            let shown = String::from_utf8_lossy(&text[..text.len().min(60)]);
            assert!([0, 150, 151].contains(&code), "{shown:?} with {config}: {code}");
            assert!(json(&output)["verdict"].is_string(), "{shown:?}");
        }
    }
}
