//! How a sequence goes on if nobody disturbs it: messages and steps as they come, timers only when nothing else can happen.

use crate::subject::{Kind, Subject};

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
    loop {
        let enabled = subject.enabled();
        queue.retain(|event| enabled.contains(event));
        queue.extend(enabled.into_iter().filter(|event| !queue.contains(event)).collect::<Vec<_>>());
        if queue.is_empty() {
            return (events, Extended::Stuck);
        }
        if events.len() as u32 >= steps_max {
            return (events, Extended::Unmet);
        }
        let prompt = queue.iter().position(|event| subject.nature(event).kind != Kind::Timer);
        let event = queue.remove(prompt.unwrap_or(0));
        events.push(event);
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
