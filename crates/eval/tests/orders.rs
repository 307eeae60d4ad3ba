//! The table and the ring that workers share, tested in all orders in which threads can see each other's writes.
//!
//! `table.rs` is compiled a second time here, with loom's atomic words in place of the real ones. Loom runs a test once
//! for each order of steps, and for each older word that the memory orderings let a thread read. The real tables are
//! too large for that. These have one entry.

#[path = "../src/run/table.rs"]
#[allow(dead_code, reason = "sizes do not matter here")]
mod table;

/// The names that `table.rs` imports from `run/atomics.rs`.
mod atomics {
    pub(super) use loom::sync::atomic::{AtomicU64, Ordering, fence};

    pub(super) fn zeroes(n: usize) -> Box<[AtomicU64]> {
        (0..n).map(|_| AtomicU64::new(0)).collect()
    }
}

use loom::sync::Arc;
use loom::thread;
use table::{Ring, Room, Table};

/// Runs a test in all orders with at most this many preemptions, that is, switches from a thread that could go on. Two
/// or three are enough to show mistakes.
fn in_all_orders(switches_max: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(switches_max);
    builder.check(test);
}

/// Puts an entry whose parts are all the same number.
fn put(table: &Table<2>, part: u64) {
    table.put(0, 0, &[part, part], part);
}

/// Fails if it finds an entry whose parts are different numbers.
fn look(table: &Table<2>, part: u64) {
    let found = table.get(0, 0, &[part, part]);
    assert!(found.is_none_or(|value| value == part), "half an entry: {found:?} in place of {part}");
}

#[test]
fn a_reader_never_sees_half_an_entry() {
    in_all_orders(3, || {
        let table = Arc::new(Table::<2>::new(1));
        put(&table, 1);
        let shared = table.clone();
        let writer = thread::spawn(move || put(&shared, 2));
        look(&table, 1);
        look(&table, 2);
        writer.join().expect("the writer ends");
        assert_eq!(table.get(0, 0, &[2, 2]), Some(2), "what was put last is there");
    });
}

#[test]
fn two_writers_never_mix_their_entries() {
    in_all_orders(3, || {
        let table = Arc::new(Table::<2>::new(1));
        let writers: Vec<_> = (1..=2)
            .map(|part| {
                let table = table.clone();
                thread::spawn(move || put(&table, part))
            })
            .collect();
        for writer in writers {
            writer.join().expect("the writer ends");
        }
        let found: Vec<u64> = (1..=2).filter_map(|part| table.get(0, 0, &[part, part])).collect();
        assert!(found == [1] || found == [2], "one of the two entries is there, whole: {found:?}");
    });
}

/// Keeps a word in the ring, and puts an entry that says where the word is.
fn keep(table: &Table<2>, ring: &Ring, room: &mut Room, word: u32) {
    let start = ring.keep(room, 1, [word].into_iter()).expect("it is short");
    table.put(0, 0, &[0, 0], start << 32 | u64::from(word));
}

/// A reader that finds an entry finds its words, or that they are gone.
#[test]
fn words_are_those_of_their_entry() {
    in_all_orders(3, || {
        let shared = Arc::new((Table::<2>::new(1), Ring::new(3)));
        let (table, ring) = &*shared;
        let mut room = Room::default();
        keep(table, ring, &mut room, 1);
        for _ in 1..8 {
            ring.keep(&mut room, 1, [0].into_iter());
        }
        let writing = shared.clone();
        // The ring is full, so the next word takes the place of the first.
        let writer = thread::spawn(move || keep(&writing.0, &writing.1, &mut room, 2));
        if let Some(value) = table.get(0, 0, &[0, 0]) {
            let word = ring.get(value >> 32, 0);
            assert!(
                word.is_none_or(|word| word == value as u32),
                "{word:?} is of another entry than {value:x}"
            );
        }
        writer.join().expect("the writer ends");
    });
}
