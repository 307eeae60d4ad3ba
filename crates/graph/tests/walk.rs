//! Compares levels and components with their definitions.

use crate::common;

use common::{any_plan, build, small_store};
use kilter_base::Id;
use kilter_graph::{StateGraph, StateId, summarize, walk};
use proptest::prelude::*;

/// The least number of steps from `a` to `b` at `[a][b]`. `None` if there is no path.
fn distances(graph: &StateGraph) -> Vec<Vec<Option<u32>>> {
    let n = graph.n_states();
    let mut steps = vec![vec![None; n]; n];
    for (state, row) in steps.iter_mut().enumerate() {
        row[state] = Some(0);
    }
    for edge in graph.edges() {
        let cell = &mut steps[graph.source(edge).index()][graph.target(edge).index()];
        *cell = Some(cell.unwrap_or(1).min(1));
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                if let (Some(a), Some(b)) = (steps[from][via], steps[via][to]) {
                    steps[from][to] = Some(steps[from][to].unwrap_or(u32::MAX).min(a + b));
                }
            }
        }
    }
    steps
}

proptest! {
    #[test]
    fn levels_are_shortest_distances(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let levels = walk::levels(&graph);
        let steps = distances(&graph);
        for state in graph.states() {
            let nearest = graph.initial().filter_map(|from| steps[from.index()][state.index()]).min();
            prop_assert_eq!(levels.level(state), nearest.map(|n| n + 1));
            if let Some((start, edges)) = levels.path(&graph, state) {
                prop_assert!(graph.initial().any(|initial| initial == start));
                let end = edges.iter().try_fold(start, |at, edge| (graph.source(*edge) == at).then_some(graph.target(*edge)));
                prop_assert_eq!(end, Some(state));
                prop_assert_eq!(edges.len() as u32 + 1, levels.level(state).expect("it is reached"));
            }
        }
    }

    #[test]
    fn components_are_mutual_reachability(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let components = walk::components(&graph);
        let steps = distances(&graph);
        for (a, of_a) in components.of.iter().enumerate() {
            for (b, of_b) in components.of.iter().enumerate() {
                prop_assert_eq!(of_a == of_b, steps[a][b].is_some() && steps[b][a].is_some());
            }
        }
        for edge in graph.edges() {
            let component = |state: StateId| components.of[state.index()];
            prop_assert!(component(graph.target(edge)) <= component(graph.source(edge)));
        }
        prop_assert_eq!(components.sizes().iter().sum::<u32>() as usize, graph.n_states());
    }

    #[test]
    fn both_directions_hold_the_same_edges(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let mut back: Vec<_> = graph.states().flat_map(|state| graph.incoming(state).collect::<Vec<_>>()).collect();
        back.sort();
        prop_assert_eq!(back, graph.edges().collect::<Vec<_>>());
        for state in graph.states() {
            prop_assert!(graph.incoming(state).all(|edge| graph.target(edge) == state));
            prop_assert!(graph.outgoing(state).all(|edge| graph.source(edge) == state));
        }
        let summary = summarize(&graph);
        prop_assert_eq!(summary.actions.values().sum::<usize>(), graph.n_edges());
    }
}
