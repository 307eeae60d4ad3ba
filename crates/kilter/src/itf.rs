//! Writes traces in the Informal Trace Format, which Apalache and Quint read. As in Quint, the action of each step and
//! its arguments are in `mbt::actionTaken` and `mbt::nondetPicks`.

use std::collections::BTreeSet;

use kilter_base::Name;
use kilter_check::{Step, Trace};
use kilter_value::Store;
use serde_json::{Map, Value as Json, json};

const ACTION: &str = "mbt::actionTaken";
const PICKS: &str = "mbt::nondetPicks";

/// Writes a trace of the specification in `source`. A behavior that repeats itself goes back to the state at index
/// `back`.
pub fn trace(trace: &Trace, back: Option<usize>, variables: &[Name], store: &Store, source: &str) -> Json {
    let args = trace.steps.iter().filter_map(|step| step.action.as_ref()).flat_map(|(_, args)| args);
    let picks: BTreeSet<&Name> = args.map(|(name, _)| name).collect();
    let names = variables.iter().map(Name::as_str).chain([ACTION, PICKS]);
    let mut json = json!({
        "#meta": { "format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                   "description": "Created by Kilter", "source": source },
        "params": [],
        "vars": names.collect::<Vec<_>>(),
        "states": trace.steps.iter().enumerate()
            .map(|(index, step)| state(step, index, variables, &picks, store))
            .collect::<Vec<_>>(),
    });
    if let Some(back) = back {
        json["loop"] = back.into();
    }
    json
}

fn state(step: &Step, index: usize, variables: &[Name], picks: &BTreeSet<&Name>, store: &Store) -> Json {
    let mut state = Map::new();
    state.insert("#meta".to_owned(), json!({ "index": index }));
    for (name, value) in variables.iter().zip(&step.state) {
        state.insert(name.to_string(), store.to_itf(*value));
    }
    let action = step.action.as_ref().map_or("init", |(name, _)| name.as_str());
    state.insert(ACTION.to_owned(), action.into());
    let args = step.action.as_ref().map(|(_, args)| args.as_slice()).unwrap_or_default();
    let pick = |name: &Name| match args.iter().find(|(other, _)| other == name) {
        Some((_, value)) => json!({ "tag": "Some", "value": store.to_itf(*value) }),
        None => json!({ "tag": "None", "value": { "#tup": [] } }),
    };
    let picks = picks.iter().map(|name| (name.to_string(), pick(name))).collect();
    state.insert(PICKS.to_owned(), Json::Object(picks));
    Json::Object(state)
}
