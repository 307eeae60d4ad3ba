//! Shorter schedules that show the same.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::drive::{Options, Played, Player, Wrong};
use crate::model::{Model, legal};
use crate::step::Step;
use crate::store::System;
use crate::trouble::Trouble;

/// So many candidates are played at most.
const PLAYS_MAX: usize = 60;

/// Plays a schedule on a cluster of its own; `None` if the system could not be driven along it.
pub fn play_alone(
    model: &Model,
    system: &System,
    options: &Options,
    schedule: &[Step],
    interrupted: &Arc<AtomicBool>,
) -> Result<Option<Played>, Trouble> {
    let mut player = Player::new(model, system, options, Arc::clone(interrupted))?;
    match player.play(schedule) {
        Ok(played) => Ok(Some(played)),
        Err(Trouble::NotDriven(_)) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

/// Takes steps and writes away as long as what remains is legal and shows the same kind of thing.
pub fn shrink(
    model: &Model,
    system: &System,
    options: &Options,
    schedule: &[Step],
    wrong: &Wrong,
    interrupted: &Arc<AtomicBool>,
) -> Result<Option<(Vec<Step>, Played)>, Trouble> {
    let mut best: Option<(Vec<Step>, Played)> = None;
    let mut n_plays = 0;
    'smaller: loop {
        let current = best.as_ref().map_or(schedule, |(schedule, _)| schedule);
        for (smaller, candidate) in candidates(model, current) {
            if n_plays == PLAYS_MAX {
                return Ok(best);
            }
            n_plays += 1;
            let played = play_alone(&smaller, system, options, &candidate, interrupted)?;
            let same =
                |played: &Played| played.wrong.as_ref().is_some_and(|other| other.kind() == wrong.kind());
            if let Some(played) = played.filter(same) {
                best = Some((candidate, played));
                continue 'smaller;
            }
        }
        return Ok(best);
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
