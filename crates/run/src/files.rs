//! Replaces files as a whole. The new content is written beside the file and then renamed, so that nobody sees half of
//! it.

use std::error::Error;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, access, linkat, open};
use thiserror::Error;

/// The error for a file that can't be written. Its source is the reason that the operating system gives.
#[derive(Debug, Error)]
#[error("{} cannot be written", path.display())]
pub struct NotWritten {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub source: Box<dyn Error + Send + Sync>,
}

impl NotWritten {
    /// Makes the error for a path. For use with `map_err`.
    pub fn of<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl FnOnce(E) -> NotWritten {
        move |error| NotWritten { path: path.to_path_buf(), source: error.into() }
    }
}

/// How much waits to be written at most.
const BUFFER_BYTES: usize = 1 << 16;

/// Replaces the content of a file.
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<(), NotWritten> {
    replace_with(path, |out| out.write_all(content.as_ref()))
}

/// Replaces a file by what `write` writes. If `write` fails, the file stays as it was.
pub fn replace_with<E>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), NotWritten>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let beside = Beside::open(path).map_err(NotWritten::of(path))?;
    let mut out = BufWriter::new(beside.file());
    let written = write(&mut out).map_err(NotWritten::of(path));
    let flushed = out.flush().map_err(NotWritten::of(path));
    drop(out);
    written.and(flushed)?;
    beside.put(path).map(drop).map_err(NotWritten::of(path))
}

/// Replaces the content of a file, and returns the open file, to write more at its end.
pub fn replace_and_keep(path: &Path, content: &str) -> Result<File, NotWritten> {
    let beside = Beside::open(path).map_err(NotWritten::of(path))?;
    beside.file().write_all(content.as_bytes()).map_err(NotWritten::of(path))?;
    beside.put(path).map_err(NotWritten::of(path))
}

/// A file that is replaced once all of its new content is written, however long that takes.
pub struct Replacing {
    path: PathBuf,
    beside: Beside,
    buffer: Vec<u8>,
}

impl Replacing {
    /// Begins to replace a file.
    pub fn begin(path: &Path) -> Result<Replacing, NotWritten> {
        let beside = Beside::open(path).map_err(NotWritten::of(path))?;
        Ok(Replacing { path: path.to_path_buf(), beside, buffer: Vec::new() })
    }

    /// Puts the new content in the place of the old one.
    pub fn end(mut self) -> Result<(), NotWritten> {
        self.flush().map_err(NotWritten::of(&self.path))?;
        self.beside.put(&self.path).map(drop).map_err(NotWritten::of(&self.path))
    }
}

impl Write for Replacing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > BUFFER_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.beside.file().write_all(&self.buffer);
        self.buffer.clear();
        written
    }
}

/// Checks whether a file could probably be written or replaced. Its content stays as it is.
pub fn try_out(path: &Path) -> Result<(), NotWritten> {
    let there = fs::metadata(path).ok().filter(|there| !there.is_file() && !there.is_dir());
    let tried = match there {
        // Opening a pipe would wait for a reader, and the reader would see that nothing comes.
        Some(_) => access(path, Access::WRITE_OK).map_err(io::Error::from),
        None => Beside::open(path).map(drop),
    };
    tried.map_err(NotWritten::of(path))
}

/// Advice for an error of writing, if there is any.
pub fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut cause = error;
    let error = loop {
        match cause.downcast_ref::<io::Error>() {
            Some(error) => break error,
            None => cause = cause.source()?,
        }
    };
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("make room there, or name a place that has some")
        }
        io::ErrorKind::FileTooLarge => {
            Some("files may not grow so large here: raise the limit (`ulimit -f`), or name another place")
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            Some("name a place that you may write to, or change its permissions")
        }
        _ => None,
    }
}

/// New content on its way to a file.
enum Beside {
    /// A file without a name. It goes away by itself if this process is killed.
    Nameless(File, PathBuf),
    /// A temporary file with a name, where the file system can't do without.
    Named(tempfile::NamedTempFile),
    /// Something that is not a regular file, such as `/dev/stdout` or a pipe. It can't be replaced, so it is written
    /// to.
    Straight(File),
}

impl Beside {
    fn open(path: &Path) -> io::Result<Beside> {
        let path = target(path);
        let old = fs::metadata(&path).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(Beside::Straight(File::options().write(true).open(&path)?));
        }
        let folder = folder_of(&path);
        let beside =
            match open(&folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::from(0o666)) {
                Ok(file) => Beside::Nameless(file.into(), folder),
                Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {
                    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
                    Beside::Named(tempfile::Builder::new().permissions(mode).tempfile_in(folder)?)
                }
                Err(error) => return Err(error.into()),
            };
        if let Some(old) = old {
            keep_permissions(beside.file(), old.permissions())?;
        }
        Ok(beside)
    }

    fn file(&self) -> &File {
        match self {
            Beside::Nameless(file, _) | Beside::Straight(file) => file,
            Beside::Named(file) => file.as_file(),
        }
    }

    /// Puts the content in the place of the file.
    fn put(self, path: &Path) -> io::Result<File> {
        let path = &target(path);
        match self {
            Beside::Straight(file) => Ok(file),
            Beside::Named(file) => Ok(file.persist(path).map_err(|error| error.error)?),
            Beside::Nameless(file, folder) => {
                let name = format!(".kilter-{}-{}", std::process::id(), file.as_raw_fd());
                let name = folder.join(name);
                let of_file = format!("/proc/self/fd/{}", file.as_raw_fd());
                // The name can only be in use if a process with our id was killed between the next two lines.
                let _ = fs::remove_file(&name);
                linkat(CWD, of_file, CWD, &name, AtFlags::SYMLINK_FOLLOW)?;
                if let Err(error) = fs::rename(&name, path) {
                    let _ = fs::remove_file(&name);
                    return Err(error);
                }
                Ok(file)
            }
        }
    }
}

/// The file that a path means. Links are followed, so that their target is replaced and not the link.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

fn keep_permissions(file: &File, permissions: Permissions) -> io::Result<()> {
    if permissions.readonly() {
        // Fails as if the file were written to, because that is what people expect.
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    file.set_permissions(permissions)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        replace(&path, "old").expect("written");
        let failed = replace_with(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        let failed = failed.expect_err("it fails");
        assert!(failed.to_string().ends_with("file cannot be written"), "{failed}");
        assert_eq!(failed.source.to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).expect("there"), "old");
        replace(&path, "new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "nothing else is left");
    }

    #[test]
    fn trying_a_path_leaves_everything_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        try_out(&path).expect("it can be written");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 0, "nothing is left");
        fs::write(&path, "old").expect("written");
        try_out(&path).expect("it can be replaced");
        assert_eq!(fs::read_to_string(&path).expect("there"), "old");
        try_out(Path::new("/dev/null")).expect("a device");
        try_out(folder.path()).expect_err("a folder");
        try_out(&folder.path().join("missing/file")).expect_err("a folder is missing");
    }

    #[test]
    fn links_and_permissions_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("ours");
        symlink("file", &link).expect("linked");
        replace(&link, "new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "new");
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }

    #[test]
    fn what_is_no_file_is_written_to() {
        replace(Path::new("/dev/null"), "text").expect("written");
        let error = replace(Path::new("/dev/full"), "text").expect_err("it is full");
        assert!(advice(&error).is_some_and(|advice| advice.contains("make room")), "{error:?}");
        assert!(fs::metadata("/dev/full").is_ok_and(|full| !full.is_file()));
    }
}
