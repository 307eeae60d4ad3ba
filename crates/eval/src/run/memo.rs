//! Looks up the values of expensive expressions by the values that they depend on.
//!
//! Handles make this cheap: a key is a few 32-bit words. The table has a fixed size and overwrites old entries. If too
//! few lookups of an expression succeed, it is no longer looked up.

use std::sync::Arc;

use kilter_base::apart;
use kilter_value::Value;

use super::Worker;
use super::table::Table;
use crate::error::Eval;
use crate::node::{Binary, Memo};

const TABLE_BITS: u32 = 18;
/// After this many lookups an expression must have shown that the table pays.
const TRIAL: u32 = 4000;

/// Up to four values of 32 bits each.
type Key = [u64; 2];

#[derive(Clone, Copy, Default)]
struct Statistics {
    lookups: u32,
    hits: u32,
    off: bool,
}

pub(super) struct MemoTable {
    /// The table that all workers share.
    shared: Arc<Table<2>>,
    statistics: Vec<Statistics>,
}

impl MemoTable {
    pub(super) fn new(n_memos: u32, bytes_max: usize) -> Self {
        let size = if n_memos == 0 { 0 } else { Table::<2>::entries_within(1 << TABLE_BITS, bytes_max) };
        MemoTable {
            shared: Arc::new(Table::new(size)),
            statistics: apart(Statistics::default(), n_memos as usize),
        }
    }

    /// Makes the table of another worker. The two share their entries.
    pub(super) fn sibling(&self) -> Self {
        MemoTable {
            shared: Arc::clone(&self.shared),
            statistics: apart(Statistics::default(), self.statistics.len()),
        }
    }
}

/// The results of `\cup`, `\cap`, `\` and `\in`, by the handles of their operands.
pub(super) struct OperationTable {
    entries: Vec<[u32; 4]>,
}

const OPERATION_BITS: u32 = 15;
/// Stands for `\in` in the field that holds the operator in other entries.
const MEMBER: u32 = u32::MAX - 1;

impl OperationTable {
    pub(super) fn new() -> Self {
        OperationTable { entries: vec![[u32::MAX, 0, 0, 0]; 1 << OPERATION_BITS] }
    }

    pub(super) fn get(&self, op: Binary, a: Value, b: Value) -> Option<Value> {
        self.look_up(op as u32, a.bits(), b.bits()).map(Value::from_bits)
    }

    pub(super) fn put(&mut self, op: Binary, a: Value, b: Value, value: Value) {
        if a.as_transient().is_none() && b.as_transient().is_none() {
            self.store(op as u32, a.bits(), b.bits(), value.bits());
        }
    }

    /// Whether a value is in the constant set of a cell. `None` if that is not known.
    pub(super) fn get_member(&self, cell: u32, elem: Value) -> Option<bool> {
        self.look_up(MEMBER, cell, elem.bits()).map(|word| word == 1)
    }

    pub(super) fn put_member(&mut self, cell: u32, elem: Value, is_member: bool) {
        if elem.as_transient().is_none() {
            self.store(MEMBER, cell, elem.bits(), u32::from(is_member));
        }
    }

    fn look_up(&self, op: u32, a: u32, b: u32) -> Option<u32> {
        let [known_op, known_a, known_b, word] = self.entries[Self::place(op, a, b)];
        (known_op == op && known_a == a && known_b == b).then_some(word)
    }

    fn store(&mut self, op: u32, a: u32, b: u32, word: u32) {
        self.entries[Self::place(op, a, b)] = [op, a, b, word];
    }

    fn place(op: u32, a: u32, b: u32) -> usize {
        let key = u64::from(a) << 32 | u64::from(b);
        ((key ^ u64::from(op) << 20).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - OPERATION_BITS)) as usize
    }
}

impl Worker<'_> {
    pub(super) fn eval_memo(&mut self, memo: &Memo) -> Eval<Value> {
        if self.caches.memos.statistics[memo.number as usize].off {
            return self.eval(&memo.body);
        }
        let Some(key) = self.memo_key(memo) else { return self.eval(&memo.body) };
        let place = place(memo.number, key);
        let known = self.caches.memos.shared.get(place, memo.number, &key);
        let statistics = &mut self.caches.memos.statistics[memo.number as usize];
        statistics.lookups += 1;
        if let Some(known) = known {
            statistics.hits += 1;
            return Ok(Value::from_bits(known as u32));
        }
        if statistics.lookups >= TRIAL {
            statistics.off = statistics.hits < statistics.lookups / 4;
            *statistics = Statistics { off: statistics.off, ..Statistics::default() };
        }
        let value = self.eval(&memo.body)?;
        if value.as_transient().is_none() {
            self.caches.memos.shared.put(place, memo.number, &key, u64::from(value.bits()));
        }
        Ok(value)
    }

    /// The values that an expression depends on. `None` if one of them is a closure, which is different each time.
    fn memo_key(&self, memo: &Memo) -> Option<Key> {
        let slots = memo.slots.iter().map(|slot| self.frames.get(*slot));
        let vars = memo.vars.iter().map(|var| self.states.now[*var as usize]);
        let primed = memo.primed.iter().map(|var| self.states.next[*var as usize]);
        let mut words = [0; 4];
        for (word, value) in words.iter_mut().zip(slots.chain(vars).chain(primed)) {
            if value.as_transient().is_some() {
                return None;
            }
            *word = u64::from(value.bits());
        }
        Some([words[0] | words[1] << 32, words[2] | words[3] << 32])
    }
}

fn place(number: u32, [low, high]: Key) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut mixed = (low ^ u64::from(number).rotate_left(40)).wrapping_mul(MULTIPLIER);
    mixed = (mixed.rotate_left(29) ^ high).wrapping_mul(MULTIPLIER);
    (mixed >> (64 - TABLE_BITS)) as usize
}
