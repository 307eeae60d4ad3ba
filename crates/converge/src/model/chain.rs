//! The chain models, in which replicas copy each other along links that are set by hand.
//!
//! Copying goes on by itself: if source and target both run, the target has what the source has.

use kilter_system::Fault;

use super::state::{State, Status};
use super::{ChainRules, Direction, Scope, Start};
use crate::step::{Link, Replica, Resync, Step, Strike};

/// The initial state.
pub fn initial(rules: &ChainRules, n: u8) -> State {
    let mut state = State::apart(n);
    if rules.start == Start::Chain {
        for index in 1..n {
            state.replicas[usize::from(index)].source = Some(Replica(index - 1));
        }
    }
    state
}

/// The possible next steps, with the states that they lead to.
pub fn steps(rules: &ChainRules, state: &State, ops: u8) -> Vec<(Step, State)> {
    let mut steps = Vec::new();
    if state.used < ops {
        match rules.scope {
            Scope::One => part_one(rules, state, &mut steps),
            Scope::Others => part_others(rules, state, &mut steps),
        }
    }
    joins(rules, state, &mut steps);
    steps
}

/// One fault, or none if the replicas are apart already; then a write to somebody who copies nobody.
fn part_one(rules: &ChainRules, state: &State, steps: &mut Vec<(Step, State)>) {
    let strikes = rules.faults.iter().flat_map(|fault| {
        state.names().filter_map(|victim| {
            let next = strike(state, *fault, victim)?;
            Some((Strike::One(*fault, victim), next))
        })
    });
    let nobody = (!state.is_whole(true)).then(|| (Strike::None, state.clone()));
    for (strike, struck) in strikes.chain(nobody) {
        for writer in struck.names() {
            if struck.is_up(writer) && struck.replicas[writer.index()].source.is_none() {
                steps.push((Step::Part(strike, writer), written(struck.clone(), writer)));
            }
        }
    }
}

fn strike(state: &State, fault: Fault, victim: Replica) -> Option<State> {
    let mut next = state.clone();
    let known = &mut next.replicas[victim.index()];
    if known.status != Status::Up {
        return None;
    }
    match fault {
        Fault::Pause => known.status = Status::Paused,
        Fault::Crash => known.status = Status::Down,
        Fault::Cut => {
            known.source?;
            known.source = None;
        }
        _ => return None,
    }
    Some(next)
}

/// Divergences that remove all links. After a cut, every replica runs by itself. After other failures, only the replica
/// that is written to runs.
fn part_others(rules: &ChainRules, state: &State, steps: &mut Vec<(Step, State)>) {
    for fault in &rules.faults {
        for writer in state.names() {
            let mut next = state.clone();
            for name in state.names() {
                let known = &mut next.replicas[name.index()];
                known.source = None;
                known.status = match fault {
                    _ if name == writer => Status::Up,
                    Fault::Pause => Status::Paused,
                    Fault::Crash => Status::Down,
                    _ => Status::Up,
                };
            }
            steps.push((Step::Part(Strike::Others(*fault), writer), written(next, writer)));
        }
    }
}

fn written(mut state: State, writer: Replica) -> State {
    state.used += 1;
    state.replicas[writer.index()].write = state.used;
    settled(state)
}

/// Convergences. A replica that does not run is woken. A replica that copies nobody is linked with another tree, as
/// target or, if it was just woken, as source.
fn joins(rules: &ChainRules, state: &State, steps: &mut Vec<(Step, State)>) {
    for who in state.names() {
        let mut woken = state.clone();
        let known = &mut woken.replicas[who.index()];
        let is_up = known.status == Status::Up;
        if is_up && known.source.is_some() {
            continue;
        }
        known.status = Status::Up;
        let wake = (!is_up).then_some(who);
        let links = links(rules, &woken, who, is_up);
        if links.is_empty() && !is_up {
            steps.push((Step::Join { wake, link: None, resync: Resync::Online }, settled(woken.clone())));
        }
        for link in links {
            for resync in &rules.resync {
                let mut next = woken.clone();
                next.replicas[link.target.index()].source = Some(link.source);
                steps.push((Step::Join { wake, link: Some(link), resync: *resync }, settled(next)));
            }
        }
    }
}

/// The possible links between `who`, if it copies nobody, and the running replicas of other trees.
fn links(rules: &ChainRules, state: &State, who: Replica, only_as_target: bool) -> Vec<Link> {
    let mut links = Vec::new();
    if state.replicas[who.index()].source.is_some() {
        return links;
    }
    let fits = |link: Link| {
        let (target, source) = (state.replicas[link.target.index()], state.replicas[link.source.index()]);
        rules.direction == Direction::Any || source.write >= target.write
    };
    let others = state.names().filter(|other| state.is_up(*other));
    for other in others {
        if !state.copies(other, who) {
            links.push(Link { target: who, source: other });
        }
        let other_is_root = state.replicas[other.index()].source.is_none() && other != who;
        if other_is_root && !only_as_target {
            links.push(Link { target: other, source: who });
        }
    }
    links.retain(|link| fits(*link));
    links
}

/// Copies along the links until nothing changes.
fn settled(mut state: State) -> State {
    loop {
        let before = state.clone();
        for known in state.replicas.iter_mut().filter(|known| known.status == Status::Up) {
            let source = known.source.map(|source| before.replicas[source.index()]);
            if let Some(source) = source.filter(|source| source.status == Status::Up) {
                known.write = source.write;
            }
        }
        if state == before {
            return state;
        }
    }
}
