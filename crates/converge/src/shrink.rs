//! Finds shorter schedules with the same kind of finding.

use kilter_run::FindingKind;

use crate::drive::{Beginning, Options, Played, Player};
use crate::step::Step;
use crate::store::System;
use crate::trouble::Trouble;
use crate::watch::End;

/// The most schedules that are tried.
const CANDIDATES_MAX: usize = 60;

/// A schedule that is smaller than another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smaller {
    /// The schedule.
    pub schedule: Vec<Step>,
    /// The number of writes of the model in which it is a schedule.
    pub ops: Option<u8>,
}

/// Repeats a finding, with the same schedule and with shorter ones.
pub struct Shrinker<'a> {
    /// How every schedule begins.
    pub beginning: &'a Beginning,
    /// The system under test.
    pub system: &'a System,
    /// How schedules are played.
    pub options: &'a Options,
    /// The schedules of the model that are smaller, the smallest first.
    pub smaller: &'a dyn Fn(&[Step]) -> Vec<Smaller>,
    /// The kind of the finding.
    pub kind: FindingKind,
    /// How often a schedule is played before it counts as one that does not show the finding.
    pub again: usize,
    /// When everything ends.
    pub end: &'a End,
    /// Whether there is no time left.
    pub is_late: &'a dyn Fn() -> bool,
}

impl Shrinker<'_> {
    /// Plays a schedule on new clusters until it shows the same kind of finding. Returns how often it was played to its
    /// end, and what it showed. An interrupt is not an error here, so that the finding is not lost.
    pub fn show_again(&self, schedule: &[Step]) -> Result<(usize, Option<Played>), Trouble> {
        let mut n_played = 0;
        for _ in 0..self.again {
            if (self.is_late)() {
                break;
            }
            let mut player =
                Player::new(self.beginning, self.system, self.options.clone(), self.end.clone())?;
            match player.play(schedule) {
                Ok(played) => {
                    n_played += 1;
                    if played.wrong.as_ref().is_some_and(|wrong| wrong.kind() == self.kind) {
                        return Ok((n_played, Some(played)));
                    }
                }
                Err(Trouble::NotDriven(_)) => {}
                Err(Trouble::Interrupted | Trouble::Late) => break,
                Err(trouble) => return Err(trouble),
            }
        }
        Ok((n_played, None))
    }

    /// Removes steps and writes, as long as the rest is a schedule of the model and shows the same kind of finding.
    pub fn shrink(&self, schedule: &[Step]) -> Result<Option<(Smaller, Played)>, Trouble> {
        let mut best: Option<(Smaller, Played)> = None;
        let mut n_candidates = 0;
        'smaller: loop {
            let current = best.as_ref().map_or(schedule, |(best, _)| &best.schedule);
            for candidate in (self.smaller)(current) {
                if n_candidates == CANDIDATES_MAX || (self.is_late)() {
                    return Ok(best);
                }
                n_candidates += 1;
                if let (_, Some(played)) = self.show_again(&candidate.schedule)? {
                    best = Some((candidate, played));
                    continue 'smaller;
                }
            }
            return Ok(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use crate::drive::Crash;
    use crate::step::{Deed, Replica};
    use crate::store::Promise;
    use crate::targets::line::Line;

    /// Without this, Ctrl-C during a second look at a finding would lose the finding.
    #[test]
    fn an_end_while_looking_again_is_no_failure() {
        let schedule = [Step::new("Back(C)".to_owned(), vec![Deed::Up(vec![Replica(2)])])];
        let idle = ["sh", "-c", "sleep 60", "idle"].map(str::to_owned).to_vec();
        let system = System::Quorum(Box::new(Line { command: idle, options: Vec::new() }));
        let options = Options {
            patience: Duration::from_secs(60),
            crash: Crash::Kill,
            checkpoints: false,
            keep: None,
            logs_all: false,
            promise: Promise::Nothing,
            seen: Vec::new(),
        };
        let end = End { interrupted: Arc::new(AtomicBool::new(true)), deadline: None };
        let shrinker = Shrinker {
            beginning: &Beginning { replicas: 3, links: Vec::new() },
            system: &system,
            options: &options,
            smaller: &|schedule| vec![Smaller { schedule: schedule.to_vec(), ops: None }],
            kind: FindingKind::Differ,
            again: 3,
            end: &end,
            is_late: &|| end.check().is_err(),
        };
        let (n_runs, played) = shrinker.show_again(&schedule).expect("no failure");
        assert_eq!((n_runs, played.is_none()), (0, true));
        assert!(shrinker.shrink(&schedule).expect("no failure").is_none());
    }
}
