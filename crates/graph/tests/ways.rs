//! Edges that differ only in the way through their action become one edge with a set of ways.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use crate::common;

use common::{Plan, Term, any_plan, build, describe, small_store};
use expect_test::expect;
use kilter_graph::{StateGraph, decode, encode, summarize};
use proptest::prelude::*;

/// A graph in the second version of the format, made from `corpus/check/action_several_ways.tla`. It has 6 edges for 2
/// steps.
const SECOND: &[u8] = include_bytes!("second.kilter");

fn graph(edges: Vec<(usize, usize, usize, Term, Vec<usize>)>) -> StateGraph {
    let plan = Plan { states: vec![Term::Int(0), Term::Int(1)], initial: vec![0], edges, is_complete: true };
    build(&plan, &small_store())
}

#[test]
fn ways_are_a_set_in_the_order_of_the_text() {
    let edge = |target, action, arg, blocks: &[usize]| (0, target, action, Term::Int(arg), blocks.to_vec());
    let made = graph(vec![
        edge(1, 0, 7, &[3]),
        edge(1, 0, 7, &[2, 3]),
        edge(1, 0, 8, &[3]),
        // Another action with the same name and parameters.
        edge(1, 1, 7, &[0]),
        edge(0, 0, 7, &[3]),
        edge(1, 0, 7, &[3]),
    ]);
    expect![[r#"
        initial [0], complete true
        0: n = 0, x = 0
        1: n = 1, x = 1
        0 -> 1 Send(m) (7) [Plan.tla:3:1] [Plan.tla:4:7, Plan.tla:5:2] [Plan.tla:5:2]
        0 -> 1 Send(m) (8) [Plan.tla:5:2]
        0 -> 0 Send(m) (7) [Plan.tla:5:2]
    "#]]
    .assert_eq(&describe(&made));
    let summary = summarize(&made);
    assert_eq!((summary.edges, summary.ways, summary.several_ways, summary.labels), (3, 5, 1, 3));
}

#[test]
fn files_of_the_second_version_are_read_and_their_edges_made_one() {
    let graph = decode(SECOND).expect("the version before");
    expect![[r#"
        initial [0], complete true
        0: x = 0
        1: x = 1
        2: x = 2
        0 -> 1 A() () [action_several_ways.tla:7:10] [action_several_ways.tla:7:19] [action_several_ways.tla:7:28]
        1 -> 2 A() () [action_several_ways.tla:7:10] [action_several_ways.tla:7:19] [action_several_ways.tla:7:28]
    "#]]
    .assert_eq(&describe(&graph));
    assert_eq!(decode(&encode(&graph)), Ok(graph));
}

#[test]
fn a_damaged_file_of_the_second_version_is_noticed() {
    for index in 0..SECOND.len() {
        let mut damaged = SECOND.to_vec();
        damaged[index] ^= 1;
        assert!(decode(&damaged).is_err(), "byte {index}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_two_edges_are_the_same_step(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let mut steps: Vec<_> = graph
            .edges()
            .map(|edge| {
                let label = graph.label(graph.label_id(edge));
                let args: Vec<_> = graph.args(label).collect();
                (graph.source(edge), graph.target(edge), graph.action_of(edge).name.clone(), args)
            })
            .collect();
        let n_ways = graph.edges().map(|edge| graph.ways_of(edge).len()).sum::<usize>();
        prop_assert!(n_ways <= plan.edges.len());
        prop_assert!(graph.edges().all(|edge| graph.ways_of(edge).len() > 0));
        steps.sort();
        prop_assert!(steps.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn the_order_of_edges_does_not_show_in_ways(plan in any_plan()) {
        // Arguments would decide the order of names, and names the order of sets.
        let plain = |(source, target, action, _, blocks): &(_, _, _, Term, _)| (*source, *target, *action, Term::Int(0), Vec::clone(blocks));
        let plan = Plan { edges: plan.edges.iter().map(plain).collect(), ..plan };
        let backwards = Plan { edges: plan.edges.iter().rev().cloned().collect(), ..plan.clone() };
        let lines = |plan: &Plan| {
            let mut lines: Vec<String> =
                describe(&build(plan, &small_store())).lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        prop_assert_eq!(lines(&plan), lines(&backwards));
    }
}
