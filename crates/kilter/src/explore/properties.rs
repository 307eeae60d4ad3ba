//! Properties of processes: TLA+ formulas over what the nodes report.
//!
//! A variable of a formula is a function from the names of the nodes that are up and report it to what they report; `up` is the set
//! of the names of all that are up, and `Nodes` that of all. JSON's `null` is a value of its own, as a model value is: it may be
//! compared with numbers and strings, and equals none of them.
//!
//! - `problems` what is wrong with them

pub(super) mod problems;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use kilter_base::suggest::closest;
use kilter_eval::{Evaluator, Program, Worker};
use kilter_explore::processes::{Judge, Judgement, Report};
use kilter_value::{JsonError, Store, Value};
use serde_json::Value as Json;

use crate::diagnostics::Problems;
use crate::load::{Refusal, load_texts};

/// The stack for evaluations, which is less than a thread's own stack.
const STACK_BYTES: usize = 1 << 20;

/// The name that formulas have for JSON's `null`.
const NULL: &str = "null";

/// Compiled formulas.
pub struct Properties {
    program: Arc<Program>,
    store: Store,
    names: Names,
    /// The variables that the safety properties are about.
    pub sight: BTreeSet<String>,
}

/// The names in formulas, and the names of the formulas.
#[derive(Clone)]
struct Names {
    nodes: Vec<String>,
    variables: Vec<String>,
    /// The names of the safety properties. The goal comes after them.
    safety: Vec<String>,
    has_goal: bool,
}

/// What the user wrote.
#[derive(Clone, Copy)]
pub struct Formulas<'a> {
    /// The variables that nodes report and that formulas use.
    pub variables: &'a [String],
    /// The formulas that must hold in every state, by name.
    pub safety: &'a BTreeMap<String, String>,
    /// The formula that must hold in some state of every sequence.
    pub goal: Option<&'a str>,
}

/// Why a property can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BadProperty {
    /// It is no TLA+, or names what is not there.
    #[error(transparent)]
    Text(Box<Problems>),
    /// It is not a formula about one state.
    #[error("one of the properties is no formula over states")]
    NoFormula,
}

impl Properties {
    /// Compiles formulas about these nodes.
    pub fn new(nodes: &[String], formulas: &Formulas<'_>) -> Result<Properties, BadProperty> {
        problems::check(nodes, formulas).map_err(BadProperty::Text)?;
        let store = Store::new();
        let (module, config, n_formulas) = texts(nodes, formulas);
        let loaded = load_texts(("properties", &module), ("properties.cfg", &config), &store);
        let loaded = loaded.map_err(|refusal| {
            let Refusal { sources, diagnostics, .. } = *refusal;
            BadProperty::Text(Box::new(Problems { sources, diagnostics }))
        })?;
        let program = Arc::new(kilter_eval::compile(&loaded.spec, &store));
        if program.constraints.len() != n_formulas {
            return Err(BadProperty::NoFormula);
        }
        let words: BTreeSet<&str> = formulas.safety.values().flat_map(|text| words(text)).collect();
        let sight = formulas.variables.iter().filter(|name| words.contains(name.as_str())).cloned().collect();
        let names = Names {
            nodes: nodes.to_vec(),
            variables: formulas.variables.to_vec(),
            safety: formulas.safety.keys().cloned().collect(),
            has_goal: formulas.goal.is_some(),
        };
        Ok(Properties { program, store, names, sight })
    }

    /// Makes a function that judges states.
    pub fn judge(&self) -> Judge {
        let names = self.names.clone();
        let mut evaluator = Evaluator::new(Arc::clone(&self.program), self.store.sibling(), STACK_BYTES);
        Box::new(move |reports| evaluator.with(|worker| names.look(worker, reports)))
    }
}

