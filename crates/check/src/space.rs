//! The states found so far, as rows of handles, and a table to look them up. Equal handles mean equal values, so
//! comparing rows compares states exactly.
//!
//! In a search on disk, only the newest states are here. The older ones are in [`Cold`].

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use kilter_base::pages;
use kilter_value::Value;

use crate::disk::cold::{Cold, Recall, Record};

/// States by number, in the order they were found.
pub(crate) struct Space {
    n_vars: usize,
    /// The first state that is in memory. 0 in a search that is not on disk.
    base: u32,
    /// The values of all states from `base` on, one state after the other.
    rows: Vec<Value>,
    /// What identifies each state, and its length. `None` if the state itself does.
    keys: Option<(usize, Vec<Value>)>,
    /// The state from which each state was first reached. An initial state is its own parent.
    parents: Vec<u32>,
    table: Table,
    cold: Option<Cold>,
}

impl Space {
    /// Makes an empty space. `key_width` is the number of values that identify a state, or `None` if the state itself
    /// does.
    pub(crate) fn new(n_vars: usize, key_width: Option<usize>) -> Self {
        Space {
            n_vars,
            base: 0,
            rows: Vec::new(),
            keys: key_width.map(|width| (width, Vec::new())),
            parents: Vec::new(),
            table: Table::new(),
            cold: None,
        }
    }

    /// Makes an empty space whose older states may go to disk.
    pub(crate) fn on(cold: Cold, n_vars: usize, key_width: Option<usize>) -> Self {
        Space { cold: Some(cold), ..Space::new(n_vars, key_width) }
    }

    pub(crate) fn len(&self) -> u32 {
        self.base + self.parents.len() as u32
    }

    /// The number of states in memory.
    pub(crate) fn n_hot(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The row of a state in memory, or of one that [`Space::hold`] keeps at hand.
    #[inline]
    pub(crate) fn row(&self, id: u32) -> &[Value] {
        match id.checked_sub(self.base) {
            Some(at) => {
                let start = at as usize * self.n_vars;
                &self.rows[start..start + self.n_vars]
            }
            None => self.held_row(id),
        }
    }

    #[cold]
    fn held_row(&self, id: u32) -> &[Value] {
        self.cold.as_ref().map_or(&[], |cold| cold.held_row(id))
    }

    /// The row of any state.
    pub(crate) fn any_row(&self, id: u32) -> Cow<'_, [Value]> {
        match &self.cold {
            Some(_) if id < self.base => Cow::Owned(self.read(id).1),
            _ => Cow::Borrowed(self.row(id)),
        }
    }

    /// The parent and the row of a state on disk. If it can't be read, the search has [`Space::trouble`].
    fn read(&self, id: u32) -> (u32, Vec<Value>) {
        let read = self.cold.as_ref().and_then(|cold| cold.read(id));
        read.unwrap_or_else(|| (id, vec![Value::UNSET; self.n_vars]))
    }

    /// The parent of a state in memory.
    pub(crate) fn parent(&self, id: u32) -> u32 {
        self.parents[(id - self.base) as usize]
    }

    /// The parent of any state.
    pub(crate) fn any_parent(&self, id: u32) -> u32 {
        if id < self.base { self.read(id).0 } else { self.parent(id) }
    }

    /// The states from an initial state to this one, both included.
    pub(crate) fn way_to(&self, id: u32) -> Vec<Vec<Value>> {
        let mut way = Vec::new();
        let mut id = id;
        loop {
            let (parent, row) =
                if id < self.base { self.read(id) } else { (self.parent(id), self.row(id).to_vec()) };
            way.push(row);
            if parent == id {
                break;
            }
            id = parent;
        }
        way.reverse();
        way
    }

    /// Whether all states from an initial state to this one can be read.
    pub(crate) fn has_way_to(&self, id: u32) -> bool {
        self.trouble().is_none() || !self.way_to(id).iter().any(|row| row.contains(&Value::UNSET))
    }

    fn key(&self, id: u32) -> &[Value] {
        let at = (id - self.base) as usize;
        match &self.keys {
            None => &self.rows[at * self.n_vars..(at + 1) * self.n_vars],
            Some((width, keys)) => &keys[at * width..(at + 1) * width],
        }
    }

    /// The number of the state in memory that `key` identifies.
    pub(crate) fn find(&self, key: &[Value], hash: u32) -> Option<u32> {
        self.table.find(hash, |id| self.key(id) == key)
    }

    /// Adds a state that is not there yet. [`Space::try_reserve`] must have made room for it.
    pub(crate) fn add(&mut self, row: &[Value], key: &[Value], hash: u32, parent: Option<u32>) -> u32 {
        let id = self.len();
        self.rows.extend_from_slice(row);
        if let Some((_, keys)) = &mut self.keys {
            keys.extend_from_slice(key);
        }
        self.parents.push(parent.unwrap_or(id));
        self.table.insert(hash, id);
        id
    }

