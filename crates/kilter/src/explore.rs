//! Exploring a system: every order of its events worth trying, with faults where they hurt.
//!
//! ```no_run
//! use kilter::explore::{ExploreOptions, run};
//!
//! let ended = run(&ExploreOptions::of("gossip.toml"), &mut kilter::Host::default())?;
//! let ran = ended.ran().expect("it is a search, no replay");
//! assert!(ran.record.findings.is_empty(), "{}", ran.text());
//! # Ok::<(), kilter::Error>(())
//! ```
//!
//! - [`ExploreOptions`] what to explore, and how
//! - [`properties`] TLA+ formulas over what processes report
//! - `processes`    a system of processes

mod error;
mod options;
mod processes;
pub mod properties;
#[cfg(feature = "clap")]
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_explore::config::{BadSearch, Config, Walks};
use kilter_explore::method::{Case, Exploration, n_parts};
use kilter_explore::outcome::Explorable;
use kilter_explore::subject::NODES_MAX;
use kilter_explore::told::Told;
use kilter_explore::{Options, Part as SearchPart, Search};
use kilter_report::style::{BAD, GOOD, paint};
use kilter_report::summarize;
use kilter_run::lock::Lock;
use kilter_run::{Event, Header, Journal, Shard};
use kilter_system::System;
use kilter_testbed::{Agent, Interrupt, Trouble};
use serde_json::{Map, Value as Json, json};

pub use self::error::BadSystem;
pub use self::options::{ExploreOptions, Schedule, schedule};
use self::processes::Kept;
use self::properties::BadProperty;
use self::properties::problems::in_file;
use crate::build::build;
use crate::diagnostics::Problems;
use crate::error::{AnyError, Context as _, Error, FINDINGS, FINE, Tried};
use crate::heard::Heard;
use crate::host::{Host, Watch};
use crate::java::{self, Compared};
use crate::part::Part;
use crate::run::{Besides, Ended, Ran, Run};
use crate::shell::quoted;
use crate::test::places;
use crate::worlds::Worlds;

const GOAL_ENDS: &str = "a sequence ends where `goal` is reached, so nothing is known of `safety` behind it; without \
                         `goal`, all states are looked at";

const HOLDS_AT_START: &str = "nothing was tried: the `goal` of [properties] holds as soon as the nodes have started, so every sequence ends there";

const NO_GOAL: &str = "no fault was tried: faults destroy the event that reaches the `goal` of [properties], and there is none; \
                       give one, or try faults at any place with `--faults-anywhere`";

/// The share of `--time-max` after which a search is not divided any further.
const DIVISION_SHARE: u32 = 4;

/// The system that a configuration describes. `folder` is the folder of the configuration.
pub fn system(config: &Config, folder: &Path, worlds: &Worlds) -> Result<Box<dyn Explorable>, BadSystem> {
    overheard(config, folder, worlds, None, &Heard::default(), Kept::default(), None)
}

/// The same; what its nodes offer is heard, if they are processes.
fn overheard(
    config: &Config,
    folder: &Path,
    worlds: &Worlds,
    agent: Option<Agent>,
    heard: &Heard,
    kept: Kept<'_>,
    interrupt: Option<&Interrupt>,
) -> Result<Box<dyn Explorable>, BadSystem> {
    let of_world = config.system.world().map(|_| config.system.size.unwrap_or(0));
    let n_nodes = of_world.unwrap_or(config.system.nodes().len());
    if n_nodes > NODES_MAX {
        return Err(BadSystem::TooMany { n_nodes });
    }
    match (config.system.world(), config.system.command().is_empty()) {
        (Some(_), true) if config.system.size == Some(0) => Err(BadSystem::Empty),
        (Some(_), true) => Ok(worlds.explorable(&config.system)?),
        (None, false) => processes::system(config, folder, agent, heard, kept, interrupt),
        _ => Err(BadSystem::OneSystem),
    }
}

/// Explores a system, or repeats a finding.
pub fn run(options: &ExploreOptions, host: &mut Host) -> Result<Ended, Error> {
    memory::with_stack(DEEP_STACK_BYTES, |_| run_here(options, host))
}

/// Like `run`, in a thread that has a deep stack already.
pub(crate) fn run_here(args: &ExploreOptions, host: &mut Host) -> Result<Ended, Error> {
    Ok(explore(args, host)?)
}

