//! Partial-order reduction: of two steps that can be taken in either order, only one order is a target.
//!
//! A diamond is a state with two steps a and b such that a then b leads to the same state as b then a. Steps are
//! identified by their arguments, and if arguments are missing, by what they change. Diamonds are found in the graph,
//! and not concluded from names. Each diamond loses steps of at most one order, and every state keeps a step into it.
//! Steps that are no targets may still be taken on the way to others, so nothing becomes unreachable.

use kilter_base::Id;
use kilter_graph::{ActionId, EdgeId, RestoreError, StateGraph, ValueId};
use kilter_value::Store;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effect::Effects;
use kilter_base::Rng;

/// The largest number of rounds in which diamonds are improved.
const ROUNDS_MAX: usize = 8;
/// The largest number of edges that are taken back for another one.
const RIVALS_MAX: usize = 6;

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// For each edge, whether it stays a target.
    pub is_kept: Vec<bool>,
    /// How many diamonds there are.
    pub n_diamonds: usize,
    /// The number of diamonds that keep both orders, because no step of them can be given up.
    pub n_whole: usize,
}

/// The edges of both orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diamond {
    /// First a, then b.
    pub left: [EdgeId; 2],
    /// First b, then a.
    pub right: [EdgeId; 2],
}

impl Diamond {
    fn edges(self) -> [EdgeId; 4] {
        [self.left[0], self.left[1], self.right[0], self.right[1]]
    }

    /// 0 for an edge of the left order, 1 for the right one.
    fn side(self, edge: EdgeId) -> usize {
        usize::from(!self.left.contains(&edge))
    }

    /// The order that an edge is not part of.
    fn other(self, edge: EdgeId) -> [EdgeId; 2] {
        if self.left.contains(&edge) { self.right } else { self.left }
    }
}

/// Reduces a graph. Another seed prefers other orders.
///
/// Diamonds share steps, so it is hard to find the steps to give up such that the most diamonds lose one. This function
/// tries three ways, and takes the one that leaves the fewest diamonds whole.
pub fn reduce(graph: &StateGraph, seed: u64) -> Result<Reduction, RestoreError> {
    let instances = instances(graph)?;
    let diamonds = diamonds(graph, &instances);
    let mut ranks: Vec<u32> = (0..instances.iter().copied().max().map_or(0, |most| most + 1)).collect();
    Rng::from_seed(seed).shuffle(&mut ranks);
    let rank = |edge: EdgeId| ranks[instances[edge.index()] as usize];
    let made = [Way::ByRank, Way::MostOfFour, Way::MostOfAll].map(|way| {
        let mut reducer = Reducer::new(graph, &diamonds);
        reducer.run(way, &rank);
        reducer.finish()
    });
    let n_kept = |made: &Reduction| made.is_kept.iter().filter(|kept| **kept).count();
    let best = made.into_iter().min_by_key(|made| (made.n_whole, n_kept(made)));
    Ok(best.expect("there are three ways"))
}

/// How to choose the steps that are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// For each diamond, prefers the second step of the order whose first step has the higher rank.
    ByRank,
    /// For each diamond, the step that is part of the most whole diamonds.
    MostOfFour,
    /// First goes through all steps, starting with those that are part of the most diamonds.
    MostOfAll,
}

/// A number for each edge. It is equal for edges with the same action and arguments. If some state has several such
/// edges to different states, it is equal only if their effects are the same, too.
pub fn instances(graph: &StateGraph) -> Result<Vec<u32>, RestoreError> {
    let mut numbers: FxHashMap<(ActionId, Vec<ValueId>), u32> = FxHashMap::default();
    let mut of_label = Vec::with_capacity(graph.n_labels());
    for index in 0..graph.n_labels() {
        let label = graph.label(Id::from_index(index));
        let next = numbers.len() as u32;
        of_label.push(*numbers.entry((label.action(), graph.args(label).collect())).or_insert(next));
    }
    let plain: Vec<u32> = graph.edges().map(|edge| of_label[graph.label_id(edge).index()]).collect();
    let ambiguous = ambiguous(graph, &plain, numbers.len());
    if !ambiguous.contains(&true) {
        return Ok(plain);
    }
    let store = Store::new();
    let values = graph.values().restore(&store)?;
    let mut effects = Effects::new(graph, &store, values);
    let mut refined: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let refine = |edge: EdgeId| {
        let number = plain[edge.index()];
        let effect = if ambiguous[number as usize] { effects.of(edge) } else { 0 };
        let next = refined.len() as u32;
        *refined.entry((number, effect)).or_insert(next)
    };
    Ok(graph.edges().map(refine).collect())
}

