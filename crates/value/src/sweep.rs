//! Drops new values that nobody needs any more.
//!
//! Values are not freed one by one. But whoever knows all new values that are still needed can have the other new ones dropped: those
//! that are needed move together, and what is behind them on the heap is free again. Values from before stay where they are. So a
//! sweep costs as much as there is new, however much there is in all.

use rustc_hash::FxHashMap;

use crate::handle::Value;
use crate::hash;
use crate::heap::{Kind, record_units};
use crate::saved::UNIT_BYTES;
use crate::store::{Store, lock};

/// The bytes that must be free for a sweep: needed values may lie a little less close together afterwards.
const SLACK_BYTES: usize = 1 << 20;

/// A moment in the life of a store. What is made later is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u32);

impl Mark {
    /// The bytes of all values from before.
    pub fn bytes(self) -> usize {
        self.0 as usize * UNIT_BYTES
    }
}

/// A sweep that has begun: the new values that are needed, so far.
pub struct Sweep<'s> {
    store: &'s Store,
    since: u32,
    /// The places of these values. Parts come before the values that consist of them.
    places: Vec<u32>,
    /// Their headers, hashes and words.
    words: Vec<u32>,
    moved: FxHashMap<u32, Value>,
}

/// Where the needed values are after a sweep.
#[derive(Debug)]
pub struct Swept {
    since: u32,
    moved: FxHashMap<u32, Value>,
    /// The moment after the sweep.
    pub mark: Mark,
}

