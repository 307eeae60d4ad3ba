//! What has been looked at and is allowed: states with the offers that stood there.
//!
//! The offers themselves are compared. A hash of them would let two sets that collide pass for one, and with that hide a finding.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use kilter_graph::StateId;
use rustc_hash::FxBuildHasher;

use crate::reading::ReadId;

/// States, each with the sets of offers that are allowed there.
#[derive(Debug, Default)]
pub(crate) struct KnownFine<H = FxBuildHasher> {
    sets: HashMap<StateId, HashSet<Vec<ReadId>, H>, H>,
}

impl<H: BuildHasher + Default> KnownFine<H> {
    /// Whether these offers, which are sorted, are known to be allowed in a state.
    pub(crate) fn contains(&self, state: StateId, offers: &[ReadId]) -> bool {
        self.sets.get(&state).is_some_and(|sets| sets.contains(offers))
    }

    /// Remembers that these offers, which are sorted, are allowed in a state.
    pub(crate) fn insert(&mut self, state: StateId, offers: Vec<ReadId>) {
        self.sets.entry(state).or_default().insert(offers);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, Hasher};

    use super::*;

    /// Everything collides.
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
