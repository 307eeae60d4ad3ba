//! The store: the heap, the table that gives equal values the same place, and the names of atoms.
//!
//! Workers share all of these. Each worker has its own copy of the data that it writes all the time: where its next
//! value goes, and the values that it made recently. Two cores that write to the same cache line would wait for each
//! other. See [`Store::sibling`].

use crate::handle::Value;
use crate::hash;
use crate::heap::{Heap, Kind, Room, full, header};
use crate::names::Names;
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 64;
/// The number of places that the cache in front of the shards remembers. A power of two.
const RECENT: usize = 1 << 17;

/// One part of the interning table, on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Shard {
    places: Mutex<HashTable<u32>>,
}

/// The data that all workers share.
struct Shared {
    heap: Heap,
    names: Names,
    shards: Box<[Shard]>,
}

/// All values of one run, as one worker sees them.
///
/// Values are not freed one by one; [`Store::sweep`] drops many. If the heap is full, an operation that needs room ends the
/// [`within_heap`](crate::within_heap) that is running. The store can still be read.
pub struct Store {
    shared: Arc<Shared>,
    room: Room,
    /// Places of recently made values, by hash. Finding one of them takes no lock. A place is stored here only after
    /// its record is written, and is loaded with acquire ordering, so the record can be read.
    recent: Box<[AtomicU32]>,
    /// The canonical forms of lazy sets that have been enumerated.
    pub(crate) normal_forms: Mutex<FxHashMap<Value, Value>>,
}

impl Default for Store {
    fn default() -> Self {
        Store::new()
    }
}

impl Store {
    /// The empty set.
    pub const EMPTY_SET: Value = Value::heap(1, false);
    /// The empty tuple, which is also the empty function.
    pub const EMPTY_TUPLE: Value = Value::heap(2, false);
    /// `BOOLEAN`
    pub const BOOL_SET: Value = Value::heap(3, false);

    /// An empty store. It grows to 8 GiB, or to what the operating system allows.
    pub fn new() -> Store {
        Store::on(Heap::largest())
    }

    /// An empty store that grows to about this many bytes.
    pub fn with_capacity_bytes(bytes: usize) -> Store {
        Store::on(Heap::new(bytes / 4))
    }

    fn on(heap: Heap) -> Store {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        let store = Store::view_of(Arc::new(Shared { heap, names: Names::default(), shards }));
        let empty_set = store.intern_values(Kind::Set, &[]);
        let empty_tuple = store.intern_values(Kind::Tuple, &[]);
        let bool_set = store.intern_values(Kind::Set, &[Value::FALSE, Value::TRUE]);
        debug_assert_eq!(
            (empty_set, empty_tuple, bool_set),
            (Store::EMPTY_SET, Store::EMPTY_TUPLE, Store::BOOL_SET)
        );
        store
    }

    fn view_of(shared: Arc<Shared>) -> Store {
        Store {
            shared,
            room: Room::default(),
            recent: bytemuck::allocation::zeroed_slice_box(RECENT),
            normal_forms: Mutex::default(),
        }
    }

    /// A handle to the same store for another worker. Values made through one handle are valid in the other.
    #[must_use]
    pub fn sibling(&self) -> Store {
        Store::view_of(Arc::clone(&self.shared))
    }

    /// A store with the same values, which have the same handles in it. From now on each grows on its own.
    #[must_use]
    pub fn copy(&self) -> Store {
        let shards = self.shared.shards.iter();
        let shards = shards.map(|shard| Shard { places: Mutex::new(lock(&shard.places).clone()) }).collect();
        let heap = self.shared.heap.copy();
        Store::view_of(Arc::new(Shared { heap, names: self.shared.names.copy(), shards }))
    }

    #[inline]
    pub(crate) fn heap(&self) -> &Heap {
        &self.shared.heap
    }

    #[inline]
    pub(crate) fn names(&self) -> &Names {
        &self.shared.names
    }

    /// The recently made value with this hash.
    #[inline]
    pub(crate) fn recent(&self, sum: u32) -> &AtomicU32 {
        &self.recent[sum as usize % RECENT]
    }

    /// The piece of the heap that this worker fills.
    pub(crate) fn room(&self) -> &Room {
        &self.room
    }

    /// The parts of the interning table.
    pub(crate) fn shards(&self) -> impl Iterator<Item = &Mutex<HashTable<u32>>> {
        self.shared.shards.iter().map(|shard| &shard.places)
    }

    /// The part of the interning table for a spread hash. The table uses the low bits for the bucket and the top bits for
    /// the tag, so the part is chosen by bits between them.
    #[inline]
    pub(crate) fn shard_of(&self, key: u64) -> &Mutex<HashTable<u32>> {
        &self.shared.shards[(key >> 40) as usize % SHARDS].places
    }

    /// The empty set.
    #[inline]
    pub fn empty_set(&self) -> Value {
        Store::EMPTY_SET
    }

    /// The empty tuple.
    #[inline]
    pub fn empty_tuple(&self) -> Value {
        Store::EMPTY_TUPLE
    }

    /// `BOOLEAN`
    #[inline]
    pub fn bool_set(&self) -> Value {
        Store::BOOL_SET
    }

