//! What the tests share: random values and random graphs.
#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt::Write;

use kilter_graph::intake::Intake;
use kilter_graph::{Block, Builder, StateGraph, StateId};
use kilter_value::{Store, Value};
use proptest::prelude::*;

pub fn small_store() -> Store {
    Store::with_capacity_bytes(1 << 24)
}

/// A value as plain data; values of the same shape can always be compared.
#[derive(Clone, Debug)]
pub enum Term {
    Bool(bool),
    Int(i32),
    Str(String),
    Model(String),
    Interval(i32, u8),
    /// A set of integers.
    Ints(Vec<i32>),
    /// A set of pairs.
    Pairs(Vec<(i32, String)>),
    Tuple(Vec<Term>),
    Record(Vec<(String, Term)>),
    /// A function over model values.
    OverModels(Vec<(String, Term)>),
    /// A function over integers.
    OverInts(Vec<(i32, Term)>),
}

fn name() -> impl Strategy<Value = String> {
    // Not `a_b`: that is a model value of type `a`, which cannot be compared with others.
    "[a-z][a-z0-9]{0,3}"
}

pub fn any_term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Term::Bool),
        any::<i32>().prop_map(Term::Int),
        "[ -~\\n\\tä]{0,6}".prop_map(Term::Str),
        name().prop_map(Term::Model),
        (-3..3, 0..90u8).prop_map(|(lo, len)| Term::Interval(lo, len)),
        prop::collection::vec(any::<i32>(), 0..4).prop_map(Term::Ints),
        prop::collection::vec((any::<i32>(), "[ -~]{0,3}"), 0..4).prop_map(Term::Pairs),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Term::Tuple),
            prop::collection::vec((name(), inner.clone()), 0..4).prop_map(Term::Record),
            prop::collection::vec((name(), inner.clone()), 0..4).prop_map(Term::OverModels),
            prop::collection::vec((-2..5, inner), 0..4).prop_map(Term::OverInts),
        ]
    })
}

impl Term {
    pub fn make(&self, store: &Store) -> Value {
        match self {
            Term::Bool(b) => Value::bool(*b),
            Term::Int(i) => store.int(*i),
            Term::Str(text) => store.string(text),
            Term::Model(name) => store.model_value(name),
            Term::Interval(lo, len) => store.interval(*lo, lo + i32::from(*len)),
            Term::Ints(ints) => set(store, ints.iter().map(|i| store.int(*i)).collect()),
            Term::Pairs(pairs) => {
                let pair = |(i, text): &(i32, String)| store.tuple(&[store.int(*i), store.string(text)]);
                set(store, pairs.iter().map(pair).collect())
            }
            Term::Tuple(elems) => {
                store.tuple(&elems.iter().map(|elem| elem.make(store)).collect::<Vec<Value>>())
            }
            Term::Record(fields) => {
                store.record(&mut fields.iter().map(|(n, v)| (store.string(n), v.make(store))).collect())
            }
            Term::OverModels(pairs) => {
                function(store, pairs.iter().map(|(n, v)| (store.model_value(n), v.make(store))))
            }
            Term::OverInts(pairs) => {
                function(store, pairs.iter().map(|(i, v)| (store.int(*i), v.make(store))))
            }
        }
    }
}

fn set(store: &Store, mut elems: Vec<Value>) -> Value {
    store.set(&mut elems).expect("values of one type")
}

fn function(store: &Store, pairs: impl Iterator<Item = (Value, Value)>) -> Value {
    let pairs: Vec<(Value, Value)> = pairs.collect();
    let mut args: Vec<Value> = pairs.iter().map(|(arg, _)| *arg).collect();
    let domain = store.set(&mut args).expect("values of one type");
    let value_of = |arg: &Value| pairs.iter().find(|(other, _)| other == arg).expect("its own pair").1;
    store.function(domain, &args.iter().map(value_of).collect::<Vec<Value>>())
}

/// A graph as plain data.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The second variable of each state; the first is its number.
    pub states: Vec<Term>,
    pub initial: Vec<usize>,
    /// Source, target, action, argument, blocks.
    pub edges: Vec<(usize, usize, usize, Term, Vec<usize>)>,
    pub is_complete: bool,
}

pub fn any_plan() -> impl Strategy<Value = Plan> {
    prop::collection::vec(any_term(), 1..8).prop_flat_map(|states| {
        let n = states.len();
        let edge = (0..n, 0..n, 0..3usize, any_term(), prop::collection::vec(0..4usize, 0..3));
        let initial = prop::collection::vec(0..n, 1..3);
        (Just(states), initial, prop::collection::vec(edge, 0..24), any::<bool>())
            .prop_map(|(states, initial, edges, is_complete)| Plan { states, initial, edges, is_complete })
    })
}

/// Two actions with the same name, which are one; two basic blocks at the same place.
pub fn build(plan: &Plan, store: &Store) -> StateGraph {
    let mut intake = Intake::new(store);
    let mut builder = Builder::new("Plan.tla", vec!["n".to_owned(), "x".to_owned()]);
    let actions = [
        builder.action("Send", vec!["m".to_owned()]),
        builder.action("Send", vec!["m".to_owned()]),
        builder.action("I!Crash", Vec::new()),
    ];
    let blocks =
        [(3, 1), (3, 1), (4, 7), (5, 2)].map(|(line, column)| builder.block("Plan.tla", line, column));
    for (number, term) in plan.states.iter().enumerate() {
        let row = [store.int(number as i32), term.make(store)].map(|value| intake.add(value));
        builder.state(row.into_iter());
    }
    for state in &plan.initial {
        builder.initial(StateId(*state as u32));
    }
    for (source, target, action, arg, own_blocks) in &plan.edges {
        let args = if *action == 2 { Vec::new() } else { vec![intake.add(arg.make(store))] };
        let label =
            builder.label(actions[*action], args.into_iter(), own_blocks.iter().map(|block| blocks[*block]));
        builder.edge(StateId(*source as u32), StateId(*target as u32), label);
    }
    if !plan.is_complete {
        builder.set_incomplete();
    }
    builder.finish(intake.finish())
}

/// The whole graph as text that does not depend on ids of values, labels, actions and basic blocks.
pub fn describe(graph: &StateGraph) -> String {
    let store = small_store();
    let values = graph.values().restore(&store).expect("values of one type");
    let initial: Vec<u32> = graph.initial().map(|state| state.0).collect();
    let mut out = format!("initial {initial:?}, complete {}\n", graph.is_complete());
    for state in graph.states() {
        let row: Vec<String> = graph
            .variables()
            .iter()
            .zip(graph.state(state))
            .map(|(name, value)| format!("{name} = {}", store.show(values[value])))
            .collect();
        let _ = writeln!(out, "{}: {}", state.0, row.join(", "));
    }
    for edge in graph.edges() {
        let label = graph.label(graph.label_id(edge));
        let action = graph.action(label.action());
        let args: Vec<String> = graph.args(label).map(|arg| store.show(values[arg])).collect();
        let place = |block: &Block| format!("{}:{}:{}", graph.file(block), block.line, block.column);
        let way = |blocks: Vec<String>| format!("[{}]", blocks.join(", "));
        let ways: Vec<String> = graph
            .ways_of(edge)
            .map(|blocks| way(blocks.map(|block| place(graph.block(block))).collect()))
            .collect();
        let (source, target) = (graph.source(edge).0, graph.target(edge).0);
        let (args, ways) = (args.join(", "), ways.join(" "));
        let params = action.params.join(", ");
        let _ = writeln!(out, "{source} -> {target} {}({params}) ({args}) {ways}", action.name);
    }
    out
}
