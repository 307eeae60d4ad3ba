//! Where to go next. The search asks three questions, and everything that differs from one way of searching to another is in the
//! answers.
//!
//! - [`dfs`]    every order of events (Algorithm 2)
//! - [`dpor`]   one order of each set of orders that lead to the same (Algorithm 3)
//! - `history` what that asks of a path
//! - [`bfs`]    shortest sequences first
//! - [`random`] random orders, and probabilistic concurrency testing
//! - [`replay`] one given sequence
//! - [`bits`]   sets of places on a path

pub mod bfs;
pub mod bits;
pub mod dfs;
pub mod dpor;
mod history;
pub mod random;
pub mod replay;

use serde_json::Value as Json;

use crate::path::{Choice, End, Path};

/// A way of searching.
pub trait Strategy<E> {
    /// A sequence has ended: how many frames of it the next has in common, so that the choice at the last of them is another; 0 for a
    /// new start, `None` if all is done.
    fn next(&mut self, path: &Path<E>) -> Option<usize>;

    /// The path has a new frame.
    fn enter(&mut self, path: &Path<E>) {
        let _ = path;
    }

    /// In the last frame, which is new, this choice will be made and no other: the others are explored elsewhere. `false` if that is
    /// so for this one too.
    fn fix(&mut self, path: &Path<E>, place: usize) -> bool {
        let _ = (path, place);
        true
    }

    /// Which of the choices of the last frame; `None` if nothing is left there that is not explored elsewhere.
    fn choose(&mut self, path: &Path<E>) -> Option<usize>;

    /// What was chosen in the last frame has happened; it is known now what it touched.
    fn performed(&mut self, path: &Path<E>) {
        let _ = path;
    }

    /// The sequence ends here, or would without faults. `pending` is what could have happened next, `blocked` what was there and could
    /// not.
    fn ended(&mut self, path: &Path<E>, end: End, pending: &[Choice<E>], blocked: &[Choice<E>]) {
        let _ = (path, end, pending, blocked);
    }

    /// Whether the sequence has as many steps as it is to have, however many there may be.
    fn is_long_enough(&self, path: &Path<E>) -> bool {
        let _ = path;
        false
    }

    /// Whether the sequence may end at the state after this path if that was seen before.
    fn may_match(&self, path: &Path<E>) -> bool {
        let _ = path;
        false
    }

    /// All that is needed to go on later, together with the path, whose last frame is the one to go on from.
    fn save(&self, path: &Path<E>) -> Json;

    /// Goes on from where [`Strategy::save`] was, on the same path; `false` if that can't be understood.
    fn load(&mut self, path: &Path<E>, saved: &Json) -> bool;
}
