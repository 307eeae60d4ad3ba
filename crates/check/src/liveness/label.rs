//! Evaluates the literals of temporal formulas in states and for steps.

use std::ops::Range;

use kilter_eval::temporal::{Expansion, Literal, Reads};
use kilter_eval::{EvalError, Program, Worker};

use super::letters::{Letters, Place};
use super::links::Links;
use crate::space::Space;

/// What to evaluate.
pub(crate) struct Labels {
    pub(crate) places: Vec<Place>,
    literals: Vec<Literal>,
    /// Of each literal, its value for steps that change nothing, if that is known.
    stuttering: Vec<Option<bool>>,
    /// Of each literal `<<A>>_v`, the literal `ENABLED <<A>>_v`: where that is false, so is this.
    enabled: Vec<Option<u32>>,
}

/// A literal that could not be evaluated, in a state or for a step.
pub(crate) struct Unlabelled {
    pub(crate) state: u32,
    pub(crate) target: Option<u32>,
    pub(crate) error: EvalError,
}

impl Labels {
    pub(crate) fn new(program: &Program, expansion: &Expansion) -> Self {
        let reads: Vec<Reads> = expansion
            .literals
            .iter()
            .map(|literal| program.temporals.leaves[literal.leaf as usize].reads)
            .collect();
        let about_steps: Vec<bool> = reads.iter().map(|reads| matches!(reads, Reads::Step { .. })).collect();
        let stuttering = reads.iter().map(|reads| match reads {
            Reads::Step { stuttering } => *stuttering,
            _ => None,
        });
        let mut enabled = vec![None; reads.len()];
        for fairness in &expansion.fairness {
            enabled[fairness.action as usize] = Some(fairness.enabled);
        }
        Labels {
            places: super::letters::places(&about_steps),
            literals: expansion.literals.clone(),
            stuttering: stuttering.collect(),
            enabled,
        }
    }

    /// The letters of states, and of the steps from them.
    pub(crate) fn letters(
        &self,
        worker: &mut Worker<'_>,
        space: &Space,
        links: &Links,
        states: Range<u32>,
    ) -> Result<Letters, Box<Unlabelled>> {
        let mut letters = Letters::new(&self.places);
        let mut values = vec![false; self.literals.len()];
        for state in states {
            self.label_state(worker, space, links, state, &mut letters, &mut values)?;
        }
        Ok(letters)
    }

    fn label_state(
        &self,
        worker: &mut Worker<'_>,
        space: &Space,
        links: &Links,
        state: u32,
        letters: &mut Letters,
        values: &mut [bool],
    ) -> Result<(), Box<Unlabelled>> {
        let row = space.row(state);
        let failed = |target| move |error| Box::new(Unlabelled { state, target, error });
        letters.begin_state();
        for (literal, place) in self.places.iter().enumerate() {
            if let Place::State(bit) = place {
                let holds = worker.literal_holds(&self.literals[literal], row, None).map_err(failed(None))?;
                values[literal] = holds;
                if holds {
                    letters.set_state(*bit);
                }
            }
        }
        // Steps that are not possible need not be looked for.
        let steps: Vec<(usize, u32)> = (self.places.iter().enumerate())
            .filter_map(|(literal, place)| match place {
                Place::Step(bit) => Some((literal, *bit)),
                Place::State(_) => None,
            })
            .filter(|(literal, _)| self.enabled[*literal].is_none_or(|enabled| values[enabled as usize]))
            .collect();
        for (literal, bit) in &steps {
            let holds = match self.stuttering[*literal] {
                Some(known) => known,
                None => {
                    worker.literal_holds(&self.literals[*literal], row, Some(row)).map_err(failed(None))?
                }
            };
            if holds {
                letters.set_stutter(*bit);
            }
        }
        for link in links.of(state) {
            letters.begin_link();
            let target = links.target(link);
            let next = space.row(target);
            for (literal, bit) in &steps {
                let holds = worker
                    .literal_holds(&self.literals[*literal], row, Some(next))
                    .map_err(failed(Some(target)))?;
                if holds {
                    letters.set_link(*bit);
                }
            }
        }
        Ok(())
    }
}
