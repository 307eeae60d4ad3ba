//! Logs against the specification: is what a system has logged a behavior of its design?
//!
//! ```no_run
//! use kilter::follow::{FollowOptions, run};
//!
//! let ended = run(&FollowOptions::of(["kilter.toml", "n1.log", "n2.log"]), &mut kilter::Host::default())?;
//! assert_eq!(ended.code(), 0);
//! # Ok::<(), kilter::Error>(())
//! ```
//!
//! - `edges`  the edges of a graph that a behavior walks
//! - `record` the record of a log, and the page that is made from it

mod edges;
mod record;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use kilter_base::Name;
use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_follow::demander::Demander;
use kilter_follow::search::{Reason, Told, Trouble};
use kilter_follow::why::{Expected, Wrong};
use kilter_follow::{Lines, Options, Outcome, Problem, Progress, Reader, Verdict, follow};
use kilter_mapping::follow::Order;
use kilter_run::files::{NotWritten, Replacing};
use kilter_run::lock::Lock;
use kilter_value::Store;

use self::edges::Walk;
use self::record::Recorded;
use crate::error::{AnyError, Context as _, Error, FINDINGS, FINE, INTERRUPTED, NOT_RUNNABLE, Tried};
use crate::graphs;
use crate::host::{Host, Watch};
use crate::itf::Stream;
use crate::outside::Access;
use crate::prepare::{Prepared, prepare_to_follow};
use crate::reports::PAGE;
use crate::run::Ended;
use crate::shell::quoted;
use crate::show::follow::Followed;

/// How often a file that may grow is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// At least this many steps are drawn.
const STEPS_DRAWN: usize = 20;
/// A pipe is read in chunks of this size, and so many of them ahead.
const CHUNK_BYTES: usize = 1 << 16;
const CHUNKS_AHEAD: usize = 16;
/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Which logs are followed, and how.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct FollowOptions {
    /// The mapping, if it is not kilter.toml, and the log: one file or several, or - for standard input
    #[cfg_attr(feature = "clap", arg(value_name = "kilter.toml | LOG", required = true))]
    pub paths: Vec<PathBuf>,
    /// Go on when a file ends, and read what is written to it from now on; Ctrl-C ends it
    #[cfg_attr(feature = "clap", arg(long))]
    pub live: bool,
    /// Count lines that can't be read, and leave them out
    #[cfg_attr(feature = "clap", arg(long))]
    pub lenient: bool,
    /// Do not check the INVARIANTs of the configuration
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_invariants: bool,
    /// Give up after this many tries without getting further
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Options::default().effort_max))]
    pub effort_max: u64,
    /// The most states to come back to; with more, the oldest are forgotten
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Options::default().alternatives_max))]
    pub alternatives_max: usize,
    /// Show this many steps before the line that is rejected
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 5))]
    pub steps: usize,
    /// Show all variables in every state, not only what changed
    #[cfg_attr(feature = "clap", arg(long))]
    pub full_trace: bool,
    /// Write a record of what the log shows, and a page, to this folder; `kilter report` merges several
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub report: Option<PathBuf>,
    /// Count the edges that the log shows of this state graph, which `kilter check --graph` has made
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub graph: Option<PathBuf>,
    /// Write the whole behavior that was found to this file, in the Informal Trace Format
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub itf: Option<PathBuf>,
    /// Write the behavior to this file, with the step that the specification expects where the log is rejected; `kilter test
    /// --behavior FILE` plays it
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", conflicts_with = "itf"))]
    pub case: Option<PathBuf>,
    /// Let the specification run programs, write files and read any file (IOExec, Serialize, CSVWrite and their like)
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_io: bool,
}

impl FollowOptions {
    /// The usual options for these files.
    pub fn of<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> FollowOptions {
        let Options { effort_max, alternatives_max, .. } = Options::default();
        FollowOptions {
            paths: paths.into_iter().map(Into::into).collect(),
            live: false,
            lenient: false,
            no_invariants: false,
            effort_max,
            alternatives_max,
            steps: 5,
            full_trace: false,
            report: None,
            graph: None,
            itf: None,
            case: None,
            allow_io: false,
        }
    }

