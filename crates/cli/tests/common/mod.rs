//! Code that several tests share.

#![allow(dead_code, reason = "each test uses its part")]

pub mod disk;
pub mod hosts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use libtest_mimic::Failed;

/// The size of a stack that is deep enough for any recursion in a test.
pub const STACK_BYTES: usize = 1 << 30;

/// Runs a function in a thread with a deep stack.
pub fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        thread
            .expect("a thread can be started")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Checks the exit code of a command, and that it has said all of this.
#[track_caller]
pub fn says(output: &Output, code: i32, wanted: &[&str]) {
    let text = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    assert_eq!(output.status.code(), Some(code), "{text}");
    for wanted in wanted {
        assert!(text.contains(wanted), "no `{wanted}` in {text}");
    }
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace exists")
}

/// All files of a folder of the corpus with this ending, sorted.
pub fn corpus(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root().join("corpus").join(folder), ending, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus is readable") {
        let path = entry.expect("the corpus is readable").path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
}

/// The cases in which we are known to be wrong. In the file, a line `# reason` comes before the cases with that reason.
pub struct Known {
    file: &'static str,
    cases: BTreeSet<String>,
}

impl Known {
    /// Reads one of the lists in the folder of the tests.
    pub fn read(file: &'static str) -> Known {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
        let text = std::fs::read_to_string(path).expect("the list of known failures is there");
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        Known { file, cases: lines.map(|line| line.trim().to_owned()).collect() }
    }

    /// Whether a case is listed.
    pub fn has(&self, case: &str) -> bool {
        self.cases.contains(case)
    }

    /// A case passes if it does what the list says. A listed case without a difference is an error.
    pub fn judge(&self, case: &str, difference: String) -> Result<(), Failed> {
        match (self.has(case), difference.is_empty()) {
            (false, true) | (true, false) => Ok(()),
            (false, false) => Err(difference.into()),
            (true, true) => Err(format!("{case} no longer fails: take it out of {}", self.file).into()),
        }
    }

    /// Fails if the list has a case that is not in the corpus.
    pub fn all_are_in(&self, corpus: &BTreeSet<String>) -> Result<(), Failed> {
        let missing: Vec<&str> = self.cases.difference(corpus).map(String::as_str).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!("{} has what the corpus has not:\n  {}", self.file, missing.join("\n  ")).into())
    }
}
