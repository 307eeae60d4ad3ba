//! The process that a state belongs to, and what a step has changed.

use kilter_value::{Store, Value};

/// The process that a state belongs to. Handles differ between processes, so this depends on contents alone.
pub(crate) fn owner(store: &Store, row: &[Value], n_processes: usize) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let hash = row.iter().fold(0x6A09_E667_F3BC_C908u64, |hash, value| {
        let mixed = (hash ^ u64::from(store.hash(*value))).wrapping_mul(MULTIPLIER);
        mixed ^ mixed >> 32
    });
    // The high bits, scaled: as even as the hash is, for any number of processes.
    ((u128::from(hash.wrapping_mul(MULTIPLIER)) * n_processes as u128) >> 64) as usize
}

/// The variables that a step has changed, as bits. The last bit stands for all variables from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changed(pub(crate) u64);

impl Changed {
    pub(crate) fn between(from: &[Value], to: &[Value]) -> Changed {
        let pairs = from.iter().zip(to).enumerate();
        Changed(pairs.fold(0, |bits, (var, (from, to))| bits | u64::from(from != to) << var.min(63)))
    }

    pub(crate) fn has(self, var: usize) -> bool {
        self.0 >> var.min(63) & 1 == 1
    }

    /// A row that has the values of `row` where nothing has changed, and no value elsewhere.
    pub(crate) fn before(self, row: &[Value], before: &mut Vec<Value>) {
        before.clear();
        let values = row.iter().enumerate();
        before.extend(values.map(|(var, value)| if self.has(var) { Value::UNSET } else { *value }));
    }
}