    /// The mapping, and the files of the log.
    fn split(&self) -> Tried<(PathBuf, Vec<PathBuf>)> {
        let is_mapping = |path: &Path| {
            path.extension().is_some_and(|ending| ending == "toml") || path.join("kilter.toml").exists()
        };
        let (mappings, logs): (Vec<PathBuf>, Vec<PathBuf>) =
            self.paths.iter().cloned().partition(|path| is_mapping(path));
        match (mappings.as_slice(), logs.is_empty()) {
            ([_, _, ..], _) => Err("only one mapping can be used at a time".into()),
            (_, true) => Err("no log is named; name a file, or - for standard input".into()),
            ([], _) => Ok((PathBuf::from("kilter.toml"), logs)),
            ([mapping], _) => Ok((mapping.clone(), logs)),
        }
    }

    fn access(&self) -> Access {
        if self.allow_io { Access::Everything } else { Access::OwnFolder }
    }
}

/// Follows a log.
pub fn run(options: &FollowOptions, host: &mut Host) -> Result<Ended, Error> {
    memory::with_stack(DEEP_STACK_BYTES, |_| Ok(run_here(options, host)?))
}

fn run_here(options: &FollowOptions, host: &mut Host) -> Tried<Ended> {
    let (mapping, logs) = options.split()?;
    let store = Store::new();
    let (prepared, questions) =
        prepare_to_follow(&mapping, options.access(), &store).map_err(|problems| *problems)?;
    let _lock = options.report.as_ref().map(|folder| Lock::folder(folder, "--report")).transpose()?;
    let walk = options.graph.as_ref().map(|path| walk_in(path, &prepared, &store)).transpose()?;
    let itf_path = options.itf.as_ref().or(options.case.as_ref());
    let itf = itf_path.map(|path| begin_itf(path, &prepared)).transpose()?;
    let stop = host.signals.flag();
    let readers = logs.iter().map(|log| open(log, options.live, &stop)).collect::<Tried<Vec<Reader>>>()?;
    let demander = Demander::new(&prepared.mapping, &prepared.program);
    let mut lines = Lines::new(readers, demander, prepared.mapping.follow.order, options.lenient);
    lines.are_live = options.live;
    let search = Options {
        effort_max: options.effort_max,
        alternatives_max: options.alternatives_max,
        history: if options.report.is_some() { options.steps.max(STEPS_DRAWN) } else { options.steps.max(1) },
        tells_all: itf_path.is_some(),
        invariants: !options.no_invariants,
        ..Options::default()
    };
    let started = Instant::now();
    let patience = host.signals.patience();
    let mut progress =
        Watched { watch: &mut *host.watch, stop, started, live: options.live, walk, itf: Ok(itf) };
    let asked = questions.as_ref().map(|questions| &questions.program);
    let outcome =
        follow(&prepared.program, asked, &store, &prepared.mapping, &mut lines, &search, &mut progress);
    drop(patience);
    let Watched { walk, itf, .. } = progress;
    host.watch.ended();
    let outcome = outcome.map_err(|trouble| match &trouble {
        Trouble::Evaluation(error, line) => {
            let place = error.span.map(|span| format!(" ({})", prepared.loaded.sources.place(span)));
            let has_no_end = error.message.contains("infinite");
            let advice =
                if has_no_end { "; log the arguments of the event, or name a smaller set" } else { "" };
            let message = format!("{}{}{advice}", error.message, place.unwrap_or_default());
            match *line {
                Some((file, line)) => Problem { file: lines.name(file).to_owned(), line, message }.into(),
                None => message.into(),
            }
        }
        Trouble::Line(problem) => Box::new(problem.clone()) as AnyError,
        Trouble::NoInitialState => Box::new(trouble),
    })?;
    if lines.n_demands == 0 && !options.live {
        let why = match (outcome.lines, lines.left_out.0) {
            (0, _) => "the log is empty".to_owned(),
            (read, 0) => format!("none of {read} lines counts; look at `only` and `skip` in [follow]"),
            (read, left_out) => format!("none of {read} lines counts: {left_out} could not be read"),
        };
        return Err(why.into());
    }
    if lines.n_ordered == 0 && lines.n_demands > 0 && logs.len() > 1 {
        let (what, keys) = match prepared.mapping.follow.order {
            Order::Time => ("time", "`start` and `end`"),
            _ => ("clock", "`clock`"),
        };
        return Err(format!(
            "[follow] says `order = \"{what}\"`, and no line has a {what}; name the field that has it ({keys}), or leave `order` out"
        )
        .into());
    }
    let followed = Followed {
        outcome: &outcome,
        prepared: &prepared,
        questions: questions.as_ref(),
        lines: &lines,
        seconds: started.elapsed().as_secs_f64(),
        steps: options.steps,
        full: options.full_trace,
        live: options.live,
        edges: walk.as_ref().map(Walk::walked),
    };
    let (mut text, mut json) = (followed.text(), followed.json());
    if let (Some(path), Some(itf)) = (itf_path, itf.transpose()) {
        let expected = options.case.as_ref().map(|_| expected(&outcome)).unwrap_or_default();
        let add_expected = |mut itf: Stream<Replacing>| {
            for Expected { action, args, row } in expected {
                let args = args.iter().map(|(name, value)| (Name::from(name.as_str()), *value)).collect();
                itf.add(&Some((Name::from(action.as_str()), args)), row, &outcome.store)?;
            }
            itf.end()
        };
        let written = itf.and_then(add_expected).map_err(NotWritten::of(path))?;
        written.end()?;
    }
    if let Some(path) = &options.case {
        let system = &prepared.mapping.system;
        if system.command().is_empty() && system.world().is_none() {
            text.push_str("to play it, say in [system] how a node is started (`command`); then it is\n  ");
        } else {
            text.push_str("to play it: ");
        }
        let program = &host.program;
        let _ = writeln!(text, "{program} test {} --behavior {}", quoted(&mapping), quoted(path));
    }
    if let Some(folder) = &options.report {
        let recorded = Recorded {
            followed: &followed,
            log: logs.iter().map(|log| log.display().to_string()).collect::<Vec<_>>().join(" "),
            config: mapping.display().to_string(),
            repeat: repeat_line(&host.program, &mapping, &logs),
            walk: walk.as_ref(),
        };
        recorded.write(folder)?;
        let _ = writeln!(text, "report: {}", folder.join(PAGE).display());
        json["report"] = folder.display().to_string().into();
    }
    Ok(Ended::Said { text, json, code: code(&outcome, options.live) })
}

