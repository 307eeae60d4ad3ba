//! What the corpus tests share.

#![allow(dead_code, reason = "each test uses its part")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kilter_check::{Counts, Progress};

/// Enough for any recursion that a case tries.
pub const STACK_BYTES: usize = 1 << 30;

/// Runs something with a deep stack.
pub fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        thread
            .expect("a thread can be started")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Whoever does not want to hear how far a search is.
pub struct Quiet;

impl Progress for Quiet {
    fn report(&mut self, _: &Counts, _: Duration) {}
    fn print(&mut self, _: &str) {}
    fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::default()
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

/// Cases in which we are known to be wrong, each with its reason: a line `# reason`, then lines of cases.
pub struct Known {
    file: String,
    /// Each case, and whether it was met and failed.
    cases: RefCell<BTreeMap<String, bool>>,
}

impl Known {
    /// Reads one of the lists beside the tests.
    pub fn read(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
        let text = std::fs::read_to_string(path).expect("the list of known failures is there");
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        Known {
            file: file.to_owned(),
            cases: RefCell::new(lines.map(|line| (line.trim().to_owned(), false)).collect()),
        }
    }

    /// Whether a result is not what the list says.
    pub fn mismatch(&self, case: &str, fine: bool) -> bool {
        // A case of several lines is listed by its first.
        let case = case.lines().next().unwrap_or_default().trim();
        match self.cases.borrow_mut().get_mut(case) {
            Some(failed) if !fine => {
                *failed = true;
                false
            }
            _ => !fine,
        }
    }

    /// Cases that are listed but do not fail, as a complaint.
    pub fn unused(&self) -> String {
        let cases = self.cases.borrow();
        let unused: Vec<&str> =
            cases.iter().filter(|(_, failed)| !**failed).map(|(case, _)| case.as_str()).collect();
        match unused.as_slice() {
            [] => String::new(),
            _ => {
                format!("these no longer fail, take them out of {}:\n  {}\n", self.file, unused.join("\n  "))
            }
        }
    }
}
