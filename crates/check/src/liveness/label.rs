//! Evaluates the literals of temporal formulas in states and for steps.
//!
//! For a fairness condition, the steps of its action are listed and compared with the links. That is cheaper than
//! evaluating the action for each link, and also tells whether it is enabled.

use std::ops::Range;

use kilter_eval::temporal::{Expansion, Literal, Reads};
use kilter_eval::{EvalError, Program, Successors, Worker};
use kilter_value::Value;

use super::letters::{Letters, Place};
use super::links::Links;
use crate::space::Space;

/// The literals to evaluate, by how they are evaluated.
pub(crate) struct Labels {
    pub(crate) places: Vec<Place>,
    literals: Vec<Literal>,
    /// The literals on states, except `ENABLED <<A>>_v` of fairness conditions.
    states: Vec<(u32, u32)>,
    /// The literals on steps, except `<<A>>_v` of fairness conditions, with their values for stuttering steps if known.
    steps: Vec<(u32, u32, Option<bool>)>,
    /// The fairness conditions.
    actions: Vec<FairAction>,
}

/// The two literals of a fairness condition, with their bits.
struct FairAction {
    enabled: (u32, u32),
    action: (u32, u32),
    /// Whether every link is a step of this action.
    is_next: bool,
}

/// The error of a literal that could not be evaluated, in a state or for a step.
pub(crate) struct Unlabelled {
    pub(crate) state: u32,
    pub(crate) target: Option<u32>,
    pub(crate) error: EvalError,
}

impl Labels {
    pub(crate) fn new(program: &Program, expansion: &Expansion) -> Self {
        let leaf = |literal: &Literal| &program.temporals.leaves[literal.leaf as usize];
        let literals = &expansion.literals;
        let about_steps: Vec<bool> =
            literals.iter().map(|literal| matches!(leaf(literal).reads, Reads::Step { .. })).collect();
        let places = super::letters::places(&about_steps);
        let bit = |literal: u32| match places[literal as usize] {
            Place::State(bit) | Place::Step(bit) => (literal, bit),
        };
        let mut actions: Vec<FairAction> = Vec::new();
        let mut taken = vec![false; literals.len()];
        for fairness in &expansion.fairness {
            let both = [fairness.enabled, fairness.action].map(|literal| taken[literal as usize]);
            // An action that reads no primed variable is not about steps.
            if both == [false, false] && about_steps[fairness.action as usize] {
                taken[fairness.enabled as usize] = true;
                taken[fairness.action as usize] = true;
                let is_next = leaf(&literals[fairness.action as usize]).about_next;
                actions.push(FairAction {
                    enabled: bit(fairness.enabled),
                    action: bit(fairness.action),
                    is_next,
                });
            }
        }
        let (mut states, mut steps) = (Vec::new(), Vec::new());
        for literal in (0..literals.len() as u32).filter(|literal| !taken[*literal as usize]) {
            let (_, bit) = bit(literal);
            match leaf(&literals[literal as usize]).reads {
                Reads::Step { stuttering } => steps.push((literal, bit, stuttering)),
                Reads::Constant | Reads::State => states.push((literal, bit)),
            }
        }
        Labels { places, literals: literals.clone(), states, steps, actions }
    }

    /// Evaluates all literals in states and for the steps from them.
    pub(crate) fn letters(
        &self,
        worker: &mut Worker<'_>,
        space: &Space,
        links: &Links,
        states: Range<u32>,
    ) -> Result<Letters, Box<Unlabelled>> {
        let mut letters = Letters::new(&self.places);
        let mut successors = Successors::default();
        for state in states {
            let mut labelling =
                Labelling { labels: self, worker, space, links, state, letters: &mut letters };
            labelling.begin();
            labelling.states()?;
            labelling.steps()?;
            for action in &self.actions {
                labelling.action(action, &mut successors)?;
            }
        }
        Ok(letters)
    }

