//! Loads a specification from files.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kilter_base::{Diagnostic, Diagnostics, FileId, Severity, Sources};
use kilter_eval::Program;
use kilter_eval::outside::{Closed, Outside};
use kilter_spec::{Modules, Spec};
use kilter_syntax::ast::Config;
use kilter_value::Store;

use crate::outside::{self, Access};
use crate::read::{self, Unreadable};

/// The files of a specification.
#[derive(Clone, Debug)]
pub struct Input {
    /// The root module.
    pub spec: PathBuf,
    /// The configuration. If `None`, it is the file with the ending `cfg` beside the root module.
    pub config: Option<PathBuf>,
    /// Further folders with modules.
    pub library: Vec<PathBuf>,
    /// What the specification may do with files and programs.
    pub access: Access,
}

impl Input {
    /// A specification with its configuration beside it. It may read files below its folder.
    pub fn new(spec: impl Into<PathBuf>) -> Input {
        Input { spec: spec.into(), config: None, library: Vec::new(), access: Access::default() }
    }

    /// The path of the configuration, whether it exists or not.
    pub fn config_path(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| self.spec.with_extension("cfg"))
    }
}

/// A specification that can be checked.
#[derive(Debug)]
pub struct Loaded {
    /// All files that were read.
    pub sources: Sources,
    /// The specification.
    pub spec: Spec,
    /// Oddities that are not errors.
    pub warnings: Diagnostics,
    /// Carries out what the specification may do with files and programs.
    outside: Arc<dyn Outside>,
}

impl Loaded {
    /// Compiles the specification. The program may do with files and programs what the input allows.
    pub fn compile(&self, store: &Store) -> Program {
        let mut program = kilter_eval::compile(&self.spec, store);
        program.outside = Arc::clone(&self.outside);
        program
    }
}

/// Where an error is that leaves nothing to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// In a module.
    Spec,
    /// In the configuration.
    Config,
    /// In the machine: a file that is there can't be read.
    System,
}

/// Why a specification can't be checked.
#[derive(thiserror::Error)]
#[error("{}", errors(.diagnostics, .sources))]
pub struct Refusal {
    /// Where the error is.
    pub cause: Cause,
    /// All files that were read.
    pub sources: Sources,
    /// All errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Shows the same as `Display`, because `main` shows errors like this, and the texts of all files would drown the
/// message.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One line for each error.
fn errors(diagnostics: &Diagnostics, sources: &Sources) -> String {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    errors.map(|one| one.one_line(sources)).collect::<Vec<_>>().join("\n")
}

/// Reads, parses and resolves a specification with its configuration.
pub fn load(input: &Input, store: &Store) -> Result<Loaded, Box<Refusal>> {
    let mut loader = Loader::default();
    let path = with_ending(&input.spec);
    let root = loader.read(&path, "the specification", Cause::Spec)?;
    if let Some(folder) = input.library.iter().find(|folder| !folder.is_dir()) {
        let message = format!("{} of --library is no folder", folder.display());
        loader.diagnostics.push(Diagnostic::global(message).help("name a folder with modules"));
        return loader.refuse(Cause::Spec);
    }
    let folders: Vec<&Path> =
        std::iter::once(folder_of(&path)).chain(input.library.iter().map(PathBuf::as_path)).collect();
    let modules = loader.modules(root, &folders);
    let config_path = input.config.clone().unwrap_or_else(|| path.with_extension("cfg"));
    if loader.diagnostics.has_errors() {
        // The mistakes of the configuration are better reported now than after the next try.
        if config_path.is_file() {
            let _ = loader
                .read(&config_path, "the configuration", Cause::Spec)
                .map(|file| loader.parse_config(file));
        }
        return loader.refuse(Cause::Spec);
    }
    let config = loader.config(&config_path, input.config.is_none(), root)?;
    let loaded = loader.resolve(&modules, &config, store)?;
    Ok(Loaded { outside: outside::of(&path, input.access), ..loaded })
}

/// Like `load`, for a module that extends the specification, and more lines of its configuration. `name` is what they are
/// called in errors.
pub fn load_extended(
    input: &Input,
    (name, module, more): (&str, &str, &str),
    store: &Store,
) -> Result<Loaded, Box<Refusal>> {
    let mut loader = Loader::default();
    let path = with_ending(&input.spec);
    let module = loader.sources.add(name, module);
    let folders: Vec<&Path> =
        std::iter::once(folder_of(&path)).chain(input.library.iter().map(PathBuf::as_path)).collect();
    let modules = loader.modules(module, &folders);
    if loader.diagnostics.has_errors() {
        return loader.refuse(Cause::Spec);
    }
    let config_path = input.config.clone().unwrap_or_else(|| path.with_extension("cfg"));
    let config = loader.read(&config_path, "the configuration", Cause::Config)?;
    let text = format!("{}{more}", loader.sources.file(config).text);
    let config = loader.sources.add(config_path.display().to_string(), text);
    let config = loader.checked_config(config)?;
    let loaded = loader.resolve(&modules, &config, store)?;
    Ok(Loaded { outside: outside::of(&path, input.access), ..loaded })
}

/// Like `load`, for texts that are not files. Each pair is a name and a text.
pub fn load_texts(spec: (&str, &str), config: (&str, &str), store: &Store) -> Result<Loaded, Box<Refusal>> {
    let mut loader = Loader::default();
    let root = loader.sources.add(spec.0, spec.1);
    let modules = loader.modules(root, &[]);
    if loader.diagnostics.has_errors() {
        return loader.refuse(Cause::Spec);
    }
    let file = loader.sources.add(config.0, config.1);
    let config = loader.checked_config(file)?;
    loader.resolve(&modules, &config, store)
}

/// A specification of texts, with modules from a folder, and values for constants that come before those of the
/// configuration.
pub(crate) struct SizedInput<'t> {
    /// The name and the text of the root module.
    pub(crate) root: (&'t str, &'t str),
    /// Further modules that it can name, each by its name and text.
    pub(crate) modules: &'t [(&'t str, &'t str)],
    /// The folder with further modules.
    pub(crate) folder: Option<&'t Path>,
    /// The name and the text of the configuration.
    pub(crate) config: (&'t str, &'t str),
    /// Constants, each with a value as a configuration writes it.
    pub(crate) constants: &'t [(&'t str, String)],
    /// Further lines of the configuration.
    pub(crate) more: &'t str,
}

