//! The levels of a search by several processes. All processes run this code, with the same results where they decide how
//! to go on.

#![expect(
    clippy::disallowed_methods,
    reason = "measures how long a block takes, to choose the size of the next"
)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use kilter_eval::Part;
use kilter_value::{Store, Value, put_number, take_number};

use super::ending::{self, Found};
use super::fresh::{At, Fresh, Way, When};
use super::lately::Lately;
use super::news::{News, Stop};
use super::order::{put_places, put_times, take_places, take_times};
use super::owner::{Changed, owner};
use super::parcel::{Incoming, Outgoing};
use super::{Exchange, Part as PartOf, Share, Trouble, from_process};
use crate::checkpoint::{Frontier, Standing, Together};
use crate::chunk::Chunk;
use crate::disk::cold::Recall;
use crate::disk::log::Extent;
use crate::disk::{Disk, Unfit};
use crate::keeper::{Keeper, Opened, Recovered};
use crate::outcome::{Counts, Limit, Verdict};
use crate::search::Search;
use crate::space::hash_row;

/// Stands for the process of the parent where there is none.
pub(crate) const NO_PARENT: u8 = u8::MAX;
/// The initial states are divided into this many parts for each process.
pub(crate) const PARTS: usize = 64;

/// Opens the files of this process. All go on from the last checkpoint that all have, if they go on from one.
pub(crate) fn open(disk: &Disk, store: &Store, exchange: &mut dyn Exchange) -> Result<Opened, Trouble> {
    let own = Keeper::depths(disk)?;
    let mut parcel = Vec::new();
    put_number(own.len() as u64, &mut parcel);
    own.iter().for_each(|depth| put_number((*depth).into(), &mut parcel));
    let arrived = exchange.swap(vec![parcel; exchange.n_processes()])?;
    let mut common: Option<BTreeSet<u64>> = None;
    for (process, parcel) in arrived.iter().enumerate() {
        let mut bytes = parcel.as_slice();
        let n = from_process(process, take_number(&mut bytes))?;
        let depths: Result<BTreeSet<u64>, _> = (0..n).map(|_| take_number(&mut bytes)).collect();
        let depths = from_process(process, depths)?;
        common = Some(common.map_or(depths.clone(), |common| &common & &depths));
        if !disk.recover && !depths.is_empty() {
            return Err(Unfit::Taken.into());
        }
    }
    let last = common.unwrap_or_default().last().map(|depth| *depth as u32);
    if disk.recover && last.is_none() {
        return Err(Unfit::NoCheckpoint.into());
    }
    let opened = Keeper::open_shared(disk, store, last)?;
    let (n, me) = (exchange.n_processes() as u32, exchange.me() as u32);
    let together = opened.recovered.as_ref().and_then(|recovered| recovered.together.as_ref());
    if together.is_some_and(|(_, together)| (together.n_processes, together.me) != (n, me)) {
        return Err(Unfit::Other("number of processes, or order of them".to_owned()).into());
    }
    Ok(opened)
}

/// Searches together with the other processes. The first one gets the verdict, and what each has had.
pub(crate) fn search(
    search: &mut Search<'_, '_>,
    exchange: &mut dyn Exchange,
    recovered: Option<Recovered>,
) -> Result<PartOf<(Verdict, Vec<Share>)>, Trouble> {
    let n = exchange.n_processes();
    let mut shared = Shared {
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
        search,
        exchange,
    };
    let level = recovered.map(|recovered| shared.restore(recovered)).transpose()?;
    let end = shared.levels(level)?;
    let is_over = !matches!(end, End::Limit(_));
    let part = ending::finish(&mut shared, end)?;
    if matches!(part, PartOf::Other(_)) {
        search.leave_disk(is_over);
    }
    Ok(part)
}

/// How a search ends.
pub(crate) enum End {
    /// There are no more states.
    Complete,
    /// A limit is reached.
    Limit(Limit),
    /// There is a violation. The process that has found the first one knows which.
    Violation(Option<Found>),
}

