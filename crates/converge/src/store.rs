//! What Kilter has to know of a system: one trait for all, and one more for each kind of model.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::nodes::Seat;
use crate::trouble::Trouble;

/// What a replica holds.
pub type Contents = BTreeMap<String, String>;

/// A key with its value, as schedules write them. Each write has a key of its own, so that what is lost and what comes
/// back from the dead are both seen.
pub fn write_of(number: u8) -> (String, String) {
    (format!("k{number}"), format!("kilter-w{number}-"))
}

/// A client's connection to one node.
pub trait Client {
    /// Sends a write and does not wait.
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble>;

    /// Whether the write that was sent last has been acknowledged; waits for that a little.
    fn is_acknowledged(&mut self, patience: Duration) -> bool;
}

/// A replicated store.
pub trait Store: Send + Sync {
    /// How many ports a node needs.
    fn ports(&self) -> usize;

    /// Whether the programs are there.
    fn check(&self) -> Result<(), Trouble>;

    /// Writes what the nodes need into their empty directories.
    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble>;

    /// The command line of a node. `source`: whom it copies from the beginning, if links are set by hand.
    fn command(&self, seats: &[Seat], node: usize, source: Option<usize>) -> Command;

    /// A client of one of the nodes.
    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble>;

    /// All keys and values of one replica; `None` if it does not answer.
    fn read(&self, seat: &Seat) -> Option<Contents>;

    /// A signal that makes a node print what it is doing, for nodes that are stuck.
    fn dump_signal(&self) -> Option<Signal> {
        None
    }

    /// Which lines of a log are worth showing.
    fn is_interesting(&self, _line: &str) -> bool {
        false
    }
}

/// A store that needs a majority and finds its leader itself.
pub trait Quorum: Store {
    /// Who leads, once these nodes serve under one leader and have finished their resync.
    fn leader(&self, seats: &[&Seat]) -> Option<usize>;
}

/// A store whose links are set by hand.
pub trait Chain: Store {
    /// Whether a node answers.
    fn is_ready(&self, seat: &Seat) -> bool;

    /// Makes a node copy another, or nobody.
    fn link(&self, target: &Seat, source: Option<&Seat>) -> Result<(), Trouble>;

    /// Whether the target has all that the source has, by what they say themselves.
    fn is_in_sync(&self, target: &Seat, source: &Seat) -> bool;

    /// Makes a node write its snapshot.
    fn save(&self, seat: &Seat) -> Result<(), Trouble>;

    /// The file with a node's snapshot.
    fn snapshot(&self) -> &'static str;
}

/// A store of either kind.
pub enum System {
    /// For quorum models.
    Quorum(Box<dyn Quorum>),
    /// For chain models.
    Chain(Box<dyn Chain>),
}

impl System {
    /// What both kinds have.
    pub fn store(&self) -> &dyn Store {
        match self {
            Self::Quorum(store) => store.as_ref(),
            Self::Chain(store) => store.as_ref(),
        }
    }
}
