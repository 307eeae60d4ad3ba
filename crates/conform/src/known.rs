//! Remembers which sets of offers are allowed in which states.
//!
//! The offers themselves are compared. With a hash only, two sets that collide would pass for one, and hide a finding.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use kilter_graph::StateId;
use rustc_hash::FxBuildHasher;

use crate::reading::ReadId;

/// For each state, the sets of offers that are allowed there.
#[derive(Debug, Default)]
pub(crate) struct KnownFine<H = FxBuildHasher> {
    sets: HashMap<StateId, HashSet<Vec<ReadId>, H>, H>,
}

impl<H: BuildHasher + Default> KnownFine<H> {
    /// Whether these offers are known to be allowed in a state. They must be sorted.
    pub(crate) fn contains(&self, state: StateId, offers: &[ReadId]) -> bool {
        self.sets.get(&state).is_some_and(|sets| sets.contains(offers))
    }

    /// Remembers that these offers are allowed in a state. They must be sorted.
    pub(crate) fn insert(&mut self, state: StateId, offers: Vec<ReadId>) {
        self.sets.entry(state).or_default().insert(offers);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, Hasher};

    use super::*;

    /// A hasher with which everything collides.
    #[derive(Default)]
    struct Constant;

    impl Hasher for Constant {
        fn finish(&self) -> u64 {
            7
        }

        fn write(&mut self, _: &[u8]) {}
    }

    #[test]
    fn offers_that_collide_are_told_apart() {
        let mut known: KnownFine<BuildHasherDefault<Constant>> = KnownFine::default();
        known.insert(StateId(1), vec![2, 3]);
        assert!(known.contains(StateId(1), &[2, 3]));
        assert!(!known.contains(StateId(1), &[2, 4]));
        assert!(!known.contains(StateId(1), &[2]));
        assert!(!known.contains(StateId(2), &[2, 3]));
    }
}
