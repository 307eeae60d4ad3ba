//! `kilter simulate`

use std::time::Instant;

use kilter::load::load;
use kilter_check::simulate::{Walks, simulate};
use kilter_check::{Limit, Limits, Options, Verdict};
use kilter_value::Store;

use super::answer::{self, Answer};
use super::repeat;
use crate::args::SimulateArgs;
use crate::progress::Line;
use crate::render::plural;
use crate::rim::Signals;

/// Checks random behaviors of a specification.
pub fn run(args: &SimulateArgs, signals: &Signals) -> anyhow::Result<u8> {
    let store = Store::new();
    let loaded = match load(&(&args.input).into(), &store) {
        Ok(loaded) => loaded,
        Err(refusal) => return answer::refuse(&refusal, args.output.json),
    };
    let program = loaded.compile(&store);
    let mut progress = Line::new(args.output.json, signals)?;
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
    progress.clear();
    progress.check()?;
    let finished = matches!(outcome.verdict, Verdict::Bounded(Limit::States));
    Answer {
        spec: &args.input.spec,
        loaded: &loaded,
        program: &program,
        store: &store,
        outcome: &outcome,
        random: true,
        seconds: started.elapsed().as_secs_f64(),
        note: finished.then(|| format!("nothing wrong was found in {}; this is no proof", behaviors(args))),
        repeat: repeat::simulate(args),
    }
    .give(&args.output)
}

fn behaviors(args: &SimulateArgs) -> String {
    format!("{} of at most {}", plural(args.behaviors, "random behavior"), plural(args.depth.into(), "state"))
}
