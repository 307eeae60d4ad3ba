//! A suite takes at least one walk of each set. The two edges of a walk follow each other in one test.

use crate::common;

use common::{Plan, any_plan, build, walks};
use kilter_graph::{EdgeId, StateGraph};
use kilter_suite::choice::{Walk, cover_choices, settled};
use kilter_suite::tests::Tests;
use kilter_suite::{Algorithm, Bound, Cover, Goal, GoalError, Suite, cover};
use proptest::prelude::*;

/// The walks of a graph that begin in a reachable state: edges, and pairs of edges.
fn all_walks(graph: &StateGraph) -> Vec<Walk> {
    let reached = match cover(graph, &Goal { cover: Cover::States, ..Goal::default() }) {
        Ok(suite) => walks(graph, &suite),
        Err(_) => Vec::new(),
    };
    let mut is_reached = vec![false; graph.n_states()];
    for (start, edges) in reached {
        is_reached[start.0 as usize] = true;
        for edge in edges {
            is_reached[graph.target(edge).0 as usize] = true;
        }
    }
    let edges = graph.edges().filter(|edge| is_reached[graph.source(*edge).0 as usize]);
    let with_next = |first: EdgeId| {
        let next = graph.outgoing(graph.target(first)).map(move |then| Walk { first, then: Some(then) });
        next.chain([first.into()])
    };
    edges.flat_map(with_next).collect()
}

fn takes(edges: &[EdgeId], walk: &Walk) -> bool {
    match walk.then {
        None => edges.contains(&walk.first),
        Some(then) => edges.windows(2).any(|pair| pair == [walk.first, then]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn one_walk_of_each_choice(plan in any_plan(9), numbers in prop::collection::vec(0..1000usize, 1..12), n in 1..4usize, seed in 0..3u64) {
        let graph = build(&plan);
        let all = all_walks(&graph);
        let choices: Vec<Vec<Walk>> = numbers
            .chunks(n)
            .map(|chunk| chunk.iter().filter_map(|number| all.get(number % all.len().max(1)).copied()).collect())
            .collect();
        for algorithm in [Algorithm::Optimal, Algorithm::Greedy] {
            match cover_choices(&graph, &Goal { algorithm, seed, ..Goal::default() }, &choices) {
                Ok(suite) => {
                    let tests = walks(&graph, &suite);
                    let is_settled = settled(&suite, &choices);
                    for (choice, is_settled) in choices.iter().zip(is_settled).filter(|(choice, _)| !choice.is_empty()) {
                        let is_taken = |(_, edges): &(_, Vec<EdgeId>)| choice.iter().any(|walk| takes(edges, walk));
                        prop_assert!(tests.iter().any(is_taken), "{choice:?} in {tests:?}");
                        prop_assert!(is_settled, "{choice:?}");
                    }
                    prop_assert_eq!(suite.n_covered, suite.n_targets);
                    prop_assert!(suite.cost() >= suite.bound.cost);
                }
                Err(error) => {
                    prop_assert_eq!(error, GoalError::NothingToCover { what: "edge" });
                    prop_assert!(all.is_empty());
                }
            }
        }
    }
}

#[test]
fn a_suite_settles_what_its_tests_take_and_nothing_else() {
    let graph = build(&Plan { n_states: 2, initial: vec![0], edges: vec![(0, 1, 0), (1, 0, 1), (0, 1, 2)] });
    let mut tests = Tests::default();
    // Edges 0 and 1 begin in state 0.
    tests.push(0, &[0, 2, 0]);
    let suite = Suite::from_walks(tests, 0, 0, Bound::default(), 20);
    let walk = |first, then: Option<u32>| Walk { first: EdgeId(first), then: then.map(EdgeId) };
    assert_eq!(graph.source(EdgeId(2)).0, 1);
    let choices = [
        vec![walk(0, None)],
        vec![walk(1, None)],
        vec![walk(1, None), walk(2, Some(0))],
        vec![walk(0, Some(0))],
        vec![],
    ];
    assert_eq!(settled(&suite, &choices), [true, false, true, false, false]);
}
