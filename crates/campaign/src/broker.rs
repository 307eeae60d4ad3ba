//! What keeps a campaign: the queue of its cases, their results, and its files. The worker knows nothing of how that is done.

use std::time::Duration;

use thiserror::Error;

use crate::parcel::{Parcel, Played};

/// Keeps one campaign. Whatever it answers with an error may have been done or not, so everything can be asked for again.
pub trait Broker: Send {
    /// Makes room for a campaign that is not there yet.
    fn create(&mut self, settings: &Settings) -> Result<(), BrokerError>;

    /// Removes the campaign with all that it has.
    fn remove(&mut self) -> Result<(), BrokerError>;

    /// Keeps a content by its hash.
    fn put(&mut self, hash: &str, content: &[u8]) -> Result<(), BrokerError>;

    /// The content with this hash. `None` if there is none.
    fn get(&mut self, hash: &str) -> Result<Option<Vec<u8>>, BrokerError>;

    /// Reads a paper. `None` if there is none of this name.
    fn read(&mut self, name: &str) -> Result<Option<Paper>, BrokerError>;

    /// Writes a paper if it still has this revision, 0 for none. Returns whether it was written.
    fn write(&mut self, name: &str, text: &str, revision: u64) -> Result<bool, BrokerError>;

    /// The texts of papers of this kind, by name.
    fn papers(&mut self, kind: &str) -> Result<Vec<(String, String)>, BrokerError>;

    /// Writes a paper of this kind, whether there is one of this name or not.
    fn tell(&mut self, kind: &str, name: &str, text: &str) -> Result<(), BrokerError>;

    /// Puts cases into the queue. A case that was put there before is not doubled.
    fn enqueue(&mut self, parcels: &[Parcel]) -> Result<(), BrokerError>;

    /// Takes up to `n` cases out of the queue, for as long as [`Settings::lost_after`] says. If there are none, it waits for them, but not
    /// longer than `wait`.
    fn fetch(&mut self, n: usize, wait: Duration) -> Result<Vec<Delivery>, BrokerError>;

    /// Says that these cases are still being played.
    fn extend(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError>;

    /// Says that these cases have their results, and need not be given to anybody again.
    fn finish(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError>;

    /// Gives cases back to the queue, from which somebody else takes them at once. They do not count as taken then.
    fn hand_back(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError>;

    /// Keeps results, unless there is one of the case already. An error means that some may be kept and others not.
    fn store(&mut self, results: &[Played]) -> Result<Vec<Kept>, BrokerError>;

    /// Whether a case has its result.
    fn has_result(&mut self, case: &str) -> Result<bool, BrokerError>;

    /// The number of cases that have their result.
    fn n_results(&mut self) -> Result<u64, BrokerError>;

    /// Results in the order in which they came, from the one with this number on, which is 0 for the first; not always all. Returns also the
    /// number from which to go on. There are no more if it is the same.
    fn results(&mut self, from: u64) -> Result<(Vec<Played>, u64), BrokerError>;

    /// How many cases nobody has taken, and how many are with workers.
    fn queued(&mut self) -> Result<Queued, BrokerError>;
}

/// How a campaign is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// A worker that has said nothing for so long has lost its cases.
    pub lost_after: Duration,
    /// On how many brokers everything is kept. `None` for three if there are so many.
    pub replicas: Option<usize>,
}

/// A case that was taken out of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The case.
    pub parcel: Parcel,
    /// What its worker has to show when it says something about it.
    pub ticket: Ticket,
    /// How often it was taken by now, without those times that it was given back.
    pub given: u64,
}

/// What a worker has to show when it says something about a case that it has taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub String);

/// Whether a result was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is the one that counts.
    Now,
    /// The case had a result before, which counts. It may be the same, if the answer to an earlier try was lost.
    Before,
}

/// A small text with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// The text.
    pub text: String,
    /// Grows with each change.
    pub revision: u64,
}

/// Where the cases are that have no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queued {
    /// The number of cases that nobody has taken.
    pub waiting: u64,
    /// The number of cases that workers have taken.
    pub taken: u64,
}

/// Why something could not be done. The texts are for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BrokerError {
    /// No broker answers. Trying again may help.
    #[error("{0}")]
    Away(String),
    /// The broker can't do it, or does not want to.
    #[error("{0}")]
    Refused(String),
}
