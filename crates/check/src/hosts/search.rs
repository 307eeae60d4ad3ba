//! The levels of a search by several processes. All processes run this code, with the same results where they decide how
//! to go on.

#![expect(
    clippy::disallowed_methods,
    reason = "measures how long a block takes, to choose the size of the next"
)]

use std::ops::Range;
use std::time::Instant;

use kilter_eval::Part;
use kilter_value::Value;

use super::end::{End, Found};
use super::fresh::{At, Fresh, Way, When};
use super::lately::Lately;
use super::news::{News, Stop};
use super::owner::{Changed, owner};
use super::parcel::{Incoming, Outgoing};
use super::young::Young;
use super::{Exchange, Trouble, from_process};
use crate::chunk::Chunk;
use crate::keeper::{Keeper, Recovered};
use crate::outcome::Limit;
use crate::search::Search;
use crate::space::hash_row;

/// Stands for the process of the parent where there is none.
pub(crate) const NO_PARENT: u8 = u8::MAX;
/// The initial states are divided into this many parts for each process.
pub(crate) const PARTS: usize = 64;

/// One process's part of the search.
pub(crate) struct Shared<'a, 'p, 'o> {
    pub(crate) search: &'a mut Search<'p, 'o>,
    pub(crate) exchange: &'a mut dyn Exchange,
    pub(crate) n_vars: usize,
    /// The number of names when the search began.
    n_names: u32,
    pub(crate) outgoing: Vec<Outgoing>,
    pub(crate) incoming: Vec<Incoming>,
    pub(super) lately: Vec<Lately>,
    /// The process that has each state's parent. The space has the parent's number there.
    pub(crate) parents: Vec<u8>,
    /// The states that this process has generated.
    pub(super) generated: u64,
    pub(crate) sent_bytes: u64,
    /// Why this process can't go on.
    pub(super) stop: Option<Stop>,
    /// What all processes said in the last round.
    pub(super) all: News,
    /// The values that may be dropped again.
    pub(super) young: Option<Young>,
}

/// The states of a level that belong to this process.
pub(super) struct Level {
    pub(super) states: Range<u32>,
    /// For each of them, its place in the whole level.
    pub(super) places: Vec<u32>,
    /// The size of the whole level.
    pub(super) size: u64,
}

impl<'a, 'p, 'o> Shared<'a, 'p, 'o> {
    pub(crate) fn new(search: &'a mut Search<'p, 'o>, exchange: &'a mut dyn Exchange) -> Self {
        let n = exchange.n_processes();
        Shared {
            n_vars: search.model.program.variables.len(),
            n_names: search.model.store.n_names(),
            outgoing: (0..n).map(|_| Outgoing::default()).collect(),
            incoming: (0..n).map(|_| Incoming::default()).collect(),
            lately: (0..n).map(|_| Lately::default()).collect(),
            parents: Vec::new(),
            generated: 0,
            sent_bytes: 0,
            stop: None,
            all: News::default(),
            young: None,
            search,
            exchange,
        }
    }

    /// Searches until the search ends, from a checkpoint or from the beginning.
    pub(crate) fn search(&mut self, recovered: Option<Recovered>) -> Result<End, Trouble> {
        let level = recovered.map(|recovered| self.restore(recovered)).transpose()?;
        self.settle();
        self.levels(level)
    }

    pub(crate) fn me(&self) -> usize {
        self.exchange.me()
    }

    pub(crate) fn n_processes(&self) -> usize {
        self.exchange.n_processes()
    }

