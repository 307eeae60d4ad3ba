//! Imports TLC's dumps, with all their traps.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use crate::common;

use common::{any_plan, build, describe, small_store};
use kilter_graph::export::{self, Format};
use kilter_graph::{ImportError, Imported, StateGraph, dot, summarize};
use proptest::prelude::*;

fn import(text: &str) -> Result<Imported, ImportError> {
    dot::import(text, "dump.dot", &small_store())
}

fn graph(text: &str) -> StateGraph {
    import(text).expect("a good dump").graph
}

fn message(text: &str) -> String {
    import(text).expect_err("a bad dump").to_string()
}

const LOOP: &str = r#"strict digraph DiskGraph {
node [shape=box,style=rounded]
edge [colorscheme="paired12"]
nodesep=0.35;
subgraph cluster_graph {
color="white";
-34 [label="x = 0",style = filled]
-34 -> -34 [label="A",color="2",fontcolor="2"];
-34 -> -68 [label="B(1)",color="3",fontcolor="3"];
-68 [label="x = 1",tooltip="x = 1"];
-34 -> -68 [label="C",color="4",fontcolor="4"];
-34 -> -68 [label="C",color="4",fontcolor="4"];
-68 -> -68 [style="dashed",color="lightgray"];
-68 -> 71 [label="B(1)",color="3",fontcolor="3"];
71 [label="x = 2",tooltip="x = 2"];
71 -> -34 [label="I!Step(5)",color="5",fontcolor="5"];
{rank = same; -34;}
{rank = same; -68;}
}
subgraph cluster_legend {graph[style=bold];label = "Next State Actions" style="solid"
node [ labeljust="l",colorscheme="paired12",style=filled,shape=record ]
A [label="A",fillcolor=2]
I:Step [label="I!Step",fillcolor=5]
}}"#;

