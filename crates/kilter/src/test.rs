//! Guided testing: a system driven along its specification, and compared with it after every step.
//!
//! ```no_run
//! use kilter::test::{TestOptions, run};
//!
//! let ended = run(&TestOptions::of("kilter.toml"), &mut kilter::Host::default())?;
//! let ran = ended.ran().expect("there is something to run");
//! assert!(ran.record.findings.is_empty(), "{}", ran.text());
//! # Ok::<(), kilter::Error>(())
//! ```
//!
//! - `cases`  the graph to cases
//! - `behavior` a behavior as a case
//! - `places` where the specification defines its actions

mod behavior;
mod cases;
pub(crate) mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_base::suggest::closest;
use kilter_conform::{Case, Conformance, MakeWorld, Plan, Replan};
use kilter_graph::EdgeId;
use kilter_mapping::mapping::Compared;
use kilter_mapping::owners::{Owned, Owners};
use kilter_run::files;
use kilter_run::lock::Lock;
use kilter_run::{Event, Further};
use kilter_system::System;
use kilter_testbed::{Cluster, Interrupt, Trouble, World};
use kilter_value::{Store, Value};
use serde_json::json;

use crate::borders::borders;
use crate::build::build;
use crate::diff::since::{self, Selected};
use crate::diff::{SideInput, markdown, tell, tree};
use crate::error::{Context as _, Error, FINE, Tried};
use crate::graphs::{Cache, graph_of};
use crate::heard::{Heard, Overheard};
use crate::host::Host;
use crate::java;
use crate::outside::Access;
use crate::part::Part;
use crate::prepare::{Prepared, prepare, prepare_with_follow};
use crate::run::{Besides, Ended, Run, RunOptions};
use crate::setup::setup;
use crate::shell::quoted;
use crate::suite::Request;
use crate::worlds::Worlds;
use behavior::Played;

/// The length of the ids of a suite's cases.
const SUITE_ID_CHARS: usize = 16;

/// Which system is tested, with which cases, and how.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct TestOptions {
    /// The mapping
    #[cfg_attr(feature = "clap", arg(value_name = "kilter.toml", default_value = "kilter.toml"))]
    pub config: PathBuf,
    /// Run this suite of `kilter suite --out` instead of the one that the mapping describes
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub suite: Option<PathBuf>,
    /// Play this behavior alone: a file of `kilter follow --case`, or of `--itf`
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", conflicts_with_all = ["suite", "since", "seed"]))]
    pub behavior: Option<PathBuf>,
    /// Run only what has to be tested because of what changed since this git revision, in specification and code
    #[cfg_attr(feature = "clap", arg(long, value_name = "REV", conflicts_with_all = ["suite", "resume"]))]
    pub since: Option<String>,
    /// Another seed makes another suite that covers the same
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", conflicts_with = "suite"))]
    pub seed: Option<u64>,
    /// How cases are run, and where their record goes.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub run: RunOptions,
    /// Let the specification run programs, write files and read any file (IOExec, Serialize, CSVWrite and their like)
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_io: bool,
    /// With --since: write a summary of what is tested and why to this file, for a pull request
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", requires = "since"))]
    pub markdown: Option<PathBuf>,
}

impl TestOptions {
    /// The options for all cases of a mapping, one after the other.
    pub fn of(config: impl Into<PathBuf>) -> TestOptions {
        TestOptions {
            config: config.into(),
            suite: None,
            behavior: None,
            since: None,
            seed: None,
            run: RunOptions::default(),
            allow_io: false,
            markdown: None,
        }
    }

    fn access(&self) -> Access {
        if self.allow_io { Access::Everything } else { Access::OwnFolder }
    }
}

/// Tests a system.
pub fn run(options: &TestOptions, host: &mut Host) -> Result<Ended, Error> {
    memory::with_stack(DEEP_STACK_BYTES, |_| run_here(options, host))
}

/// Like `run`, in a thread that has a deep stack already.
pub(crate) fn run_here(options: &TestOptions, host: &mut Host) -> Result<Ended, Error> {
    Ok(test(options, host)?)
}

