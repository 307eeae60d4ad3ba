//! Temporal properties in the course of a search: links are recorded as states are found, and the graph is looked at when
//! it is complete, and before that whenever it has become a few times larger.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use kilter_base::Name;
use kilter_eval::temporal::{Fairness, Formula};
use kilter_eval::{ErrorKind, EvalError, Program, Successors, Worker};
use kilter_value::Value;

use super::letters::Test;
use super::normal::is_temporal;
use super::represent::Represented;
use super::{Lasso, Letters, Links, Plan, Unlabelled, Violation, Wrong, satisfies};
use crate::chunk::{Event, Target, What};
use crate::crew::Crew;
use crate::expand::Model;
use crate::outcome::{Back, Fair, Repair, Verdict, Warning, Why};
use crate::space::Space;
use crate::stop::Stop;
use crate::trace;

/// How much larger the graph must have become for the next look.
const GROWTH: u32 = 2;
/// What a state and a link take while properties are checked: letters, places of the product, and what was seen of them.
const CHECK_STATE_BYTES: u64 = 48;
const CHECK_LINK_BYTES: u64 = 2;

/// What is known for the sake of temporal properties.
pub(crate) struct Liveness {
    plan: Plan,
    exact: bool,
    links: Links,
    letters: Letters,
    next_look: u32,
}

impl Liveness {
    /// `exact` where states stand for themselves only: there is neither SYMMETRY nor VIEW.
    pub(crate) fn new(plan: Plan, exact: bool, first_look_states: u32) -> Self {
        let letters = Letters::new(&plan.labels.places);
        Liveness { plan, exact, links: Links::default(), letters, next_look: first_look_states }
    }

    /// Records links, which come in the order of their sources.
    pub(crate) fn link(&mut self, links: &[(u32, Target)], number: impl Fn(&Target) -> u32) {
        if !self.exact {
            return;
        }
        for group in links.chunk_by(|(source, _), (other, _)| source == other) {
            if let Some((source, _)) = group.first() {
                self.links.add(*source, group.iter().map(|(_, target)| number(target)));
            }
        }
    }

    /// Whether the graph has grown enough to look at it before the search has ended.
    pub(crate) fn is_due(&self, n_explored: u32) -> bool {
        n_explored >= self.next_look
    }

    /// Looks for a violation among the states explored so far.
    pub(crate) fn check<'p>(
        &mut self,
        model: &Model<'p>,
        crew: &mut Crew<'p>,
        space: &Space,
        n_explored: u32,
        n_initial: u32,
        stop: &Stop,
    ) -> Result<Option<Verdict>, Event> {
        self.next_look = n_explored.saturating_mul(GROWTH);
        if self.exact {
            self.links.finish(n_explored);
        }
        self.label(model, crew, space, n_explored)?;
        let parent = |state| space.parent(state);
        let n_threads = crew.hands.len();
        let failed = |error| Event { source: None, successor: None, what: What::Error(error) };
        if let Some(wrong) = self.plan.wrong(&self.links, &self.letters) {
            return Err(event_of(space, wrong));
        }
        let violation = self
            .plan
            .violation(&self.links, &self.letters, n_initial, n_threads, stop, &parent)
            .map_err(failed)?;
        violation
            .map(|violation| self.report(model, &mut crew.hands[0].worker, space, &violation))
            .transpose()
            .map_err(failed)
    }

    /// Evaluates literals in the states that are new since the last look.
    fn label<'p>(
        &mut self,
        model: &Model<'p>,
        crew: &mut Crew<'p>,
        space: &Space,
        n_explored: u32,
    ) -> Result<(), Event> {
        let (labels, exact) = (&self.plan.labels, self.exact);
        let links = &self.links;
        let unlabelled = self.letters.n_states().min(n_explored)..n_explored;
        let failed_at = AtomicU32::new(u32::MAX);
        let done = crew.map_chunks(unlabelled, |hand, states| {
            let start = states.start;
            // Chunks that start later cannot hold an earlier error.
            if start > failed_at.load(Ordering::Relaxed) {
                return None;
            }
            let result = if exact {
                let letters = labels.letters(&mut hand.worker, space, links, states);
                letters.map(|letters| Represented { targets: Vec::new(), letters })
            } else {
                labels.represented(hand, model, space, states)
            };
            if result.is_err() {
                failed_at.fetch_min(start, Ordering::Relaxed);
            }
            Some(result)
        });
        for result in done {
            match result {
                Ok(Represented { targets, letters }) => {
                    for targets in &targets {
                        self.links.add_as_given(targets);
                    }
                    self.letters.append(&letters);
                }
                Err(unlabelled) => {
                    let Unlabelled { state, target, error } = *unlabelled;
                    let successor = target.map(|target| space.row(target).to_vec());
                    return Err(Event { source: Some(state), successor, what: What::Error(error) });
                }
            }
        }
        Ok(())
    }

    fn report(
        &self,
        model: &Model<'_>,
        worker: &mut Worker<'_>,
        space: &Space,
        violation: &Violation,
    ) -> Result<Verdict, EvalError> {
        let Violation { property, lasso, formula } = violation;
        let states = lasso.stem.iter().chain(&lasso.cycle);
        let rows: Vec<Vec<Value>> = states.map(|state| space.row(*state).to_vec()).collect();
        let to = lasso.stem.len();
        let next = |position: usize| if position + 1 < rows.len() { position + 1 } else { to };
        let mut values = Vec::with_capacity(rows.len());
        for (position, row) in rows.iter().enumerate() {
            let successor = &rows[next(position)];
            let literals = self.plan.expansion.literals.iter();
            let bits: Result<Vec<bool>, EvalError> =
                literals.map(|literal| worker.literal_holds(literal, row, Some(successor))).collect();
            values.push(bits?);
        }
        let literal = |position: usize, literal: u32| values[position][literal as usize];
        if self.exact && !satisfies(lasso, formula, &literal) {
            return Err(EvalError {
                kind: ErrorKind::Evaluation,
                message: format!(
                    "the counterexample to {property} does not stand up to a second look; this is an error in Kilter"
                ),
                span: None,
                chain: Vec::new(),
            });
        }
        let fair = self.plan.fairness().iter().map(|one| reason(one, lasso, &literal)).collect();
        let repairs = repairs(model.program, worker, &rows[to..]);
        let stutters = lasso.cycle.len() == 1;
        let trace = trace::along(model, worker, &rows);
        let action = match rows.last() {
            Some(last) if !stutters => trace::label_of(model.program, model.store, worker, last, &rows[to]),
            _ => None,
        };
        Ok(Verdict::Liveness { name: property.clone(), trace, back: Back { to, action, fair, repairs } })
    }

    /// What the user should know; of a complete graph, also what never happens.
    pub(crate) fn warnings(&self, program: &Program, complete: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if !program.symmetry.is_empty() {
            warnings.push(Warning::Symmetry);
        }
        if !program.constraints.is_empty() || !program.action_constraints.is_empty() {
            warnings.push(Warning::Constraint);
        }
        if !complete {
            return warnings;
        }
        let places = &self.plan.labels.places;
        let never = |test: &Test| {
            !test.reads_steps()
                && !(0..self.letters.n_states()).any(|state| test.holds(self.letters.state(state), &[]))
        };
        for antecedent in &self.plan.expansion.antecedents {
            if !is_temporal(&antecedent.formula) && never(&Test::new(&antecedent.formula, places)) {
                let bindings = antecedent.bindings.clone();
                warnings.push(Warning::Antecedent { span: antecedent.span, bindings });
            }
        }
        for fairness in self.plan.fairness() {
            let enabled = Formula::Literal { literal: fairness.enabled, positive: true };
            if never(&Test::new(&enabled, places)) {
                let bindings = fairness.bindings.clone();
                warnings.push(Warning::NeverEnabled { span: fairness.span, bindings });
            }
        }
        warnings
    }

    /// Makes room for more links; false if there is no memory for them.
    pub(crate) fn try_reserve(&mut self, n_more: usize) -> bool {
        self.links.try_reserve(n_more)
    }

    /// About how much memory it takes to check the properties on so many states.
    pub(crate) fn check_bytes(&self, n_states: u32) -> u64 {
        CHECK_STATE_BYTES * u64::from(n_states) + CHECK_LINK_BYTES * self.links.len() as u64
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.links.memory_bytes() + self.letters.memory_bytes()
    }
}