/// For each instance, whether some state has two steps of it that lead to different states.
fn ambiguous(graph: &StateGraph, instances: &[u32], n_instances: usize) -> Vec<bool> {
    let mut ambiguous = vec![false; n_instances];
    let mut seen = FxHashMap::default();
    for state in graph.states() {
        seen.clear();
        for edge in graph.outgoing(state) {
            let instance = instances[edge.index()];
            let target = *seen.entry(instance).or_insert(graph.target(edge));
            ambiguous[instance as usize] |= target != graph.target(edge);
        }
    }
    ambiguous
}

/// All diamonds with four different corners.
pub fn diamonds(graph: &StateGraph, instances: &[u32]) -> Vec<Diamond> {
    let levels = kilter_graph::walk::levels(graph);
    let instance = |edge: EdgeId| instances[edge.index()];
    let mut diamonds = Vec::new();
    let mut steps: Vec<EdgeId> = Vec::new();
    for top in graph.states().filter(|state| levels.level(*state).is_some()) {
        steps.clear();
        steps.extend(graph.outgoing(top).filter(|edge| graph.target(*edge) != top));
        for (index, a) in steps.iter().enumerate() {
            for b in &steps[index + 1..] {
                let (left, right) = (graph.target(*a), graph.target(*b));
                if left == right || instance(*a) == instance(*b) {
                    continue;
                }
                let is_b_again =
                    |edge: &EdgeId| instance(*edge) == instance(*b) && graph.target(*edge) != left;
                for then_b in graph.outgoing(left).filter(is_b_again) {
                    let bottom = graph.target(then_b);
                    let closes =
                        |edge: &EdgeId| instance(*edge) == instance(*a) && graph.target(*edge) == bottom;
                    if bottom != right && bottom != top {
                        let then_a = graph.outgoing(right).find(closes);
                        diamonds
                            .extend(then_a.map(|then_a| Diamond { left: [*a, then_b], right: [*b, then_a] }));
                    }
                }
            }
        }
    }
    diamonds
}

struct Reducer<'d> {
    diamonds: &'d [Diamond],
    targets: Vec<u32>,
    /// For each edge, whether it was given up as a target.
    is_lost: Vec<bool>,
    /// How many edges of each order a diamond has lost. One of the two numbers is always 0.
    n_lost: Vec<[u8; 2]>,
    /// The number of whole diamonds, which have lost no edge.
    n_whole: usize,
    /// The diamonds of each edge: the position of each edge's first diamond in `of_edge`, and the diamonds.
    starts: Vec<u32>,
    of_edge: Vec<u32>,
    /// How many targets lead into each state from another one.
    n_into: Vec<u32>,
    is_initial: FxHashSet<u32>,
}

impl<'d> Reducer<'d> {
    fn new(graph: &StateGraph, diamonds: &'d [Diamond]) -> Self {
        let owners: Vec<u32> =
            diamonds.iter().flat_map(|diamond| diamond.edges().map(|edge| edge.0)).collect();
        let (starts, places) = crate::net::by_node(graph.n_edges(), &owners);
        let levels = kilter_graph::walk::levels(graph);
        let mut n_into = vec![0; graph.n_states()];
        let is_step = |edge: &EdgeId| {
            graph.source(*edge) != graph.target(*edge) && levels.level(graph.source(*edge)).is_some()
        };
        for edge in graph.edges().filter(is_step) {
            n_into[graph.target(edge).index()] += 1;
        }
        Reducer {
            diamonds,
            targets: graph.edges().map(|edge| graph.target(edge).0).collect(),
            is_lost: vec![false; graph.n_edges()],
            n_lost: vec![[0; 2]; diamonds.len()],
            n_whole: diamonds.len(),
            starts,
            of_edge: places.into_iter().map(|place| place / 4).collect(),
            n_into,
            is_initial: graph.initial().map(|state| state.0).collect(),
        }
    }