fn test(options: &TestOptions, host: &mut Host) -> Tried<Ended> {
    let store = Store::new();
    let prepared = match &options.behavior {
        // What a log has shown may be beyond the bounds of the model.
        Some(_) => prepare_with_follow(&options.config, options.access(), &store),
        None => prepare(&options.config, options.access(), &store),
    };
    let mut prepared = prepared.map_err(|problems| *problems)?;
    let system = &prepared.mapping.system;
    if system.command().is_empty() && system.world().is_none() {
        return Err(
            "nothing says how a node is started; add to [system]: command = [\"my-node\", \"{node}\"]".into(),
        );
    }
    for (name, value) in &host.env {
        prepared.mapping.system.set_env(name.clone(), value.clone());
    }
    let own = own_folder(&options.config, &prepared.folder);
    let kept = options.run.folder(&own, None);
    let is_choice = options.run.is_choice() || options.behavior.is_some();
    let besides = is_choice.then_some(Besides::Case);
    let besides = besides.or(options.since.as_ref().map(|_| Besides::Since));
    let folder = options.run.folder(&own, besides);
    // A list changes nothing there.
    let _lock = (!options.run.list).then(|| Lock::folder(&folder, "--report")).transpose()?;
    let cache =
        Cache { folder: &kept, workers: usize::from(options.run.jobs), time_max: options.run.time_max };
    // Building may add files.
    let code = tree::of_mapped(&prepared.mapping, &prepared.folder);
    let selected = match &options.since {
        Some(revision) => Some(select(options, revision, cache, host)?),
        None => None,
    };
    if let Some(selected) = selected.as_ref().filter(|selected| selected.cases.is_empty()) {
        return Ok(nothing_to_run(selected));
    }
    // Those who get their cases from elsewhere get the system from there, too.
    let is_given = matches!(host.part, Part::Given(_));
    if !options.run.list && !is_given {
        build(&prepared.mapping.system, &prepared.folder, host)?;
    }
    options.run.check_keep(&prepared.mapping.system, host)?;
    let interrupt = host.interrupt()?;
    let worlds = host.worlds.clone();
    let is_built = !options.run.list || prepared.mapping.system.build().is_empty();
    let begun = Instant::now();
    let heard = Heard::default();
    let Maker { make_world, mutations } =
        world_maker(&prepared, &worlds, &interrupt, &heard, is_built, host)?;
    let played = options.behavior.as_ref().map(|path| behavior::read(path, &prepared, &store)).transpose()?;
    let (graph, borders, played) = match played {
        Some(Played { graph, borders, case }) => (graph, borders, Some(case)),
        None => {
            let Prepared { program, loaded, input, .. } = &mut prepared;
            let graph = graph_of((program, loaded, input), &store, cache, host)?;
            let borders = borders(&prepared.program, &store, &graph)?;
            (graph, borders, None)
        }
    };
    let plan = Plan::new(&graph, &prepared.mapping, &store, borders)?;
    let mut cases = match played {
        Some(case) => vec![case],
        None if is_given => Vec::new(),
        None => suite_cases(options, &plan, selected.as_ref())?,
    };
    if options.run.case.is_some() {
        cases.extend(cases::of_record(&plan, &kept));
    }
    let (cases, only) = chosen_cases(options, &plan, &store, cases, host)?;
    if options.run.list {
        return Ok(list(&plan, &store, &cases));
    }
    let program = host.program.clone();
    let named = match &host.part {
        Part::Given(giver) => TestOptions { config: giver.config(), ..options.clone() },
        _ => options.clone(),
    };
    let repeat = |id: &str| repeat_line(&program, &named, id);
    let (keep, logs) = (options.run.keep.as_deref(), Some(folder.clone()));
    let logs = logs.as_deref();
    let request = Request::of_section(&prepared.mapping.suite, options.seed)?;
    let around = |wanted: Vec<bool>, avoided: &[bool]| {
        let made = request.around(&graph, wanted, avoided).ok().flatten();
        made.map(|suite| kilter_conform::cases::walks(&suite)).unwrap_or_default()
    };
    // Whoever chooses cases wants these, and no others.
    let replan = match &mut host.part {
        _ if is_choice => None,
        Part::Given(giver) => Some(Replan::new(&graph, edges_of(&giver.suite()?), &around)),
        _ => Some(Replan::new(&graph, cases.iter().flat_map(|case| case.edges.iter().copied()), &around)),
    };
    let method = Conformance {
        plan: &plan,
        store: &store,
        make_world: &*make_world,
        repeat: &repeat,
        keep,
        logs,
        replan,
        shortens: options.behavior.is_none(),
    };
    let mut header = method.header(&options.config.display().to_string(), cases.len() as u64);
    if options.behavior.is_some() {
        // What else is possible beside a behavior is not what somebody wants to see confirmed.
        let edges: BTreeSet<EdgeId> = cases.iter().flat_map(|case| case.edges.iter().copied()).collect();
        header.edges.clear();
        for edge in edges {
            *header.edges.entry(graph.action_of(edge).name.clone()).or_default() += 1;
        }
    }
    let actions = header.edges.keys().map(String::as_str);
    header.places = places::of_actions(&prepared.loaded, actions, &folder);
    let beside = options.config.parent().unwrap_or(&options.config);
    header.code = places::in_code(&prepared.mapping, beside, &folder);
    header.table = places::in_table(&prepared.mapping, &prepared.path, &prepared.text, &folder);
    header.system = kilter_run::source::fingerprint(std::iter::once(prepared.text.as_str()));
    header.only = only;
    header.mutations = mutations;
    let first = vec![Event::Source { fingerprint: code }, method.actions()];
    let gaps = gaps(&plan, &store);
    let warnings = Box::new(|| [heard.of_notes(&prepared.mapping.system), gaps.clone()].concat());
    let run = Run { method: &method, cases, header, first, choose: None, batch: 1, folder, warnings, begun };
    if let Some(end) = options.run.time_max.and_then(|time_max| begun.checked_add(time_max)) {
        interrupt.end_at(end);
    }
    let mut ran = run.run(&options.run, host)?;
    if let Some(selected) = selected {
        ran.more.insert("selected".to_owned(), tell::to_json(&selected.round, &selected.new));
    }
    Ok(ran.into())
}

