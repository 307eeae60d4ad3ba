//! Starts a campaign: makes the cases, and puts them and all files into the hands of the brokers.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kilter_campaign::manifest::{Build, FORMAT, VERSION, hash};
use kilter_campaign::post::{read_state, write_state};
use kilter_campaign::{Broker, BrokerError, Manifest, Packed, Parcel, Patience, Phase, Settings, State};
use kilter_run::{Further, when};
use serde_json::{Value as Json, json};

use super::link::{Link, is_away};
use super::options::StartOptions;
use super::plan::plan;
use super::{MANIFEST, pack};
use crate::error::{AnyError, Error, Tried, find};
use crate::host::Host;
use crate::part::Planned;

/// For how long brokers are asked again that take nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// A campaign that was started.
pub struct Started {
    name: String,
    url: String,
    program: String,
    n_cases: u64,
    n_files: usize,
    /// How long it took to put the cases into the queue.
    enqueued: Duration,
}

/// Starts a campaign. `say` tells people that the brokers take nothing, or do so again.
pub fn start(
    options: &StartOptions,
    host: &mut Host,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Started, Error> {
    let patience = Arc::new(Patience::telling(PATIENCE, say));
    Ok(start_here(options, host, patience).map_err(given_up)?)
}

/// What to do if brokers have taken nothing for too long. Any other error stays.
fn given_up(error: AnyError) -> AnyError {
    let Some(BrokerError::Away(why)) = find::<BrokerError>(&*error) else { return error };
    format!(
        "the campaign is not started: {why}; if the brokers are full, give them more room (`max_file_store`), or remove campaigns that nobody needs: `kilter campaign stop --name NAME --remove`"
    )
    .into()
}

fn start_here(options: &StartOptions, host: &mut Host, patience: Arc<Patience>) -> Tried<Started> {
    options.check()?;
    let name = options.at.name.clone().unwrap_or_else(|| usual_name(options));
    // What is not there should be known before a long search.
    let (link, is_there) = patience.ask(|| Ok(Link::new(&options.at, &name)?), is_away)?;
    let mut broker = link.patient_broker(patience);
    if is_there {
        make_way(&mut *broker, &name)?;
    }
    let (planned, parts) = plan(options, host)?;
    let found = pack::find(&parts, &options.with)?;
    let replicas = options.replicas.map(usize::from);
    host.watch.doing("sending files and cases to the brokers");
    broker.create(&Settings { lost_after: options.lost_after, replicas })?;
    let phase = Phase::Preparing;
    let cases = planned.cases.len() as u64;
    let mut state = State { phase, cases, rounds: Vec::new(), started_s: when::now() };
    write_state(&mut *broker, &state, 0)?;
    pack::send(&found.files, &mut *broker)?;
    let record = lines_of(&planned);
    let suite = lines(&planned.cases);
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        kilter: build(),
        verb: options.verb,
        config: found.config,
        named: options.config.display().to_string(),
        named_suite: options.suite.as_ref().map(|path| path.display().to_string()),
        seed: options.seed,
        sample: options.sample,
        batch: planned.batch,
        files: found.files.into_keys().collect::<Vec<Packed>>(),
        fixed: found.fixed,
        run: planned.header.run.clone(),
        system: planned.header.system.clone(),
        suite: hash(suite.as_bytes()),
        record: hash(record.as_bytes()),
        lost_after_ms: options.lost_after.as_millis() as u64,
        allow_io: options.allow_io,
    };
    broker.put(&manifest.suite, suite.as_bytes())?;
    broker.put(&manifest.record, record.as_bytes())?;
    let text = serde_json::to_string(&manifest)?;
    broker.write(MANIFEST, &text, 0)?;
    let begun = Instant::now();
    enqueue(planned.cases, 0, &mut *broker)?;
    let enqueued = begun.elapsed();
    let (_, revision) = super::state_of(&mut *broker)?;
    state.phase = Phase::Running;
    write_state(&mut *broker, &state, revision)?;
    host.watch.ended();
    let (url, program) = (link.url().to_owned(), host.program.clone());
    Ok(Started { name, url, program, n_cases: cases, n_files: manifest.files.len(), enqueued })
}

/// Removes what is left of a campaign whose start was interrupted. Any other stays.
fn make_way(broker: &mut dyn Broker, name: &str) -> Tried<()> {
    let begun = read_state(broker).ok().flatten();
    match begun.map(|(state, _)| state.phase) {
        // Even the state may be missing.
        None | Some(Phase::Preparing) => Ok(broker.remove()?),
        Some(phase) => Err(format!(
            "there is a campaign {name} already, which is {}; give this one another --name, or remove that one: `kilter campaign stop --name {name} --remove`",
            phase.words()
        )
        .into()),
    }
}

/// The name of a campaign if nobody gives it one.
fn usual_name(options: &StartOptions) -> String {
    let stem = options.config.file_stem().filter(|name| *name != "kilter" && !options.config.is_dir());
    let absolute = std::path::absolute(&options.config).unwrap_or_default();
    let folder = if options.config.is_dir() { Some(&*absolute) } else { absolute.parent() };
    let name = stem.or_else(|| folder.and_then(|folder| folder.file_name()));
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Puts cases into the queue, of which the first has this place among all.
pub(super) fn enqueue(cases: Vec<Further>, first: u64, broker: &mut dyn Broker) -> Tried<()> {
    let parcels: Vec<Parcel> = (first..).zip(cases).map(|(at, case)| Parcel { at, case }).collect();
    Ok(broker.enqueue(&parcels)?)
}

/// This build of Kilter.
pub(super) fn build() -> Build {
    let program = std::env::current_exe().and_then(fs::read).unwrap_or_default();
    Build { version: env!("CARGO_PKG_VERSION").to_owned(), hash: hash(&program) }
}

fn lines_of(planned: &Planned) -> String {
    let header = serde_json::to_string(&planned.header).expect("a header has string keys") + "\n";
    header + &lines(&planned.first)
}

/// Things as JSON, each in a line.
pub(super) fn lines(things: &[impl serde::Serialize]) -> String {
    let line = |thing| serde_json::to_string(thing).expect("what is recorded has string keys") + "\n";
    things.iter().map(line).collect()
}

impl Started {
    /// The answer for people.
    pub fn text(&self) -> String {
        let Started { name, url, program, n_cases, n_files, .. } = self;
        let name_option = format!("--name {name} ");
        format!(
            "campaign {name}: {} in the queue, with {}\nplay them, on any number of machines:\n  {program} campaign work {name_option}--nats {url}\n",
            kilter_report::style::plural(*n_cases, "case"),
            kilter_report::style::plural(*n_files as u64, "file"),
        )
    }

    /// The answer for scripts.
    pub fn json(&self) -> Json {
        json!({
            "campaign": self.name, "cases": self.n_cases, "files": self.n_files,
            "enqueue_seconds": self.enqueued.as_secs_f64(),
        })
    }
}
