//! Reads and writes state graphs, and keeps the graphs of specifications in a cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kilter_base::memory;
use kilter_check::state_graph::from_search;
use kilter_check::{Limit, Limits, Options, Outcome, Verdict, Warning};
use kilter_eval::Program;
use kilter_graph::{StateGraph, decode, encode};
use kilter_report::style::plural;
use kilter_run::files;
use kilter_value::Store;
use xxhash_rust::xxh3::Xxh3;

use crate::error::{Context as _, Error, InFile as _, Interrupted, Tried};
use crate::host::{Host, Searching};
use crate::load::{Input, Loaded};
use crate::shell::quoted;
use crate::{read, resources, verdict};

/// The most graphs that are kept: those of a specification and of the versions that it is compared with.
const GRAPHS_MAX: usize = 8;

/// The memory that a graph takes, for each byte of its compressed file and besides.
const LOAD_FACTOR: u64 = 64;
const LOAD_BYTES: u64 = 16 << 20;

/// Reads a state graph from a file.
pub fn load(path: &Path) -> Result<StateGraph, Error> {
    let bytes = read::whole(path).unread(path)?;
    // A failed allocation would end the process.
    let needed = LOAD_BYTES + LOAD_FACTOR * bytes.len() as u64;
    if memory::address_limit().is_some() && !memory::has_room(needed) {
        let why = format!("there is too little memory for it, about {} MiB are needed", needed >> 20);
        return Err(Error::Input(format!("{}: {why}; raise the limit (`ulimit -v`)", path.display()).into()));
    }
    Ok(decode(&bytes).in_file(path)?)
}

/// Writes a state graph to a file. An older file is replaced only when the new one is complete.
pub fn save(graph: &StateGraph, path: &Path) -> Result<(), Error> {
    files::replace(path, encode(graph)).map_err(|error| Error::Input(error.into()))
}

/// Where graphs are kept, and how they are made.
#[derive(Clone, Copy, Debug)]
pub struct Cache<'c> {
    /// The folder with the graphs.
    pub folder: &'c Path,
    /// The number of threads that check a specification.
    pub workers: usize,
    /// The longest that a specification is checked.
    pub time_max: Option<Duration>,
}

/// The graph of a specification. It is read from the cache if nothing has changed, or made by checking the
/// specification.
pub(crate) fn graph_of(
    (program, loaded, input): (&mut Program, &Loaded, &Input),
    store: &Store,
    cache: Cache<'_>,
    host: &mut Host,
) -> Tried<StateGraph> {
    // A state that stands for others can't be compared with a system.
    program.symmetry.clear();
    program.view = None;
    let file = cache.folder.join(file_name(loaded));
    if file.is_file()
        && let Ok(graph) = load(&file)
    {
        return Ok(graph);
    }
    // A deadlock because of a bound is a matter of the model, not of the system.
    let options = Options {
        workers: cache.workers,
        check_deadlock: Some(false),
        graph: true,
        limits: Limits { time_max: cache.time_max, ..Limits::default() },
        usage: resources::usage,
        ..Options::default()
    };
    let patience = host.signals.patience();
    let mut searching = Searching::new(&mut *host.watch, &host.signals);
    let outcome = kilter_check::run(program, store, &options, &mut searching);
    drop(patience);
    searching.end()?;
    match &outcome.verdict {
        Verdict::Holds => {}
        Verdict::Bounded(Limit::Interrupt) => return Err(Interrupted.into()),
        Verdict::Bounded(limit) => return Err(states_are_missing(*limit, &outcome).into()),
        _ => {
            let (why, spec) = (verdict::sentence(&outcome), quoted(&input.spec));
            let config = input.config.as_deref().map(|config| format!(" --config {}", quoted(config)));
            let what = format!("the specification does not hold by itself: {why}");
            let more = config.unwrap_or_default();
            return Err(format!("{what}; see `kilter check {spec}{more} --no-deadlock`").into());
        }
    }
    let graph = from_search(program, store, &outcome, &loaded.sources, &input.config_path())
        .context("the specification has no behaviors")?;
    // The name of the file stands for the text of the specification. What it reads besides may be another next time.
    if !program.outside.was_asked() {
        keep(&graph, cache.folder, &file)?;
    }
    Ok(graph)
}

/// Why there is no graph, and what can be done about it.
fn states_are_missing(limit: Limit, outcome: &Outcome) -> String {
    let n_states = plural(outcome.counts.distinct, "state");
    let why = verdict::reason(limit);
    let grown = outcome.warnings.iter().find_map(|warning| match warning {
        Warning::Growing(grown) => Some(verdict::growth(grown)),
        _ => None,
    });
    let advice = grown.unwrap_or_else(|| match limit {
        Limit::Time => "--time-max gives it more".to_owned(),
        _ => "make the model smaller".to_owned(),
    });
    format!("the specification has {n_states} and more, and {why} before all were found; {advice}")
}

/// Keeps a graph in the cache, and removes the oldest if there are too many.
fn keep(graph: &StateGraph, cache: &Path, file: &Path) -> Tried<()> {
    fs::create_dir_all(cache).with_context(|| format!("the folder {} cannot be made", cache.display()))?;
    let mut others: Vec<(SystemTime, PathBuf)> = fs::read_dir(cache)?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("graph-"))
        .map(|entry| (entry.metadata().and_then(|data| data.modified()).unwrap_or(UNIX_EPOCH), entry.path()))
        .collect();
    others.sort();
    others.truncate((others.len() + 1).saturating_sub(GRAPHS_MAX));
    for (_, oldest) in others {
        let _ = fs::remove_file(oldest);
    }
    Ok(save(graph, file)?)
}

/// The name of the file in the cache that has the graph of a specification.
pub(crate) fn file_name(loaded: &Loaded) -> String {
    format!("graph-{}.kilter", content(loaded))
}

/// A hash of everything that a graph depends on: all files of the specification, and the version of Kilter.
pub(crate) fn content(loaded: &Loaded) -> String {
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    for file in loaded.sources.files() {
        hash.update(file.text.as_bytes());
        hash.update(b"\0");
    }
    format!("{:016x}", hash.digest())
}
