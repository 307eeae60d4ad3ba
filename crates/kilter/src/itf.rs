//! Writes traces in the Informal Trace Format, which Apalache and Quint read. As in Quint, the action of each step and
//! its arguments are in `mbt::actionTaken` and `mbt::nondetPicks`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use kilter_base::Name;
use kilter_check::Trace;
use kilter_value::{Store, Value};
use serde_json::{Map, Value as Json, json};

const ACTION: &str = "mbt::actionTaken";
const PICKS: &str = "mbt::nondetPicks";

/// An action with its arguments by name. `None` for the first state.
pub type Taken = Option<(Name, Vec<(Name, Value)>)>;

/// Writes a trace of the specification in `source`. A behavior that repeats itself goes back to the state at index
/// `back`.
pub fn trace(trace: &Trace, back: Option<usize>, variables: &[Name], store: &Store, source: &str) -> Json {
    let args = trace.steps.iter().filter_map(|step| step.action.as_ref()).flat_map(|(_, args)| args);
    let picks: BTreeSet<Name> = args.map(|(name, _)| name.clone()).collect();
    let states = trace.steps.iter().enumerate();
    let states =
        states.map(|(index, step)| state(&step.action, &step.state, index, variables, &picks, store));
    let mut json = json!({
        "#meta": about(source),
        "params": [],
        "vars": names(variables),
        "states": states.collect::<Vec<_>>(),
    });
    if let Some(back) = back {
        json["loop"] = back.into();
    }
    json
}

/// A trace that is written state by state, one in each line.
pub struct Stream<W> {
    out: W,
    variables: Vec<Name>,
    picks: BTreeSet<Name>,
    n_states: usize,
}

impl<W: Write> Stream<W> {
    /// Begins a trace of the specification in `source`. `picks` are the names of all arguments that its actions have.
    pub fn begin(mut out: W, variables: &[Name], picks: BTreeSet<Name>, source: &str) -> io::Result<Self> {
        let (about, names) = (about(source), json!(names(variables)));
        write!(out, "{{\"#meta\":{about},\"params\":[],\"vars\":{names},\"states\":[")?;
        Ok(Stream { out, variables: variables.to_vec(), picks, n_states: 0 })
    }

    /// Writes the next state, and the action that leads to it.
    pub fn add(&mut self, action: &Taken, row: &[Value], store: &Store) -> io::Result<()> {
        let state = state(action, row, self.n_states, &self.variables, &self.picks, store);
        let comma = if self.n_states > 0 { "," } else { "" };
        self.n_states += 1;
        write!(self.out, "{comma}\n{state}")
    }

    /// Writes the end.
    pub fn end(mut self) -> io::Result<W> {
        self.out.write_all(b"\n]}\n")?;
        Ok(self.out)
    }
}

/// A state that was read, and the action that leads to it with its arguments, if that is known.
pub struct Read {
    /// The values of the variables.
    pub row: Vec<Value>,
    /// The action.
    pub action: Taken,
}

/// Why a text is no behavior of a specification with these variables.
#[derive(Debug, thiserror::Error)]
pub enum NoBehavior {
    /// It is no JSON.
    #[error("it is no JSON; a file of `--itf` or `kilter follow --case` is wanted")]
    NoJson,
    /// It has no states.
    #[error("it has no list `states`; a file of `--itf` or `kilter follow --case` is wanted")]
    NoStates,
    /// A state lacks a variable.
    #[error("state {index} says nothing of the variable `{variable}`")]
    Missing {
        /// The number of the state, from 0.
        index: usize,
        /// The name of the variable.
        variable: Name,
    },
    /// A value can't be read.
    #[error("state {index}: {message}")]
    Value {
        /// The number of the state, from 0.
        index: usize,
        /// What is wrong.
        message: String,
    },
}

/// Reads a behavior.
pub fn read(text: &str, variables: &[Name], store: &Store) -> Result<Vec<Read>, NoBehavior> {
    let json: Json = serde_json::from_str(text).map_err(|_| NoBehavior::NoJson)?;
    let states = json["states"].as_array().ok_or(NoBehavior::NoStates)?;
    let read = |(index, state): (usize, &Json)| {
        let value = |json: &Json| {
            let wrong = |error: kilter_value::JsonError| NoBehavior::Value { index, message: error.message };
            store.from_itf(json).map_err(wrong)
        };
        let variable = |name: &Name| {
            let json = state.get(name.as_str());
            value(json.ok_or_else(|| NoBehavior::Missing { index, variable: name.clone() })?)
        };
        let row = variables.iter().map(variable).collect::<Result<Vec<Value>, _>>()?;
        let taken = state[ACTION].as_str().filter(|_| index > 0);
        let mut args = Vec::new();
        for (name, pick) in state[PICKS].as_object().into_iter().flatten() {
            if pick["tag"] == "Some" {
                args.push((Name::from(name.as_str()), value(&pick["value"])?));
            }
        }
        Ok(Read { row, action: taken.map(|name| (Name::from(name), args)) })
    };
    states.iter().enumerate().map(read).collect()
}

fn about(source: &str) -> Json {
    json!({ "format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": "Created by Kilter", "source": source })
}

fn names(variables: &[Name]) -> Vec<&str> {
    variables.iter().map(Name::as_str).chain([ACTION, PICKS]).collect()
}

fn state(
    action: &Taken,
    row: &[Value],
    index: usize,
    variables: &[Name],
    picks: &BTreeSet<Name>,
    store: &Store,
) -> Json {
    let mut state = Map::new();
    state.insert("#meta".to_owned(), json!({ "index": index }));
    for (name, value) in variables.iter().zip(row) {
        state.insert(name.to_string(), store.to_itf(*value));
    }
    let taken = action.as_ref().map_or("init", |(name, _)| name.as_str());
    state.insert(ACTION.to_owned(), taken.into());
    let args = action.as_ref().map(|(_, args)| args.as_slice()).unwrap_or_default();
    let pick = |name: &Name| match args.iter().find(|(other, _)| other == name) {
        Some((_, value)) => json!({ "tag": "Some", "value": store.to_itf(*value) }),
        None => json!({ "tag": "None", "value": { "#tup": [] } }),
    };
    let picks = picks.iter().map(|name| (name.to_string(), pick(name))).collect();
    state.insert(PICKS.to_owned(), Json::Object(picks));
    Json::Object(state)
}
