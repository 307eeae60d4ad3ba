//! Graphs survive being written and read, and nothing else is read as a graph.

use crate::common;

use common::{Plan, Term, any_plan, any_term, build, small_store};
use kilter_graph::file::VERSION;
use kilter_graph::intake::Intake;
use kilter_graph::{FileError, StateGraph, decode, encode, fingerprint};
use proptest::prelude::*;
use xxhash_rust::xxh3::Xxh3;

fn small_graph() -> StateGraph {
    let record = Term::Record(vec![("term".to_owned(), Term::Int(1)), ("ok".to_owned(), Term::Bool(true))]);
    let plan = Plan {
        states: vec![
            Term::Ints(vec![3, 1]),
            record.clone(),
            Term::OverModels(vec![("a".to_owned(), Term::Int(0))]),
        ],
        initial: vec![0, 2],
        edges: vec![
            (0, 1, 0, record.clone(), vec![0, 2]),
            (0, 1, 0, record.clone(), vec![0, 2]),
            (0, 1, 1, record, vec![1]),
            (2, 2, 2, Term::Int(0), vec![]),
        ],
        is_complete: true,
    };
    build(&plan, &small_store())
}

/// A file with this body and a checksum that fits.
fn forge(body: &[u8]) -> Vec<u8> {
    forge_version(VERSION, body)
}

fn forge_version(version: u32, body: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(body, 3).expect("it can be compressed");
    let mut bytes = b"KILTERSG".to_vec();
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let mut hash = Xxh3::new();
    hash.update(&bytes);
    hash.update(&packed);
    bytes.extend_from_slice(&hash.digest().to_le_bytes());
    bytes.extend_from_slice(&packed);
    bytes
}

fn body_of(graph: &StateGraph) -> Vec<u8> {
    zstd::bulk::decompress(&encode(graph)[36..], 1 << 20).expect("it can be decompressed")
}

#[test]
fn edges_that_agree_in_all_but_ways_are_one() {
    assert_eq!(small_graph().n_edges(), 2);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let bytes = encode(&small_graph());
    for index in 0..bytes.len() {
        for change in 1..=255 {
            let mut damaged = bytes.clone();
            damaged[index] ^= change;
            assert!(decode(&damaged).is_err(), "byte {index} changed by {change}");
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    let bytes = encode(&small_graph());
    assert_eq!(decode(&[]), Err(FileError::NotAGraph));
    for length in 1..bytes.len() {
        let error = decode(&bytes[..length]).expect_err("it is cut off");
        assert!(matches!(error, FileError::Truncated { .. }), "{length} bytes: {error}");
    }
}

#[test]
fn messages_say_what_to_do() {
    let bytes = encode(&small_graph());
    let mut newer = bytes.clone();
    newer[8] = 4;
    let message = |bytes: &[u8]| decode(bytes).expect_err("not a graph of ours").to_string();
    assert_eq!(
        message(&newer),
        "the state graph has version 4 of the format, and this Kilter reads up to 3; update Kilter"
    );
    let mut older = bytes.clone();
    older[8] = 1;
    assert_eq!(
        message(&older),
        "the state graph has version 1 of the format, which this Kilter does not read; make it again"
    );
    assert_eq!(
        message(b"strict digraph DiskGraph {"),
        "not a state graph of Kilter; make one with `kilter check --graph` or `kilter graph import`"
    );
    assert_eq!(
        message(&bytes[..40]),
        format!("the state graph is cut off: it has 40 bytes of {}; make it again", bytes.len())
    );
    let longer: Vec<u8> = bytes.iter().copied().chain([0, 0]).collect();
    assert_eq!(message(&longer), "the state graph is damaged: 2 bytes follow its end; make it again");
}

#[test]
fn a_forged_body_of_the_second_version_is_never_a_panic() {
    let second = include_bytes!("second.kilter");
    let body = zstd::bulk::decompress(&second[36..], 1 << 20).expect("it can be decompressed");
    for index in 0..body.len() {
        for change in [1, 2, 0x7f, 0x80, 0xff] {
            let mut damaged = body.clone();
            damaged[index] ^= change;
            if let Ok(graph) = decode(&forge_version(2, &damaged)) {
                let _ = kilter_graph::summarize(&graph);
            }
        }
        assert!(decode(&forge_version(2, &body[..index])).is_err());
    }
}

#[test]
fn a_forged_body_is_never_a_panic() {
    let body = body_of(&small_graph());
    assert_eq!(decode(&forge(&body)), Ok(small_graph()));
    for index in 0..body.len() {
        for change in [1, 2, 0x7f, 0x80, 0xff] {
            let mut damaged = body.clone();
            damaged[index] ^= change;
            // Some changes give another graph. Everything that can be read can be used.
            if let Ok(graph) = decode(&forge(&damaged)) {
                let _ = graph.values().restore(&small_store());
                let _ = kilter_graph::summarize(&graph);
            }
        }
        assert!(decode(&forge(&body[..index])).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn graphs_survive(plan in any_plan()) {
        let graph = build(&plan, &small_store());
        let bytes = encode(&graph);
        let read = decode(&bytes).expect("what was written can be read");
        prop_assert_eq!(&read, &graph);
        prop_assert_eq!(fingerprint(&read), fingerprint(&graph));
        prop_assert_eq!(encode(&read), bytes);
    }

    #[test]
    fn ids_do_not_depend_on_the_order_of_handles(plan in any_plan(), others in prop::collection::vec(any_term(), 0..8)) {
        let store = small_store();
        let graph = build(&plan, &store);
        // The names of a specification are always read in the same order. The order of handles depends on the workers.
        let other_store = small_store();
        for number in 0..200 {
            other_store.string(store.name_text(number));
        }
        for other in others {
            other.make(&other_store);
        }
        prop_assert_eq!(encode(&build(&plan, &other_store)), encode(&graph));
    }

    #[test]
    fn values_survive(terms in prop::collection::vec(any_term(), 0..8)) {
        let (store, other) = (small_store(), small_store());
        let mut intake = Intake::new(&store);
        let made: Vec<_> = terms.iter().map(|term| (term.make(&store), intake.add(term.make(&store)))).collect();
        let values = intake.finish();
        let here = values.restore(&store).expect("values of one type");
        let there = values.restore(&other).expect("values of one type");
        for (value, id) in made {
            prop_assert_eq!(here[id], value);
            prop_assert_eq!(other.show(there[id]), store.show(value));
        }
    }

    #[test]
    fn garbage_is_no_graph(bytes: Vec<u8>) {
        prop_assert!(decode(&bytes).is_err());
        prop_assert!(decode(&forge(&bytes)).is_err());
    }
}