/// One process's part of the search.
pub(crate) struct Shared<'a, 'p, 'o> {
    pub(crate) search: &'a mut Search<'p, 'o>,
    pub(crate) exchange: &'a mut dyn Exchange,
    pub(crate) n_vars: usize,
    /// The number of names when the search began.
    n_names: u32,
    pub(crate) outgoing: Vec<Outgoing>,
    pub(crate) incoming: Vec<Incoming>,
    lately: Vec<Lately>,
    /// The process that has each state's parent. The space has the parent's number there.
    pub(crate) parents: Vec<u8>,
    /// The states that this process has generated.
    generated: u64,
    pub(crate) sent_bytes: u64,
    /// Why this process can't go on.
    stop: Option<Stop>,
    /// What all processes said in the last round.
    all: News,
}

/// The states of a level that belong to this process.
struct Level {
    states: Range<u32>,
    /// For each of them, its place in the whole level.
    places: Vec<u32>,
    /// The size of the whole level.
    size: u64,
}

impl Shared<'_, '_, '_> {
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

    /// Brings back the states of a checkpoint. The result is the level at which the search goes on.
    fn restore(&mut self, recovered: Recovered) -> Result<Level, Trouble> {
        let Recovered { standing, states, together } = recovered;
        let Some((parents, together)) = together else { return Err(Unfit::NoCheckpoint.into()) };
        let level = standing.frontier.level.clone();
        self.generated = standing.generated;
        self.parents = parents;
        // If it does not come to the end, all hear of it in the next round.
        self.stop = self.search.restore(standing, states)?.map(Stop::from);
        Ok(Level { states: level, places: together.places, size: together.level_size })
    }

    /// Writes a checkpoint before a level is explored, if it is time for one. All processes do so at the same level.
    fn checkpoint(&mut self, level: &Level) {
        let (me, n_processes) = (self.me() as u32, self.n_processes() as u32);
        let search = &mut *self.search;
        let Some(keeper) = search.keeper.as_mut().filter(|_| self.all.checkpoint) else { return };
        let counts = Counts { generated: self.generated, ..search.counts };
        let standing = Standing::new(
            &Frontier { level: level.states.clone(), explored: level.states.start, is_begun: false },
            (search.space.len(), search.n_initial),
            &counts,
            &search.coverage,
            &[],
            &search.growth,
        );
        let together = Together {
            n_processes,
            me,
            parents: Extent::default(),
            places: level.places.clone(),
            level_size: level.size,
        };
        let stood = keeper.stand_together(standing, together, &self.parents);
        let noted = match search.space.cold() {
            Some(cold) => cold.noted(stood),
            None => stood.ok(),
        };
        if noted.is_some() {
            keeper.write(&mut search.space, search.crew.hands.iter().map(|hand| hand.worker.store()));
            keeper.report.bytes = keeper.report.bytes.max(keeper.disk_bytes(&search.space));
        }
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
    fn limit_of_stop(&self) -> Limit {
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

    fn news(&self, queue: u32, n_new: usize, found: Option<&(When, Found)>) -> News {
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
    fn hear(&mut self, all: News) {
        let counts = &mut self.search.counts;
        (counts.generated, counts.distinct, counts.queue) = (all.generated, all.distinct, all.queue);
        self.all = all;
    }

    /// The end of the search if some process can't go on.
    fn stopped(&self) -> Result<Option<End>, Trouble> {
        match self.all.stop {
            None => Ok(None),
            Some(Stop::Strings) => Err(Trouble::Strings),
            Some(Stop::At(order)) => Ok(Some(End::Limit(order.limit()))),
        }
    }

    /// Checks the new states of a level, gives them places, and adds them. The error is the end of the search.
    fn close(
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
        parcels.iter_mut().for_each(|parcel| said.put(parcel));
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
        order.iter().for_each(|at| self.add(fresh, *at));
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
            printed.iter().for_each(|line| self.search.progress.print(line));
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
