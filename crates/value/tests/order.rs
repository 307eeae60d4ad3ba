//! TLC's order, and TLC's messages about values that cannot be compared.

use crate::common;

use common::{ints, record, set};
use expect_test::{Expect, expect};
use kilter_value::{Store, Value};

fn check(store: &Store, a: Value, b: Value, expected: &Expect) {
    let compare = match store.compare(a, b) {
        Ok(order) => format!("{order:?}"),
        Err(mismatch) => store.mismatch_message(&mismatch),
    };
    let equal = match store.equal(a, b) {
        Ok(equal) => equal.to_string(),
        Err(mismatch) => store.mismatch_message(&mismatch),
    };
    expected.assert_eq(&format!("{compare}\n{equal}"));
}

#[test]
fn integers_and_strings() {
    let store = Store::new();
    check(
        &store,
        store.int(1),
        store.string("a"),
        &expect![[r#"
            attempted to compare integer 1 with non-integer:
            "a"
            attempted to check equality of integer 1 with non-integer:
            "a""#]],
    );
    check(
        &store,
        Value::TRUE,
        store.int(1),
        &expect![[r"
            attempted to compare boolean TRUE with non-boolean:
            1
            attempted to compare equality of boolean TRUE with non-boolean:
            1"]],
    );
    check(&store, store.string("z"), store.string("b"), &expect![["Less\nfalse"]]);
}

#[test]
fn sets_by_size_then_by_element() {
    let store = Store::new();
    check(&store, ints(&store, &[5, 9]), ints(&store, &[1, 2, 3]), &expect![["Less\nfalse"]]);
    check(&store, ints(&store, &[1, 9]), ints(&store, &[1, 2]), &expect![["Greater\nfalse"]]);
    let strings = store.set_sorted(&[store.string("a"), store.string("b")]);
    check(&store, strings, ints(&store, &[1]), &expect![["Greater\nfalse"]]);
    check(
        &store,
        strings,
        ints(&store, &[1, 2]),
        &expect![[r#"
            attempted to compare string "a" with non-string:
            1
            attempted to check equality of string "a" with non-string:
            1"#]],
    );
    check(
        &store,
        ints(&store, &[1, 2]),
        store.int(7),
        &expect![[r"
            attempted to compare the set {1, 2} with the value:
            7
            attempted to check equality of the set {1, 2} with the value:
            7"]],
    );
}

#[test]
fn functions_by_size_then_domain_then_values() {
    let store = Store::new();
    let (one, two) = (store.int(1), store.int(2));
    let pair = store.tuple(&[one, two]);
    check(&store, store.tuple(&[two]), pair, &expect![["Less\nfalse"]]);
    let shifted = store.function(store.interval(2, 3), &[one, one]);
    check(&store, pair, shifted, &expect![["Less\nfalse"]]);
    let gap = store.function(ints(&store, &[1, 3]), &[one, one]);
    check(&store, gap, pair, &expect![["Greater\nfalse"]]);
    let a = record(&store, &[("a", two)]);
    check(&store, a, pair, &expect![["Less\nfalse"]]);
    check(&store, a, record(&store, &[("b", one)]), &expect![["Less\nfalse"]]);
    check(
        &store,
        a,
        store.tuple(&[one]),
        &expect![[r#"
            attempted to compare string "a" with non-string:
            1
            attempted to check equality of string "a" with non-string:
            1"#]],
    );
    check(
        &store,
        pair,
        one,
        &expect![[r"
            attempted to compare the function <<1, 2>> with the value:
            1
            attempted to check equality of the function <<1, 2>> with the value:
            1"]],
    );
}

#[test]
fn untyped_model_values_come_first() {
    let store = Store::new();
    let model = store.model_value("m");
    check(&store, model, store.int(-5), &expect![["Less\nfalse"]]);
    check(&store, ints(&store, &[1]), model, &expect![["Greater\nfalse"]]);
    let mixed = set(&store, vec![store.int(2), model, store.int(1), store.model_value("a")]);
    expect![["{m, a, 1, 2}"]].assert_eq(&store.show(mixed));
}

#[test]
fn typed_model_values_stay_within_their_type() {
    let store = Store::new();
    let (a1, a2, b1) = (store.model_value("A_1"), store.model_value("A_2"), store.model_value("B_1"));
    check(&store, a1, a2, &expect![["Less\nfalse"]]);
    check(&store, store.model_value("m"), a2, &expect![["Greater\nfalse"]]);
    check(
        &store,
        a1,
        b1,
        &expect![[r"
            attempted to compare the differently-typed model values A_1 and B_1
            attempted to check equality of the differently-typed model values A_1 and B_1"]],
    );
    check(
        &store,
        a1,
        store.int(1),
        &expect![[r"
            attempted to compare the typed model value A_1 and non-model value
            1
            attempted to check equality of typed model value A_1 and non-model value
            1"]],
    );
    check(
        &store,
        store.int(1),
        a1,
        &expect![[r"
            attempted to compare the typed model value A_1 and the non-model value
            1
            attempted to check equality of the typed model value A_1 and the non-model value
            1"]],
    );
}

#[test]
fn infinite_and_lazy_sets() {
    let store = Store::new();
    check(&store, Value::NAT, Value::NAT, &expect![["Equal\ntrue"]]);
    check(&store, Value::NAT, Value::INT, &expect![["Less\nfalse"]]);
    check(
        &store,
        Value::NAT,
        ints(&store, &[1]),
        &expect![[r"
            attempted to compare the infinite set Nat with the value:
            {1}
            attempted to check equality of the infinite set Nat with the value:
            {1}"]],
    );
    let pairs = store.product(&[store.interval(1, 2), store.interval(1, 2)]);
    let functions = store.function_set(store.interval(1, 2), store.interval(1, 2));
    check(&store, pairs, functions, &expect![["Equal\ntrue"]]);
    // TLC compares two sets of functions part by part, so it finds these two different.
    let (none, some) = (store.function_set(store.empty_set(), store.interval(5, 6)), store.interval(1, 2));
    check(&store, none, store.function_set(store.empty_set(), some), &expect![["Equal\nfalse"]]);
    let empty = store.product(&[store.empty_set(), some]);
    check(&store, empty, store.product(&[some, some, store.empty_set()]), &expect![["Equal\ntrue"]]);
}

#[test]
fn sets_that_tlc_sorted() {
    let store = Store::new();
    let (one, two) = (store.int(1), store.int(2));
    let sets = [&[5, 9][..], &[1, 2, 3], &[1, 9], &[], &[7]].map(|elems| ints(&store, elems));
    expect![["{{}, {7}, {1, 9}, {5, 9}, {1, 2, 3}}"]].assert_eq(&store.show(set(&store, sets.to_vec())));
    let functions = vec![
        store.tuple(&[two]),
        store.tuple(&[one, two]),
        store.function(store.interval(2, 3), &[one, one]),
        store.function(ints(&store, &[1, 3]), &[one, one]),
        store.empty_tuple(),
    ];
    expect![["{<<>>, <<2>>, <<1, 2>>, (1 :> 1 @@ 3 :> 1), (2 :> 1 @@ 3 :> 1)}"]]
        .assert_eq(&store.show(set(&store, functions)));
}
