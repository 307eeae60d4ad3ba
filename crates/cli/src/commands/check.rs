//! `kilter check`

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Instant;

use kilter::host::Searching;
use kilter::load::{Input, load};
use kilter::models::Checked;
use kilter::program::{self, Terminal, rim};
use kilter::signals::Signals;
use kilter::{disk, graphs, hosts, resources};
use kilter_check::state_graph::from_search;
use kilter_check::{Limits, Options, Part};
use kilter_run::files;
use kilter_value::Store;

use super::answer::{self, Answer};
use super::disk::DiskArgs;
use super::hosts::{self as shared_search, HostsArgs};
use super::models::{self, ModelsArgs};
use super::shared::{InputArgs, LimitArgs, OutputArgs};
use kilter::why::Question;

const WORKERS_MAX: usize = 256;

/// `kilter check`
#[derive(clap::Args, Clone, Debug)]
pub struct CheckArgs {
    /// Where the specification is.
    #[command(flatten)]
    pub input: InputArgs,
    /// More of them: with several specifications, configurations (FILE.cfg) or folders, all are checked
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// Number of threads, or `auto` for all cores; counts, verdicts and traces do not depend on it
    #[arg(long, short, default_value = "auto", value_name = "N", value_parser = workers)]
    pub workers: usize,
    /// Do not report states without successors
    #[arg(long)]
    pub no_deadlock: bool,
    /// Go on after a violation, and show the first one of each property
    #[arg(long = "continue")]
    pub keep_going: bool,
    /// Say why an action is not enabled in a state of the trace, such as Send@7 or 'Send(n1, n2)@7'
    #[arg(long, value_name = "ACTION@STATE")]
    pub why: Option<Question>,
    /// Keep all states and transitions in this file
    #[arg(long, value_name = "OUT")]
    pub graph: Option<PathBuf>,
    /// The seed of random choices in the specification
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// How results are shown.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Where to stop.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Where states go that do not fit into memory.
    #[command(flatten)]
    pub disk: DiskArgs,
    /// The other processes of the search.
    #[command(flatten)]
    pub hosts: HostsArgs,
    /// What only matters for many models.
    #[command(flatten)]
    pub models: ModelsArgs,
}

impl CheckArgs {
    /// Whether there is more to check than one specification.
    fn are_many(&self) -> bool {
        let first = &self.input.spec;
        !self.more.is_empty() || first.is_dir() || first.extension().is_some_and(|ending| ending == "cfg")
    }

    /// The first option that makes no sense for what is to be checked.
    fn unfitting(&self) -> Option<String> {
        if !self.are_many() {
            let option = self.models.first()?;
            return Some(format!("{option} is for several configurations or a folder of them"));
        }
        let alone = [
            (self.input.config.is_some(), "--config"),
            (self.graph.is_some(), "--graph"),
            (self.disk.disk.is_some(), "--disk"),
            (self.hosts.hosts.is_some(), "--hosts"),
            (self.keep_going, "--continue"),
            (self.why.is_some(), "--why"),
            (self.output.itf.is_some(), "--itf"),
            (self.output.full_trace, "--full-trace"),
        ];
        let (_, option) = alone.into_iter().find(|(is_given, _)| *is_given)?;
        Some(format!("{option} is for one specification alone"))
    }
}

fn workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=WORKERS_MAX) => Ok(n),
        _ if text == "auto" => Ok(all_cores()),
        _ => Err(format!("`auto` or a number from 1 to {WORKERS_MAX} is expected")),
    }
}

/// The number of cores that this process may use.
fn all_cores() -> usize {
    available_parallelism().map_or(1, NonZero::get).min(WORKERS_MAX)
}

