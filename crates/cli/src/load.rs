//! From files to a resolved specification.

use std::fs;
use std::path::{Path, PathBuf};

use kilter_base::{Diagnostic, Diagnostics, Severity, Sources};
use kilter_spec::Spec;
use kilter_value::Store;

/// Why there is nothing to check.
pub enum Refusal {
    /// Wrong modules: exit code 150.
    Spec(Sources, Diagnostics),
    /// Wrong configuration: exit code 151.
    Config(Sources, Diagnostics),
}

/// Reads, parses and resolves a specification with its configuration.
pub fn load(path: &Path, config: Option<&Path>, library: &[PathBuf], store: &Store) -> Result<(Sources, Spec), Box<Refusal>> {
    let mut sources = Sources::default();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            let mut diagnostics = Diagnostics::default();
            diagnostics.push(Diagnostic::global(format!("cannot read {}: {error}", path.display())));
            return Err(Box::new(Refusal::Spec(sources, diagnostics)));
        }
    };
    let root = sources.add(path.display().to_string(), text);
    let mut folders = vec![path.parent().unwrap_or(Path::new("")).to_path_buf()];
    folders.extend_from_slice(library);
    let mut find = |name: &str| {
        folders.iter().map(|folder| folder.join(format!("{name}.tla"))).find_map(|candidate| {
            fs::read_to_string(&candidate).ok().map(|text| (candidate.display().to_string(), text))
        })
    };
    let (modules, diagnostics) = kilter_spec::load(&mut sources, root, &mut find);
    if diagnostics.has_errors() {
        return Err(Box::new(Refusal::Spec(sources, diagnostics)));
    }
    let config_path = config.map_or_else(|| path.with_extension("cfg"), Path::to_path_buf);
    let config = match fs::read_to_string(&config_path) {
        Ok(text) => {
            let file = sources.add(config_path.display().to_string(), text);
            let (config, diagnostics) = kilter_syntax::parse_config(&sources, file);
            if diagnostics.has_errors() {
                return Err(Box::new(Refusal::Config(sources, diagnostics)));
            }
            config
        }
        Err(error) => {
            let mut diagnostics = Diagnostics::default();
            let message = format!("cannot read the configuration {}: {error}", config_path.display());
            diagnostics.push(Diagnostic::global(message).help("name another one with --config FILE"));
            return Err(Box::new(Refusal::Config(sources, diagnostics)));
        }
    };
    let resolution = kilter_spec::resolve(&modules, Some(&config), &sources, store);
    if resolution.diagnostics.has_errors() {
        return Err(Box::new(Refusal::Spec(sources, resolution.diagnostics)));
    }
    if resolution.config_diagnostics.has_errors() {
        return Err(Box::new(Refusal::Config(sources, resolution.config_diagnostics)));
    }
    Ok((sources, resolution.spec))
}

/// Diagnostics as text.
pub fn render(sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter() {
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let place = diagnostic.span.map(|span| format!("{}: ", sources.place(span))).unwrap_or_default();
        out.push_str(&format!("{place}{severity}: {}\n", diagnostic.message));
        if let Some(help) = &diagnostic.help {
            out.push_str(&format!("  help: {help}\n"));
        }
    }
    out
}
