//! The quorum model, in which a majority serves and the replica with the latest write leads.

use super::state::{Known, State, Status};
use crate::step::{Replica, Step};

/// The possible next steps, with the states that they lead to.
pub fn steps(state: &State, ops: u8) -> Vec<(Step, State)> {
    let quorum = state.replicas.len() / 2 + 1;
    let up = state.up();
    let mut steps = Vec::new();
    if up.len() >= quorum {
        for count in 1..=ops - state.used {
            divergences(state, &up, count, &mut steps);
        }
    }
    convergences(state, up.len(), quorum, &mut steps);
    steps
}

/// Divergences. Each replica that is up gets the first few of `count` writes. At least one gets all, but not all of
/// them do. Then all crash.
fn divergences(state: &State, up: &[Replica], count: u8, steps: &mut Vec<(Step, State)>) {
    let n_choices = usize::from(count + 1);
    for choice in 0..n_choices.pow(up.len() as u32) {
        let mut received = vec![None; state.replicas.len()];
        let mut rest = choice;
        for replica in up {
            received[replica.index()] = Some(count - (rest % n_choices) as u8);
            rest /= n_choices;
        }
        let all_of_them = received.iter().all(|got| *got == Some(count));
        if all_of_them || received.iter().flatten().max() != Some(&count) {
            continue;
        }
        let replicas = state.replicas.iter().zip(&received).map(|(known, got)| Known {
            write: got.filter(|got| *got > 0).map_or(known.write, |got| state.used + got),
            status: Status::Down,
            source: None,
            was_up: known.status == Status::Up,
        });
        let next = State { used: state.used + count, replicas: replicas.collect() };
        steps.push((Step::Spread(received), next));
    }
}

/// Convergences. Some replicas that are down start, so that there is a majority. All that are up take over the latest
/// write among them.
fn convergences(state: &State, n_up: usize, quorum: usize, steps: &mut Vec<(Step, State)>) {
    let down: Vec<Replica> = state.names().filter(|name| !state.is_up(*name)).collect();
    for choice in 1..1usize << down.len() {
        let chosen = down.iter().enumerate().filter(|(index, _)| choice >> index & 1 == 1);
        let rising: Vec<Replica> = chosen.map(|(_, replica)| *replica).collect();
        if n_up + rising.len() < quorum {
            continue;
        }
        let mut next = state.clone();
        for replica in &rising {
            next.replicas[replica.index()].status = Status::Up;
        }
        let latest = next.up().iter().map(|name| next.replicas[name.index()].write).max().unwrap_or(0);
        for known in next.replicas.iter_mut().filter(|known| known.status == Status::Up) {
            *known = Known { write: latest, was_up: false, ..*known };
        }
        steps.push((Step::Rise(rising), next));
    }
}
