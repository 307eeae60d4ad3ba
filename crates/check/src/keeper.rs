//! Writes the checkpoints of a search, and goes on from one.

#![expect(clippy::disallowed_methods, reason = "writes checkpoints from time to time")]

use std::io;
use std::time::Instant;

use kilter_value::{Store, UNIT_BYTES};

use crate::checkpoint::{Checkpoint, Standing, Together};
use crate::disk::cold::Cold;
use crate::disk::log::{Extent, Log};
use crate::disk::{BEFORE, CHECKPOINT, Disk, FILES, NAMES, OnDisk, PARENTS, STATES, Unfit, VALUES};
use crate::space::Space;

/// The number of units of the heap that are written at a time.
const PIECE_UNITS: u32 = 1 << 17;

/// The files of a search besides its states, and the last checkpoint.
pub(crate) struct Keeper {
    disk: Disk,
    values: Log,
    n_units: u32,
    names: Log,
    n_names: u32,
    /// Of a search by several processes.
    shared: Option<Shared>,
    /// How far the search was before the current block.
    standing: Option<Standing>,
    written_at: Instant,
    pub(crate) report: OnDisk,
}

/// What is kept besides in a search by several processes.
struct Shared {
    parents: Log,
    n_parents: u32,
    together: Together,
    /// The depth of the last checkpoint.
    written: Option<u32>,
    /// The last checkpoint. It stays until the next one is older than those of all other processes.
    last: Option<Vec<u8>>,
}

/// What a search begins with: its files, and where it goes on.
pub(crate) struct Opened {
    pub(crate) keeper: Keeper,
    pub(crate) states: Log,
    pub(crate) recovered: Option<Recovered>,
}

/// Where a search goes on.
pub(crate) struct Recovered {
    pub(crate) standing: Standing,
    pub(crate) states: Extent,
    /// In a search by several processes, the processes of all parents, and what there is besides.
    pub(crate) together: Option<(Vec<u8>, Together)>,
}

impl Keeper {
    /// Opens the files of a search. If it goes on from a checkpoint, `store` gets its values back. It must hold nothing
    /// but what compiling the specification has made.
    pub(crate) fn open(disk: &Disk, store: &Store) -> Result<Opened, Unfit> {
        let found = disk.folder.read(CHECKPOINT)?;
        match (found, disk.recover) {
            (None, false) => Ok(Self::begin(disk)?),
            (Some(_), false) => Err(Unfit::Taken),
            (None, true) => Err(Unfit::NoCheckpoint),
            (Some(bytes), true) => {
                let checkpoint = Checkpoint::from_bytes(&bytes)?;
                match &checkpoint.together {
                    Some(together) => Err(Unfit::Shared(together.n_processes)),
                    None => Self::resume(disk, &checkpoint, store),
                }
            }
        }
    }

    /// The depths of the checkpoints in a folder, the last one first.
    pub(crate) fn depths(disk: &Disk) -> Result<Vec<u32>, Unfit> {
        let mut depths = Vec::new();
        for file in [CHECKPOINT, BEFORE] {
            if let Some(bytes) = disk.folder.read(file)? {
                depths.push(Checkpoint::from_bytes(&bytes)?.standing.depth);
            }
        }
        Ok(depths)
    }

    /// The same as [`Keeper::open`] for one of several processes, which go on together from this depth.
    pub(crate) fn open_shared(disk: &Disk, store: &Store, depth: Option<u32>) -> Result<Opened, Unfit> {
        let Some(depth) = depth else {
            let mut opened = Self::begin(disk)?;
            let parents = Log::begin(&*disk.folder, PARENTS)?;
            let together = Together::default();
            opened.keeper.shared =
                Some(Shared { parents, n_parents: 0, together, written: None, last: None });
            return Ok(opened);
        };
        for file in [CHECKPOINT, BEFORE] {
            let Some(bytes) = disk.folder.read(file)? else { continue };
            let checkpoint = Checkpoint::from_bytes(&bytes)?;
            let Some(together) = checkpoint.together.clone().filter(|_| checkpoint.standing.depth == depth)
            else {
                continue;
            };
            let mut opened = Self::resume(disk, &checkpoint, store)?;
            let mut log = Log::resume(&*disk.folder, PARENTS, together.parents)?;
            let mut parents = Vec::new();
            log.replay(together.parents, 1, |bytes| {
                parents.extend_from_slice(bytes);
                true
            })?;
            // What came later does not count any more.
            disk.folder.replace(CHECKPOINT, &bytes)?;
            let n_parents = parents.len() as u32;
            opened.keeper.shared = Some(Shared {
                parents: log,
                n_parents,
                together: together.clone(),
                written: Some(depth),
                last: Some(bytes),
            });
            if let Some(recovered) = &mut opened.recovered {
                recovered.together = Some((parents, together));
            }
            return Ok(opened);
        }
        Err(Unfit::NoCheckpoint)
    }

