//! Which actions, and which branches of them, logs have shown.

use std::collections::BTreeMap;

use kilter_base::Id;
use kilter_eval::Label;
use kilter_eval::node::ActionId;
use kilter_value::{Store, View};
use rustc_hash::FxHashMap;

/// How often each action was taken, and on which ways through it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    ways: FxHashMap<(ActionId, Vec<u32>), u64>,
}

impl Coverage {
    /// Counts a step.
    pub fn add(&mut self, label: Label, store: &Store) {
        let Some(action) = label.action else { return };
        let blocks = match store.view(label.blocks) {
            View::Tuple(blocks) => {
                blocks.iter().filter_map(|block| store.as_int(block)).map(|block| block as u32).collect()
            }
            _ => Vec::new(),
        };
        *self.ways.entry((action, blocks)).or_default() += 1;
    }

    /// The number of steps of each action that was taken.
    pub fn actions(&self) -> BTreeMap<usize, u64> {
        self.ways.iter().fold(BTreeMap::new(), |mut actions, ((action, _), n)| {
            *actions.entry(action.index()).or_default() += n;
            actions
        })
    }

    /// The number of steps through each basic block that was taken.
    pub fn blocks(&self) -> BTreeMap<u32, u64> {
        let taken = self.ways.iter().flat_map(|((_, way), n)| way.iter().map(move |block| (*block, n)));
        taken.fold(BTreeMap::new(), |mut blocks, (block, n)| {
            *blocks.entry(block).or_default() += n;
            blocks
        })
    }
}
