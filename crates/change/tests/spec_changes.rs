//! Finds what changed between two specifications.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use expect_test::{Expect, expect};
use kilter_base::Sources;
use kilter_change::spec_change::{self, SpecChange, Version};
use kilter_spec::Spec;
use kilter_value::Store;

/// The specification of the paper's Figure 1, rewritten.
const CACHE: &str = r#"
EXTENDS Naturals
CONSTANT Data
VARIABLES messages, cache, stage
vars == <<messages, cache, stage>>
Largest(s) == CHOOSE n \in s : \A other \in s : other <= n
Init == messages = {} /\ cache = {} /\ stage = "standby"
Request(d) ==
    /\ stage = "standby"
    /\ stage' = "request"
    /\ messages' = messages \union {d}
    /\ UNCHANGED cache
Respond ==
    \E m \in messages :
        /\ stage = "request"
        /\ stage' = "respond"
        /\ cache' = cache \union {m}
        /\ \/ m = Largest(cache') /\ messages' = {1}
           \/ m /= Largest(cache') /\ messages' = {2}
Process ==
    /\ stage = "respond"
    /\ stage' = "standby"
    /\ messages' = {}
    /\ UNCHANGED cache
Next == (\E d \in Data : Request(d)) \/ Respond \/ Process
"#;
const CONFIG: &str = "CONSTANT Data = {3, 4}\nINIT Init\nNEXT Next\n";

fn load(text: &str, config: &str, store: &Store) -> (Spec, Sources) {
    let mut sources = Sources::default();
    let root = sources.add("M.tla", format!("---- MODULE M ----{text}===="));
    let (modules, diagnostics) = kilter_spec::load(&mut sources, root, &mut |_| None);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let file = sources.add("M.cfg", config);
    let (config, diagnostics) = kilter_syntax::parse_config(&sources, file);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let resolution = kilter_spec::resolve(&modules, Some(&config), &sources, store);
    assert!(!resolution.diagnostics.has_errors(), "{:?}", resolution.diagnostics);
    assert!(!resolution.config_diagnostics.has_errors(), "{:?}", resolution.config_diagnostics);
    (resolution.spec, sources)
}

fn changes(old: (&str, &str), new: (&str, &str)) -> Vec<String> {
    let (old_store, new_store) = (Store::new(), Store::new());
    let (old_spec, old_sources) = load(old.0, old.1, &old_store);
    let (new_spec, new_sources) = load(new.0, new.1, &new_store);
    let old = Version { spec: &old_spec, store: &old_store, sources: &old_sources };
    let new = Version { spec: &new_spec, store: &new_store, sources: &new_sources };
    spec_change::compare(old, new).changes.iter().map(show).collect()
}

fn show(change: &SpecChange) -> String {
    match change {
        SpecChange::VariableAdded(name) => format!("+variable {name}"),
        SpecChange::VariableDeleted(name) => format!("-variable {name}"),
        SpecChange::BlockAdded { name, new } => format!("+block {name} {new}"),
        SpecChange::BlockDeleted { name, old } => format!("-block {name} {old}"),
        SpecChange::BlockModified { name, old, new } => format!("block {name} {old} {new}"),
        SpecChange::Init => "init".to_owned(),
        SpecChange::Constant { name, old, new } => format!("constant {name} {old:?} {new:?}"),
        SpecChange::Model(section) => format!("model {section}"),
        SpecChange::Checked(section) => format!("checked {section}"),
    }
}

/// Compares [`CACHE`] with itself after replacements.
#[track_caller]
fn check(replacements: &[(&str, &str)], expected: &Expect) {
    let mut new = CACHE.to_owned();
    for (from, to) in replacements {
        assert!(new.contains(from), "{from}");
        new = new.replace(from, to);
    }
    expected.assert_eq(&changes((CACHE, CONFIG), (&new, CONFIG)).join("\n"));
}

#[test]
fn comments_and_layout_are_no_change() {
    check(
        &[("Respond ==\n", "\\* replies\n\n\nRespond ==    (* now *)\n"), ("cache = {} /\\", "cache={}/\\")],
        &expect![""],
    );
}

#[test]
fn renamed_bound_names_and_parameters_are_no_change() {
    check(
        &[
            ("\\E m \\in messages", "\\E msg \\in messages"),
            ("{m}", "{msg}"),
            ("m = Largest", "msg = Largest"),
            ("m /= Largest", "msg /= Largest"),
            ("CHOOSE n \\in s : \\A other \\in s : other <= n", "CHOOSE x \\in s : \\A y \\in s : y <= x"),
            ("Request(d) ==", "Request(data) =="),
            ("\\union {d}", "\\union {data}"),
        ],
        &expect![""],
    );
}

#[test]
fn reordered_and_renamed_definitions_are_no_change() {
    check(
        &[
            ("Largest(s) == CHOOSE n \\in s : \\A other \\in s : other <= n\n", ""),
            (
                "Request(d) ==",
                "Greatest(s) == CHOOSE n \\in s : \\A other \\in s : other <= n\nRequest(d) ==",
            ),
            ("Largest", "Greatest"),
            ("\\/ Respond \\/ Process", "\\/ Process \\/ Respond"),
        ],
        &expect![""],
    );
}

#[test]
fn a_definition_taken_out_is_no_change() {
    check(
        &[
            (
                "Process ==\n    /\\ stage = \"respond\"",
                "Ready == stage = \"respond\"\nProcess ==\n    /\\ Ready",
            ),
            ("\\E d \\in Data : Request(d)", "Requests"),
            ("Next ==", "Requests == \\E d \\in Data : Request(d)\nNext =="),
        ],
        &expect![""],
    );
}

#[test]
fn a_disjunction_in_a_disjunction_is_no_change() {
    check(
        &[("\\/ Respond \\/ Process", "\\/ Answers"), ("Next ==", "Answers == Respond \\/ Process\nNext ==")],
        &expect![""],
    );
}

#[test]
fn a_branch_is_a_block_of_its_own() {
    check(&[("messages' = {2}", "messages' = {5}")], &expect!["block Respond M.tla:19:15 M.tla:19:15"]);
}

#[test]
fn the_part_around_branches_is_a_block() {
    check(
        &[("stage = \"request\"\n        /\\", "stage \\in {\"request\"}\n        /\\")],
        &expect!["block Respond M.tla:25:41 M.tla:25:41"],
    );
}

#[test]
fn a_helper_reaches_every_block_that_uses_it() {
    check(
        &[("other <= n", "other < n \\/ other = n")],
        &expect![[r#"
            block Respond M.tla:18:15 M.tla:18:15
            block Respond M.tla:19:15 M.tla:19:15"#]],
    );
}

#[test]
fn blocks_are_added_and_deleted() {
    let add = [("           \\/ m /=", "           \\/ m = 4 /\\ messages' = {6}\n           \\/ m /=")];
    check(&add, &expect!["+block Respond M.tla:19:15"]);
    let delete = [("\n           \\/ m /= Largest(cache') /\\ messages' = {2}", "")];
    check(&delete, &expect!["-block Respond M.tla:19:15"]);
    let action = [("Next ==", "Reset == cache' = {} /\\ UNCHANGED <<messages, stage>>\nNext == Reset \\/")];
    check(&action, &expect!["+block Reset M.tla:26:9"]);
}

#[test]
fn a_variable_that_most_blocks_leave_alone() {
    check(
        &[
            ("messages, cache, stage\n", "messages, cache, stage, count\n"),
            ("cache, stage>>", "cache, stage, count>>"),
            ("Init ==", "Init == count = 0 /\\"),
            (
                "messages' = messages \\union {d}\n    /\\ UNCHANGED cache",
                "messages' = messages \\union {d}\n    /\\ UNCHANGED <<count, cache>>",
            ),
            ("cache' = cache \\union {m}", "cache' = cache \\union {m} /\\ count' = count"),
            ("messages' = {}\n", "messages' = {}\n    /\\ count' = count + 1\n"),
        ],
        &expect![[r#"
            +variable count
            block Process M.tla:25:52 M.tla:26:52
            init"#]],
    );
}

#[test]
fn constants_constraints_and_what_is_checked() {
    let spec = format!("{CACHE}Small == cache /= {{3}}\nSound == TRUE\n");
    let config = "CONSTANT Data = {3, 4}\nINIT Init\nNEXT Next\nCONSTRAINT Small\nINVARIANT Sound\n";
    expect![[r#"
        model CONSTRAINT
        checked INVARIANT"#]]
    .assert_eq(&changes((&spec, CONFIG), (&spec, config)).join("\n"));
    expect![[r#"
        block Request M.tla:25:10 M.tla:25:10
        constant Data Some("{3, 4}") Some("{3, 4, 5}")"#]]
    .assert_eq(
        &changes((CACHE, CONFIG), (CACHE, "CONSTANT Data = {3, 4, 5}\nINIT Init\nNEXT Next\n")).join("\n"),
    );
}

#[test]
fn recursive_definitions_and_lets() {
    let spec = |step: &str, name: &str| {
        format!(
            "\nEXTENDS Naturals\nVARIABLE x\nRECURSIVE {name}(_)\n{name}(n) == IF n = 0 THEN 0 ELSE {step} + {name}(n - 1)\n\
             Init == x = 0\nNext == LET more(y) == y + x IN \\/ x' = {name}(x)\n\\/ x' = more(1)\n"
        )
    };
    let config = "INIT Init\nNEXT Next\n";
    let same = changes((&spec("1", "Sum"), config), (&spec("1", "Total"), config));
    assert_eq!(same, Vec::<String>::new());
    let other = changes((&spec("1", "Sum"), config), (&spec("2", "Sum"), config));
    assert_eq!(other, ["block Next M.tla:7:36 M.tla:7:36"]);
}
