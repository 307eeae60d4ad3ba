//! What Kilter has to know about a system: one trait for all systems, and one more for each kind of model.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::nodes::Seat;
use crate::trouble::Trouble;

/// The keys and values of a replica.
pub type Contents = BTreeMap<String, String>;

/// The key and the value of a write. Each write has a key of its own, so that lost writes and writes that come back are
/// both seen.
pub fn write_of(number: u8) -> (String, String) {
    (format!("k{number}"), format!("kilter-w{number}-"))
}

/// The number of the write that has a value.
pub fn number_of(value: &str) -> Option<u8> {
    value.strip_prefix("kilter-w")?.strip_suffix('-')?.parse().ok()
}

/// A client's connection to one node.
pub trait Client {
    /// Sends a write and does not wait for the answer.
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble>;

    /// Sends several writes in one transaction, and does not wait for the answer.
    fn send_together(&mut self, _pairs: &[(String, String)]) -> Result<(), Trouble> {
        Err(Trouble::Unable("transactions of several keys"))
    }

    /// Whether the last write has been acknowledged. Waits for it for up to `patience`.
    fn is_acknowledged(&mut self, patience: Duration) -> bool;

    /// Whether the store has answered to the last write that it was not made, and never will be. Most errors leave that
    /// open: a write that timed out may still be made.
    fn is_refused(&self) -> bool {
        false
    }
}

/// What a store promises to clients that read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// Nothing.
    #[default]
    Nothing,
    /// A client that has read or written something does not read anything older, whichever node it asks.
    Sessions,
    /// All operations seem to happen one after the other, each at a moment between its request and its answer.
    Linearizable,
}

/// A replicated store.
pub trait Store: Send + Sync {
    /// The number of ports that a node needs.
    fn ports(&self) -> usize;

    /// The indices of the ports by which nodes reach each other, if nodes can be told to reach others at the ports of relays
    /// ([`Seat::reached_at`]). Nodes of other stores can't be cut off.
    fn peer_ports(&self) -> &'static [usize] {
        &[]
    }

    /// Checks that the programs are installed.
    fn check(&self) -> Result<(), Trouble>;

    /// Writes the files that the nodes need into their empty directories.
    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble>;

    /// The command line of a node. `source` is the node that it copies from the beginning, if links are set by hand.
    fn command(&self, seats: &[Seat], node: usize, source: Option<usize>) -> Command;

    /// Connects a client to one of the nodes.
    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble>;

    /// All keys and values of one replica. `None` if it does not answer.
    fn read(&self, seat: &Seat) -> Option<Contents>;

    /// What clients are promised that read with [`Store::read_as_client`].
    fn promise(&self) -> Promise {
        Promise::Nothing
    }

    /// All keys and values, as a client reads them that relies on the promise. `None` if the node does not answer that.
    fn read_as_client(&self, _seats: &[Seat], _node: usize) -> Option<Contents> {
        None
    }

    /// Removes what a node that was killed has left outside of its directory.
    fn clean_up(&self, _seat: &Seat) {}

    /// Sends a request of the store's own to a node, and waits for the answer.
    fn say(&self, _seat: &Seat, _text: &str) -> Result<(), Trouble> {
        Err(Trouble::Unable("requests of your own (`say`)"))
    }

    /// A signal that makes a node print what it is doing, for nodes that are stuck.
    fn dump_signal(&self) -> Option<Signal> {
        None
    }

    /// The kinds of resynchronisation that nodes write to their logs: the name of each, and a text that only lines about
    /// it have.
    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether a line of a log is worth showing.
    fn is_interesting(&self, _line: &str) -> bool {
        false
    }
}

/// A store that needs a majority and elects its leader itself.
pub trait Quorum: Store {
    /// The index of the leader, once these nodes serve under one leader and have finished their resync.
    fn leader(&self, seats: &[&Seat]) -> Option<usize>;

    /// Whether the store promises to keep a write that it has acknowledged and a majority has stored.
    fn keeps_acknowledged(&self) -> bool {
        true
    }
}

/// A store whose links are set by hand.
pub trait Chain: Store {
    /// Whether a node answers.
    fn is_ready(&self, seat: &Seat) -> bool;

    /// Makes a node copy another one, or nobody.
    fn link(&self, target: &Seat, source: Option<&Seat>) -> Result<(), Trouble>;

    /// Whether a replica is restarted to copy another one. Then those that copy it are restarted, too.
    fn links_by_restart(&self) -> bool {
        false
    }

    /// Makes a node ready for a replica that will be started with it as its source.
    fn ready_source(&self, _seats: &[Seat], _source: usize) -> Result<(), Trouble> {
        Ok(())
    }

    /// Whether the target has everything that the source has, according to the two.
    fn is_in_sync(&self, target: &Seat, source: &Seat) -> bool;

    /// Makes a node write its snapshot.
    fn save(&self, seat: &Seat) -> Result<(), Trouble>;

    /// The name of the file with a node's snapshot.
    fn snapshot(&self) -> &'static str;

    /// Gives a node that does not run a copy of another one's data.
    fn copy(&self, target: &Seat, source: &Seat) -> Result<(), Trouble> {
        self.save(source)?;
        let file = |seat: &Seat| seat.dir.join(self.snapshot());
        fs::copy(file(source), file(target)).map(|_| ()).map_err(Trouble::own("copying a snapshot"))
    }
}

/// A store of either kind.
pub enum System {
    /// A store for quorum models.
    Quorum(Box<dyn Quorum>),
    /// A store for chain models.
    Chain(Box<dyn Chain>),
}

impl System {
    /// The store, without what only one kind has.
    pub fn store(&self) -> &dyn Store {
        match self {
            Self::Quorum(store) => store.as_ref(),
            Self::Chain(store) => store.as_ref(),
        }
    }
}
