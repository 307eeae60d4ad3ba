//! Replicated data types in process. A schedule says who edits, who gets which update, who syncs with whom, and who is
//! saved and loaded. In the end all replicas sync with each other, and must be equal.
//!
//! - [`DataType`] what a data type has to be able to do
//! - [`history`]  which edits each replica should have
//! - [`play`]     plays a schedule; [`Playable`] hides the type of the replicas
//! - [`judge`]    decides what is wrong in the end
//! - [`guard`]    runs code of the data type, which may panic
//! - [`method`]   the interface to the runner

pub mod guard;
pub mod history;
pub mod judge;
pub mod method;
pub mod play;

use std::collections::BTreeMap;

use serde_json::Value as Json;

pub use judge::{Check, Flaw};
pub use method::{DataCase, DataTypes};
pub use play::{Playable, Played};

use crate::step::Replica;

/// The name under which a replica edits. A replica that is loaded gets a new one: it may have lost edits that others have, and must
/// not use their numbers again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// The replica.
    pub replica: Replica,
    /// How often it was loaded before.
    pub life: u32,
}

impl Name {
    /// A number that no other name has. It is at least 1.
    pub fn number(self) -> u64 {
        u64::from(self.life) * 16 + u64::from(self.replica.0) + 1
    }
}

/// An edit as the model wants it.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'e> {
    /// Its number in the schedule, from 1. Whatever it inserts can be told apart by it.
    pub number: u32,
    /// What to do, in the data type's own words.
    pub words: &'e [String],
}

/// What an edit has done. Kilter follows from it what replicas must hold in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An element was added. It must be there once, unless some edit removes it.
    Added(String),
    /// An element was removed, or may be removed because of this edit.
    Removed(String),
    /// A key has a value now, or none. In the end it has one that no later edit has replaced.
    Set {
        /// The key.
        key: String,
        /// The value, as [`Reading::keys`] shows it. `None` if it was removed.
        value: Option<String>,
    },
    /// A counter was changed. In the end it is the sum of all changes.
    Counted {
        /// The name of the counter.
        counter: String,
        /// By how much.
        by: i64,
    },
    /// The edit may bring elements back, or twice: nothing can be said about elements and keys any more.
    Anything,
}

/// What a replica holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// All that a user can see. It must be equal on all replicas in the end.
    pub value: Json,
    /// Which edits the replica has, as its version vector or its heads say. It must be equal, too.
    pub version: String,
    /// The elements of which [`Effect::Added`] and [`Effect::Removed`] speak.
    pub elements: Vec<String>,
    /// The keys of which [`Effect::Set`] speaks, with their values.
    pub keys: BTreeMap<String, String>,
    /// The counters of which [`Effect::Counted`] speaks.
    pub counters: BTreeMap<String, i64>,
}

/// A replicated data type. Every error, and every panic, is a finding.
pub trait DataType: Send + Sync {
    /// A replica.
    type Replica;

    /// What replicas hold at the beginning of a schedule, as if an edit had done it.
    fn beginning(&self) -> Vec<Effect> {
        Vec::new()
    }

    /// Makes a replica that has no edits yet.
    fn start(&self, name: Name) -> Result<Self::Replica, String>;

    /// Makes a replica of what another one has saved.
    fn load(&self, name: Name, saved: &[u8]) -> Result<Self::Replica, String>;

    /// Everything that a replica has.
    fn save(&self, replica: &mut Self::Replica) -> Result<Vec<u8>, String>;

    /// Edits a replica. Returns the update for the others, and what the edit has done. `None` if the data type does not
    /// know these words.
    fn edit(&self, replica: &mut Self::Replica, edit: Edit<'_>) -> Result<Option<Edited>, String>;

    /// A replica gets an update, or what another one has saved. It may come twice, or before others on which it depends.
    fn receive(&self, replica: &mut Self::Replica, update: &[u8]) -> Result<(), String>;

    /// Two replicas give each other what the other lacks.
    fn sync(&self, first: &mut Self::Replica, second: &mut Self::Replica) -> Result<(), String>;

    /// What a replica holds.
    fn read(&self, replica: &mut Self::Replica) -> Result<Reading, String>;
}

/// What an edit has made.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// The update for other replicas. Empty if nothing was changed.
    pub update: Vec<u8>,
    /// What was done.
    pub effects: Vec<Effect>,
}