    /// Writes the values of all states from `first` on anew. The states must be in memory and identify themselves.
    pub(crate) fn rewrite(&mut self, first: u32, rewrite: &mut impl FnMut(&mut Value)) {
        let start = (first - self.base) as usize * self.n_vars;
        let mut is_changed = false;
        for value in &mut self.rows[start..] {
            let before = *value;
            rewrite(value);
            is_changed |= *value != before;
        }
        if is_changed {
            let rows = self.rows.chunks_exact(self.n_vars.max(1));
            self.table.refill((self.base..).zip(rows).map(|(id, row)| (hash_row(row), id)));
        }
    }

    /// Makes room for more states. Returns `false` if there is no memory for them.
    pub(crate) fn try_reserve(&mut self, n_more: usize) -> bool {
        let keys = match &mut self.keys {
            Some((width, keys)) => keys.try_reserve(n_more * *width).is_ok(),
            None => true,
        };
        let room = self.rows.capacity();
        let rows = self.rows.try_reserve(n_more * self.n_vars).is_ok();
        if self.rows.capacity() != room {
            pages::prefer_large_for(&self.rows);
        }
        keys && rows && self.parents.try_reserve(n_more).is_ok() && self.table.try_reserve(n_more)
    }

    /// What the arrays need in addition to hold `n_more` states: bytes that are written at once, and bytes of
    /// addresses. In a search on disk, there must also be room for what is needed while states leave.
    pub(crate) fn growth(&self, n_more: usize) -> (u64, u64) {
        let table = self.table.growth_bytes(n_more);
        let keys = self.keys.as_ref().map_or(0, |(width, keys)| grown(keys, n_more * width));
        let rows = grown(&self.rows, n_more * self.n_vars);
        // The old table is freed by then.
        let freed = if table > 0 { self.table.bytes() } else { 0 };
        let written = table.max((table + self.leaving_bytes()).saturating_sub(freed));
        (written, written + keys + rows + grown(&self.parents, n_more))
    }

    /// What is needed while half of the states leave: their entries, a filter, and a table for the others.
    fn leaving_bytes(&self) -> u64 {
        let half = self.n_hot().div_ceil(2);
        match &self.cold {
            Some(_) => {
                Cold::bytes_to_leave(half) + SLOT_BYTES * Table::slots_for(SLOTS_MIN, half as usize) as u64
            }
            None => 0,
        }
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let keys = self.keys.as_ref().map_or(0, |(_, keys)| keys.capacity());
        let cold = self.cold.as_ref().map_or(0, Cold::memory_bytes);
        (4 * (self.rows.capacity() + keys + self.parents.capacity())) as u64 + self.table.bytes() + cold
    }

    /// The memory of the table and of the parents.
    pub(crate) fn table_bytes(&self) -> u64 {
        self.table.bytes() + 4 * self.parents.capacity() as u64
    }

    /// Frees everything but the rows.
    pub(crate) fn into_rows(self) -> Vec<Value> {
        self.rows
    }
}

/// States on disk.
impl Space {
    pub(crate) fn cold(&self) -> Option<&Cold> {
        self.cold.as_ref()
    }

    pub(crate) fn cold_mut(&mut self) -> Option<&mut Cold> {
        self.cold.as_mut()
    }

    /// The error after which nothing on disk counts any more.
    pub(crate) fn trouble(&self) -> Option<&io::Error> {
        self.cold.as_ref().and_then(Cold::trouble)
    }

    /// Writes all states below `end` that are not written yet.
    pub(crate) fn write(&mut self, end: u32) {
        let Some(mut cold) = self.cold.take() else { return };
        let records = (cold.n_written()..end).map(|id| Record {
            parent: self.parent(id),
            row: self.row(id),
            key: self.keys.is_some().then(|| self.key(id)),
        });
        let written = cold.write(records);
        cold.noted(written);
        self.cold = Some(cold);
    }

    /// Moves the oldest `n` states out of memory.
    pub(crate) fn evict(&mut self, n: u32) {
        let base = self.base + n;
        self.write(base);
        let Some(cold) = self.cold.as_mut().filter(|cold| cold.trouble().is_none()) else { return };
        let (mut old, table) = self.table.split(base);
        old.sort_unstable();
        let added = cold.add(&old);
        if cold.noted(added).is_none() {
            return;
        }
        self.table = table;
        let n = n as usize;
        let free = |vector: &mut Vec<Value>, width: usize| {
            vector.drain(..n * width);
            vector.shrink_to_fit();
        };
        free(&mut self.rows, self.n_vars);
        if let Some((width, keys)) = &mut self.keys {
            free(keys, *width);
        }
        self.parents.drain(..n);
        self.parents.shrink_to_fit();
        self.base = base;
    }