/// Checks all states of a specification.
pub fn run(args: &CheckArgs, signals: &Signals) -> anyhow::Result<u8> {
    if let Some(why) = args.unfitting() {
        return Ok(program::refuse(kilter::Error::Input(why.into()), args.output.answer.json)?);
    }
    if args.are_many() {
        let paths: Vec<PathBuf> = [&args.input.spec].into_iter().chain(&args.more).cloned().collect();
        let request = models::Request {
            paths: &paths,
            library: &args.input.library,
            access: args.input.io.access(),
            options: options(args),
            models: &args.models,
            alone: &|checked| repeat(&alone(args, checked)),
            answer: args.output.answer,
        };
        return models::run(request, signals);
    }
    let store = Store::new();
    let input = Input::from(&args.input);
    let loaded = match load(&input, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => return answer::refuse(&refusal, args.output.answer.json),
    };
    if let Some(path) = &args.graph {
        // The user should not learn only after hours of searching that the folder does not exist.
        files::try_out(path)?;
    }
    let program = loaded.compile(&store);
    let mut terminal = Terminal::new(args.output.answer);
    let mut progress = Searching::new(&mut terminal, signals);
    let patience = signals.patience();
    let started = Instant::now();
    let options = options(args);
    let found = match (&args.disk.disk, args.hosts.given()) {
        (None, None) => Ok(Part::First(kilter_check::run(&program, &store, &options, &mut progress))),
        (Some(folder), None) => {
            let (recover, every) = (args.disk.recover, args.disk.checkpoint_every());
            disk::open(folder, recover, every, &loaded, &options).and_then(|on| {
                kilter_check::run_on_disk(&program, &store, &options, &on, &mut progress)
                    .map(Part::First)
                    .map_err(|unfit| disk::refused(&unfit, folder, args.disk.option()))
            })
        }
        (folder, Some((file, me))) => {
            let (recover, every) = (args.disk.recover, args.disk.checkpoint_every());
            let on = folder.as_ref().map(|folder| disk::open(folder, recover, every, &loaded, &options));
            on.transpose().and_then(|on| {
                let (loaded, program, store, options) = (&loaded, &program, &store, &options);
                let (patience, disk) = (args.hosts.hosts_wait, on.as_ref());
                let shared = hosts::Shared { file, me, patience, loaded, program, store, options, disk };
                shared.search(signals, &mut rim::say, &mut progress)
            })
        }
    };
    drop(patience);
    progress.end()?;
    let outcome = match found {
        Ok(Part::First(outcome)) => outcome,
        Ok(Part::Other(share)) => {
            return shared_search::told(args.hosts.host.unwrap_or_default(), &share, args.output.answer.json);
        }
        Err(error) => return Ok(program::refuse(error, args.output.answer.json)?),
    };
    let seconds = started.elapsed().as_secs_f64();
    let answer = Answer {
        spec: &args.input.spec,
        loaded: &loaded,
        program: &program,
        store: &store,
        outcome: &outcome,
        keep_going: args.keep_going,
        why: args.why.as_ref(),
        random: false,
        seconds,
        note: None,
        repeat: repeat(args),
        go_on: repeat(args) + &args.disk.to_go_on(),
    };
    let given = answer.give(&args.output);
    // The graph is saved even if the verdict could not be printed.
    if let Some(path) = &args.graph
        && let Some(graph) = from_search(&program, &store, &outcome, &loaded.sources, &input.config_path())
    {
        graphs::save(&graph, path)?;
    }
    given
}

fn options(args: &CheckArgs) -> Options {
    Options {
        workers: args.workers,
        limits: Limits {
            // States on disk leave the memory when it gets full, so there must be a limit.
            memory_max_bytes: args.limits.memory_max.as_ref().map(|bytes| bytes.value).or_else(|| {
                args.disk.disk.as_ref().and_then(|_| resources::memory_bytes()).map(|all| all / 2)
            }),
            ..Limits::from(&args.limits)
        },
        check_deadlock: args.no_deadlock.then_some(false),
        keep_going: args.keep_going,
        graph: args.graph.is_some(),
        seed: args.seed,
        usage: resources::usage,
        ..Options::default()
    }
}

/// The arguments that check one of several models alone.
fn alone(args: &CheckArgs, checked: &Checked) -> CheckArgs {
    let config = PathBuf::from(&checked.name);
    let config = (config != checked.spec).then_some(config);
    let input = InputArgs { spec: checked.spec.clone(), config, ..args.input.clone() };
    CheckArgs { input, ..args.clone() }
}

/// The command line that repeats the search, with all options on which the result depends.
fn repeat(args: &CheckArgs) -> String {
    let mut words = args.input.repeat("check");
    words.extend(args.no_deadlock.then(|| "--no-deadlock".to_owned()));
    words.extend(args.keep_going.then(|| "--continue".to_owned()));
    words.extend((args.seed != 0).then(|| format!("--seed {}", args.seed)));
    // These limits decide on which states temporal properties are checked. The time limit is left out, because nothing
    // is checked when the time is over.
    let limits = &args.limits;
    words.extend(limits.states_max.map(|states| format!("--states-max {states}")));
    words.extend(limits.depth_max.map(|depth| format!("--depth-max {depth}")));
    words.extend(limits.memory_max.as_ref().map(|bytes| format!("--memory-max {bytes}")));
    words.extend(args.hosts.repeat());
    // In memory alone, the same limit may be reached before the same end.
    words.extend(args.disk.repeat());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{CheckArgs, repeat};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        check: CheckArgs,
    }

    #[test]
    fn what_decides_about_the_verdict_is_repeated() {
        let repeated = |line: &str| {
            let words = line.strip_prefix("kilter check").expect("it is one").split(' ');
            repeat(&Line::parse_from(words).check)
        };
        let same = "kilter check M.tla --config N.cfg --no-deadlock --continue --seed 3 --states-max 10 --depth-max 4 --memory-max 1000";
        assert_eq!(repeated(same), same);
        let on_disk = "kilter check M.tla --memory-max 1000 --disk states";
        assert_eq!(repeated(&format!("{on_disk} --checkpoint 1m")), on_disk);
        let shared = "kilter check M.tla --no-deadlock --hosts hosts --host 2";
        assert_eq!(repeated(shared), shared);
        assert_eq!(
            repeated("kilter check M.tla --json --workers 2 --memory-max 1kB"),
            "kilter check M.tla --memory-max 1kB"
        );
    }
}
