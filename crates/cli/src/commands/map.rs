//! `kilter map`: checks the mapping against the specification, without starting anything. With `--coverage`, it looks at the threads of a
//! Java system.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use kilter::coverage::{self, Coverage};
use kilter::error::BAD_INPUT;
use kilter::outside::Access;
use kilter::prepare::{LookedAt, look_closer, prepare, prepare_to_follow, prepare_with_follow};
use kilter::program::{self, AnswerArgs, rim};
use kilter::signals::Signals;
use kilter::{Compared, Worlds, explore, units};
use kilter_mapping::mapping::{Deed, Mapping};
use kilter_mapping::owners::{Owned, strangers};
use kilter_value::Store;
use serde_json::json;

use crate::render::{DOUBT, GOOD, count, paint, plural};

/// `kilter map`
#[derive(clap::Args, Clone, Debug)]
pub struct MapArgs {
    /// The mapping, or the configuration of a search
    #[arg(value_name = "kilter.toml", default_value = "kilter.toml")]
    pub config: PathBuf,
    /// Of a Java system: play cases for a while, and say which threads do what no action covers
    #[arg(long)]
    pub coverage: bool,
    /// With --coverage: how long, such as 30s [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = units::some_time, requires = "coverage")]
    pub time_max: Option<Duration>,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How long cases are played to see what threads do.
const COVERAGE_TIME: Duration = Duration::from_secs(15);

/// Prints everything that is wrong with a mapping. Returns the exit code.
pub fn run(args: &MapArgs, signals: &Signals) -> anyhow::Result<u8> {
    let mut host = program::host(Worlds::default(), signals, args.answer);
    if args.coverage {
        let time_max = args.time_max.unwrap_or(COVERAGE_TIME);
        return match coverage::run(&args.config, time_max, &mut host) {
            Ok(seen) => {
                let json = || format!("{}\n", json!(seen));
                rim::print(&if args.answer.json { json() } else { threads(&seen) })?;
                Ok(0)
            }
            Err(error) => Ok(program::refuse(error, args.answer.json)?),
        };
    }
    if explore::is_search(&args.config) {
        return match explore::look(&args.config, &host) {
            Ok(compared) => {
                let mut found = json!({ "problems": [] });
                add_java(&mut found, compared.as_ref());
                let told = || {
                    format!(
                        "{}: the configuration of a search\n{}",
                        paint(GOOD, "ok"),
                        java(compared.as_ref())
                    )
                };
                rim::print(&if args.answer.json { format!("{found}\n") } else { told() })?;
                Ok(0)
            }
            Err(error) => Ok(program::refuse(error, args.answer.json)?),
        };
    }
    mapping(args)
}

/// Prints everything that is wrong with a mapping, or what there is in it.
fn mapping(args: &MapArgs) -> anyhow::Result<u8> {
    let store = Store::new();
    let prepared = prepare(&args.config, Access::default(), &store);
    // A mapping that is only for logs may have no other configuration than that of [follow].
    let prepared =
        prepared.or_else(|problems| match prepare_with_follow(&args.config, Access::default(), &store) {
            Ok(prepared) if prepared.mapping.system.command().is_empty() => Ok(prepared),
            _ => Err(problems),
        });
    let looked_at = prepared.and_then(|prepared| {
        if prepared.text.lines().any(|line| line.trim_start().starts_with("[follow")) {
            prepare_to_follow(&args.config, Access::default(), &Store::new())?;
        }
        let LookedAt { java, owned, problems } = look_closer(&prepared, &store);
        if problems.diagnostics.has_errors() { Err(Box::new(problems)) } else { Ok((prepared, owned, java)) }
    });
    match looked_at {
        Ok((prepared, owned, compared_java)) => {
            let mapping = &prepared.mapping;
            let compared = mapping.variables.iter().filter(|variable| variable.kind.is_compared()).count();
            let compared = (compared - owned.iter().filter(|owned| owned.is_not_compared()).count()) as u64;
            let gaps: Vec<String> = owned.iter().filter_map(Owned::gap).collect();
            rim::print(&if args.answer.json {
                let mut found = json!({ "problems": [], "variables": mapping.variables.len(), "compared": compared, "actions": names(mapping).len(), "owners": by_name(&owned), "warnings": gaps });
                add_java(&mut found, compared_java.as_ref());
                format!("{found}\n")
            } else {
                told(mapping, compared)
                    + not_startable(mapping)
                    + &java(compared_java.as_ref())
                    + &owned.iter().map(owners).collect::<String>()
                    + &strangers(mapping).into_iter().map(stranger).collect::<String>()
                    + &gaps.iter().map(warning).collect::<String>()
            })?;
            Ok(0)
        }
        Err(problems) => {
            rim::say(&problems.text());
            if args.answer.json {
                rim::print(&format!("{}\n", json!({ "problems": problems.lines() })))?;
            }
            Ok(BAD_INPUT)
        }
    }
}

/// What a mapping lacks that is only for logs so far, or fresh from `kilter init`.
fn not_startable(mapping: &Mapping) -> &'static str {
    let is_startable = !mapping.system.command().is_empty() || mapping.system.world().is_some();
    if is_startable {
        ""
    } else {
        "note: `kilter test` needs `command` in [system], which says how a node is started\n"
    }
}

