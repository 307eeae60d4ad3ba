//! The new states of the next level, until the whole level is known. Each has its first way in: the one that a search by
//! one process would have found first.

use kilter_value::Value;

use super::owner::Changed;
use crate::space::{Table, hash_row};

/// When a state is found, in the order of a search by one process: by the place of its parent in its level, and then by
/// the place among the parent's successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct When(pub(crate) u64);

impl When {
    pub(crate) fn new(parent: u32, index: u32) -> When {
        When(u64::from(parent) << 32 | u64::from(index))
    }

    /// The place of the parent in its level.
    pub(crate) fn parent(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(crate) fn index(self) -> u32 {
        self.0 as u32
    }
}

/// A state that some process has: the process, and the number that it has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) process: u8,
    pub(crate) id: u32,
}

/// A step that leads to a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) when: When,
    /// The state that it starts from. `None` if the state is initial.
    pub(crate) from: Option<At>,
    pub(crate) action: u32,
    pub(crate) changed: Changed,
}

/// The new states that belong to this process.
pub(crate) struct Fresh {
    n_vars: usize,
    rows: Vec<Value>,
    hashes: Vec<u32>,
    ways: Vec<Way>,
    table: Table,
}

/// There is no memory for another state.
pub(crate) struct Full;

impl Fresh {
    pub(crate) fn new(n_vars: usize) -> Fresh {
        Fresh { n_vars, rows: Vec::new(), hashes: Vec::new(), ways: Vec::new(), table: Table::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ways.len()
    }

    pub(crate) fn row(&self, at: u32) -> &[Value] {
        let start = at as usize * self.n_vars;
        &self.rows[start..start + self.n_vars]
    }

    pub(crate) fn hash(&self, at: u32) -> u32 {
        self.hashes[at as usize]
    }

    pub(crate) fn way(&self, at: u32) -> Way {
        self.ways[at as usize]
    }

    /// Takes down a state, or a way to one that is there already.
    pub(crate) fn offer(&mut self, row: &[Value], hash: u32, way: Way) -> Result<(), Full> {
        let known = self.table.find(hash, |at| self.row(at) == row);
        if let Some(at) = known {
            let first = &mut self.ways[at as usize];
            if way.when < first.when {
                *first = way;
            }
            return Ok(());
        }
        let has_room = self.table.try_reserve(1)
            && self.rows.try_reserve(self.n_vars).is_ok()
            && self.hashes.try_reserve(1).is_ok()
            && self.ways.try_reserve(1).is_ok();
        if !has_room {
            return Err(Full);
        }
        self.table.insert(hash, self.ways.len() as u32);
        self.rows.extend_from_slice(row);
        self.hashes.push(hash);
        self.ways.push(way);
        Ok(())
    }

    /// The values of all states.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.rows.iter()
    }

    /// Writes all values anew.
    pub(crate) fn rewrite(&mut self, rewrite: &mut impl FnMut(&mut Value)) {
        self.rows.iter_mut().for_each(rewrite);
        let rows = self.rows.chunks_exact(self.n_vars.max(1));
        for (hash, row) in self.hashes.iter_mut().zip(rows) {
            *hash = hash_row(row);
        }
        self.table.refill((0..).zip(&self.hashes).map(|(at, hash)| (*hash, at)));
    }

    /// The states in the order in which they are found.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.ways.len() as u32).collect();
        order.sort_unstable_by_key(|at| self.ways[*at as usize].when);
        order
    }
}