/// Like `load_texts`, for a specification whose size the caller sets.
pub(crate) fn load_sized(sized: &SizedInput<'_>, store: &Store) -> Result<Loaded, Box<Refusal>> {
    let mut loader = Loader::default();
    let root = loader.sources.add(sized.root.0, sized.root.1);
    let folders: Vec<&Path> = sized.folder.into_iter().collect();
    let modules = loader.modules_of(root, &folders, sized.modules);
    if loader.diagnostics.has_errors() {
        return loader.refuse(Cause::Spec);
    }
    let mut text = format!("{}\n{}\n", sized.config.1, sized.more);
    for (name, value) in sized.constants {
        let _ = writeln!(text, "CONSTANT {name} = {value}");
    }
    let file = loader.sources.add(sized.config.0, text);
    let mut config = loader.checked_config(file)?;
    let (own, mut n_kept) = (sized.constants, config.constants.len() - sized.constants.len());
    config.constants.retain(|entry| {
        let is_last = n_kept == 0;
        n_kept = n_kept.saturating_sub(1);
        is_last || own.iter().all(|(name, _)| *entry.name.name != **name)
    });
    loader.resolve(&modules, &config, store)
}

#[derive(Default)]
struct Loader {
    sources: Sources,
    diagnostics: Diagnostics,
}

impl Loader {
    fn refuse<T>(&mut self, cause: Cause) -> Result<T, Box<Refusal>> {
        let sources = std::mem::take(&mut self.sources);
        let diagnostics = std::mem::take(&mut self.diagnostics);
        Err(Box::new(Refusal { cause, sources, diagnostics }))
    }

    fn read(&mut self, path: &Path, what: &str, cause: Cause) -> Result<FileId, Box<Refusal>> {
        match read::text(path, what) {
            Ok((text, warning)) => {
                if let Some(warning) = warning {
                    self.diagnostics.push(warning);
                }
                Ok(self.sources.add(path.display().to_string(), text))
            }
            Err(Unreadable { diagnostic, system }) => {
                self.diagnostics.push(diagnostic);
                self.refuse(if system { Cause::System } else { cause })
            }
        }
    }

    fn modules(&mut self, root: FileId, folders: &[&Path]) -> Modules {
        self.modules_of(root, folders, &[])
    }