fn told(mapping: &Mapping, compared: u64) -> String {
    let (offers, faults, requests, internal) = (
        count_of(mapping, |deed| matches!(deed, Deed::Offer { provoked_by: None, .. })),
        count_of(mapping, |deed| matches!(deed, Deed::Fault(_))),
        count_of(mapping, |deed| {
            matches!(deed, Deed::Request { .. } | Deed::Command(_) | Deed::Offer { provoked_by: Some(_), .. })
        }),
        count_of(mapping, |deed| matches!(deed, Deed::Internal)),
    );
    let kinds = [
        (offers, format!("{offers} offered by nodes")),
        (faults, plural(faults, "fault")),
        (requests, plural(requests, "request")),
        (internal, format!("{internal} of the specification alone")),
    ];
    let kinds: Vec<String> = kinds.into_iter().filter(|(n, _)| *n > 0).map(|(_, what)| what).collect();
    format!(
        "{}: {} mapped, {compared} of them compared; {} mapped: {}\n",
        paint(GOOD, "ok"),
        plural(mapping.variables.len() as u64, "variable"),
        plural(names(mapping).len() as u64, "action"),
        kinds.join(", ")
    )
}

/// Says what threads have done.
fn threads(seen: &Coverage) -> String {
    let Coverage { cases, threads } = seen;
    let mut text = format!("threads of the system, while {} were played:\n", plural(*cases, "case"));
    let shown = threads.iter().filter(|kind| kind.covered || kind.is_uncovered());
    let width = shown.clone().map(|kind| kind.name.chars().count()).max().unwrap_or(0);
    for kind in shown {
        let (word, what) = if kind.covered {
            let actions: Vec<&str> = kind.actions.iter().map(String::as_str).collect();
            let actions =
                if actions.is_empty() { "no action of its own".to_owned() } else { actions.join(", ") };
            (paint(GOOD, "covered    "), actions)
        } else {
            let places: Vec<&str> = kind.places.iter().map(|place| short(place)).collect();
            let ms = Duration::from_micros(kind.micros).as_secs_f64() * 1000.0;
            (paint(DOUBT, "not covered"), format!("{ms:.1} ms in {}", places.join(", ")))
        };
        let _ = writeln!(text, "  {word}  {:width$}  {what}", kind.name);
    }
    match threads.iter().filter(|kind| kind.is_uncovered()).count() as u64 {
        0 => text + "every thread that ran code of the system is covered\n",
        n => {
            text + &format!(
                "{} ran code of the system that no action covers; if steps depend on it, put it into `threads`, with points where it waits\n",
                plural(n, "kind of thread").replace("kind of threads", "kinds of threads")
            )
        }
    }
}

/// A method with its class, without the package.
fn short(place: &str) -> &str {
    let package = place.split('.').take_while(|part| part.starts_with(char::is_lowercase));
    let n: usize = package.map(|part| part.len() + 1).sum();
    place.get(n..).filter(|rest| !rest.is_empty()).unwrap_or(place)
}

/// Says what the table of a Java system was compared with.
fn java(compared: Option<&Compared>) -> String {
    let Some(Compared { classes, doubts }) = compared else { return String::new() };
    let fits = match classes {
        0 => "note: the table of the agent names no jars, so its classes were not looked for\n".to_owned(),
        n => format!("the table of the agent fits the jars, which have {} classes\n", count(*n as u64)),
    };
    doubts.iter().fold(fits, |text, doubt| text + "note: " + doubt + "\n")
}

/// The same in JSON.
fn add_java(found: &mut serde_json::Value, compared: Option<&Compared>) {
    found["classes"] = json!(compared.map(|compared| compared.classes));
    found["doubts"] = json!(compared.map_or(&[][..], |compared| &compared.doubts));
}

/// Says which nodes have a part of a variable.
fn owners(owned: &Owned) -> String {
    let Owned { variable, by, not_by, by_others, .. } = owned;
    let mut text = String::new();
    if by.is_empty() && by_others.is_empty() {
        let _ = writeln!(
            text,
            "note: {variable} is a function of no node at first: whoever has a part of it later is compared then"
        );
    } else if !not_by.is_empty() {
        let alone = by.iter().chain(by_others).map(String::as_str).collect::<Vec<&str>>().join(", ");
        let _ =
            writeln!(text, "note: {variable} is a function of {alone} alone; {} no part of it", have(not_by));
    }
    if !by_others.is_empty() {
        let (others, verb) = (by_others.join(", "), if by_others.len() == 1 { "is" } else { "are" });
        let _ = writeln!(
            text,
            "note: {variable} has a part for {others}, which {verb} no node in [system]: that part is not compared"
        );
    }
    text
}

/// Says that a node is nothing to the specification.
fn stranger(node: &str) -> String {
    format!(
        "note: the specification knows no {node}, so nothing is compared at this node, and no action happens there; [constants] can say which value it is\n"
    )
}

fn warning(gap: &String) -> String {
    format!("{}: {gap}\n", paint(DOUBT, "warning"))
}

fn have(nodes: &[String]) -> String {
    let verb = if nodes.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", nodes.join(", "))
}

/// For each variable that some node has no part of, the nodes that have one.
fn by_name(owned: &[Owned]) -> serde_json::Map<String, serde_json::Value> {
    let owned = owned.iter().filter(|owned| !owned.not_by.is_empty());
    owned.map(|owned| (owned.variable.clone(), json!(owned.by))).collect()
}

/// The names of all actions, each once.
fn names(mapping: &Mapping) -> std::collections::BTreeSet<&str> {
    mapping.rules.iter().map(|rule| rule.action.as_str()).collect()
}

fn count_of(mapping: &Mapping, is_counted: impl Fn(&Deed) -> bool) -> u64 {
    let counted = mapping.rules.iter().filter(|rule| is_counted(&rule.deed));
    counted.map(|rule| rule.action.as_str()).collect::<std::collections::BTreeSet<&str>>().len() as u64
}
