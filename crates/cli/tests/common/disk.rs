//! Searches on a disk that is in memory: one that gets full, and from which a search goes on.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kilter::Quiet;
use kilter::load::{Input, load};
use kilter::outside::Access;
use kilter::show::json::{self, Search};
use kilter_check::{Disk, Folder, Limit, Options, Outcome, Piece, Unfit, Verdict};
use kilter_value::Store;

/// A folder in memory.
#[derive(Default)]
pub struct Toy {
    files: Mutex<BTreeMap<String, Arc<Bytes>>>,
    /// How often something can still be written before the disk is full.
    left: Arc<AtomicI64>,
}

#[derive(Default)]
struct Bytes {
    bytes: Mutex<Vec<u8>>,
    left: Arc<AtomicI64>,
}

struct Opened(Arc<Bytes>);

impl Toy {
    /// Makes room for `n` more writes.
    pub fn refill(&self, n: i64) {
        self.left.store(n, Ordering::Relaxed);
    }

    /// The names of the files.
    pub fn names(&self) -> Vec<String> {
        self.files.lock().expect("no panic").keys().cloned().collect()
    }

    /// Changes the bytes of a file.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut self.files.lock().expect("no panic")[name].bytes.lock().expect("no panic"));
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        self.files.lock().expect("no panic")[name].bytes.lock().expect("no panic").clone()
    }
}

fn spend(left: &AtomicI64) -> io::Result<()> {
    if left.fetch_sub(1, Ordering::Relaxed) > 0 { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
}

impl Folder for Toy {
    fn open(&self, name: &str) -> io::Result<Box<dyn Piece>> {
        let mut files = self.files.lock().expect("no panic");
        let new = || Arc::new(Bytes { left: Arc::clone(&self.left), ..Bytes::default() });
        Ok(Box::new(Opened(Arc::clone(files.entry(name.to_owned()).or_insert_with(new)))))
    }

    fn scratch(&self) -> io::Result<Box<dyn Piece>> {
        Ok(Box::new(Opened(Arc::new(Bytes { left: Arc::clone(&self.left), ..Bytes::default() }))))
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.names().iter().any(|other| other == name).then(|| self.bytes(name)))
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        spend(&self.left)?;
        self.open(name)?;
        self.change(name, |bytes| *bytes = content.to_vec());
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files.lock().expect("no panic").remove(name);
        Ok(())
    }
}

impl Piece for Opened {
    fn n_bytes(&self) -> io::Result<u64> {
        Ok(self.0.bytes.lock().expect("no panic").len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let from = self.0.bytes.lock().expect("no panic");
        let from = from.get(at as usize..at as usize + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(from);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut to = self.0.bytes.lock().expect("no panic");
        let end = at as usize + bytes.len();
        // A full disk may take a part.
        let spent = spend(&self.0.left);
        let end = if spent.is_ok() { end } else { at as usize + bytes.len() / 2 };
        if to.len() < end {
            to.resize(end, 0);
        }
        to[at as usize..end].copy_from_slice(&bytes[..end - at as usize]);
        spent
    }

    fn cut(&self, n_bytes: u64) -> io::Result<()> {
        self.0.bytes.lock().expect("no panic").resize(n_bytes as usize, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        spend(&self.0.left)
    }
}

/// A search of a specification, once.
#[derive(Clone)]
pub struct Once<'p> {
    pub path: &'p Path,
    pub options: Options,
}

impl Once<'_> {
    /// The answer of a search in memory. `None` if there is nothing to search.
    pub fn in_memory(&self) -> Option<Answer> {
        let found: Result<Answer, Unfit> =
            self.with(|program, store| Ok(kilter_check::run(program, store, &self.options, &mut Quiet)))?;
        found.ok()
    }

    /// The answer of a search on disk with few states in memory.
    pub fn on_disk(&self, folder: &Arc<Toy>, recover: bool, n_hot: u32) -> Result<Answer, Unfit> {
        let disk = self.disk(folder, recover, n_hot);
        self.with(|program, store| {
            kilter_check::run_on_disk(program, store, &self.options, &disk, &mut Quiet)
        })
        .expect("there is something to search")
    }

    /// A disk for few states, with a checkpoint whenever there can be one.
    pub fn disk(&self, folder: &Arc<Toy>, recover: bool, n_hot: u32) -> Disk {
        Disk {
            folder: Arc::clone(folder) as Arc<dyn Folder>,
            recover,
            checkpoint_every: Duration::ZERO,
            hot_states_max: Some(n_hot),
            identity: vec![("specification".to_owned(), self.path.display().to_string())],
        }
    }

    pub fn with<E>(
        &self,
        search: impl FnOnce(&kilter_eval::Program, &Store) -> Result<Outcome, E>,
    ) -> Option<Result<Answer, E>> {
        let store = Store::with_capacity_bytes(64 << 20);
        let (spec, config) = (self.path.to_path_buf(), Some(self.path.with_extension("cfg")));
        let input = Input { spec, config, library: Vec::new(), access: Access::default() };
        let loaded = load(&input, &store).ok()?;
        let program = loaded.compile(&store);
        Some(search(&program, &store).map(|outcome| {
            let mut found = json::search(&Search {
                outcome: &outcome,
                program: &program,
                store: &store,
                sources: &loaded.sources,
                coverage: &[],
                warnings: &[],
                keep_going: self.options.keep_going,
                why: None,
                seconds: 0.0,
            });
            let Outcome { counts, coverage, warnings, limit, verdict, others, .. } = &outcome;
            let is_cut = |verdict: &Verdict| matches!(verdict, Verdict::Bounded(_) | Verdict::Error { .. });
            let is_whole = match verdict {
                Verdict::Holds | Verdict::Postcondition { .. } => true,
                _ => self.options.keep_going && ![verdict].into_iter().chain(others).any(is_cut),
            };
            let varying = ["memory_bytes", "bytes_per_state", "values", "disk", "hosts"];
            // How many states a search has found when it ends early depends on the size of blocks, and so on time.
            let counted = if is_whole { &[] as &[&str] } else { &["states_generated", "distinct_states"] };
            for varying in varying.iter().chain(counted) {
                found[*varying] = serde_json::Value::Null;
            }
            let limits = [limit.as_ref(), limit_of(&outcome.verdict)];
            let cut_by = limits.into_iter().flatten().next().copied();
            let counts = is_whole.then(|| format!("{counts:?} {coverage:?}"));
            Answer { text: format!("{found:#}\n{counts:?} {warnings:?}"), cut_by, outcome }
        }))
    }
}

fn limit_of(verdict: &Verdict) -> Option<&Limit> {
    if let Verdict::Bounded(limit) = verdict { Some(limit) } else { None }
}

/// What a search says.
pub struct Answer {
    /// All that must be the same in any search of the same specification.
    pub text: String,
    /// The limit that ended the search.
    pub cut_by: Option<Limit>,
    pub outcome: Outcome,
}
