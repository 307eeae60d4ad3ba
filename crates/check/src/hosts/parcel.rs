//! Successors as bytes. A parcel is part of a conversation: source states travel as what differs from the one before,
//! successors as what differs from their source.

use kilter_value::{Garbled, Receiving, Sending, Store, Sweep, Swept, Value, put_number, take_number};

use super::fresh::{At, Way, When};
use super::owner::Changed;

/// The marks before the parts of a parcel. Numbers from `SUCCESSOR` on begin a successor, and say how many successors of
/// the source were left out since the one before.
const END: u64 = 0;
const SOURCE: u64 = 1;
const SUCCESSOR: u64 = 2;

/// Stands for the number of the source of initial states, which have none: all its values are unset.
const INITIAL: u32 = u32::MAX;

/// A state whose successors travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Source {
    /// Its place in its level.
    place: u32,
    /// Its number in the process that it belongs to.
    id: u32,
}

/// What both ends of a conversation know.
#[derive(Debug, Default)]
struct Context {
    source: Source,
    row: Vec<Value>,
    /// The index of the next successor of the source.
    next: u32,
}

/// One process's end of a conversation with another one: what it says.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    values: Sending,
    context: Context,
    is_open: bool,
    bytes: Vec<u8>,
}

/// The other end: what it hears.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    values: Receiving,
    context: Context,
    row: Vec<Value>,
}

impl Outgoing {
    /// Adds a successor. `source` is its source's row, and `id` its source's number here.
    pub(crate) fn push(&mut self, store: &Store, id: u32, source: &[Value], row: &[Value], way: Way) {
        let of = Source { place: way.when.parent(), id };
        if !self.is_open || self.context.source != of {
            self.begin(store, of, source);
        }
        let index = way.when.index();
        put_number(u64::from(index - self.context.next) + SUCCESSOR, &mut self.bytes);
        self.context.next = index + 1;
        put_number(u64::from(way.action.wrapping_add(1)), &mut self.bytes);
        self.put_changes(store, source, row);
    }

    fn begin(&mut self, store: &Store, of: Source, row: &[Value]) {
        self.is_open = true;
        put_number(SOURCE, &mut self.bytes);
        put_number(of.place.wrapping_sub(self.context.source.place).into(), &mut self.bytes);
        put_number(of.id.wrapping_sub(self.context.source.id).into(), &mut self.bytes);
        let before = std::mem::take(&mut self.context.row);
        let none = vec![Value::UNSET; row.len()];
        self.put_changes(store, if before.is_empty() { &none } else { &before }, row);
        self.context = Context { source: of, row: row.to_vec(), next: 0 };
    }

    fn put_changes(&mut self, store: &Store, from: &[Value], to: &[Value]) {
        for (from, to) in from.chunks(8).zip(to.chunks(8)) {
            let mask =
                from.iter().zip(to).rev().fold(0, |mask: u8, (from, to)| mask << 1 | u8::from(from != to));
            self.bytes.push(mask);
        }
        for (_, value) in from.iter().zip(to).filter(|(from, to)| from != to) {
            self.values.put(*value, store, &mut self.bytes);
        }
    }

    /// The values that it needs. What it only remembers to be short may be dropped.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.context.row.iter()
    }

    /// Takes down where its values are now.
    pub(crate) fn moved(&mut self, swept: &Swept) {
        self.values.forget(swept);
        self.context.moved(swept);
    }

    /// Appends what has been added since the last time, with its end.
    pub(crate) fn finish(&mut self, parcel: &mut Vec<u8>) {
        parcel.append(&mut self.bytes);
        put_number(END, parcel);
        self.is_open = false;
    }

    /// Appends a row that belongs to no source.
    pub(crate) fn put_row(&mut self, store: &Store, row: &[Value], parcel: &mut Vec<u8>) {
        for value in row {
            self.values.put(*value, store, parcel);
        }
    }
}

impl Context {
    fn moved(&mut self, swept: &Swept) {
        for value in &mut self.row {
            *value = swept.now(*value).unwrap_or(*value);
        }
    }
}

impl Incoming {
    /// Keeps the values that it needs.
    pub(crate) fn keep(&self, sweep: &mut Sweep<'_>) {
        self.values.keep(sweep);
        self.context.row.iter().for_each(|value| sweep.keep(*value));
    }

    /// Takes down where its values are now.
    pub(crate) fn moved(&mut self, swept: &Swept) {
        self.values.moved(swept);
        self.context.moved(swept);
    }

    /// Reads a parcel of the process `process`, and passes each successor on.
    pub(crate) fn read(
        &mut self,
        store: &Store,
        process: usize,
        n_vars: usize,
        bytes: &mut &[u8],
        mut take: impl FnMut(&[Value], Way),
    ) -> Result<(), Garbled> {
        loop {
            match take_number(bytes)? {
                END => return Ok(()),
                SOURCE => self.begin(store, n_vars, bytes)?,
                mark => {
                    if self.context.row.is_empty() {
                        return Err(Garbled);
                    }
                    let index = self.context.next.wrapping_add((mark - SUCCESSOR) as u32);
                    self.context.next = index.wrapping_add(1);
                    let action = (take_number(bytes)? as u32).wrapping_sub(1);
                    let mut row = std::mem::take(&mut self.row);
                    row.clear();
                    row.extend_from_slice(&self.context.row);
                    let changed = self.take_changes(store, &mut row, bytes)?;
                    let Source { place, id } = self.context.source;
                    let from = (id != INITIAL).then_some(At { process: process as u8, id });
                    take(&row, Way { when: When::new(place, index), from, action, changed });
                    self.row = row;
                }
            }
        }
    }

    fn begin(&mut self, store: &Store, n_vars: usize, bytes: &mut &[u8]) -> Result<(), Garbled> {
        let place = self.context.source.place.wrapping_add(take_number(bytes)? as u32);
        let id = self.context.source.id.wrapping_add(take_number(bytes)? as u32);
        let mut row = std::mem::take(&mut self.context.row);
        row.resize(n_vars, Value::UNSET);
        self.take_changes(store, &mut row, bytes)?;
        self.context = Context { source: Source { place, id }, row, next: 0 };
        Ok(())
    }

    fn take_changes(
        &mut self,
        store: &Store,
        row: &mut [Value],
        bytes: &mut &[u8],
    ) -> Result<Changed, Garbled> {
        let n_masks = row.len().div_ceil(8);
        let (masks, rest) = bytes.split_at_checked(n_masks).ok_or(Garbled)?;
        *bytes = rest;
        let mut changed = Changed(0);
        for (var, value) in row.iter_mut().enumerate() {
            if masks[var / 8] >> (var % 8) & 1 == 1 {
                changed.0 |= 1 << var.min(63);
                *value = self.values.take(store, bytes)?;
            }
        }
        Ok(changed)
    }

    /// Takes a row that belongs to no source.
    pub(crate) fn take_row(
        &mut self,
        store: &Store,
        n_vars: usize,
        bytes: &mut &[u8],
    ) -> Result<Vec<Value>, Garbled> {
        (0..n_vars).map(|_| self.values.take(store, bytes)).collect()
    }
}
