//! Spells values and reads them back.

use kilter_mapping::shape::{self, Shape};
use kilter_mapping::translate::{Envelope, Translator};
use kilter_mapping::words::Words;
use kilter_value::{Store, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// A plan for a value and for the text of a shape that spells it.
#[derive(Clone, Debug)]
enum Plan {
    Int(i32),
    Bool(bool),
    Text(String),
    Node(usize),
    Nil,
    Set(Vec<i32>),
    Seq(Vec<Plan>),
    Map(Vec<(usize, Plan)>),
    Record(Vec<Plan>),
}

fn plan() -> impl Strategy<Value = Plan> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Plan::Int),
        any::<bool>().prop_map(Plan::Bool),
        "[a-z]{0,4}".prop_map(Plan::Text),
        (0..3usize).prop_map(Plan::Node),
        Just(Plan::Nil),
        prop::collection::vec(-5..5, 0..4).prop_map(Plan::Set),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            // All elements of a sequence have one shape.
            (inner.clone(), 0..3usize).prop_map(|(plan, n)| Plan::Seq(vec![plan; n])),
            (inner.clone(), 0..3usize)
                .prop_map(|(plan, n)| Plan::Map((0..n).map(|node| (node, plan.clone())).collect())),
            prop::collection::vec(inner, 0..3).prop_map(Plan::Record),
        ]
    })
}

struct World {
    store: Store,
    words: Words,
    nil: Value,
}

impl World {
    fn new() -> World {
        let store = Store::new();
        let names = ["n1", "n2", "n3"];
        let nil = store.model_value("Nil");
        let models = names.map(|name| (name.to_owned(), store.model_value(name)));
        let mut words = Words::new(models.into_iter().chain([("Nil".to_owned(), nil)]));
        for name in names {
            words.add_node(name, &store);
        }
        World { store, words, nil }
    }

    fn node(&self, index: usize) -> Value {
        self.words.nodes()[index].1
    }

    fn build(&self, plan: &Plan) -> (Value, String) {
        match plan {
            Plan::Int(i) => (self.store.int(*i), "int".to_owned()),
            Plan::Bool(b) => (Value::bool(*b), "bool".to_owned()),
            Plan::Text(text) => (self.store.string(text), "string".to_owned()),
            Plan::Node(index) => (self.node(*index), "node".to_owned()),
            Plan::Nil => (self.nil, "(seq of int) or Nil".to_owned()),
            Plan::Set(items) => {
                let mut elems = items.iter().map(|i| self.store.int(*i)).collect();
                (self.store.set(&mut elems).expect("integers"), "set of int".to_owned())
            }
            Plan::Seq(items) => {
                let built: Vec<(Value, String)> = items.iter().map(|item| self.build(item)).collect();
                let shape = built.first().map_or("any", |(_, shape)| shape);
                let values: Vec<Value> = built.iter().map(|(value, _)| *value).collect();
                (self.store.tuple(&values), format!("seq of {shape}"))
            }
            Plan::Map(pairs) => {
                let mut args: Vec<Value> = pairs.iter().map(|(node, _)| self.node(*node)).collect();
                let built: Vec<(Value, String)> = pairs.iter().map(|(_, plan)| self.build(plan)).collect();
                let shape = built.first().map_or("any", |(_, shape)| shape);
                let values: Vec<Value> = built.iter().map(|(value, _)| *value).collect();
                let domain = self.store.set(&mut args).expect("model values");
                (self.store.function(domain, &values), format!("map of node to {shape}"))
            }
            Plan::Record(items) => {
                let built: Vec<(Value, String)> = items.iter().map(|item| self.build(item)).collect();
                let field = |index: usize| format!("f{index}");
                let mut fields = built
                    .iter()
                    .enumerate()
                    .map(|(i, (value, _))| (self.store.string(&field(i)), *value))
                    .collect();
                let shapes: Vec<String> = built
                    .iter()
                    .enumerate()
                    .map(|(i, (_, shape))| format!("{}: {shape} = impl{i}", field(i)))
                    .collect();
                (self.store.record(&mut fields), format!("{{{}}}", shapes.join(", ")))
            }
        }
    }

    fn shape(&self, text: &str) -> Shape {
        let constant =
            |name: &str| (name == "Nil").then_some(self.nil).or_else(|| self.words.value(&Json::from(name)));
        shape::parse(text, &constant).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn translator(&self) -> Translator<'_> {
        Translator { store: &self.store, words: &self.words }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_spelled_is_read_back(plan in plan()) {
        let world = World::new();
        let (value, text) = world.build(&plan);
        let shape = world.shape(&text);
        let json = world.translator().json(&shape, value).expect("the value has this shape");
        prop_assert_eq!(world.translator().value(&shape, &json, Envelope::default()), Ok(value), "{} {}", text, json);
    }

    #[test]
    fn no_text_is_too_strange(text in "[a-z{}:,=@ ]{0,40}") {
        let _ = shape::parse(&text, &|_| None);
    }
}

/// Checks which value JSON becomes.
#[track_caller]
fn reads(text: &str, json: &Json, expected: &str) {
    let mut world = World::new();
    let busy = world.store.string("busy");
    world.words.add(busy, json!("BUSY"));
    world.words.add(world.node(0), json!(7));
    let envelope = Envelope { from: Some(1), to: Some(2) };
    let shown = match world.translator().value(&world.shape(text), json, envelope) {
        Ok(value) => world.store.show(value),
        Err(misfit) => misfit.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn any_goes_by_constants_then_by_model_values() {
    reads("any", &json!(["BUSY", "n1", "other", 3, true]), "<<\"busy\", n1, \"other\", 3, TRUE>>");
    reads("any", &json!({ "n1": 1, "n2": 2 }), "(n1 :> 1 @@ n2 :> 2)");
    reads("any", &json!({ "n1": 1, "x": 2 }), "[n1 |-> 1, x |-> 2]");
    reads("string", &json!("n1"), "\"n1\"");
}

#[test]
fn nodes_may_have_numbers() {
    reads("node", &json!(7), "n1");
    reads("set of node", &json!([7, "n2"]), "{n1, n2}");
    reads("map of node to int", &json!({ "7": 1, "n2": 2 }), "(n1 :> 1 @@ n2 :> 2)");
}

#[test]
fn messages_know_their_envelope() {
    let shape = "one of {Nil: {a: int = x, src: node = @from, dst: node = @to}} by kind = type";
    reads(
        shape,
        &json!({ "type": "Nil", "x": 3, "more": 1 }),
        "[kind |-> Nil, a |-> 3, src |-> n2, dst |-> n3]",
    );
}

#[test]
fn a_misfit_says_where() {
    reads(
        "seq of {a: int}",
        &json!([{ "a": 1 }, { "a": "x" }]),
        "the mapping says a number of 32 bits at `[2].a`, but there is \"x\"",
    );
    reads("int", &json!(3_000_000_000_u64), "the mapping says a number of 32 bits, but there is 3000000000");
    reads("{a: int}", &json!({}), "the mapping says a number of 32 bits at `.a`, but there is null");
}