impl Store {
    /// Marks this moment. `stores` are all handles to this store, and nobody makes a value meanwhile.
    pub fn mark<'o>(&self, stores: impl IntoIterator<Item = &'o Store>) -> Mark {
        self.give_up_room();
        stores.into_iter().for_each(Store::give_up_room);
        Mark(self.n_units())
    }

    /// The bytes of all values that were made since then.
    pub fn bytes_since(&self, mark: Mark) -> usize {
        (self.n_units() as usize * UNIT_BYTES).saturating_sub(mark.bytes())
    }

    /// Begins to drop new values. `None` if the heap is too full for that.
    pub fn sweep(&self, since: Mark) -> Option<Sweep<'_>> {
        let free = self.capacity_bytes().saturating_sub(self.n_units() as usize * UNIT_BYTES);
        let (places, words, moved) = Default::default();
        (free >= SLACK_BYTES).then_some(Sweep { store: self, since: since.0, places, words, moved })
    }

    /// Forgets a recently made value that was new.
    fn forget_recent(&self, sum: u32, since: u32) {
        let recent = self.recent(sum);
        if recent.load(std::sync::atomic::Ordering::Relaxed) >= since {
            recent.store(0, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

impl Sweep<'_> {
    /// Keeps a value with all its parts.
    pub fn keep(&mut self, value: Value) {
        let Some(place) = value.as_heap().filter(|place| *place >= self.since) else { return };
        if self.moved.contains_key(&place) {
            return;
        }
        let heap = self.store.heap();
        let (kind, words) = heap.record(place);
        if !is_plain(kind) {
            self.store.words(place).iter().for_each(|part| self.keep(part));
        }
        self.words.extend([heap.header(place), heap.hash(place)]);
        self.words.extend(words.iter().map(|word| word.load(std::sync::atomic::Ordering::Relaxed)));
        self.places.push(place);
        self.moved.insert(place, value);
    }

    /// Drops all new values but those that were kept. `stores` are all handles to the store, and nobody makes a value meanwhile. Handles
    /// of new values mean nothing afterwards: [`Swept::now`] has those that count.
    pub fn finish(mut self, stores: &[&Store]) -> Swept {
        let store = self.store;
        stores.iter().copied().for_each(Store::give_up_room);
        store.give_up_room();
        self.drop_new(stores);
        let mut rest = self.words.as_slice();
        for place in &self.places {
            let (header, hash) = (rest[0], rest[1]);
            let (kind, length) = (Kind::of(header), crate::heap::length(header));
            let moved = &self.moved;
            let is_moved =
                |part: Value| part.as_heap().filter(|_| !is_plain(kind)).and_then(|at| moved.get(&at));
            let words = rest[2..2 + length].iter().map(|word| {
                // The words of a number may be 0, which is no handle.
                let part = (*word != 0).then(|| is_moved(Value::from_bits(*word))).flatten();
                part.map_or(*word, |part| part.bits())
            });
            let value = store.intern(header, length, hash, words);
            self.moved.insert(*place, value);
            rest = &rest[2 + length..];
        }
        Swept { since: self.since, moved: self.moved, mark: store.mark([]) }
    }

    /// Takes all new values off the heap.
    fn drop_new(&self, stores: &[&Store]) {
        let heap = self.store.heap();
        let end = heap.n_units();
        let mut place = self.since;
        while place < end {
            // A piece of the heap that was given up ends with zeros.
            let Some(units) = record_units(heap.header(place)) else {
                place += 1;
                continue;
            };
            let sum = heap.hash(place);
            let key = hash::spread(sum);
            if let Ok(entry) = lock(self.store.shard_of(key)).find_entry(key, |other| *other == place) {
                entry.remove();
            }
            self.store.forget_recent(sum, self.since);
            for store in stores {
                store.forget_recent(sum, self.since);
            }
            place += units;
        }
        heap.clear(self.since..end);
        let is_old = |value: &Value| value.as_heap().is_none_or(|place| place < self.since);
        for store in stores.iter().copied().chain([self.store]) {
            lock(&store.normal_forms).retain(|set, form| is_old(set) && is_old(form));
        }
    }
}

impl Swept {
    /// The handle that a value has now. `None` if it was dropped.
    pub fn now(&self, value: Value) -> Option<Value> {
        match value.as_heap() {
            Some(place) if place >= self.since => self.moved.get(&place).copied(),
            _ => Some(value),
        }
    }
}

/// Whether the words of such a record are plain numbers, not values.
fn is_plain(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A value with parts, some of which many of them have in common.
    fn value(store: &Store, seed: u32, depth: u32) -> Value {
        let part = |n: u32| value(store, seed.wrapping_mul(7).wrapping_add(n) % 97, depth.saturating_sub(1));
        match (depth, seed % 8) {
            (0, _) | (_, 0) => store.int((seed as i32 % 19) << 25),
            (_, 1) => store.interval(-2, seed as i32 % 9),
            (_, 2) => store
                .set(&mut vec![store.int(3), store.int(1 << 30), store.int(seed as i32)])
                .expect("numbers"),
            (_, 3) => store.record(&mut vec![(store.string("a"), part(1)), (store.string("b"), part(2))]),
            (_, 4) => store.function(store.interval(4, 5), &[part(3), part(4)]),
            (_, 5) => {
                store.tuple(&(0..300 + seed % 9).map(|n| store.int((n as i32) << 26)).collect::<Vec<_>>())
            }
            (_, 6) => store.powerset(store.interval(1, seed as i32 % 5)),
            _ => store.tuple(&[part(5), store.model_value("m")]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_kept_is_as_before_and_the_rest_is_gone(
            rounds in prop::collection::vec((prop::collection::vec(0..400u32, 0..40), any::<u64>()), 1..5),
        ) {
            let store = Store::with_capacity_bytes(16 << 20);
            let sibling = store.sibling();
            let make = |seed: u32| value(if seed.is_multiple_of(2) { &store } else { &sibling }, seed, 3);
            let mut known: Vec<(u32, Value)> = Vec::new();
            for (seeds, wanted) in rounds {
                let mark = store.mark([&sibling]);
                let made: Vec<(u32, Value)> = seeds.iter().map(|seed| (*seed, make(*seed))).collect();
                let texts: Vec<String> = made.iter().map(|(_, value)| store.show(*value)).collect();
                let is_kept = |at: usize| wanted >> (at % 64) & 1 == 1;
                let mut sweep = store.sweep(mark).expect("there is room");
                made.iter().enumerate().filter(|(at, _)| is_kept(*at)).for_each(|(_, (_, value))| sweep.keep(*value));
                let swept = sweep.finish(&[&sibling]);
                prop_assert!(swept.mark.bytes() <= store.n_units() as usize * UNIT_BYTES);
                for (at, ((seed, value), text)) in made.iter().zip(&texts).enumerate() {
                    if let Some(now) = swept.now(*value) {
                        prop_assert_eq!(&store.show(now), text);
                        known.push((*seed, now));
                    } else {
                        prop_assert!(!is_kept(at));
                    }
                }
                // Equal values still have equal handles, whoever makes them.
                for (seed, handle) in &known {
                    prop_assert_eq!(make(*seed), *handle);
                    prop_assert_eq!(value(&sibling, *seed, 3), *handle);
                }
                for (seed, text) in seeds.iter().zip(&texts) {
                    prop_assert_eq!(&store.show(make(*seed)), text);
                }
                known.extend(seeds.iter().map(|seed| (*seed, make(*seed))));
            }
        }
    }

    #[test]
    fn the_room_of_dropped_values_is_used_again() {
        let store = Store::with_capacity_bytes(2 << 20);
        let mut mark = store.mark([]);
        for round in 0..100 {
            let kept = store.tuple(&[store.int(-1), store.int(round)]);
            for number in 0..1000 {
                store.tuple(&[store.int(round), store.int(number)]);
            }
            let n_values = store.n_values();
            let mut sweep = store.sweep(mark).expect("there is room");
            sweep.keep(kept);
            let swept = sweep.finish(&[]);
            mark = swept.mark;
            let now = swept.now(kept).expect("it was kept");
            assert_eq!((store.show(now), store.n_values()), (format!("<<-1, {round}>>"), n_values - 1000));
        }
    }
}
