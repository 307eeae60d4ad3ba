//! Finds shorter schedules with the same kind of finding.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kilter_run::FindingKind;

use crate::drive::{Options, Played, Player};
use crate::model::{Model, legal};
use crate::step::Step;
use crate::store::System;
use crate::trouble::Trouble;

/// The most schedules that are tried.
const CANDIDATES_MAX: usize = 60;

/// Repeats a finding, with the same schedule and with shorter ones.
pub struct Shrinker<'a> {
    /// The system under test.
    pub system: &'a System,
    /// How schedules are played.
    pub options: &'a Options,
    /// The kind of the finding.
    pub kind: FindingKind,
    /// How often a schedule is played before it counts as one that does not show the finding.
    pub again: usize,
    /// Set when the user wants everything to end.
    pub interrupted: &'a Arc<AtomicBool>,
    /// Whether there is no time left.
    pub is_late: &'a dyn Fn() -> bool,
}

impl Shrinker<'_> {
    /// Plays a schedule on new clusters until it shows the same kind of finding. Returns how often it was played to its
    /// end, and what it showed. An interrupt is not an error here, so that the finding is not lost.
    pub fn show_again(&self, model: &Model, schedule: &[Step]) -> Result<(usize, Option<Played>), Trouble> {
        let mut n_played = 0;
        for _ in 0..self.again {
            if (self.is_late)() {
                break;
            }
            let mut player =
                Player::new(model, self.system, self.options.clone(), Arc::clone(self.interrupted))?;
            match player.play(schedule) {
                Ok(played) => {
                    n_played += 1;
                    if played.wrong.as_ref().is_some_and(|wrong| wrong.kind() == self.kind) {
                        return Ok((n_played, Some(played)));
                    }
                }
                Err(Trouble::NotDriven(_)) => {}
                Err(Trouble::Interrupted) => break,
                Err(trouble) => return Err(trouble),
            }
        }
        Ok((n_played, None))
    }

    /// Removes steps and writes, as long as the rest is legal and shows the same kind of finding.
    pub fn shrink(&self, model: &Model, schedule: &[Step]) -> Result<Option<(Vec<Step>, Played)>, Trouble> {
        let mut best: Option<(Vec<Step>, Played)> = None;
        let mut n_candidates = 0;
        'smaller: loop {
            let current = best.as_ref().map_or(schedule, |(schedule, _)| schedule);
            for (smaller, candidate) in candidates(model, current) {
                if n_candidates == CANDIDATES_MAX || (self.is_late)() {
                    return Ok(best);
                }
                n_candidates += 1;
                if let (_, Some(played)) = self.show_again(&smaller, &candidate)? {
                    best = Some((candidate, played));
                    continue 'smaller;
                }
            }
            return Ok(best);
        }
    }
}

/// Legal schedules that are smaller, the smallest first, each with the model of its size.
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

/// The model with as many writes as a schedule has. `None` if the schedule is not legal in it.
fn sized(model: &Model, schedule: Vec<Step>) -> Option<(Model, Vec<Step>)> {
    let ops = schedule.iter().map(Step::writes).sum();
    let smaller = Model::new(model.rules.clone(), model.replicas, ops).ok()?;
    legal::check(&smaller, &schedule).ok()?;
    Some((smaller, schedule))
}

/// Divergences with one write less.
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
    use std::time::Duration;

    use crate::drive::Crash;
    use crate::model::Rules;
    use crate::step;
    use crate::targets::line::Line;

    /// Without this, Ctrl-C during a second look at a finding would lose the finding.
    #[test]
    fn an_end_while_looking_again_is_no_failure() {
        let model = Model::new(Rules::Quorum, 3, 1).expect("a fine size");
        let schedule = step::parse("write=A0,B1,C1 up=AB up=C").expect("steps");
        let idle = ["sh", "-c", "sleep 60", "idle"].map(str::to_owned).to_vec();
        let system = System::Quorum(Box::new(Line { command: idle, options: Vec::new() }));
        let options = Options {
            patience: Duration::from_secs(60),
            crash: Crash::Kill,
            checkpoints: false,
            keep: None,
            logs_all: false,
        };
        let interrupted = Arc::new(AtomicBool::new(true));
        let shrinker = Shrinker {
            system: &system,
            options: &options,
            kind: FindingKind::Differ,
            again: 3,
            interrupted: &interrupted,
            is_late: &|| interrupted.load(std::sync::atomic::Ordering::Relaxed),
        };
        let (n_runs, played) = shrinker.show_again(&model, &schedule).expect("no failure");
        assert_eq!((n_runs, played.is_none()), (0, true));
        assert!(shrinker.shrink(&model, &schedule).expect("no failure").is_none());
    }

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
