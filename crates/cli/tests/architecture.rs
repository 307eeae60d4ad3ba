//! Checks that what ARCHITECTURE.md says about crates and modules is true.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kilter_base::components::Components;

/// The crates by name, with their folders.
fn crates() -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(common::root().join("crates")).expect("the crates are readable");
    entries
        .map(|entry| entry.expect("the crates are readable"))
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect()
}

/// The line that turns on the lints listed in `clippy.toml`.
const LINTS: &str = "#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]";

/// Clippy finds code that prints, ends the process, reads files or starts programs. It does so only in crates that turn
/// its lints on.
#[test]
fn every_crate_asks_clippy_for_what_is_absent() {
    for folder in crates().values() {
        for file in ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file)) {
            if let Ok(text) = fs::read_to_string(&file) {
                assert!(text.lines().any(|line| line == LINTS), "{} lacks {LINTS}", file.display());
            }
        }
    }
}

#[test]
fn no_crate_makes_up_random_numbers() {
    for (name, folder) in crates() {
        let keys = dependencies(&folder);
        let random =
            keys.iter().find(|key| ["rand", "fastrand", "getrandom", "oorandom"].contains(&key.as_str()));
        assert_eq!(random, None, "{name}: seeds are arguments");
    }
}

#[test]
fn nothing_depends_on_the_rim_or_on_systems() {
    let systems = fs::read_dir(common::root().join("systems")).expect("systems are readable");
    let systems: Vec<PathBuf> = systems.map(|entry| entry.expect("systems are readable").path()).collect();
    let folders: Vec<PathBuf> = crates().into_values().collect();
    let names: Vec<String> = systems.iter().filter_map(|folder| package(folder)).collect();
    assert!(names.len() > 3, "{names:?}");
    for folder in systems.iter().chain(&folders) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let uses = |name: &str| manifest.lines().any(|line| line.split(['.', ' ']).next() == Some(name));
        assert!(!uses("kilter-cli"), "{} uses the rim", folder.display());
        let is_ours = folders.contains(folder);
        assert!(!is_ours || !names.iter().any(|name| uses(name)), "{} uses a system", folder.display());
    }
}

/// The name of the package in a folder.
fn package(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let line = manifest.lines().find(|line| line.starts_with("name = "))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// The names in the last column of the table of crates, by the name in the first column.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(common::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses] = cells[..] else { panic!("a row of three cells: {row}") };
        let uses =
            uses.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        (name.trim_matches('`').to_owned(), uses)
    })
    .collect()
}

/// The dependencies in a crate's manifest, without those of its tests.
fn dependencies(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section.lines().filter_map(|line| line.split(['.', ' ']).next()).map(str::to_owned).collect()
}

/// The crates of this repository that each crate uses.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    crates()
        .into_iter()
        .map(|(name, folder)| {
            let keys = dependencies(&folder);
            let ours = |key: &String| {
                if key == "kilter" { Some("kilter") } else { key.strip_prefix("kilter-") }.map(str::to_owned)
            };
            (name, keys.iter().filter_map(ours).collect())
        })
        .collect()
}

#[test]
fn the_table_of_crates_is_true() {
    assert_eq!(documented(), actual(), "left: ARCHITECTURE.md, right: the manifests");
}

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string(common::root().join("README.md")).expect("README.md is there");
    assert!(text.lines().count() < 100, "the README should fit on a screen or two");
}

/// A module as its path from the crate's root. The root has the empty path.
type Module = Vec<String>;

/// The code of a crate's modules, without comments and tests.
fn modules(folder: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(folder.join("src"), Module::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources are readable") {
            let path = entry.expect("sources are readable").path();
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            let own_name = if ["lib", "mod"].contains(&name.as_str()) { None } else { Some(name.clone()) };
            let inner: Module = module.iter().cloned().chain(own_name).collect();
            if path.is_dir() {
                folders.push((path, inner));
            } else if path.extension().is_some_and(|end| end == "rs") && name != "main" {
                found.insert(inner, code(&fs::read_to_string(&path).expect("sources are text")));
            }
        }
    }
    found
}

/// A text without comments and without its tests.
fn code(text: &str) -> String {
    let mut lines = text.lines();
    let mut code = String::new();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            code += line.split("//").next().unwrap_or_default();
            code.push('\n');
        } else if !lines.next().is_some_and(|line| line.ends_with(';')) {
            break; // the rest is a module of tests
        }
    }
    code
}

fn split_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len()))
}

/// The paths in a text that begin with one of these names. Groups are expanded: `a::{b, c}` gives `a::b` and `a::c`.
fn paths(text: &str, begin: &BTreeSet<&str>) -> Vec<Module> {
    let mut found = Vec::new();
    let (mut last, mut rest) = (' ', text);
    while let Some(first) = rest.chars().next() {
        let (name, behind) = split_name(rest);
        if name.is_empty() {
            (last, rest) = (first, &rest[first.len_utf8()..]);
            continue;
        }
        let is_begin = begin.contains(name) && ![':', '$', '.', '\''].contains(&last);
        rest = match behind.strip_prefix("::") {
            Some(tail) if is_begin => tails(tail, &[name.to_owned()], &mut found),
            _ => behind,
        };
        last = 'a';
    }
    found
}

