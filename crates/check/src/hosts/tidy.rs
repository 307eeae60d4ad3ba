//! Drops the values that no state of this process has.
//!
//! A process makes the values of all successors that it generates, and then sends most of these states away. It reads the source of each
//! state that it gets, too. If all these values stayed, each process would soon have nearly all values of the search.

use kilter_value::{Store, Value};

use super::fresh::Fresh;
use super::lately::Lately;
use super::parcel::Outgoing;
use super::search::Shared;
use super::young::Young;

/// New values are looked through when they take this part of what all older ones take.
const PART: usize = 8;

impl Shared<'_, '_, '_> {
    /// Marks this moment: all values that there are count as needed.
    pub(super) fn settle(&mut self) {
        let hands = &self.search.crew.hands;
        let mark = self.search.model.store.mark(hands.iter().map(|hand| hand.worker.store()));
        self.young = Some(Young { mark, first: self.search.space.len() });
    }

    /// Drops new values that are not needed, if there are many new ones. The states of `fresh` are needed as well.
    pub(super) fn tidy(&mut self, fresh: &mut Fresh) {
        let store = self.search.model.store;
        let Some(Young { mark, first }) = self.young else { return self.settle() };
        let least = self.search.options.new_values_max_bytes.max(mark.bytes() / PART);
        if store.bytes_since(mark) < least {
            return;
        }
        let Some(mut sweep) = store.sweep(mark) else { return };
        self.forget();
        let hands = &mut self.search.crew.hands;
        let states = first..self.search.space.len();
        states.clone().flat_map(|id| self.search.space.row(id)).for_each(|value| sweep.keep(*value));
        fresh.values().for_each(|value| sweep.keep(*value));
        self.outgoing.iter().flat_map(Outgoing::values).for_each(|value| sweep.keep(*value));
        self.incoming.iter().for_each(|incoming| incoming.keep(&mut sweep));
        hands.iter_mut().flat_map(|hand| hand.worker.constants()).for_each(|value| sweep.keep(*value));
        let stores: Vec<&Store> = hands.iter().map(|hand| hand.worker.store()).collect();
        let swept = sweep.finish(&stores);
        // All of these were kept.
        let mut moved = |value: &mut Value| *value = swept.now(*value).unwrap_or(*value);
        self.search.space.rewrite(states.start, &mut moved);
        fresh.rewrite(&mut moved);
        self.outgoing.iter_mut().for_each(|outgoing| outgoing.moved(&swept));
        self.incoming.iter_mut().for_each(|incoming| incoming.moved(&swept));
        self.search.crew.hands.iter_mut().flat_map(|hand| hand.worker.constants()).for_each(moved);
        self.young = Some(Young { mark: swept.mark, first: self.search.space.len() });
    }

    /// Forgets what was only remembered to save time.
    fn forget(&mut self) {
        if let Some((first, others)) = self.search.crew.hands.split_first_mut() {
            first.worker.forget(None);
            for hand in others {
                hand.worker.forget(Some(&first.worker));
            }
        }
        self.lately.fill_with(Lately::default);
    }
}
