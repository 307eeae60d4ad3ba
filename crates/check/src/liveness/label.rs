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

/// The error of a literal that could not be evaluated, in a state or for a step to another one.
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
        let mut targets = Vec::new();
        for state in states {
            targets.clear();
            targets.extend(links.of(state).map(|link| space.row(links.target(link))));
            self.label(worker, space.row(state), &targets, &mut letters).map_err(|failed| {
                let Failed { target, error } = *failed;
                let target = target.map(|index| links.target(links.of(state).start + index));
                Box::new(Unlabelled { state, target, error })
            })?;
        }
        Ok(letters)
    }

    /// Evaluates all literals in a state, and for the steps from it to others. Adds them to `letters`.
    pub(super) fn label(
        &self,
        worker: &mut Worker<'_>,
        row: &[Value],
        targets: &[&[Value]],
        letters: &mut Letters,
    ) -> Labelled<()> {
        letters.begin_state(targets.len());
        let mut labelling = Labelling { labels: self, worker, row, targets, letters };
        labelling.states()?;
        labelling.steps()?;
        self.actions.iter().try_for_each(|action| labelling.action(action))
    }

    /// The values of the literals about states in a state, as a row of bits.
    pub(super) fn state_bits(&self, worker: &mut Worker<'_>, row: &[Value]) -> Result<Box<[u8]>, EvalError> {
        let mut letters = Letters::new(&self.places);
        letters.begin_state(0);
        for (literal, place) in self.literals.iter().zip(&self.places) {
            if let Place::State(bit) = place
                && worker.literal_holds(literal, row, None)?
            {
                letters.set_state(*bit);
            }
        }
        Ok(letters.state(0).into())
    }
}

/// The evaluation of one state with its links.
struct Labelling<'l, 'p> {
    labels: &'l Labels,
    worker: &'l mut Worker<'p>,
    row: &'l [Value],
    targets: &'l [&'l [Value]],
    letters: &'l mut Letters,
}

/// The error of a literal, in the state or for the step to the target with this index.
pub(super) struct Failed {
    pub(super) target: Option<usize>,
    pub(super) error: EvalError,
}

type Labelled<T> = Result<T, Box<Failed>>;

impl Labelling<'_, '_> {
    /// Evaluates a literal in the state.
    fn holds(&mut self, literal: u32) -> Labelled<bool> {
        self.worker
            .literal_holds(&self.labels.literals[literal as usize], self.row, None)
            .map_err(|error| Box::new(Failed { target: None, error }))
    }

    /// Evaluates a literal for a step to another state, or for stuttering.
    fn holds_for(&mut self, literal: u32, target: Option<usize>) -> Labelled<bool> {
        let next = target.map_or(self.row, |index| self.targets[index]);
        self.worker
            .literal_holds(&self.labels.literals[literal as usize], self.row, Some(next))
            .map_err(|error| Box::new(Failed { target, error }))
    }

    fn states(&mut self) -> Labelled<()> {
        for (literal, bit) in &self.labels.states {
            if self.holds(*literal)? {
                self.letters.set_state(*bit);
            }
        }
        Ok(())
    }

    fn steps(&mut self) -> Labelled<()> {
        for (literal, bit, stuttering) in &self.labels.steps {
            let holds = match stuttering {
                Some(known) => *known,
                None => self.holds_for(*literal, None)?,
            };
            if holds {
                self.letters.set_stutter(*bit);
            }
            self.each_link(*literal, *bit)?;
        }
        Ok(())
    }

    fn each_link(&mut self, literal: u32, bit: u32) -> Labelled<()> {
        for index in 0..self.targets.len() {
            if self.holds_for(literal, Some(index))? {
                self.letters.set_link(index, bit);
            }
        }
        Ok(())
    }

    /// Evaluates whether an action is enabled, and which links are steps of it.
    fn action(&mut self, action: &FairAction) -> Labelled<()> {
        let FairAction { enabled, action, is_next } = action;
        let n_links = self.targets.len();
        if *is_next && n_links > 0 {
            self.letters.set_state(enabled.1);
            (0..n_links).for_each(|link| self.letters.set_link(link, action.1));
            return Ok(());
        }
        if self.listed(*enabled, *action)? {
            return Ok(());
        }
        if self.holds(enabled.0)? {
            self.letters.set_state(enabled.1);
            self.each_link(action.0, action.1)?;
        }
        Ok(())
    }

    /// Lists the steps of an action. Returns `false` if the list is not complete.
    fn listed(&mut self, enabled: (u32, u32), action: (u32, u32)) -> Labelled<bool> {
        // A longer list would not pay, because most of it would not be links.
        let n_max = 64 + 4 * self.targets.len();
        let mut successors = Successors::default();
        let listed = self
            .worker
            .literal_steps(&self.labels.literals[enabled.0 as usize], self.row, n_max, &mut successors)
            .map_err(|error| Box::new(Failed { target: None, error }))?;
        if listed && !successors.is_empty() {
            self.letters.set_state(enabled.1);
            for (index, target) in self.targets.iter().enumerate() {
                if successors.iter(self.row.len()).any(|(successor, _)| successor == *target) {
                    self.letters.set_link(index, action.1);
                }
            }
        }
        Ok(listed)
    }
}
