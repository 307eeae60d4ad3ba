//! What a worker has found out and may find again.

use kilter_base::apart;
use kilter_value::Value;

use super::cache::ActionCache;
use super::memo::{MemoTable, OperationTable};
use crate::program::Program;

/// All that a worker remembers. Values stay true for the whole run.
pub(super) struct Caches {
    /// Values of constant expressions; UNSET until the first use.
    pub(super) cells: Vec<Value>,
    /// Values of expensive expressions.
    pub(super) memos: MemoTable,
    /// Results of operators on sets.
    pub(super) operations: OperationTable,
    /// Successors of actions.
    pub(super) actions: ActionCache,
}

impl Caches {
    pub(super) fn new(program: &Program) -> Self {
        let (memos, actions) = (MemoTable::new(program.n_memos), ActionCache::new(program.n_cached));
        Caches::with(program, memos, actions)
    }

    /// For another worker: what one finds out about expressions and actions, the other one knows.
    pub(super) fn sibling(&self, program: &Program) -> Self {
        Caches::with(program, self.memos.sibling(), self.actions.sibling())
    }

    fn with(program: &Program, memos: MemoTable, actions: ActionCache) -> Self {
        let cells = apart(Value::UNSET, program.n_cells);
        Caches { cells, memos, operations: OperationTable::new(), actions }
    }
}
