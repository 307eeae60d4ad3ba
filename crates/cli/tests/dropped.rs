//! A search checks states before it drops them, whatever the reason. A search that has nothing to examine says so.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const MODULE: &str =
    "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOne == x < 1\nTwo == x < 2\n";

/// Runs a verb on a module with a configuration. Returns the exit code and the JSON.
fn run(verb: &str, module: &str, config: &str, args: &[&str]) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let text = format!("---- MODULE M ----\n{module}====\n---- CONFIG M ----\n{config}====\n");
    fs::write(folder.path().join("M.tla"), text).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args([verb, "M.tla", "--json"])
        .args(args)
        .current_dir(Path::new(folder.path()))
        .output()
        .expect("kilter can be started");
    let json = serde_json::from_slice(&output.stdout).expect("standard output is one JSON object");
    (output.status.code(), json)
}

fn has_warning(json: &Value, part: &str) -> bool {
    let warnings = json["warnings"].as_array().expect("an array of warnings");
    warnings.iter().any(|warning| warning.as_str().is_some_and(|text| text.contains(part)))
}

#[test]
fn limits_hide_no_violation_in_states_that_were_found() {
    let config = "INIT Init\nNEXT Next\nINVARIANT One\n";
    // The state that violates the invariant is found last and never explored.
    for limit in [["--depth-max", "2"], ["--states-max", "2"]] {
        let (code, json) = run("check", MODULE, config, &limit);
        assert_eq!((code, &json["verdict"]), (Some(12), &"invariant".into()), "{limit:?}");
    }
    let (_, json) = run("check", MODULE, config, &["--depth-max", "1"]);
    assert_eq!(json["verdict"], "bounded");
}

#[test]
fn a_limit_on_memory_hides_no_temporal_violation_in_states_that_were_found() {
    let module = format!("{MODULE}Spec == Init /\\ [][Next]_x\nLive == []<>(x % 2 = 0)\n");
    let config = "SPECIFICATION Spec\nPROPERTY Live\n";
    for limit in [["--states-max", "10"], ["--memory-max", "100MB"]] {
        let (code, json) = run("check", &module, config, &limit);
        assert_eq!((code, &json["property"]), (Some(13), &"Live".into()), "{limit:?}: {json}");
    }
}

#[test]
fn temporal_properties_that_were_not_checked_are_named() {
    let module = format!("{MODULE}Spec == Init /\\ [][Next]_x\nLive == []<>(x % 2 = 0)\n");
    let config = "SPECIFICATION Spec\nPROPERTY Live\n";
    // The first limit has passed when the search begins. The second is below what the program needs.
    for limit in [["--time-max", "0.000001ms"], ["--memory-max", "1MB"]] {
        let (code, json) = run("check", &module, config, &limit);
        assert_eq!((code, &json["verdict"]), (Some(0), &"bounded".into()), "{limit:?}: {json}");
        assert_eq!(json["unchecked_properties"], serde_json::json!(["Live"]), "{limit:?}: {json}");
        let message = json["message"].as_str().expect("a message");
        assert!(message.ends_with("not checked: Live"), "{limit:?}: {message}");
    }
    let (_, json) = run("check", &module.replace("x + 1", "1 - x"), config, &["--states-max", "2"]);
    assert_eq!(json["unchecked_properties"], serde_json::json!([]), "{json}");
}

#[test]
fn simulating_checks_successors_that_no_behavior_visits() {
    let config = "INIT Init\nNEXT Next\nINVARIANT One\nCONSTRAINT One\n";
    let (code, json) = run("simulate", MODULE, config, &["--behaviors", "1"]);
    assert_eq!((code, &json["property"]), (Some(12), &"One".into()));
    assert_eq!(json["trace"].as_array().map(Vec::len), Some(2));
}

#[test]
fn simulating_checks_initial_states_that_no_behavior_visits() {
    let module = MODULE.replace("Init == x = 0", "Init == x \\in 0..1");
    let config = "INIT Init\nNEXT Next\nINVARIANT One\nCONSTRAINT One\n";
    let (code, json) = run("simulate", &module, config, &["--behaviors", "1"]);
    assert_eq!((code, &json["property"]), (Some(12), &"One".into()));
    assert_eq!(json["trace"].as_array().map(Vec::len), Some(1));
}