    /// An integer.
    #[inline]
    pub fn int(&self, i: i32) -> Value {
        match Value::small_int(i) {
            Some(value) => value,
            None => self.intern_raw(Kind::Int, [i as u32]),
        }
    }

    /// A string. Strings get numbers in the order of the first calls, which is TLC's order of strings.
    pub fn string(&self, text: &str) -> Value {
        match self.names().number(text) {
            Some(number) => Value::string_number(number),
            None => full(),
        }
    }

    /// Whether a string, a model value or a field has this text as its name.
    pub fn knows_name(&self, text: &str) -> bool {
        self.names().knows(text)
    }

    /// The text, if this is a string.
    pub fn string_text(&self, value: Value) -> Option<&str> {
        value.as_string_number().map(|number| self.names().text(number))
    }

    /// The model value with this name. Model values and strings share their numbers, because TLC orders both by the
    /// first appearance of the text.
    pub fn model_value(&self, name: &str) -> Value {
        self.names().add_model(name);
        match self.names().number(name) {
            Some(number) => Value::model_number(number),
            None => full(),
        }
    }

    /// The name, if this is a model value.
    pub fn model_name(&self, value: Value) -> Option<&str> {
        value.as_model_number().map(|number| self.names().text(number))
    }

    /// The text of the string, or the name of the model value, with this number.
    pub fn name_text(&self, number: u32) -> &str {
        self.names().text(number)
    }

    /// A hash of the value's content. It is the same in every run and for every order of allocation, as long as strings
    /// get the same numbers. Different values may have the same hash.
    #[inline]
    pub fn hash(&self, value: Value) -> u32 {
        match value.as_heap() {
            Some(place) => self.heap().hash(place),
            None => value.bits(),
        }
    }

    /// The number of different values on the heap.
    pub fn n_values(&self) -> usize {
        self.shared.shards.iter().map(|shard| lock(&shard.places).len()).sum()
    }

    /// The memory in use, in bytes: the used part of the heap and the interning table.
    pub fn memory_bytes(&self) -> usize {
        let tables: usize = self.shared.shards.iter().map(|shard| lock(&shard.places).capacity() * 5).sum();
        self.heap().used_bytes() + tables
    }

    /// The number of bytes to which the heap can grow.
    pub fn capacity_bytes(&self) -> usize {
        self.heap().capacity_bytes()
    }

    /// The sum of the hash terms of a record that holds `values`.
    #[inline]
    pub(crate) fn sum(&self, header: u32, values: impl Iterator<Item = Value>) -> u32 {
        values.enumerate().fold(hash::seed(header), |sum, (position, value)| {
            sum.wrapping_add(hash::term(position, self.hash(value)))
        })
    }

    /// Interns the record whose words are these values.
    #[inline]
    pub(crate) fn intern_iter<I>(&self, kind: Kind, length: usize, values: I) -> Value
    where
        I: Iterator<Item = Value> + Clone,
    {
        let header = header(kind, length);
        let sum = self.sum(header, values.clone());
        self.intern(header, length, sum, values.map(Value::bits))
    }

    pub(crate) fn intern_values(&self, kind: Kind, values: &[Value]) -> Value {
        self.intern_iter(kind, values.len(), values.iter().copied())
    }

    /// Interns the record whose words are these plain numbers.
    pub(crate) fn intern_raw<const N: usize>(&self, kind: Kind, words: [u32; N]) -> Value {
        let header = header(kind, N);
        let terms = words.iter().enumerate().map(|(position, word)| hash::term(position, *word));
        let sum = terms.fold(hash::seed(header), u32::wrapping_add);
        self.intern(header, N, sum, words.iter().copied())
    }

    /// Finds the record or adds it. The words are copied only if the record is new.
    #[inline]
    pub(crate) fn intern<I>(&self, header: u32, length: usize, sum: u32, words: I) -> Value
    where
        I: Iterator<Item = u32> + Clone,
    {
        let lazy = Kind::of(header).is_lazy();
        let recent = self.recent(sum);
        let place = recent.load(Ordering::Acquire);
        if place != 0 && self.heap().hash(place) == sum && self.heap().matches(place, header, words.clone()) {
            return Value::heap(place, lazy);
        }
        let place = self.intern_in_shard(header, length, sum, words);
        recent.store(place, Ordering::Release);
        Value::heap(place, lazy)
    }

    fn intern_in_shard<I>(&self, header: u32, length: usize, sum: u32, words: I) -> u32
    where
        I: Iterator<Item = u32> + Clone,
    {
        let key = hash::spread(sum);
        let mut places = lock(self.shard_of(key));
        let found = places.find(key, |place| self.heap().matches(*place, header, words.clone()));
        if let Some(place) = found {
            return *place;
        }
        let has_room = places.try_reserve(1, |place| hash::spread(self.heap().hash(*place))).is_ok();
        let place = if has_room { self.heap().allocate(&self.room, length) } else { None };
        let Some(place) = place else {
            drop(places);
            full()
        };
        self.heap().write(place, header, sum, words);
        places.insert_unique(key, place, |place| hash::spread(self.heap().hash(*place)));
        place
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic never leaves a table half changed. The only panic that we raise comes after the lock is released.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
