//! Laws: a change of layout is no change, no text leads to a panic, and no change is lost.

use crate::common;

use common::{directory, mapping};
use kilter_source::{Tree, compare};
use proptest::prelude::*;

/// Sources in each language. They are from this repository, except for languages that it does not use.
fn samples() -> Vec<(&'static str, String)> {
    let read = |path: &str| {
        let tree = Tree::from_directory(&directory(path)).expect("sources are here");
        tree.files
            .into_iter()
            .map(|(name, content)| (name, String::from_utf8_lossy(&content).into_owned()))
            .collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (name, text) in read("systems/raft/src") {
        if ["consensus/election.rs", "node.rs", "clock.rs", "mapping.rs"].contains(&name.as_str()) {
            found.push(("main.rs", text));
        }
    }
    found.extend(
        read("systems/pysyncobj")
            .into_iter()
            .filter(|(name, _)| name == "node.py")
            .map(|(_, text)| ("node.py", text)),
    );
    found.push(("Main.java", "class Main { int a = 1; @Action(\"A\") void f(int x) { if (x > a) { g(x, \"b\"); } } void g(int y, String s) { a = y; } }".to_owned()));
    found.push(("main.go", "package main\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tf(\"A\", i)\n\t}\n}\n\nfunc f(a string, i int) int { return i + 1 }\n".to_owned()));
    found
}

/// The text with more space and with comments at the ends of lines, where the language allows it.
fn loosened(text: &str, file: &str, at: &[usize]) -> String {
    let comment = if file == "node.py" { "  # why" } else { "  // why" };
    let lines: Vec<&str> = text.lines().collect();
    let mut in_string = false;
    let mut loose = String::new();
    for (index, line) in lines.iter().enumerate() {
        loose.push_str(line);
        let quotes = line.matches("\"\"\"").count();
        in_string ^= quotes % 2 == 1;
        // A backslash joins lines, and strings may continue over lines.
        let is_plain =
            !in_string && !line.ends_with('\\') && !line.trim_start().starts_with("///") && quotes == 0;
        if at.contains(&(index % 17)) && is_plain && line.matches('"').count() % 2 == 0 {
            loose.push_str(comment);
            loose.push_str("\n\n");
        }
        loose.push('\n');
    }
    loose
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layout_is_no_change(at in prop::collection::vec(0usize..17, 1..8)) {
        for (file, text) in samples() {
            let (old, new) = (Tree::of([(file, text.as_str())]), loosened(&text, file, &at));
            let change = compare(&old, &Tree::of([(file, new.as_str())]), &mapping("A Timeout", ""));
            prop_assert!(change.is_none(), "{file}: {change:?}\n{new}");
        }
    }

    #[test]
    fn any_bytes_are_no_reason_to_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..4000) {
        for (file, text) in samples() {
            let mut content = text.clone().into_bytes();
            content.truncate(cut);
            content.extend(&bytes);
            let mut new = Tree::default();
            new.files.insert(file.to_owned(), content);
            compare(&Tree::of([(file, text.as_str())]), &new, &mapping("A Timeout", ""));
        }
    }

    #[test]
    fn a_changed_word_is_never_lost(which in any::<prop::sample::Index>()) {
        for (file, text) in samples() {
            let code = |line: &str| !line.contains("//") && !line.contains('#') && !line.contains('"');
            let numbers: Vec<usize> = text
                .match_indices(|c: char| c.is_ascii_digit())
                .map(|(at, _)| at)
                .filter(|at| {
                    let start = text[..*at].rfind('\n').map_or(0, |it| it + 1);
                    let end = text[*at..].find('\n').map_or(text.len(), |it| it + at);
                    code(&text[start..end])
                })
                .collect();
            if numbers.is_empty() {
                continue;
            }
            let at = numbers[which.index(numbers.len())];
            let digit = if &text[at..=at] == "1" { "2" } else { "1" };
            let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
            // A change of a test or of documentation is no change of the system.
            if text[..at].contains("#[cfg(test)]") || text[..at].matches("\"\"\"").count() % 2 == 1 {
                continue;
            }
            let change = compare(&Tree::of([(file, text.as_str())]), &Tree::of([(file, changed.as_str())]), &mapping("A Timeout", ""));
            prop_assert!(!change.is_none(), "{file} at {at}: {}", &changed[at.saturating_sub(60)..(at + 20).min(changed.len())]);
        }
    }
}