    fn run(&mut self, way: Way, rank: &dyn Fn(EdgeId) -> u32) {
        if way == Way::MostOfAll {
            let mut edges: Vec<EdgeId> = (0..self.is_lost.len()).map(EdgeId::from_index).collect();
            edges.retain(|edge| !self.own(*edge).is_empty());
            edges.sort_by_key(|edge| (std::cmp::Reverse(self.own(*edge).len()), rank(*edge), *edge));
            for edge in edges {
                if self.n_whole_of(edge) > 0 && self.can_lose(edge) {
                    self.set(edge, true);
                }
            }
        }
        for number in 0..self.diamonds.len() {
            let Diamond { left, right } = self.diamonds[number];
            let (keep, lose) = if rank(left[0]) < rank(right[0]) { (left, right) } else { (right, left) };
            self.lose_one(number, [lose[1], lose[0], keep[1], keep[0]], way);
        }
        self.improve();
    }

    fn finish(self) -> Reduction {
        let is_kept = self.is_lost.iter().map(|lost| !lost).collect();
        Reduction { is_kept, n_diamonds: self.diamonds.len(), n_whole: self.n_whole }
    }

    /// Gives up one of these edges, unless the diamond has lost one already.
    fn lose_one(&mut self, number: usize, candidates: [EdgeId; 4], way: Way) {
        if self.n_lost[number] != [0, 0] {
            return;
        }
        let mut able = candidates.into_iter().filter(|edge| self.can_lose(*edge));
        let chosen = match way {
            Way::ByRank => able.next(),
            // Of equal edges, take the first.
            _ => able.rev().max_by_key(|edge| self.n_whole_of(*edge)),
        };
        if let Some(edge) = chosen {
            self.set(edge, true);
        }
    }

    /// Gives up edges of whole diamonds, and takes back edges that prevent this, as long as it leaves fewer diamonds
    /// whole.
    fn improve(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let before = self.n_whole;
            for number in 0..self.diamonds.len() {
                for edge in self.diamonds[number].edges() {
                    if self.n_lost[number] == [0, 0] {
                        self.exchange(edge);
                    }
                }
            }
            if self.n_whole == before {
                break;
            }
        }
    }

    /// Gives up an edge and takes back the edges that prevent this, if fewer diamonds are whole afterwards.
    fn exchange(&mut self, edge: EdgeId) {
        let mut rivals: Vec<EdgeId> = Vec::new();
        for number in self.own(edge) {
            let other = self.diamonds[*number as usize].other(edge);
            rivals.extend(other.into_iter().filter(|rival| self.is_lost[rival.index()]));
        }
        rivals.sort_unstable();
        rivals.dedup();
        if rivals.len() > RIVALS_MAX {
            return;
        }
        let before = self.n_whole;
        for rival in &rivals {
            self.set(*rival, false);
        }
        if self.can_lose(edge) {
            self.set(edge, true);
            if self.n_whole < before {
                return;
            }
            self.set(edge, false);
        }
        for rival in &rivals {
            self.set(*rival, true);
        }
    }

    /// The number of whole diamonds that an edge is part of.
    fn n_whole_of(&self, edge: EdgeId) -> usize {
        self.own(edge).iter().filter(|number| self.n_lost[**number as usize] == [0, 0]).count()
    }

    /// The diamonds of an edge.
    fn own(&self, edge: EdgeId) -> &[u32] {
        &self.of_edge[self.starts[edge.index()] as usize..self.starts[edge.index() + 1] as usize]
    }

    /// Whether an edge can be given up: its diamonds must keep their other order, and its target must keep another step
    /// into it.
    fn can_lose(&self, edge: EdgeId) -> bool {
        let target = self.targets[edge.index()];
        !self.is_lost[edge.index()]
            && (self.n_into[target as usize] > 1 || self.is_initial.contains(&target))
            && self.own(edge).iter().all(|number| {
                self.n_lost[*number as usize][1 - self.diamonds[*number as usize].side(edge)] == 0
            })
    }

    /// Gives an edge up, or takes it back.
    fn set(&mut self, edge: EdgeId, is_lost: bool) {
        self.is_lost[edge.index()] = is_lost;
        let n_into = &mut self.n_into[self.targets[edge.index()] as usize];
        *n_into = if is_lost { *n_into - 1 } else { *n_into + 1 };
        for index in self.starts[edge.index()]..self.starts[edge.index() + 1] {
            let number = self.of_edge[index as usize] as usize;
            let side = self.diamonds[number].side(edge);
            let was_whole = self.n_lost[number] == [0, 0];
            let n_lost = &mut self.n_lost[number][side];
            *n_lost = if is_lost { *n_lost + 1 } else { *n_lost - 1 };
            let is_whole = self.n_lost[number] == [0, 0];
            self.n_whole = self.n_whole + usize::from(is_whole) - usize::from(was_whole);
        }
    }
}
