//! What the tests share: a report as text, and systems of this repository as trees.
#![allow(dead_code, reason = "not every test uses everything")]

use std::path::PathBuf;

use expect_test::Expect;
use kilter_source::{Affected, Mapping, Runs, SourceChange, Tree, compare};

/// A mapping of actions with code, `start:` before those that start a node, and of variables under their own names.
pub fn mapping(actions: &str, variables: &str) -> Mapping {
    let action = |word: &str| match word.split_once(':') {
        Some(("start", name)) => (name.to_owned(), Runs::Start),
        Some(("nothing", name)) => (name.to_owned(), Runs::Nothing),
        _ => (word.to_owned(), Runs::Code),
    };
    Mapping {
        actions: actions.split_whitespace().map(action).collect(),
        variables: variables.split_whitespace().map(|name| (name.to_owned(), name.to_owned())).collect(),
        ..Mapping::default()
    }
}

/// A report as text.
pub fn shown(change: &SourceChange) -> String {
    let mut lines = Vec::new();
    for action in &change.actions {
        let variables = match &action.variables {
            Affected::All => "all".to_owned(),
            Affected::Only(names) => names.iter().cloned().collect::<Vec<_>>().join(" "),
        };
        let stores = if action.stores { ", stored" } else { "" };
        lines.push(format!("{} [{variables}{stores}]: {}", action.action, action.why));
    }
    lines.extend(change.unattributed.iter().map(|what| format!("? {what}")));
    lines.extend(change.ignored.iter().map(|what| format!("- {what}")));
    lines.extend(change.unused.iter().map(|what| format!("0 {what}")));
    if lines.is_empty() { "no change\n".to_owned() } else { lines.join("\n") + "\n" }
}

/// Compares two versions of a file.
#[track_caller]
pub fn check(file: &str, old: &str, new: &str, mapping: &Mapping, expected: &Expect) {
    expected.assert_eq(&shown(&compare(&Tree::of([(file, old)]), &Tree::of([(file, new)]), mapping)));
}

/// A directory of this repository.
pub fn directory(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A tree with a text replaced in one of its files.
#[track_caller]
pub fn edited(tree: &Tree, file: &str, old: &str, new: &str) -> Tree {
    let mut tree = tree.clone();
    let content = tree.files.get_mut(file).unwrap_or_else(|| panic!("there is no file {file}"));
    let text = String::from_utf8(content.clone()).expect("sources are text");
    assert!(text.contains(old), "{file} does not say: {old}");
    *content = text.replacen(old, new, 1).into_bytes();
    tree
}
