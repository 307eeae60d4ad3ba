//! How a sequence goes on if nobody disturbs it: messages and steps as they come; timers only when nothing else can happen, and of the
//! nodes in turn.

use crate::subject::{Kind, Nature, Subject};

/// Where that led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extended {
    /// To the goal.
    Reached,
    /// To a state that violates a property.
    Unsafe(String),
    /// To where nothing can happen.
    Stuck,
    /// To the end of a node.
    Broken(String),
    /// Nowhere, in as many steps as it might take.
    Unmet,
}

/// Goes on step by step, first come first served, and says how it ended. The system is left where that was.
pub fn extend<S: Subject>(subject: &mut S, steps_max: u32) -> (Vec<S::Event>, Extended) {
    let mut queue: Vec<S::Event> = Vec::new();
    let mut events = Vec::new();
    // When each node's timer last fired.
    let mut fired = vec![0; subject.n_nodes()];
    loop {
        let enabled = subject.enabled();
        queue.retain(|event| enabled.contains(event));
        queue.extend(enabled.into_iter().filter(|event| !queue.contains(event)).collect::<Vec<_>>());
        if !queue.is_empty() && events.len() as u32 >= steps_max {
            return (events, Extended::Unmet);
        }
        let natures: Vec<Nature> = queue.iter().map(|event| subject.nature(event)).collect();
        let prompt = natures.iter().position(|nature| nature.kind != Kind::Timer);
        let next = prompt.or_else(|| (0..queue.len()).min_by_key(|place| fired[natures[*place].actor]));
        let Some(next) = next else { return (events, Extended::Stuck) };
        events.push(queue.remove(next));
        if natures[next].kind == Kind::Timer {
            fired[natures[next].actor] = events.len();
        }
        if let Err(trouble) = subject.perform(&events[events.len() - 1]) {
            return (events, Extended::Broken(trouble.to_string()));
        }
        if let Some(property) = subject.violated() {
            return (events, Extended::Unsafe(property));
        }
        if subject.reached() == Some(true) {
            return (events, Extended::Reached);
        }
    }
}
