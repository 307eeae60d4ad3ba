//! `kilter check --continue`: the first violation of each property, and the counts of a whole search, for any number of
//! workers.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A module and its configuration, in a folder of its own.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(body: &str, config: &str) -> Case {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let spec = format!("---- MODULE Spec ----\nEXTENDS Naturals, TLC\n{body}\n====\n");
        fs::write(folder.path().join("Spec.tla"), spec).expect("the specification can be written");
        fs::write(folder.path().join("Spec.cfg"), config).expect("the configuration can be written");
        Case { folder }
    }

    fn run(&self, options: &[&str]) -> Output {
        run(self.folder.path(), options)
    }

    /// The answer with each number of workers, which must be the same.
    #[track_caller]
    fn json(&self, options: &[&str]) -> (Option<i32>, Value) {
        let answers = ["1", "2", "5"].map(|workers| {
            let output = self.run(&[options, &["--json", "--workers", workers]].concat());
            let mut found: Value = serde_json::from_slice(&output.stdout).expect("an object");
            for varying in ["seconds", "memory_bytes", "bytes_per_state", "values"] {
                found[varying] = Value::Null;
            }
            (output.status.code(), found)
        });
        let [one, two, five] = answers;
        assert_eq!(one, two);
        assert_eq!(one, five);
        one
    }
}

fn run(folder: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["check", "Spec.tla"])
        .args(options)
        .current_dir(folder)
        .output()
        .expect("kilter can be started")
}

/// Each violation with its verdict, its property, and the length of its trace.
fn violations(found: &Value) -> Vec<String> {
    let list = found["violations"].as_array().expect("a list");
    let one = |violation: &Value| {
        let word = violation["verdict"].as_str().expect("a word");
        let property = violation["property"].as_str().unwrap_or_default();
        let length = violation["trace"].as_array().map_or(0, Vec::len);
        format!("{word} {property} {length}")
    };
    list.iter().map(one).collect()
}

fn counts(found: &Value) -> [Option<u64>; 3] {
    ["states_generated", "distinct_states", "depth"].map(|key| found[key].as_u64())
}

