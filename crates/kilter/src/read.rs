//! Reads files, with errors that tell people what to do.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use kilter_base::{Diagnostic, Severity};

use crate::error::{InFile as _, Tried};

/// The longest text. A longer file was named by mistake.
const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Opens a file. Devices and named pipes are refused, because reading them may never end, or never begin.
pub fn open(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    match special(path, &metadata) {
        Some(kind) => Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {kind}, not a file"))),
        None => File::open(path),
    }
}

/// Reads a file. A file that is too large for a text is refused.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        let megabytes = TEXT_BYTES_MAX >> 20;
        let message = format!("it has more than {megabytes} MiB: name a smaller file, or take it apart");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Reads a file of any size that fits into memory.
pub fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text, which must be UTF-8.
pub fn utf8(path: &Path) -> io::Result<String> {
    as_utf8(bytes(path)?)
}

/// Reads a text of any size that fits into memory. For our own files, such as records.
pub fn whole_utf8(path: &Path) -> io::Result<String> {
    as_utf8(whole(path)?)
}

fn as_utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// What kind of thing a path is, if it is not a file.
fn special(path: &Path, metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    if metadata.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type()) {
        // Pipes of a shell's `<(command)` and `command |` are open at both ends already.
        let is_open = path == Path::new("/dev/stdin") || path.starts_with("/dev/fd");
        return if is_open { None } else { Some("a named pipe") };
    }
    Some("a device")
}

/// Whether this is a specification, by its name.
pub(crate) fn is_specification(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "tla")
}

/// The text of a configuration. Those who name a specification instead are told so.
pub(crate) fn config(path: &Path) -> Tried<String> {
    let shown = path.display();
    let text = utf8(path).unread(path)?;
    if is_specification(path) {
        return Err(format!("{shown} is a specification; a configuration is expected, a .toml file").into());
    }
    Ok(text)
}

/// Why a file can't be read as text.
#[derive(Debug)]
pub struct Unreadable {
    /// The error message.
    pub diagnostic: Diagnostic,
    /// Whether the machine is at fault, and not the input.
    pub system: bool,
}

/// Reads a text. As in TLC, bytes that are not UTF-8 become U+FFFD, with a warning.
pub fn text(path: &Path, what: &str) -> Result<(String, Option<Diagnostic>), Unreadable> {
    let shown = path.display();
    let refuse = |message: String, help: &str, system: bool| Unreadable {
        diagnostic: Diagnostic::global(message).help(help),
        system,
    };
    if let Some(kind) = fs::metadata(path).ok().and_then(|metadata| special(path, &metadata)) {
        let help = if path.is_dir() { "name a file in it" } else { "name a file" };
        return Err(refuse(format!("{what} {shown} is {kind}"), help, false));
    }
    let bytes = bytes(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let help = match similar_file(path) {
                Some(name) => format!("a file with a similar name exists: {name}"),
                None => "check the path; it is shown as seen from the current folder".to_owned(),
            };
            refuse(format!("{what} {shown} does not exist"), &help, false)
        }
        ErrorKind::FileTooLarge => {
            let help = format!("no text may have more than {} MiB; take it apart", TEXT_BYTES_MAX >> 20);
            refuse(format!("{what} {shown} is too large"), &help, false)
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

/// A file in the same folder whose name differs only in case or ending.
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