#[test]
fn simulating_checks_assumptions() {
    let module = format!("{MODULE}ASSUME 1 > 2\n");
    let (code, json) = run("simulate", &module, "INIT Init\nNEXT Next\n", &["--behaviors", "1"]);
    assert_eq!((code, &json["verdict"]), (Some(10), &"assumption".into()));
}

#[test]
fn a_search_without_initial_states_is_warned_about() {
    let module = MODULE.replace("Init == x = 0", "Init == x \\in {}");
    for verb in ["check", "simulate"] {
        let (_, json) = run(verb, &module, "INIT Init\nNEXT Next\n", &[]);
        assert!(has_warning(&json, "no state satisfies the initial predicate"), "{verb}: {json}");
    }
}

#[test]
fn initial_states_that_are_all_cut_off_are_warned_about() {
    let module = MODULE.replace("Init == x = 0", "Init == x \\in 2..3");
    for verb in ["check", "simulate"] {
        let (_, json) = run(verb, &module, "INIT Init\nNEXT Next\nCONSTRAINT Two\n", &[]);
        assert!(has_warning(&json, "CONSTRAINT excludes all initial states (2)"), "{verb}: {json}");
    }
    let (_, json) = run("check", &module, "INIT Init\nNEXT Next\nCONSTRAINT One\nINVARIANT Two\n", &[]);
    assert_eq!(json["verdict"], "invariant");
}

#[test]
fn an_alias_that_is_not_defined_is_a_warning() {
    let (code, json) = run("check", MODULE, "INIT Init\nNEXT Next\nINVARIANT Two\nALIAS Nope\n", &[]);
    assert_eq!(code, Some(12));
    assert!(has_warning(&json, "the alias `Nope` is not defined"), "{json}");
}

#[test]
fn an_own_definition_wins_over_a_name_that_a_community_module_passes_on() {
    for header in ["EXTENDS Integers, SequencesExt", "EXTENDS Integers\nLOCAL INSTANCE SequencesExt"] {
        let module = format!(
            "{header}\nMin(S) == 7\nVARIABLE x\nInit == x = Min({{1}})\nNext == UNCHANGED x\nInv == x = 7\n"
        );
        let (code, json) = run("check", &module, "INIT Init\nNEXT Next\nINVARIANT Inv\n", &[]);
        assert_eq!(code, Some(0), "{json}");
        assert!(has_warning(&json, "`Min` is also defined by module FiniteSetsExt"), "{json}");
    }
    let module = "EXTENDS Integers, FiniteSetsExt\nMin(S) == 7\nVARIABLE x\nInit == x = 1\nNext == x' = x\n";
    let (code, _) = run("check", module, "INIT Init\nNEXT Next\n", &[]);
    assert_eq!(code, Some(150), "a name that is asked for cannot be redefined");
}

#[test]
fn a_variable_without_a_bound_is_named() {
    let module = "EXTENDS Naturals, Sequences\nVARIABLES log, n\nInit == log = <<>> /\\ n = 0\n\
                  Next == log' = Append(log, n) /\\ n' = (n + 1) % 3\n";
    let config = "INIT Init\nNEXT Next\n";
    let (_, json) = run("check", module, config, &["--memory-max", "60MB"]);
    assert_eq!(json["verdict"], "bounded", "{json}");
    assert!(has_warning(&json, "log gets larger with the depth (elements: "), "{json}");
    assert!(!has_warning(&json, "n gets larger"), "{json}");
    let (_, json) = run("check", module, config, &["--depth-max", "20"]);
    assert!(has_warning(&json, "log gets larger with the depth (elements: "), "{json}");
}

#[test]
fn simulating_without_a_behavior_claims_nothing() {
    let module = MODULE.replace("Init == x = 0", "Init == x \\in {}");
    let (_, json) = run("simulate", &module, "INIT Init\nNEXT Next\n", &[]);
    assert_eq!(json["message"], "there is no behavior to try", "{json}");
}