const MANY: &str = "VARIABLES x, y
Init == x \\in {0, 3} /\\ y = 0
Up == x < 6 /\\ x' = x + 1 /\\ y' = y
Turn == x > 2 /\\ y' = 1 - y /\\ x' = x
Jump == x = 5 /\\ y = 1 /\\ x' = 8 /\\ y' = 1
Next == Up \\/ Turn \\/ Jump
Low == x < 4
Even == y = 0
Never == x # 20
Slow == [][x' <= x + 1]_<<x, y>>";

#[test]
fn each_property_is_listed_once_and_all_states_are_explored() {
    let case = Case::new(MANY, "INIT Init\nNEXT Next\nINVARIANTS Low Even Never\nPROPERTY Slow\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(violations(&found), ["invariant Low 2", "invariant Even 2", "property Slow 5"]);
    // TLC with -continue: 22 states generated, 13 distinct states found, depth 6.
    assert_eq!(counts(&found), [Some(22), Some(13), Some(6)]);
    let (first_code, first) = case.json(&[]);
    assert_eq!(
        (code, &found["verdict"], &found["property"]),
        (first_code, &first["verdict"], &first["property"])
    );
    assert_eq!(found["trace"], first["trace"]);
    assert_eq!(first.get("violations"), None);
}

#[test]
fn people_read_each_trace_and_a_summary() {
    let case = Case::new(MANY, "INIT Init\nNEXT Next\nINVARIANTS Low Even Never\nPROPERTY Slow\n");
    let output = case.run(&["--continue"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error")).collect();
    let expected = [
        "error: the invariant Low is violated",
        "error: the invariant Even is violated",
        "error: the property Slow is violated by the last step",
    ];
    assert_eq!(errors, expected);
    assert!(text.contains("\n3 violations: invariant Low, invariant Even, property Slow\n"), "{text}");
    assert!(text.contains("repeat with:\n  kilter check Spec.tla --continue\n"), "{text}");
}

#[test]
fn several_invariants_of_one_state_are_all_listed() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = 1\nA == x = 0\nB == x < 1\nC == x = 7";
    let case = Case::new(body, "INIT Init\nNEXT Next\nINVARIANTS A B C\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(
        (code, violations(&found)),
        (Some(12), vec!["invariant C 1".to_owned(), "invariant A 2".to_owned(), "invariant B 2".to_owned()])
    );
}

#[test]
fn deadlocks_and_assumptions_do_not_end_the_search() {
    let body = "VARIABLE x\nASSUME Wrong == 1 = 2\nASSUME Right == TRUE\nInit == x \\in {0, 10}\n\
        Next == x < 5 /\\ x' = x + 1\nInv == x # 4";
    let case = Case::new(body, "INIT Init\nNEXT Next\nINVARIANT Inv\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(code, Some(10));
    assert_eq!(violations(&found), ["assumption Wrong 0", "deadlock  1", "invariant Inv 5"]);
    assert_eq!(counts(&found), [Some(7), Some(7), Some(6)]);
}

#[test]
fn all_temporal_properties_are_checked() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)\n\
        Stays == <>[](x = 0)\nComes == <>(x = 7)\nFine == []<>(x = 2)\nInv == x # 1";
    let case = Case::new(body, "SPECIFICATION Spec\nPROPERTIES Stays Fine Comes\nINVARIANT Inv\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(code, Some(12));
    assert_eq!(violations(&found), ["invariant Inv 2", "property Stays 3", "property Comes 3"]);
    assert_eq!(found["violations"][2]["loop"]["state"], json!(1));
}

#[test]
fn an_error_ends_the_search_and_comes_last() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = IF x < 3 THEN x + 1 ELSE x[1]\nInv == x # 1";
    let case = Case::new(body, "INIT Init\nNEXT Next\nINVARIANT Inv\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(code, Some(12));
    assert_eq!(violations(&found), ["invariant Inv 2", "error  4"]);
    assert!(found["violations"][1]["error"]["message"].is_string());
}

#[test]
fn a_limit_is_told_beside_the_violations() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nInv == x # 3";
    let case = Case::new(body, "INIT Init\nNEXT Next\nINVARIANT Inv\n");
    let (code, found) = case.json(&["--continue", "--depth-max", "8"]);
    assert_eq!((code, violations(&found)), (Some(12), vec!["invariant Inv 4".to_owned()]));
    assert_eq!((&found["ended_by"], &found["depth"]), (&json!("the limit on depth was reached"), &json!(8)));
    let output = case.run(&["--continue", "--depth-max", "8"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = "1 violation: invariant Inv; the search ended before all states were explored: the limit on depth was reached";
    assert!(text.contains(summary), "{text}");
}

#[test]
fn without_a_violation_nothing_is_listed() {
    let case = Case::new(
        "VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == x = 0",
        "INIT Init\nNEXT Next\nINVARIANT Inv\n",
    );
    let (code, found) = case.json(&["--continue"]);
    assert_eq!((code, &found["verdict"], &found["violations"]), (Some(0), &json!("ok"), &json!([])));
}

#[test]
fn the_order_does_not_depend_on_the_workers_in_wide_searches() {
    // Thousands of states in a level, and violations of every kind among them.
    let body = "VARIABLES x, y, z\nInit == x = 0 /\\ y = 0 /\\ z = 0\n\
        Next == \\/ x < 30 /\\ x' = x + 1 /\\ UNCHANGED <<y, z>>\n        \\/ y < 30 /\\ y' = y + 1 /\\ UNCHANGED <<x, z>>\n\
        \x20       \\/ z < 30 /\\ z' = z + 1 /\\ UNCHANGED <<x, y>>\n\
        A == ~(x > 11 /\\ y > 9 /\\ z > 10)\nB == x + y + z # 47\nC == x * y # 306\n\
        P == [][x = 20 /\\ y = 11 => z' = z]_<<x, y, z>>\nQ == [][x' + z' # 33]_<<x, y, z>>";
    let case = Case::new(body, "INIT Init\nNEXT Next\nINVARIANTS A B C\nPROPERTIES P Q\n");
    let (code, found) = case.json(&["--continue"]);
    assert_eq!(code, Some(13));
    assert_eq!(
        violations(&found),
        [
            "property P 33",
            "property Q 34",
            "invariant A 34",
            "invariant C 36",
            "invariant B 48",
            "deadlock  91"
        ]
    );
    assert_eq!(found["distinct_states"], json!(31 * 31 * 31));
}
