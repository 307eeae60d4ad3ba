//! `kilter campaign`: the cases of one run, played by many machines.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use clap::Subcommand;
use kilter::campaign::{self, At, StartOptions, Watching, WorkOptions};
use kilter::error::{FINDINGS, FINE, NOT_RUNNABLE};
use kilter::program::{AnswerArgs, host, refuse, rim};
use kilter::signals::Signals;
use kilter::{Error, Worlds};
use kilter_report::{json, junit, page, summarize, text};
use kilter_run::files;
use serde_json::Value as Json;

use super::ours;

/// How often a watched campaign is looked at on a terminal, and elsewhere.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const SAY_EVERY: Duration = Duration::from_secs(10);

/// `kilter campaign`
#[derive(clap::Args, Clone, Debug)]
pub struct CampaignArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do with a campaign.
#[derive(Subcommand, Clone, Debug)]
pub enum Verb {
    /// Make the cases of `kilter test`, `explore` or `converge`, and put them and all files into the hands of the brokers
    Start(StartArgs),
    /// Play cases of a campaign, until there are no more
    Work(WorkArgs),
    /// Show how far a campaign is, and what its workers do
    Watch(WatchArgs),
    /// Show what a campaign has found so far: as text, JSON, JUnit XML, or a page for a browser
    Report(ReportArgs),
    /// Stop a campaign: its workers give their cases back and end
    Stop(StopArgs),
    /// Go on with a campaign that was stopped
    Resume(ResumeArgs),
}

/// `kilter campaign start`
#[derive(clap::Args, Clone, Debug)]
pub struct StartArgs {
    /// Which campaign, and how.
    #[command(flatten)]
    pub options: StartOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `kilter campaign work`
#[derive(clap::Args, Clone, Debug)]
pub struct WorkArgs {
    /// Which campaign, and how.
    #[command(flatten)]
    pub options: WorkOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `kilter campaign watch`
#[derive(clap::Args, Clone, Debug)]
pub struct WatchArgs {
    /// Which campaign.
    #[command(flatten)]
    pub at: At,
    /// Look once, instead of until the campaign is over
    #[arg(long)]
    pub once: bool,
    /// Write one JSON object a look to standard output
    #[arg(long)]
    pub json: bool,
}

/// `kilter campaign report`
#[derive(clap::Args, Clone, Debug)]
pub struct ReportArgs {
    /// Which campaign.
    #[command(flatten)]
    pub at: At,
    /// Write a page for a browser to this file; it needs no other file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// `kilter campaign stop`
#[derive(clap::Args, Clone, Debug)]
pub struct StopArgs {
    /// Which campaign.
    #[command(flatten)]
    pub at: At,
    /// Remove the campaign from the brokers, with all its results
    #[arg(long)]
    pub remove: bool,
}

/// `kilter campaign resume`
#[derive(clap::Args, Clone, Debug)]
pub struct ResumeArgs {
    /// Which campaign.
    #[command(flatten)]
    pub at: At,
}

/// Runs a verb. Returns the exit code.
pub fn run(args: &CampaignArgs, signals: &Signals) -> Result<u8, Error> {
    let (ended, is_json) = match &args.verb {
        Verb::Start(args) => (start(args, signals), args.answer.json),
        Verb::Work(args) => (work(args, signals), args.answer.json),
        Verb::Watch(args) => (watch(args, signals), args.json),
        Verb::Report(args) => (report(args).map_err(ours), args.json),
        Verb::Stop(args) => (campaign::stop(&args.at, args.remove).and_then(|text| said(&text)), false),
        Verb::Resume(args) => (campaign::resume(&args.at).and_then(|text| said(&text)), false),
    };
    ended.or_else(|error| refuse(error, is_json))
}

fn start(args: &StartArgs, signals: &Signals) -> Result<u8, Error> {
    let mut host = host(Worlds::default(), signals, args.answer);
    let started = campaign::start(&args.options, &mut host, teller(args.answer))?;
    if args.answer.json { said_json(&started.json()) } else { said(&started.text()) }
}

/// Tells people that brokers do not do what they should, unless they want to hear nothing.
fn teller(answer: AnswerArgs) -> impl Fn(&str) + Send + Sync + 'static {
    move |text| {
        if !answer.quiet {
            rim::say(text);
        }
    }
}

fn work(args: &WorkArgs, signals: &Signals) -> Result<u8, Error> {
    let mut host = host(Worlds::default(), signals, args.answer);
    let worked = campaign::work(&args.options, &mut host, teller(args.answer))?;
    if let Some(why) = worked.not_runnable() {
        let hint = "if a file is missing here, `kilter campaign start --with PATH` sends it along";
        rim::say(&format!("{}: {why}; {hint}\n", kilter::diagnostics::error_word()));
    }
    if args.answer.json {
        said_json(&worked.json())?
    } else {
        said(&worked.text())?
    };
    Ok(worked.code())
}

/// Shows how far a campaign is until it is over, or Ctrl-C comes. That ends only the watching.
fn watch(args: &WatchArgs, signals: &Signals) -> Result<u8, Error> {
    let mut watching = Watching::begin(&args.at)?;
    let mut shown: Option<Instant> = None;
    loop {
        // Brokers may not answer for minutes. A signal ends that at once.
        let seen = watching.look()?;
        let _patience = signals.patience();
        let is_last = args.once || seen.is_over() || signals.are_raised();
        if args.json {
            said_json(&seen.json())?;
        } else if is_last || shown.is_none_or(|shown| shown.elapsed() >= SAY_EVERY) {
            said(&seen.text())?;
            shown = Some(Instant::now());
        }
        if is_last {
            return Ok(FINE);
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Shows the results so far.
fn report(args: &ReportArgs) -> anyhow::Result<u8> {
    let reported = campaign::report(&args.at)?;
    let record = &reported.record;
    let summary = summarize(record);
    if let Some(path) = &args.html {
        files::replace(path, page::page(record, &summary))?;
    }
    if let Some(path) = &args.junit {
        files::replace(path, junit::junit(record, &summary))?;
    }
    if args.json {
        let mut answer = json::json(record, &summary);
        answer["campaign"] = reported.name.as_str().into();
        answer["workers"] = reported.workers.into();
        answer["played_by"] = serde_json::to_value(&reported.played_by)?;
        answer["redelivered"] = reported.redelivered.into();
        rim::print(&format!("{answer}\n"))?;
    } else {
        rim::print(&text::text(record, &summary))?;
    }
    // A campaign is to play all its cases: one without a result is no success, whatever the reason.
    let is_whole = record.is_finished && summary.n_cases == summary.n_planned;
    Ok(match record {
        _ if !record.findings.is_empty()
            || record.cases.iter().any(|case| !case.passed && case.not_run.is_none()) =>
        {
            FINDINGS
        }
        _ if !is_whole => NOT_RUNNABLE,
        _ => FINE,
    })
}

fn said(text: &str) -> Result<u8, Error> {
    rim::print(text).map_err(|lost| ours(lost.into()))?;
    Ok(FINE)
}

fn said_json(json: &Json) -> Result<u8, Error> {
    said(&format!("{json}\n"))
}
