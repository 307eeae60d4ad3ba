//! Explores every order of events, depth first (Algorithm 2).

use serde_json::{Value as Json, json};

use crate::path::Path;
use crate::strategy::Strategy;

/// Depth-first search. It keeps the next choice of each frame of the path.
#[derive(Default)]
pub struct Dfs {
    next: Vec<usize>,
}

impl<E> Strategy<E> for Dfs {
    fn next(&mut self, path: &Path<E>) -> Option<usize> {
        self.next.truncate(path.frames.len());
        while let Some(next) = self.next.last() {
            if *next < path.frames[self.next.len() - 1].choices.len() {
                return Some(self.next.len());
            }
            self.next.pop();
        }
        None
    }

    fn choose(&mut self, path: &Path<E>) -> Option<usize> {
        let frame = path.frames.len() - 1;
        self.next.resize(frame + 1, 0);
        let choice = self.next[frame];
        self.next[frame] += 1;
        (choice < path.frames[frame].choices.len()).then_some(choice)
    }

    fn fix(&mut self, path: &Path<E>, _: usize) -> bool {
        self.next.resize(path.frames.len() - 1, usize::MAX);
        self.next.push(usize::MAX);
        true
    }

    fn may_match(&self, _: &Path<E>) -> bool {
        true
    }

    fn save(&self, _: &Path<E>) -> Json {
        json!(self.next)
    }

    fn load(&mut self, _: &Path<E>, saved: &Json) -> bool {
        serde_json::from_value(saved.clone()).map(|next| self.next = next).is_ok()
    }
}
