//! Checks temporal properties: searches the state graph for a behavior that satisfies the fairness conditions and
//! violates a property.
//!
//! - [`links`]     the successor relation, recorded while states are found
//! - [`label`]     evaluates the literals of formulas in every state and for every step
//! - [`unfolded`]  where states stand for others, a graph that tells apart those in which literals differ
//! - [`letters`]   the values of literals, as bits
//! - [`normal`]    the conditions on a counterexample, as a list of alternatives
//! - [`automaton`] automata for the parts of an alternative that are more than `[]<>` and `<>[]`
//! - [`product`]   the product of the state graph and the automaton
//! - [`component`] strongly connected components of it with a fair loop
//! - [`lasso`]     makes a counterexample from such a component
//! - [`run`]       does all of this in the course of a search
//! - [`proof`]     checks a counterexample again, step by step as it is shown
//! - [`real`]      where states stand for others, searches a counterexample that is a behavior
//! - [`word`]      decides from the definitions whether a formula holds for a behavior

mod automaton;
mod component;
mod label;
mod lasso;
mod letters;
mod links;
mod normal;
mod product;
mod proof;
mod real;
mod run;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text;
mod unfolded;
mod word;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kilter_base::{Name, Span};
use kilter_eval::temporal::{Expansion, Fairness, Formula, Temporal};
use kilter_eval::{ErrorKind, EvalError, Program, Worker};

pub(crate) use label::Unlabelled;
pub(crate) use lasso::Lasso;
pub(crate) use letters::Letters;
pub(crate) use links::Links;
pub(crate) use run::Liveness;

use automaton::Automaton;
use component::{Conditions, fair_components};
use label::Labels;
use lasso::Start;
use letters::{Place, Step, Test};
use normal::Alternative;
use product::{Product, StateGraph};

use crate::stop::Stop;

/// Everything to check, prepared before the search.
pub(crate) struct Plan {
    pub(crate) expansion: Expansion,
    pub(crate) labels: Labels,
    /// How many of the fairness conditions in `expansion` belong to the specification, and not to a property.
    n_fairness: usize,
    safety: Vec<Safety>,
    checks: Vec<Check>,
    /// Properties that are not checked any more, because a violation is known.
    left_out: Vec<Name>,
}

/// A conjunct `[]P` or `[][A]_v` of a property that becomes a conjunction only when its quantifiers are expanded.
struct Safety {
    property: Name,
    /// The formula that must not hold in any state or for any step.
    wrong: Formula,
}

/// A state, or a step, that violates a safety property.
pub(crate) struct Wrong {
    pub(crate) property: Name,
    pub(crate) state: u32,
    pub(crate) step: Step,
}

/// One way to violate a property.
struct Check {
    property: Name,
    span: Span,
    /// The formula that a counterexample satisfies.
    violation: Formula,
    alternative: Alternative,
    automaton: Automaton,
    /// Whether the automaton may begin in any state, not only in initial states.
    anywhere: bool,
}

/// A counterexample and what it violates.
pub(crate) struct Violation {
    pub(crate) property: Name,
    pub(crate) lasso: Lasso,
    /// The formula that it satisfies: fairness and the negation of the property.
    pub(crate) formula: Formula,
}

impl Plan {
    /// Expands the temporal formulas of a program. Returns `None` if there is no temporal property.
    pub(crate) fn new(program: &Program, worker: &mut Worker<'_>) -> Result<Option<Plan>, EvalError> {
        let temporals = &program.temporals;
        if temporals.properties.is_empty() && temporals.refused_properties.is_empty() {
            return Ok(None);
        }
        if let Some(refusal) = temporals.refused_properties.iter().chain(&temporals.refused_fairness).next() {
            return Err(undecidable(&refusal.name, refusal.span, refusal.reason));
        }
        let mut expansion = Expansion::default();
        let mut fairness = Vec::new();
        for formula in &temporals.fairness {
            fairness.push(worker.expand(formula, true, &mut expansion)?);
        }
        let n_fairness = expansion.fairness.len();
        let mut safety = Vec::new();
        let mut checks = Vec::new();
        for property in &temporals.properties {
            let mut negation = worker.expand(property, false, &mut expansion)?;
            if matches!(property.body, Temporal::Quantifier(true, _)) {
                let (wrong, rest) = normal::split_safety(&negation);
                let safe = |wrong| Safety { property: property.name.clone(), wrong };
                safety.extend(wrong.into_iter().map(safe));
                negation = rest;
            }
            let violation = normal::junction(true, fairness.iter().cloned().chain([negation]).collect());
            checks.extend(checks_for(&property.name, property.span, &violation)?);
        }
        let labels = Labels::new(program, &expansion);
        Ok(Some(Plan { expansion, labels, n_fairness, safety, checks, left_out: Vec::new() }))
    }

    /// The fairness conditions of the specification.
    pub(crate) fn fairness(&self) -> &[Fairness] {
        &self.expansion.fairness[..self.n_fairness]
    }