    /// Finds modules among texts first, then in folders.
    fn modules_of(&mut self, root: FileId, folders: &[&Path], texts: &[(&str, &str)]) -> Modules {
        let mut trouble = Vec::new();
        let mut find = |name: &str| {
            if let Some((name, text)) = texts.iter().find(|(known, _)| *known == name) {
                return Some((format!("{name}.tla"), (*text).to_owned()));
            }
            let file_name = format!("{name}.tla");
            let path = folders
                .iter()
                .map(|folder| folder.join(&file_name))
                .find(|path| fs::exists(path).unwrap_or(true))?;
            match read::text(&path, "the module") {
                Ok((text, warning)) => {
                    trouble.extend(warning);
                    Some((path.display().to_string(), text))
                }
                Err(unreadable) => {
                    trouble.push(unreadable.diagnostic);
                    None
                }
            }
        };
        let (modules, diagnostics) = kilter_spec::load(&mut self.sources, root, &mut find);
        for diagnostic in trouble {
            self.diagnostics.push(diagnostic);
        }
        self.diagnostics.extend(diagnostics);
        modules
    }

    /// Reads the configuration from a file of its own, or from a section of the root module's file.
    fn config(&mut self, path: &Path, guessed: bool, root: FileId) -> Result<Config, Box<Refusal>> {
        if guessed && !path.exists() {
            if let Some(file) = self.section(root, path) {
                return self.checked_config(file);
            }
            let message = format!("there is no configuration {}", path.display());
            let help =
                "write one with the lines `INIT Init` and `NEXT Next`, or name another file with --config";
            self.diagnostics.push(Diagnostic::global(message).help(help));
            return self.refuse(Cause::Config);
        }
        let file = self.read(path, "the configuration", Cause::Config)?;
        if path.extension().is_none_or(|ending| ending != "tla") {
            return self.checked_config(file);
        }
        match self.section(file, path) {
            Some(section) => self.checked_config(section),
            None => {
                let message = format!("there is no configuration in {}", path.display());
                let help =
                    "add lines between `---- CONFIG Name ----` and `====` to it, where Name is the file's";
                self.diagnostics.push(Diagnostic::global(message).help(help));
                self.refuse(Cause::Config)
            }
        }
    }

    /// The configuration in a section of a file. The section has the name of `path`.
    fn section(&mut self, file: FileId, path: &Path) -> Option<FileId> {
        let name = path.file_stem()?.to_string_lossy();
        let file = self.sources.file(file);
        let section = config_section(&file.text, &name)?;
        Some(self.sources.add(file.name.clone(), section))
    }

    fn checked_config(&mut self, file: FileId) -> Result<Config, Box<Refusal>> {
        let config = self.parse_config(file);
        if self.diagnostics.has_errors() { self.refuse(Cause::Config) } else { Ok(config) }
    }

    fn parse_config(&mut self, file: FileId) -> Config {
        let (config, diagnostics) = kilter_syntax::parse_config(&self.sources, file);
        self.diagnostics.extend(diagnostics);
        config
    }

    fn resolve(mut self, modules: &Modules, config: &Config, store: &Store) -> Result<Loaded, Box<Refusal>> {
        let resolution = kilter_spec::resolve(modules, Some(config), &self.sources, store);
        let cause = if resolution.diagnostics.has_errors() { Cause::Spec } else { Cause::Config };
        self.diagnostics.extend(resolution.diagnostics);
        self.diagnostics.extend(resolution.config_diagnostics);
        if self.diagnostics.has_errors() {
            return self.refuse(cause);
        }
        let outside = Arc::new(Closed);
        Ok(Loaded { sources: self.sources, spec: resolution.spec, warnings: self.diagnostics, outside })
    }
}

/// The lines between `---- CONFIG name ----` and `====`. All other lines are blanked, so that positions stay true.
fn config_section(text: &str, name: &str) -> Option<String> {
    let mut section = String::with_capacity(text.len());
    let (mut inside, mut found) = (false, false);
    for line in text.split_inclusive('\n') {
        inside &= !line.starts_with("====");
        section.push_str(if inside { line } else { "\n" });
        if !found && config_header(line.trim_end_matches(['\r', '\n'])) == Some(name) {
            (inside, found) = (true, true);
        }
    }
    found.then_some(section)
}

/// Returns `Name` for a line such as `---- CONFIG Name ----`.
fn config_header(line: &str) -> Option<&str> {
    let dashed = line.starts_with("----") && line.ends_with("----");
    let words: Vec<&str> = line.trim_matches('-').split_whitespace().collect();
    match words.as_slice() {
        ["CONFIG", name] if dashed => Some(name),
        _ => None,
    }
}

/// Adds the ending `.tla` if the path has none, as TLC does.
pub(crate) fn with_ending(path: &Path) -> PathBuf {
    let ended = path.with_extension("tla");
    if path.extension().is_none() && !path.exists() && ended.exists() { ended } else { path.to_path_buf() }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
