//! The tables in which a worker keeps results.

use kilter_base::apart;
use kilter_value::Value;

use super::cache::ActionCache;
use super::memo::{MemoTable, OperationTable};
use crate::program::Program;

/// The tables of a worker. Their entries stay true for the whole run.
pub(super) struct Caches {
    /// The values of constant expressions. UNSET until the first use.
    pub(super) cells: Vec<Value>,
    /// The values of expensive expressions.
    pub(super) memos: MemoTable,
    /// The results of operators on sets.
    pub(super) operations: OperationTable,
    /// The successors of actions.
    pub(super) actions: ActionCache,
    /// The most memory for the tables that workers share.
    bytes_max: usize,
}

impl Caches {
    /// Makes tables that take at most about `bytes_max` bytes.
    pub(super) fn new(program: &Program, bytes_max: usize) -> Self {
        let memos = MemoTable::new(program.n_memos, bytes_max / 8);
        let actions = ActionCache::new(program.n_cached, bytes_max);
        Caches::with(program, memos, actions, bytes_max)
    }

    /// Makes the tables of another worker. The two share memos and successors.
    pub(super) fn sibling(&self, program: &Program) -> Self {
        Caches::with(program, self.memos.sibling(), self.actions.sibling(), self.bytes_max)
    }

    /// Empties all tables but that of constants. `first` are the tables that these share with, if they are not the first ones.
    pub(super) fn forget(&mut self, program: &Program, first: Option<&Caches>) {
        let empty =
            first.map_or_else(|| Caches::new(program, self.bytes_max), |first| first.sibling(program));
        *self = Caches { cells: std::mem::take(&mut self.cells), ..empty };
    }

    fn with(program: &Program, memos: MemoTable, actions: ActionCache, bytes_max: usize) -> Self {
        let cells = apart(Value::UNSET, program.n_cells);
        Caches { cells, memos, operations: OperationTable::new(), actions, bytes_max }
    }
}
