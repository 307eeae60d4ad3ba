//! Reads `kilter.toml` and its specification, and checks them against each other.

use std::path::{Path, PathBuf};

use kilter_base::{Diagnostic, Diagnostics, Sources};
use kilter_eval::Program;
use kilter_mapping::file::{self, File};
use kilter_mapping::{ActionSummary, Mapping, Summary};
use kilter_spec::Spec;
use kilter_spec::ir::{DefBody, ExprKind};
use kilter_value::Store;

use crate::diagnostics::Problems;
use crate::load::{Input, Loaded, load};
use crate::outside::Access;
use crate::read;
use crate::shell::quoted;

/// A mapping that fits its specification.
pub struct Prepared {
    /// The mapping.
    pub mapping: Mapping,
    /// The specification.
    pub loaded: Loaded,
    /// The compiled specification.
    pub program: Program,
    /// The files of the specification.
    pub input: Input,
    /// The folder of `kilter.toml`.
    pub folder: PathBuf,
    /// The text of `kilter.toml`.
    pub text: String,
}

/// Reads `kilter.toml` and its specification, and checks them against each other.
pub fn prepare(path: &Path, access: Access, store: &Store) -> Result<Prepared, Box<Problems>> {
    let mut sources = Sources::default();
    let in_folder = path.join("kilter.toml");
    let path = if path.is_dir() { &in_folder } else { path };
    let text = read::text(path, "the mapping").map_err(|unreadable| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(unreadable.diagnostic.help("`kilter init SPEC.tla` writes a first draft"));
        Problems { sources: Sources::default(), diagnostics }
    })?;
    if read::is_specification(path) {
        return Err(Box::new(no_mapping(path)));
    }
    let id = sources.add(path.display().to_string(), text.0.as_str());
    let file = match file::read(&text.0) {
        Ok(file) => file,
        Err(error) => return Err(Box::new(Problems::of_config(sources, id, error))),
    };
    let folder = folder_of(path);
    let input = input_of(&file, &folder, access);
    let loaded = load(&input, store)
        .map_err(|refusal| Problems { sources: refusal.sources, diagnostics: refusal.diagnostics })?;
    let program = loaded.compile(store);
    let summary = summarize(&loaded.spec, &program);
    let mapping = kilter_mapping::check(&file, id, &text.0, &summary, store)
        .map_err(|diagnostics| Problems { sources, diagnostics })?;
    Ok(Prepared { mapping, loaded, program, input, folder, text: text.0 })
}

/// A specification was named where a mapping should be.
fn no_mapping(path: &Path) -> Problems {
    let message = format!("{} is a specification; a mapping is expected", path.display());
    let help = format!("`kilter init {}` writes a first draft of one, kilter.toml", quoted(path));
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::global(message).help(help));
    Problems { sources: Sources::default(), diagnostics }
}

/// The names in a specification that mappings can refer to.
pub fn summarize(spec: &Spec, program: &Program) -> Summary {
    let actions = program.actions.iter().map(|action| ActionSummary {
        name: action.name.to_string(),
        params: action.args.iter().map(|(name, _)| name.to_string()).collect(),
    });
    let mut distinct: Vec<ActionSummary> = Vec::new();
    for action in actions {
        if !distinct.contains(&action) {
            distinct.push(action);
        }
    }
    let constants = spec.defs.iter().filter(|def| def.params.is_empty() && !def.in_let);
    let constants = constants.filter_map(|def| match &def.body {
        DefBody::Expr(expr) => match &*expr.kind {
            ExprKind::Value(value) => Some((def.name.to_string(), *value)),
            _ => None,
        },
        DefBody::Native(_) => None,
    });
    Summary {
        actions: distinct,
        variables: program.variables.iter().map(ToString::to_string).collect(),
        constants: constants.collect(),
    }
}

fn input_of(file: &File, folder: &Path, access: Access) -> Input {
    Input {
        spec: folder.join(&file.spec.file),
        config: file.spec.config.as_ref().map(|config| folder.join(config)),
        library: file.spec.library.iter().map(|library| folder.join(library)).collect(),
        access,
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}
