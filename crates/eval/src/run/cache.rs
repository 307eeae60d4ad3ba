//! Successors found again by what an action reads.

use kilter_value::Value;

use super::Worker;
use super::act::Rest;
use crate::error::Eval;
use crate::node::{ActionId, CachedAct};

const TABLE_BITS: u32 = 18;
/// After this many lookups an action must have shown that it pays.
const TRIAL: u32 = 4000;
/// When results take more words than this, all are forgotten.
const RESULTS_MAX: usize = 1 << 22;

#[derive(Clone, Copy)]
struct Entry {
    number: u32,
    key: [u32; 6],
    /// Where the results start, and how many successors there are.
    start: u32,
    n_successors: u32,
}

#[derive(Clone, Copy, Default)]
struct Statistics {
    lookups: u32,
    hits: u32,
    off: bool,
}

/// What actions did for given values of what they read.
pub(super) struct ActionCache {
    entries: Vec<Entry>,
    /// For each successor its action and the values of the variables that the action may change.
    results: Vec<u32>,
    statistics: Vec<Statistics>,
}

const FREE: Entry = Entry { number: u32::MAX, key: [0; 6], start: 0, n_successors: 0 };

impl ActionCache {
    pub(super) fn new(n_cached: u32) -> Self {
        let size = if n_cached == 0 { 0 } else { 1 << TABLE_BITS };
        ActionCache {
            entries: vec![FREE; size],
            results: Vec::new(),
            statistics: vec![Statistics::default(); n_cached as usize],
        }
    }
}

impl Worker<'_> {
    pub(super) fn run_cached<'a>(&mut self, cached: &'a CachedAct, rest: &Rest<'_, 'a>) -> Eval<bool> {
        let whole = matches!(rest, Rest::Done) && self.n_unassigned == self.next.len();
        if !whole || self.record || self.probing || self.actions.statistics[cached.number as usize].off {
            return self.run(&cached.body, rest);
        }
        let Some(key) = self.action_key(cached) else { return self.run(&cached.body, rest) };
        let place = place(cached.number, &key);
        let entry = self.actions.entries[place];
        let statistics = &mut self.actions.statistics[cached.number as usize];
        statistics.lookups += 1;
        if entry.number == cached.number && entry.key == key {
            statistics.hits += 1;
            self.replay(cached, entry);
            return Ok(true);
        }
        if statistics.lookups >= TRIAL {
            statistics.off = statistics.hits < statistics.lookups / 4;
            *statistics = Statistics { off: statistics.off, ..Statistics::default() };
        }
        let first = self.out.len();
        let result = self.run(&cached.body, rest)?;
        self.remember(cached, place, key, first);
        Ok(result)
    }

    fn action_key(&self, cached: &CachedAct) -> Option<[u32; 6]> {
        let slots = cached.slots.iter().map(|slot| self.get(*slot));
        let vars = cached.vars.iter().map(|var| self.now[*var as usize]);
        let mut key = [0; 6];
        for (word, value) in key.iter_mut().zip(slots.chain(vars)) {
            if value.as_transient().is_some() {
                return None;
            }
            *word = value.bits();
        }
        Some(key)
    }

    /// Emits the successors of an entry.
    fn replay(&mut self, cached: &CachedAct, entry: Entry) {
        let width = 1 + cached.writes.len();
        let start = entry.start as usize;
        for i in 0..entry.n_successors as usize {
            let words = &self.actions.results[start + i * width..start + (i + 1) * width];
            let action = (words[0] != u32::MAX).then_some(ActionId(words[0]));
            let changes =
                cached.writes.iter().zip(&words[1..]).map(|(var, bits)| (*var, Value::from_bits(*bits)));
            self.out.push_changed(&self.now, changes, action, self.store.empty_tuple());
        }
    }

    /// Keeps the successors from the `first`th on.
    fn remember(&mut self, cached: &CachedAct, place: usize, key: [u32; 6], first: usize) {
        if self.actions.results.len() > RESULTS_MAX {
            self.actions.results.clear();
            self.actions.entries.fill(FREE);
        }
        let start = self.actions.results.len() as u32;
        let n_vars = self.next.len();
        for (row, label) in self.out.iter(n_vars).skip(first) {
            self.actions.results.push(label.action.map_or(u32::MAX, |action| action.0));
            self.actions.results.extend(cached.writes.iter().map(|var| row[*var as usize].bits()));
        }
        let n_successors = (self.out.len() - first) as u32;
        self.actions.entries[place] = Entry { number: cached.number, key, start, n_successors };
    }
}

fn place(number: u32, key: &[u32; 6]) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut mixed = u64::from(number).wrapping_mul(MULTIPLIER);
    for pair in key.chunks_exact(2) {
        mixed =
            (mixed.rotate_left(25) ^ u64::from(pair[0]) ^ u64::from(pair[1]) << 32).wrapping_mul(MULTIPLIER);
    }
    (mixed >> (64 - TABLE_BITS)) as usize
}
