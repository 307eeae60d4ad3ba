//! The end of a level: its new states are checked, get places, and are added.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use super::end::{End, Found};
use super::fresh::{Fresh, When};
use super::news::News;
use super::order::{put_places, put_times, take_places, take_times};
use super::search::{Level, NO_PARENT, Shared};
use super::{Trouble, from_process};
use crate::disk::cold::Recall;
use crate::outcome::Limit;

impl Shared<'_, '_, '_> {
    /// Checks the new states of a level, gives them places, and adds them. The error is the end of the search.
    pub(super) fn close(
        &mut self,
        fresh: &Fresh,
        n_parents: u64,
        found: Option<(When, Found)>,
    ) -> Result<Result<Level, End>, Trouble> {
        let order = self.in_order(fresh);
        let violated = self.check_new(fresh, &order);
        let first = found.into_iter().chain(violated).min_by_key(|(when, _)| *when);
        if !self.search.space.try_reserve(order.len()) || self.parents.try_reserve(order.len()).is_err() {
            self.stop = Some(Limit::OutOfMemory.into());
        }
        let times: Vec<When> = order.iter().map(|at| fresh.way(*at).when).collect();
        let said = self.news(0, order.len(), first.as_ref());
        let mut parcels: Vec<Vec<u8>> = self.outgoing.iter().map(|_| Vec::new()).collect();
        for parcel in &mut parcels {
            said.put(parcel);
        }
        let counts = put_times(&times, n_parents, &mut parcels);
        let arrived = self.swap(parcels)?;
        let mut all = News::default();
        let mut lists = Vec::with_capacity(arrived.len());
        for (process, parcel) in arrived.iter().enumerate() {
            let mut bytes = parcel.as_slice();
            all.join(&from_process(process, News::take(&mut bytes))?);
            lists.push(from_process(process, take_times(&mut bytes))?);
        }
        self.hear(all);
        if let Some(when) = self.all.violation {
            let own = first.filter(|(own, _)| *own == when).map(|(_, found)| found);
            return Ok(Err(End::Violation(own)));
        }
        if let Some(end) = self.stopped()? {
            return Ok(Err(end));
        }
        let mut parcels: Vec<Vec<u8>> = self.outgoing.iter().map(|_| Vec::new()).collect();
        put_places(&lists, &mut parcels);
        let arrived = self.swap(parcels)?;
        let mut parts: Vec<&[u8]> = arrived.iter().map(Vec::as_slice).collect();
        let (places, size) =
            take_places(&mut parts, &counts).map_err(|(process, _)| Trouble::Garbled(process))?;
        let start = self.search.space.len();
        for at in &order {
            self.add(fresh, *at);
        }
        Ok(Ok(Level { states: start..self.search.space.len(), places, size }))
    }

    /// The new states in the order in which they are found, without those that are on disk.
    fn in_order(&mut self, fresh: &Fresh) -> Vec<u32> {
        let mut order = fresh.in_order();
        let space = &self.search.space;
        if space.is_cold() {
            let mut recall = Recall::default();
            recall.hashes.extend(order.iter().map(|at| fresh.hash(*at)));
            let known = space.recall(&mut recall, |index| fresh.row(order[index]));
            let known: BTreeSet<u32> = known.into_iter().map(|(index, _)| order[index as usize]).collect();
            order.retain(|at| !known.contains(at));
            if space.trouble().is_some() {
                self.stop = Some(Limit::Disk.into());
            }
        }
        order
    }

    fn add(&mut self, fresh: &Fresh, at: u32) {
        let (row, way) = (fresh.row(at), fresh.way(at));
        if let Some(coverage) = self.search.coverage.get_mut(way.action as usize) {
            coverage.new += 1;
        }
        self.search.space.add(row, row, fresh.hash(at), way.from.map(|from| from.id));
        self.parents.push(way.from.map_or(NO_PARENT, |from| from.process));
    }

    /// Checks new states in order. Returns the first one that violates something, and when it is found.
    fn check_new(&mut self, fresh: &Fresh, order: &[u32]) -> Option<(When, Found)> {
        let program = self.search.model.program;
        let is_initial = self.search.counts.depth == 0 && !program.properties.initial.is_empty();
        if program.invariants.is_empty() && program.properties.invariants.is_empty() && !is_initial {
            return None;
        }
        let (model, level) = (&self.search.model, self.search.counts.depth + 1);
        let first_bad = AtomicU32::new(u32::MAX);
        let checked = self.search.crew.map_chunks(0..order.len() as u32, |hand, chunk| {
            // A chunk that starts later cannot have an earlier violation.
            if chunk.start > first_bad.load(Ordering::Relaxed) {
                return None;
            }
            hand.worker.info.level = level;
            let mut before = Vec::new();
            let mut end = None;
            for index in chunk {
                let at = order[index as usize];
                let row = fresh.row(at);
                let way = fresh.way(at);
                let result = if way.from.is_none() {
                    hand.check_initial(model, row)
                } else {
                    way.changed.before(row, &mut before);
                    hand.check_state(model, row, Some(&before))
                };
                if let Err(what) = result {
                    first_bad.fetch_min(index, Ordering::Relaxed);
                    end = Some((at, what.is_stop()));
                    break;
                }
            }
            Some((end, hand.worker.take_printed()))
        });
        let mut first = None;
        for (end, printed) in checked {
            for line in &printed {
                self.search.progress.print(line);
            }
            match end {
                // Being told to stop must not hide a violation.
                Some((_, true)) => self.stop = Some(self.limit_of_stop().into()),
                Some((at, false)) if first.is_none() => first = Some(at),
                _ => {}
            }
        }
        first.map(|at| {
            (fresh.way(at).when, Found::State { row: fresh.row(at).to_vec(), from: fresh.way(at).from })
        })
    }
}
