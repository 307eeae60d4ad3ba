//! The product of the state graph and an automaton: the behaviors of the graph that are runs of the automaton.
//!
//! A place is a pair of a state and a node of the automaton. The state must satisfy the guard of the node as far as the
//! guard is about states. Places are numbered state by state, so no table is needed to find them.

use rustc_hash::FxHashMap;

use super::Failure;
use super::automaton::Automaton;
use super::letters::{Letters, Place, Step, Test};
use super::links::Links;

/// Not the number of a place.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A state graph: its links, and the values of literals.
#[derive(Clone, Copy)]
pub(crate) struct StateGraph<'g> {
    pub(crate) links: &'g Links,
    pub(crate) letters: &'g Letters,
    /// The number of initial states. They come first.
    pub(crate) n_initial: u32,
}

impl StateGraph<'_> {
    pub(crate) fn n_states(&self) -> u32 {
        self.letters.n_states()
    }

    /// Whether a test holds for a step from a state.
    pub(crate) fn holds(&self, test: &Test, state: u32, step: Step) -> bool {
        test.holds(self.letters.state(state), self.letters.step(state, step))
    }

    /// The step from a state to another one. `None` if there is no link.
    pub(crate) fn step(&self, from: u32, to: u32) -> Option<Step> {
        self.links.of(from).find(|link| self.links.target(*link) == to).map(Step::Link)
    }

    /// The state that a step leads to.
    pub(crate) fn target(&self, state: u32, step: Step) -> u32 {
        match step {
            Step::Link(link) => self.links.target(link),
            Step::Stutter => state,
        }
    }
}

/// A node of the automaton.
struct Node {
    /// The part of the guard about the step. It is evaluated only where the part about the state holds.
    step: Test,
    keeps: u64,
    next: Vec<u32>,
}

/// States that satisfy the same guards.
struct Class {
    /// The nodes of the automaton that states of this class can be in.
    nodes: Vec<u32>,
    /// The index of each node in that list, or [`NOWHERE`].
    ranks: Vec<u32>,
}

/// The product of a state graph and an automaton.
pub(crate) struct Product<'g> {
    pub(crate) graph: StateGraph<'g>,
    nodes: Vec<Node>,
    initial: Vec<u32>,
    pub(crate) promises: u64,
    classes: Vec<Class>,
    /// The class of each state.
    class_of: Vec<u32>,
    /// The first place of each state.
    first: Vec<u32>,
    /// The state of each place.
    states: Vec<u32>,
}

/// A position in the successors of a place.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// 0 is the stuttering step, then come the links.
    step: u32,
    node: u32,
}

impl<'g> Product<'g> {
    pub(crate) fn new(
        graph: StateGraph<'g>,
        automaton: &Automaton,
        places: &[Place],
    ) -> Result<Self, Failure> {
        let mut nodes = Vec::with_capacity(automaton.nodes.len());
        let mut guards = Vec::with_capacity(automaton.nodes.len());
        for node in &automaton.nodes {
            let (state, step) = Test::new(&node.guard, places).split();
            guards.push(state);
            nodes.push(Node { step, keeps: node.keeps, next: node.next.clone() });
        }
        let (classes, class_of) = classify(graph, &guards);
        let n_states = graph.n_states();
        let mut first = Vec::with_capacity(n_states as usize + 1);
        let mut n_places = 0u64;
        for class in &class_of {
            first.push(n_places as u32);
            n_places += classes[*class as usize].nodes.len() as u64;
        }
        if n_places >= u64::from(NOWHERE) {
            return Err(Failure::TooManyPlaces);
        }
        first.push(n_places as u32);
        let mut states = Vec::with_capacity(n_places as usize);
        for state in 0..n_states {
            states.extend((first[state as usize]..first[state as usize + 1]).map(|_| state));
        }
        let (initial, promises) = (automaton.initial.clone(), automaton.promises);
        Ok(Product { graph, nodes, initial, promises, classes, class_of, first, states })
    }

