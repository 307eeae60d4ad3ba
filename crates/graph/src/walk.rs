//! Ways through a graph: levels, shortest paths, strongly connected components. None of them recurses.

use std::collections::VecDeque;

use kilter_base::Id;

use crate::graph::{EdgeId, StateGraph, StateId};

/// Not reached.
const NONE: u32 = u32::MAX;

/// The shortest ways from the initial states to all states.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The edge by which a state was first reached.
    parents: Vec<u32>,
    /// How many states lie on the way, the state itself included.
    levels: Vec<u32>,
}

impl Levels {
    /// The level of a state, as TLC counts: initial states have level 1. `None` if it cannot be reached.
    pub fn level(&self, state: StateId) -> Option<u32> {
        Some(self.levels[state.index()]).filter(|level| *level > 0)
    }

    /// The largest level; 0 if there is no initial state.
    pub fn depth(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    /// How many states can be reached.
    pub fn n_reached(&self) -> usize {
        self.levels.iter().filter(|level| **level > 0).count()
    }

    /// A shortest way from an initial state: where it starts, and its edges. `None` if the state cannot be reached.
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

/// Searches breadth first from all initial states.
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

/// The strongly connected components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each state. Edges lead to components with the same or a smaller number.
    pub of: Vec<u32>,
    /// How many components there are.
    pub n: u32,
}

impl Components {
    /// How many states each component has.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.n as usize];
        for component in &self.of {
            sizes[*component as usize] += 1;
        }
        sizes
    }
}

/// Tarjan's algorithm, with a list of open states instead of recursion.
struct Tarjan<'g> {
    graph: &'g StateGraph,
    components: Components,
    /// When each state was first seen.
    seen: Vec<u32>,
    /// The earliest open state that each state reaches.
    low: Vec<u32>,
    n_seen: u32,
    /// States without a component yet.
    open: Vec<StateId>,
    /// The states on the way, each with its next edge.
    way: Vec<(StateId, u32)>,
}

/// The strongly connected components.
pub fn components(graph: &StateGraph) -> Components {
    let n = graph.n_states();
    let mut tarjan = Tarjan {
        graph,
        components: Components { of: vec![NONE; n], n: 0 },
        seen: vec![NONE; n],
        low: vec![NONE; n],
        n_seen: 0,
        open: Vec::new(),
        way: Vec::new(),
    };
    for state in graph.states() {
        if tarjan.seen[state.index()] == NONE {
            tarjan.visit(state);
        }
    }
    tarjan.components
}

impl Tarjan<'_> {
    fn visit(&mut self, root: StateId) {
        self.enter(root);
        while let Some((state, next)) = self.way.last_mut() {
            let state = *state;
            let Some(edge) = self.graph.outgoing(state).nth(*next as usize) else {
                self.leave(state);
                continue;
            };
            *next += 1;
            let target = self.graph.target(edge);
            if self.seen[target.index()] == NONE {
                self.enter(target);
            } else if self.components.of[target.index()] == NONE {
                self.low[state.index()] = self.low[state.index()].min(self.seen[target.index()]);
            }
        }
    }

    fn enter(&mut self, state: StateId) {
        self.seen[state.index()] = self.n_seen;
        self.low[state.index()] = self.n_seen;
        self.n_seen += 1;
        self.open.push(state);
        self.way.push((state, 0));
    }

    fn leave(&mut self, state: StateId) {
        self.way.pop();
        let low = self.low[state.index()];
        if let Some((parent, _)) = self.way.last() {
            self.low[parent.index()] = self.low[parent.index()].min(low);
        }
        if low == self.seen[state.index()] {
            while let Some(member) = self.open.pop() {
                self.components.of[member.index()] = self.components.n;
                if member == state {
                    break;
                }
            }
            self.components.n += 1;
        }
    }
}
