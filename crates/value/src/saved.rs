//! The contents of a store as bytes, and a store that gets them back.
//!
//! The heap only grows, so a store is saved piece by piece: each time only the words since the last time. A store that gets
//! saved words back must have made the same first values. Then all handles mean the same as before.

use std::ops::Range;

use crate::hash;
use crate::heap::record_units;
use crate::store::{Store, lock};

/// The bytes of a unit of the heap.
pub const UNIT_BYTES: usize = 8;

/// A store cannot get saved contents back, because it holds other values than the saved one did at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherStore;

impl Store {
    /// Gives up the piece of the heap that this worker fills. After all workers have done so, no word before
    /// [`Store::n_units`] changes any more.
    pub fn give_up_room(&self) {
        self.heap().give_up(self.room());
    }

    /// The size of the used part of the heap, in units of [`UNIT_BYTES`].
    pub fn n_units(&self) -> u32 {
        self.heap().n_units()
    }

    /// Appends the bytes of a part of the heap.
    pub fn save_units(&self, units: Range<u32>, bytes: &mut Vec<u8>) {
        for word in self.heap().words(units) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// The number of names: strings, model values and fields.
    pub fn n_names(&self) -> u32 {
        self.names().len()
    }

    /// Whether there is a model value with a type, such as `x_1`.
    pub fn has_typed_models(&self) -> bool {
        self.names().has_typed_models()
    }

    /// Gets names back, in the order of their numbers.
    pub fn restore_names<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        has_typed_models: bool,
    ) -> Result<(), OtherStore> {
        let n_own = self.n_names();
        let mut n_saved = 0;
        for (number, name) in (0..).zip(names) {
            n_saved += 1;
            if self.names().number(name) != Some(number) {
                return Err(OtherStore);
            }
        }
        if has_typed_models {
            self.names().set_typed_models();
        }
        if n_saved < n_own { Err(OtherStore) } else { Ok(()) }
    }

    /// Begins to get back a heap of `n_units` units. `None` if this heap is too small for it.
    pub fn restore(&self, n_units: u32) -> Option<Restore<'_>> {
        self.give_up_room();
        (n_units as usize * UNIT_BYTES <= self.capacity_bytes()).then(|| Restore {
            store: self,
            n_units,
            at: 0,
            is_same: n_units >= self.n_units(),
        })
    }
}

/// A heap that gets back its saved words.
pub struct Restore<'s> {
    store: &'s Store,
    n_units: u32,
    /// The next unit.
    at: u32,
    /// Whether the store's own values are those of the saved heap so far.
    is_same: bool,
}

impl Restore<'_> {
    /// Takes the next bytes, which are whole units.
    pub fn take(&mut self, bytes: &[u8]) {
        for unit in bytes.chunks_exact(UNIT_BYTES) {
            let word = |at: usize| u32::from_le_bytes([unit[at], unit[at + 1], unit[at + 2], unit[at + 3]]);
            if self.at < self.n_units {
                self.is_same &= self.store.heap().put_unit(self.at, [word(0), word(4)]);
            }
            self.at += 1;
        }
    }

    /// Makes the values known to the store, so that equal ones get the same handles.
    pub fn finish(self) -> Result<(), OtherStore> {
        if !self.is_same || self.at != self.n_units {
            return Err(OtherStore);
        }
        let heap = self.store.heap();
        heap.set_used(self.n_units);
        for shard in self.store.shards() {
            lock(shard).clear();
        }
        let mut place = 1;
        while place < self.n_units {
            // A piece of the heap that was given up ends with zeros.
            let Some(units) = record_units(heap.header(place)) else {
                place += 1;
                continue;
            };
            if units > self.n_units - place {
                return Err(OtherStore);
            }
            let key = hash::spread(heap.hash(place));
            let rehash = |place: &u32| hash::spread(heap.hash(*place));
            let mut places = lock(self.store.shard_of(key));
            if places.try_reserve(1, rehash).is_err() {
                return Err(OtherStore);
            }
            places.insert_unique(key, place, rehash);
            place += units;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Value;

    /// What the specification makes, before the search.
    fn first(store: &Store) -> Value {
        store.tuple(&[store.int(1), store.string("a"), store.model_value("m")])
    }

    fn later(store: &Store, sibling: &Store) -> Vec<Value> {
        let many: Vec<Value> = (0..3000).map(|i| store.int(i)).collect();
        let mut values = vec![store.tuple(&many), store.int(i32::MAX), sibling.string("late")];
        for i in 0..5000 {
            values.push(store.tuple(&[store.int(i), sibling.interval(0, i)]));
            values.push(sibling.tuple(&[sibling.int(i), values[0]]));
        }
        values
    }

    fn restored(to: &Store, names: &[String], bytes: &[u8]) -> Result<(), OtherStore> {
        to.restore_names(names.iter().map(String::as_str), false)?;
        let mut restore = to.restore((bytes.len() / UNIT_BYTES) as u32).expect("it fits");
        bytes.chunks(1 << 10).for_each(|piece| restore.take(piece));
        restore.finish()
    }

    #[test]
    fn values_come_back_with_their_handles() {
        let old = Store::with_capacity_bytes(64 << 20);
        let sibling = old.sibling();
        first(&old);
        let mut bytes = Vec::new();
        old.give_up_room();
        old.save_units(0..old.n_units(), &mut bytes);
        let values = later(&old, &sibling);
        old.give_up_room();
        sibling.give_up_room();
        let n_saved = (bytes.len() / UNIT_BYTES) as u32;
        old.save_units(n_saved..old.n_units(), &mut bytes);
        let names: Vec<String> = (0..old.n_names()).map(|n| old.name_text(n).to_owned()).collect();

        let new = Store::with_capacity_bytes(64 << 20);
        let value = first(&new);
        restored(&new, &names, &bytes).expect("it is the same store");
        assert_eq!(first(&new), value);
        assert_eq!(new.n_values(), old.n_values());
        assert_eq!(later(&new, &new.sibling()), values);
        assert_eq!(new.n_values(), old.n_values(), "nothing was made twice");
        // What is new lies behind.
        let fresh = new.tuple(&[new.string("other"), value]);
        assert!(fresh.as_heap().is_some_and(|place| place >= old.n_units()));
    }

    #[test]
    fn another_store_is_noticed() {
        let old = Store::with_capacity_bytes(1 << 20);
        first(&old);
        old.give_up_room();
        let mut bytes = Vec::new();
        old.save_units(0..old.n_units(), &mut bytes);
        let other = Store::with_capacity_bytes(1 << 20);
        other.tuple(&[other.int(2), other.int(3)]);
        assert_eq!(restored(&other, &[], &bytes), Err(OtherStore));
        let larger = Store::with_capacity_bytes(1 << 20);
        first(&larger);
        larger.tuple(&[larger.int(2), larger.int(3)]);
        assert_eq!(restored(&larger, &["a".to_owned(), "m".to_owned()], &bytes), Err(OtherStore));
        let named = Store::with_capacity_bytes(1 << 20);
        named.string("b");
        assert_eq!(restored(&named, &["a".to_owned()], &bytes), Err(OtherStore));
    }
}