#[test]
fn legends_ranks_stuttering_and_repetitions_are_left_out() {
    let imported = import(LOOP).expect("a good dump");
    assert_eq!((imported.n_repeated, imported.n_stuttering, imported.n_excluded), (1, 1, 0));
    expect_test::expect![[r#"
        initial [0], complete true
        0: x = 0
        1: x = 1
        2: x = 2
        0 -> 0 A() () []
        0 -> 1 B(arg1) (1) []
        0 -> 1 C() () []
        1 -> 2 B(arg1) (1) []
        2 -> 0 I!Step(arg1) (5) []
    "#]]
    .assert_eq(&describe(&imported.graph));
}

#[test]
fn a_summary_of_a_dump() {
    let summary = summarize(&graph(LOOP));
    assert_eq!((summary.states, summary.edges, summary.initial, summary.depth), (3, 5, 1, 3));
    assert_eq!(
        (summary.components, summary.largest_component, summary.sinks, summary.self_loops),
        (1, 3, 0, 1)
    );
    assert_eq!(format!("{:?}", summary.actions), r#"{"A": 1, "B": 2, "C": 1, "I!Step": 1}"#);
}

/// Variables in another order, doubled escapes, and a wrapped value.
const TRICKY: &str = r#"strict digraph DiskGraph {
subgraph cluster_graph {
1 [label="/\\ st = (a :> \"idle\" @@ b :> \"say \\\"hi\\\" \\\\ there\")\n/\\ net = {}",style = filled]
2 [label="/\\ net = { [type |-> \"req\",\n     node |-> a] }\n/\\ st = <<>>",style = filled]
1 -> 2 [label="Send(a,\"req\")",color="black",fontcolor="black"];
}}"#;

#[test]
fn variables_are_matched_by_name() {
    expect_test::expect![[r#"
        initial [0, 1], complete true
        0: st = (a :> "idle" @@ b :> "say \"hi\" \\ there"), net = {}
        1: st = <<>>, net = {[type |-> "req", node |-> a]}
        0 -> 1 Send(arg1, arg2) (a, "req") []
    "#]]
    .assert_eq(&describe(&graph(TRICKY)));
}

/// A constraint excludes states 3 and 4. State 4 is also reached in another way.
const CONSTRAINED: &str = r#"strict digraph DiskGraph {
1 [label="x = 1",style = filled]
1 -> 2 [label="",color="black",fontcolor="black"];
2 [label="x = 2",tooltip="x = 2"];
2 -> 3 [label="Recv
line 20, col 10 to line 20, col 21 of module M",color="3",fontcolor="3"];
3 [label="x = 3",tooltip="x = 3",style = filled, fillcolor=lightyellow];
2 -> 4 [label="Recv
line 22, col 10 to line 22, col 21 of module M",color="3",fontcolor="3"];
4 [label="x = 4",tooltip="x = 4",style = filled, fillcolor=lightyellow];
1 -> 4 [label="",color="black",fontcolor="black"];
4 [label="x = 4",tooltip="x = 4"];
1 -> 3 [label="",color="black",fontcolor="black"];
}"#;

#[test]
fn what_a_constraint_excludes_is_left_out() {
    let imported = import(CONSTRAINED).expect("a good dump");
    assert_eq!(imported.n_excluded, 3);
    expect_test::expect![[r#"
        initial [0], complete true
        0: x = 1
        1: x = 2
        2: x = 4
        0 -> 1 Next() () []
        0 -> 2 Next() () []
    "#]]
    .assert_eq(&describe(&imported.graph));
}

#[test]
fn ways_of_our_own_dot_and_edges_of_an_older_one() {
    let node = "1 [label=\"x = 1\",style = filled]";
    let newer = graph(&format!(
        "digraph G {{\n{node}\n1 -> 1 [label=\"A(2)\",params=\"i\",ways=\"0@M.tla:3:1;1@M.tla:4:1|2@M.tla:5:1\"];\n}}"
    ));
    expect_test::expect![[r#"
        initial [0], complete true
        0: x = 1
        0 -> 0 A(i) (2) [M.tla:3:1, M.tla:4:1] [M.tla:5:1]
    "#]]
    .assert_eq(&describe(&newer));
    // Older files have an edge for each way, and an action for each place in Next.
    let older = import(&format!(
        "digraph G {{\n{node}\n1 -> 1 [label=\"A(2)\",action=0,params=\"i\",blocks=\"2@M.tla:5:1\"];\n\
         1 -> 1 [label=\"A(2)\",action=1,params=\"i\",blocks=\"0@M.tla:3:1;1@M.tla:4:1\"];\n}}"
    ))
    .expect("an older one of ours");
    assert_eq!(describe(&older.graph), describe(&newer));
    assert_eq!(older.n_repeated, 1);
}

#[test]
fn tooltips_have_the_state_where_labels_have_an_alias() {
    let text = "digraph G { 1 [label=\"x = 1\",style = filled] 2 [label=\"/\\\\ y = 5\\n/\\\\ z = 6\",tooltip=\"x = 2\"] }";
    assert_eq!(graph(text).n_states(), 2);
}

#[test]
fn bad_dumps_say_what_and_where() {
    let within = |body: &str| {
        message(&format!("strict digraph DiskGraph {{\n1 [label=\"x = 1\",style = filled]\n{body}\n}}"))
    };
    assert_eq!(message(""), "line 1: not a dump of TLC's in DOT: it does not start with `digraph`");
    assert_eq!(message("digraph G {\n}"), "line 1: there are no states");
    assert_eq!(
        message("digraph G {\n1 [label=\"x = 1\"]\n"),
        "line 3: the graph has no closing `}`; is the dump cut off?"
    );
    assert_eq!(
        message("digraph G {\n1 [label=\"x = 1\"]}"),
        "line 1: there are no initial states: no node has `style = filled`"
    );
    assert_eq!(
        within("1 -> 7 [label=\"A\"];"),
        "line 3: an edge mentions node 7, which the dump does not describe"
    );
    assert_eq!(
        within("2 [label=\"y = 1\"]"),
        "line 3: a state has no value for `x`, which the first state has"
    );
    assert_eq!(
        within("2 [label=\"/\\\\ x = 2 /\\\\ y = 1\"]"),
        "line 3: a state has a value for `y`, which the first state has not"
    );
    assert_eq!(
        within("2 [label=\"x = \"]"),
        "line 3: in a state, a value was expected, and the end was found"
    );
    assert_eq!(
        within("2 [label=\"x = 1\"]"),
        "line 3: nodes 1 and 2 show the same state; was the dump made with ALIAS?"
    );
    assert_eq!(
        within("1 -> 1 [label=\"A(1\"];"),
        "line 3: in an action, `,` was expected, and the end was found"
    );
    assert_eq!(within("1 -> 1 [label=\"A];"), "line 3: a text in quotes has no end; is the dump cut off?");
    assert_eq!(within("1 -> -> 2"), "line 3: a node was expected, and `->` was found");
    assert_eq!(within("} more"), "line 3: `more` follows the end of the graph");
}

#[test]
fn every_truncation_of_a_dump_is_an_error() {
    for end in (0..LOOP.len()).filter(|end| LOOP.is_char_boundary(*end)) {
        assert!(import(&LOOP[..end]).is_err(), "{end} bytes");
    }
}

fn export(graph: &StateGraph, format: Format) -> String {
    let mut out = Vec::new();
    export::write(graph, format, &mut out).expect("it can be written");
    String::from_utf8(out).expect("text")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn our_own_dot_is_read_back(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let dot = export(&graph, Format::Dot);
        let again = import(&dot).expect("our own DOT");
        prop_assert_eq!(describe(&again.graph), describe(&graph));
        prop_assert_eq!(again.n_repeated, 0);
    }

    #[test]
    fn exported_json_is_json(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let json: serde_json::Value = serde_json::from_str(&export(&graph, Format::Json)).expect("JSON");
        prop_assert_eq!(json["states"].as_array().map(Vec::len), Some(graph.n_states()));
        prop_assert_eq!(json["edges"].as_array().map(Vec::len), Some(graph.n_edges()));
    }

    #[test]
    fn garbage_never_panics(text: String) {
        prop_assert!(import(&text).is_err());
    }

    #[test]
    fn a_changed_dump_never_panics(at in 0..LOOP.len(), length in 0..9usize, instead in "[ -~\\n]{0,4}") {
        let mut bytes = LOOP.as_bytes().to_vec();
        bytes.splice(at..(at + length).min(LOOP.len()), instead.into_bytes());
        let _ = import(&String::from_utf8(bytes).expect("ASCII"));
    }
}