    /// One round. Returns the parcels of all processes.
    pub(crate) fn swap(&mut self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Trouble> {
        let me = self.me();
        let others = parcels.iter().enumerate().filter(|(process, _)| *process != me);
        self.sent_bytes += others.map(|(_, parcel)| parcel.len() as u64).sum::<u64>();
        Ok(self.exchange.swap(parcels)?)
    }

    /// Searches all levels, from a given one or from the beginning.
    fn levels(&mut self, level: Option<Level>) -> Result<End, Trouble> {
        if self.search.model.program.init.is_none() {
            return Ok(End::Complete);
        }
        let mut level = match level {
            Some(level) => level,
            None => match self.first_level()? {
                Ok(level) => level,
                Err(end) => return Ok(end),
            },
        };
        while level.size > 0 {
            if self.search.keeper.is_some() {
                // On disk, states have the handles that they have now.
                self.tidy(&mut Fresh::new(self.n_vars));
                self.settle();
            }
            self.checkpoint(&level);
            let search = &mut *self.search;
            search.counts.depth += 1;
            let depth_max = search.options.limits.depth_max;
            if depth_max.is_some_and(|max| search.counts.depth >= max) && search.model.program.next.is_some()
            {
                return Ok(End::Limit(Limit::Depth));
            }
            search.growth.level(search.model.store, &search.space, level.states.clone());
            let mut fresh = Fresh::new(self.n_vars);
            let mut found = None;
            if let Some(end) = self.explore(&level, &mut fresh, &mut found)? {
                return Ok(end);
            }
            level = match self.close(&fresh, level.size, found)? {
                Ok(level) => level,
                Err(end) => return Ok(end),
            };
        }
        Ok(End::Complete)
    }

    /// The level of the initial states.
    fn first_level(&mut self) -> Result<Result<Level, End>, Trouble> {
        let n_parts = (PARTS * self.n_processes()) as u64;
        let mut fresh = Fresh::new(self.n_vars);
        let mut found = None;
        if let Some(end) = self.initial(&mut fresh, n_parts as usize, &mut found)? {
            return Ok(Err(end));
        }
        let closed = self.close(&fresh, n_parts, found)?;
        if let Ok(level) = &closed {
            self.search.n_initial = level.size as u32;
            // As in TLC, initial states are a level even if CONSTRAINT excludes all of them.
            self.search.counts.depth = u32::from(level.size == 0 && self.all.generated > 0);
        }
        Ok(closed)
    }

    /// Finds this process's parts of the initial states, and takes in those that belong to it.
    fn initial(
        &mut self,
        fresh: &mut Fresh,
        n_parts: usize,
        found: &mut Option<(When, Found)>,
    ) -> Result<Option<End>, Trouble> {
        let own = self.me() * PARTS..(self.me() + 1) * PARTS;
        for index in own {
            let part = Part { index, of: n_parts };
            let (model, hands) = (&self.search.model, &mut self.search.crew.hands);
            let chunk = hands[0].initial(model, part);
            let count = chunk.found.len() as u32;
            self.generated += chunk.generated;
            self.send(&chunk, fresh, |_, at| When::new(index as u32, at));
            if let Some(event) = chunk.event {
                if event.is_stop() {
                    self.stop = Some(self.limit_of_stop().into());
                } else {
                    *found = Some((When::new(index as u32, count), Found::Initial(index as u32)));
                }
                break;
            }
        }
        let said = self.news(0, fresh.len(), found.as_ref());
        self.round(&said, fresh)
    }

    /// Explores a level. Returns the end of the search if there is one before the level is done.
    fn explore(
        &mut self,
        level: &Level,
        fresh: &mut Fresh,
        found: &mut Option<(When, Found)>,
    ) -> Result<Option<End>, Trouble> {
        let mut next = level.states.start;
        loop {
            let end = self.needed(level);
            let block = next.min(end)..end.min(next.saturating_add(self.search.pace.block_states));
            self.stop = self.stop.max(self.search.limit_reached().map(Stop::from));
            if self.stop.is_none() && found.is_none() && !block.is_empty() {
                next = block.end;
                self.block(level, block, fresh, found);
            }
            let end = self.needed(level);
            let queue = level.states.end - next;
            let said = News {
                has_more: next < end && found.is_none(),
                ..self.news(queue, fresh.len(), found.as_ref())
            };
            if let Some(end) = self.round(&said, fresh)? {
                return Ok(Some(end));
            }
            self.tidy(fresh);
            if !self.all.has_more {
                return Ok(None);
            }
        }
    }

    /// The end of those states of a level that can still have an earlier violation than the one that is known.
    fn needed(&self, level: &Level) -> u32 {
        let n = self
            .all
            .violation
            .map_or(level.places.len(), |when| level.places.partition_point(|place| *place <= when.parent()));
        level.states.start + n as u32
    }

    /// Explores a block of states.
    fn block(
        &mut self,
        level: &Level,
        block: Range<u32>,
        fresh: &mut Fresh,
        found: &mut Option<(When, Found)>,
    ) {
        let began = Instant::now();
        self.search.spill();
        self.search.space.hold(block.clone());
        self.search.inform();
        let place = |id: u32| level.places[(id - level.states.start) as usize];
        let chunks = self.search.expand(block);
        if self.search.space.trouble().is_some() {
            // Nothing counts that was read since.
            self.stop = Some(Limit::Disk.into());
            return;
        }
        for chunk in chunks {
            self.generated += chunk.generated;
            for (total, part) in self.search.coverage.iter_mut().zip(&chunk.coverage) {
                total.enabled += part.enabled;
                total.taken += part.taken;
            }
            self.send(&chunk, fresh, |source, index| When::new(place(source), index));
            for line in &chunk.printed {
                self.search.progress.print(line);
            }
            let Some(event) = &chunk.event else { continue };
            if event.is_stop() {
                self.stop = Some(self.limit_of_stop().into());
            } else if let Some(source) = event.source {
                let own = chunk.found.iter().filter(|found| found.source == source).count();
                *found = Some((When::new(place(source), own as u32), Found::Step(source)));
            }
        }
        self.search.pace.adapt(began.elapsed(), self.search.allowance.is_limited());
    }

    /// The limit because of which evaluation was told to stop.
    pub(super) fn limit_of_stop(&self) -> Limit {
        self.search.limit_reached().unwrap_or(Limit::Time)
    }

    /// Gives the states of a chunk to the processes that they belong to. `when` makes the time of a state from its source and
    /// its index among those of this source.
    fn send(&mut self, chunk: &Chunk, fresh: &mut Fresh, when: impl Fn(u32, u32) -> When) {
        let (store, me, n) = (self.search.model.store, self.me(), self.n_processes());
        let unset = vec![Value::UNSET; self.n_vars];
        let mut of = (u32::MAX, 0);
        let mut recalled = chunk.recalled.iter().peekable();
        for (at, found) in chunk.found.iter().enumerate() {
            of = if at > 0 && of.0 == found.source { (of.0, of.1 + 1) } else { (found.source, 0) };
            if recalled.next_if(|(index, _)| *index as usize == at).is_some() {
                continue;
            }
            let row = chunk.row(at, self.n_vars);
            let is_initial = found.source == u32::MAX;
            let source = if is_initial { &unset } else { self.search.space.row(found.source) };
            let way = Way {
                when: when(found.source, of.1),
                from: (!is_initial).then_some(At { process: me as u8, id: found.source }),
                action: found.action,
                changed: Changed::between(source, row),
            };
            let owner = owner(store, row, n);
            if owner == me {
                if fresh.offer(row, found.hash, way).is_err() {
                    self.stop = Some(Limit::OutOfMemory.into());
                }
            } else if !self.lately[owner].knows(found.hash, row) {
                self.outgoing[owner].push(store, found.source, source, row, way);
            }
        }
        // Strings get numbers in the order in which they are made, which differs between processes.
        if store.n_names() != self.n_names {
            self.stop = Some(Stop::Strings);
        }
    }

    pub(super) fn news(&self, queue: u32, n_new: usize, found: Option<&(When, Found)>) -> News {
        News {
            has_more: false,
            checkpoint: self.search.keeper.as_ref().is_some_and(Keeper::is_due),
            stop: self.stop,
            violation: found.map(|(when, _)| *when),
            generated: self.generated,
            distinct: u64::from(self.search.space.len()) + n_new as u64,
            queue: u64::from(queue) + n_new as u64,
        }
    }

    /// Sends what there is for other processes, and takes in what they have for this one.
    fn round(&mut self, said: &News, fresh: &mut Fresh) -> Result<Option<End>, Trouble> {
        let parcels = self.outgoing.iter_mut().map(|outgoing| {
            let mut parcel = Vec::new();
            said.put(&mut parcel);
            outgoing.finish(&mut parcel);
            parcel
        });
        let parcels = parcels.collect();
        let arrived = self.swap(parcels)?;
        let (store, n_vars) = (self.search.model.store, self.n_vars);
        let mut all = News::default();
        for (process, parcel) in arrived.iter().enumerate() {
            let mut bytes = parcel.as_slice();
            all.join(&from_process(process, News::take(&mut bytes))?);
            let (space, stop) = (&self.search.space, &mut self.stop);
            let read = self.incoming[process].read(store, process, n_vars, &mut bytes, |row, way| {
                let hash = hash_row(row);
                if space.find(row, hash).is_none() && fresh.offer(row, hash, way).is_err() {
                    // Others hear of it in the next round.
                    *stop = Some(Limit::OutOfMemory.into());
                }
            });
            from_process(process, read)?;
        }
        self.hear(all);
        self.search.report();
        self.stopped()
    }

    /// Takes in the news of all processes.
    pub(super) fn hear(&mut self, all: News) {
        let counts = &mut self.search.counts;
        (counts.generated, counts.distinct, counts.queue) = (all.generated, all.distinct, all.queue);
        self.all = all;
    }

    /// The end of the search if some process can't go on.
    pub(super) fn stopped(&self) -> Result<Option<End>, Trouble> {
        match self.all.stop {
            None => Ok(None),
            Some(Stop::Strings) => Err(Trouble::Strings),
            Some(Stop::At(order)) => Ok(Some(End::Limit(order.limit()))),
        }
    }
}
