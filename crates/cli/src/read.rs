//! Files to text, with errors that a person can act on.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use kilter_base::{Diagnostic, Severity};

/// Why a file is no text.
#[derive(Debug)]
pub struct Unreadable {
    /// What to say.
    pub diagnostic: Diagnostic,
    /// Whether it is the world's fault, not the input's.
    pub system: bool,
}

/// A file's text; bytes that are not UTF-8 become U+FFFD, as in TLC, with a warning.
pub fn text(path: &Path, what: &str) -> Result<(String, Option<Diagnostic>), Unreadable> {
    let shown = path.display();
    let refuse = |message: String, help: &str, system: bool| Unreadable {
        diagnostic: Diagnostic::global(message).help(help),
        system,
    };
    if path.is_dir() {
        return Err(refuse(format!("{what} {shown} is a folder"), "name a file in it", false));
    }
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let help = match similar_file(path) {
                Some(name) => format!("a file with a similar name exists: {name}"),
                None => "check the path, it is relative to the current folder".to_owned(),
            };
            refuse(format!("{what} {shown} does not exist"), &help, false)
        }
        _ => refuse(
            format!("{what} {shown} cannot be read: {error}"),
            "check the file and its permissions",
            true,
        ),
    })?;
    if bytes.contains(&0) {
        return Err(refuse(format!("{what} {shown} is not a text file"), "it contains zero bytes", false));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, None)),
        Err(error) => {
            let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let line = 1 + before.matches('\n').count();
            let message = format!("{shown} is not UTF-8, first in line {line}");
            let help = "such bytes are read as U+FFFD; convert the file with iconv";
            let warning =
                Diagnostic { severity: Severity::Warning, ..Diagnostic::global(message) }.help(help);
            Ok((String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(warning)))
        }
    }
}

/// A file in the same folder whose name differs in case or ending only.
fn similar_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stem = path.file_stem()?.to_string_lossy().to_lowercase();
    let mut names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            Path::new(name).file_stem().is_some_and(|other| other.to_string_lossy().to_lowercase() == stem)
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .find(|name| path.extension().is_some_and(|end| Path::new(name).extension() == Some(end)))
}