    /// Keeps the rows of a block at hand that is not in memory any more.
    pub(crate) fn hold(&mut self, block: Range<u32>) {
        let end = block.end.min(self.base);
        if let Some(cold) = self.cold.as_mut().filter(|_| block.start < end) {
            let held = cold.hold(block.start..end);
            cold.noted(held);
        }
    }

    /// Looks up candidates among the states on disk, by their hashes in `recall`. Returns the indices of those that are
    /// known, in order, with their numbers.
    pub(crate) fn recall<'k>(
        &self,
        recall: &mut Recall,
        key: impl Fn(usize) -> &'k [Value],
    ) -> Vec<(u32, u32)> {
        self.cold.as_ref().map_or_else(Vec::new, |cold| cold.recall(recall, key))
    }

    /// Whether some states are not in memory.
    pub(crate) fn is_cold(&self) -> bool {
        self.base > 0
    }
}

/// The size in bytes of a vector after it has grown by `n_more`. 0 if it need not grow.
fn grown<T>(vector: &Vec<T>, n_more: usize) -> u64 {
    if vector.capacity() - vector.len() >= n_more {
        return 0;
    }
    ((vector.len() + n_more).max(vector.capacity() * 2) * size_of::<T>()) as u64
}

/// Hashes a row of handles.
pub(crate) fn hash_row(row: &[Value]) -> u32 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = 0x51_7C_C1_B7_27_22_0A_95u64;
    for value in row {
        hash = (hash ^ u64::from(value.bits())).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 29;
    }
    (hash.wrapping_mul(MULTIPLIER) >> 32) as u32
}

/// The slots of an empty table.
const SLOTS_MIN: usize = 1 << 12;
const SLOT_BYTES: u64 = size_of::<u64>() as u64;

/// An open-addressing table of pairs of a hash and a number. A free slot is 0.
pub(crate) struct Table {
    slots: Vec<u64>,
    n_used: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        Table { slots: vec![0; SLOTS_MIN], n_used: 0 }
    }

    pub(crate) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == hash && same(slot as u32 - 1) {
                return Some(slot as u32 - 1);
            }
            place = (place + 1) & mask;
        }
    }

    /// The memory of its slots.
    fn bytes(&self) -> u64 {
        SLOT_BYTES * self.slots.len() as u64
    }

    /// The number of slots that `n` entries need, at least `n_slots`.
    fn slots_for(mut n_slots: usize, n: usize) -> usize {
        while n * 10 >= n_slots * 6 {
            n_slots *= 2;
        }
        n_slots
    }

    /// The size in bytes of the larger table that `n_more` entries need. 0 if they fit.
    fn growth_bytes(&self, n_more: usize) -> u64 {
        let n_slots = Self::slots_for(self.slots.len(), self.n_used + n_more);
        if n_slots == self.slots.len() { 0 } else { SLOT_BYTES * n_slots as u64 }
    }

    /// Makes room for more entries. Returns `false` if there is no memory for them.
    pub(crate) fn try_reserve(&mut self, n_more: usize) -> bool {
        let n_slots = Self::slots_for(self.slots.len(), self.n_used + n_more);
        n_slots == self.slots.len() || self.grow(n_slots)
    }

    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        Self::put(&mut self.slots, u64::from(hash) << 32 | (u64::from(id) + 1));
        self.n_used += 1;
    }

    /// Replaces all entries by as many others.
    pub(crate) fn refill(&mut self, entries: impl Iterator<Item = (u32, u32)>) {
        self.slots.fill(0);
        self.n_used = 0;
        entries.for_each(|(hash, id)| self.insert(hash, id));
    }

    fn put(slots: &mut [u64], entry: u64) {
        let mask = slots.len() - 1;
        let mut place = (entry >> 32) as usize & mask;
        while slots[place] != 0 {
            place = (place + 1) & mask;
        }
        slots[place] = entry;
    }

    /// The entries of the states below `base`, in no order, and a table with the others.
    fn split(&self, base: u32) -> (Vec<u64>, Table) {
        let (mut old, mut table) = (Vec::new(), Table::new());
        let is_old = |entry: u64| (entry as u32) <= base;
        let n_kept = self.slots.iter().filter(|entry| **entry != 0 && !is_old(**entry)).count();
        old.reserve_exact(self.n_used - n_kept);
        table.slots = vec![0; Self::slots_for(SLOTS_MIN, n_kept)];
        for entry in self.slots.iter().filter(|entry| **entry != 0) {
            if is_old(*entry) { old.push(*entry) } else { Self::put(&mut table.slots, *entry) }
        }
        table.n_used = n_kept;
        (old, table)
    }

    fn grow(&mut self, n_slots: usize) -> bool {
        let mut slots = Vec::new();
        if slots.try_reserve_exact(n_slots).is_err() {
            return false;
        }
        pages::prefer_large_for(&slots);
        slots.resize(n_slots, 0);
        for entry in self.slots.iter().filter(|entry| **entry != 0) {
            Self::put(&mut slots, *entry);
        }
        self.slots = slots;
        true
    }
}
