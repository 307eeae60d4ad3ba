//! The states that have gone to another process before, as far as they are remembered.

use kilter_value::Value;

/// The number of states that are remembered. A power of two.
const SLOTS: usize = 1 << 13;

/// Remembers the states that were sent last. What was sent came from an earlier state than what comes now, in the order
/// of the search, so nothing is lost if it is not sent again.
#[derive(Debug, Default)]
pub(crate) struct Lately {
    rows: Vec<Value>,
}

impl Lately {
    /// Whether this state was sent already. If not, it is from now on.
    pub(crate) fn knows(&mut self, hash: u32, row: &[Value]) -> bool {
        if self.rows.is_empty() {
            self.rows = vec![Value::UNSET; SLOTS * row.len()];
        }
        let at = hash as usize % SLOTS * row.len();
        let slot = &mut self.rows[at..at + row.len()];
        let known = slot == row;
        if !known {
            slot.copy_from_slice(row);
        }
        known
    }
}