fn explore(args: &ExploreOptions, host: &mut Host) -> Tried<Ended> {
    let prepared = prepare(args, host)?;
    let Prepared { system, options, config, .. } = &prepared;
    // Those who get their cases from elsewhere get the system from there, too.
    if !matches!(host.part, Part::Given(_)) {
        build(&config.system, folder_of(args), host)?;
        if !config.system.build().is_empty() {
            look_at(&args.config, host)?;
        }
    }
    args.run.check_keep(&config.system, host)?;
    let given = match &args.run.case {
        Some(case) => Some(schedule(case).map_err(|error| format!("--case: {error}"))?),
        None => args.replay.clone(),
    };
    match given {
        Some(schedule) if args.run.list => Ok(listed(&[schedule.to_string()])),
        Some(Schedule(places)) => replay(&host.program, args, &**system, &places, options),
        None => search(args, &prepared, host),
    }
}

/// What is odd about the configuration, now that its nodes have been heard.
fn warnings(args: &ExploreOptions, prepared: &Prepared) -> Vec<String> {
    let Prepared { options, config, heard, offers, .. } = prepared;
    // What an earlier sitting has heard is not known.
    let offers = if args.run.resume { &BTreeSet::new() } else { offers };
    let mut warnings = heard.of_offers(&config.system, offers);
    warnings.extend(heard.of_notes(&config.system));
    warnings.extend(heard.of_deaths());
    let properties = &config.properties;
    if properties.goal.is_some() && heard.is_idle() && !args.run.resume {
        warnings.push(HOLDS_AT_START.to_owned());
    }
    if properties.goal.is_some() && !properties.safety.is_empty() {
        warnings.push(GOAL_ENDS.to_owned());
    }
    // A system that is linked in knows its goal itself.
    let has_goal = properties.goal.is_some() || config.system.world().is_some();
    if options.faults > 0 && !options.faults_anywhere && !has_goal {
        warnings.push(NO_GOAL.to_owned());
    }
    warnings
}

/// What there is to explore, and how.
struct Prepared {
    system: Box<dyn Explorable>,
    options: Options,
    config: Config,
    heard: Heard,
    /// The actions that the table of a Java system has.
    offers: BTreeSet<String>,
    /// The changes that it makes to the system.
    mutations: Vec<String>,
    interrupt: Interrupt,
}

fn prepare(args: &ExploreOptions, host: &Host) -> Tried<Prepared> {
    let shown = args.config.display();
    let text = crate::read::config(&args.config)?;
    let mut config = Config::parse(&text).map_err(|error| Problems::of_text(&args.config, &text, error))?;
    if args.nodes.is_some() && config.system.world().is_none() {
        return Err(BadSystem::NamedNodes.into());
    }
    config.system.size = args.nodes.or(config.system.size);
    for (name, value) in &host.env {
        config.system.set_env(name.clone(), value.clone());
    }
    let walks = Walks { seed: args.seed, n: args.walks };
    let options = config.explore.or_rather(&args.said()).options(walks)?;
    let heard = Heard::default();
    let run_folder = run_folder(args);
    // A schedule that is repeated leaves no record.
    let is_search = args.run.case.is_none() && args.replay.is_none();
    let kept = Kept { files: args.run.keep.as_deref(), logs: is_search.then_some(&*run_folder) };
    let is_built = config.system.build().is_empty();
    let told = |error| shown_in_file(error, &shown.to_string(), &text);
    let world = |agent, kept, interrupt| {
        overheard(&config, folder_of(args), &host.worlds, agent, &heard, kept, interrupt)
    };
    let agent = match java::agent(&config.system, &args.config, &text, is_built) {
        Ok(agent) => agent,
        Err(problems) => {
            // The jars of a system may have to be fetched first; what is wrong with a property is wrong without them.
            world(None, Kept::default(), None).map_err(told)?;
            return Err((*problems).into());
        }
    };
    let (offers, mutations) = agent.as_ref().map(java::offers_and_mutations).unwrap_or_default();
    let interrupt = host.interrupt()?;
    let system = world(agent, kept, Some(&interrupt)).map_err(told)?;
    if options.search == Search::Bfs && args.run.shard.is_some_and(|shard| shard != Shard::WHOLE) {
        return Err(BadSystem::OnePart.into());
    }
    if options.matching && config.system.world().is_none() && !config.system.complete {
        return Err(BadSystem::from(BadSearch::NotComplete).into());
    }
    let options = Options { sequences_max: args.sequences_max, ..options };
    Ok(Prepared { system, options, config, heard, offers, mutations, interrupt })
}

