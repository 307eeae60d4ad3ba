//! What the tests share: small random graphs, and a search that tries everything.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::{BTreeMap, BTreeSet};

use kilter_graph::intake::Intake;
use kilter_graph::{Builder, EdgeId, StateGraph, StateId};
use kilter_suite::Suite;
use kilter_value::Store;
use proptest::prelude::*;

/// A graph as plain data.
#[derive(Clone, Debug)]
pub struct Plan {
    pub n_states: usize,
    pub initial: Vec<usize>,
    /// Source, target, action; parallel edges and self-loops too.
    pub edges: Vec<(usize, usize, usize)>,
}

pub fn any_plan(n_edges_max: usize) -> impl Strategy<Value = Plan> {
    (1..6usize).prop_flat_map(move |n_states| {
        let edge = (0..n_states, 0..n_states, 0..3usize);
        let initial = prop::collection::vec(0..n_states, 1..3);
        (Just(n_states), initial, prop::collection::vec(edge, 0..=n_edges_max))
            .prop_map(|(n_states, initial, edges)| Plan { n_states, initial, edges })
    })
}

/// A graph whose states are numbers, with the actions A, B and C.
pub fn build(plan: &Plan) -> StateGraph {
    let store = Store::with_capacity_bytes(1 << 20);
    let mut intake = Intake::new(&store);
    let mut builder = Builder::new("Plan.tla", vec!["n".to_owned()]);
    let actions = ["A", "B", "C"].map(|name| builder.action(name, Vec::new()));
    for number in 0..plan.n_states {
        builder.state([intake.add(store.int(number as i32))].into_iter());
    }
    for state in &plan.initial {
        builder.initial(StateId(*state as u32));
    }
    for (source, target, action) in &plan.edges {
        let label = builder.label(actions[*action], [].into_iter(), [].into_iter());
        builder.edge(StateId(*source as u32), StateId(*target as u32), label);
    }
    builder.finish(intake.finish())
}

/// Fails unless every test starts in an initial state and follows edges, and no two are the same; the tests.
pub fn walks(graph: &StateGraph, suite: &Suite) -> Vec<(StateId, Vec<EdgeId>)> {
    let mut edges = Vec::new();
    let walk = |test: usize| {
        let start = suite.read(test, &mut edges);
        assert!(graph.initial().any(|state| state == start), "test {test} starts in no initial state");
        let mut at = start;
        for edge in &edges {
            assert_eq!(graph.source(*edge), at, "test {test} has a gap");
            at = graph.target(*edge);
        }
        (start, edges.clone())
    };
    let walks: Vec<(StateId, Vec<EdgeId>)> = (0..suite.n_tests() as usize).map(walk).collect();
    assert_eq!(walks.iter().collect::<BTreeSet<_>>().len(), walks.len(), "two tests are the same");
    walks
}

pub fn reachable(graph: &StateGraph) -> Vec<bool> {
    let levels = kilter_graph::walk::levels(graph);
    graph.states().map(|state| levels.level(state).is_some()).collect()
}

/// What is to be covered: the bit of each edge and of each state.
pub struct Bits {
    pub of_edge: Vec<u32>,
    pub of_state: Vec<u32>,
    pub full: u32,
}

impl Bits {
    pub fn edges(graph: &StateGraph, is_wanted: impl Fn(EdgeId) -> bool) -> Bits {
        let is_reached = reachable(graph);
        let mut full = 0;
        let mut bit = |edge: EdgeId| {
            if !is_wanted(edge) || !is_reached[graph.source(edge).0 as usize] {
                return 0;
            }
            let bit = full + 1;
            full |= bit;
            bit
        };
        let of_edge = graph.edges().map(&mut bit).collect();
        Bits { of_edge, of_state: vec![0; graph.n_states()], full }
    }

    pub fn states(graph: &StateGraph) -> Bits {
        let is_reached = reachable(graph);
        let of_state: Vec<u32> =
            (0..graph.n_states()).map(|state| if is_reached[state] { 1 << state } else { 0 }).collect();
        Bits { of_edge: vec![0; graph.n_edges()], full: of_state.iter().sum(), of_state }
    }

    pub fn actions(graph: &StateGraph) -> Bits {
        let is_reached = reachable(graph);
        let bit = |edge: EdgeId| {
            let action = graph.label(graph.label_id(edge)).action().0;
            if is_reached[graph.source(edge).0 as usize] { 1 << action } else { 0 }
        };
        let of_edge: Vec<u32> = graph.edges().map(bit).collect();
        Bits {
            full: of_edge.iter().fold(0, |all, bit| all | bit),
            of_edge,
            of_state: vec![0; graph.n_states()],
        }
    }
}

/// The least cost of all suites there are.
pub fn brute_force(graph: &StateGraph, bits: &Bits, restart: u64, step: u64) -> u64 {
    let mut costs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<(u32, u32)>> = BTreeMap::new();
    let begin =
        |covered: u32| graph.initial().map(move |state| (state.0, covered | bits.of_state[state.0 as usize]));
    if bits.full == 0 {
        return 0;
    }
    open.insert(restart, begin(0).collect());
    while let Some((cost, places)) = open.pop_first() {
        let mut places = places;
        while let Some((state, covered)) = places.pop() {
            if costs.get(&(state, covered)).is_some_and(|known| *known <= cost) {
                continue;
            }
            costs.insert((state, covered), cost);
            if covered == bits.full {
                return cost;
            }
            let steps = graph.outgoing(StateId(state)).map(|edge| {
                let target = graph.target(edge);
                (target.0, covered | bits.of_edge[edge.0 as usize] | bits.of_state[target.0 as usize])
            });
            let steps: Vec<(u32, u32)> = steps.collect();
            if step == 0 {
                places.extend(steps);
            } else {
                open.entry(cost + step).or_default().extend(steps);
            }
            open.entry(cost + restart).or_default().extend(begin(covered));
        }
    }
    unreachable!("everything wanted can be reached")
}
