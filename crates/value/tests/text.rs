//! Values as text: on one line, wrapped, as JSON and as ITF; and values with model values exchanged.

use crate::common;

use common::{ints, record, set};
use expect_test::{Expect, expect};
use kilter_value::{Permutation, PermuteCache, Store, Value};
use serde_json::json;

fn check(store: &Store, value: Value, expected: &Expect) {
    expected.assert_eq(&store.show(value));
}

#[test]
fn one_line() {
    let store = Store::new();
    let one = store.int(1);
    check(&store, store.string("a\"b\\c\n\t"), &expect![[r#""a\"b\\c\n\t""#]]);
    check(&store, store.model_value("m1"), &expect!["m1"]);
    check(&store, store.empty_set(), &expect!["{}"]);
    check(&store, store.interval(1, 3), &expect!["{1, 2, 3}"]);
    check(&store, store.interval(1, 1000), &expect!["1..1000"]);
    check(&store, store.tuple(&[Value::TRUE, store.empty_tuple()]), &expect!["<<TRUE, <<>>>>"]);
    check(&store, record(&store, &[("b", one), ("a", ints(&store, &[4]))]), &expect!["[b |-> 1, a |-> {4}]"]);
    check(&store, record(&store, &[("a b", one)]), &expect![[r#"("a b" :> 1)"#]]);
    check(&store, store.function(ints(&store, &[1, 3]), &[one, one]), &expect!["(1 :> 1 @@ 3 :> 1)"]);
    check(&store, store.powerset(Value::NAT), &expect!["SUBSET Nat"]);
    check(&store, store.seq_set(store.interval(1, 3)), &expect!["Seq(1..3)"]);
    check(&store, store.function_set(store.interval(1, 2), store.interval(1, 1)), &expect!["{<<1, 1>>}"]);
    check(&store, Value::UNSET, &expect!["null"]);
}

#[test]
fn wrapped_like_tlc() {
    let store = Store::new();
    let message = |n: i32| {
        record(
            &store,
            &[
                ("type", store.string("AppendEntriesRequest")),
                ("term", store.int(n)),
                (
                    "entries",
                    store.tuple(&[store.string("some entry"), store.string("another entry of the log")]),
                ),
            ],
        )
    };
    let all = set(&store, vec![message(1), message(2)]);
    expect![[r#"
        { [ type |-> "AppendEntriesRequest",
            term |-> 1,
            entries |-> <<"some entry", "another entry of the log">> ],
          [ type |-> "AppendEntriesRequest",
            term |-> 2,
            entries |-> <<"some entry", "another entry of the log">> ] }"#]]
    .assert_eq(&store.show_pretty(all, 0, 80));
    let function = store.singleton_function(store.int(7), all);
    expect![[r#"
        ( 7 :>
              { [ type |-> "AppendEntriesRequest",
                  term |-> 1,
                  entries |-> <<"some entry", "another entry of the log">> ],
                [ type |-> "AppendEntriesRequest",
                  term |-> 2,
                  entries |-> <<"some entry", "another entry of the log">> ] } )"#]]
    .assert_eq(&store.show_pretty(function, 0, 80));
    expect![[r"
        << 1,
           << 2,
              3 >> >>"]]
    .assert_eq(&store.show_pretty(
        store.tuple(&[store.int(1), store.tuple(&[store.int(2), store.int(3)])]),
        0,
        12,
    ));
}

#[test]
fn nested_pairs_wrapped_as_tlc_printed_them() {
    let store = Store::new();
    let (q, x, long) = (store.string("q"), store.string("x"), store.string(&"y".repeat(82)));
    let entries = store.tuple(&[store.string("some entry"), store.string("another entry of the log")]);
    let message = record(
        &store,
        &[("type", store.string("AppendEntriesRequest")), ("term", store.int(1)), ("entries", entries)],
    );
    let inner =
        store.record(&mut vec![(q, set(&store, vec![message])), (store.string("r"), store.empty_tuple())]);
    let models = set(&store, vec![store.model_value("m1"), store.model_value("m2")]);
    let strings = set(&store, vec![x, long]);
    let value = record(
        &store,
        &[("a", store.function(models, &[inner; 2])), ("bcd", store.function(models, &[strings; 2]))],
    );
    expect![[r#"
        [ a |->
              ( m1 :>
                    [ q |->
                          { [ type |-> "AppendEntriesRequest",
                              term |-> 1,
                              entries |->
                                  <<"some entry", "another entry of the log">> ] },
                      r |-> <<>> ] @@
                m2 :>
                    [ q |->
                          { [ type |-> "AppendEntriesRequest",
                              term |-> 1,
                              entries |->
                                  <<"some entry", "another entry of the log">> ] },
                      r |-> <<>> ] ),
          bcd |->
              ( m1 :>
                    { "x",
                      "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" } @@
                m2 :>
                    { "x",
                      "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" } ) ]"#]].assert_eq(&store.show_pretty(value, 0, 80));
}

#[test]
fn plain_json() {
    let store = Store::new();
    let value = record(
        &store,
        &[
            ("set", ints(&store, &[1, 3])),
            ("model", store.model_value("m")),
            ("function", store.function(store.interval(0, 1), &[Value::TRUE, Value::FALSE])),
            ("tuple", store.tuple(&[store.string("x")])),
        ],
    );
    expect![[r#"{"function":[[0,true],[1,false]],"model":"m","set":[1,3],"tuple":["x"]}"#]]
        .assert_eq(&store.to_json(value).to_string());
    let read = store.from_json(&json!({ "a": [1, "x", true], "b": {} })).expect("a value");
    check(&store, read, &expect![[r#"[a |-> <<1, "x", TRUE>>, b |-> <<>>]"#]]);
    for bad in [json!(null), json!(1.5), json!(1i64 << 40)] {
        assert!(store.from_json(&bad).is_err(), "{bad}");
    }
}

#[test]
fn itf_forms() {
    let store = Store::new();
    let value = record(
        &store,
        &[
            ("set", ints(&store, &[1, 2])),
            ("model", store.model_value("m")),
            ("function", store.function(store.interval(0, 0), &[Value::TRUE])),
            ("hash", record(&store, &[("#x", store.empty_tuple())])),
        ],
    );
    let itf = store.to_itf(value);
    let expected = json!({
        "set": { "#set": [{ "#bigint": "1" }, { "#bigint": "2" }] },
        "model": { "#unserializable": "m" },
        "function": { "#map": [[{ "#bigint": "0" }, true]] },
        "hash": { "#map": [["#x", { "#tup": [] }]] },
    });
    assert_eq!(itf, expected);
    assert_eq!(store.from_itf(&itf), Ok(value));
    assert_eq!(store.from_itf(&json!([1, 2])), Ok(store.tuple(&[store.int(1), store.int(2)])));
    for bad in
        [json!({ "#bigint": "x" }), json!({ "#set": [1, "a"] }), json!({ "#map": [1] }), json!({ "#odd": 1 })]
    {
        assert!(store.from_itf(&bad).is_err(), "{bad}");
    }
}

#[test]
fn permutations() {
    let store = Store::new();
    let m: Vec<Value> = ["m1", "m2", "m3"].iter().map(|name| store.model_value(name)).collect();
    let turn = Permutation::new([(m[0], m[1]), (m[1], m[2]), (m[2], m[0])]);
    let all = set(&store, m.clone());
    let function = store.function(all, &[store.int(1), store.int(2), m[2]]);
    let value =
        store.tuple(&[function, set(&store, vec![m[0], m[2]]), store.string("m1"), store.interval(1, 2)]);
    let mut cache = PermuteCache::default();
    let image = store.permute(value, &turn, &mut cache);
    check(&store, image, &expect![[r#"<<(m1 :> m1 @@ m2 :> 1 @@ m3 :> 2), {m1, m2}, "m1", {1, 2}>>"#]]);
    let back = turn.then(&turn);
    assert_eq!(store.permute(image, &back, &mut PermuteCache::default()), value);
    assert!(turn.then(&back).is_identity());
}