/// Whether a file describes a search, and not a mapping.
pub fn is_search(path: &Path) -> bool {
    let text = crate::read::utf8(path).unwrap_or_default();
    let has = |begin: &str| text.lines().any(|line| line.trim_start().starts_with(begin));
    !has("[spec") && (has("[properties") || has("[explore"))
}

/// Checks a configuration without starting anything. Returns what the table of a Java system was compared with; `None` if it is no Java
/// system.
pub fn look(config: &Path, host: &Host) -> Result<Option<Compared>, Error> {
    Ok(look_at(config, host)?)
}

fn look_at(config: &Path, host: &Host) -> Tried<Option<Compared>> {
    let prepared = prepare(&ExploreOptions::of(config), host)?;
    let text = crate::read::config(config)?;
    let compared = java::look_at_jars(&prepared.config.system, None, config, &text);
    Ok(compared.map_err(|problems| *problems)?)
}

/// The system that a configuration describes, as it is written.
pub(crate) fn system_of(config: &Path) -> Tried<System> {
    let text = crate::read::config(config)?;
    Ok(Config::parse(&text).map_err(|error| Problems::of_text(config, &text, error))?.system)
}

/// Where the configuration is.
fn folder_of(args: &ExploreOptions) -> &Path {
    let folder = args.config.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// What is wrong with a property is shown in the configuration.
fn shown_in_file(error: BadSystem, path: &str, text: &str) -> AnyError {
    match error {
        BadSystem::Property(BadProperty::Text(problems)) => in_file(&problems, path, text).into(),
        other => other.into(),
    }
}

/// The folder of the run.
fn run_folder(args: &ExploreOptions) -> PathBuf {
    let name = args.config.file_stem().unwrap_or_default();
    let own = args.config.parent().unwrap_or(Path::new("")).join(".kilter").join(name);
    args.run.folder(&own, args.run.is_choice().then_some(Besides::Case))
}

fn search(args: &ExploreOptions, prepared: &Prepared, host: &mut Host) -> Tried<Ended> {
    let Prepared { options, interrupt, config: described, .. } = prepared;
    let system = &*prepared.system;
    let begun = Instant::now();
    if let Some(end) = args.run.time_max.and_then(|time_max| begun.checked_add(time_max)) {
        interrupt.end_at(end);
    }
    for mutation in &prepared.mutations {
        host.watch.say(&format!("note: the system is not explored as it is: {mutation}\n"));
    }
    let folder = run_folder(args);
    let _lock = Lock::folder(&folder, "--report")?;
    let config = crate::read::utf8(&args.config)?;
    // A search may be continued later. So the number of sequences in one run does not count as part of its identity.
    let lasting = Options { sequences_max: None, ..options.clone() };
    let search = format!("{config}\n{:?} {lasting:?}", args.nodes);
    let program = host.program.clone();
    let named = match &host.part {
        Part::Given(giver) => ExploreOptions { config: giver.config(), ..args.clone() },
        _ => args.clone(),
    };
    let repeat = |told: &Told| repeat_line(&program, &named, told);
    let method = Exploration::new(system, options, &repeat);
    let header = |n_cases| method.header(&args.config.display().to_string(), search.clone(), n_cases);
    let (cases, only) = if matches!(host.part, Part::Given(_)) {
        (Vec::new(), None)
    } else if args.run.resume {
        (left(&folder, &header(0))?, args.run.choice())
    } else {
        all(args, system, options, begun, &mut *host.watch)?
    };
    if args.run.list {
        let ids: Vec<String> = cases.iter().map(|case| case.id().to_owned()).collect();
        return Ok(listed(&ids));
    }
    let planned = cases.iter().map(|case| case.id().to_owned()).collect();
    let (mut header, first) = (header(cases.len() as u64), vec![Event::Planned { cases: planned }]);
    header.only = only;
    header.table = places::of_names(&described.system, &args.config, &config, &folder);
    header.mutations.clone_from(&prepared.mutations);
    let warnings = Box::new(|| warnings(args, prepared));
    let run = Run { method: &method, cases, header, first, choose: None, batch: 1, folder, warnings, begun };
    let mut ran = run.run(&args.run, host)?;
    ran.more = more(&ran);
    Ok(ran.into())
}

/// Lists cases instead of running them.
fn listed(ids: &[String]) -> Ended {
    let text = ids.iter().flat_map(|id| [id, "\n"]).collect();
    let listed: Vec<Json> = ids.iter().map(|id| json!({ "case": id })).collect();
    let json = json!({ "planned": ids.len(), "listed": listed });
    Ended::Said { text, json, code: FINE }
}

/// The parts of a new search that has begun. Also says in words which these are, if the user has left others out.
fn all(
    args: &ExploreOptions,
    system: &dyn Explorable,
    options: &Options,
    begun: Instant,
    watch: &mut dyn Watch,
) -> Tried<(Vec<Case>, Option<String>)> {
    let shard = args.run.shard.unwrap_or(Shard::WHOLE);
    // All machines must divide the search in the same way, whatever their number of jobs.
    let jobs = if shard == Shard::WHOLE { usize::from(args.run.jobs) } else { shard.parts as usize };
    // With --shard, the parts may not depend on the time. Without, most of it should be left for them.
    let share = if shard == Shard::WHOLE { DIVISION_SHARE } else { 1 };
    let is_late = || args.run.time_max.is_some_and(|time_max| begun.elapsed() >= time_max / share);
    let parts = system.parts(options, n_parts(jobs), &mut |n_parts| {
        watch.doing(&format!("dividing the search into parts, {n_parts} so far"));
        !is_late()
    });
    let parts = match parts {
        // It did not come to rest. The whole is tried, so that its answer says so.
        Err(Trouble::Interrupted) if shard == Shard::WHOLE && is_late() => vec![SearchPart::default()],
        parts => parts?,
    };
    if shard != Shard::WHOLE && is_late() {
        return Err(BadSystem::Undivided.into());
    }
    let all = args.run.of_shard(parts.into_iter().map(Case::new).collect(), Case::id)?;
    let n_all = all.len();
    let cases = args.run.wanted(all, |case| case.id().to_owned())?;
    let only = args.run.choice().filter(|_| cases.len() < n_all);
    Ok((cases, only))
}

/// The parts of a search that is continued, each from where it was.
fn left(folder: &Path, header: &Header) -> Tried<Vec<Case>> {
    let mut earlier = Journal::earlier(folder, header)?;
    let ids = earlier.planned.unwrap_or_default();
    let case = |id: String| {
        let case =
            Case::with_id(&id).with_context(|| format!("the record has a part `{id}`, which is none"))?;
        Ok(match earlier.checkpoints.remove(&id) {
            Some((counters, state)) => case.from_checkpoint(counters, state),
            None => case,
        })
    };
    ids.into_iter().map(case).collect()
}

/// The fields of the JSON answer that only this verb has.
fn more(ran: &Ran) -> Map<String, Json> {
    let counted = summarize(&ran.record).counters.sums;
    #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
    let seconds = |name: &str| counted.get(name).map_or(0.0, |us| *us as f64 / 1e6);
    let (nodes, testbed) = (seconds("nodes_us"), seconds("testbed_us"));
    let search = (seconds("whole_us") - nodes - testbed).max(0.0);
    let fields = json!({
        "complete": ran.record.is_finished,
        "spent": { "nodes": nodes, "testbed": testbed, "search": search },
    });
    if let Json::Object(fields) = fields { fields } else { Map::new() }
}

fn replay(
    program: &str,
    args: &ExploreOptions,
    system: &dyn Explorable,
    places: &[usize],
    options: &Options,
) -> Tried<Ended> {
    let told = system.replay(places, options)?;
    let mut json = told.json();
    json["repeat"] = json!(repeat_line(program, args, &told));
    json["verdict"] = json!(if told.fails { "findings" } else { "bounded" });
    let style = if told.fails { BAD } else { GOOD };
    let text = format!("{}{}: {}\n", told.draw(), paint(style, &told.kind), told.sentence);
    Ok(Ended::Said { text, json, code: if told.fails { FINDINGS } else { FINE } })
}

/// The command line that repeats a finding.
fn repeat_line(program: &str, args: &ExploreOptions, told: &Told) -> String {
    let mut words = vec![format!("{program} explore {} --case '{}'", quoted(&args.config), told.schedule())];
    words.extend(args.nodes.map(|nodes| format!("--nodes {nodes}")));
    words.extend(args.depth.map(|depth| format!("--depth {depth}")));
    words.extend(args.extension.map(|extension| format!("--extension {extension}")));
    words.join(" ")
}
