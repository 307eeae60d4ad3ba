//! `kilter converge`: checks whether the replicas of a store agree again.

use std::time::Instant;

use kilter::Worlds;
use kilter::converge::{self, ConvergeOptions};
use kilter::error::OutputLost;
use kilter::program::{AnswerArgs, answer, host, rim};
use kilter::run::Ended;
use kilter::signals::Signals;
use serde_json::json;

use crate::render::count;

/// `kilter converge`
#[derive(clap::Args, Clone, Debug)]
pub struct ConvergeArgs {
    /// Which store is driven apart, and how.
    #[command(flatten)]
    pub options: ConvergeOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Lists or plays schedules, and prints errors of the input or of the system. Returns the exit code.
pub fn run(args: &ConvergeArgs, signals: &Signals) -> anyhow::Result<u8> {
    if args.options.run.list {
        return list(args);
    }
    let ran = converge::run(&args.options, &mut host(Worlds::default(), signals, args.answer));
    Ok(answer(ran.map(Ended::from), args.answer.json)?)
}

fn list(args: &ConvergeArgs) -> anyhow::Result<u8> {
    let started = Instant::now();
    let mut printed: Result<(), OutputLost> = Ok(());
    let mut each = |number: u64, schedule: &str| {
        printed = rim::print(&format!("{number}  {schedule}\n"));
        printed.is_ok()
    };
    let listed = converge::list(&args.options, if args.answer.json { None } else { Some(&mut each) });
    printed?;
    let said = listed.map(|n_schedules| {
        let seconds = started.elapsed().as_secs_f64();
        if !args.answer.json {
            rim::say(&format!("{} schedules in {seconds:.1} s\n", count(n_schedules)));
        }
        let json = json!({ "planned": n_schedules, "schedules": n_schedules, "run": 0, "findings": [], "seconds": seconds });
        Ended::Said { text: String::new(), json, code: 0 }
    });
    Ok(answer(said, args.answer.json)?)
}
