//! Partial-order reduction keeps what it promises to keep.

use crate::common;

use common::{Plan, any_plan, build, walks};
use kilter_graph::StateGraph;
use kilter_suite::por::{diamonds, instances, reduce};
use kilter_suite::{Goal, cover};
use proptest::prelude::*;

fn check(graph: &StateGraph, seed: u64) -> usize {
    let reduction = reduce(graph, seed).expect("plain values");
    let is_kept = |edge: &kilter_graph::EdgeId| reduction.is_kept[edge.0 as usize];
    let diamonds = diamonds(graph, &instances(graph).expect("plain values"));
    assert_eq!(reduction.n_diamonds, diamonds.len());
    for diamond in &diamonds {
        assert!(diamond.left.iter().all(is_kept) || diamond.right.iter().all(is_kept), "{diamond:?}");
    }
    let whole = diamonds.iter().filter(|diamond| diamond.left.iter().chain(&diamond.right).all(is_kept));
    assert_eq!(whole.count(), reduction.n_whole);
    // Tests that cover what is kept visit every state.
    let goal = Goal { wanted: Some(reduction.is_kept.clone()), ..Goal::default() };
    if let Ok(suite) = cover(graph, &goal) {
        assert_eq!(suite.n_covered, suite.n_targets);
        let mut visited: Vec<bool> = vec![false; graph.n_states()];
        graph.initial().for_each(|state| visited[state.0 as usize] = true);
        for (_, edges) in walks(graph, &suite) {
            for edge in edges {
                visited[graph.target(edge).0 as usize] = true;
            }
        }
        assert_eq!(visited, common::reachable(graph));
    }
    reduction.is_kept.iter().filter(|kept| !**kept).count()
}

proptest! {
    #[test]
    fn one_order_stays_whole_and_every_state_is_visited(plan in any_plan(14), seed in 0..4u64) {
        check(&build(&plan), seed);
    }
}

/// Two clocks that turn independently. Every square is a diamond.
#[test]
fn a_grid_loses_one_step_of_each_diamond() {
    let mut edges = Vec::new();
    for x in 0..3 {
        for y in 0..3 {
            if x < 2 {
                edges.push((3 * x + y, 3 * (x + 1) + y, 0));
            }
            if y < 2 {
                edges.push((3 * x + y, 3 * x + y + 1, 1));
            }
        }
    }
    let graph = build(&Plan { n_states: 9, initial: vec![0], edges });
    let reduction = reduce(&graph, 0).expect("plain values");
    assert_eq!((reduction.n_diamonds, reduction.n_whole), (4, 0));
    for seed in 0..10 {
        assert!(check(&graph, seed) >= 2);
    }
}
