//! Repeats a finding with the same search and a strategy that knows where to go.

use kilter_testbed::Trouble;

use crate::extend::{Extended, extend};
use crate::finding::{Finding, Wrong};
use crate::minimise::Minimal;
use crate::options::{Options, Search};
use crate::progress::Unwatched;
use crate::search::Explorer;
use crate::strategy::replay::Replay;
use crate::subject::{Subject, searched_faults};
use crate::told::{Told, tell};

/// Repeats a schedule, and then lets the system continue by itself.
pub(super) fn replay<S: Subject>(
    make: &impl Fn() -> S,
    places: &[usize],
    options: &Options,
) -> Result<Told, Trouble> {
    let search = search_options(places, options);
    let mut given = None;
    let mut explorer = Explorer::with_strategy(make(), &search, Box::new(Replay::new(places)));
    explorer.at_end = Some(Box::new(|_, events, _| given = Some(events.to_vec())));
    let mut explored = explorer.run(&mut Unwatched)?;
    let Some(given) = given else { return Err(impossible(places, explored.counts.depth as usize)) };
    let mut subject = make();
    let told = match explored.findings.pop() {
        Some(Finding { wrong, events, .. }) => {
            // The number of steps is that of the report when it was found.
            let steps = options.depth + options.extension;
            let wrong = if let Wrong::Unmet { .. } = wrong { Wrong::Unmet { steps } } else { wrong };
            tell(&mut subject, &Minimal { wrong, n_given: given.len(), events })?
        }
        None => go_on(&mut subject, given, options)?,
    };
    if told.fails {
        subject.keep(&told.schedule())?;
    }
    Ok(told)
}

/// Options with which every schedule is possible: faults at any place, as many as there are steps, and no reduction.
fn search_options(places: &[usize], options: &Options) -> Options {
    let n_places = u32::try_from(places.len()).unwrap_or(u32::MAX);
    Options {
        search: Search::Dfs,
        peers: None,
        depth: options.depth.max(n_places),
        faults: n_places,
        fault_kinds: searched_faults().collect(),
        faults_anywhere: true,
        extension: options.depth + options.extension,
        matching: false,
        count_states: false,
        findings_max: 1,
        sequences_max: None,
    }
}

fn impossible(places: &[usize], step: usize) -> Trouble {
    let place = step.checked_sub(1).and_then(|last| places.get(last)).copied().unwrap_or(0);
    Trouble::Impossible(format!("step {step} of the schedule is {place}, but not so much is possible there"))
}

/// Continues a sequence in which nothing is wrong so far, and describes it. Something may be wrong with the
/// continuation.
fn go_on<S: Subject>(subject: &mut S, given: Vec<S::Event>, options: &Options) -> Result<Told, Trouble> {
    subject.start()?;
    // The goal is demanded as in the search: within a number of steps since the start or the last fault.
    let mut n_since_fault = 0;
    for event in &given {
        n_since_fault = if subject.nature(event).fault.is_some() { 0 } else { n_since_fault + 1 };
        subject.perform(event)?;
    }
    let n_given = given.len();
    let mut events = given;
    if subject.reached() != Some(true) {
        let demanded = subject.reached() == Some(false);
        let steps = options.depth + options.extension;
        let allowed = (options.depth.saturating_sub(n_since_fault) + options.extension) as usize;
        let (mut rest, found) = extend(subject, steps, &|| false)?;
        let is_late = demanded && found == Extended::Reached && rest.len() > allowed;
        let wrong = if is_late { Some(Wrong::Unmet { steps }) } else { found.wrong(steps, demanded) };
        if is_late {
            // The search would not have waited for these steps.
            rest.truncate(allowed);
        }
        events.extend(rest);
        if let Some(wrong) = wrong {
            return tell(subject, &Minimal { wrong, n_given, events });
        }
    }
    let told = tell(subject, &Minimal { wrong: Wrong::Stuck, n_given, events })?;
    let sentence = if subject.reached() == Some(true) { "the goal is reached" } else { "nothing is wrong" };
    Ok(Told { fails: false, kind: "fine".to_owned(), sentence: sentence.to_owned(), ..told })
}
