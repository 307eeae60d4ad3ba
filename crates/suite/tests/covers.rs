//! Every algorithm covers what it must, and the optimal one is as cheap as trying everything.

use crate::common;

use common::{Bits, any_plan, brute_force, build, walks};
use kilter_graph::{EdgeId, StateGraph};
use kilter_suite::fewest::fewest;
use kilter_suite::flow::{certificate, solve};
use kilter_suite::net::Net;
use kilter_suite::relax::{Costs, Relaxation};
use kilter_suite::targets::Targets;
use kilter_suite::{Algorithm, Cover, Goal, GoalError, Suite, cover};
use proptest::prelude::*;

const ALGORITHMS: [Algorithm; 3] = [Algorithm::Optimal, Algorithm::Greedy, Algorithm::Dfs];

fn covered_edges(graph: &StateGraph, suite: &Suite) -> Vec<bool> {
    let mut covered = vec![false; graph.n_edges()];
    for (_, edges) in walks(graph, suite) {
        for edge in edges {
            covered[edge.0 as usize] = true;
        }
    }
    covered
}

fn wanted(graph: &StateGraph, bits: &Bits) -> usize {
    graph.edges().filter(|edge| bits.of_edge[edge.0 as usize] > 0).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn all_edges_optimally(plan in any_plan(9), restart_cost in 0..6u32, seed in 0..3u64) {
        let graph = build(&plan);
        let bits = Bits::edges(&graph, |_| true);
        let mut costs = Vec::new();
        for algorithm in ALGORITHMS {
            let goal = Goal { algorithm, restart_cost, seed, ..Goal::default() };
            let suite = match cover(&graph, &goal) {
                Ok(suite) => suite,
                Err(error) => {
                    prop_assert_eq!((error, bits.full), (GoalError::NothingToCover { what: "edge" }, 0));
                    return Ok(());
                }
            };
            let covered = covered_edges(&graph, &suite).into_iter().filter(|covered| *covered).count();
            prop_assert_eq!(covered, wanted(&graph, &bits));
            prop_assert_eq!((suite.n_covered, suite.n_targets), (covered as u64, covered as u64));
            prop_assert!(suite.bound.cost <= suite.cost() && suite.bound.tests <= suite.n_tests());
            costs.push(suite.cost());
            if algorithm == Algorithm::Optimal {
                prop_assert!(suite.is_proven());
            }
        }
        prop_assert_eq!(costs[0], brute_force(&graph, &bits, restart_cost.into(), 1));
        prop_assert!(costs[0] <= costs[1] && costs[1] <= costs[2], "{:?}", costs);
    }

    #[test]
    fn some_edges(plan in any_plan(9), restart_cost in 0..6u32, mask: u16) {
        let graph = build(&plan);
        let is_wanted = |edge: EdgeId| mask >> edge.0 & 1 == 1;
        let bits = Bits::edges(&graph, is_wanted);
        let least = brute_force(&graph, &bits, restart_cost.into(), 1);
        for algorithm in [Algorithm::Optimal, Algorithm::Greedy] {
            let wanted = Some(graph.edges().map(is_wanted).collect());
            let Ok(suite) = cover(&graph, &Goal { algorithm, restart_cost, wanted, ..Goal::default() }) else {
                prop_assert_eq!(bits.full, 0);
                return Ok(());
            };
            let covered = covered_edges(&graph, &suite);
            prop_assert!(graph.edges().all(|edge| bits.of_edge[edge.0 as usize] == 0 || covered[edge.0 as usize]));
            prop_assert!(suite.bound.cost <= least && least <= suite.cost());
        }
    }

    #[test]
    fn all_states(plan in any_plan(12), restart_cost in 0..6u32) {
        let graph = build(&plan);
        let bits = Bits::states(&graph);
        let least = brute_force(&graph, &bits, restart_cost.into(), 1);
        for algorithm in [Algorithm::Optimal, Algorithm::Greedy] {
            let goal = Goal { cover: Cover::States, algorithm, restart_cost, ..Goal::default() };
            let suite = cover(&graph, &goal).expect("an initial state is a target");
            let mut visited = 0;
            for (start, edges) in walks(&graph, &suite) {
                visited |= 1 << start.0;
                for edge in edges {
                    visited |= 1 << graph.target(edge).0;
                }
            }
            prop_assert_eq!(visited & bits.full, bits.full);
            prop_assert!(suite.bound.cost <= least && least <= suite.cost());
        }
    }

    #[test]
    fn the_fewest_tests(plan in any_plan(9)) {
        let graph = build(&plan);
        let net = Net::new(&graph, 0);
        let edges = brute_force(&graph, &Bits::edges(&graph, |_| true), 1, 0);
        prop_assert_eq!(fewest(&net, &Targets::all_arcs(&net)), edges);
        let nodes = Targets::Nodes((0..net.n_nodes() as u32).map(|node| net.is_reached(node)).collect());
        prop_assert_eq!(fewest(&net, &nodes), brute_force(&graph, &Bits::states(&graph), 1, 0));
    }

    #[test]
    fn every_action(plan in any_plan(9), restart_cost in 0..6u32) {
        let graph = build(&plan);
        let bits = Bits::actions(&graph);
        match cover(&graph, &Goal { cover: Cover::Actions, restart_cost, ..Goal::default() }) {
            Ok(suite) => {
                prop_assert_eq!(suite.n_covered, u64::from(bits.full.count_ones()));
                prop_assert_eq!(suite.cost(), brute_force(&graph, &bits, restart_cost.into(), 1));
                walks(&graph, &suite);
            }
            Err(_) => prop_assert_eq!(bits.full, 0),
        }
    }

    #[test]
    fn every_pair(plan in any_plan(9), restart_cost in 0..6u32) {
        let graph = build(&plan);
        let Ok(suite) = cover(&graph, &Goal { cover: Cover::Pairs, restart_cost, ..Goal::default() }) else { return Ok(()) };
        let name = |edge: &EdgeId| graph.action_of(*edge).name.clone();
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (_, edges) in walks(&graph, &suite) {
            pairs.extend(edges.windows(2).map(|pair| (name(&pair[0]), name(&pair[1]))));
        }
        let is_reached = common::reachable(&graph);
        for first in graph.edges().filter(|edge| is_reached[graph.source(*edge).0 as usize]) {
            for second in graph.outgoing(graph.target(first)) {
                prop_assert!(pairs.contains(&(name(&first), name(&second))));
            }
        }
        prop_assert!(suite.bound.cost <= suite.cost());
    }

    #[test]
    fn no_test_is_longer_than_asked(plan in any_plan(12), max_steps in 1..6u32, states: bool) {
        let graph = build(&plan);
        let cover_what = if states { Cover::States } else { Cover::Edges };
        for algorithm in [Algorithm::Optimal, Algorithm::Greedy] {
            let goal = Goal { cover: cover_what, algorithm, max_steps: Some(max_steps), ..Goal::default() };
            match cover(&graph, &goal) {
                Ok(suite) => {
                    prop_assert!(walks(&graph, &suite).iter().all(|(_, edges)| edges.len() <= max_steps as usize));
                    prop_assert_eq!(suite.n_covered, suite.n_targets);
                    prop_assert!(suite.bound.cost <= suite.cost() && suite.bound.tests <= suite.n_tests());
                }
                Err(GoalError::TooFar { needed, .. }) => prop_assert!(needed > max_steps),
                Err(error) => prop_assert_eq!(error, GoalError::NothingToCover { what: "edge" }),
            }
        }
    }

    #[test]
    fn tests_end_where_they_should(plan in any_plan(12), end_states: [bool; 6], with_action: bool, states: bool) {
        let graph = build(&plan);
        let end_actions = if with_action { vec!["A".to_owned()] } else { Vec::new() };
        let cover_what = if states { Cover::States } else { Cover::Edges };
        for algorithm in [Algorithm::Optimal, Algorithm::Greedy] {
            let goal = Goal {
                cover: cover_what,
                algorithm,
                end_actions: end_actions.clone(),
                end_states: Some(end_states[..plan.n_states].to_vec()),
                ..Goal::default()
            };
            let Ok(suite) = cover(&graph, &goal) else { return Ok(()) };
            prop_assert_eq!(suite.n_covered, suite.n_targets);
            let is_end_edge = |edge: EdgeId| with_action && graph.action_of(edge).name == "A";
            for (start, edges) in walks(&graph, &suite) {
                let last = edges.last().map_or(start, |edge| graph.target(*edge));
                let ends = end_states[last.0 as usize] || edges.last().is_some_and(|edge| is_end_edge(*edge));
                prop_assert!(ends || !leads_to_end(&graph, last.0, &end_states, &is_end_edge));
            }
        }
    }

    #[test]
    fn certificates_check_and_wrong_ones_do_not(plan in any_plan(9), restart in 1..6u32, at: usize) {
        let graph = build(&plan);
        let net = Net::new(&graph, 0);
        let relaxation = Relaxation::new(&net, &Targets::all_arcs(&net), Costs { restart, step: 1 });
        let network = &relaxation.network;
        let found = solve(network).expect("there is one");
        let cost = certificate::certify(network, &found.flow, &found.potentials).expect("it is the cheapest");
        prop_assert_eq!(certificate::bound(network, &found.potentials), Ok(cost));
        if net.n_arcs() > 0 {
            let mut flow = found.flow.clone();
            let arc = at % flow.len();
            flow[arc] += 1;
            let is_loop = network.tails()[arc] == network.heads()[arc];
            // With one more unit on a loop, the flow is still a circulation, but a more expensive one.
            let error = certificate::certify(network, &flow, &found.potentials);
            prop_assert!(error.is_err(), "{} {:?}", is_loop, error);
        }
    }

    #[test]
    fn tests_that_cover_most_come_first(plan in any_plan(12)) {
        let graph = build(&plan);
        let Ok(suite) = cover(&graph, &Goal::default()) else { return Ok(()) };
        let walks = walks(&graph, &suite);
        let rate = |edges: &[EdgeId]| {
            let mut new: Vec<EdgeId> = edges.to_vec();
            new.sort_unstable();
            new.dedup();
            new.len() as u64 * 1000 / (edges.len() as u64 + 20)
        };
        let first = rate(&walks[0].1);
        prop_assert!(walks.iter().all(|(_, edges)| rate(edges) <= first));
    }
}

fn leads_to_end(graph: &StateGraph, from: u32, ends: &[bool], is_end_edge: &dyn Fn(EdgeId) -> bool) -> bool {
    let mut seen = vec![false; graph.n_states()];
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        if ends[state as usize] {
            return true;
        }
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        for edge in graph.outgoing(kilter_graph::StateId(state)) {
            if is_end_edge(edge) {
                return true;
            }
            open.push(graph.target(edge).0);
        }
    }
    false
}
