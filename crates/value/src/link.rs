//! Values as bytes for another process that has the same names, and back.
//!
//! Most states that follow each other consist of the same values. So both ends of a link keep a small table of values
//! that went over it lately. A value in the table travels as its slot, any other one as what it is made of, and then it
//! is in the table at both ends: they change their tables in the same order. A table has a fixed size, so a link takes
//! the same memory however long it is used.
//!
//! A handle means nothing to the other process, and neither does its place on the heap. Slots are chosen by the content.

use crate::handle::Value;
use crate::heap::Kind;
use crate::store::Store;
use crate::sweep::{Sweep, Swept};
use crate::view::View;

/// The number of values in a table. A power of two.
const SLOTS: usize = 1 << 15;

const SLOT: u64 = 0;
const INT: u64 = 1;
const ATOM: u64 = 2;
const MADE: u64 = 3;

/// The bits of an immediate value that is no integer, without the one that all of these have in common.
const ATOM_BITS: u32 = (1 << 30) - 1;
/// That one.
const IMMEDIATE: u32 = 1 << 31;

/// The end of a link that values leave from.
#[derive(Debug)]
pub struct Sending {
    slots: Box<[u32]>,
}

/// The end of a link at which values arrive.
#[derive(Debug)]
pub struct Receiving {
    slots: Box<[u32]>,
}

/// The bytes are not what the other end of a link has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbled;

impl Default for Sending {
    fn default() -> Self {
        Sending { slots: vec![0; SLOTS].into() }
    }
}

impl Default for Receiving {
    fn default() -> Self {
        Receiving { slots: vec![0; SLOTS].into() }
    }
}

impl Sending {
    /// Forgets the values that a sweep has dropped. They travel as a whole the next time.
    pub fn forget(&mut self, swept: &Swept) {
        for bits in self.slots.iter_mut().filter(|bits| **bits != 0) {
            *bits = swept.now(Value::from_bits(*bits)).map_or(0, Value::bits);
        }
    }

    /// Appends the bytes of a canonical value.
    pub fn put(&mut self, value: Value, store: &Store, bytes: &mut Vec<u8>) {
        let Some(place) = value.as_heap() else {
            return match value.as_small_int() {
                Some(number) => put_number(tagged(zigzag(number), INT), bytes),
                None => put_number(tagged(value.bits() & ATOM_BITS, ATOM), bytes),
            };
        };
        let slot = slot_of(store.hash(value));
        if self.slots[slot] == value.bits() {
            return put_number(tagged(slot as u32, SLOT), bytes);
        }
        put_number(tagged(slot as u32, MADE), bytes);
        self.put_parts(value, place, store, bytes);
        self.slots[slot] = value.bits();
    }

    fn put_parts(&mut self, value: Value, place: u32, store: &Store, bytes: &mut Vec<u8>) {
        let mut put_all = |kind: Kind, parts: &mut dyn ExactSizeIterator<Item = Value>| {
            bytes.push(kind as u8);
            put_number(parts.len() as u64, bytes);
            parts.for_each(|part| self.put(part, store, bytes));
        };
        match store.view(value) {
            View::Int(number) => {
                bytes.push(Kind::Int as u8);
                put_number(zigzag(number).into(), bytes);
            }
            View::Interval { lo, hi } => {
                bytes.push(Kind::Interval as u8);
                put_number(zigzag(lo).into(), bytes);
                put_number(zigzag(hi).into(), bytes);
            }
            // A long sequence travels without its chunks, which the other end makes again.
            View::Tuple(elems) => put_all(Kind::Tuple, &mut elems.to_vec().into_iter()),
            _ => put_all(Kind::of(store.heap().header(place)), &mut store.words(place).iter()),
        }
    }
}

impl Receiving {
    /// Keeps what the other end may name.
    pub fn keep(&self, sweep: &mut Sweep<'_>) {
        self.slots.iter().filter(|bits| **bits != 0).for_each(|bits| sweep.keep(Value::from_bits(*bits)));
    }

    /// Takes down where these values are now.
    pub fn moved(&mut self, swept: &Swept) {
        for bits in self.slots.iter_mut().filter(|bits| **bits != 0) {
            *bits = swept.now(Value::from_bits(*bits)).map_or(0, Value::bits);
        }
    }

    /// Takes a value off the front of `bytes`.
    pub fn take(&mut self, store: &Store, bytes: &mut &[u8]) -> Result<Value, Garbled> {
        let tagged = take_number(bytes)?;
        let number = u32::try_from(tagged >> 2).map_err(|_| Garbled)?;
        match tagged & 3 {
            SLOT => match self.slots.get(number as usize) {
                Some(bits) if *bits != 0 => Ok(Value::from_bits(*bits)),
                _ => Err(Garbled),
            },
            INT => Value::small_int(unzigzag(number)).ok_or(Garbled),
            ATOM => {
                let value = Value::from_bits(IMMEDIATE | number & ATOM_BITS);
                let is_known = |number: Option<u32>| number.is_none_or(|number| number < store.n_names());
                let is_whole = is_known(value.as_string_number()) && is_known(value.as_model_number());
                if is_whole { Ok(value) } else { Err(Garbled) }
            }
            _ => {
                let value = self.take_parts(store, bytes)?;
                *self.slots.get_mut(number as usize).ok_or(Garbled)? = value.bits();
                Ok(value)
            }
        }
    }

