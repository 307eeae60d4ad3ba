//! The folder of a search on disk.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kilter_check::{Disk, FILES, Folder, Options, Piece, Unfit};
use kilter_run::lock::Lock;
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;
use crate::load::Loaded;
use crate::models::this_program;

/// What is added to the name of a file while it is written.
const NEW: &str = ".new";

/// Opens the folder of a search on disk, and makes it if necessary. It is locked until the result is dropped.
pub fn open(
    folder: &Path,
    recover: bool,
    checkpoint_every: Duration,
    loaded: &Loaded,
    options: &Options,
) -> Result<Disk, Error> {
    let lock = Lock::folder(folder, "--disk").map_err(|error| Error::Input(error.into()))?;
    let folder = Locked { folder: folder.to_path_buf(), _lock: lock };
    for file in FILES {
        // A process that was killed may have left them.
        folder.remove(&format!("{file}{NEW}")).map_err(|error| Error::Lost(error.into()))?;
    }
    let identity = identity(loaded, options);
    Ok(Disk { folder: Arc::new(folder), recover, checkpoint_every, hot_states_max: None, identity })
}

/// Why a search on disk did not begin, as an error of a job. `option` is the one by which the user wanted it.
pub fn refused(unfit: &Unfit, folder: &Path, option: &str) -> Error {
    let why = format!("{}: {unfit}", folder.display());
    let instead = |what: &str| Error::Input(format!("{unfit}; leave out {option}{what}").into());
    match unfit {
        Unfit::Temporal(_) => instead(", or take them out of the configuration"),
        Unfit::Graph => instead(" or --graph"),
        Unfit::Sequential => instead(""),
        Unfit::Io(_) => Error::Lost(why.into()),
        _ => Error::Input(why.into()),
    }
}

/// What a search must have in common with the one that it goes on with.
pub(crate) fn identity(loaded: &Loaded, options: &Options) -> Vec<(String, String)> {
    let (mut modules, mut config) = (Xxh3::new(), Xxh3::new());
    for file in loaded.sources.files() {
        let is_config = Path::new(&file.name).extension().is_some_and(|ending| ending == "cfg");
        let hash = if is_config { &mut config } else { &mut modules };
        hash.update(file.text.as_bytes());
        hash.update(b"\0");
    }
    let build = [env!("CARGO_PKG_VERSION").as_bytes(), &this_program()].concat();
    let Options { check_deadlock, keep_going, seed, .. } = options;
    let parts = [
        ("build of Kilter", String::from_utf8_lossy(&build).into_owned()),
        ("specification", format!("{:016x}", modules.digest())),
        ("configuration", format!("{:016x}", config.digest())),
        ("setting of --no-deadlock", format!("{check_deadlock:?}")),
        ("setting of --continue", keep_going.to_string()),
        ("--seed", seed.to_string()),
    ];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A folder that nobody else writes to.
struct Locked {
    folder: PathBuf,
    _lock: Lock,
}

impl Folder for Locked {
    fn open(&self, name: &str) -> io::Result<Box<dyn Piece>> {
        let opened =
            File::options().create(true).truncate(false).read(true).write(true).open(self.folder.join(name));
        Ok(Box::new(OpenFile(opened?)))
    }

    fn scratch(&self) -> io::Result<Box<dyn Piece>> {
        Ok(Box::new(OpenFile(tempfile::tempfile_in(&self.folder)?)))
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.folder.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let (path, new) = (self.folder.join(name), self.folder.join(format!("{name}{NEW}")));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        if let Err(error) = write() {
            // Nothing half written is left. If that can't be done either, the first error says why.
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        // The new name is on disk, too.
        File::open(&self.folder)?.sync_all()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

struct OpenFile(File);

impl Piece for OpenFile {
    fn n_bytes(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.0.read_exact_at(bytes, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, at)
    }

    fn cut(&self, n_bytes: u64) -> io::Result<()> {
        self.0.set_len(n_bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_files_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::folder(folder.path(), "--disk").expect("it is free");
        let locked = Locked { folder: folder.path().to_path_buf(), _lock: lock };
        assert_eq!(locked.read("a").expect("readable"), None);
        locked.replace("a", b"one").expect("written");
        locked.replace("a", b"two").expect("written");
        assert_eq!(locked.read("a").expect("readable").as_deref(), Some(b"two".as_slice()));
        let scratch = locked.scratch().expect("made");
        scratch.write_at(b"0123456789", 0).expect("written");
        let mut bytes = [0; 3];
        scratch.read_at(&mut bytes, 4).expect("read");
        assert_eq!(&bytes, b"456");
        scratch.read_at(&mut bytes, 8).expect_err("there is less");
        scratch.cut(2).expect("cut");
        assert_eq!(scratch.n_bytes().expect("known"), 2);
        let names = || fs::read_dir(folder.path()).expect("readable").count();
        assert_eq!(names(), 2, "the file and the lock");
        locked.remove("a").expect("removed");
        locked.remove("a").expect("it is gone already");
        assert_eq!(names(), 1);
        assert!(Lock::folder(folder.path(), "--disk").is_err());
    }
}