    pub(crate) fn n_places(&self) -> usize {
        self.states.len()
    }

    /// The state of a place.
    pub(crate) fn state(&self, place: u32) -> u32 {
        self.states[place as usize]
    }

    /// The promises that the node of a place does not postpone.
    pub(crate) fn keeps(&self, place: u32) -> u64 {
        self.node(place).keeps
    }

    fn node(&self, place: u32) -> &Node {
        let state = self.state(place);
        let class = &self.classes[self.class_of[state as usize] as usize];
        &self.nodes[class.nodes[(place - self.first[state as usize]) as usize] as usize]
    }

    /// The place of a state and a node. `None` if the state does not satisfy the node's guard.
    fn place(&self, state: u32, node: u32) -> Option<u32> {
        let class = &self.classes[self.class_of[state as usize] as usize];
        let rank = class.ranks[node as usize];
        (rank != NOWHERE).then(|| self.first[state as usize] + rank)
    }

    /// The places of a state in which runs may begin.
    pub(crate) fn beginnings(&self, state: u32) -> impl Iterator<Item = u32> {
        self.initial.iter().filter_map(move |node| self.place(state, *node))
    }

    /// The next successor of a place, and the step to it. `None` at the end.
    pub(crate) fn next(&self, place: u32, cursor: &mut Cursor) -> Option<(u32, Step)> {
        let state = self.state(place);
        let node = self.node(place);
        let links = self.graph.links.of(state);
        while cursor.step as usize <= links.len() {
            let step = match cursor.step {
                0 => Step::Stutter,
                n => Step::Link(links.start + n as usize - 1),
            };
            if cursor.node > 0 || node.step == Test::Bool(true) || self.graph.holds(&node.step, state, step) {
                let target = self.graph.target(state, step);
                while let Some(next) = node.next.get(cursor.node as usize) {
                    cursor.node += 1;
                    // A link may lead to a state whose literals have not been evaluated.
                    if target < self.graph.n_states()
                        && let Some(place) = self.place(target, *next)
                    {
                        return Some((place, step));
                    }
                }
            }
            *cursor = Cursor { step: cursor.step + 1, node: 0 };
        }
        None
    }

    /// All successors of a place, with the steps to them.
    pub(crate) fn successors(&self, place: u32) -> impl Iterator<Item = (u32, Step)> {
        let mut cursor = Cursor::default();
        std::iter::from_fn(move || self.next(place, &mut cursor))
    }
}

/// Sorts states into classes by the guards that they satisfy.
fn classify(graph: StateGraph<'_>, guards: &[Test]) -> (Vec<Class>, Vec<u32>) {
    let n_states = graph.n_states() as usize;
    if let [guard] = guards {
        // Most automata have one node. Its guard decides.
        let classes =
            vec![Class { nodes: Vec::new(), ranks: vec![NOWHERE] }, Class { nodes: vec![0], ranks: vec![0] }];
        let class_of = (0..n_states as u32).map(|state| guard.holds(graph.letters.state(state), &[]).into());
        return (classes, class_of.collect());
    }
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of = Vec::with_capacity(n_states);
    let mut by_letter: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut by_nodes: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    for state in 0..n_states as u32 {
        let letter = graph.letters.state(state);
        let class = *by_letter.entry(letter).or_insert_with(|| {
            let nodes: Vec<u32> =
                (0..guards.len() as u32).filter(|node| guards[*node as usize].holds(letter, &[])).collect();
            *by_nodes.entry(nodes.clone()).or_insert_with(|| {
                let mut ranks = vec![NOWHERE; guards.len()];
                for (rank, node) in nodes.iter().enumerate() {
                    ranks[*node as usize] = rank as u32;
                }
                classes.push(Class { nodes, ranks });
                classes.len() as u32 - 1
            })
        });
        class_of.push(class);
    }
    (classes, class_of)
}