    fn take_parts(&mut self, store: &Store, bytes: &mut &[u8]) -> Result<Value, Garbled> {
        let (kind, rest) = bytes.split_first().ok_or(Garbled)?;
        *bytes = rest;
        let mut integer = || take_integer(bytes);
        match KINDS.get(*kind as usize).ok_or(Garbled)? {
            Kind::Int => Ok(store.int(integer()?)),
            Kind::Interval => Ok(store.interval(integer()?, integer()?)),
            kind => {
                let n_parts = usize::try_from(take_number(bytes)?).map_err(|_| Garbled)?;
                // Each part has a byte at least, so garbled bytes reserve no more than they are.
                let mut parts = Vec::with_capacity(n_parts.min(bytes.len()));
                for _ in 0..n_parts {
                    parts.push(self.take(store, bytes)?);
                }
                Ok(if *kind == Kind::Tuple {
                    store.tuple(&parts)
                } else {
                    store.intern_values(*kind, &parts)
                })
            }
        }
    }
}

/// The kinds by number. Long sequences do not travel as such.
const KINDS: [Kind; 14] = [
    Kind::Int,
    Kind::Interval,
    Kind::Set,
    Kind::Tuple,
    Kind::Record,
    Kind::Function,
    Kind::Powerset,
    Kind::FunctionSet,
    Kind::RecordSet,
    Kind::Product,
    Kind::SeqSet,
    Kind::Cup,
    Kind::Cap,
    Kind::Diff,
];

fn slot_of(hash: u32) -> usize {
    (hash.wrapping_mul(0x9E37_79B1) >> 16) as usize % SLOTS
}

fn tagged(number: u32, tag: u64) -> u64 {
    u64::from(number) << 2 | tag
}

fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

fn take_integer(bytes: &mut &[u8]) -> Result<i32, Garbled> {
    let number = u32::try_from(take_number(bytes)?).map_err(|_| Garbled)?;
    Ok(unzigzag(number))
}

/// Appends a number, in as many bytes as it has groups of seven bits.
#[inline]
pub fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front of `bytes`.
#[inline]
pub fn take_number(bytes: &mut &[u8]) -> Result<u64, Garbled> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(Garbled)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Garbled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A value of any kind that a state can have.
    fn value(store: &Store, seed: u32, depth: u32) -> Value {
        let part = |n: u32| value(store, seed.wrapping_mul(31).wrapping_add(n), depth.saturating_sub(1));
        match (depth, seed % 11) {
            (_, 0) => Value::bool(seed & 16 == 0),
            (_, 1) => store.int((seed >> 4) as i32 - 100),
            (_, 2) => store.int(i32::MIN + (seed >> 8) as i32),
            (0, _) | (_, 3) => store.string(["a", "b", "c"][(seed >> 4) as usize % 3]),
            (_, 4) => store.model_value("m"),
            (_, 5) => store.interval(-3, (seed >> 6) as i32 % 9),
            (_, 6) => store.tuple(&[part(1), part(2), part(3)]),
            (_, 7) => {
                let mut numbers = vec![store.int(7), store.int((seed >> 5) as i32), store.int(-1)];
                store.set(&mut numbers).expect("integers can be compared")
            }
            (_, 8) => {
                let mut fields = vec![(store.string("a"), part(4)), (store.string("c"), part(5))];
                store.record(&mut fields)
            }
            (_, 9) => store.function(store.interval(2, 3), &[part(6), part(7)]),
            _ => {
                let elems: Vec<Value> =
                    (0..300 + seed % 50).map(|n| store.int((n ^ seed) as i32 >> 8)).collect();
                store.tuple(&elems)
            }
        }
    }

    fn named() -> Store {
        let store = Store::new();
        for name in ["c", "a", "b"] {
            store.string(name);
        }
        store.model_value("m");
        store
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn values_arrive_as_they_left(seeds in prop::collection::vec(any::<u32>(), 1..200)) {
            let (here, there) = (named(), named());
            // The other process has made other values before.
            there.tuple(&[there.int(1), there.int(2)]);
            let (mut sending, mut receiving) = (Sending::default(), Receiving::default());
            let (mut back, mut home) = (Sending::default(), Receiving::default());
            let mut bytes = Vec::new();
            let sent: Vec<Value> = seeds.iter().map(|seed| value(&here, *seed, 3)).collect();
            for value in sent.iter().chain(&sent) {
                sending.put(*value, &here, &mut bytes);
            }
            let mut rest = bytes.as_slice();
            let mut returned = Vec::new();
            let mut arrived = Vec::new();
            for value in sent.iter().chain(&sent) {
                let image = receiving.take(&there, &mut rest).expect("it was written so");
                prop_assert_eq!(there.hash(image), here.hash(*value));
                prop_assert_eq!(there.show(image), here.show(*value));
                back.put(image, &there, &mut returned);
                arrived.push(image);
            }
            prop_assert!(rest.is_empty());
            let mut rest = returned.as_slice();
            for value in sent.iter().chain(&sent) {
                prop_assert_eq!(home.take(&here, &mut rest), Ok(*value));
            }
        }

        #[test]
        fn garbled_bytes_are_told(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let store = named();
            let mut receiving = Receiving::default();
            let mut rest = bytes.as_slice();
            while !rest.is_empty() && receiving.take(&store, &mut rest).is_ok() {}
        }

        #[test]
        fn numbers_arrive_as_they_left(number: u64) {
            let mut bytes = Vec::new();
            put_number(number, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(take_number(&mut rest), Ok(number));
            prop_assert!(rest.is_empty());
        }
    }

    #[test]
    fn what_went_over_a_link_lately_is_short() {
        let store = named();
        let (mut sending, mut bytes) = (Sending::default(), Vec::new());
        let value = value(&store, 6, 3);
        sending.put(value, &store, &mut bytes);
        let first = bytes.len();
        sending.put(value, &store, &mut bytes);
        assert!(bytes.len() - first <= 3, "{} bytes after {first}", bytes.len() - first);
    }
}