/// The steps that the specification expects where a log is rejected: the nearest to what the line says.
fn expected(outcome: &Outcome) -> &[Expected] {
    let Verdict::Rejected(stuck) = &outcome.verdict else { return &[] };
    match stuck.iter().find(|one| !one.waits()).and_then(|one| one.why.first()).map(|why| &why.wrong) {
        Some(Wrong::After(_, steps)) => steps,
        _ => &[],
    }
}

/// The command line that follows the log again.
fn repeat_line(program: &str, mapping: &Path, logs: &[PathBuf]) -> String {
    let words = std::iter::once(mapping).chain(logs.iter().map(PathBuf::as_path)).map(quoted);
    format!("{program} follow {}", words.collect::<Vec<_>>().join(" "))
}

/// Reads a graph, to count the edges that are walked.
fn walk_in(path: &Path, prepared: &Prepared, store: &Store) -> Tried<Walk> {
    let graph = graphs::load(path)?;
    Walk::new(graph, &prepared.program, store).with_context(|| path.display().to_string())
}

/// The exit code. A log that is followed live has no end of its own, so Ctrl-C is one.
fn code(outcome: &Outcome, live: bool) -> u8 {
    match &outcome.verdict {
        Verdict::Accepted => FINE,
        Verdict::Undecided(Reason::Interrupted, _) if live => FINE,
        Verdict::Undecided(Reason::Interrupted, _) => INTERRUPTED,
        Verdict::Rejected(_) => FINDINGS,
        Verdict::Undecided(..) => NOT_RUNNABLE,
    }
}

