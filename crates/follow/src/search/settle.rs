//! The steps that are final: they are told, and then forgotten.

use std::rc::Rc;

use kilter_value::{Store, View};
use rustc_hash::FxHashSet;

use super::furthest::Furthest;
use super::outcome::{Progress, Told};
use super::{SETTLE_AFTER, Search};
use crate::moment::Moment;

impl Search<'_> {
    /// Tells the steps that are final, and forgets them. `states` are those with which the search goes on at this cut.
    pub(super) fn settle(
        &mut self,
        cut: &[u64],
        states: &[Rc<Moment>],
        store: &Store,
        progress: &mut (dyn Progress + Send),
    ) {
        // What came less far than these states is not the longest behavior any more, and need not be kept.
        let n_lines: u64 = cut.iter().sum();
        if !self.is_doubting && self.furthest.as_ref().is_some_and(|furthest| furthest.n_lines < n_lines) {
            self.furthest =
                Some(Furthest { n_lines, states: states.to_vec(), stuck: Vec::new(), held_back: Vec::new() });
        }
        let Some(first) = states.first() else { return };
        let mut n_walked = 0;
        let mut last = self.shared(first, states, &mut n_walked);
        // Looking again only after as many steps as were walked now, it costs a constant time for each step.
        self.settle_at = first.depth + SETTLE_AFTER.max(n_walked);
        let is_late =
            first.depth.saturating_sub(self.settled.unwrap_or(0)) > self.options.alternatives_max as u64;
        if is_late && !self.options.tells_all && last.as_ref().is_none_or(|last| last.depth < first.depth) {
            last = Some(Rc::clone(first));
        }
        if let Some(last) = last {
            self.settle_path(&last.path(), store, progress);
            last.trim(self.options.history);
        }
    }

    /// The last moment that all behaviors share with which the search may go on. `None` if they begin in different states.
    fn shared(&self, first: &Rc<Moment>, states: &[Rc<Moment>], n_walked: &mut u64) -> Option<Rc<Moment>> {
        let behind = self.frames.iter().chain(&self.doubts).flat_map(|frame| &frame.states);
        let furthest = self.furthest.iter().flat_map(|furthest| &furthest.states);
        let mut shared = Rc::clone(first);
        let mut seen: FxHashSet<*const Moment> = FxHashSet::default();
        for moment in states.iter().chain(furthest).chain(behind) {
            let mut own = Rc::clone(moment);
            *n_walked += 1;
            while own.depth > shared.depth && seen.insert(Rc::as_ptr(&own)) {
                own = own.before()?;
                *n_walked += 1;
            }
            // What was seen leads to the shared moment.
            if own.depth > shared.depth {
                continue;
            }
            while !Rc::ptr_eq(&own, &shared) {
                let later = if own.depth >= shared.depth { &mut own } else { &mut shared };
                let before = later.before()?;
                *later = before;
                *n_walked += 1;
            }
        }
        Some(shared)
    }

    /// Tells the moments of a path that were not told yet.
    pub(super) fn settle_path(
        &mut self,
        path: &[Rc<Moment>],
        store: &Store,
        progress: &mut (dyn Progress + Send),
    ) {
        let is_new = |moment: &&Rc<Moment>| self.settled.is_none_or(|settled| moment.depth > settled);
        let new: Vec<&Rc<Moment>> = path.iter().filter(is_new).collect();
        for moment in new {
            if let Some(reached) = &moment.reached {
                self.coverage.add(reached.label(), store);
            }
            progress.settled(&self.tell(moment, store), store);
            self.settled = Some(moment.depth);
        }
    }

    pub(super) fn tell(&self, moment: &Moment, store: &Store) -> Told {
        let action = moment.reached.as_ref().and_then(|reached| {
            let label = reached.label();
            let action = &self.program.actions[label.action?];
            let args = match store.view(label.args) {
                View::Tuple(args) => args.to_vec(),
                _ => Vec::new(),
            };
            Some((action.name.clone(), action.args.iter().map(|(name, _)| name.clone()).zip(args).collect()))
        });
        let line = moment.reached.as_ref().and_then(|reached| reached.line);
        Told { row: moment.row().to_vec(), action, line }
    }
}
