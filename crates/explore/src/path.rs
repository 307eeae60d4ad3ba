//! The sequence that is being explored, with a frame for every state on the way.

use crate::subject::{Footprint, Nature};

/// The way from the start to the current state.
pub struct Path<E> {
    /// A frame for each state in which a choice was made or is about to be made.
    pub frames: Vec<Frame<E>>,
}

/// A state, its possible events, and the one that was chosen.
pub struct Frame<E> {
    /// The possible events, those that have waited longest first. If the goal was just reached, the faults that could
    /// prevent it.
    pub choices: Vec<Choice<E>>,
    /// Events that are not explored because a peer's event is, each with the index of the choice that is explored
    /// instead.
    pub stand_ins: Vec<(Choice<E>, usize)>,
    /// Events that exist but are not possible, such as messages that their receivers do not take in.
    pub blocked: Vec<Choice<E>>,
    /// Whether the choices are faults, because the goal had just been reached.
    pub critical: bool,
    /// The index of the chosen event.
    pub chosen: Option<usize>,
    /// What the chosen event turned out to read and write.
    pub touched: Footprint,
    /// Whether the chosen event reached the goal and was taken back. The next frame is then about the same state.
    pub undone: bool,
    /// The number of steps since the start or the last fault.
    pub depth: u32,
    /// The number of faults so far.
    pub faults: u32,
    /// How long each node has waited, by clock vectors (3.7). -1 if it has nothing to do.
    pub waits: Vec<i32>,
}

/// An event that is possible.
#[derive(Clone)]
pub struct Choice<E> {
    /// The event.
    pub event: E,
    /// What the search knows about it.
    pub nature: Nature,
}

impl<E> Frame<E> {
    /// The chosen event, unless it was taken back.
    pub fn taken(&self) -> Option<&Choice<E>> {
        if self.undone { None } else { self.chosen.map(|chosen| &self.choices[chosen]) }
    }
}

impl<E: Clone> Path<E> {
    /// The events that have happened, in order.
    pub fn events(&self) -> Vec<E> {
        self.frames.iter().filter_map(Frame::taken).map(|choice| choice.event.clone()).collect()
    }
}

/// How a sequence ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The goal was reached, and no fault is left to try.
    Reached,
    /// Nothing more can happen.
    Quiet,
    /// It has the most steps allowed.
    Cut,
    /// A property is violated, or a node is broken.
    Violated,
    /// Everything from here is explored elsewhere, or the state was seen before.
    Pruned,
}