    /// The first state or step that violates a safety property that is not left out. As in TLC, fairness afterwards does not matter.
    pub(crate) fn wrong(&self, links: &Links, letters: &Letters) -> Option<Wrong> {
        let graph = StateGraph { links, letters, n_initial: 0 };
        let tests: Vec<(&Name, Test)> = (self.safety.iter())
            .filter(|safety| !self.left_out.contains(&safety.property))
            .map(|safety| (&safety.property, Test::new(&safety.wrong, &self.labels.places)))
            .collect();
        let holds = |state: u32, step: Step| tests.iter().find(|(_, test)| graph.holds(test, state, step));
        if tests.is_empty() {
            return None;
        }
        (0..graph.n_states()).find_map(|state| {
            let wrong = |property: &Name, step| Wrong { property: property.clone(), state, step };
            let here = holds(state, Step::Stutter).map(|(property, _)| wrong(property, Step::Stutter));
            here.or_else(|| {
                links.of(state).find_map(|link| {
                    let (property, _) = holds(state, Step::Link(link))?;
                    Some(wrong(property, Step::Link(link)))
                })
            })
        })
    }

    /// The first violation of a property that is not left out. `parent` gives the state from which a state was first reached.
    pub(crate) fn violation(
        &self,
        links: &Links,
        letters: &Letters,
        n_initial: u32,
        n_threads: usize,
        stop: &Stop,
        parent: &(dyn Fn(u32) -> u32 + Sync),
    ) -> Result<Option<Violation>, EvalError> {
        let graph = StateGraph { links, letters, n_initial };
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<(usize, Searched)>> = Mutex::new(Vec::new());
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(check) = self.checks.get(index) else { break };
                if self.left_out.contains(&check.property) {
                    continue;
                }
                let result = check.search(graph, &self.labels.places, stop, parent);
                if !matches!(result, Ok(None)) {
                    // Later checks do not matter any more.
                    next.store(self.checks.len(), Ordering::Relaxed);
                    found.lock().expect("no thread panics while it holds the lock").push((index, result));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..n_threads.min(self.checks.len()) {
                scope.spawn(work);
            }
            work();
        });
        let found = found.into_inner().expect("no thread panics while it holds the lock");
        let Some((index, result)) = found.into_iter().min_by_key(|(index, _)| *index) else {
            return Ok(None);
        };
        let check = &self.checks[index];
        let lasso = result.map_err(|failure| match failure {
            Failure::TooManyPlaces => {
                undecidable(&check.property, check.span, "there are too many states for its automaton")
            }
            Failure::Stopped => stopped(),
        })?;
        let violation =
            |lasso| Violation { property: check.property.clone(), lasso, formula: check.violation.clone() };
        Ok(lasso.map(violation))
    }
}

/// The result of a check.
type Searched = Result<Option<Lasso>, Failure>;

/// Why a check was not finished.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The product has more places than can be numbered.
    TooManyPlaces,
    /// The search was interrupted, or its time is over.
    Stopped,
}

/// The ways to violate a property.
fn checks_for(property: &Name, span: Span, violation: &Formula) -> Result<Vec<Check>, EvalError> {
    let too_complex = || undecidable(property, span, "it is too complex: split it into several properties");
    let alternatives = normal::alternatives(violation).map_err(|_| too_complex())?;
    let check = |mut alternative: Alternative| {
        let rest = std::mem::take(&mut alternative.rest);
        // All states are reachable, so an event that must happen eventually can be searched from each of them.
        let (rest, anywhere) = match rest.as_slice() {
            [Formula::Eventually(body)] => (vec![(**body).clone()], true),
            _ => (rest, false),
        };
        let automaton = automaton::automaton(&rest).map_err(|_| too_complex())?;
        Ok(Check {
            property: property.clone(),
            span,
            violation: violation.clone(),
            alternative,
            automaton,
            anywhere,
        })
    };
    alternatives.into_iter().map(check).collect()
}

impl Check {
    fn search(
        &self,
        graph: StateGraph<'_>,
        places: &[Place],
        stop: &Stop,
        parent: &dyn Fn(u32) -> u32,
    ) -> Searched {
        let product = Product::new(graph, &self.automaton, places)?;
        let conditions = Conditions::new(&self.alternative, places);
        let n_roots = if self.anywhere { graph.n_states() } else { graph.n_initial.min(graph.n_states()) };
        let roots = (0..n_roots).flat_map(|state| product.beginnings(state));
        let components = fair_components(&product, &conditions, stop, roots)?;
        if components.is_empty() {
            return Ok(None);
        }
        let start = if self.anywhere { Start::Anywhere(parent) } else { Start::Initial };
        // Accepted components are reachable from the roots, and they have all steps that a loop needs.
        let lasso = lasso::lasso(&product, &conditions, &components, &start);
        Ok(Some(lasso.expect("an accepted component can be reached and has a fair loop")))
    }
}

fn undecidable(name: &Name, span: Span, reason: &str) -> EvalError {
    EvalError {
        kind: ErrorKind::Evaluation,
        message: format!("the temporal formula {name} cannot be decided: {reason}"),
        span: Some(span),
        chain: Vec::new(),
    }
}

/// The search must end, although properties have not been checked.
pub(crate) fn stopped() -> EvalError {
    let message = "stopped while temporal properties were checked".to_owned();
    EvalError { kind: ErrorKind::Stopped, message, span: None, chain: Vec::new() }
}