fn begin_itf(path: &Path, prepared: &Prepared) -> Tried<Stream<Replacing>> {
    let (program, source) = (&prepared.program, prepared.input.spec.display().to_string());
    let picks = program.actions.iter().flat_map(|action| action.args.iter().map(|(name, _)| name.clone()));
    let begun = Stream::begin(Replacing::begin(path)?, &program.variables, picks.collect(), &source);
    Ok(begun.map_err(NotWritten::of(path))?)
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

#[expect(clippy::disallowed_methods, reason = "`-` is standard input for every program that reads logs")]
fn open(path: &Path, live: bool, stop: &Arc<AtomicBool>) -> Tried<Reader> {
    if is_standard_input(path) {
        return Ok(Reader {
            name: "standard input".to_owned(),
            input: Box::new(BufReader::new(Piped::new(io::stdin(), live, stop))),
        });
    }
    let cannot = |error: io::Error| format!("the log {} cannot be read: {error}", path.display());
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(format!("{} is a folder; name the files of the log", path.display()).into());
    }
    let name = path.display().to_string();
    let input: Box<dyn BufRead + Send> = if live {
        Box::new(BufReader::new(Growing(file)))
    } else {
        Box::new(BufReader::with_capacity(1 << 16, file))
    };
    Ok(Reader { name, input })
}

/// A file that is still written. It has no end of its own: at the end of what is written, reading would block.
struct Growing(File);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            n => Ok(n),
        }
    }
}

/// A pipe that can be left while nobody writes to it. It is read in a thread of its own.
struct Piped {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// What is not read yet of the last chunk.
    left: Cursor<Vec<u8>>,
    live: bool,
    stop: Arc<AtomicBool>,
}

impl Piped {
    fn new(mut pipe: impl Read + Send + 'static, live: bool, stop: &Arc<AtomicBool>) -> Piped {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_AHEAD);
        thread::spawn(move || {
            let mut chunk = vec![0; CHUNK_BYTES];
            loop {
                let read = pipe.read(&mut chunk).map(|n| chunk[..n].to_vec());
                let is_over = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || is_over {
                    return;
                }
            }
        });
        Piped { chunks, left: Cursor::default(), live, stop: Arc::clone(stop) }
    }
}

impl Read for Piped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.left.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            match self.chunks.recv_timeout(LOOK_AGAIN) {
                Ok(chunk) => {
                    let chunk = chunk?;
                    if chunk.is_empty() {
                        return Ok(0);
                    }
                    self.left = Cursor::new(chunk);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if self.live => return Err(io::ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::SeqCst) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Tells somebody how far the search is.
struct Watched<'w> {
    watch: &'w mut dyn Watch,
    stop: Arc<AtomicBool>,
    started: Instant,
    live: bool,
    walk: Option<Walk>,
    /// The behavior on its way to a file, or why it could not be written.
    itf: io::Result<Option<Stream<Replacing>>>,
}

impl Progress for Watched<'_> {
    fn report(&mut self, lines: u64, states: usize) {
        self.watch.following(lines, states, self.started.elapsed());
    }

    fn wait(&mut self) -> bool {
        thread::sleep(LOOK_AGAIN);
        !self.stop.load(Ordering::SeqCst)
    }

    fn is_interrupted(&self) -> bool {
        // A live log ends at the signal, and what was read of it is still looked at.
        !self.live && self.stop.load(Ordering::SeqCst)
    }

    fn settled(&mut self, state: &Told, store: &Store) {
        if let Some(walk) = &mut self.walk {
            walk.go(state);
        }
        if let Ok(Some(itf)) = &mut self.itf
            && let Err(error) = itf.add(&state.action, &state.row, store)
        {
            self.itf = Err(error);
        }
    }
}
