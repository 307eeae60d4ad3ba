//! One of the two versions in a comparison.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kilter_change::{Version, View};
use kilter_graph::StateGraph;
use kilter_java::{Jars, Table};
use kilter_mapping::Mapping;
use kilter_mapping::file::{DiffSection, SuiteSection};
use kilter_source::Tree;
use kilter_value::Store;

use super::ran::Trace;
use super::{tree, view};
use crate::borders::borders;
use crate::error::{Context as _, Error, Tried};
use crate::graphs::{self, Cache, graph_of};
use crate::host::Host;
use crate::load::{Input, Loaded, load};
use crate::outside::Access;
use crate::prepare::{Prepared, prepare};
use crate::{diagnostics, java, read};

/// The files of a version, sorted by their kinds.
#[derive(Clone, Debug, Default)]
pub struct SideInput {
    /// The root module of a specification.
    pub spec: Option<PathBuf>,
    /// The configuration of the specification.
    pub config: Option<PathBuf>,
    /// A mapping, which names specification and configuration.
    pub mapping: Option<PathBuf>,
    /// A saved state graph.
    pub graph: Option<PathBuf>,
    /// Folders or files with the system's source code.
    pub sources: Vec<PathBuf>,
    /// The jars of a Java system.
    pub jars: Vec<PathBuf>,
    /// What ran when this version was tested.
    pub ran: Option<PathBuf>,
    /// What the specification may do with files and programs.
    pub access: Access,
}

/// How the names of source files end.
const SOURCES: [&str; 4] = ["rs", "py", "java", "go"];

impl SideInput {
    /// Sorts files by their kinds. `which` names the version in errors.
    pub fn of(paths: &[PathBuf], which: &str) -> Result<SideInput, Error> {
        let refused = |why: &str| Err(Error::Input(format!("{which}: {why}").into()));
        let mut input = SideInput::default();
        for path in paths {
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let place = match ending.as_str() {
                _ if path.is_dir() => {
                    let files = if has_classes(path) { &mut input.jars } else { &mut input.sources };
                    files.push(path.clone());
                    continue;
                }
                "tla" => &mut input.spec,
                "cfg" => &mut input.config,
                "toml" => &mut input.mapping,
                "ran" => &mut input.ran,
                "jar" => {
                    input.jars.push(path.clone());
                    continue;
                }
                ending if SOURCES.contains(&ending) => {
                    input.sources.push(path.clone());
                    continue;
                }
                _ => &mut input.graph,
            };
            if let Some(other) = place {
                let both = format!("{} and {}", other.display(), path.display());
                return refused(&format!("{both} are of the same kind"));
            }
            *place = Some(path.clone());
        }
        let named = [input.spec.is_some(), input.mapping.is_some(), input.graph.is_some()];
        match named.iter().filter(|is_named| **is_named).count() {
            1 => Ok(input),
            0 => refused("name a specification (.tla), a mapping (.toml) or a state graph"),
            _ => refused("name one of a specification, a mapping and a state graph"),
        }
    }
}

/// The folder of a mapping that is named by its file or by its folder.
fn folder_of(mapping: &Path) -> PathBuf {
    if mapping.is_dir() { mapping.to_path_buf() } else { mapping.parent().unwrap_or(mapping).to_path_buf() }
}

/// Whether a folder has jars in it, or classes and no source code below it.
fn has_classes(folder: &Path) -> bool {
    let mut endings = BTreeSet::new();
    endings_below(folder, &mut endings);
    let is_jar = |entry: std::fs::DirEntry| has_ending(&entry.path(), "jar");
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(is_jar)
        || endings.contains("class") && !SOURCES.iter().any(|ending| endings.contains(*ending))
}

/// The endings of all files below a folder. Links may lead in circles.
fn endings_below(folder: &Path, endings: &mut BTreeSet<String>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            endings_below(&path, endings);
        } else if let Some(ending) = path.extension() {
            endings.insert(ending.to_string_lossy().into_owned());
        }
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// A version that can be compared.
pub struct Side {
    /// The values of the specification.
    store: Store,
    /// The specification; `None` if only a graph is known.
    loaded: Option<Loaded>,
    /// The state graph.
    pub graph: StateGraph,
    /// How suites are made of the graph.
    pub suite: SuiteSection,
    /// What the mapping says about changes.
    pub diff: DiffSection,
    /// The mapping, if there is one.
    pub mapping: Option<Mapping>,
    /// The text of the mapping.
    pub mapping_text: String,
    /// The system's source code, if it is known.
    pub source: Option<Tree>,
    /// The fingerprint of the code, if it is known.
    pub code: Option<String>,
    /// The table of a Java system and its classes, if they are known.
    pub java: Option<(Table, Jars)>,
    /// What ran when this version was tested, if that is known.
    pub trace: Option<Trace>,
}

impl Side {
    /// Reads a version. Its specification is checked, unless the graph is in the cache.
    pub fn read(input: &SideInput, cache: Cache<'_>, host: &mut Host) -> Result<Side, Error> {
        let mut side = Side::without_named_source(input, cache, host)?;
        if !input.sources.is_empty() {
            side.source = Some(tree::tree(&input.sources)?);
        }
        let folder = input.mapping.as_deref().map(folder_of).unwrap_or_default();
        let table = side.mapping.as_ref().and_then(|mapping| tree::table(mapping, &folder));
        side.code = side.source.as_ref().map(|source| tree::fingerprint(source, table.as_deref()));
        if let Some(path) = &input.ran {
            side.trace = Some(Trace::read(path)?);
        }
        Ok(side)
    }

