//! The successor relation between states as flat arrays, recorded while states are found.

use std::ops::Range;

/// The successors of each state. Stuttering is always allowed, so a state is not recorded as its own successor.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// For each state, the index at which its successors end.
    ends: Vec<u64>,
    targets: Vec<u32>,
}

impl Links {
    /// Records the successors of a state. States come in order, and those that are left out have no successors.
    pub(crate) fn add(&mut self, source: u32, targets: impl IntoIterator<Item = u32>) {
        self.finish(source);
        let start = self.targets.len();
        self.targets.extend(targets.into_iter().filter(|target| *target != source));
        self.targets[start..].sort_unstable();
        let mut kept = start;
        for i in start..self.targets.len() {
            if i == start || self.targets[i] != self.targets[i - 1] {
                self.targets[kept] = self.targets[i];
                kept += 1;
            }
        }
        self.targets.truncate(kept);
        self.ends.push(kept as u64);
    }

    /// Records the successors of the next state without sorting or filtering them.
    pub(crate) fn add_as_given(&mut self, targets: &[u32]) {
        self.targets.extend_from_slice(targets);
        self.ends.push(self.targets.len() as u64);
    }

    /// Says that all states below `n_states` have been explored.
    pub(crate) fn finish(&mut self, n_states: u32) {
        let end = self.targets.len() as u64;
        if self.ends.len() < n_states as usize {
            self.ends.resize(n_states as usize, end);
        }
    }

    /// The numbers of a state's links. A state that has not been explored yet has none.
    pub(crate) fn of(&self, state: u32) -> Range<usize> {
        let end = |state: usize| self.ends.get(state).map_or(self.targets.len(), |end| *end as usize);
        let start = if state == 0 { 0 } else { end(state as usize - 1) };
        start..end(state as usize)
    }

    /// The state that a link leads to.
    pub(crate) fn target(&self, link: usize) -> u32 {
        self.targets[link]
    }

    /// Makes room for more links. Returns `false` if there is no memory for them.
    pub(crate) fn try_reserve(&mut self, n_more: usize) -> bool {
        self.targets.try_reserve(n_more).is_ok() && self.ends.try_reserve(n_more).is_ok()
    }

    /// The number of links.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (8 * self.ends.capacity() + 4 * self.targets.capacity()) as u64
    }
}
