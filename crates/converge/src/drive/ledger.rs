//! Keeps account of what each replica should hold, and of what must not be lost.

use super::standing::Standing;
use crate::step::Replica;
use crate::store::{Contents, number_of, write_of};

/// The writes that each replica should have, and what became of them on the system.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The writes of each replica, in order.
    pub writes: Vec<Vec<u8>>,
    /// The writes that the system has acknowledged and a majority has stored.
    pub must_survive: Vec<u8>,
    /// The number of writes so far.
    pub used: u8,
    /// The keys of each write, the first with number 1.
    keys: Vec<Vec<String>>,
    /// Who has served together without a failure since.
    serving: Vec<Replica>,
}

impl Ledger {
    /// Makes a ledger of `n` empty replicas.
    pub fn new(n: u8) -> Self {
        Self {
            writes: vec![Vec::new(); n.into()],
            must_survive: Vec::new(),
            used: 0,
            keys: Vec::new(),
            serving: Replica::all(n).collect(),
        }
    }

    /// Numbers a new write. Without `keys`, it has a key of its own.
    pub fn number(&mut self, keys: &[String]) -> u8 {
        self.used += 1;
        self.keys.push(if keys.is_empty() { vec![write_of(self.used).0] } else { keys.to_vec() });
        self.used
    }

    /// The pairs of keys and values of a write.
    pub fn pairs(&self, number: u8) -> Vec<(String, String)> {
        let value = write_of(number).1;
        self.keys_of(number).iter().map(|key| (key.clone(), value.clone())).collect()
    }

    /// The keys of a write.
    pub fn keys_of(&self, number: u8) -> &[String] {
        self.keys.get(usize::from(number).wrapping_sub(1)).map_or(&[], Vec::as_slice)
    }

    /// Enters that a replica has got a write.
    pub fn got(&mut self, replica: Replica, number: u8) {
        self.writes[replica.index()].push(number);
    }

    /// Enters that replicas have failed.
    pub fn failed(&mut self, replicas: &[Replica]) {
        self.serving.retain(|replica| !replicas.contains(replica));
    }

    /// Enters that these replicas serve under one leader: they have what a majority that has served before has, and
    /// otherwise the latest write among them.
    pub fn agreed(&mut self, up: &[Replica]) {
        let before: Vec<Replica> = self.serving.iter().copied().filter(|one| up.contains(one)).collect();
        let by = if 2 * before.len() > self.writes.len() { &before[..] } else { up };
        let latest = by.iter().map(|name| &self.writes[name.index()]).max_by_key(|it| it.last().copied());
        let latest = latest.cloned().unwrap_or_default();
        for name in up {
            self.writes[name.index()].clone_from(&latest);
        }
        self.serving = up.to_vec();
    }

    /// Enters that a replica has lost everything, on purpose.
    pub fn forget(&mut self, replica: Replica) {
        self.writes[replica.index()].clear();
    }

    /// Enters that data has flowed along all links.
    pub fn flow(&mut self, standing: &Standing) {
        for _ in 0..self.writes.len() {
            for name in standing.up() {
                if let Some(source) = standing.running_source(name) {
                    let copied = self.writes[source.index()].clone();
                    self.writes[name.index()] = copied;
                }
            }
        }
    }

    /// Whether a replica holds a write, or a later one to the same keys.
    pub fn is_held(&self, number: u8, found: &Contents) -> bool {
        self.keys_of(number).iter().all(|key| held(key, found) >= Some(number))
    }

    /// Whether a replica holds something of a write.
    pub fn is_seen(&self, number: u8, found: &Contents) -> bool {
        self.keys_of(number).iter().any(|key| held(key, found) == Some(number))
    }
}

/// The number of the latest write that a replica holds under a key. Some stores put a database before the key.
pub(super) fn held(key: &str, found: &Contents) -> Option<u8> {
    let is_its = |found: &str| found.rsplit('/').next() == Some(key);
    found.iter().filter(|(found, _)| is_its(found)).filter_map(|(_, value)| number_of(value)).max()
}
