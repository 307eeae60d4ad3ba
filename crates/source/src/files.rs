//! Sorts files that are not source code: what the system may read, what is documentation, what is a test.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::tree::Tree;

/// The role of a file that is not source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Says how the system is built.
    Build,
    /// The system may read it.
    Data,
    /// For people only.
    Documentation,
}

impl Role {
    /// The role of a file that may be in either of two trees.
    pub(crate) fn of(path: &str, trees: [&Tree; 2]) -> Role {
        let name = path.rsplit('/').next().unwrap_or(path);
        if BUILD.contains(&name) || name == "build.rs" {
            return Role::Build;
        }
        // Specifications are compared as such, and so are their models: a `.cfg` beside a module.
        let folder = &path[..path.len() - name.len()];
        let has_end = |name: &str, end: &str| name.rsplit_once('.').is_some_and(|(_, own)| own == end);
        let is_module = |path: &String| {
            path.strip_prefix(folder).is_some_and(|name| has_end(name, "tla") && !name.contains('/'))
        };
        let is_model = has_end(name, "cfg") && trees.iter().any(|tree| tree.files.keys().any(is_module));
        let is_document = is_model
            || name.starts_with("LICENSE")
            || [".md", ".rst", ".adoc", ".tla"].iter().any(|end| name.ends_with(end));
        if is_document && !trees.iter().any(|tree| is_named(name, tree)) {
            Role::Documentation
        } else {
            Role::Data
        }
    }
}

const BUILD: [&str; 15] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "rust-toolchain",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "gradle.properties",
    "go.mod",
    "go.sum",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "requirements.txt",
];

/// True if a source file mentions the file's name. Then the file may be compiled in or read.
fn is_named(name: &str, tree: &Tree) -> bool {
    let sources = tree.files.iter().filter(|(path, _)| Language::of(path).is_some());
    sources.into_iter().any(|(_, content)| String::from_utf8_lossy(content).contains(name))
}

/// The names of packages and libraries in the tree's Cargo manifests, written as in code. `None` if there is no
/// manifest.
pub(crate) fn rust_packages(tree: &Tree) -> Option<BTreeSet<String>> {
    let manifests = tree.files.iter().filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"));
    let mut names = BTreeSet::new();
    let mut n_manifests = 0;
    for (_, content) in manifests {
        n_manifests += 1;
        let text = String::from_utf8_lossy(content).into_owned();
        let values =
            text.lines().filter_map(|line| line.trim().strip_prefix("name")?.trim_start().strip_prefix('='));
        names.extend(values.map(|value| value.trim().trim_matches('"').replace('-', "_")));
    }
    (n_manifests > 0).then_some(names)
}

/// True for source files that are tests, by the conventions of their languages.
pub(crate) fn is_test(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    let (file, folders) = folders.split_last().unwrap_or((&path, &[]));
    let is_in = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
    match Language::of(path) {
        // A folder below `src` may be a module called `tests` that is compiled in.
        Some(Language::Rust) => is_in(&["tests", "benches", "examples"]) && !folders.contains(&"src"),
        Some(Language::Python) => {
            is_in(&["tests", "test"]) || file.starts_with("test_") || *file == "conftest.py"
        }
        Some(Language::Java) => path.contains("src/test/"),
        Some(Language::Go) => file.ends_with("_test.go"),
        None => false,
    }
}
