//! Breadth-first search, with TLC's counts and TLC's order of checks.

use std::collections::BTreeMap;

use super::checks::{initial_checks, state_checks, step_checks};
use super::env::Env;
use super::eval::{Evaluator, Frame, Partial};
use super::graph::Graph;
use super::step::{Halt, Mode};
use super::temporal;
use crate::model::{Action, Constant, Model};
use crate::value::{Error, Value, compare};

/// What the check of a model found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything holds.
    Ok,
    /// An ASSUME is false.
    Assumption,
    /// A state has no successor.
    Deadlock,
    /// A state violates this invariant, or this property of the form `[]P`.
    Invariant(String),
    /// An initial state or a step violates this property.
    Property(String),
    /// Infinite behaviors violate these properties.
    Temporal(Vec<String>),
    /// An expression has no value, for this reason.
    Error(String),
    /// The state space is too large for a naive search.
    TooLarge,
}

/// The result of checking a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the check found.
    pub verdict: Verdict,
    /// The number of states generated.
    pub generated: u64,
    /// The number of distinct states.
    pub distinct: u64,
    /// The number of levels. Initial states are on level 1. It is 0 if no state was generated.
    pub depth: u64,
    /// The number of states in the shortest behavior that shows the fault. `None` if no finite behavior shows it.
    pub trace: Option<u64>,
}

/// The search gives up if there are more states.
const STATES_MAX: usize = 600;

/// Checks a model.
pub fn check(model: &Model) -> Answer {
    check_within(model, u64::MAX)
}

/// Checks a model. The model is too large if this effort, counted in evaluations of expressions, does not suffice.
pub fn check_within(model: &Model, effort_max: u64) -> Answer {
    let evaluator = Evaluator::new(model, effort_max);
    let mut search = Search::new(&evaluator);
    let verdict = match search.run() {
        _ if evaluator.exhausted() => Verdict::TooLarge,
        Ok(()) => Verdict::Ok,
        Err(Stop::Verdict(verdict)) => verdict,
        Err(Stop::Error(error)) => Verdict::Error(error),
    };
    Answer {
        verdict,
        generated: search.generated,
        distinct: search.states.len() as u64,
        depth: if search.generated == 0 { 0 } else { search.depth },
        trace: search.trace,
    }
}

