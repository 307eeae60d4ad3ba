//! Checks temporal properties on a finite graph, by the definitions.
//!
//! Conditions on infinitely many steps (fairness, `[]<>A`) have the same truth at each position of a behavior. All
//! combinations of their truth values are tried. For each, the product of the graph with the truth values of the other
//! temporal parts is built. A strongly connected component of the product that makes everything come true is a
//! violation.

use super::env::Env;
use super::eval::{Evaluator, Frame, Partial};
use super::graph::Graph;
use crate::model::{Action, Behaviors, Expr, Fairness, Property, Temporal};
use crate::value::Error;

/// A formula over numbered parts.
#[derive(Clone, Debug)]
enum Formula {
    /// The truth of a predicate in each state.
    State(Vec<bool>),
    /// The recurring state or step with this number occurs infinitely often.
    Often(usize),
    /// `[]` or `<>` of the part with this number.
    Later(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// States or steps that may occur infinitely often.
enum Recurring {
    States(Vec<bool>),
    /// By state and by step of the state.
    Steps(Vec<Vec<bool>>),
}

/// `[]` or `<>` of a formula.
struct Part {
    always: bool,
    of: Formula,
}

struct Formulas<'f, 'm> {
    of: &'f Evaluator<'m>,
    graph: &'f Graph,
    recurring: Vec<Recurring>,
    parts: Vec<Part>,
}

/// The module that the actions of a formula belong to. The abstract module has a mapping.
#[derive(Clone, Copy)]
struct Place<'m> {
    behaviors: &'m Behaviors,
    mapping: Option<&'m [(String, Expr)]>,
}

/// The names of temporal properties that some fair behavior violates.
pub fn violated(of: &Evaluator<'_>, graph: &Graph) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for (name, property) in &of.model.properties {
        let concrete = Place { behaviors: &of.model.behaviors, mapping: None };
        let mut formulas = Formulas { of, graph, recurring: Vec::new(), parts: Vec::new() };
        let wanted = match (property, &of.model.abstraction) {
            (Property::Temporal(formula), _) => formulas.temporal(formula, concrete)?,
            (Property::Refines, Some(second)) => {
                let place = Place { behaviors: &second.behaviors, mapping: Some(&second.mapping) };
                formulas.all_fair(&second.behaviors.fairness, place)?
            }
            _ => continue,
        };
        let fair = formulas.all_fair(&of.model.behaviors.fairness, concrete)?;
        formulas.pay()?;
        if formulas.satisfiable(&Formula::And(vec![fair, Formula::Not(Box::new(wanted))])) {
            names.push(name.clone());
        }
    }
    Ok(names)
}

