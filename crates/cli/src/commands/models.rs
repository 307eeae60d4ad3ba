//! `kilter check` with configurations and folders: checks many models, with one table for all of them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kilter::error::OutputLost;
use kilter::models::{self, Checked, How, NOT_RUN};
use kilter::outside::Access;
use kilter::program::{self, AnswerArgs, rim};
use kilter::signals::Signals;
use kilter::units;
use kilter::worlds::Worlds;
use kilter_run::files;
use serde_json::{Value as Json, json};

use super::ours;
use crate::render::{BAD, DOUBT, FAINT, GOOD, count, paint, plural};

/// What only matters for many models.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Many configurations")]
pub struct ModelsArgs {
    /// The time for all of them together, such as 10m; those that come too late are not checked
    #[arg(long, value_name = "TIME", value_parser = units::some_time)]
    pub budget: Option<Duration>,
    /// Write the results to this file, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Where results are kept, to be reused if nothing has changed [default: .kilter]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Check everything again, and keep no results
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
}

impl ModelsArgs {
    /// The first of these options that is given.
    pub fn first(&self) -> Option<&'static str> {
        let given = [
            (self.budget.is_some(), "--budget"),
            (self.junit.is_some(), "--junit"),
            (self.cache.is_some(), "--cache"),
            (self.no_cache, "--no-cache"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

/// The files that are named, and how to answer.
pub struct Request<'r> {
    /// Configurations and folders.
    pub paths: &'r [PathBuf],
    /// Further folders with modules.
    pub library: &'r [PathBuf],
    /// What specifications may do with files and programs.
    pub access: Access,
    /// The options of each search.
    pub options: kilter_check::Options,
    /// What only matters for many models.
    pub models: &'r ModelsArgs,
    /// The command line that checks one of the models alone.
    pub alone: &'r dyn Fn(&Checked) -> String,
    /// How the answer is given.
    pub answer: AnswerArgs,
}

/// Checks all models. Returns the exit code of the first one that is not fine.
pub fn run(request: Request<'_>, signals: &Signals) -> anyhow::Result<u8> {
    let Request { paths, library, access, options, models: args, alone, answer } = request;
    let found = match models::find(paths, library, access) {
        Ok(found) => found,
        Err(error) => return Ok(program::refuse(ours(error.into()), answer.json)?),
    };
    if let Some(path) = &args.junit {
        files::try_out(path)?;
    }
    let cache = args.cache.clone().unwrap_or_else(|| PathBuf::from(".kilter"));
    let how = How { options, budget: args.budget, cache: (!args.no_cache).then_some(cache) };
    let started = Instant::now();
    let mut each = |checked: &Checked| if answer.json { Ok(()) } else { row(checked, alone) };
    let all =
        models::check_all(&found, &how, &mut program::host(Worlds::default(), signals, answer), &mut each)?;
    let seconds = started.elapsed().as_secs_f64();
    if answer.json {
        rim::print(&format!("{}\n", to_json(&all, seconds)))?;
    } else {
        rim::print(&total(&all, seconds))?;
    }
    if let Some(path) = &args.junit {
        files::replace(path, models::junit(&all, seconds))?;
    }
    Ok(models::exit_code(&all))
}

/// Prints a line of the table. Below it, if something is wrong, what it is, and the command that shows the trace.
fn row(checked: &Checked, alone: &dyn Fn(&Checked) -> String) -> Result<(), OutputLost> {
    let style = match checked.verdict.as_str() {
        "ok" => GOOD,
        "bounded" | NOT_RUN => DOUBT,
        _ => BAD,
    };
    let word = paint(style, format!("{:10}", checked.verdict));
    let (states, depth) = (count(checked.distinct_states), checked.depth);
    let time = if checked.reused { "reused".to_owned() } else { format!("{:.1} s", checked.seconds) };
    let why = match checked.verdict.as_str() {
        "ok" => String::new(),
        _ => format!("\n{:12}{}", "", paint(FAINT, checked.message.replace('\n', "\n            "))),
    };
    let repeat = if is_violated(checked) { format!("\n{:12}{}", "", alone(checked)) } else { String::new() };
    let warning = |text: &String| format!("\n{:12}{}: {text}", "", paint(DOUBT, "warning"));
    let warnings: String = checked.warnings.iter().map(warning).collect();
    let noun = if checked.distinct_states == 1 { "state " } else { "states" };
    rim::print(&format!(
        "{word}  {states:>12} {noun}  depth {depth:>4}  {time:>9}  {}{why}{repeat}{warnings}\n",
        checked.name
    ))
}

/// Whether the model was searched and something is wrong, by TLC's exit codes.
fn is_violated(checked: &Checked) -> bool {
    (10..=75).contains(&checked.exit_code)
}

/// The last line: how many models have each verdict.
fn total(all: &[Checked], seconds: f64) -> String {
    let mut words: Vec<(&str, u64)> = Vec::new();
    for checked in all {
        match words.iter_mut().find(|(word, _)| *word == checked.verdict) {
            Some((_, n)) => *n += 1,
            None => words.push((&checked.verdict, 1)),
        }
    }
    let words: Vec<String> = words.iter().map(|(word, n)| format!("{} {word}", count(*n))).collect();
    let n_reused = all.iter().filter(|checked| checked.reused).count() as u64;
    let reused = if n_reused > 0 { format!("; {} reused", count(n_reused)) } else { String::new() };
    format!("{}: {}{reused}; {seconds:.1} s\n", plural(all.len() as u64, "model"), words.join(", "))
}

fn to_json(all: &[Checked], seconds: f64) -> Json {
    json!({
        "models": all,
        "exit_code": models::exit_code(all),
        "reused": all.iter().filter(|checked| checked.reused).count(),
        "seconds": seconds,
    })
}
