//! Shorter schedules that show the same.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::drive::{Options, Played, Player};
use crate::model::{Model, legal};
use crate::step::Step;
use crate::store::System;
use crate::trouble::Trouble;

/// So many candidates are tried at most.
const CANDIDATES_MAX: usize = 60;

/// Looks for a finding again, in the same schedule and in shorter ones.
pub struct Shrinker<'a> {
    /// On which system.
    pub system: &'a System,
    /// How schedules are run.
    pub options: &'a Options,
    /// What is looked for.
    pub kind: &'static str,
    /// How often a schedule is played before it counts as one that does not show it.
    pub again: usize,
    /// Set when somebody wants everything to end.
    pub interrupted: &'a Arc<AtomicBool>,
}

impl Shrinker<'_> {
    /// Plays a schedule, on clusters of its own, until it shows the same kind of thing.
    pub fn show_again(&self, model: &Model, schedule: &[Step]) -> Result<Option<Played>, Trouble> {
        for _ in 0..self.again {
            let mut player = Player::new(model, self.system, self.options, Arc::clone(self.interrupted))?;
            match player.play(schedule) {
                Ok(played) if played.wrong.as_ref().is_some_and(|wrong| wrong.kind() == self.kind) => {
                    return Ok(Some(played));
                }
                Ok(_) | Err(Trouble::NotDriven(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(None)
    }

    /// Takes steps and writes away as long as what remains is legal and shows the same kind of thing.
    pub fn shrink(&self, model: &Model, schedule: &[Step]) -> Result<Option<(Vec<Step>, Played)>, Trouble> {
        let mut best: Option<(Vec<Step>, Played)> = None;
        let mut n_candidates = 0;
        'smaller: loop {
            let current = best.as_ref().map_or(schedule, |(schedule, _)| schedule);
            for (smaller, candidate) in candidates(model, current) {
                if n_candidates == CANDIDATES_MAX {
                    return Ok(best);
                }
                n_candidates += 1;
                if let Some(played) = self.show_again(&smaller, &candidate)? {
                    best = Some((candidate, played));
                    continue 'smaller;
                }
            }
            return Ok(best);
        }
    }
}

/// Legal schedules that are a little smaller, the smallest first, each with the model of its size.
fn candidates(model: &Model, schedule: &[Step]) -> Vec<(Model, Vec<Step>)> {
    let mut found: Vec<(Model, Vec<Step>)> = Vec::new();
    for length in (1..schedule.len()).rev() {
        for start in 0..=schedule.len() - length {
            let mut shorter = schedule[..start].to_vec();
            shorter.extend_from_slice(&schedule[start + length..]);
            found.extend(sized(model, shorter));
        }
    }
    for first in 0..schedule.len() {
        for second in first + 2..schedule.len() {
            let kept = schedule.iter().enumerate().filter(|(index, _)| *index != first && *index != second);
            found.extend(sized(model, kept.map(|(_, step)| step.clone()).collect()));
        }
    }
    for (index, step) in schedule.iter().enumerate() {
        for smaller in smaller_steps(step) {
            let mut changed = schedule.to_vec();
            changed[index] = smaller;
            found.extend(sized(model, changed));
        }
    }
    found.sort_by_key(|(model, schedule)| (schedule.len(), model.ops));
    found.dedup();
    found
}

/// The model that a schedule is legal in, if there is one with at most as many writes.
fn sized(model: &Model, schedule: Vec<Step>) -> Option<(Model, Vec<Step>)> {
    let ops = schedule.iter().map(Step::writes).sum();
    let smaller = Model::new(model.rules.clone(), model.replicas, ops).ok()?;
    legal::check(&smaller, &schedule).ok()?;
    Some((smaller, schedule))
}

/// The same divergence with one write less.
fn smaller_steps(step: &Step) -> Vec<Step> {
    let Step::Spread(received) = step else { return Vec::new() };
    let most = step.writes();
    let fewer =
        |keep: u8| received.iter().map(|got| got.map(|got| if got > keep { got - 1 } else { got })).collect();
    (0..most).map(|keep| Step::Spread(fewer(keep))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rules;
    use crate::step;

    #[test]
    fn candidates_are_smaller_and_legal() {
        let model = Model::new(Rules::Quorum, 3, 3).expect("a fine size");
        let schedule = step::parse("write=A2,B1,C0 up=AB write=A0,B1 up=BC up=A").expect("steps");
        let found: Vec<String> = candidates(&model, &schedule).iter().map(|(_, it)| step::text(it)).collect();
        let expected = [
            "write=A2,B1,C0 up=BC up=A",
            "write=A1,B1,C0 up=AB write=A0,B1 up=BC up=A",
            "write=A1,B0,C0 up=AB write=A0,B1 up=BC up=A",
        ];
        for text in expected {
            assert!(found.iter().any(|it| it == text), "{text} is not in {found:#?}");
        }
    }
}
