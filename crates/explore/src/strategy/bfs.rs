//! Explores the shortest sequences first. Each sequence is one step longer than an earlier one; the search replays the
//! rest.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use crate::path::Path;
use crate::strategy::Strategy;

/// Breadth-first search with a queue of sequences. A sequence is the indices of its choices.
#[derive(Default)]
pub struct Bfs {
    queue: VecDeque<Vec<usize>>,
    /// The sequence that is being followed.
    current: Vec<usize>,
}

impl<E> Strategy<E> for Bfs {
    fn next(&mut self, path: &Path<E>) -> Option<usize> {
        let next = self.queue.pop_front()?;
        let taken = path.frames.iter().map(|frame| frame.chosen);
        let common = taken.zip(&next).take_while(|(taken, next)| *taken == Some(**next)).count();
        self.current = next;
        // If the frame after the common ones exists, it is the same state too. Only its choice differs.
        Some(if common < path.frames.len() { common + 1 } else { 0 })
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let step = path.frames.len() - 1;
        let frame = &path.frames[step];
        if let Some(place) = self.current.get(step) {
            return (*place < frame.choices.len()).then_some(*place);
        }
        // This is a new state. Each of its choices makes a sequence for later.
        for place in 0..frame.choices.len() {
            let mut longer = self.current.clone();
            longer.push(place);
            self.queue.push_back(longer);
        }
        None
    }

    fn may_match(&self, path: &Path<E>) -> bool {
        path.frames.len() >= self.current.len()
    }

    fn save(&self, _: &Path<E>) -> Json {
        json!({ "queue": self.queue, "current": self.current })
    }

    fn load(&mut self, _: &Path<E>, saved: &Json) -> bool {
        let queue = serde_json::from_value(saved["queue"].clone()).map(|queue| self.queue = queue);
        let current = serde_json::from_value(saved["current"].clone()).map(|current| self.current = current);
        queue.is_ok() && current.is_ok()
    }
}
