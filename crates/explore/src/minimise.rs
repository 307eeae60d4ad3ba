//! Shortens a finding by leaving out events, as long as the failure stays.

use crate::extend::{Extended, extend};
use crate::finding::{Finding, Wrong, is_finding};
use crate::options::Options;
use crate::subject::Subject;

/// The shortest sequence that can be reached by leaving out events, or the shortest so far if the user interrupts. The
/// events after it, up to where the failure shows, are what happens if nothing disturbs the system.
pub fn minimise<S: Subject>(
    subject: &mut S,
    finding: &Finding<S::Event>,
    options: &Options,
    is_interrupted: &dyn Fn() -> bool,
) -> Minimal<S::Event> {
    let whole = Minimal::whole(finding);
    if is_interrupted() {
        return whole;
    }
    let mut best =
        attempt(subject, &finding.events[..finding.n_given], &finding.wrong, options, is_interrupted)
            .unwrap_or(whole);
    let mut size = best.n_given.div_ceil(2).max(1);
    loop {
        let shorter = leave_out(subject, &best, size, options, is_interrupted);
        match shorter {
            Some(shorter) => best = shorter,
            None if size == 1 => return best,
            None => size = size.div_ceil(2).max(1),
        }
    }
}

/// A sequence that fails, and how.
#[derive(Clone, Debug)]
pub struct Minimal<E> {
    /// What is wrong with it.
    pub wrong: Wrong,
    /// The number of events that must be given. The others follow by themselves.
    pub n_given: usize,
    /// All events up to where the failure shows.
    pub events: Vec<E>,
}

impl<E: Clone> Minimal<E> {
    /// A finding that is not shortened.
    pub fn whole(finding: &Finding<E>) -> Minimal<E> {
        let Finding { wrong, events, n_given } = finding.clone();
        Minimal { wrong, n_given, events }
    }
}

/// Tries to leave out `size` neighbouring events, starting from the end.
fn leave_out<S: Subject>(
    subject: &mut S,
    best: &Minimal<S::Event>,
    size: usize,
    options: &Options,
    is_interrupted: &dyn Fn() -> bool,
) -> Option<Minimal<S::Event>> {
    let given = &best.events[..best.n_given];
    let mut places = (0..given.len()).rev().step_by(size).take_while(|_| !is_interrupted());
    places.find_map(|last| {
        let first = (last + 1).saturating_sub(size);
        let rest: Vec<S::Event> = given[..first].iter().chain(&given[last + 1..]).cloned().collect();
        let found = attempt(subject, &rest, &best.wrong, options, is_interrupted)?;
        (found.n_given < best.n_given).then_some(found)
    })
}

/// Tries whether events lead to the same failure. Two failures to reach the goal count as the same. Events that are not
/// possible when their turn comes are skipped.
fn attempt<S: Subject>(
    subject: &mut S,
    events: &[S::Event],
    wrong: &Wrong,
    options: &Options,
    is_interrupted: &dyn Fn() -> bool,
) -> Option<Minimal<S::Event>> {
    subject.start().ok()?;
    let mut taken: Vec<S::Event> = Vec::new();
    for event in events {
        // A step of real processes may take a second.
        if is_interrupted() {
            return None;
        }
        if !is_possible(subject, event) {
            continue;
        }
        taken.push(event.clone());
        let broken = match subject.perform(event) {
            Ok(()) => None,
            Err(trouble) if is_finding(&trouble) => Some(Wrong::Broken { reason: trouble.to_string() }),
            // Nothing can be said of the rest.
            Err(_) => return None,
        };
        let wrong_now = broken.or_else(|| subject.violated().map(|property| Wrong::Unsafe { property }));
        if let Some(found) = wrong_now {
            let same = found == *wrong;
            return same.then(|| Minimal { wrong: found, n_given: taken.len(), events: taken });
        }
        if subject.reached() == Some(true) {
            return None;
        }
    }
    if !wrong.is_about_goal() {
        return None;
    }
    let n_given = taken.len();
    let steps_max = options.depth + options.extension;
    let (rest, found) = extend(subject, steps_max, is_interrupted).ok()?;
    taken.extend(rest);
    let wrong = match found {
        Extended::Stuck => Wrong::Stuck,
        Extended::Unmet => Wrong::Unmet { steps: steps_max },
        _ => return None,
    };
    Some(Minimal { wrong, n_given, events: taken })
}

/// Whether an event is possible now, with faults.
pub fn is_possible<S: Subject>(subject: &S, event: &S::Event) -> bool {
    subject.enabled().contains(event) || subject.all_faults().contains(event)
}

/// All events that are possible now, faults last. The order is fixed, so an index means the same in every run.
pub fn all_possible<S: Subject>(subject: &S) -> Vec<S::Event> {
    let mut all = subject.enabled();
    all.extend(subject.all_faults());
    all
}
