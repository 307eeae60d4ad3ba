//! `kilter simulate`

use std::time::{Duration, Instant};

use kilter::host::Searching;
use kilter::load::load;
use kilter::program::Terminal;
use kilter::signals::Signals;
use kilter::units;
use kilter_check::simulate::{Walks, simulate};
use kilter_check::{Limit, Limits, Options, Outcome, Verdict};
use kilter_value::Store;

use super::answer::{self, Answer};
use super::shared::{InputArgs, OutputArgs};
use crate::render::plural;

/// `kilter simulate`
#[derive(clap::Args, Clone, Debug)]
pub struct SimulateArgs {
    /// Where the specification is.
    #[command(flatten)]
    pub input: InputArgs,
    /// How many behaviors to try
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub behaviors: u64,
    /// How many states a behavior has at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Another seed, other behaviors
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Do not report states without successors
    #[arg(long)]
    pub no_deadlock: bool,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::some_time)]
    pub time_max: Option<Duration>,
    /// How results are shown.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Checks random behaviors of a specification.
pub fn run(args: &SimulateArgs, signals: &Signals) -> anyhow::Result<u8> {
    let store = Store::new();
    let loaded = match load(&(&args.input).into(), &store) {
        Ok(loaded) => loaded,
        Err(refusal) => return answer::refuse(&refusal, args.output.answer.json),
    };
    let program = loaded.compile(&store);
    let mut terminal = Terminal::new(args.output.answer);
    let mut progress = Searching::new(&mut terminal, signals);
    let patience = signals.patience();
    let options = Options {
        limits: Limits { time_max: args.time_max, ..Limits::default() },
        check_deadlock: args.no_deadlock.then_some(false),
        seed: args.seed,
        ..Options::default()
    };
    let walks = Walks { behaviors_max: args.behaviors, depth_max: args.depth };
    let started = Instant::now();
    let outcome = simulate(&program, &store, &options, &walks, &mut progress);
    drop(patience);
    progress.end()?;
    let finished = matches!(outcome.verdict, Verdict::Bounded(Limit::States));
    Answer {
        spec: &args.input.spec,
        loaded: &loaded,
        program: &program,
        store: &store,
        outcome: &outcome,
        keep_going: false,
        why: None,
        random: true,
        seconds: started.elapsed().as_secs_f64(),
        note: finished.then(|| note(args, &outcome)),
        repeat: repeat(args),
        go_on: String::new(),
    }
    .give(&args.output)
}

/// What a simulation that went through to its end can say.
fn note(args: &SimulateArgs, outcome: &Outcome) -> String {
    if outcome.counts.generated == 0 {
        return "there is no behavior to try".to_owned();
    }
    let behaviors = plural(args.behaviors, "random behavior");
    let states = plural(args.depth.into(), "state");
    format!("nothing wrong was found in {behaviors} of at most {states}; this is no proof")
}

/// The command line that repeats the simulation.
fn repeat(args: &SimulateArgs) -> String {
    let mut words = args.input.repeat("simulate");
    words.extend(args.no_deadlock.then(|| "--no-deadlock".to_owned()));
    words.push(format!("--behaviors {} --depth {} --seed {}", args.behaviors, args.depth, args.seed));
    words.join(" ")
}
