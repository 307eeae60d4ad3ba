//! `kilter check`

use std::time::Instant;

use kilter::load::{Input, load};
use kilter_check::{Limits, Options};
use kilter_value::Store;

use super::answer::{self, Answer};
use super::repeat;
use crate::args::CheckArgs;
use crate::progress::Line;
use crate::rim::{self, Signals};
use kilter_check::state_graph::from_search;
use kilter_run::files;

/// Checks all states of a specification.
pub fn run(args: &CheckArgs, signals: &Signals) -> anyhow::Result<u8> {
    let store = Store::new();
    let input = Input::from(&args.input);
    let loaded = match load(&input, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => return answer::refuse(&refusal, args.output.json),
    };
    if let Some(path) = &args.graph {
        // Nobody should learn after hours of searching that the folder does not exist.
        files::try_out(path)?;
    }
    let program = loaded.compile(&store);
    let mut progress = Line::new(args.output.json, signals)?;
    let patience = signals.patience();
    let started = Instant::now();
    let outcome = kilter_check::run(&program, &store, &options(args), &mut progress);
    drop(patience);
    progress.clear();
    progress.check()?;
    let seconds = started.elapsed().as_secs_f64();
    let answer = Answer {
        spec: &args.input.spec,
        loaded: &loaded,
        program: &program,
        store: &store,
        outcome: &outcome,
        random: false,
        seconds,
        note: None,
        repeat: repeat::check(args),
    };
    let given = answer.give(&args.output);
    // The verdict does not depend on the graph, nor the graph on who reads the verdict.
    if let Some(path) = &args.graph
        && let Some(graph) = from_search(&program, &store, &outcome, &loaded.sources, &input.config_path())
    {
        super::graph::save(&graph, path)?;
    }
    given
}

fn options(args: &CheckArgs) -> Options {
    Options {
        workers: args.workers,
        limits: Limits::from(&args.limits),
        check_deadlock: args.no_deadlock.then_some(false),
        graph: args.graph.is_some(),
        seed: args.seed,
        usage: rim::usage,
        ..Options::default()
    }
}
