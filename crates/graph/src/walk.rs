//! Levels, shortest paths and strongly connected components of a graph. None of the functions recurses.

use std::collections::VecDeque;

use kilter_base::Id;
use kilter_base::components::{Arcs, Components};

use crate::graph::{EdgeId, StateGraph, StateId};

/// Marks a state that was not reached, or an initial state in `parents`.
const NONE: u32 = u32::MAX;

/// The shortest paths from the initial states to all states.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The edge by which each state was first reached.
    parents: Vec<u32>,
    /// The number of states on the path to each state, with the state itself.
    levels: Vec<u32>,
}

impl Levels {
    /// The level of a state, as TLC counts: initial states have level 1. `None` if it cannot be reached.
    pub fn level(&self, state: StateId) -> Option<u32> {
        Some(self.levels[state.index()]).filter(|level| *level > 0)
    }

    /// The largest level. 0 if there is no initial state.
    pub fn depth(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    /// The number of states that can be reached.
    pub fn n_reached(&self) -> usize {
        self.levels.iter().filter(|level| **level > 0).count()
    }

    /// A shortest path from an initial state: the state in which it starts, and its edges. `None` if the state can't be
    /// reached.
    pub fn path(&self, graph: &StateGraph, to: StateId) -> Option<(StateId, Vec<EdgeId>)> {
        self.level(to)?;
        let mut edges = Vec::new();
        let mut state = to;
        while self.parents[state.index()] != NONE {
            let edge = EdgeId(self.parents[state.index()]);
            edges.push(edge);
            state = graph.source(edge);
        }
        edges.reverse();
        Some((state, edges))
    }
}

/// Computes levels, breadth first from all initial states.
pub fn levels(graph: &StateGraph) -> Levels {
    let mut parents = vec![NONE; graph.n_states()];
    let mut levels = vec![0; graph.n_states()];
    let mut queue = VecDeque::new();
    for state in graph.initial() {
        levels[state.index()] = 1;
        queue.push_back(state);
    }
    while let Some(state) = queue.pop_front() {
        for edge in graph.outgoing(state) {
            let target = graph.target(edge);
            if levels[target.index()] == 0 {
                levels[target.index()] = levels[state.index()] + 1;
                parents[target.index()] = edge.0;
                queue.push_back(target);
            }
        }
    }
    Levels { parents, levels }
}

/// Computes the strongly connected components.
pub fn components(graph: &StateGraph) -> Components {
    Components::new(graph, graph.n_states())
}

impl Arcs for StateGraph {
    /// The number of the state's edges that have been visited.
    type Cursor = usize;

    fn next(&self, node: u32, cursor: &mut usize, inside: impl Fn(u32) -> bool) -> Option<u32> {
        let targets = self.outgoing(StateId(node)).skip(*cursor).map(|edge| self.target(edge).0);
        for target in targets {
            *cursor += 1;
            if inside(target) {
                return Some(target);
            }
        }
        None
    }
}
