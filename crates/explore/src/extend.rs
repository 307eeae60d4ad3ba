//! Continues a sequence as if nothing disturbed it. Messages and steps happen in the order in which they become
//! possible. Timers fire only when nothing else can happen, and the nodes take turns.

use kilter_testbed::Trouble;

use crate::finding::{Wrong, is_finding};
use crate::subject::{Kind, Nature, Subject};

/// How an extension ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extended {
    /// The goal was reached.
    Reached,
    /// A property with this name was violated.
    Unsafe(String),
    /// Nothing more could happen.
    Stuck,
    /// A node failed.
    Broken(String),
    /// The most steps were taken, and the goal was not reached.
    Unmet,
}

impl Extended {
    /// What is wrong, if anything. `demanded` says whether the goal had to be reached.
    pub fn wrong(self, steps: u32, demanded: bool) -> Option<Wrong> {
        match self {
            Extended::Reached => None,
            Extended::Unsafe(property) => Some(Wrong::Unsafe { property }),
            Extended::Broken(reason) => Some(Wrong::Broken { reason }),
            Extended::Stuck => demanded.then_some(Wrong::Stuck),
            Extended::Unmet => demanded.then_some(Wrong::Unmet { steps }),
        }
    }
}

/// Continues step by step, first come, first served. Returns the events and how it ended. The system is left in the
/// last state. It is an error if the system can't be run any more, or if somebody interrupts.
pub fn extend<S: Subject>(
    subject: &mut S,
    steps_max: u32,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<(Vec<S::Event>, Extended), Trouble> {
    let mut queue: Vec<S::Event> = Vec::new();
    let mut events = Vec::new();
    // For each node, the step at which its timer last fired.
    let mut fired = vec![0; subject.n_nodes()];
    loop {
        if is_interrupted() {
            return Err(Trouble::Interrupted);
        }
        let enabled = subject.enabled();
        queue.retain(|event| enabled.contains(event));
        queue.extend(enabled.into_iter().filter(|event| !queue.contains(event)).collect::<Vec<_>>());
        if !queue.is_empty() && events.len() as u32 >= steps_max {
            return Ok((events, Extended::Unmet));
        }
        let natures: Vec<Nature> = queue.iter().map(|event| subject.nature(event)).collect();
        let prompt = natures.iter().position(|nature| nature.kind != Kind::Timer);
        let next = prompt.or_else(|| (0..queue.len()).min_by_key(|place| fired[natures[*place].actor]));
        let Some(next) = next else { return Ok((events, Extended::Stuck)) };
        events.push(queue.remove(next));
        if natures[next].kind == Kind::Timer {
            fired[natures[next].actor] = events.len();
        }
        if let Err(trouble) = subject.perform(&events[events.len() - 1]) {
            return if is_finding(&trouble) {
                Ok((events, Extended::Broken(trouble.to_string())))
            } else {
                Err(trouble)
            };
        }
        if let Some(property) = subject.violated() {
            return Ok((events, Extended::Unsafe(property)));
        }
        if subject.reached() == Some(true) {
            return Ok((events, Extended::Reached));
        }
    }
}
