//! Graphs as other tools get them.

use crate::common;

use common::{Plan, Term, build, small_store};
use expect_test::{Expect, expect};
use kilter_graph::export::{self, Format};
use kilter_graph::{StateGraph, StateId, walk};

fn sample() -> StateGraph {
    let message = Term::Record(vec![("to".to_owned(), Term::Model("b".to_owned()))]);
    let plan = Plan {
        states: vec![Term::Str("<\"&>".to_owned()), Term::Ints(vec![2, 7])],
        initial: vec![0],
        edges: vec![(0, 1, 0, message, vec![0, 2]), (1, 1, 2, Term::Int(0), vec![])],
        is_complete: false,
    };
    build(&plan, &small_store())
}

fn check(format: Format, expected: &Expect) {
    let mut out = Vec::new();
    export::write(&sample(), format, &mut out).expect("it can be written");
    expected.assert_eq(&String::from_utf8(out).expect("text"));
}

#[test]
fn dot() {
    check(
        Format::Dot,
        &expect![[r#"
        digraph DiskGraph {
        node [shape=box,style=rounded]
        nodesep=0.35;
        kilter_complete=false;
        kilter_names="[\"<\\\"&>\",\"to\",\"b\"]";
        subgraph cluster_graph {
        color="white";
        0 [label="/\\ n = 0\n/\\ x = \"<\\\"&>\"",style = filled];
        1 [label="/\\ n = 1\n/\\ x = {2, 7}"];
        0 -> 1 [label="Send([to |-> b])",params="m",ways="0@Plan.tla:3:1;2@Plan.tla:4:7"];
        1 -> 1 [label="I!Crash"];
        }
        }
    "#]],
    );
}

#[test]
fn json() {
    check(
        Format::Json,
        &expect![[r##"
        {"format": "kilter-graph", "version": 2, "origin": "Plan.tla",
        "complete": false, "variables": ["n","x"],
        "actions": [{"name":"Send","params":["m"]},{"name":"I!Crash","params":[]}],
        "initial": [0],
        "states": [
        {"n":{"#bigint":"0"},"x":"<\"&>"},
        {"n":{"#bigint":"1"},"x":{"#set":[{"#bigint":"2"},{"#bigint":"7"}]}}
        ],
        "edges": [
        {"action":"Send","args":{"m":{"to":{"#unserializable":"b"}}},"source":0,"target":1,"ways":[["Plan.tla:3:1","Plan.tla:4:7"]]},
        {"action":"I!Crash","args":{},"source":1,"target":1,"ways":[[]]}
        ]}
    "##]],
    );
}

#[test]
fn graphml() {
    check(
        Format::GraphMl,
        &expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
        <key id="initial" for="node" attr.name="initial" attr.type="boolean"><default>false</default></key>
        <key id="action" for="edge" attr.name="action" attr.type="string"/>
        <key id="args" for="edge" attr.name="args" attr.type="string"/>
        <key id="ways" for="edge" attr.name="ways" attr.type="string"/>
        <key id="v0" for="node" attr.name="n" attr.type="string"/>
        <key id="v1" for="node" attr.name="x" attr.type="string"/>
        <graph id="Plan.tla" edgedefault="directed">
        <node id="s0"><data key="initial">true</data><data key="v0">0</data><data key="v1">&quot;&lt;\&quot;&amp;&gt;&quot;</data></node>
        <node id="s1"><data key="v0">1</data><data key="v1">{2, 7}</data></node>
        <edge id="e0" source="s0" target="s1"><data key="action">Send</data><data key="args">m = [to |-&gt; b]</data><data key="ways">Plan.tla:3:1 Plan.tla:4:7</data></edge>
        <edge id="e1" source="s1" target="s1"><data key="action">I!Crash</data></edge>
        </graph>
        </graphml>
    "#]],
    );
}

#[test]
fn itf() {
    let graph = sample();
    let (start, edges) = walk::levels(&graph).path(&graph, StateId(1)).expect("it is reached");
    let itf = export::to_itf(&graph, start, &edges).expect("values of one type");
    expect![[r##"
        {
          "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": "Plan.tla"
          },
          "states": [
            {
              "#meta": {
                "index": 0
              },
              "n": {
                "#bigint": "0"
              },
              "x": "<\"&>"
            },
            {
              "#meta": {
                "action": "Send",
                "args": {
                  "m": {
                    "to": {
                      "#unserializable": "b"
                    }
                  }
                },
                "index": 1
              },
              "n": {
                "#bigint": "1"
              },
              "x": {
                "#set": [
                  {
                    "#bigint": "2"
                  },
                  {
                    "#bigint": "7"
                  }
                ]
              }
            }
          ],
          "vars": [
            "n",
            "x"
          ]
        }
    "##]]
    .assert_eq(&format!("{itf:#}\n"));
}
