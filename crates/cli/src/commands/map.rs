//! `kilter map`: checks the mapping against the specification, without starting anything.

use std::path::PathBuf;

use kilter::error::BAD_INPUT;
use kilter::outside::Access;
use kilter::prepare::{LookedAt, look_closer, prepare};
use kilter::program::rim;
use kilter_mapping::mapping::{Deed, Mapping};
use kilter_mapping::owners::Owned;
use kilter_value::Store;
use serde_json::json;

use crate::render::{GOOD, count, paint, plural};

/// `kilter map`
#[derive(clap::Args, Clone, Debug)]
pub struct MapArgs {
    /// The mapping
    #[arg(value_name = "kilter.toml", default_value = "kilter.toml")]
    pub config: PathBuf,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// Prints everything that is wrong with a mapping. Returns the exit code.
pub fn run(args: &MapArgs) -> anyhow::Result<u8> {
    let store = Store::new();
    let looked_at = prepare(&args.config, Access::default(), &store).and_then(|prepared| {
        let LookedAt { classes, owned, problems } = look_closer(&prepared, &store);
        if problems.diagnostics.has_errors() {
            Err(Box::new(problems))
        } else {
            Ok((prepared, owned, classes))
        }
    });
    match looked_at {
        Ok((prepared, owned, classes)) => {
            let mapping = &prepared.mapping;
            let compared =
                mapping.variables.iter().filter(|variable| variable.kind.is_compared()).count() as u64;
            rim::print(&if args.json {
                let found = json!({ "problems": [], "variables": mapping.variables.len(), "compared": compared, "actions": names(mapping).len(), "owners": by_name(&owned), "classes": classes });
                format!("{found}\n")
            } else {
                told(mapping, compared) + &java(classes) + &owned.iter().map(owners).collect::<String>()
            })?;
            Ok(0)
        }
        Err(problems) => {
            rim::say(&problems.text());
            if args.json {
                rim::print(&format!("{}\n", json!({ "problems": problems.lines() })))?;
            }
            Ok(BAD_INPUT)
        }
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

/// Says what the table of a Java system was compared with.
fn java(classes: Option<usize>) -> String {
    match classes {
        None => String::new(),
        Some(0) => {
            "note: the table of the agent names no jars, so its classes were not looked for\n".to_owned()
        }
        Some(n) => format!("the table of the agent fits the jars, which have {} classes\n", count(n as u64)),
    }
}

/// Says which nodes have a part of a variable.
fn owners(owned: &Owned) -> String {
    let Owned { variable, by, not_by, .. } = owned;
    format!("note: {variable} is a function of {} alone; {} no part of it\n", by.join(", "), have(not_by))
}

fn have(nodes: &[String]) -> String {
    let verb = if nodes.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", nodes.join(", "))
}

/// For each variable that some node has no part of, the nodes that have one.
fn by_name(owned: &[Owned]) -> serde_json::Map<String, serde_json::Value> {
    owned.iter().map(|owned| (owned.variable.clone(), json!(owned.by))).collect()
}

/// The names of all actions, each once.
fn names(mapping: &Mapping) -> std::collections::BTreeSet<&str> {
    mapping.rules.iter().map(|rule| rule.action.as_str()).collect()
}

fn count_of(mapping: &Mapping, is_counted: impl Fn(&Deed) -> bool) -> u64 {
    let counted = mapping.rules.iter().filter(|rule| is_counted(&rule.deed));
    counted.map(|rule| rule.action.as_str()).collect::<std::collections::BTreeSet<&str>>().len() as u64
}
