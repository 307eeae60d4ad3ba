//! Temporal properties in the course of a search. Links are recorded as states are found. The graph is checked when it
//! is complete, and before that each time it has doubled.

use std::sync::atomic::{AtomicU32, Ordering};

use kilter_base::Name;
use kilter_eval::temporal::Formula;
use kilter_eval::{ErrorKind, EvalError, Program};
use kilter_value::Value;

use super::letters::{Step, Test};
use super::normal::is_temporal;
use super::proof::Proof;
use super::real::real;
use super::unfolded::{Flaw, Terrain, Unfolded};
use super::{Lasso, Letters, Links, Plan, Unlabelled, Violation, Wrong, stopped};
use crate::chunk::{Event, Target, What};
use crate::crew::Crew;
use crate::expand::{Hand, Model};
use crate::outcome::{Back, Verdict, Warning};
use crate::space::Space;
use crate::stop::Stop;
use crate::trace;

/// The graph is checked again when it has grown by this factor.
const GROWTH: u32 = 2;
/// The estimated memory for each state while properties are checked: letters, places of the product, and marks on them.
const CHECK_STATE_BYTES: u64 = 48;
const CHECK_LINK_BYTES: u64 = 2;

/// The state of the check of temporal properties.
pub(crate) struct Liveness {
    plan: Plan,
    /// Set if states stand for others, by SYMMETRY or VIEW. Links and letters are then about its nodes.
    unfolded: Option<Unfolded>,
    links: Links,
    letters: Letters,
    next_look: u32,
}

impl Liveness {
    /// `exact` means that each state stands only for itself: there is neither SYMMETRY nor VIEW.
    pub(crate) fn new(plan: Plan, exact: bool, first_look_states: u32) -> Self {
        let letters = Letters::new(&plan.labels.places);
        let unfolded = if exact { None } else { Some(Unfolded::default()) };
        Liveness { plan, unfolded, links: Links::default(), letters, next_look: first_look_states }
    }

    /// Records links, which come in the order of their sources.
    pub(crate) fn link(&mut self, links: &[(u32, Target)], number: impl Fn(&Target) -> u32) {
        if self.unfolded.is_some() {
            return;
        }
        for group in links.chunk_by(|(source, _), (other, _)| source == other) {
            if let Some((source, _)) = group.first() {
                self.links.add(*source, group.iter().map(|(_, target)| number(target)));
            }
        }
    }

    /// Does not check these properties any more.
    pub(crate) fn leave_out(&mut self, properties: Vec<Name>) {
        self.plan.left_out = properties;
    }

    /// Whether the graph has grown enough to check it before the search has ended.
    pub(crate) fn is_due(&self, n_explored: u32) -> bool {
        n_explored >= self.next_look
    }

