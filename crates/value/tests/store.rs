//! The store: sharing between threads, canonical forms, and what happens when it is full.

use crate::common;

use common::{ints, record};
use kilter_value::{HeapFull, Store, Value, View, within_heap};
use std::panic::resume_unwind;

#[test]
fn consecutive_integers_are_one_interval() {
    let store = Store::new();
    assert_eq!(ints(&store, &[3, 1, 2, 2]), store.interval(1, 3));
    assert_eq!(ints(&store, &[7]), store.interval(7, 7));
    assert_eq!(store.interval(2, 1), store.empty_set());
    assert!(matches!(store.view(ints(&store, &[1, 3])), View::Set(_)));
    // Large integers are on the heap, and equal ones are still the same value.
    assert_eq!(ints(&store, &[i32::MAX, i32::MAX - 1]), store.interval(i32::MAX - 1, i32::MAX));
    assert_eq!(store.int(i32::MIN), store.int(i32::MIN));
    assert_eq!(store.as_int(store.int(i32::MIN)), Some(i32::MIN));
}

#[test]
fn functions_take_the_form_of_their_domain() {
    let store = Store::new();
    let (one, two) = (store.int(1), store.int(2));
    assert_eq!(store.function(store.interval(1, 2), &[two, one]), store.tuple(&[two, one]));
    assert_eq!(store.function(store.empty_set(), &[]), store.empty_tuple());
    assert_eq!(record(&store, &[]), store.empty_tuple());
    let names = store.set_sorted(&[store.string("a"), store.string("b")]);
    let abc = record(&store, &[("b", two), ("a", one)]);
    assert_eq!(store.function(names, &[one, two]), abc);
    assert_eq!(store.domain(abc), Some(names));
    assert_eq!(store.field(abc, store.string("b")), Some(two));
    assert!(matches!(store.view(store.function(store.interval(0, 1), &[one, two])), View::Function { .. }));
}

#[test]
fn the_empty_values_are_constants() {
    let store = Store::new();
    assert_eq!(store.set_sorted(&[]), Store::EMPTY_SET);
    assert_eq!(store.tuple(&[]), Store::EMPTY_TUPLE);
    assert_eq!(store.set_sorted(&[Value::FALSE, Value::TRUE]), Store::BOOL_SET);
}

#[test]
fn threads_share_values() {
    let store = Store::new();
    let work = || -> Vec<Value> {
        (0..20_000)
            .map(|i| {
                let pair = store.tuple(&[store.int(i % 1000), store.string(&format!("s{}", i % 50))]);
                record(&store, &[("n", pair), ("set", store.interval(i % 7, i % 13))])
            })
            .collect()
    };
    let (mine, theirs) = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        (work(), other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    assert_eq!(mine, theirs);
    assert!(store.n_values() < 20_000);
    assert!(store.memory_bytes() > 1000 && store.memory_bytes() < store.capacity_bytes());
}

#[test]
fn a_full_heap_is_an_error_and_stays_readable() {
    let store = Store::with_capacity_bytes(1);
    let first = store.tuple(&[store.int(1)]);
    let fill = || {
        for i in 0..1_000_000 {
            store.tuple(&[store.int(i), store.int(i)]);
        }
    };
    assert_eq!(within_heap(fill), Err(HeapFull));
    assert_eq!(store.tuple(&[store.int(1)]), first);
    assert_eq!(store.show(first), "<<1>>");
}

#[test]
#[should_panic(expected = "another reason")]
fn a_panic_is_no_full_heap() {
    let _ = within_heap(|| panic!("another reason"));
}

#[test]
fn strings_and_model_values_are_numbered_by_first_appearance() {
    let store = Store::new();
    let (b, a) = (store.string("b"), store.string("a"));
    let model = store.model_value("b");
    assert_eq!((store.string_text(b), store.string_text(a)), (Some("b"), Some("a")));
    assert_eq!((store.model_name(model), store.model_name(a)), (Some("b"), None));
    assert_eq!(store.show(store.set_sorted(&[b, a])), r#"{"b", "a"}"#);
    for i in 0..1000 {
        assert_eq!(store.string_text(store.string(&i.to_string())), Some(i.to_string().as_str()));
    }
}
