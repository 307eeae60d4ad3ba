//! Strategies decide where to go next. The search asks them a few questions, and all searches differ only in the
//! answers.
//!
//! - [`dfs`]    every order of events (Algorithm 2)
//! - [`dpor`]   one order of each set of equivalent orders (Algorithm 3)
//! - `history` questions of the reduction about a path
//! - [`bfs`]    shortest sequences first
//! - [`random`] random orders, and probabilistic concurrency testing
//! - [`replay`] one given sequence
//! - [`bits`]   sets of indices of frames

pub mod bfs;
pub mod bits;
pub mod dfs;
pub mod dpor;
mod history;
pub mod random;
pub mod replay;

use serde_json::Value as Json;

use crate::path::{Choice, End, Path};

/// A way of searching. `E` is the type of events.
pub trait Strategy<E> {
    /// Called when a sequence has ended. Returns how many frames the next sequence has in common with it; the choice at
    /// the last of them will be another. 0 means a new start, and `None` that everything is explored.
    fn next(&mut self, path: &Path<E>) -> Option<usize>;

    /// Called when the path has a new frame.
    fn enter(&mut self, path: &Path<E>) {
        let _ = path;
    }

    /// Called to fix the choice of the last frame, which is new: the other choices are explored elsewhere. Returns
    /// `false` if this choice is explored elsewhere too.
    fn fix(&mut self, path: &Path<E>, place: usize) -> bool {
        let _ = (path, place);
        true
    }

    /// Chooses among the choices of the last frame. `None` if everything that is left there is explored elsewhere.
    fn choose(&mut self, path: &Path<E>) -> Option<usize>;

    /// Called when the chosen event of the last frame has happened, so that it is known what it touched.
    fn performed(&mut self, path: &Path<E>) {
        let _ = path;
    }

    /// Called when the sequence ends, or would end without faults. `pending` are the events that could have come next,
    /// `blocked` those that existed but were not possible.
    fn ended(&mut self, path: &Path<E>, end: End, pending: &[Choice<E>], blocked: &[Choice<E>]) {
        let _ = (path, end, pending, blocked);
    }

    /// Whether the sequence has all the steps that it should have, even if more are possible.
    fn is_long_enough(&self, path: &Path<E>) -> bool {
        let _ = path;
        false
    }

    /// Whether the sequence may end after this path if that state was seen before.
    fn may_match(&self, path: &Path<E>) -> bool {
        let _ = path;
        false
    }

    /// Everything that is needed to continue later, besides the path. The search continues from the last frame of the
    /// path.
    fn save(&self, path: &Path<E>) -> Json;

    /// Continues from where [`Strategy::save`] was called, on the same path. Returns `false` if the saved state is not
    /// valid.
    fn load(&mut self, path: &Path<E>, saved: &Json) -> bool;
}