/// The actions of Next that are enabled in a loop and never taken in it: all along the loop, or else here and there.
fn repairs(program: &Program, worker: &mut Worker<'_>, cycle: &[Vec<Value>]) -> Vec<Repair> {
    let mut everywhere: Option<BTreeSet<Name>> = None;
    let mut somewhere = BTreeSet::new();
    let mut taken = BTreeSet::new();
    let mut successors = Successors::default();
    for (position, row) in cycle.iter().enumerate() {
        let next = &cycle[(position + 1) % cycle.len()];
        // An error after some successors does not matter here.
        let _ = worker.successors(row, &mut successors);
        let mut here = BTreeSet::new();
        for (successor, label) in successors.iter(row.len()) {
            let Some(action) = label.action.filter(|_| successor != row) else { continue };
            let name = program.actions[action].name.clone();
            if successor == next {
                taken.insert(name.clone());
            }
            here.insert(name);
        }
        somewhere.extend(here.iter().cloned());
        everywhere = Some(match everywhere {
            None => here,
            Some(before) => before.intersection(&here).cloned().collect(),
        });
    }
    let idle = |names: &BTreeSet<Name>, strong: bool| -> Vec<Repair> {
        names.difference(&taken).map(|action| Repair { action: action.clone(), strong }).collect()
    };
    let weak = idle(&everywhere.unwrap_or_default(), false);
    if weak.is_empty() { idle(&somewhere, true) } else { weak }
}

/// A state or step that must not be, as something that ends a search.
fn event_of(space: &Space, wrong: Wrong) -> Event {
    let Wrong { property, state, target } = wrong;
    match target {
        Some(target) => Event {
            source: Some(state),
            successor: Some(space.row(target).to_vec()),
            what: What::Property(property),
        },
        None => {
            let parent = space.parent(state);
            let source = (parent != state).then_some(parent);
            Event { source, successor: Some(space.row(state).to_vec()), what: What::Invariant(property) }
        }
    }
}

/// Why a loop satisfies a fairness condition.
fn reason(fairness: &Fairness, lasso: &Lasso, literal: &dyn Fn(usize, u32) -> bool) -> Fair {
    let positions = lasso.stem.len()..lasso.stem.len() + lasso.cycle.len();
    let enabled = |position: &usize| literal(*position, fairness.enabled);
    let why = if let Some(at) = positions.clone().find(|position| literal(*position, fairness.action)) {
        Why::Taken(at)
    } else if !positions.clone().any(|position| enabled(&position)) {
        Why::NeverEnabled
    } else {
        let disabled = positions.clone().find(|position| !enabled(position));
        Why::Disabled(disabled.unwrap_or(positions.start))
    };
    Fair { span: fairness.span, bindings: fairness.bindings.clone(), why }
}