/// What `nodes` of a variable leaves out, as warnings.
fn gaps(plan: &Plan<'_>, store: &Store) -> Vec<String> {
    let variables = &plan.mapping.variables;
    if !variables.iter().any(|variable| matches!(variable.kind, Compared::Node(_, Some(_)))) {
        return Vec::new();
    }
    let mut owners = Owners::new(plan.mapping, store);
    for state in plan.graph.states() {
        let row: Vec<Value> = (0..variables.len()).map(|index| plan.value(state, index)).collect();
        owners.look(&row);
    }
    owners.found().iter().filter_map(Owned::gap).collect()
}

/// The default folder of the record. Each mapping of a folder has its own record; that of `kilter.toml` lies directly
/// in `.kilter`.
pub(crate) fn own_folder(config: &Path, folder: &Path) -> PathBuf {
    let own = folder.join(".kilter");
    match config.file_stem().filter(|_| !config.is_dir()) {
        Some(name) if name != "kilter" => own.join(name),
        _ => own,
    }
}

/// Selects what has to be tested since a revision, and reports it.
fn select(options: &TestOptions, revision: &str, cache: Cache<'_>, host: &mut Host) -> Tried<Selected> {
    let mapping = Some(options.config.clone());
    let wanted = SideInput { mapping, access: options.access(), ..SideInput::default() };
    let selected = since::select(&wanted, revision, options.seed, cache, host)?;
    host.watch.say(&tell::to_text(&selected.round, &selected.new));
    if let Some(path) = &options.markdown {
        files::replace(path, markdown::summary(&selected.round, &selected.new))?;
    }
    Ok(selected)
}

/// The edges of cases that were written down.
fn edges_of(cases: &[Further]) -> impl Iterator<Item = EdgeId> {
    cases.iter().flat_map(|case| case.edges.iter().map(|edge| EdgeId(*edge)))
}

/// Lists the cases.
fn list(plan: &Plan<'_>, store: &Store, cases: &[Case]) -> Ended {
    let listed = cases.iter().map(|case| json!({ "case": case.id, "steps": steps(plan, store, case) }));
    let listed: Vec<_> = listed.collect();
    let lines = cases.iter().map(|case| format!("{}\n", line(plan, store, case)));
    let json = json!({ "planned": listed.len(), "listed": listed });
    Ended::Said { text: lines.collect(), json, code: FINE }
}

fn steps(plan: &Plan<'_>, store: &Store, case: &Case) -> Vec<String> {
    case.edges.iter().map(|edge| kilter_conform::discovery::show_step(plan, store, *edge)).collect()
}

/// A case in one line: its id and its steps.
fn line(plan: &Plan<'_>, store: &Store, case: &Case) -> String {
    format!("{}  {}", case.id, steps(plan, store, case).join("; "))
}

/// The result if nothing has to be run. The reason has been reported already.
fn nothing_to_run(selected: &Selected) -> Ended {
    let told = tell::to_json(&selected.round, &selected.new);
    let seconds = selected.round.took.as_secs_f64();
    let json = json!({
        "cases": 0, "passed": 0, "findings": [], "groups": [], "steps": 0, "planned": 0, "seconds": seconds,
        "cases_per_second": 0.0, "selected": told,
    });
    Ended::Said { text: String::new(), json, code: FINE }
}

/// The command line that repeats a case.
fn repeat_line(program: &str, args: &TestOptions, id: &str) -> String {
    let mut words = vec![format!("{program} test {}", quoted(&args.config))];
    // Shortest paths to edges are the same for every suite.
    if !id.starts_with(['e', 'p']) || id.len() == SUITE_ID_CHARS {
        words.extend(args.suite.as_ref().map(|suite| format!("--suite {}", quoted(suite))));
        words.extend(args.since.as_ref().map(|since| format!("--since {}", quoted(Path::new(since)))));
        words.extend(args.seed.map(|seed| format!("--seed {seed}")));
    }
    words.extend(args.allow_io.then(|| "--allow-io".to_owned()));
    match &args.behavior {
        Some(path) => words.push(format!("--behavior {}", quoted(path))),
        None => words.push(format!("--case {id}")),
    }
    words.join(" ")
}