    /// Searches a violation among the states explored so far.
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
        let terrain = Terrain { model, space };
        let failed = |error| Event { source: None, successor: None, what: What::Error(error) };
        let n_initial = if self.unfolded.is_some() {
            // What was unfolded before is given up first: there may be no room for both.
            self.unfolded = Some(Unfolded::default());
            (self.links, self.letters) = (Links::default(), Letters::default());
            let labels = &self.plan.labels;
            match Unfolded::new(labels, terrain, crew, n_explored, n_initial, stop) {
                Ok((unfolded, links, letters)) => {
                    (self.links, self.letters) = (links, letters);
                    self.unfolded.insert(unfolded).n_initial()
                }
                Err(flaw) if flaw.way.is_empty() || !is_about_a_state(&flaw.error) => {
                    return Err(failed(flaw.error));
                }
                Err(flaw) => {
                    let Flaw { way, error } = *flaw;
                    let trace = trace::along(model, &mut crew.hands[0].worker, &way);
                    return Ok(Some(Verdict::Error { error, trace }));
                }
            }
        } else {
            self.links.finish(n_explored);
            self.label(crew, space, n_explored, stop)?;
            n_initial
        };
        let parent = |state| match &self.unfolded {
            Some(unfolded) => unfolded.parent(state),
            None => space.parent(state),
        };
        let n_threads = crew.hands.len();
        if let Some(wrong) = self.plan.wrong(&self.links, &self.letters) {
            return self.wrong(terrain, &mut crew.hands[0], wrong);
        }
        let violation = self
            .plan
            .violation(&self.links, &self.letters, n_initial, n_threads, stop, &parent)
            .map_err(failed)?;
        violation
            .map(|violation| self.report(terrain, &mut crew.hands[0], &violation))
            .transpose()
            .map_err(failed)
    }

    /// Evaluates literals in the states that are new since the last check.
    fn label(
        &mut self,
        crew: &mut Crew<'_>,
        space: &Space,
        n_explored: u32,
        stop: &Stop,
    ) -> Result<(), Event> {
        let (labels, links) = (&self.plan.labels, &self.links);
        let unlabelled = self.letters.n_states().min(n_explored)..n_explored;
        let failed_at = AtomicU32::new(u32::MAX);
        let done = crew.map_chunks(unlabelled, |hand, states| {
            let start = states.start;
            // A chunk that starts later cannot have an earlier error.
            if start > failed_at.load(Ordering::Relaxed) || stop.is_due() {
                return None;
            }
            let result = labels.letters(&mut hand.worker, space, links, states);
            if result.is_err() {
                failed_at.fetch_min(start, Ordering::Relaxed);
            }
            Some(result)
        });
        // Some chunks may be missing, so nothing of this can be used.
        if stop.is_due() {
            return Err(Event { source: None, successor: None, what: What::Error(stopped()) });
        }
        for result in done {
            match result {
                Ok(letters) => self.letters.append(&letters),
                Err(unlabelled) => {
                    let Unlabelled { state, target, error } = *unlabelled;
                    let successor = target.map(|target| space.row(target).to_vec());
                    return Err(Event { source: Some(state), successor, what: What::Error(error) });
                }
            }
        }
        Ok(())
    }

    /// Tells of a wrong state or step.
    fn wrong<'p>(
        &self,
        terrain: Terrain<'_, 'p>,
        hand: &mut Hand<'p>,
        wrong: Wrong,
    ) -> Result<Option<Verdict>, Event> {
        let Terrain { model, space } = terrain;
        let Wrong { property: name, state, step } = wrong;
        if let Some(unfolded) = &self.unfolded {
            let mut way = unfolded.way_to(state);
            return Ok(Some(match step {
                Step::Link(link) => {
                    way.extend(self.successor(unfolded, terrain, hand, state, link));
                    Verdict::Property { name, trace: trace::along(model, &mut hand.worker, &way) }
                }
                Step::Stutter => {
                    Verdict::Invariant { name, trace: trace::along(model, &mut hand.worker, &way) }
                }
            }));
        }
        Err(match step {
            Step::Link(link) => {
                let successor = Some(space.row(self.links.target(link)).to_vec());
                Event { source: Some(state), successor, what: What::Property(name) }
            }
            Step::Stutter => {
                let parent = space.parent(state);
                let source = (parent != state).then_some(parent);
                Event { source, successor: Some(space.row(state).to_vec()), what: What::Invariant(name) }
            }
        })
    }

    /// The state that a link really leads to. `None` if it is not found again.
    fn successor<'p>(
        &self,
        unfolded: &Unfolded,
        terrain: Terrain<'_, 'p>,
        hand: &mut Hand<'p>,
        node: u32,
        link: usize,
    ) -> Option<Vec<Value>> {
        let index = link - self.links.of(node).start;
        let steps = unfolded.steps(hand, terrain, unfolded.row(node)).ok()?;
        steps.into_iter().nth(index).map(|(_, row)| row)
    }

    /// The counterexample as the graph has it.
    fn proof<'p>(
        &self,
        terrain: Terrain<'_, 'p>,
        hand: &mut Hand<'p>,
        lasso: &Lasso,
    ) -> Result<Proof, EvalError> {
        let row = |state| match &self.unfolded {
            Some(unfolded) => unfolded.row(state).to_vec(),
            None => terrain.space.row(state).to_vec(),
        };
        let rows: Vec<Vec<Value>> = lasso.steps().map(|(state, _)| row(state)).collect();
        let to = lasso.stem.len();
        let mut successors = Vec::with_capacity(rows.len());
        for (position, (state, step)) in lasso.steps().enumerate() {
            let real = match (step, &self.unfolded) {
                (Step::Link(link), Some(unfolded)) => self.successor(unfolded, terrain, hand, state, link),
                _ => None,
            };
            successors.push(real.unwrap_or_else(|| rows.get(position + 1).unwrap_or(&rows[to]).clone()));
        }
        Proof::of_rows(&self.plan, &mut hand.worker, rows, successors, to)
    }

    fn report<'p>(
        &self,
        terrain: Terrain<'_, 'p>,
        hand: &mut Hand<'p>,
        violation: &Violation,
    ) -> Result<Verdict, EvalError> {
        let model = terrain.model;
        let Violation { property, lasso, .. } = violation;
        let mut proof = self.proof(terrain, hand, lasso)?;
        if !proof.stands(violation) {
            return Err(EvalError {
                kind: ErrorKind::Evaluation,
                message: format!(
                    "the counterexample to {property} does not stand up to a second look; this is an error in Kilter"
                ),
                span: None,
                chain: Vec::new(),
            });
        }
        if let Some(unfolded) = self.unfolded.as_ref().filter(|_| !proof.is_behavior())
            && let Some(real) = real(&self.plan, unfolded, &proof, hand, terrain, violation)?
        {
            proof = real;
        }
        let is_behavior = proof.is_behavior();
        let worker = &mut hand.worker;
        let fair = self.plan.fairness().iter().map(|one| proof.reason(one)).collect();
        let repairs = proof.repairs(model, worker);
        let Proof { rows, successors, to, .. } = proof;
        let mut trace = trace::along(model, worker, &rows);
        let mut labels: Vec<_> = (rows.iter().zip(&successors))
            .map(|(row, successor)| trace::label_of(model.program, model.store, worker, row, successor))
            .collect();
        let action = labels.pop().flatten().filter(|_| rows.last() != successors.last());
        for (step, label) in trace.steps.iter_mut().skip(1).zip(labels) {
            step.action = label;
        }
        let back = Back { to, action, fair, repairs, is_behavior };
        Ok(Verdict::Liveness { name: property.clone(), trace, back })
    }

    /// Warnings for the user. Those about what never happens are given only if the graph is complete.
    pub(crate) fn warnings(&self, program: &Program, complete: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        // Where all states are told apart, nothing is lost.
        if self.unfolded.as_ref().is_some_and(|unfolded| !unfolded.is_exact()) {
            warnings.extend((!program.symmetry.is_empty()).then_some(Warning::Symmetry));
            warnings.extend(program.view.is_some().then_some(Warning::View));
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

    /// Makes room for more links. Returns `false` if there is no memory for them.
    pub(crate) fn try_reserve(&mut self, n_more: usize) -> bool {
        self.links.try_reserve(n_more)
    }

    /// Estimates the memory that it takes to check the properties on `n_states` states.
    pub(crate) fn check_bytes(&self, n_states: u32) -> u64 {
        CHECK_STATE_BYTES * u64::from(n_states) + CHECK_LINK_BYTES * self.links.len() as u64
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        let unfolded = self.unfolded.as_ref().map_or(0, Unfolded::memory_bytes);
        self.links.memory_bytes() + self.letters.memory_bytes() + unfolded
    }
}

/// Whether an error says something about the state in which it happened.
fn is_about_a_state(error: &EvalError) -> bool {
    !matches!(error.kind, ErrorKind::Stopped | ErrorKind::OutOfMemory | ErrorKind::Exit)
}