/// Why a search ended early.
enum Stop {
    Verdict(Verdict),
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

struct Search<'s, 'm> {
    of: &'s Evaluator<'m>,
    permutations: Vec<Vec<usize>>,
    seen: BTreeMap<Value, usize>,
    states: Vec<Partial>,
    levels: Vec<u64>,
    steps: Vec<Vec<usize>>,
    initial: Vec<usize>,
    generated: u64,
    depth: u64,
    trace: Option<u64>,
}

impl<'s, 'm> Search<'s, 'm> {
    fn new(of: &'s Evaluator<'m>) -> Self {
        Search {
            of,
            permutations: permutations(of),
            seen: BTreeMap::new(),
            states: Vec::new(),
            levels: Vec::new(),
            steps: Vec::new(),
            initial: Vec::new(),
            generated: 0,
            depth: 1,
            trace: None,
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let of = self.of;
        let nowhere = Frame { first: &[], second: &[], mapping: None };
        for assume in &of.model.assumes {
            if !of.holds(assume, &Env::default(), nowhere)? {
                return Err(Stop::Verdict(Verdict::Assumption));
            }
        }
        self.start()?;
        let mut next = 0;
        while next < self.states.len() {
            if self.states.len() > STATES_MAX {
                return Err(Stop::Verdict(Verdict::TooLarge));
            }
            self.explore(next)?;
            next += 1;
        }
        if of.model.has_temporal() {
            let graph = Graph {
                states: std::mem::take(&mut self.states),
                steps: std::mem::take(&mut self.steps),
                initial: std::mem::take(&mut self.initial),
            };
            let violated = temporal::violated(of, &graph);
            self.states = graph.states;
            let violated = violated?;
            if !violated.is_empty() {
                return Err(Stop::Verdict(Verdict::Temporal(violated)));
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Stop> {
        let init = &self.of.model.behaviors.init;
        let mut stop = None;
        let of = self.of;
        let end = of.states(Mode::Init, init, &Env::default(), &[], None, &mut |state| {
            self.generated += 1;
            self.trace = Some(1);
            self.begin(state).map_err(|why| {
                stop = Some(why);
                Halt::Stop
            })
        });
        finish(end, stop)?;
        self.trace = None;
        Ok(())
    }

    /// Handles an initial state.
    fn begin(&mut self, state: &Partial) -> Result<(), Stop> {
        complete(state)?;
        if self.in_model(state)? {
            let (place, new) = self.store(state, 1)?;
            if !new {
                return Ok(());
            }
            self.initial.push(place);
        }
        self.check_state(state)?;
        let frame = Frame { first: state, second: &[], mapping: None };
        for (name, pred, mapping) in initial_checks(self.of.model) {
            if !self.of.holds(pred, &Env::default(), Frame { mapping, ..frame })? {
                return Err(Stop::Verdict(Verdict::Property(name.to_owned())));
            }
        }
        Ok(())
    }

    fn explore(&mut self, place: usize) -> Result<(), Stop> {
        let (of, level, from) = (self.of, self.levels[place], self.states[place].clone());
        let before = self.generated;
        self.trace = Some(level + 1);
        let mut stop = None;
        for action in &of.model.behaviors.actions {
            let end = each_way(of, action, &from, &mut |state| {
                self.generated += 1;
                self.arrive(place, &from, state).map_err(|why| {
                    stop = Some(why);
                    Halt::Stop
                })
            });
            finish(end, stop.take())?;
        }
        self.trace = Some(level);
        if self.generated == before && of.model.deadlock {
            return Err(Stop::Verdict(Verdict::Deadlock));
        }
        self.steps[place].push(place);
        self.trace = None;
        Ok(())
    }

    /// Handles a successor. A state that a constraint cuts off is checked every time. A known state is not checked
    /// again.
    fn arrive(&mut self, place: usize, from: &Partial, state: &Partial) -> Result<(), Stop> {
        complete(state)?;
        let frame = Frame { first: from, second: state, mapping: None };
        let mut unseen = true;
        if self.in_model(state)? && self.in_actions(frame)? {
            let (to, new) = self.store(state, self.levels[place] + 1)?;
            self.steps[place].push(to);
            unseen = new;
        }
        if unseen {
            self.check_state(state)?;
        }
        for (name, action, names, mapping) in step_checks(self.of.model) {
            let frame = Frame { mapping, ..frame };
            let fine = self.of.next_holds(action, frame)? || !self.of.changes(Some(names), frame)?;
            if !fine {
                return Err(Stop::Verdict(Verdict::Property(name.to_owned())));
            }
        }
        Ok(())
    }

    fn check_state(&self, state: &Partial) -> Result<(), Stop> {
        let frame = Frame { first: state, second: &[], mapping: None };
        for (name, pred, _) in state_checks(self.of.model) {
            if !self.of.holds(pred, &Env::default(), frame)? {
                return Err(Stop::Verdict(Verdict::Invariant(name.to_owned())));
            }
        }
        Ok(())
    }

    fn in_model(&self, state: &Partial) -> Result<bool, Error> {
        let frame = Frame { first: state, second: &[], mapping: None };
        for (_, constraint) in &self.of.model.constraints {
            if !self.of.holds(constraint, &Env::default(), frame)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_actions(&self, frame: Frame<'_, 'm>) -> Result<bool, Error> {
        for (_, constraint) in &self.of.model.action_constraints {
            if !self.of.holds(constraint, &Env::default(), frame)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The index of a state, which is stored if it is new, and whether it is new.
    fn store(&mut self, state: &Partial, level: u64) -> Result<(usize, bool), Error> {
        let key = self.key(state)?;
        if let Some(place) = self.seen.get(&key) {
            return Ok((*place, false));
        }
        let place = self.states.len();
        self.seen.insert(key, place);
        self.states.push(state.clone());
        self.levels.push(level);
        self.steps.push(Vec::new());
        self.depth = self.depth.max(level);
        Ok((place, true))
    }

    /// The key of a state: the smallest state that renaming symmetric values gives, or the view of that state.
    fn key(&self, state: &Partial) -> Result<Value, Error> {
        self.of.spend(self.permutations.len() as u64)?;
        let values: Vec<Value> = state.iter().flatten().cloned().collect();
        let mut least = values.clone();
        for permutation in &self.permutations {
            let renamed: Result<Vec<Value>, Error> =
                values.iter().map(|value| value.permuted(permutation)).collect();
            let renamed = renamed?;
            let first_difference = renamed.iter().zip(&least).find(|(new, old)| new != old);
            if let Some((new, old)) = first_difference
                && compare(new, old)?.is_lt()
            {
                least = renamed;
            }
        }
        match &self.of.model.view {
            None => Ok(Value::tuple(least)),
            Some(view) => {
                let least: Partial = least.into_iter().map(Some).collect();
                let frame = Frame { first: &least, second: &[], mapping: None };
                self.of.eval(view, &Env::default(), frame)
            }
        }
    }
}

/// The reason why a search stops. `stop` is the search's own reason, which counts more than the end of the enumeration.
fn finish(end: Result<(), Halt>, stop: Option<Stop>) -> Result<(), Stop> {
    match (end, stop) {
        (_, Some(stop)) => Err(stop),
        (Err(Halt::Error(error)), None) => Err(Stop::Error(error)),
        (Ok(()) | Err(Halt::Stop), None) => Ok(()),
    }
}

fn complete(state: &Partial) -> Result<(), Error> {
    state.iter().all(Option::is_some).then_some(()).ok_or_else(|| "a variable has no value".to_owned())
}

/// Calls `emit` with the successors that one action gives, for all its arguments.
fn each_way<'m>(
    of: &Evaluator<'m>,
    action: &'m Action,
    from: &Partial,
    emit: &mut dyn FnMut(&Partial) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let frame = Frame { first: from, second: &[], mapping: None };
    for env in of.contexts(&action.params, &Env::default(), frame)? {
        of.states(Mode::Next, &action.body, &env, from, None, emit)?;
    }
    Ok(())
}

/// All ways to rename the values of symmetric sets.
fn permutations(of: &Evaluator<'_>) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..of.models.len()).collect();
    let mut all = vec![identity];
    for (name, constant) in &of.model.constants {
        let Constant::Models(names) = constant else { continue };
        if !of.model.symmetry.contains(name) {
            continue;
        }
        let places: Vec<usize> =
            (0..of.models.len()).filter(|at| names.iter().any(|n| n == of.models[*at])).collect();
        for order in orders(&places) {
            for at in 0..all.len() {
                let mut renamed = all[at].clone();
                for (from, to) in places.iter().zip(&order) {
                    renamed[*from] = *to;
                }
                if !all.contains(&renamed) {
                    all.push(renamed);
                }
            }
        }
    }
    all
}

fn orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut others = items.to_vec();
        let first = others.remove(at);
        all.extend(orders(&others).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}
