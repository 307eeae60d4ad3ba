//! Says when a campaign is over. When every case has its result, one worker looks whether findings have kept others from being tried, as the runner
//! does on one machine, and plans them. The others wait for what it says.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use kilter_campaign::post::write_state;
use kilter_campaign::results::Results;
use kilter_campaign::{Broker, Phase, State};
use kilter_run::{Event, Further, SoFar, when};

use super::start::{enqueue, lines};
use super::state_of;
use crate::error::Tried;
use crate::part::Planner;

/// A worker that takes longer has been lost, and another one does it.
const TOO_LONG_S: u64 = 60;
/// How often the others look.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Ends the campaign, or goes on with it. Returns whether there are cases again.
pub(super) fn close(broker: &mut dyn Broker, me: &str, plan: &mut Planner<'_>) -> Tried<bool> {
    loop {
        let (mut state, revision) = state_of(broker)?;
        match &state.phase {
            Phase::Finished | Phase::Stopped { .. } | Phase::Preparing => return Ok(false),
            Phase::Closing { since_s, .. } if when::now() < since_s + TOO_LONG_S => {
                thread::sleep(LOOK_EVERY);
                continue;
            }
            // Another one has planned further cases.
            Phase::Running if broker.n_results()? < state.cases => return Ok(true),
            Phase::Running | Phase::Closing { .. } => {}
        }
        state.phase = Phase::Closing { by: me.to_owned(), since_s: when::now() };
        if write_state(broker, &state, revision)? {
            return plan_more(broker, state, plan);
        }
    }
}

/// Plans further cases, and writes down whether there are any.
fn plan_more(broker: &mut dyn Broker, mut state: State, plan: &mut Planner<'_>) -> Tried<bool> {
    let closing = state.phase.clone();
    let mut results = Results::default();
    results.read(broker)?;
    let further = match new_event(&results, plan) {
        None => Vec::new(),
        Some((event, further)) => {
            let text = lines(&[event]);
            let hash = kilter_campaign::manifest::hash(text.as_bytes());
            broker.put(&hash, text.as_bytes())?;
            state.rounds.push(hash);
            further
        }
    };
    let goes_on = !further.is_empty();
    if goes_on {
        let first = state.cases;
        state.cases += further.len() as u64;
        state.phase = Phase::Running;
        enqueue(further, first, broker)?;
    } else {
        state.phase = Phase::Finished;
    }
    let (now, revision) = state_of(broker)?;
    // Somebody may have stopped it, or taken over.
    let is_ours = now.phase == closing;
    Ok(is_ours && write_state(broker, &state, revision)? && goes_on)
}

/// What the method plans after all that is known, with the cases that are new. A worker plans what another one has planned before if that did not
/// help. Then it is asked again: it tries each edge a few times only, and in the end says what can't be reached.
fn new_event(results: &Results, plan: &mut Planner<'_>) -> Option<(Event, Vec<Further>)> {
    loop {
        match only_new(event_of(results, plan)?, results) {
            (Event::More { .. }, further) if further.is_empty() => {}
            new => return Some(new),
        }
    }
}

/// What the method plans after all that is known.
fn event_of(results: &Results, plan: &mut Planner<'_>) -> Option<Event> {
    let (mut covered, mut failed) = (Vec::new(), BTreeSet::new());
    for event in results.events() {
        match event {
            Event::Case(case) => {
                for edge in &case.edges {
                    let edge = *edge as usize;
                    if covered.len() <= edge {
                        covered.resize(edge + 1, false);
                    }
                    covered[edge] = true;
                }
            }
            Event::Finding(finding) if finding.stable == Some(false) => {}
            Event::Finding(finding) => failed.extend(finding.edge.map(u64::from)),
            _ => {}
        }
    }
    plan(&SoFar { covered: &covered, failed: &failed })
}

/// The event with those of its cases that were not played before: another worker may have planned them in an earlier round.
fn only_new(event: Event, results: &Results) -> (Event, Vec<Further>) {
    match event {
        Event::More { mut cases } => {
            let known: BTreeSet<&str> = results.iter().map(|result| result.case.as_str()).collect();
            cases.retain(|case| !known.contains(case.id.as_str()));
            (Event::More { cases: cases.clone() }, cases)
        }
        other => (other, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kilter_campaign::toy::Toy;
    use kilter_campaign::{Played, Settings};
    use kilter_run::Case;

    use super::*;

    #[test]
    fn what_another_worker_has_planned_before_does_not_end_a_campaign() {
        let mut broker = Toy::default();
        broker
            .create(&Settings { lost_after: Duration::from_secs(1), replicas: None })
            .expect("there is none");
        let case = Case { id: "m1".to_owned(), ..Case::default() };
        let events = vec![Event::Case(Box::new(case))];
        let played =
            Played { case: "m1".to_owned(), at: 0, worker: "w".to_owned(), given: 1, ended_ms: 1, events };
        broker.store(&[played]).expect("it is there");
        let mut results = Results::default();
        results.read(&mut broker).expect("it is there");
        let mut tries = 0;
        let mut plan = |_: &SoFar<'_>| {
            tries += 1;
            let again = Further { id: "m1".to_owned(), edges: vec![0] };
            Some(if tries < 4 {
                Event::More { cases: vec![again] }
            } else {
                Event::Behind { edges: vec![7] }
            })
        };
        let new = new_event(&results, &mut plan);
        assert_eq!(new, Some((Event::Behind { edges: vec![7] }, Vec::new())));
    }
}
