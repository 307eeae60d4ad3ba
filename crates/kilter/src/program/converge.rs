//! `converge` on a command line.

use std::time::Instant;

use kilter_report::style::count;
use serde_json::json;

use super::{AnswerArgs, answer, host, rim};
use crate::converge::{self, ConvergeOptions};
use crate::error::{Error, OutputLost};
use crate::run::Ended;
use crate::signals::Signals;
use crate::worlds::Worlds;

/// `converge` on a command line.
#[derive(clap::Args, Clone, Debug)]
pub struct ConvergeArgs {
    /// What is driven apart, and how.
    #[command(flatten)]
    pub options: ConvergeOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Lists or plays schedules, and prints the result. Returns the exit code.
pub fn converge(args: &ConvergeArgs, worlds: Worlds, signals: &Signals) -> Result<u8, Error> {
    if args.options.run.list {
        return list(args);
    }
    let ran = converge::run(&args.options, &mut host(worlds, signals, args.answer));
    answer(ran.map(Ended::from), args.answer.json)
}

fn list(args: &ConvergeArgs) -> Result<u8, Error> {
    let started = Instant::now();
    let mut printed: Result<(), OutputLost> = Ok(());
    let mut each = |number: u64, schedule: &str| {
        printed = rim::print(&format!("{number}  {schedule}\n"));
        printed.is_ok()
    };
    let listed = converge::list(&args.options, if args.answer.json { None } else { Some(&mut each) });
    printed.map_err(|lost| Error::Lost(lost.into()))?;
    let said = listed.map(|n_schedules| {
        let seconds = started.elapsed().as_secs_f64();
        if !args.answer.json {
            rim::say(&format!("{} schedules in {seconds:.1} s\n", count(n_schedules)));
        }
        let json = json!({ "planned": n_schedules, "schedules": n_schedules, "run": 0, "findings": [], "seconds": seconds });
        Ended::Said { text: String::new(), json, code: 0 }
    });
    answer(said, args.answer.json)
}
