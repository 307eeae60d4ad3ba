//! Enumeration, size and membership of sets, above all of lazy ones.

use crate::common;

use common::{ints, record, set, show_contains, show_list};
use expect_test::{Expect, expect};
use kilter_value::{SetError, Store, Value};

fn check_contains(store: &Store, set: Value, elem: Value, expected: &Expect) {
    expected.assert_eq(&show_contains(store, set, elem));
}

#[test]
fn subsets_by_size_then_in_dictionary_order() {
    let store = Store::new();
    expect![["{} {1} {2} {3} {1, 2} {1, 3} {2, 3} {1, 2, 3}"]]
        .assert_eq(&show_list(&store, store.powerset(store.interval(1, 3))));
    expect![["{}"]].assert_eq(&show_list(&store, store.powerset(store.empty_set())));
}

#[test]
fn the_last_component_changes_fastest() {
    let store = Store::new();
    let bits = store.interval(0, 1);
    let names = store.set_sorted(&[store.string("a"), store.string("b")]);
    expect![["<<0, 0>> <<0, 1>> <<1, 0>> <<1, 1>>"]]
        .assert_eq(&show_list(&store, store.function_set(store.interval(1, 2), bits)));
    expect![["[a |-> 0, b |-> 5] [a |-> 0, b |-> 6] [a |-> 1, b |-> 5] [a |-> 1, b |-> 6]"]].assert_eq(
        &show_list(
            &store,
            store.record_set(&[(store.string("b"), store.interval(5, 6)), (store.string("a"), bits)]),
        ),
    );
    expect![[r#"<<0, "a">> <<0, "b">> <<1, "a">> <<1, "b">>"#]]
        .assert_eq(&show_list(&store, store.product(&[bits, names])));
    expect![["(0 :> 0 @@ 1 :> 0) (0 :> 0 @@ 1 :> 1) (0 :> 1 @@ 1 :> 0) (0 :> 1 @@ 1 :> 1)"]]
        .assert_eq(&show_list(&store, store.function_set(bits, bits)));
}

#[test]
fn sets_of_functions_at_the_edges() {
    let store = Store::new();
    let (empty, bits) = (store.empty_set(), store.interval(0, 1));
    expect![["<<>>"]].assert_eq(&show_list(&store, store.function_set(empty, bits)));
    expect![["<<>>"]].assert_eq(&show_list(&store, store.function_set(empty, empty)));
    expect![[""]].assert_eq(&show_list(&store, store.function_set(bits, empty)));
    // Only the first elements are made.
    let huge = store.function_set(store.interval(1, 1000), store.powerset(store.interval(1, 40)));
    let first = store.iterate(huge).expect("a finite set").next(&store).expect("not empty");
    assert_eq!(store.apply(first, store.int(1000)), Ok(Some(store.empty_set())));
}

#[test]
fn sizes_that_do_not_fit() {
    let store = Store::new();
    let many = store.interval(1, 40);
    let size = |set| store.cardinality(set).map_err(|error| store.set_error_message(&error));
    assert_eq!(size(store.powerset(store.interval(1, 30))), Ok(1 << 30));
    assert_eq!(size(store.function_set(many, store.interval(1, 1))), Ok(1));
    assert_eq!(size(store.function_set(many, store.empty_set())), Ok(0));
    let error = |set| size(set).expect_err("too large");
    expect![[r"
        overflow when computing the number of elements in:
        SUBSET (1..40)"]]
    .assert_eq(&error(store.powerset(many)));
    expect![[r"
        overflow when computing the number of elements in:
        [1..40 -> 0..1]"]]
    .assert_eq(&error(store.function_set(many, store.interval(0, 1))));
    expect!["the set Nat is infinite, its elements cannot be enumerated"].assert_eq(&error(Value::NAT));
    expect!["the interval has more elements than an integer of 32 bits can count: -2147483648..2147483647"]
        .assert_eq(&error(store.interval(i32::MIN, i32::MAX)));
    assert_eq!(store.cardinality(store.seq_set(many)), Err(SetError::Infinite(store.seq_set(many))));
}

#[test]
fn membership_errors() {
    let store = Store::new();
    let (a, one) = (store.string("a"), store.int(1));
    let bits = store.interval(0, 1);
    check_contains(
        &store,
        Value::STRING,
        one,
        &expect![[r"
            attempted to check if the value:
            1
            is an element of STRING"]],
    );
    check_contains(
        &store,
        bits,
        a,
        &expect![[r#"
            attempted to check if the value:
            "a"
            is in the integer interval 0..1"#]],
    );
    check_contains(
        &store,
        ints(&store, &[1, 3]),
        a,
        &expect![[r#"
            attempted to compare string "a" with non-string:
            3"#]],
    );
    check_contains(&store, store.empty_set(), a, &expect!["false"]);
    check_contains(
        &store,
        store.powerset(bits),
        one,
        &expect![[r"
            attempted to check if the value:
            1
            which is not a set, is an element of
            {{}, {0}, {1}, {0, 1}}"]],
    );
    check_contains(
        &store,
        store.function_set(Value::NAT, bits),
        a,
        &expect![[r#"
            attempted to check if the value:
            "a"
            which is not a function, is in the set of functions:
            [Nat -> 0..1]"#]],
    );
    check_contains(
        &store,
        store.product(&[Value::NAT, bits]),
        record(&store, &[("a", one)]),
        &expect![[r"
            attempted to check if non-tuple
            [a |-> 1]
            is in the set of tuples:
            (Nat \X 0..1)"]],
    );
    check_contains(
        &store,
        store.record_set(&[(a, Value::NAT)]),
        store.tuple(&[one]),
        &expect![[r"
            attempted to check if non-record
            <<1>>
            is in the set of records:
            [a: Nat]"]],
    );
    check_contains(
        &store,
        one,
        a,
        &expect![[r#"
            attempted to check if the value:
            "a"
            is an element of the integer 1"#]],
    );
}

#[test]
fn untyped_model_values_are_in_no_structural_set() {
    let store = Store::new();
    let (model, typed) = (store.model_value("m"), store.model_value("A_1"));
    let bits = store.interval(0, 1);
    for set in [Value::NAT, bits, store.function_set(bits, bits), store.seq_set(bits)] {
        assert_eq!(store.contains(set, model), Ok(false));
        assert_eq!(store.contains(set, typed), Err(SetError::Membership { elem: typed, set }));
    }
}

#[test]
fn infinite_sets_inside_lazy_ones() {
    let store = Store::new();
    let (one, minus) = (store.int(1), store.int(-1));
    let pair = store.tuple(&[one, minus]);
    assert_eq!(store.contains(store.product(&[Value::NAT, Value::INT]), pair), Ok(true));
    assert_eq!(store.contains(store.product(&[Value::NAT, Value::NAT]), pair), Ok(false));
    assert_eq!(store.contains(store.seq_set(Value::INT), pair), Ok(true));
    assert_eq!(store.contains(store.powerset(Value::NAT), ints(&store, &[1, 3])), Ok(true));
    let with_minus = store.union(Value::NAT, ints(&store, &[-1])).expect("two sets");
    assert_eq!(store.contains(with_minus, minus), Ok(true));
    assert_eq!(store.contains(with_minus, store.int(-2)), Ok(false));
    expect![[r"Nat \cup -1..-1"]].assert_eq(&store.show(with_minus));
    assert_eq!(store.intersect(Value::NAT, ints(&store, &[-1, 1])), Ok(ints(&store, &[1])));
    assert_eq!(store.difference(ints(&store, &[-1, 1]), Value::NAT), Ok(ints(&store, &[-1])));
    let rest = store.difference(Value::INT, Value::NAT).expect("two sets");
    assert_eq!(store.contains(rest, minus), Ok(true));
    assert_eq!(store.contains(rest, one), Ok(false));
}

#[test]
fn unions_of_lazy_sets() {
    let store = Store::new();
    let (one, two) = (store.interval(1, 1), store.interval(1, 2));
    let both = store.union(store.powerset(two), store.powerset(one)).expect("two sets");
    assert!(both.is_lazy());
    assert_eq!(store.cardinality(both), Ok(4));
    expect![["{} {1} {2} {1, 2}"]].assert_eq(&show_list(&store, both));
    assert_eq!(store.big_union(store.powerset(two)), Ok(two));
    let nested = set(&store, vec![two, ints(&store, &[5])]);
    assert_eq!(store.big_union(nested), Ok(ints(&store, &[1, 2, 5])));
    assert_eq!(store.big_union(two), Err(SetError::NotASet(store.int(1))));
    assert_eq!(store.union(two, store.int(1)), Err(SetError::NotASet(store.int(1))));
}

/// The set has one function, but no memory has room for it.
#[test]
fn functions_of_too_large_a_domain_are_refused() {
    let store = Store::new();
    let functions = store.function_set(store.interval(1, i32::MAX), store.interval(1, 1));
    assert!(matches!(store.iterate(functions), Err(SetError::TooLarge(set)) if set == functions));
}
