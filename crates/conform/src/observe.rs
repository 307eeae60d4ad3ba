//! Translates the state of the system into the specification's words, and finds where it differs from the
//! specification.
//!
//! Between two steps, most of a system stays as it is. So each piece of JSON is compared with the one before, and
//! translated only if it has changed. Translations are remembered.

use kilter_graph::StateId;
use kilter_run::Difference;
use kilter_testbed::World;
use kilter_value::Value;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use crate::difference::Differ;
use crate::flights::Flights;
use crate::plan::Plan;
use kilter_mapping::mapping::{Compared, Variable};
use kilter_mapping::translate::{Envelope, Misfit, Translator};

/// Observes a world again and again.
#[derive(Debug, Default)]
pub struct Observer {
    /// For each variable and node, what was reported last, and what it means.
    parts: Vec<Vec<Option<Part>>>,
    /// For each variable, the meanings of JSON.
    known: Vec<FxHashMap<Json, Result<Value, Misfit>>>,
    /// The messages in flight.
    pub flights: Flights,
    /// The variables that every node may report or not, and that none has reported yet in this case.
    silent: Vec<usize>,
}

#[derive(Debug)]
struct Part {
    json: Json,
    meaning: Result<Value, Misfit>,
}

impl Observer {
    /// Makes an observer that has seen nothing yet.
    pub fn new(plan: &Plan<'_>) -> Observer {
        let (n_variables, n_nodes) = (plan.mapping.variables.len(), plan.mapping.words.nodes().len());
        let parts = (0..n_variables).map(|_| (0..n_nodes).map(|_| None).collect()).collect();
        let known = vec![FxHashMap::default(); n_variables];
        Observer { parts, known, flights: Flights::default(), silent: Vec::new() }
    }

    /// Begins a case.
    pub fn begin(&mut self, plan: &Plan<'_>) {
        self.flights.clear();
        let variables = plan.mapping.variables.iter().enumerate();
        let anybodys = variables.filter(|(_, variable)| matches!(variable.kind, Compared::Global(_, None)));
        self.silent = anybodys.map(|(index, _)| index).collect();
    }

    /// The variables that were not compared in this case, because no node has reported them.
    pub fn silent(&self) -> &[usize] {
        &self.silent
    }

    /// The differences between the world and a state of the specification.
    pub fn differences(
        &mut self,
        plan: &Plan<'_>,
        translator: Translator<'_>,
        world: &dyn World,
        state: StateId,
    ) -> Vec<Difference> {
        self.flights.look(plan, translator, world.flights());
        let mut found = Vec::new();
        for (index, variable) in plan.mapping.variables.iter().enumerate() {
            let expected = || plan.value(state, index);
            match &variable.kind {
                Compared::Not | Compared::Unnamed | Compared::Bound => {}
                Compared::Node(path, only) => {
                    let expected = expected();
                    let nodes = plan.mapping.words.nodes().iter().enumerate();
                    let has_part = |node: usize| only.as_ref().is_none_or(|only| only.contains(&node));
                    for (node, (name, value)) in nodes.filter(|(node, _)| has_part(*node)) {
                        let Some(variables) = world.variables(name) else { continue };
                        let expected = translator.store.apply(expected, *value).ok().flatten();
                        let place = || format!("[{}]", translator.store.show(*value));
                        self.part(
                            (index, node),
                            variable,
                            path,
                            variables,
                            translator,
                            expected,
                            &place,
                            &mut found,
                        );
                    }
                }
                Compared::Global(path, only) => {
                    let nodes = plan.mapping.words.nodes().iter().enumerate();
                    for (node, (name, _)) in nodes.filter(|(node, _)| only.is_none_or(|only| only == *node)) {
                        let Some(variables) = world.variables(name) else { continue };
                        if only.is_none() {
                            if look_up(variables, path).is_none() {
                                continue;
                            }
                            self.silent.retain(|silent| *silent != index);
                        }
                        // Somebody may have named the wrong node, so the finding says which was asked.
                        let is_missing = only.is_some() && look_up(variables, path).is_none();
                        let place = || if is_missing { format!(" at {name}") } else { String::new() };
                        self.part(
                            (index, node),
                            variable,
                            path,
                            variables,
                            translator,
                            Some(expected()),
                            &place,
                            &mut found,
                        );
                    }
                }
                Compared::Messages(form) => {
                    self.flights.compare(index, variable, *form, translator, expected(), &mut found);
                }
            }
        }
        found
    }

    #[allow(clippy::too_many_arguments, reason = "one place in a loop over variables and nodes")]
    fn part(
        &mut self,
        at: (usize, usize),
        variable: &Variable,
        path: &[String],
        variables: &Map<String, Json>,
        translator: Translator<'_>,
        expected: Option<Value>,
        place: &dyn Fn() -> String,
        found: &mut Vec<Difference>,
    ) {
        let mut differ = Differ { store: translator.store, variable: &variable.name, found: Vec::new() };
        let show = |value: Option<Value>| value.map(|value| translator.store.show(value)).unwrap_or_default();
        let reported = look_up(variables, path);
        // The specification has no part for this node, and the node reports none.
        if expected.is_none() && reported.is_none_or(Json::is_null) {
            return;
        }
        let Some(json) = reported else {
            differ.text(&place(), show(expected), String::new());
            found.append(&mut differ.found);
            return;
        };
        match (self.meaning(at, variable, json, translator), expected) {
            (Ok(observed), Some(expected)) if *observed == expected => return,
            (Ok(observed), Some(expected)) => differ.compare(&place(), expected, *observed),
            (Ok(observed), None) => differ.leaf(&place(), None, Some(*observed)),
            (Err(misfit), expected) => differ.text(&place(), show(expected), format!("{json} ({misfit})")),
        }
        found.append(&mut differ.found);
    }

    fn meaning(
        &mut self,
        (variable_index, node): (usize, usize),
        variable: &Variable,
        json: &Json,
        translator: Translator<'_>,
    ) -> &Result<Value, Misfit> {
        let slot = &mut self.parts[variable_index][node];
        if slot.as_ref().is_none_or(|part| part.json != *json) {
            let known = &mut self.known[variable_index];
            let meaning = match known.get(json) {
                Some(meaning) => meaning.clone(),
                None => {
                    let meaning = translator.value(&variable.shape, json, Envelope::default());
                    known.insert(json.clone(), meaning.clone());
                    meaning
                }
            };
            *slot = Some(Part { json: json.clone(), meaning });
        }
        // The slot has been filled just now, if it was not before.
        &slot.as_ref().expect("a part that has been looked at").meaning
    }
}

/// The value at a path in what a node reports.
pub(crate) fn look_up<'j>(variables: &'j Map<String, Json>, path: &[String]) -> Option<&'j Json> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(variables.get(first)?, |json, name| json.get(name))
}
