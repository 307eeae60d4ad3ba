//! The sequence that is being explored: a frame for every state on the way.

use crate::subject::{Footprint, Nature};

/// The way from the start to here.
pub struct Path<E> {
    /// A frame for each state where something was chosen, or is about to be.
    pub frames: Vec<Frame<E>>,
}

/// A state, what could happen there, and what was chosen.
pub struct Frame<E> {
    /// What could happen, those that wait longest first; if the goal was just reached, what could prevent it.
    pub choices: Vec<Choice<E>>,
    /// What stands for what: events that peers make superfluous, each with the place of the choice that is explored instead.
    pub stand_ins: Vec<(Choice<E>, usize)>,
    /// What is there but could not happen.
    pub blocked: Vec<Choice<E>>,
    /// Whether the choice is among faults, where the goal had just been reached.
    pub critical: bool,
    /// What has been chosen.
    pub chosen: Option<usize>,
    /// What the chosen event turned out to touch.
    pub touched: Footprint,
    /// The chosen event has reached the goal and has been taken back. The next frame is about the same state.
    pub undone: bool,
    /// Steps since the start, or since the last fault.
    pub depth: u32,
    /// Faults so far.
    pub faults: u32,
    /// For how long each node has waited, as clock vectors count (3.7); -1 if it has nothing to do.
    pub waits: Vec<i32>,
}

/// Something that could happen.
#[derive(Clone)]
pub struct Choice<E> {
    /// What.
    pub event: E,
    /// What is known of it.
    pub nature: Nature,
}

impl<E> Frame<E> {
    /// The chosen event, unless it was taken back.
    pub fn taken(&self) -> Option<&Choice<E>> {
        if self.undone { None } else { self.chosen.map(|chosen| &self.choices[chosen]) }
    }
}

impl<E: Clone> Path<E> {
    /// The events that have happened.
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
    /// It is as long as it may be.
    Cut,
    /// A property is violated, or a node is broken.
    Violated,
    /// The strategy knows that everything from here is explored elsewhere, or the state was seen before.
    Pruned,
}
