//! Laws that hold for all values, tested on random ones.

use crate::common;

use common::{Term, any_term, any_type, build, build_in_steps, elements, list, same_type, set};
use kilter_value::{Store, Value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::cmp::Ordering;
use std::collections::BTreeSet;

fn store() -> Store {
    let store = Store::with_capacity_bytes(1 << 22);
    // The order of strings is the order of their first appearance.
    for name in ["m2", "x", "", "c d", "a", "m1", "b", "m3"] {
        store.string(name);
    }
    store
}

/// The same cases in every run. Set `PROPTEST_CASES` and `PROPTEST_RNG_SEED` to try others.
fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match config.rng_seed {
        RngSeed::Random => ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(7), ..config },
        RngSeed::Fixed(_) => config,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn compare_is_a_total_order(terms in same_type(3)) {
        let store = store();
        let v: Vec<Value> = terms.iter().map(|term| build(&store, term)).collect();
        let compare = |x: usize, y: usize| store.compare(v[x], v[y]).expect("values of one type");
        for x in 0..3 {
            for y in 0..3 {
                prop_assert_eq!(compare(x, y), compare(y, x).reverse());
                prop_assert_eq!(compare(x, y) == Ordering::Equal, v[x] == v[y]);
                prop_assert_eq!(store.equal(v[x], v[y]), Ok(v[x] == v[y]));
                for z in 0..3 {
                    if compare(x, y) != Ordering::Greater && compare(y, z) != Ordering::Greater {
                        prop_assert_ne!(compare(x, z), Ordering::Greater);
                    }
                }
            }
        }
    }

    #[test]
    fn equal_values_have_equal_handles(term in any_type().prop_flat_map(|of| any_term(&of))) {
        let store = store();
        let whole = build(&store, &term);
        let steps = build_in_steps(&store, &term);
        prop_assert_eq!(whole, steps, "{} and {}", store.show(whole), store.show(steps));
        let other = self::store();
        prop_assert_eq!(store.hash(whole), other.hash(build_in_steps(&other, &term)));
    }

    #[test]
    fn long_sequences_agree_with_a_model(
        // Few different elements, and many.
        kinds in prop_oneof![Just(2), Just(5), Just(100_000)],
        steps in prop::collection::vec((0..7u8, any::<u32>(), any::<u32>()), 1..60),
        seed in any::<u32>(),
    ) {
        let store = store();
        let elem = |number: u32| {
            let number = number.wrapping_mul(2_654_435_761) >> 7;
            store.int((number % kinds) as i32)
        };
        let run = |begin: u32, len: u32| (begin..begin.wrapping_add(len)).map(elem).collect::<Vec<Value>>();
        let mut model: Vec<Value> = run(seed % 1_000, seed % 700);
        let mut value = store.tuple(&model);
        for (what, a, b) in steps {
            let at = a as usize % model.len().max(1);
            match what {
                0 => {
                    model.push(elem(a));
                    value = store.append(value, elem(a)).expect("a sequence");
                }
                1 if !model.is_empty() => {
                    model.remove(0);
                    value = store.tail(value).expect("a sequence that is not empty");
                }
                2 if !model.is_empty() => {
                    let to = at + b as usize % (model.len() - at);
                    value = store.subseq(value, at as i32 + 1, to as i32 + 1).expect("inside");
                    model = model[at..=to].to_vec();
                }
                3 if !model.is_empty() => {
                    model[at] = elem(b);
                    let changed = store.except(value, store.int(at as i32 + 1), elem(b));
                    value = changed.expect("an index").expect("inside");
                }
                4 => {
                    let more = run(a % 1_000, b % 600);
                    value = store.concat(value, store.tuple(&more)).expect("two sequences");
                    model.extend(more);
                }
                5 => {
                    let first = run(a % 1_000, b % 600);
                    value = store.concat(store.tuple(&first), value).expect("two sequences");
                    model.splice(0..0, first);
                }
                _ => {
                    for number in 0..b % 300 {
                        model.push(elem(number));
                        value = store.append(value, elem(number)).expect("a sequence");
                    }
                }
            }
            let elems = store.as_sequence(value).expect("a sequence");
            prop_assert_eq!(elems.to_vec(), model.clone());
            prop_assert_eq!(value, store.tuple(&model));
            prop_assert_eq!((elems.len(), elems.first(), elems.last()), (model.len(), model.first().copied(), model.last().copied()));
            if let Some(expected) = model.get(at) {
                prop_assert_eq!(elems.get(at), *expected);
                let part = elems.part(at, model.len());
                prop_assert!(part.clone().rev().eq(model[at..].iter().rev().copied()));
                prop_assert_eq!(part.len(), model.len() - at);
                // From both ends at once.
                let (mut ours, mut theirs) = (part, model[at..].iter().copied());
                while let Some(front) = theirs.next() {
                    prop_assert_eq!(ours.next(), Some(front));
                    prop_assert_eq!(ours.next_back(), theirs.next_back());
                }
                prop_assert_eq!(ours.next(), None);
            }
        }
        let copy = store.copy();
        let mut moved = kilter_value::Moved::default();
        let other = copy.adopt(value, &store, &mut moved);
        prop_assert_eq!(copy.hash(other), store.hash(value));
        prop_assert_eq!(store.from_itf(&store.to_itf(value)), Ok(value));
    }

    #[test]
    fn itf_loses_nothing(term in any_type().prop_flat_map(|of| any_term(&of))) {
        let store = store();
        let value = build(&store, &term);
        let itf = store.to_itf(value);
        prop_assert_eq!(store.from_itf(&itf), Ok(value), "{}", itf);
    }

    #[test]
    fn set_operations_agree_with_a_model(
        a in prop::collection::btree_set(-4..12i32, 0..40),
        b in prop::collection::btree_set(-4..12i32, 0..40),
    ) {
        let store = store();
        let made = |ints: &mut dyn Iterator<Item = i32>| set(&store, ints.map(|i| store.int(i)).collect());
        let (x, y) = (made(&mut a.iter().copied()), made(&mut b.iter().copied()));
        prop_assert_eq!(store.union(x, y), Ok(made(&mut a.union(&b).copied())));
        prop_assert_eq!(store.intersect(x, y), Ok(made(&mut a.intersection(&b).copied())));
        prop_assert_eq!(store.difference(x, y), Ok(made(&mut a.difference(&b).copied())));
        prop_assert_eq!(store.subset_eq(x, y), Ok(a.is_subset(&b)));
        let both = set(&store, vec![x, y]);
        prop_assert_eq!(store.big_union(both), store.union(x, y));
    }

    #[test]
    fn set_operations_agree_on_composites(terms in elements(), split in 0..6usize) {
        let store = store();
        let values: Vec<Value> = terms.iter().map(|term| build(&store, term)).collect();
        let (left, right) = values.split_at(split.min(values.len()));
        let (x, y) = (set(&store, left.to_vec()), set(&store, right.to_vec()));
        let kept = |keep: &dyn Fn(bool, bool) -> bool| {
            set(&store, values.iter().copied().filter(|v| keep(left.contains(v), right.contains(v))).collect())
        };
        prop_assert_eq!(store.union(x, y), Ok(kept(&|a, b| a || b)));
        prop_assert_eq!(store.intersect(x, y), Ok(kept(&|a, b| a && b)));
        prop_assert_eq!(store.difference(x, y), Ok(kept(&|a, b| a && !b)));
        prop_assert_eq!(store.contains(store.powerset(y), x), store.subset_eq(x, y));
    }

    #[test]
    fn apply_after_except(term in any_type().prop_flat_map(|of| any_term(&of)), new in -3..3i32) {
        let store = store();
        let function = build(&store, &term);
        let Some(domain) = store.domain(function) else { return Ok(()) };
        let new = store.int(new);
        let args = list(&store, domain).expect("a finite domain");
        for arg in &args {
            let changed = store.except(function, *arg, new).expect("of the domain").expect("in the domain");
            prop_assert_eq!(store.domain(changed), Some(domain));
            for other in &args {
                let expected = if other == arg { Ok(Some(new)) } else { store.apply(function, *other) };
                prop_assert_eq!(store.apply(changed, *other), expected);
            }
            // The changed function has the same handle when it is built anew, so its hash was updated correctly.
            let values = store.range_elems(changed).expect("a function").to_vec();
            prop_assert_eq!(store.function(domain, &values), changed);
        }
    }

    #[test]
    fn lazy_sets_agree_with_their_elements(
        a in prop::collection::vec(-1..4i32, 0..4),
        terms in elements(),
        form in 0..6usize,
    ) {
        let store = store();
        let base = set(&store, terms.iter().map(|term| build(&store, term)).collect());
        let few = common::ints(&store, &a);
        let lazy = match form {
            0 => store.powerset(base),
            1 => store.function_set(few, base),
            2 => store.product(&[few, base, store.bool_set()]),
            3 => store.record_set(&[(store.string("b"), few), (store.string("a"), base)]),
            4 => store.powerset(store.product(&[few, store.bool_set()])),
            _ => store.function_set(store.bool_set(), store.powerset(few)),
        };
        prop_assert!(lazy.is_lazy());
        let elems = list(&store, lazy).expect("a finite set");
        prop_assert_eq!(Ok(elems.len()), store.cardinality(lazy));
        prop_assert_eq!(Ok(elems.is_empty()), store.is_empty(lazy));
        for pair in elems.windows(2) {
            prop_assert_eq!(store.compare(pair[0], pair[1]), Ok(Ordering::Less));
        }
        for elem in &elems {
            prop_assert_eq!(store.contains(lazy, *elem), Ok(true));
        }
        let normal = store.normalize(lazy).expect("a finite set");
        for n_skipped in 0..=elems.len() + 1 {
            let mut iter = store.iterate(lazy).expect("a finite set");
            iter.skip(n_skipped, &store);
            let rest: Vec<Value> = std::iter::from_fn(|| iter.next(&store)).collect();
            prop_assert_eq!(rest, &elems[n_skipped.min(elems.len())..]);
        }
        prop_assert_eq!(list(&store, normal), Ok(elems));
        prop_assert_eq!(store.equal(lazy, normal), Ok(true));
        prop_assert_eq!(store.compare(normal, lazy), Ok(Ordering::Equal));
    }

    #[test]
    fn structural_membership_agrees_with_enumeration(values in prop::collection::vec(0..4i32, 0..4)) {
        let store = store();
        let seq = store.tuple(&values.iter().map(|i| store.int(*i)).collect::<Vec<_>>());
        let few = store.interval(1, 2);
        for lazy in [
            store.function_set(few, few),
            store.product(&[few, few, few]),
            store.product(&[store.empty_set()]),
        ] {
            let inside = list(&store, lazy).expect("a finite set").contains(&seq);
            prop_assert_eq!(store.contains(lazy, seq), Ok(inside));
        }
        let all_few = values.iter().all(|i| (1..=2).contains(i));
        prop_assert_eq!(store.contains(store.seq_set(few), seq), Ok(all_few));
    }

    #[test]
    fn sequences_agree_with_vectors(values in prop::collection::vec(0..4i32, 0..6), from in -1..8i32, to in -1..8i32) {
        let store = store();
        let of = |ints: &[i32]| store.tuple(&ints.iter().map(|i| store.int(*i)).collect::<Vec<_>>());
        let seq = of(&values);
        prop_assert_eq!(store.tail(seq), values.get(1..).map(of));
        prop_assert_eq!(store.head(seq), values.first().map(|i| store.int(*i)));
        prop_assert_eq!(store.concat(seq, seq), Some(of(&[values.clone(), values.clone()].concat())));
        let expected = if from > to {
            Some(store.empty_tuple())
        } else {
            usize::try_from(from - 1).ok().and_then(|start| values.get(start..to as usize)).map(of)
        };
        // An end before the first element is out of bounds, even if the slice would be empty.
        prop_assert_eq!(store.subseq(seq, from, to), expected);
    }
}

#[test]
fn sorting_many_values_of_one_type() {
    let store = store();
    let terms: Vec<Term> =
        (0..200).map(|i| Term::Tuple(vec![Term::Int((i * 37) % 101), Term::Int(i % 3)])).collect();
    let mut values: Vec<Value> = terms.iter().map(|term| build(&store, term)).collect();
    let sorted = store.set(&mut values).expect("values of one type");
    let distinct: BTreeSet<(i32, i32)> = (0..200).map(|i| ((i * 37) % 101, i % 3)).collect();
    let expected: Vec<String> = distinct.iter().map(|(a, b)| format!("<<{a}, {b}>>")).collect();
    assert_eq!(store.show(sorted), format!("{{{}}}", expected.join(", ")));
}
