//! Looks up the successors of actions by what the actions read.

use std::sync::Arc;

use kilter_base::apart;
use kilter_value::Value;

use super::Worker;
use super::act::Rest;
use super::table::{Ring, Room, Table};
use crate::error::Eval;
use crate::node::{ActionId, CachedAct};

const TABLE_BITS: u32 = 18;
/// After this many lookups the table is switched off for an action unless a quarter of them succeeded.
const TRIAL: u32 = 4000;
/// The ring of results has two to the power of this many words.
const RESULT_BITS: u32 = 22;

#[derive(Clone, Copy, Default)]
struct Statistics {
    /// The number of times that the first guards did not hold.
    refusals: u32,
    lookups: u32,
    hits: u32,
    /// Whether the first guards hold so often that the action is looked up without evaluating them.
    unguarded: bool,
    off: bool,
}

/// Up to six values of 32 bits each.
type Key = [u64; 3];

/// The part of the cache that all workers share.
struct Shared {
    table: Table<3>,
    /// For each entry: the number of its successors; then for each successor its action, and the values of the
    /// variables that the action may change.
    results: Ring,
}

/// The successors of actions, by the values that the actions read.
pub(super) struct ActionCache {
    shared: Arc<Shared>,
    /// The piece of the ring that this worker writes to.
    room: Room,
    statistics: Vec<Statistics>,
}

impl ActionCache {
    pub(super) fn new(n_cached: u32, bytes_max: usize) -> Self {
        let entries = Table::<3>::entries_within(1 << TABLE_BITS, bytes_max / 4);
        let result_bits = Ring::bits_within(RESULT_BITS, bytes_max / 2);
        let (entries, result_bits) = if n_cached == 0 { (0, 0) } else { (entries, result_bits) };
        ActionCache {
            shared: Arc::new(Shared { table: Table::new(entries), results: Ring::new(result_bits) }),
            room: Room::default(),
            statistics: apart(Statistics::default(), n_cached as usize),
        }
    }

    /// Makes the cache of another worker, which shares the table.
    pub(super) fn sibling(&self) -> Self {
        ActionCache {
            shared: Arc::clone(&self.shared),
            room: Room::default(),
            statistics: apart(Statistics::default(), self.statistics.len()),
        }
    }
}

impl Worker<'_> {
    pub(super) fn run_cached<'a>(&mut self, cached: &'a CachedAct, rest: &Rest<'_, 'a>) -> Eval<bool> {
        let whole = matches!(rest, Rest::Done) && self.states.n_unassigned == self.states.next.len();
        if !whole
            || self.finding.record
            || self.finding.probing
            || self.caches.actions.statistics[cached.number as usize].off
        {
            return self.run(&cached.body, rest);
        }
        if (cached.guards_decide || !self.caches.actions.statistics[cached.number as usize].unguarded)
            && !self.guards_hold(cached)?
        {
            self.caches.actions.statistics[cached.number as usize].refusals += 1;
            return Ok(true);
        }
        let Some(key) = self.action_key(cached) else { return self.run(&cached.body, rest) };
        let place = place(cached.number, &key);
        self.caches.actions.statistics[cached.number as usize].lookups += 1;
        let known = self.caches.actions.shared.table.get(place, cached.number, &key);
        if known.is_some_and(|start| self.replay(cached, start)) {
            self.caches.actions.statistics[cached.number as usize].hits += 1;
            return Ok(true);
        }
        let statistics = &mut self.caches.actions.statistics[cached.number as usize];
        if statistics.lookups >= TRIAL {
            let off = statistics.hits < statistics.lookups / 4;
            let unguarded = statistics.refusals < statistics.lookups;
            *statistics = Statistics { unguarded, off, ..Statistics::default() };
        }
        let first = self.finding.out.len();
        let result = self.run(&cached.body, rest)?;
        self.remember(cached, place, key, first);
        Ok(result)
    }

    fn guards_hold(&mut self, cached: &CachedAct) -> Eval<bool> {
        for guard in cached.body.first_guards().take(cached.n_guards) {
            if !self.condition(guard, "a conjunct of an action")? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn action_key(&self, cached: &CachedAct) -> Option<Key> {
        let slots = cached.slots.iter().map(|slot| self.frames.get(*slot));
        let vars = cached.vars.iter().map(|var| self.states.now[*var as usize]);
        let mut words = [0; 6];
        for (word, value) in words.iter_mut().zip(slots.chain(vars)) {
            if value.as_transient().is_some() {
                return None;
            }
            *word = u64::from(value.bits());
        }
        Some([words[0] | words[1] << 32, words[2] | words[3] << 32, words[4] | words[5] << 32])
    }

    /// Emits the successors of an entry. Returns `false`, and emits none, if the ring has overwritten them.
    fn replay(&mut self, cached: &CachedAct, start: u64) -> bool {
        let results = &self.caches.actions.shared.results;
        let Some(n_successors) = results.get(start, 0) else { return false };
        let first = self.finding.out.len();
        let mut kept = true;
        let mut at = 1;
        for _ in 0..n_successors {
            let action = results.get(start, at);
            kept &= action.is_some();
            let action = action.filter(|action| *action != u32::MAX).map(ActionId);
            let changes = (at + 1..).zip(&cached.writes).map(|(at, var)| {
                let value = results.get(start, at);
                kept &= value.is_some();
                (*var, value.map_or(Value::UNSET, Value::from_bits))
            });
            self.finding.out.push_changed(&self.states.now, changes, action, self.store.empty_tuple());
            at += 1 + cached.writes.len();
        }
        if !kept {
            self.finding.out.truncate(first, self.states.now.len());
        }
        kept
    }

    /// Stores the successors from index `first` on.
    fn remember(&mut self, cached: &CachedAct, place: usize, key: Key, first: usize) {
        let n_successors = self.finding.out.len() - first;
        let successors =
            self.finding.out.iter(self.states.next.len()).skip(first).flat_map(|(row, label)| {
                let action = label.action.map_or(u32::MAX, |action| action.0);
                let values = cached.writes.iter().map(|var| row[*var as usize].bits());
                std::iter::once(action).chain(values)
            });
        let words = std::iter::once(n_successors as u32).chain(successors);
        let ActionCache { shared, room, .. } = &mut self.caches.actions;
        if let Some(start) = shared.results.keep(room, 1 + n_successors * (1 + cached.writes.len()), words) {
            shared.table.put(place, cached.number, &key, start);
        }
    }
}

fn place(number: u32, key: &Key) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut mixed = u64::from(number).wrapping_mul(MULTIPLIER);
    for word in key {
        mixed = (mixed.rotate_left(25) ^ word).wrapping_mul(MULTIPLIER);
    }
    (mixed >> (64 - TABLE_BITS)) as usize
}