    fn begin(disk: &Disk) -> io::Result<Opened> {
        let folder = &*disk.folder;
        let keeper = Keeper {
            disk: disk.clone(),
            values: Log::begin(folder, VALUES)?,
            n_units: 0,
            names: Log::begin(folder, NAMES)?,
            n_names: 0,
            shared: None,
            standing: None,
            written_at: Instant::now(),
            report: OnDisk::default(),
        };
        Ok(Opened { keeper, states: Log::begin(folder, STATES)?, recovered: None })
    }

    fn resume(disk: &Disk, checkpoint: &Checkpoint, store: &Store) -> Result<Opened, Unfit> {
        let folder = &*disk.folder;
        checkpoint.is_of(&disk.identity)?;
        let Checkpoint { states, values, names, has_typed_models, standing, .. } = checkpoint;
        let logs = (Log::resume(folder, STATES, *states)?, Log::resume(folder, VALUES, *values)?);
        let (states_log, mut values_log) = logs;
        let mut names_log = Log::resume(folder, NAMES, *names)?;
        let n_names = restore_names(&mut names_log, *names, *has_typed_models, store)?;
        let n_units = (values.n_bytes / UNIT_BYTES as u64) as u32;
        let mut restore = store.restore(n_units).ok_or(Unfit::NoRoom)?;
        values_log.replay(*values, UNIT_BYTES, |bytes| {
            restore.take(bytes);
            true
        })?;
        restore.finish().map_err(|_| Unfit::OtherValues)?;
        let report = OnDisk {
            checkpoint: Some(standing.n_states.into()),
            recovered: Some(standing.n_states.into()),
            ..OnDisk::default()
        };
        let keeper = Keeper {
            disk: disk.clone(),
            values: values_log,
            n_units,
            names: names_log,
            n_names,
            shared: None,
            standing: Some(standing.clone()),
            written_at: Instant::now(),
            report,
        };
        let recovered = Recovered { standing: standing.clone(), states: *states, together: None };
        Ok(Opened { keeper, states: states_log, recovered: Some(recovered) })
    }

    /// The states of a search, none of which is in memory yet.
    pub(crate) fn space(
        &self,
        states: Log,
        n_vars: usize,
        key_width: Option<usize>,
        n_written: u32,
    ) -> Space {
        let folder = self.disk.folder.clone();
        Space::on(Cold::new(folder, states, n_vars, key_width, n_written), n_vars, key_width)
    }

    /// The most states in memory, if the caller has chosen.
    pub(crate) fn hot_states_max(&self) -> Option<u32> {
        self.disk.hot_states_max
    }

    /// Takes down how far the search is. A checkpoint says this until the next time, whatever happens in between.
    pub(crate) fn stand(&mut self, standing: Standing) {
        self.standing = Some(standing);
    }

    /// The same for one of several processes. `parents` are the processes of all parents.
    pub(crate) fn stand_together(
        &mut self,
        standing: Standing,
        together: Together,
        parents: &[u8],
    ) -> io::Result<()> {
        self.standing = Some(standing);
        if let Some(shared) = &mut self.shared {
            shared.parents.append(&parents[shared.n_parents as usize..])?;
            shared.n_parents = parents.len() as u32;
            shared.together = together;
        }
        Ok(())
    }

    /// Opens the states of a checkpoint once more, to read all of them.
    pub(crate) fn reopen_states(&self, extent: Extent) -> Result<Log, Unfit> {
        Log::resume(&*self.disk.folder, STATES, extent)
    }

    /// Leaves the checkpoint on disk as it is, from now on.
    pub(crate) fn forget(&mut self) {
        self.standing = None;
    }

