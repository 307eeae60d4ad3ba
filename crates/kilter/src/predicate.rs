//! TLA+ formulas about the states of a graph, such as `\E n \in DOMAIN role : role[n] = Leader`.
//!
//! A formula may use the graph's variables, its model values, and the standard modules. It can't use the definitions of
//! the specification, because the graph does not have them.

use std::fmt::Write as _;

use kilter_eval::Worker;
use kilter_graph::values::RestoreError;
use kilter_graph::{StateGraph, StateId};
use kilter_value::{Store, Value};

use crate::load::{Loaded, load_texts};

/// The part of the caller's stack that the evaluation of a formula may use.
const STACK_BYTES: usize = 1 << 20;

/// The name of the formula in the module that is made around it.
const NAME: &str = "KilterFormula";

/// What a formula about states is called in a configuration.
const OF_STATES: &str = "CONSTRAINT";

/// What a formula about steps is called in a configuration.
const OF_STEPS: &str = "ACTION_CONSTRAINT";

/// Why a formula can't be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum FormulaError {
    /// The formula has errors, or can't be evaluated in some state.
    #[error("in `{formula}`: {message}")]
    Senseless {
        /// The text of the formula.
        formula: String,
        /// What is wrong with it.
        message: String,
    },
    /// The graph does not have all states, because of SYMMETRY.
    #[error("a formula cannot be used with a graph that SYMMETRY has made smaller; check without SYMMETRY")]
    Symmetry,
    /// The graph is damaged.
    #[error(transparent)]
    Graph(#[from] RestoreError),
}

/// A formula about the states of a graph.
pub struct Predicate<'g> {
    graph: &'g StateGraph,
    text: String,
}

impl<'g> Predicate<'g> {
    /// Makes a formula. Its mistakes are found when it is evaluated.
    pub fn new(graph: &'g StateGraph, text: &str) -> Self {
        Predicate { graph, text: text.to_owned() }
    }

    /// For each state, whether the formula holds in it.
    pub fn states(&self) -> Result<Vec<bool>, FormulaError> {
        self.evaluate(OF_STATES, |rows, holds| {
            self.graph.states().map(|state| holds(rows(state), None)).collect()
        })
    }

    /// For each edge, whether the formula holds for it.
    pub fn edges(&self) -> Result<Vec<bool>, FormulaError> {
        self.evaluate(OF_STEPS, |rows, holds| {
            let graph = self.graph;
            graph
                .edges()
                .map(|edge| holds(rows(graph.source(edge)), Some(rows(graph.target(edge)))))
                .collect()
        })
    }

    fn evaluate(
        &self,
        role: &str,
        collect: impl Fn(
            &dyn Fn(StateId) -> Vec<Value>,
            &mut dyn FnMut(Vec<Value>, Option<Vec<Value>>) -> Result<bool, FormulaError>,
        ) -> Result<Vec<bool>, FormulaError>,
    ) -> Result<Vec<bool>, FormulaError> {
        if !self.graph.exchanges().is_empty() {
            return Err(FormulaError::Symmetry);
        }
        let store = Store::new();
        let values = self.graph.values().restore(&store)?;
        let models = self.graph.values().model_names();
        let formula = Formula { text: &self.text, variables: self.graph.variables(), models: &models };
        let loaded = formula.load(role, &store)?;
        let program = kilter_eval::compile(&loaded.spec, &store);
        let Some(condition) = program.constraints.first().or(program.action_constraints.first()) else {
            return Err(senseless(&self.text, "it is no formula"));
        };
        // The module declares the variables in the order of the graph, so a row of the graph is a state.
        let rows = |state: StateId| self.graph.state(state).map(|value| values[value]).collect();
        let mut worker = Worker::new(&program, &store, STACK_BYTES);
        collect(&rows, &mut |now, next| {
            worker
                .holds(condition, &now, next.as_deref())
                .map_err(|error| senseless(&self.text, &error.message))
        })
    }
}

/// What is wrong with the text of a formula, as far as that shows before there is a graph. `of_steps` says whether it is about
/// steps, so that it may have primes.
pub(crate) fn mistake(
    text: &str,
    of_steps: bool,
    variables: &[String],
    models: &[&str],
) -> Option<FormulaError> {
    let role = if of_steps { OF_STEPS } else { OF_STATES };
    Formula { text, variables, models }.load(role, &Store::new()).err()
}

/// A formula with the names that it can use.
struct Formula<'f> {
    text: &'f str,
    variables: &'f [String],
    models: &'f [&'f str],
}

impl Formula<'_> {
    /// Makes a specification of the formula, which has this role in its configuration.
    fn load(&self, role: &str, store: &Store) -> Result<Loaded, FormulaError> {
        let (module, config) = self.texts(role);
        load_texts(("formula", &module), ("formula.cfg", &config), store).map_err(|refusal| {
            let first = refusal.diagnostics.iter().next();
            let message = first.map_or("it makes no sense", |first| first.message.as_str());
            // Nobody has written the module, so its one name means nothing to anybody.
            let is_about_kind = message.contains(&format!("`{NAME}`"));
            senseless(
                self.text,
                if is_about_kind { "it is about steps, and should be about states" } else { message },
            )
        })
    }

    /// Makes the text of a module and of a configuration around the formula.
    fn texts(&self, role: &str) -> (String, String) {
        let words: Vec<&str> = self.text.split(|c: char| c != '_' && !c.is_alphanumeric()).collect();
        let models = self.models.iter().copied();
        let models: Vec<&str> = models
            .filter(|name| words.contains(name) && !self.variables.iter().any(|variable| variable == name))
            .collect();
        let mut module =
            "---- MODULE formula ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n".to_owned();
        // A configuration must name a behavior, although its states are not needed.
        let mut config = format!("INIT {NAME}Init\nNEXT {NAME}Next\n{role} {NAME}\n");
        if !models.is_empty() {
            let _ = writeln!(module, "CONSTANTS {}", models.join(", "));
            config += "CONSTANTS\n";
            for name in &models {
                let _ = writeln!(config, "{name} = {name}");
            }
        }
        let x = self.variables.join(", ");
        if !self.variables.is_empty() {
            let _ = writeln!(module, "VARIABLES {x}");
        }
        let _ = write!(module, "{NAME}Init == <<{x}>> = <<{x}>>\n{NAME}Next == UNCHANGED <<{x}>>\n");
        let _ = write!(module, "{NAME} ==\n  {}\n====\n", self.text);
        (module, config)
    }
}

fn senseless(formula: &str, message: &str) -> FormulaError {
    FormulaError::Senseless { formula: formula.to_owned(), message: message.to_owned() }
}
