//! The cases of a run.

use xxhash_rust::xxh3::Xxh3Default;

use crate::record::Counters;

/// Provides the cases of a run, in order.
pub trait Source<C>: Send {
    /// The next case. It does not wait for one.
    fn next(&mut self) -> Next<C>;

    /// The number of cases that are left.
    fn n_left(&self) -> u64;

    /// Hears what was counted in a case. Called for each case that has ended, in the order of the cases.
    fn hear(&mut self, _case: &C, _counters: &Counters) {}
}

/// What a source has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<C> {
    /// The next case.
    Case(C),
    /// There is none now. There may be one later.
    Later,
    /// There will be no more.
    Never,
}

/// Cases in a list.
#[derive(Debug)]
pub struct Cases<C>(std::vec::IntoIter<C>);

impl<C> Cases<C> {
    /// Provides all these cases.
    pub fn new(cases: Vec<C>) -> Cases<C> {
        Cases(cases.into_iter())
    }
}

impl<C: Send> Source<C> for Cases<C> {
    fn next(&mut self) -> Next<C> {
        self.0.next().map_or(Next::Never, Next::Case)
    }

    fn n_left(&self) -> u64 {
        self.0.len() as u64
    }
}

/// A fingerprint of a list of cases, by their ids.
pub fn fingerprint<'c>(ids: impl Iterator<Item = &'c str>) -> String {
    let mut hasher = Xxh3Default::new();
    for id in ids {
        hasher.update(id.as_bytes());
        hasher.update(b"\n");
    }
    format!("{:016x}", hasher.digest())
}
