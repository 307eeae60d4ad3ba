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
}

impl Caches {
    pub(super) fn new(program: &Program) -> Self {
        let (memos, actions) = (MemoTable::new(program.n_memos), ActionCache::new(program.n_cached));
        Caches::with(program, memos, actions)
    }

    /// Makes the tables of another worker. The two share memos and successors.
    pub(super) fn sibling(&self, program: &Program) -> Self {
        Caches::with(program, self.memos.sibling(), self.actions.sibling())
    }

    fn with(program: &Program, memos: MemoTable, actions: ActionCache) -> Self {
        let cells = apart(Value::UNSET, program.n_cells);
        Caches { cells, memos, operations: OperationTable::new(), actions }
    }
}