    /// Whether other processes have a part of the search.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether it is time for a checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        self.report.checkpoint.is_none() || self.written_at.elapsed() >= self.disk.checkpoint_every
    }

    /// Writes a checkpoint. `stores` are those of all workers. An error goes to the space.
    pub(crate) fn write<'s>(&mut self, space: &mut Space, stores: impl IntoIterator<Item = &'s Store>) {
        let Some(standing) = self.standing.clone() else { return };
        // Each checkpoint of several processes is of another level, so that all have one in common if one of them cannot write the last.
        if self.shared.as_ref().is_some_and(|shared| shared.written == Some(standing.depth)) {
            return;
        }
        space.write(standing.n_states);
        if space.trouble().is_some() {
            return;
        }
        let mut last = None;
        for store in stores {
            store.give_up_room();
            last = Some(store);
        }
        let Some((store, cold)) = last.zip(space.cold()) else { return };
        let n_states = standing.n_states;
        let written = self.write_all(cold, store, standing);
        if cold.noted(written).is_some() {
            self.report.checkpoint = Some(n_states.into());
            if let Some(shared) = &mut self.shared {
                shared.written = self.standing.as_ref().map(|standing| standing.depth);
            }
        }
        self.written_at = Instant::now();
    }

    fn write_all(&mut self, cold: &Cold, store: &Store, standing: Standing) -> io::Result<()> {
        let mut bytes = Vec::new();
        let n_units = store.n_units();
        while self.n_units < n_units {
            let end = n_units.min(self.n_units + PIECE_UNITS);
            bytes.clear();
            store.save_units(self.n_units..end, &mut bytes);
            self.values.append(&bytes)?;
            self.n_units = end;
        }
        bytes.clear();
        let n_names = store.n_names();
        for number in self.n_names..n_names {
            let text = store.name_text(number);
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        self.names.append(&bytes)?;
        self.n_names = n_names;
        let together = match &self.shared {
            Some(shared) => Some(Together { parents: shared.parents.sync()?, ..shared.together.clone() }),
            None => None,
        };
        let checkpoint = Checkpoint {
            identity: self.disk.identity.clone(),
            states: cold.log.sync()?,
            values: self.values.sync()?,
            names: self.names.sync()?,
            has_typed_models: store.has_typed_models(),
            standing,
            together,
        };
        let bytes = checkpoint.to_bytes();
        if let Some(last) = self.shared.as_mut().and_then(|shared| shared.last.replace(bytes.clone())) {
            self.disk.folder.replace(BEFORE, &last)?;
        }
        self.disk.folder.replace(CHECKPOINT, &bytes)
    }

    /// The bytes on disk.
    pub(crate) fn disk_bytes(&self, space: &Space) -> u64 {
        let parents = self.shared.as_ref().map_or(0, |shared| shared.parents.n_bytes());
        self.values.n_bytes() + self.names.n_bytes() + parents + space.cold().map_or(0, Cold::disk_bytes)
    }

    /// Ends the use of the disk. Nothing is left of a search that is over, or that has no checkpoint to go on from.
    pub(crate) fn leave(&mut self, is_over: bool, trouble: Option<&io::Error>) -> OnDisk {
        if let Some(trouble) = trouble {
            self.report.trouble.get_or_insert_with(|| trouble.to_string());
        }
        if is_over || self.report.checkpoint.is_none() {
            self.report.checkpoint = None;
            // The checkpoint goes first: without it, nobody looks at the others.
            let removed: io::Result<()> =
                FILES.into_iter().try_for_each(|file| self.disk.folder.remove(file));
            if let Err(error) = removed {
                self.report.trouble.get_or_insert(error.to_string());
            }
        }
        self.report.clone()
    }
}

/// Gives names back to a store. Returns how many there are.
fn restore_names(log: &mut Log, extent: Extent, has_typed_models: bool, store: &Store) -> Result<u32, Unfit> {
    let mut bytes = Vec::new();
    log.replay(extent, 1, |piece| {
        bytes.extend_from_slice(piece);
        true
    })?;
    let mut names: Vec<&str> = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((length, others)) = rest.split_first_chunk::<4>() {
        let (text, others) =
            others.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(Unfit::OtherValues)?;
        names.push(std::str::from_utf8(text).map_err(|_| Unfit::OtherValues)?);
        rest = others;
    }
    store.restore_names(names.iter().copied(), has_typed_models).map_err(|_| Unfit::OtherValues)?;
    Ok(names.len() as u32)
}
