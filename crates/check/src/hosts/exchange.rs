//! How processes give each other bytes.

/// Brings parcels to other processes of a search. All processes call [`Exchange::swap`] equally often.
pub trait Exchange {
    /// The number of this process, from 0.
    fn me(&self) -> usize;

    /// The number of processes.
    fn n_processes(&self) -> usize;

    /// Gives each process its parcel, this one included. Returns what each has given to this one in the same round, by
    /// process.
    fn swap(&mut self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost>;
}

/// A process is gone, so there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("process {process} of the search is gone ({how}); without its states there is no answer")]
pub struct Lost {
    /// Its number.
    pub process: usize,
    /// How that was noticed.
    pub how: String,
}
