//! What a search keeps on disk.
//!
//! - [`folder`]     the files of a search, as its caller gives them
//! - [`log`]        a file that only grows, with a checksum
//! - [`bloom`]      a filter that says of most states that they are not in a run
//! - [`sorted`]     a run: a sorted file of hashes with the numbers of states
//! - [`index`]      all runs, merged in tiers
//! - [`cold`]       the states that are no longer in memory

pub(crate) mod bloom;
pub(crate) mod cold;
pub(crate) mod folder;
pub(crate) mod index;
pub(crate) mod log;
pub(crate) mod sorted;
#[cfg(test)]
pub(crate) mod toy;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use folder::{Folder, Piece};

/// The names of the files, besides those that are gone when the search ends.
pub const FILES: [&str; 6] = [CHECKPOINT, BEFORE, STATES, VALUES, NAMES, PARENTS];
pub(crate) const CHECKPOINT: &str = "checkpoint";
/// The checkpoint before the last one, if other processes may not have come as far.
pub(crate) const BEFORE: &str = "checkpoint-before";
pub(crate) const STATES: &str = "states";
pub(crate) const VALUES: &str = "values";
pub(crate) const NAMES: &str = "names";
pub(crate) const PARENTS: &str = "parents";

/// How a search uses a disk.
#[derive(Clone)]
pub struct Disk {
    /// The folder for its files. Nobody else may use it meanwhile.
    pub folder: Arc<dyn Folder>,
    /// Whether to go on from the checkpoint in the folder.
    pub recover: bool,
    /// The time between two checkpoints. If it is zero, there is one before each block of states.
    pub checkpoint_every: Duration,
    /// The most states in memory. If `None`, the limit on memory decides alone.
    pub hot_states_max: Option<u32>,
    /// What a checkpoint must have in common with the search that goes on from it: names, and contents as hashes.
    pub identity: Vec<(String, String)>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disk").field("recover", &self.recover).finish_non_exhaustive()
    }
}

/// What a search has left on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnDisk {
    /// The number of states in the checkpoint. `None` if no checkpoint is left, because the search came to its end or
    /// ended before the first one.
    pub checkpoint: Option<u64>,
    /// The number of states in the checkpoint from which the search went on.
    pub recovered: Option<u64>,
    /// The most bytes that the files took.
    pub bytes: u64,
    /// Why the search could not use the disk any more.
    pub trouble: Option<String>,
}

/// Why a search on disk did not begin.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// Temporal properties need all states in memory.
    #[error("a search on disk does not check temporal properties ({0})")]
    Temporal(String),
    /// The graph is made in memory.
    #[error("a search on disk keeps no graph")]
    Graph,
    /// States on disk are looked up later, so expressions are evaluated in another order.
    #[error(
        "the specification uses operators whose results depend on the order of evaluation, such as TLCSet, ToString and RandomElement; a search on disk has another order"
    )]
    Sequential,
    /// There is a checkpoint, and nobody wants to go on from it.
    #[error(
        "the folder holds a search that can go on; go on with --recover, or remove its file `checkpoint` to begin anew"
    )]
    Taken,
    /// There is no checkpoint.
    #[error("there is no checkpoint to go on from; leave out --recover to begin anew")]
    NoCheckpoint,
    /// The same in the folders of other processes of the search.
    #[error(
        "{0} a checkpoint of the search already; go on with --recover in all processes, or remove the file `checkpoint` there to begin anew"
    )]
    TakenElsewhere(String),
    /// Other processes of the search have none.
    #[error(
        "{0} no checkpoint to go on from; name the folder that each process had, or remove the file `checkpoint` of all others and leave out --recover to begin anew"
    )]
    NoCheckpointElsewhere(String),
    /// Processes were ended while they wrote their first checkpoints, or have folders of different searches.
    #[error(
        "no two processes have checkpoints of the same level; name the folder that each process had, or remove the files `checkpoint` and leave out --recover to begin anew"
    )]
    NotTogether,
    /// The checkpoint is no checkpoint, or from another version.
    #[error(
        "the file `checkpoint` has been written by {0}; leave out --recover and name an empty folder to begin anew"
    )]
    Foreign(&'static str),
    /// A file is not as it was written.
    #[error(
        "the file `{file}` is {how}, so the search cannot go on from this checkpoint; remove the file `checkpoint` and leave out --recover to begin anew"
    )]
    Damaged {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        how: &'static str,
    },
    /// The checkpoint is of another search.
    #[error(
        "the checkpoint is of a search with another {0}; use the same as then, or leave out --recover and name another folder"
    )]
    Other(String),
    /// The checkpoint is that of one of several processes, which has a part of the states.
    #[error(
        "the checkpoint is of a search by {0} processes; go on with the same --hosts in all of them, or leave out --recover and name another folder"
    )]
    Shared(u32),
    /// The values of the checkpoint are no continuation of those of the specification.
    #[error(
        "the values in the checkpoint are not those of this specification; leave out --recover to begin anew"
    )]
    OtherValues,
    /// The search had already come farther.
    #[error("the search in the checkpoint has already come to depth {0}; go on with a larger --depth-max")]
    Deeper(u32),
    /// The values do not fit into memory.
    #[error("the values in the checkpoint do not fit into the memory that there is")]
    NoRoom,
    /// A file can't be read or written.
    #[error("the files of the search cannot be used: {0}")]
    Io(#[from] std::io::Error),
}
