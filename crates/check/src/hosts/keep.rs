//! What each process writes to its disk, so that all can go on together.

use std::collections::BTreeSet;

use kilter_value::{Store, put_number, take_number};

use super::end::End;
use super::news::Stop;
use super::search::{Level, Shared};
use super::{Exchange, Trouble, from_process};
use crate::checkpoint::{Frontier, Standing, Together};
use crate::disk::log::Extent;
use crate::disk::{Disk, Unfit};
use crate::keeper::{Keeper, Opened, Recovered};
use crate::outcome::{Counts, Limit};

/// Opens the files of this process. All go on from the last checkpoint that all have, if they go on from one.
pub(crate) fn open(disk: &Disk, store: &Store, exchange: &mut dyn Exchange) -> Result<Opened, Trouble> {
    let own = Keeper::depths(disk)?;
    let mut parcel = Vec::new();
    put_number(own.len() as u64, &mut parcel);
    for depth in &own {
        put_number((*depth).into(), &mut parcel);
    }
    let arrived = exchange.swap(vec![parcel; exchange.n_processes()])?;
    let mut common: Option<BTreeSet<u64>> = None;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (process, parcel) in arrived.iter().enumerate() {
        let mut bytes = parcel.as_slice();
        let n = from_process(process, take_number(&mut bytes))?;
        let depths: Result<BTreeSet<u64>, _> = (0..n).map(|_| take_number(&mut bytes)).collect();
        let depths = from_process(process, depths)?;
        if depths.is_empty() {
            without.push(process);
        } else {
            with.push(process);
        }
        common = Some(common.map_or(depths.clone(), |common| &common & &depths));
    }
    let last = common.unwrap_or_default().last().map(|depth| *depth as u32);
    match (disk.recover, last) {
        (false, _) if !own.is_empty() => return Err(Unfit::Taken.into()),
        (false, _) if !with.is_empty() => return Err(Unfit::TakenElsewhere(have(&with)).into()),
        (true, None) if own.is_empty() && with.is_empty() => return Err(Unfit::NoCheckpoint.into()),
        (true, None) if !without.is_empty() => {
            return Err(Unfit::NoCheckpointElsewhere(have(&without)).into());
        }
        (true, None) => return Err(Unfit::NotTogether.into()),
        _ => {}
    }
    let opened = Keeper::open_shared(disk, store, last)?;
    let (n, me) = (exchange.n_processes() as u32, exchange.me() as u32);
    let together = opened.recovered.as_ref().and_then(|recovered| recovered.together.as_ref());
    if together.is_some_and(|(_, together)| (together.n_processes, together.me) != (n, me)) {
        return Err(Unfit::Other("number of processes, or order of them".to_owned()).into());
    }
    Ok(opened)
}

/// "process 1 has", "processes 0 and 2 have".
fn have(processes: &[usize]) -> String {
    let names: Vec<String> = processes.iter().map(ToString::to_string).collect();
    match names.split_last() {
        Some((last, [])) => format!("process {last} has"),
        Some((last, others)) => format!("processes {} and {last} have", others.join(", ")),
        None => String::new(),
    }
}

impl Shared<'_, '_, '_> {
    /// Brings back the states of a checkpoint. The result is the level at which the search goes on.
    pub(super) fn restore(&mut self, recovered: Recovered) -> Result<Level, Trouble> {
        let Recovered { standing, states, together } = recovered;
        let Some((parents, together)) = together else { return Err(Unfit::NoCheckpoint.into()) };
        let level = standing.frontier.level.clone();
        self.generated = standing.generated;
        self.parents = parents;
        // If it does not come to the end, all hear of it in the next round.
        self.stop = self.search.restore(standing, states)?.map(Stop::from);
        Ok(Level { states: level, places: together.places, size: together.level_size })
    }

    /// Takes down how far the search is before a level is explored, and writes a checkpoint if it is time for one. All processes do so at the same level.
    pub(super) fn checkpoint(&mut self, level: &Level) {
        let (me, n_processes) = (self.me() as u32, self.n_processes() as u32);
        let search = &mut *self.search;
        let Some(keeper) = search.keeper.as_mut() else { return };
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
        if noted.is_some() && self.all.checkpoint {
            self.write();
        }
        // The others hear of it in this level, before they write the next checkpoint: two are kept, and one of them must be one that this process has.
        if self.search.space.trouble().is_some() {
            self.stop = Some(Limit::Disk.into());
        }
    }

    /// Writes the last checkpoint of a search that has ended before its time. What was found in the level that was not explored to its end does not count.
    /// If some disk has failed, its process can't write one, and the others keep what they have.
    pub(super) fn write_last(&mut self, end: &End) {
        if matches!(end, End::Limit(limit) if *limit != Limit::Disk) {
            self.write();
        }
    }

    fn write(&mut self) {
        let search = &mut *self.search;
        let Some(keeper) = &mut search.keeper else { return };
        keeper.write(&mut search.space, search.crew.hands.iter().map(|hand| hand.worker.store()));
        keeper.report.bytes = keeper.report.bytes.max(keeper.disk_bytes(&search.space));
    }
}
