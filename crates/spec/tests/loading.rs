//! Where modules come from, and in which order.

#![allow(missing_docs, reason = "tests")]

use std::fmt::Write;

use kilter_base::{Diagnostics, Sources};
use kilter_spec::ir::DefBody;
use kilter_spec::{Resolution, load, resolve};
use kilter_syntax::parse_config;
use kilter_value::Store;

/// Loads and resolves the first of `files`, each a module's name and text. Also returns the diagnostics of loading.
fn resolve_files(files: &[(&str, &str)], config: &str, store: &Store) -> (Diagnostics, Resolution) {
    let mut sources = Sources::default();
    let (name, text) = files[0];
    let root = sources.add(format!("{name}.tla"), text);
    let mut find = |wanted: &str| {
        let file = files.iter().find(|(name, _)| *name == wanted);
        file.map(|(name, text)| (format!("{name}.tla"), (*text).to_string()))
    };
    let (modules, diagnostics) = load(&mut sources, root, &mut find);
    let file = sources.add("cfg", config);
    let (config, _) = parse_config(&sources, file);
    (diagnostics, resolve(&modules, Some(&config), &sources, store))
}

fn is_native(resolution: &Resolution, name: &str) -> bool {
    let def =
        resolution.spec.defs.iter().find(|def| def.name == name).expect("a definition of the specification");
    matches!(def.body, DefBody::Native(_))
}

#[test]
fn a_copy_of_a_community_module_is_native_where_it_agrees() {
    let store = Store::with_capacity_bytes(1 << 20);
    let root = "---- MODULE Root ----\nEXTENDS SequencesExt\nA == ToSet(<<1>>) \nB == Reverse(1, 2)\n====";
    let copy = "---- MODULE SequencesExt ----\nToSet(s) == {s}\nReverse(s, t) == s\n====";
    let (diagnostics, resolution) = resolve_files(&[("Root", root), ("SequencesExt", copy)], "", &store);
    assert!(!diagnostics.has_errors() && !resolution.diagnostics.has_errors());
    assert!(is_native(&resolution, "ToSet"));
    assert!(!is_native(&resolution, "Reverse"));
}

#[test]
fn a_definition_that_built_in_code_overrules_is_told() {
    let store = Store::with_capacity_bytes(1 << 20);
    let root = "---- MODULE Root ----\nEXTENDS FiniteSetsExt, IOUtils\nA == Max({1})\n====";
    // One definition is ours, one has another number of arguments, and one module is nobody else's.
    let own = "---- MODULE FiniteSetsExt ----\nEXTENDS Naturals\nMax(S) == 7\nMine(S) == 8\n\
        Min(S) == CHOOSE x \\in S : \\A y \\in S : x <= y\nFoldSet(S) == S\nQuantify(S, P(_)) == TRUE\n====";
    let other = "---- MODULE IOUtils ----\nIOEnv == CHOOSE r : TRUE\n====";
    let (diagnostics, _) =
        resolve_files(&[("Root", root), ("FiniteSetsExt", own), ("IOUtils", other)], "", &store);
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`Max` and `Quantify` are evaluated by built-in code, because a community module is called FiniteSetsExt too; \
          these definitions are not used"
        ]
    );
}

#[test]
fn standard_modules_are_ours() {
    let store = Store::with_capacity_bytes(1 << 20);
    let root = "---- MODULE Root ----\nEXTENDS Naturals\nA == 1 + 1\n====";
    let (diagnostics, resolution) = resolve_files(&[("Root", root), ("Naturals", "nonsense")], "", &store);
    assert!(!diagnostics.has_errors() && !resolution.diagnostics.has_errors());
    assert!(is_native(&resolution, "+"));
}

#[test]
fn file_and_module_have_the_same_name() {
    let store = Store::with_capacity_bytes(1 << 20);
    let root = "---- MODULE Other ----\nEXTENDS A, B\n====";
    let files = [("Root", root), ("A", "---- MODULE AA ----\n===="), ("B", "no module")];
    let (diagnostics, _) = resolve_files(&files, "", &store);
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages[0], "the file `Root.tla` contains a module with another name, `Other`");
    assert_eq!(messages[1], "the file `A.tla` contains a module with another name, `AA`");
    assert!(messages.contains(&"the file `B.tla` contains no module `B`"));
}

#[test]
fn strings_are_numbered_as_tlc_does() {
    let store = Store::with_capacity_bytes(1 << 20);
    let root = "---- MODULE A ----\nEXTENDS Naturals, B\nCONSTANT C\n\
        S == {\"zeta\", \"alpha\", \"beta\", \"bid\", \"bstr\", \"Nat\", \"gamma\"}\n\
        T == {<<x, \"later\">> : x \\in {\"first\"}}\n====";
    let base = "---- MODULE B ----\nbid == \"bstr\"\n====";
    let (_, resolution) = resolve_files(&[("A", root), ("B", base)], "CONSTANT C = {gamma, \"Foo\"}", &store);
    assert!(!resolution.diagnostics.has_errors() && !resolution.config_diagnostics.has_errors());
    let mut words = ["zeta", "alpha", "beta", "bid", "bstr", "Nat", "gamma", "Foo", "later", "first"];
    words.sort_by_key(|word| store.string(word).as_string_number());
    assert_eq!(words, ["gamma", "Foo", "Nat", "bid", "bstr", "zeta", "alpha", "beta", "first", "later"]);
}

#[test]
fn circles_end() {
    let store = Store::with_capacity_bytes(1 << 20);
    let files =
        [("A", "---- MODULE A ----\nEXTENDS B\n===="), ("B", "---- MODULE B ----\nI == INSTANCE A\n====")];
    let (diagnostics, resolution) = resolve_files(&files, "", &store);
    assert!(diagnostics.has_errors());
    assert!(resolution.diagnostics.has_errors());
    let itself =
        [("A", "---- MODULE A ----\n---- MODULE B ----\nI == INSTANCE B\n====\nJ == INSTANCE B\n====")];
    let (_, resolution) = resolve_files(&itself, "", &store);
    assert!(resolution.diagnostics.has_errors());
}

#[test]
fn long_chains_and_many_definitions_do_not_exhaust_the_stack() {
    let store = Store::with_capacity_bytes(1 << 22);
    let mut root = String::from("---- MODULE Root ----\nEXTENDS Naturals\nD0 == 1");
    root += &" + 1".repeat(3000);
    for n in 1..3000 {
        let _ = write!(root, "\nD{n} == D{} /\\ TRUE /\\ TRUE", n - 1);
    }
    root += "\n====";
    let (diagnostics, resolution) = resolve_files(&[("Root", &root)], "", &store);
    assert!(!diagnostics.has_errors() && !resolution.diagnostics.has_errors());
    let deep = format!("---- MODULE Root ----\nA == {}1{}\n====", "(".repeat(100_000), ")".repeat(100_000));
    let (diagnostics, _) = resolve_files(&[("Root", &deep)], "", &store);
    assert!(diagnostics.has_errors());
}