    /// Sets the bits of the last state, of the steps from it to given rows, and of these rows.
    pub(super) fn label_rows(
        &self,
        worker: &mut Worker<'_>,
        row: &[Value],
        targets: &[&[Value]],
        letters: &mut Letters,
    ) -> Result<(), EvalError> {
        for (literal, place) in self.literals.iter().zip(&self.places) {
            match place {
                Place::State(bit) => {
                    if worker.literal_holds(literal, row, None)? {
                        letters.set_state(*bit);
                    }
                    for (index, target) in targets.iter().enumerate() {
                        if worker.literal_holds(literal, target, None)? {
                            letters.set_arrival(index, *bit);
                        }
                    }
                }
                Place::Step(bit) => {
                    if worker.literal_holds(literal, row, Some(row))? {
                        letters.set_stutter(*bit);
                    }
                    for (index, target) in targets.iter().enumerate() {
                        if worker.literal_holds(literal, row, Some(target))? {
                            letters.set_link(index, *bit);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The evaluation of one state with its links.
struct Labelling<'l, 'p> {
    labels: &'l Labels,
    worker: &'l mut Worker<'p>,
    space: &'l Space,
    links: &'l Links,
    state: u32,
    letters: &'l mut Letters,
}

type Labelled<T> = Result<T, Box<Unlabelled>>;

impl Labelling<'_, '_> {
    fn begin(&mut self) {
        self.letters.begin_state(self.links.of(self.state).len());
    }

    /// Evaluates a literal in the state, or for a step to another state.
    fn holds(&mut self, literal: u32, target: Option<u32>) -> Labelled<bool> {
        let (row, next) = (self.space.row(self.state), target.map(|target| self.space.row(target)));
        let state = self.state;
        self.worker
            .literal_holds(&self.labels.literals[literal as usize], row, next)
            .map_err(|error| Box::new(Unlabelled { state, target, error }))
    }

    fn states(&mut self) -> Labelled<()> {
        for (literal, bit) in &self.labels.states {
            if self.holds(*literal, None)? {
                self.letters.set_state(*bit);
            }
        }
        Ok(())
    }

    fn steps(&mut self) -> Labelled<()> {
        for (literal, bit, stuttering) in &self.labels.steps {
            let holds = match stuttering {
                Some(known) => *known,
                None => self.holds(*literal, Some(self.state))?,
            };
            if holds {
                self.letters.set_stutter(*bit);
            }
            self.each_link(*literal, *bit)?;
        }
        Ok(())
    }

    fn each_link(&mut self, literal: u32, bit: u32) -> Labelled<()> {
        for (index, link) in self.links.of(self.state).enumerate() {
            if self.holds(literal, Some(self.links.target(link)))? {
                self.letters.set_link(index, bit);
            }
        }
        Ok(())
    }

    /// Evaluates whether an action is enabled, and which links are steps of it.
    fn action(&mut self, action: &FairAction, successors: &mut Successors) -> Labelled<()> {
        let FairAction { enabled, action, is_next } = action;
        let n_links = self.links.of(self.state).len();
        if *is_next && n_links > 0 {
            self.letters.set_state(enabled.1);
            (0..n_links).for_each(|link| self.letters.set_link(link, action.1));
            return Ok(());
        }
        if self.listed(*enabled, *action, successors)? {
            return Ok(());
        }
        if self.holds(enabled.0, None)? {
            self.letters.set_state(enabled.1);
            self.each_link(action.0, action.1)?;
        }
        Ok(())
    }

    /// Lists the steps of an action. Returns `false` if the list is not complete.
    fn listed(
        &mut self,
        enabled: (u32, u32),
        action: (u32, u32),
        successors: &mut Successors,
    ) -> Labelled<bool> {
        let row = self.space.row(self.state);
        let state = self.state;
        // A longer list would not pay, because most of it would not be links.
        let n_max = 64 + 4 * self.links.of(state).len();
        let listed = self
            .worker
            .literal_steps(&self.labels.literals[enabled.0 as usize], row, n_max, successors)
            .map_err(|error| Box::new(Unlabelled { state, target: None, error }))?;
        if listed && !successors.is_empty() {
            self.letters.set_state(enabled.1);
            for (index, link) in self.links.of(state).enumerate() {
                let target = self.space.row(self.links.target(link));
                if successors.iter(row.len()).any(|(successor, _)| successor == target) {
                    self.letters.set_link(index, action.1);
                }
            }
        }
        Ok(listed)
    }
}