impl Names {
    fn look(&self, worker: &mut Worker<'_>, reports: &[Report<'_>]) -> Result<Judgement, String> {
        let state = self.state(worker.store(), reports)?;
        let mut holds = |number: usize, name: &str| {
            let formula = &worker.program().constraints[number];
            let held = worker.holds(formula, &state, None);
            held.map_err(|error| {
                format!("in `{name}`: {}; {}", error.message, self.show(worker.store(), &state))
            })
        };
        let mut judgement = Judgement::default();
        for (number, name) in self.safety.iter().enumerate() {
            if judgement.violated.is_none() && !holds(number, name)? {
                judgement.violated = Some(name.clone());
            }
        }
        if self.has_goal {
            judgement.reached = Some(holds(self.safety.len(), "goal")?);
        }
        Ok(judgement)
    }

    /// The state in words.
    fn show(&self, store: &Store, state: &[Value]) -> String {
        let names = ["up"].into_iter().chain(self.variables.iter().map(String::as_str));
        let shown: Vec<String> =
            names.zip(state).map(|(name, value)| format!("{name} is {}", store.show(*value))).collect();
        shown.join(", ")
    }

    /// The names that any node reports, if all of them are up. Otherwise one that is down may report more.
    fn all_up<'r>(reports: &[Report<'r>]) -> Option<BTreeSet<&'r str>> {
        let reports: Option<Vec<&serde_json::Map<String, Json>>> = reports.iter().copied().collect();
        Some(reports?.into_iter().flat_map(|report| report.keys().map(String::as_str)).collect())
    }

    /// The values of `up` and of the variables.
    fn state(&self, store: &Store, reports: &[Report<'_>]) -> Result<Vec<Value>, String> {
        let up = || self.nodes.iter().zip(reports).filter_map(|(name, report)| Some((name, (*report)?)));
        let mut names: Vec<Value> = up().map(|(name, _)| store.string(name)).collect();
        let set = store.set(&mut names).map_err(|_| "nodes have no names".to_owned())?;
        let mut state = vec![set];
        for variable in &self.variables {
            let mut pairs = Vec::new();
            for (name, report) in up() {
                let Some(json) = report.get(variable) else { continue };
                let value = value(store, json).map_err(|error| format!("`{variable}` of {name}: {error}"))?;
                pairs.push((store.string(name), value));
            }
            if pairs.is_empty()
                && let Some(all) = Names::all_up(reports)
            {
                return Err(not_reported(variable, &all));
            }
            state.push(store.record(&mut pairs));
        }
        Ok(state)
    }
}

/// Why a formula can't be evaluated: `variables` has a name that no node reports.
fn not_reported(variable: &str, reported: &BTreeSet<&str>) -> String {
    let rather = match closest(variable, reported.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("they report {}", reported.iter().copied().collect::<Vec<_>>().join(", ")),
    };
    format!("no node reports `{variable}`, which `variables` of [properties] has; {rather}")
}

fn value(store: &Store, json: &Json) -> Result<Value, JsonError> {
    match json {
        Json::Null => Ok(store.model_value(NULL)),
        Json::Array(items) => {
            let items: Result<Vec<Value>, JsonError> = items.iter().map(|item| value(store, item)).collect();
            Ok(store.tuple(&items?))
        }
        Json::Object(fields) => {
            let pair = |(name, field): (&String, &Json)| Ok((store.string(name), value(store, field)?));
            let pairs: Result<Vec<(Value, Value)>, JsonError> = fields.iter().map(pair).collect();
            Ok(store.record(&mut pairs?))
        }
        other => store.from_json(other),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_alphanumeric())
}