impl<'m> Formulas<'_, 'm> {
    fn temporal(&mut self, formula: &'m Temporal, place: Place<'m>) -> Result<Formula, Error> {
        Ok(match formula {
            Temporal::State(pred) => Formula::State(self.states(|of, state| {
                of.holds(pred, &Env::default(), Frame { first: state, second: &[], mapping: None })
            })?),
            Temporal::Always(inner) => {
                let inner = self.temporal(inner, place)?;
                self.later(true, inner)
            }
            Temporal::Eventually(inner) => {
                let inner = self.temporal(inner, place)?;
                self.later(false, inner)
            }
            Temporal::LeadsTo(from, to) => {
                let (from, to) = (self.temporal(from, place)?, self.temporal(to, place)?);
                let to = self.later(false, to);
                self.later(true, Formula::Or(vec![not(from), to]))
            }
            Temporal::Not(inner) => not(self.temporal(inner, place)?),
            Temporal::And(a, b) => Formula::And(vec![self.temporal(a, place)?, self.temporal(b, place)?]),
            Temporal::Or(a, b) => Formula::Or(vec![self.temporal(a, place)?, self.temporal(b, place)?]),
            Temporal::Implies(a, b) => {
                Formula::Or(vec![not(self.temporal(a, place)?), self.temporal(b, place)?])
            }
            Temporal::OftenStep(action) => {
                let steps = self.steps(|of, frame| {
                    Ok(of.holds(action, &Env::default(), frame)?
                        && of.changes(Some(&place.behaviors.variables), frame)?)
                })?;
                self.often(Recurring::Steps(steps))
            }
            Temporal::AtLastSteps(action) => {
                let others = self.steps(|of, frame| {
                    Ok(!of.holds(action, &Env::default(), frame)?
                        && of.changes(Some(&place.behaviors.variables), frame)?)
                })?;
                not(self.often(Recurring::Steps(others)))
            }
            Temporal::Fair(fairness) => self.fair(fairness, place)?,
        })
    }

    fn all_fair(&mut self, conditions: &'m [Fairness], place: Place<'m>) -> Result<Formula, Error> {
        let all: Result<Vec<Formula>, Error> =
            conditions.iter().map(|condition| self.fair(condition, place)).collect();
        Ok(Formula::And(all?))
    }

    fn fair(&mut self, condition: &Fairness, place: Place<'m>) -> Result<Formula, Error> {
        let actions = match condition.action {
            Some(number) => std::slice::from_ref(&place.behaviors.actions[number]),
            None => place.behaviors.actions.as_slice(),
        };
        let nowhere = Frame { first: &[], second: &[], mapping: None };
        if !condition.each {
            let ways: Result<Vec<Vec<Env<'m>>>, Error> =
                actions.iter().map(|one| self.of.contexts(&one.params, &Env::default(), nowhere)).collect();
            let ways: Vec<(&Action, Env<'m>)> = actions
                .iter()
                .zip(ways?)
                .flat_map(|(action, envs)| envs.into_iter().map(move |env| (action, env)))
                .collect();
            return self.fair_to(condition.strong, &ways, place);
        }
        let mut all = Vec::new();
        for action in actions {
            for env in self.of.contexts(&action.params, &Env::default(), nowhere)? {
                all.push(self.fair_to(condition.strong, &[(action, env)], place)?);
            }
        }
        Ok(Formula::And(all))
    }

    /// Fairness of a disjunction of actions, each with its arguments.
    fn fair_to(
        &mut self,
        strong: bool,
        ways: &[(&'m Action, Env<'m>)],
        place: Place<'m>,
    ) -> Result<Formula, Error> {
        let names = Some(place.behaviors.variables.as_slice());
        let taken = self.steps(|of, frame| {
            let frame = Frame { mapping: place.mapping, ..frame };
            for (action, env) in ways {
                if of.holds(&action.body, env, frame)? {
                    return of.changes(names, frame);
                }
            }
            Ok(false)
        })?;
        let enabled = self.states(|of, state| {
            let frame = Frame { first: state, second: &[], mapping: place.mapping };
            for (action, env) in ways {
                if of.enabled(&action.body, env, frame, names)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        let taken = self.often(Recurring::Steps(taken));
        let idle = if strong {
            not(self.often(Recurring::States(enabled)))
        } else {
            self.often(Recurring::States(enabled.into_iter().map(|enabled| !enabled).collect()))
        };
        Ok(Formula::Or(vec![idle, taken]))
    }

    fn states(
        &self,
        holds: impl Fn(&Evaluator<'m>, &Partial) -> Result<bool, Error>,
    ) -> Result<Vec<bool>, Error> {
        self.graph.states.iter().map(|state| holds(self.of, state)).collect()
    }

    fn steps(
        &self,
        holds: impl Fn(&Evaluator<'m>, Frame<'_, 'm>) -> Result<bool, Error>,
    ) -> Result<Vec<Vec<bool>>, Error> {
        let states = &self.graph.states;
        let of_state = |(from, steps): (usize, &Vec<usize>)| {
            let frame = |to: usize| Frame { first: &states[from], second: &states[to], mapping: None };
            steps.iter().map(|to| holds(self.of, frame(*to))).collect()
        };
        self.graph.steps.iter().enumerate().map(of_state).collect()
    }

    fn often(&mut self, what: Recurring) -> Formula {
        self.recurring.push(what);
        Formula::Often(self.recurring.len() - 1)
    }

    fn later(&mut self, always: bool, of: Formula) -> Formula {
        self.parts.push(Part { always, of });
        Formula::Later(self.parts.len() - 1)
    }

    /// Spends the effort of the search in advance. The search looks at each step for all truth values of the recurring
    /// conditions, and of the temporal parts before and after the step. Each look takes less than an evaluation.
    fn pay(&self) -> Result<(), Error> {
        let steps: usize = self.graph.steps.iter().map(Vec::len).sum();
        self.of.spend(((steps as u64) << (self.recurring.len() + 2 * self.parts.len()).min(32)) / 4)
    }

    /// Whether some behavior of the graph satisfies a formula.
    fn satisfiable(&self, formula: &Formula) -> bool {
        (0..1_u32 << self.recurring.len()).any(|often| self.satisfiable_with(formula, often))
    }

    fn satisfiable_with(&self, formula: &Formula, often: u32) -> bool {
        let reached = self.reach(formula, often);
        let inside = |node: &(usize, u32)| self.allowed_state(node.0, often);
        let nodes: Vec<(usize, u32)> = reached.into_iter().filter(inside).collect();
        components(&nodes, |node| {
            let mut next = Vec::new();
            for (number, to) in self.graph.steps[node.0].iter().enumerate() {
                if self.allowed_step(node.0, number, often) {
                    next.extend(self.successors(node, *to, often));
                }
            }
            next
        })
        .iter()
        .any(|component| self.fulfils(component, often))
    }

    /// The pairs of a state and the truth values of the parts there that are reached from the initial states.
    fn reach(&self, formula: &Formula, often: u32) -> Vec<(usize, u32)> {
        let mut found: std::collections::BTreeSet<(usize, u32)> = std::collections::BTreeSet::new();
        let mut work: Vec<(usize, u32)> = Vec::new();
        for state in &self.graph.initial {
            for parts in 0..1_u32 << self.parts.len() {
                if truth(formula, *state, parts, often) {
                    work.push((*state, parts));
                }
            }
        }
        while let Some(node) = work.pop() {
            if found.insert(node) {
                for to in &self.graph.steps[node.0] {
                    work.extend(self.successors(node, *to, often));
                }
            }
        }
        found.into_iter().collect()
    }

    /// The nodes that follow by a step to the state `to`. `[]F` is true if F is true now and `[]F` is true next. `<>F`
    /// is true if F is true now or `<>F` is true next.
    fn successors(&self, (state, parts): (usize, u32), to: usize, often: u32) -> Vec<(usize, u32)> {
        let follows = |next: &u32| {
            self.parts.iter().enumerate().all(|(number, part)| {
                let now = truth(&part.of, state, parts, often);
                let later = next >> number & 1 == 1;
                (parts >> number & 1 == 1) == if part.always { now && later } else { now || later }
            })
        };
        (0..1_u32 << self.parts.len()).filter(follows).map(|next| (to, next)).collect()
    }

    /// Whether a behavior may be in this state infinitely often.
    fn allowed_state(&self, state: usize, often: u32) -> bool {
        self.recurring.iter().enumerate().all(|(number, what)| match what {
            Recurring::States(truth) => often >> number & 1 == 1 || !truth[state],
            Recurring::Steps(_) => true,
        })
    }

    fn allowed_step(&self, state: usize, step: usize, often: u32) -> bool {
        self.recurring.iter().enumerate().all(|(number, what)| match what {
            Recurring::States(_) => true,
            Recurring::Steps(truth) => often >> number & 1 == 1 || !truth[state][step],
        })
    }

    /// Whether a behavior that stays in a component can do everything that must occur infinitely often.
    fn fulfils(&self, component: &[(usize, u32)], often: u32) -> bool {
        let recurs = self.recurring.iter().enumerate().all(|(number, what)| match what {
            _ if often >> number & 1 == 0 => true,
            Recurring::States(truth) => component.iter().any(|node| truth[node.0]),
            Recurring::Steps(truth) => component.iter().any(|node| {
                let steps = self.graph.steps[node.0].iter().enumerate();
                steps.into_iter().any(|(step, to)| {
                    truth[node.0][step]
                        && self.allowed_step(node.0, step, often)
                        && self
                            .successors(*node, *to, often)
                            .iter()
                            .any(|next| component.binary_search(next).is_ok())
                })
            }),
        });
        // If `[]F` is false, F must be false somewhere. If `<>F` is true, F must be true somewhere.
        let comes = self.parts.iter().enumerate().all(|(number, part)| {
            component.iter().any(|node| {
                let now = truth(&part.of, node.0, node.1, often);
                let claimed = node.1 >> number & 1 == 1;
                if part.always { claimed || !now } else { !claimed || now }
            })
        });
        recurs && comes
    }
}

/// Whether a formula is true in a state, given the truth values of its temporal parts.
fn truth(formula: &Formula, state: usize, parts: u32, often: u32) -> bool {
    match formula {
        Formula::State(truth) => truth[state],
        Formula::Often(number) => often >> number & 1 == 1,
        Formula::Later(number) => parts >> number & 1 == 1,
        Formula::Not(inner) => !truth(inner, state, parts, often),
        Formula::And(items) => items.iter().all(|item| truth(item, state, parts, often)),
        Formula::Or(items) => items.iter().any(|item| truth(item, state, parts, often)),
    }
}

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}

/// The strongly connected components that have at least one step inside, each sorted (Kosaraju's algorithm). A search
/// backwards from the node that the search forwards has left last finds its component, because no other unvisited node
/// leads to it.
fn components(
    nodes: &[(usize, u32)],
    next: impl Fn((usize, u32)) -> Vec<(usize, u32)>,
) -> Vec<Vec<(usize, u32)>> {
    let place = |node: &(usize, u32)| nodes.binary_search(node).ok();
    let forward: Vec<Vec<usize>> =
        nodes.iter().map(|node| next(*node).iter().filter_map(place).collect()).collect();
    let mut backward = vec![Vec::new(); nodes.len()];
    for (from, targets) in forward.iter().enumerate() {
        for to in targets {
            backward[*to].push(from);
        }
    }
    let mut entered = vec![false; nodes.len()];
    let left: Vec<usize> =
        (0..nodes.len()).flat_map(|start| in_order_of_leaving(&forward, start, &mut entered)).collect();
    let mut done = vec![false; nodes.len()];
    let mut all = Vec::new();
    for start in left.into_iter().rev() {
        let mut members = in_order_of_leaving(&backward, start, &mut done);
        members.sort_unstable();
        if members.len() > 1 || members.iter().any(|member| forward[*member].contains(member)) {
            all.push(members.into_iter().map(|at| nodes[at]).collect());
        }
    }
    all
}

/// The nodes that are reached from `start` and were not entered before, in the order in which a depth-first search
/// leaves them.
fn in_order_of_leaving(next: &[Vec<usize>], start: usize, entered: &mut [bool]) -> Vec<usize> {
    if entered[start] {
        return Vec::new();
    }
    entered[start] = true;
    let mut left = Vec::new();
    let mut path = vec![(start, next[start].iter())];
    while let Some((node, targets)) = path.last_mut() {
        match targets.find(|to| !entered[**to]) {
            Some(to) => {
                entered[*to] = true;
                path.push((*to, next[*to].iter()));
            }
            None => {
                left.push(*node);
                path.pop();
            }
        }
    }
    left
}