/// All cases of the suite.
fn suite_cases(args: &TestOptions, plan: &Plan<'_>, selected: Option<&Selected>) -> Tried<Vec<Case>> {
    match (&args.suite, selected) {
        (_, Some(selected)) => Ok(selected.cases.clone()),
        (Some(path), None) => cases::read_cases(plan.graph, path),
        (None, None) => cases::make_cases(plan.graph, &plan.mapping.suite, args.seed),
    }
}

/// The cases that the options ask for. Also says in words which these are, if others are left out.
fn chosen_cases(
    args: &TestOptions,
    plan: &Plan<'_>,
    store: &Store,
    all: Vec<Case>,
    host: &mut Host,
) -> Tried<(Vec<Case>, Option<String>)> {
    if let Some(id) = &args.run.case {
        let found = kilter_conform::cases::by_id(plan, &all, id);
        let found = found.with_context(|| {
            format!("there is no case {id}, or more than one whose id begins so; `--list` shows all cases")
        })?;
        return Ok((vec![found], args.run.choice()));
    }
    let n_all = all.len();
    let named = args.run.only.as_ref().map(|only| named(plan, &all, only)).filter(|some| !some.is_empty());
    let all = match named {
        Some(named) => named,
        None => {
            let meant = args.run.only.as_ref().and_then(|only| Some((only, action_like(plan, only)?)));
            let wanted = args.run.wanted(all, |case| line(plan, store, case));
            match (wanted, meant) {
                (Err(none), Some((_, meant))) => {
                    return Err(format!("{none}; is the action `{meant}` meant?").into());
                }
                (Err(none), None) => return Err(none.into()),
                (Ok(wanted), Some((name, meant))) => {
                    host.watch.say(&note_on_misspelt(name, meant));
                    wanted
                }
                (Ok(wanted), None) => wanted,
            }
        }
    };
    let only = args.run.choice().filter(|_| all.len() < n_all);
    Ok((args.run.of_shard(all, |case| &case.id)?, only))
}

/// The cases with this action, or whose id begins so. Empty if there are none.
fn named(plan: &Plan<'_>, cases: &[Case], name: &str) -> Vec<Case> {
    let has_action = |case: &&Case| case.edges.iter().any(|edge| plan.graph.action_of(*edge).name == name);
    let with_action: Vec<Case> = cases.iter().filter(has_action).cloned().collect();
    if !with_action.is_empty() {
        return with_action;
    }
    cases.iter().filter(|case| case.id.starts_with(name)).cloned().collect()
}

/// The action whose name is nearly this one.
fn action_like<'g>(plan: &Plan<'g>, name: &str) -> Option<&'g str> {
    closest(name, plan.graph.actions().iter().map(|action| action.name.as_str()))
}

/// What to say of a name that is no action's, if it is probably meant to be one.
fn note_on_misspelt(name: &str, meant: &str) -> String {
    let instead = "so these are the cases with this text in what `--list` says of them";
    format!("note: there is no action `{name}`, {instead}; is `{meant}` meant?\n")
}

/// A function that makes a world for each job.
struct Maker<'m> {
    make_world: Box<MakeWorld<'m>>,
    /// The changes that the table of a Java system makes to it.
    mutations: Vec<String>,
}

/// Makes a function that makes a world for each job. What the nodes say is heard, if they are processes.
fn world_maker<'m>(
    prepared: &Prepared,
    worlds: &'m Worlds,
    interrupt: &Interrupt,
    heard: &Heard,
    is_built: bool,
    host: &mut Host,
) -> Tried<Maker<'m>> {
    let system: System = prepared.mapping.system.clone();
    let Some(name) = system.world() else {
        let agent = java::agent(&system, &prepared.path, &prepared.text, is_built);
        let agent = agent.map_err(|problems| *problems)?;
        let remarks = agent.iter().flat_map(|agent| java::remarks(agent, &system));
        remarks.for_each(|remark| host.watch.say(&format!("note: {remark}\n")));
        let mutations = agent.as_ref().map(|agent| java::offers_and_mutations(agent).1).unwrap_or_default();
        let setup = setup(&system, &prepared.folder, agent, Some(interrupt));
        let heard = heard.clone();
        let make_world: Box<MakeWorld<'m>> = Box::new(move || {
            Ok(Box::new(Overheard::new(Cluster::new(setup.clone()), heard.clone())) as Box<dyn World>)
        });
        return Ok(Maker { make_world, mutations });
    };
    let maker = worlds.get(name)?;
    let make_world: Box<MakeWorld<'m>> =
        Box::new(move || -> Result<Box<dyn World>, Trouble> { maker(&system) });
    Ok(Maker { make_world, mutations: Vec::new() })
}