/// Makes the text of a module and of a configuration around the formulas. Returns also the number of formulas.
fn texts(nodes: &[String], formulas: &Formulas<'_>) -> (String, String, usize) {
    let mut variables = vec!["up".to_owned()];
    variables.extend_from_slice(formulas.variables);
    let variables = variables.join(", ");
    let nodes: Vec<String> = nodes.iter().map(|name| format!("\"{name}\"")).collect();
    let mut module = format!(
        "---- MODULE properties ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANT {NULL}\nVARIABLES {variables}\n\
         Nodes == {{{}}}\nKilterInit == <<{variables}>> = <<{variables}>>\n\
         KilterNext == UNCHANGED <<{variables}>>\n",
        nodes.join(", ")
    );
    // A configuration must name a behavior, although its states are not needed.
    let mut config = format!("CONSTANT {NULL} = {NULL}\nINIT KilterInit\nNEXT KilterNext\n");
    let all: Vec<&str> = formulas.safety.values().map(String::as_str).chain(formulas.goal).collect();
    for (number, formula) in all.iter().enumerate() {
        // As it is written: the columns of junction lists say what belongs together.
        let _ = write!(module, "KilterFormula{number} ==\n{formula}\n");
        let _ = writeln!(config, "CONSTRAINT KilterFormula{number}");
    }
    (module + "====\n", config, all.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn properties(safety: &str, goal: &str) -> Result<Properties, BadProperty> {
        let nodes = ["n1".to_owned(), "n2".to_owned()];
        let safety = BTreeMap::from([("one leader".to_owned(), safety.to_owned())]);
        let variables = ["role".to_owned(), "term".to_owned()];
        Properties::new(&nodes, &Formulas { variables: &variables, safety: &safety, goal: Some(goal) })
    }

    #[test]
    fn formulas_see_what_nodes_report() {
        let safety = r#"\A a, b \in up : role[a] = "leader" /\ role[b] = "leader" => a = b"#;
        let goal = r#"up = Nodes /\ \E n \in up : role[n] = "leader" /\ term[n] > 1"#;
        let properties = properties(safety, goal).expect("they make sense");
        assert_eq!(properties.sight, BTreeSet::from(["role".to_owned()]));
        let mut judge = properties.judge();
        let report = |role: &str, term: u32| json!({ "role": role, "term": term, "vote": null });
        let mut look = |one: Json, other: Option<Json>| {
            judge(&[one.as_object(), other.as_ref().and_then(Json::as_object)])
        };
        let fine = look(report("leader", 2), Some(report("follower", 2)));
        assert_eq!(fine, Ok(Judgement { violated: None, reached: Some(true) }));
        let down = look(report("leader", 2), None);
        assert_eq!(down, Ok(Judgement { violated: None, reached: Some(false) }));
        let two = look(report("leader", 1), Some(report("leader", 1)));
        assert_eq!(two, Ok(Judgement { violated: Some("one leader".to_owned()), reached: Some(false) }));
        let misspelt = json!({ "rolle": "leader", "term": 1 });
        let misspelt = look(misspelt.clone(), Some(misspelt));
        assert!(misspelt.is_err_and(
            |why| why.contains("no node reports `role`") && why.contains("did you mean `rolle`?")
        ));
    }

    #[test]
    fn nothing_is_no_number_and_no_string() {
        let safety = r"\A a, b \in up : term[a] = term[b] \/ null \in {term[a], term[b]}";
        let mut judge = properties(safety, r#"role["n1"].of = <<null>>"#).expect("they make sense").judge();
        let mut look = |one: Json, other: Json| judge(&[one.as_object(), other.as_object()]);
        let report = |term: Json| json!({ "role": { "of": [null] }, "term": term });
        let judgement = |violated: bool| {
            let violated = violated.then(|| "one leader".to_owned());
            Ok(Judgement { violated, reached: Some(true) })
        };
        assert_eq!(look(report(json!(1)), report(json!(null))), judgement(false));
        assert_eq!(look(report(json!(1)), report(json!(2))), judgement(true));
        let error =
            look(report(json!(1)), report(json!("x"))).expect_err("a number is compared with a string");
        assert!(error.contains(r#"term is [n1 |-> 1, n2 |-> "x"]"#), "{error}");
    }

    #[test]
    fn a_variable_may_belong_to_some_nodes_only() {
        let safety = r#""n1" \in DOMAIN term => term["n1"] < 2 /\ DOMAIN role = up"#;
        let mut judge = properties(safety, "TRUE").expect("it makes sense").judge();
        let (all, server) = (json!({ "role": "client", "term": 1 }), json!({ "role": "server" }));
        let mut holds = |reports: [Option<&Json>; 2]| {
            judge(&reports.map(|report| report.and_then(Json::as_object)))
                .map(|judged| judged.violated.is_none())
        };
        assert_eq!(holds([Some(&all), Some(&server)]), Ok(true));
        assert_eq!(holds([None, Some(&server)]), Ok(true));
        assert_eq!(holds([Some(&json!({ "role": "client", "term": 2 })), Some(&server)]), Ok(false));
        assert!(holds([Some(&server), Some(&server)]).is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        let wrong = |safety: &str, goal: &str| match properties(safety, goal) {
            Err(BadProperty::Text(problems)) => *problems,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("`{safety}` and `{goal}` make sense"),
        };
        let unknown = wrong("term[1] = 1", "\\A n \\in up :\n  roel[n] = 1");
        assert_eq!(unknown.lines(), ["the goal:2:3: in the goal: `roel` is not defined"]);
        let help = unknown.diagnostics.iter().next().and_then(|first| first.help.clone());
        assert!(help.is_some_and(|help| help.contains("`role`")), "{}", unknown.text());
        let stranger = wrong("banana = 1", "TRUE").text();
        assert!(stranger.contains("what nodes report: role, term"), "{stranger}");
        let quoted = wrong("TRUE", r#"\E n \in up : role[n] = "null""#).text();
        assert!(
            quoted.contains("report as `null` is no string") && quoted.contains("without quotes"),
            "{quoted}"
        );
        let open = wrong("role[(1", "{TRUE");
        assert_eq!(
            open.lines(),
            [
                "the property `one leader`:1:8: in the property `one leader`: expected `)`, found the end",
                "the goal:1:6: in the goal: expected `}`, found the end",
            ]
        );
        // In the file, if the formula is there word by word.
        let file = "[properties]\ngoal = '{TRUE'\n";
        let shown = problems::in_file(&open, "some.toml", file).lines();
        assert_eq!(shown[1], "some.toml:2:14: in the goal: expected `}`, found the end");
    }

    #[test]
    fn junction_lists_keep_their_columns() {
        let properties = properties("TRUE", "\\/ FALSE\n\\/ /\\ TRUE\n   /\\ TRUE\n");
        let mut judge = properties.expect("it makes sense").judge();
        let report = json!({ "role": "leader", "term": 1 });
        let judged = judge(&[report.as_object(), None]);
        assert_eq!(judged.map(|judgement| judgement.reached), Ok(Some(true)));
    }
}
