//! Decides what specifications may do with files and programs. They may read files beside them, and do everything if
//! the user allows it.

#![expect(clippy::disallowed_types, reason = "runs programs for IOExec, if it is allowed to")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use kilter_eval::outside::{Ended, Outside, Trouble, Writing};

use crate::read;

mod process;

/// What a specification may do with files and programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// It may read files below its own folder.
    #[default]
    OwnFolder,
    /// It may read and write any file, and start programs.
    Everything,
}

/// The outside of a specification with this root module.
pub fn of(spec: &Path, access: Access) -> Arc<dyn Outside> {
    match access {
        Access::OwnFolder => Arc::new(Confined { folder: folder_of(spec), was_asked: AtomicBool::default() }),
        Access::Everything => Arc::new(Open::default()),
    }
}

/// Allows reading files below a folder, and nothing else.
#[derive(Debug)]
struct Confined {
    /// The folder, with links resolved. If it is `None`, nothing may be read.
    folder: Option<PathBuf>,
    was_asked: AtomicBool,
}

/// Allows everything.
#[derive(Debug, Default)]
pub struct Open {
    /// When to kill programs.
    stop: OnceLock<(Arc<AtomicBool>, Option<Instant>)>,
    has_stopped: AtomicBool,
    was_asked: AtomicBool,
}

impl Open {
    fn is_due(&self) -> bool {
        self.stop.get().is_some_and(|(flag, deadline)| {
            flag.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        })
    }
}

impl Outside for Confined {
    fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.was_asked.store(true, Ordering::Relaxed);
        Open::default().environment()
    }

    fn read(&self, path: &str) -> Result<Option<String>, Trouble> {
        self.was_asked.store(true, Ordering::Relaxed);
        let place = place_of(Path::new(path)).map_err(failed)?;
        if self.folder.as_ref().is_some_and(|folder| place.starts_with(folder)) {
            return Open::default().read(path);
        }
        let from_where = if Path::new(path).is_relative() {
            " (relative paths begin in the current folder, as in TLC)"
        } else {
            ""
        };
        Err(Trouble::Forbidden(format!(
            "reads {path}{from_where}, which is outside of the specification's folder: this needs the option --allow-io"
        )))
    }

    fn write(&self, path: &str, _: &str, _: Writing) -> Result<(), Trouble> {
        Err(Trouble::Forbidden(format!("writes the file {path}: this needs the option --allow-io")))
    }

    fn execute(&self, command: &[String], _: &[(String, String)]) -> Result<Ended, Trouble> {
        let command = command.join(" ");
        Err(Trouble::Forbidden(format!("runs the program `{command}`: this needs the option --allow-io")))
    }
}

impl Outside for Open {
    fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.was_asked.store(true, Ordering::Relaxed);
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }

    fn read(&self, path: &str) -> Result<Option<String>, Trouble> {
        self.was_asked.store(true, Ordering::Relaxed);
        match read::bytes(Path::new(path)) {
            Ok(bytes) => String::from_utf8(bytes)
                .map(Some)
                .map_err(|_| Trouble::Failed("it is not UTF-8 text".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn write(&self, path: &str, text: &str, how: Writing) -> Result<(), Trouble> {
        self.was_asked.store(true, Ordering::Relaxed);
        if how.folders
            && let Some(parent) = Path::new(path).parent()
        {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut open = fs::OpenOptions::new();
        open.write(true).append(how.append).create(how.create).create_new(how.create_new);
        let file = open.truncate(how.truncate).open(path);
        // The text is written at once, so that lines of several workers do not mix.
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)
    }

    fn execute(&self, command: &[String], env: &[(String, String)]) -> Result<Ended, Trouble> {
        self.was_asked.store(true, Ordering::Relaxed);
        let Some((program, args)) = command.split_first() else {
            return Err(Trouble::Failed("it is empty".to_owned()));
        };
        let env = env.iter().map(|(name, value)| (name, value));
        let mut command = Command::new(program);
        command.args(args).envs(env);
        let Some(output) = process::run(&mut command, &|| self.is_due()).map_err(failed)? else {
            self.has_stopped.store(true, Ordering::Relaxed);
            return Err(Trouble::Failed("it was ended, because the search is to end".to_owned()));
        };
        Ok(Ended {
            code: exit_code(output.status),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn set_stop(&self, flag: Arc<AtomicBool>, deadline: Option<Instant>) {
        // A specification is searched only once.
        let _ = self.stop.set((flag, deadline));
    }

    fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn failed(error: io::Error) -> Trouble {
    Trouble::Failed(error.to_string())
}

fn folder_of(spec: &Path) -> Option<PathBuf> {
    let folder = spec.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().ok()
}

/// The place that a path leads to, with links resolved. The last parts of the path need not exist.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for known in path.ancestors() {
        match known.canonicalize() {
            Ok(place) => {
                let rest = path.strip_prefix(known).unwrap_or(Path::new(""));
                // A part that does not exist has no parent that `..` could mean.
                let climbs = rest.components().any(|part| part == std::path::Component::ParentDir);
                return if climbs { Err(io::ErrorKind::NotFound.into()) } else { Ok(place.join(rest)) };
            }
            // The target of a broken link may be made later.
            Err(_) if known.is_symlink() => return Err(io::ErrorKind::NotFound.into()),
            Err(_) => {}
        }
    }
    Ok(path)
}

/// The exit code. For a process that was killed, the code that a shell would report.
fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(read: Result<Option<String>, Trouble>) -> bool {
        matches!(read, Err(Trouble::Forbidden(why)) if why.contains("--allow-io"))
    }

    #[test]
    fn only_what_lies_below_the_folder_is_read() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let spec = folder.path().join("specs/Spec.tla");
        fs::create_dir_all(folder.path().join("specs/data"))?;
        fs::write(folder.path().join("specs/data/in.txt"), "inside")?;
        fs::write(folder.path().join("out.txt"), "outside")?;
        let outside = of(&spec, Access::default());
        let read = |path: &str| outside.read(&folder.path().join(path).to_string_lossy());
        assert_eq!(read("specs/data/in.txt"), Ok(Some("inside".to_owned())));
        assert_eq!(read("specs/data/../data/in.txt"), Ok(Some("inside".to_owned())));
        assert_eq!(read("specs/none.txt"), Ok(None));
        assert!(refused(read("out.txt")));
        assert!(refused(read("none.txt")));
        assert!(refused(read("specs/../out.txt")));
        assert!(refused(outside.read("/nowhere/at/all")));
        assert!(read("specs/none/../../out.txt").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), folder.path().join("specs/link"))?;
            std::os::unix::fs::symlink("in.txt", folder.path().join("specs/data/alias"))?;
            assert!(refused(read("specs/link/out.txt")));
            assert!(refused(read("specs/link/none.txt")));
            assert_eq!(read("specs/data/alias"), Ok(Some("inside".to_owned())));
        }
        assert!(matches!(outside.write("x", "", Writing::default()), Err(Trouble::Forbidden(_))));
        assert!(matches!(outside.execute(&["true".to_owned()], &[]), Err(Trouble::Forbidden(_))));
        let open = of(&spec, Access::Everything);
        assert_eq!(
            open.read(&folder.path().join("out.txt").to_string_lossy()),
            Ok(Some("outside".to_owned()))
        );
        Ok(())
    }
}
