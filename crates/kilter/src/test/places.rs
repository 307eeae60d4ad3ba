//! Where the specification defines its actions, where the code of the system names them, and where the table of a Java system says what they
//! are, for the report.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kilter_java::Lines;
use kilter_mapping::Mapping;
use kilter_mapping::mapping::{Compared, Deed};
use kilter_run::Place;
use kilter_source::Tree;
use kilter_system::System;
use kilter_system::java::Java;

use crate::diff::tree::folders;
use crate::load::Loaded;
use crate::reports::between;

/// How the names of files with code end.
const CODE: [&str; 11] = ["c", "cc", "cpp", "go", "h", "java", "js", "mjs", "py", "rs", "ts"];

/// The place of each action's definition. `folder` is that of the report, from which a browser follows links.
pub(crate) fn of_actions<'a>(
    loaded: &Loaded,
    actions: impl Iterator<Item = &'a str>,
    folder: &Path,
) -> BTreeMap<String, Place> {
    let place = |action: &str| {
        let def = loaded.spec.defs.iter().find(|def| *def.name == *action && !def.in_let)?;
        let file = loaded.sources.file(def.span.file);
        let path = between(folder, Path::new(&file.name));
        let line = file.position(def.span.start).line;
        Some((action.to_owned(), Place { file: file.name.clone(), line, path }))
    };
    actions.filter_map(place).collect()
}

/// The place of each action in the code of the system: the first line that names what the nodes offer or are asked for, in quotes. `beside` is
/// the folder of the mapping. Where the code is not known, there is none.
pub(crate) fn in_code(mapping: &Mapping, beside: &Path, folder: &Path) -> BTreeMap<String, Place> {
    let sources = folders(mapping, beside);
    let trees = sources.iter().filter_map(|source| Some((source, Tree::from_directory(source).ok()?)));
    let files: Vec<(PathBuf, String)> = trees
        .flat_map(|(source, tree)| {
            let code = tree
                .files
                .into_iter()
                .filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, end)| CODE.contains(&end)));
            code.map(|(path, text)| (source.join(path), String::from_utf8_lossy(&text).into_owned()))
        })
        .collect();
    let place = |name: &str| {
        let quoted = [format!("\"{name}\""), format!("'{name}'")];
        files.iter().find_map(|(path, text)| {
            let has_it = |line: &str| quoted.iter().any(|quoted| line.contains(quoted));
            let line = text.lines().position(has_it)?;
            let file = path.display().to_string();
            Some(Place { file, line: u32::try_from(line).ok()? + 1, path: between(folder, path) })
        })
    };
    let named = mapping.rules.iter().filter_map(|rule| match &rule.deed {
        Deed::Offer { name, .. } | Deed::Request { name, .. } => Some((rule.action.clone(), place(name)?)),
        _ => None,
    });
    named.collect()
}

/// The lines of a Java system's table, by the actions and variables of the specification. `path` is the mapping, and `text` its content.
pub(crate) fn in_table(
    mapping: &Mapping,
    path: &Path,
    text: &str,
    folder: &Path,
) -> BTreeMap<String, Vec<Place>> {
    let Some(table) = TableLines::of(&mapping.system, path, text, folder) else { return BTreeMap::new() };
    let lines = &table.lines;
    let actions = mapping.rules.iter().filter_map(|rule| match &rule.deed {
        Deed::Offer { name, .. } => Some((rule.action.clone(), table.places(lines.actions.get(name)?))),
        Deed::Request { name, .. } => Some((rule.action.clone(), table.places([lines.requests.get(name)?]))),
        Deed::Fault(_) | Deed::Command(_) | Deed::Internal => None,
    });
    let variables = mapping.variables.iter().filter_map(|variable| match &variable.kind {
        Compared::Node(path, _) | Compared::Global(path, _) => {
            Some((variable.name.clone(), table.places([lines.variables.get(path.first()?)?])))
        }
        Compared::Messages(_) => Some((variable.name.clone(), table.places(&lines.sends))),
        Compared::Not | Compared::Unnamed | Compared::Bound => None,
    });
    actions.chain(variables).filter(|(_, places)| !places.is_empty()).collect()
}

/// The same for a search, which has the names of the table itself.
pub(crate) fn of_names(
    system: &System,
    path: &Path,
    text: &str,
    folder: &Path,
) -> BTreeMap<String, Vec<Place>> {
    let Some(table) = TableLines::of(system, path, text, folder) else { return BTreeMap::new() };
    let actions = table.lines.actions.iter().map(|(name, lines)| (name.clone(), table.places(lines)));
    let others = table.lines.requests.iter().chain(&table.lines.variables);
    actions.chain(others.map(|(name, line)| (name.clone(), table.places([line])))).collect()
}

/// The lines of a Java system's table, and the file that they are in.
struct TableLines {
    lines: Lines,
    file: String,
    path: Option<String>,
}

impl TableLines {
    /// `None` if the system has no table that can be read.
    fn of(system: &System, path: &Path, text: &str, folder: &Path) -> Option<TableLines> {
        let (lines, file) = match system.java.as_ref()? {
            Java::Table(_) => (Lines::of_config(text), path.to_path_buf()),
            Java::File(name) => {
                let file = path.parent().unwrap_or(Path::new("")).join(name);
                (Lines::of_table(&fs::read_to_string(&file).ok()?), file)
            }
        };
        Some(TableLines { lines, path: between(folder, &file), file: file.display().to_string() })
    }

    fn places<'l>(&self, lines: impl IntoIterator<Item = &'l u32>) -> Vec<Place> {
        let place = |line: &u32| Place { file: self.file.clone(), line: *line, path: self.path.clone() };
        lines.into_iter().map(place).collect()
    }
}
