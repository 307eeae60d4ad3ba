//! The shared table and the ring, with real threads.

use super::atomics::Ordering;
use super::table::{Ring, Room, Table};

#[test]
fn a_table_gives_back_what_was_put() {
    let table = Table::<2>::new(4);
    assert_eq!(table.get(3, 0, &[0, 0]), None);
    table.put(3, 0, &[5, 6], 7);
    assert_eq!(table.get(3, 0, &[5, 6]), Some(7));
    assert_eq!(table.get(3, 1, &[5, 6]), None);
    assert_eq!(table.get(3, 0, &[5, 7]), None);
    table.put(3, 9, &[5, 6], 8);
    assert_eq!(table.get(3, 0, &[5, 6]), None);
    assert_eq!(table.get(3, 9, &[5, 6]), Some(8));
}

#[test]
fn a_ring_knows_what_it_has_forgotten() {
    let ring = Ring::new(4);
    let mut room = Room::default();
    let first = ring.keep(&mut room, 2, [1, 2].into_iter()).expect("it is short");
    assert_eq!((ring.get(first, 0), ring.get(first, 1)), (Some(1), Some(2)));
    for _ in 0..8 {
        ring.keep(&mut room, 2, [3, 4].into_iter());
    }
    assert_eq!((ring.get(first, 0), ring.get(first, 1)), (None, None));
    let places = 1 << 32;
    let later = Room { next: places, end: places + 2 };
    ring.taken.0.store(places + 2, Ordering::Relaxed);
    ring.keep(&mut { later }, 2, [5, 6].into_iter());
    assert_eq!((ring.get(first, 0), ring.get(places, 0)), (None, Some(5)), "many laps later");
    assert_eq!(ring.keep(&mut room, 3, [0; 3].into_iter()), None);
}

#[test]
fn tables_are_as_large_as_they_may_be() {
    assert_eq!(Table::<2>::entries_within(1 << 18, usize::MAX), 1 << 18);
    assert_eq!(Table::<2>::entries_within(1 << 18, 1 << 20), 1 << 15);
    assert_eq!(Table::<3>::entries_within(1 << 18, 0), 1);
    assert_eq!((Ring::bits_within(22, 3 << 20), Ring::bits_within(22, usize::MAX)), (18, 22));
    assert!(Ring::bits_within(22, 0) < 22);
}

/// Writers put entries whose parts belong together. Readers must never see parts of two entries.
#[test]
fn nobody_sees_half_an_entry() {
    let table = Table::<2>::new(1);
    let ring = Ring::new(6);
    std::thread::scope(|scope| {
        for writer in 0..2u64 {
            let (table, ring) = (&table, &ring);
            scope.spawn(move || {
                let mut room = Room::default();
                for i in 0..20_000u64 {
                    let number = (i * 2 + writer) as u32;
                    let start = ring.keep(&mut room, 2, [number; 2].into_iter()).expect("it is short");
                    table.put(0, 7, &[0, 0], start << 32 | u64::from(number));
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..40_000 {
                let Some(value) = table.get(0, 7, &[0, 0]) else { continue };
                for word in [ring.get(value >> 32, 0), ring.get(value >> 32, 1)].into_iter().flatten() {
                    assert_eq!(word, value as u32);
                }
            }
        });
    });
}
