//! Expressions of `corpus/eval` and the values that TLC gives them.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use common::{Known, corpus};
use kilter_cli::load::load_texts;
use kilter_cli::outside::Open;
use kilter_eval::Worker;
use kilter_value::Store;

/// An expression and what is expected of it.
struct Case {
    extends: String,
    line: usize,
    expression: String,
    expected: String,
}

#[test]
fn expressions_have_the_values_that_tlc_gives_them() {
    let known = Known::read("known-eval.txt");
    let mut report = String::new();
    let (mut n_cases, mut n_failed) = (0, 0);
    for path in corpus("eval", "txt") {
        let file = path.file_name().expect("a file of the corpus has a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the corpus is readable text");
        for case in cases(&text) {
            n_cases += 1;
            let actual = evaluate(&case);
            let fine = agrees(&actual, &case.expected);
            if known.mismatch(&format!("{file}: {}", case.expression), fine) {
                n_failed += 1;
                let Case { line, expression, expected, .. } = &case;
                let _ = writeln!(
                    report,
                    "{file}:{line}\n    {expression}\n  expected {expected}\n  actual   {actual}\n"
                );
            }
        }
    }
    let unused = known.unused();
    assert!(n_cases > 300, "the corpus has {n_cases} expressions; is it complete?");
    assert!(
        n_failed == 0 && unused.is_empty(),
        "{n_failed} of {n_cases} expressions fail\n\n{report}{unused}"
    );
}

/// The cases of a file; the format is in corpus/README.md.
fn cases(text: &str) -> Vec<Case> {
    let (mut extends, mut lines, mut start) = (String::new(), Vec::new(), 0);
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(expected) = line.strip_prefix("=>") {
            let expression = lines.join("\n");
            cases.push(Case {
                extends: extends.clone(),
                line: start,
                expression,
                expected: expected.trim().to_owned(),
            });
            lines.clear();
        } else if lines.is_empty() && line.starts_with("EXTENDS ") {
            line.clone_into(&mut extends);
        } else if !lines.is_empty() || !(line.trim().is_empty() || line.starts_with('#')) {
            if lines.is_empty() {
                start = index + 1;
            }
            lines.push(line);
        }
    }
    assert!(lines.is_empty(), "the last case has no expected value: {}", lines.join("\n"));
    cases
}

/// The value as text, or `error: ` and all messages.
fn evaluate(case: &Case) -> String {
    let Case { extends, expression, .. } = case;
    let module = format!("---- MODULE Case ----\n{extends}\nCorpusCase ==\n{expression}\n====\n");
    common::with_stack(move || {
        let store = Store::with_capacity_bytes(64 << 20);
        let loaded = match load_texts(("Case.tla", &module), ("Case.cfg", "ALIAS CorpusCase\n"), &store) {
            Ok(loaded) => loaded,
            Err(refusal) => {
                let messages: Vec<_> = refusal.diagnostics.iter().map(|one| one.message.as_str()).collect();
                return format!("error: {}", messages.join("; "));
            }
        };
        let mut program = kilter_eval::compile(&loaded.spec, &store);
        program.outside = Arc::new(Open);
        let mut worker = Worker::new(&program, &store, common::STACK_BYTES);
        let alias = program.alias.as_ref().expect("the configuration names an ALIAS");
        match worker.value(alias, &[], None) {
            Ok(value) => store.show(value),
            Err(error) => format!("error: {}", error.message),
        }
    })
}

fn agrees(actual: &str, expected: &str) -> bool {
    match (expected.strip_prefix("error:"), actual.strip_prefix("error: ")) {
        (Some(part), Some(message)) => message.to_lowercase().contains(&part.trim().to_lowercase()),
        (None, None) => actual == expected,
        _ => false,
    }
}
