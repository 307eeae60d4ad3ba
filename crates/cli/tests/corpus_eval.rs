//! Compares the values of the expressions in `corpus/eval` with TLC's.

mod common;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use common::{Known, corpus};
use kilter::load::load_texts;
use kilter::outside::Open;
use kilter_eval::Worker;
use kilter_value::Store;
use libtest_mimic::{Arguments, Failed, Trial};

/// An expression and its expected value.
struct Case {
    extends: String,
    line: usize,
    expression: String,
    expected: String,
}

impl Case {
    /// The name in the list of known failures: the file and the first line.
    fn name(&self, file: &str) -> String {
        format!("{file}.txt: {}", self.expression.lines().next().unwrap_or_default().trim())
    }
}

fn main() -> ExitCode {
    let known = Arc::new(Known::read("known-eval.txt"));
    let files: Vec<(String, Vec<Case>)> = corpus("eval", "txt")
        .iter()
        .map(|path| {
            let name =
                path.file_stem().expect("a file of the corpus has a name").to_string_lossy().into_owned();
            (name, cases(&std::fs::read_to_string(path).expect("the corpus is readable text")))
        })
        .collect();
    let names: BTreeSet<String> =
        files.iter().flat_map(|(file, cases)| cases.iter().map(|case| case.name(file))).collect();
    assert!(names.len() > 300, "the corpus has {} expressions; is it complete?", names.len());
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|(file, cases)| {
            let known = Arc::clone(&known);
            Trial::test(file.clone(), move || check(&file, &cases, &known))
        })
        .collect();
    trials.push(Trial::test("known_failures_are_in_the_corpus", move || known.all_are_in(&names)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Evaluates all expressions of a file.
fn check(file: &str, cases: &[Case], known: &Known) -> Result<(), Failed> {
    let complaints = cases.iter().filter_map(|case| {
        let actual = evaluate(case);
        let Case { line, expression, expected, .. } = case;
        let difference = if agrees(&actual, expected) {
            String::new()
        } else {
            format!("{file}.txt:{line}\n    {expression}\n  expected {expected}\n  actual   {actual}\n")
        };
        known.judge(&case.name(file), difference).err()?.message().map(str::to_owned)
    });
    let complaints: Vec<String> = complaints.collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n").into()) }
}

/// The cases of a file. corpus/README.md describes the format.
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

/// The value as text, or `error: ` followed by all messages.
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
        program.outside = Arc::new(Open::default());
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
