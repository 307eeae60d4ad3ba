//! Partial-order reduction: of two steps that can be taken in either order, one order is a target.
//!
//! A diamond is a state with two steps a and b such that a then b and b then a lead to the same state. Steps are told apart by all of
//! their arguments, and where those are missing by what they change: that the corners close is seen in the graph, not concluded from
//! names. Each diamond loses a step of one order at most and keeps the other order whole, and every state keeps a step
//! into it. Steps that are no targets may still be taken on the way to others, so nothing becomes unreachable.

use kilter_base::Id;
use kilter_graph::{ActionId, EdgeId, RestoreError, StateGraph, ValueId};
use kilter_value::Store;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effect::Effects;
use crate::rng::Rng;

/// What a reduction keeps.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Which edges stay targets, by number.
    pub is_kept: Vec<bool>,
    /// How many diamonds there are.
    pub n_diamonds: usize,
    /// How many of them keep both orders, because each step is needed elsewhere.
    pub n_whole: usize,
}

/// The edges of two orders: a then b, b then a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diamond {
    /// One order.
    pub left: [EdgeId; 2],
    /// The other.
    pub right: [EdgeId; 2],
}

impl Diamond {
    fn edges(self) -> [EdgeId; 4] {
        [self.left[0], self.left[1], self.right[0], self.right[1]]
    }

    /// The order that an edge is not part of.
    fn other(self, edge: EdgeId) -> [EdgeId; 2] {
        if self.left.contains(&edge) { self.right } else { self.left }
    }
}

/// Reduces; another seed prefers other orders.
///
/// Which steps to give up so that as many diamonds as possible lose one is a puzzle: steps are shared between diamonds. Three ways are
/// tried, and the one that leaves the fewest diamonds whole is taken.
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

/// How steps are chosen that are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Of each diamond the second step of the order that ranks lower.
    ByRank,
    /// Of each diamond the step with the most diamonds that have lost none.
    MostOfFour,
    /// The steps with the most diamonds first.
    MostOfAll,
}

/// A number for each edge: equal for the same action with the same arguments, and where that does not tell a state's steps
/// apart, with the same effect.
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

/// The instances of which some state has two steps to different states.
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

/// All diamonds whose corners are three or four different states.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    /// Part of an order that must stay whole.
    Needed,
    /// No target.
    Lost,
}

struct Reducer<'d> {
    diamonds: &'d [Diamond],
    targets: Vec<u32>,
    fates: Vec<Fate>,
    /// The diamonds of each edge: where each edge's start, and the diamonds.
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
            fates: vec![Fate::Open; graph.n_edges()],
            starts,
            of_edge: places.into_iter().map(|place| place / 4).collect(),
            n_into,
            is_initial: graph.initial().map(|state| state.0).collect(),
        }
    }

    fn run(&mut self, way: Way, rank: &dyn Fn(EdgeId) -> u32) {
        if way == Way::MostOfAll {
            let mut edges: Vec<EdgeId> = (0..self.fates.len()).map(EdgeId::from_index).collect();
            let n_diamonds = |edge: EdgeId| self.starts[edge.index() + 1] - self.starts[edge.index()];
            edges.retain(|edge| n_diamonds(*edge) > 0);
            edges.sort_by_key(|edge| (std::cmp::Reverse(n_diamonds(*edge)), rank(*edge), *edge));
            for edge in edges {
                if self.n_whole(edge) > 0 && self.can_lose(edge) {
                    self.lose(edge);
                }
            }
        }
        for diamond in self.diamonds {
            let is_left_first = rank(diamond.left[0]) < rank(diamond.right[0]);
            let (keep, lose) =
                if is_left_first { (diamond.left, diamond.right) } else { (diamond.right, diamond.left) };
            self.lose_one(*diamond, [lose[1], lose[0], keep[1], keep[0]], way);
        }
    }

    fn finish(self) -> Reduction {
        let n_whole = self.diamonds.iter().filter(|diamond| self.is_whole(**diamond)).count();
        let is_kept = self.fates.iter().map(|fate| *fate != Fate::Lost).collect();
        Reduction { is_kept, n_diamonds: self.diamonds.len(), n_whole }
    }

    fn is_whole(&self, diamond: Diamond) -> bool {
        diamond.edges().iter().all(|edge| self.fates[edge.index()] != Fate::Lost)
    }

    /// Gives up one of these edges, unless the diamond has lost one already.
    fn lose_one(&mut self, diamond: Diamond, candidates: [EdgeId; 4], way: Way) {
        if !self.is_whole(diamond) {
            return;
        }
        let mut able = candidates.into_iter().filter(|edge| self.can_lose(*edge));
        let chosen = match way {
            Way::ByRank => able.next(),
            // Of equals the first.
            _ => able.rev().max_by_key(|edge| self.n_whole(*edge)),
        };
        if let Some(edge) = chosen {
            self.lose(edge);
        }
    }

    /// How many diamonds of an edge have lost none.
    fn n_whole(&self, edge: EdgeId) -> usize {
        self.own(edge).filter(|diamond| self.is_whole(*diamond)).count()
    }

    fn own(&self, edge: EdgeId) -> impl Iterator<Item = Diamond> {
        let own = self.starts[edge.index()] as usize..self.starts[edge.index() + 1] as usize;
        self.of_edge[own].iter().map(|diamond| self.diamonds[*diamond as usize])
    }

    fn others(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> {
        self.own(edge).flat_map(move |diamond| diamond.other(edge))
    }

    /// Whether every diamond of an edge would keep its other order, and the state that it leads to another step into it.
    fn can_lose(&self, edge: EdgeId) -> bool {
        let target = self.targets[edge.index()];
        self.fates[edge.index()] == Fate::Open
            && (self.n_into[target as usize] > 1 || self.is_initial.contains(&target))
            && self.others(edge).all(|other| self.fates[other.index()] != Fate::Lost)
    }

    fn lose(&mut self, edge: EdgeId) {
        let others: Vec<EdgeId> = self.others(edge).collect();
        for other in others {
            self.fates[other.index()] = Fate::Needed;
        }
        self.fates[edge.index()] = Fate::Lost;
        self.n_into[self.targets[edge.index()] as usize] -= 1;
    }
}
