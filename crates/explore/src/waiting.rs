//! Clock vectors (3.7): they count how long each node has waited, so that those that have waited longest come first.

use crate::path::{Choice, Path};

/// The clock vector in the state after a path, where `choices` are possible. A node waits if it has brought something
/// about that has not happened yet.
pub fn advance<E>(path: &Path<E>, choices: &[Choice<E>], n_nodes: usize) -> Vec<i32> {
    let mut waits = path.frames.last().map_or_else(|| vec![-1; n_nodes], |frame| frame.waits.clone());
    if let Some(choice) = path.frames.last().and_then(|frame| frame.taken()) {
        for (node, wait) in waits.iter_mut().enumerate() {
            *wait = match *wait {
                _ if node == choice.nature.actor => -1,
                wait if wait >= 0 => wait + 1,
                wait => wait,
            };
        }
    }
    for (node, wait) in waits.iter_mut().enumerate() {
        let enabled = choices.iter().any(|choice| choice.nature.actor == node);
        *wait = if enabled { (*wait).max(0) } else { -1 };
    }
    waits
}

/// Sorts those that have waited longest to the front, and otherwise keeps the order.
pub fn sort<E>(choices: &mut [Choice<E>], waits: &[i32]) {
    choices.sort_by_key(|choice| -waits.get(choice.nature.actor).copied().unwrap_or(0));
}