/// Adds the paths that continue after a `::`, and returns the text behind them.
fn tails<'t>(text: &'t str, path: &[String], found: &mut Vec<Module>) -> &'t str {
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches([',', ' ', '\n']);
            let before = rest.len();
            if !rest.starts_with('}') {
                rest = tails(rest, path, found);
            }
            if rest.len() == before {
                return rest.strip_prefix('}').unwrap_or(rest);
            }
        }
    }
    let (name, rest) = split_name(text);
    let path = [path, &[name.to_owned()]].concat();
    if let Some(rest) = rest.strip_prefix("::") {
        return tails(rest, &path, found);
    }
    found.push(path);
    rest.strip_prefix(" as ").map_or(rest, |rest| split_name(rest).1)
}

/// The modules of a crate with their code, and the imports of each module.
struct Names {
    modules: BTreeMap<Module, String>,
    imports: BTreeMap<Module, Vec<Module>>,
}

impl Names {
    fn new(folder: &Path) -> Names {
        let mut names = Names { modules: modules(folder), imports: BTreeMap::new() };
        for (module, code) in &names.modules {
            let statements = code.split("use ").skip(1).filter_map(|text| text.split(';').next());
            let imports = statements.flat_map(|text| names.whole_paths(module, text)).collect();
            names.imports.insert(module.clone(), imports);
        }
        names
    }

    /// The paths in the code of a module, each from the crate's root.
    fn whole_paths(&self, module: &Module, text: &str) -> Vec<Module> {
        let is_child = |other: &&Module| other.len() == module.len() + 1 && other.starts_with(module);
        let children = self.modules.keys().filter(is_child).filter_map(|child| child.last());
        let begin = children.map(String::as_str).chain(["crate", "super", "self"]).collect();
        let whole = |path: Module| {
            let mut whole = if path[0] == "crate" { Module::new() } else { module.clone() };
            for name in path {
                match name.as_str() {
                    "super" => drop(whole.pop()),
                    "crate" | "self" => {}
                    _ => whole.push(name),
                }
            }
            whole
        };
        paths(text, &begin).into_iter().map(whole).collect()
    }

    /// The module that defines what a path names. Looks through modules that only re-export it.
    fn home(&self, path: &[String], depth: usize) -> Module {
        let n = (0..=path.len()).rev().find(|n| self.modules.contains_key(&path[..*n])).unwrap_or(0);
        let (module, rest) = path.split_at(n);
        let is_it = |import: &&Module| import.last() == rest.first() && import[..] != path[..=n];
        match self.imports.get(module).and_then(|imports| imports.iter().find(is_it)) {
            Some(import) if !rest.is_empty() && depth < 8 => self.home(import, depth + 1),
            _ => module.to_vec(),
        }
    }

    /// The modules that each module uses. What a module uses or re-exports from its own folder does not count.
    fn uses(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let mut uses = BTreeMap::new();
        for (module, code) in &self.modules {
            let homes = self.whole_paths(module, code).into_iter().map(|path| self.home(&path, 0));
            uses.insert(module, homes.filter(|home| !home.starts_with(module)).collect());
        }
        uses
    }
}

/// The circles in which modules of a crate use each other, each as a list of names.
fn circles(folder: &Path) -> Vec<String> {
    let names = Names::new(folder);
    let uses = names.uses();
    let number: BTreeMap<&Module, u32> = uses.keys().copied().zip(0..).collect();
    let arcs: Vec<Vec<u32>> = uses
        .values()
        .map(|used| used.iter().filter_map(|used| number.get(used).copied()).collect())
        .collect();
    let components = Components::new(&arcs[..], arcs.len());
    let mut circles: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (module, component) in uses.keys().zip(&components.of) {
        circles.entry(*component).or_default().push(module.join("::"));
    }
    circles.into_values().filter(|files| files.len() > 1).map(|files| files.join(", ")).collect()
}

#[test]
fn files_of_a_crate_do_not_use_each_other_in_circles() {
    let libs = ["probe", "protocol", "probe-macros"];
    let libs = libs.map(|name| (name.to_owned(), common::root().join("libs").join(name)));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, folder) in crates().into_iter().chain(libs) {
        let circles = circles(&folder);
        if !circles.is_empty() {
            found.insert(name, circles);
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn circles_are_found() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join("src").join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    write("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use b::B;\n");
    write("a.rs", "use crate::{B, c::{C, Other as Another}};\nfn f() { crate::d::g() }\n");
    write("b.rs", "// use crate::d::D;\npub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::d::D;\n}\n");
    write("c.rs", "pub struct C;\nmod inner;\nuse inner::Inner;\n");
    write("c/inner.rs", "use super::C;\npub struct Inner;\n");
    write("d.rs", "use super::B;\npub struct D;\n");
    assert_eq!(circles(folder.path()), Vec::<String>::new());
    // A circle through the root of the crate, which re-exports `B`.
    write("b.rs", "pub struct B(crate::d::D);\n");
    assert_eq!(circles(folder.path()), ["b, d"]);
}

#[test]
fn no_test_is_forgotten() {
    let mut n_crates = 0;
    for folder in crates().values() {
        let Ok(all) = fs::read_to_string(folder.join("tests/all.rs")) else { continue };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("it has a manifest");
        for file in fs::read_dir(folder.join("tests")).expect("it is readable").flatten() {
            let path = file.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "rs") && name != "all" {
                let is_built = all.contains(&format!("mod {name};"))
                    || manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
                assert!(is_built, "{} is in no test program", path.display());
            }
        }
        n_crates += 1;
    }
    assert!(n_crates > 5);
}
