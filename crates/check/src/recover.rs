//! What a search on disk does between two blocks, at its end, and when it goes on from a checkpoint.

use std::sync::atomic::Ordering;

use crate::checkpoint::{Frontier, Standing};
use crate::disk::cold::{Cold, values, word};
use crate::disk::log::Extent;
use crate::disk::{OnDisk, Unfit};
use crate::keeper::Recovered;
use crate::outcome::{Counts, Limit, Verdict};
use crate::search::Search;
use crate::space::hash_row;

impl Search<'_, '_> {
    /// Takes down how far the search is, writes a checkpoint if it is time for one, and makes room in memory.
    pub(crate) fn between_blocks(&mut self, frontier: &Frontier) {
        let Some(keeper) = &mut self.keeper else { return };
        keeper.stand(Standing::new(
            frontier,
            (self.space.len(), self.n_initial),
            &self.counts,
            &self.coverage,
            self.violations.listed(),
            &self.growth,
        ));
        if keeper.is_due() {
            keeper.write(&mut self.space, self.crew.hands.iter().map(|hand| hand.worker.store()));
        }
        self.spill();
        if let Some(keeper) = &mut self.keeper {
            keeper.report.bytes = keeper.report.bytes.max(keeper.disk_bytes(&self.space));
        }
    }

    /// Moves the oldest states to disk until the next block fits into memory.
    pub(crate) fn spill(&mut self) {
        let Some(keeper) = &self.keeper else { return };
        let n_max = keeper.hot_states_max().unwrap_or(u32::MAX);
        while self.space.trouble().is_none() {
            let n_hot = self.space.n_hot();
            if n_hot <= n_max {
                let need = self.need();
                let is_tight = self.allowance.exceeded(need).is_some();
                if !is_tight || !self.tide.turns(n_hot, self.allowance.resident(need)) {
                    break;
                }
            }
            self.space.evict(n_hot.div_ceil(2).max(n_hot.saturating_sub(n_max)));
            self.tide.turned(self.allowance.resident(self.need()));
        }
    }

    /// Goes on from a checkpoint. Its states are read again, in order, and those that do not fit into memory leave it as
    /// they did before.
    pub(crate) fn recover(&mut self, recovered: Recovered) -> Result<Verdict, Unfit> {
        let Recovered { standing, states, .. } = recovered;
        let frontier = standing.frontier.clone();
        Ok(match self.restore(standing, states)? {
            Some(limit) => Verdict::Bounded(limit),
            None => self.explore(frontier),
        })
    }

    /// Brings back the states of a checkpoint. Returns the limit that was reached before they were all there.
    pub(crate) fn restore(&mut self, standing: Standing, extent: Extent) -> Result<Option<Limit>, Unfit> {
        if self.options.limits.depth_max.is_some_and(|max| max <= standing.depth) {
            return Err(Unfit::Deeper(standing.depth));
        }
        let n_vars = self.model.program.variables.len();
        let key_width = self.model.identity.key_width(n_vars);
        let record_bytes = Cold::record_bytes(n_vars, key_width);
        let Some(keeper) = &self.keeper else { return Err(Unfit::NoCheckpoint) };
        let mut log = keeper.reopen_states(extent)?;
        let interrupted = self.progress.interrupted();
        let (mut state, mut has_room) = (Vec::new(), true);
        let is_whole = log.replay(extent, record_bytes, |bytes| {
            has_room = self.space.try_reserve(bytes.len() / record_bytes);
            if interrupted.load(Ordering::Relaxed) || !has_room {
                return false;
            }
            for record in bytes.chunks_exact(record_bytes) {
                state.clear();
                state.extend(values(&record[4..]));
                let (row, key) = state.split_at(n_vars);
                let key = if key_width.is_some() { key } else { row };
                self.space.add(row, key, hash_row(key), Some(word(record)));
            }
            self.spill();
            true
        })?;
        if !is_whole {
            if let Some(keeper) = &mut self.keeper {
                keeper.forget();
            }
            return Ok(Some(if has_room { Limit::Interrupt } else { Limit::OutOfMemory }));
        }
        if self.space.len() != standing.n_states {
            return Err(Unfit::OtherValues);
        }
        if let Some(cold) = self.space.cold_mut() {
            cold.log = log;
        }
        self.counts = Counts {
            generated: standing.generated,
            distinct: standing.n_states.into(),
            depth: standing.depth,
            queue: u64::from(standing.n_states - standing.frontier.explored),
        };
        self.coverage = standing.coverage().collect();
        self.violations.resume(standing.passed().collect());
        self.n_initial = standing.n_initial;
        self.growth = standing.growth;
        Ok(None)
    }

    /// Writes the last checkpoint of a search that ended before its time. Several processes have done so already, together.
    pub(crate) fn write_last(&mut self, is_over: bool) {
        let Some(keeper) = self.keeper.as_mut().filter(|keeper| !is_over && !keeper.is_shared()) else {
            return;
        };
        if self.space.trouble().is_none() {
            keeper.write(&mut self.space, self.crew.hands.iter().map(|hand| hand.worker.store()));
        }
    }

    /// Removes the files of a search that is over, and says what is left of others.
    pub(crate) fn leave_disk(&mut self, is_over: bool) -> Option<OnDisk> {
        Some(self.keeper.as_mut()?.leave(is_over, self.space.trouble()))
    }
}