    fn without_named_source(input: &SideInput, cache: Cache<'_>, host: &mut Host) -> Tried<Side> {
        if let Some(path) = &input.mapping {
            return Side::of_mapping(path, input, cache, host);
        }
        if let Some(path) = &input.spec {
            let input = Input { config: input.config.clone(), access: input.access, ..Input::new(path) };
            return Side::of_spec(&input, cache, host);
        }
        let path = input.graph.as_ref().context("nothing to compare")?;
        Ok(Side::new(Store::new(), None, graphs::load(path)?))
    }

    fn new(store: Store, loaded: Option<Loaded>, graph: StateGraph) -> Side {
        let (suite, diff) = (SuiteSection::default(), DiffSection::default());
        Side {
            store,
            loaded,
            graph,
            suite,
            diff,
            mapping: None,
            mapping_text: String::new(),
            source: None,
            code: None,
            java: None,
            trace: None,
        }
    }

    /// The store with the values of the graph's states.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn of_spec(input: &Input, cache: Cache<'_>, host: &mut Host) -> Tried<Side> {
        let store = Store::new();
        let loaded = load(input, &store).map_err(|refusal| {
            let shown = diagnostics::show(&refusal.sources, &refusal.diagnostics);
            format!("the specification has errors\n{shown}")
        })?;
        let mut program = loaded.compile(&store);
        let graph = graph_of((&mut program, &loaded, input), &store, cache, host)?;
        Ok(Side::new(store, Some(loaded), graph))
    }

    fn of_mapping(path: &Path, given: &SideInput, cache: Cache<'_>, host: &mut Host) -> Tried<Side> {
        let store = Store::new();
        let mut prepared = prepare(path, given.access, &store)
            .map_err(|problems| format!("{} cannot be used\n{}", path.display(), problems.text()))?;
        let Prepared { program, loaded, input, .. } = &mut prepared;
        let graph = graph_of((program, loaded, input), &store, cache, host)?;
        let mapping = prepared.mapping;
        let java = java::classes(&mapping.system, &prepared.path, &prepared.text, &given.jars)
            .map_err(|problems| *problems)?;
        let folders = tree::folders(&mapping, &prepared.folder);
        let source = if folders.is_empty() { None } else { Some(tree::tree(&folders)?) };
        let file = if path.is_dir() { path.join("kilter.toml") } else { path.to_path_buf() };
        let mapping_text = read::utf8(&file)?;
        let (suite, diff) = (mapping.suite.clone(), mapping.diff.clone());
        let side = Side::new(store, Some(prepared.loaded), graph);
        Ok(Side { suite, diff, mapping: Some(mapping), mapping_text, source, java, ..side })
    }

    /// The part of states and steps that nodes see. `None` if there is no mapping, or it says that nodes share more
    /// than messages.
    pub fn view(&self) -> Option<View> {
        view::of(self.mapping.as_ref()?, &self.store)
    }

    /// Whether the specification goes on where the graph ends, because of a constraint or because the search was cut
    /// short.
    pub fn is_cut(&self) -> bool {
        let is_constrained = |loaded: &Loaded| {
            !loaded.spec.constraints.is_empty() || !loaded.spec.action_constraints.is_empty()
        };
        !self.graph.is_complete() || self.loaded.as_ref().is_none_or(is_constrained)
    }

    /// For each state, whether steps from it lead out of the graph. Empty if there are none.
    pub fn borders(&self) -> Result<Vec<bool>, Error> {
        match &self.loaded {
            Some(loaded) if self.is_cut() => {
                let program = loaded.compile(&self.store);
                borders(&program, &self.store, &self.graph)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The specification, for comparison.
    pub fn version(&self) -> Option<Version<'_>> {
        let loaded = self.loaded.as_ref()?;
        Some(Version { spec: &loaded.spec, store: &self.store, sources: &loaded.sources })
    }

    /// Whether two versions have the same text.
    pub fn has_text_of(&self, other: &Side) -> bool {
        let texts = |side: &Side| {
            side.loaded
                .as_ref()
                .map(|loaded| loaded.sources.files().map(|file| file.text.clone()).collect::<Vec<_>>())
        };
        match (texts(self), texts(other)) {
            (Some(own), Some(others)) => own == others,
            _ => self.graph == other.graph,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_classes_is_told_from_one_of_sources() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |path: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, "").expect("written");
        };
        for path in
            ["classes/org/a/B.class", "jars/b.jar", "src/org/a/B.java", "both/B.java", "both/out/B.class"]
        {
            make(path);
        }
        let side = |name: &str| {
            let paths = [PathBuf::from("kilter.toml"), folder.path().join(name)];
            SideInput::of(&paths, "new").expect("a side")
        };
        for (name, is_of_classes) in [("classes", true), ("jars", true), ("src", false), ("both", false)] {
            assert_eq!(
                (side(name).jars.len(), side(name).sources.len()),
                (is_of_classes.into(), (!is_of_classes).into()),
                "{name}"
            );
        }
    }
}
