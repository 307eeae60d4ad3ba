//! What a checkpoint says, as bytes: a line with the version, the content, and a checksum.

use std::ops::Range;

use kilter_base::Name;
use kilter_value::Value;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::{Event, What};
use crate::disk::log::Extent;
use crate::disk::{CHECKPOINT, Unfit};
use crate::growth::Growth;
use crate::outcome::{Counts, Coverage};

/// What every version begins with.
const MAGIC: &[u8] = b"kilter checkpoint ";
const VERSION: &[u8] = b"2\n";
const CHECKSUM_BYTES: usize = 8;

/// A checkpoint.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// See [`Disk::identity`](crate::disk::Disk::identity).
    pub(crate) identity: Vec<(String, String)>,
    pub(crate) states: Extent,
    pub(crate) values: Extent,
    pub(crate) names: Extent,
    pub(crate) has_typed_models: bool,
    pub(crate) standing: Standing,
    /// Of a search by several processes.
    pub(crate) together: Option<Together>,
}

/// What one of several processes needs besides to go on, between two levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Together {
    pub(crate) n_processes: u32,
    pub(crate) me: u32,
    /// For each state, the process of its parent.
    pub(crate) parents: Extent,
    /// The places of its states in the last level.
    pub(crate) places: Vec<u32>,
    /// The size of the last level in all processes.
    pub(crate) level_size: u64,
}

/// How far a search is, between two blocks. The same search goes on from here to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    pub(crate) frontier: Frontier,
    pub(crate) n_states: u32,
    pub(crate) n_initial: u32,
    pub(crate) generated: u64,
    pub(crate) depth: u32,
    /// For each action, the three numbers of [`Coverage`].
    coverage: Vec<[u64; 3]>,
    /// Violations after which the search goes on.
    passed: Vec<Violated>,
    pub(crate) growth: Growth,
}

/// The level that is being explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frontier {
    pub(crate) level: Range<u32>,
    /// The states before this one are explored.
    pub(crate) explored: u32,
    /// Whether the level is counted already.
    pub(crate) is_begun: bool,
}

/// A violation after which the search goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Violated {
    source: Option<u32>,
    successor: Option<Vec<u32>>,
    what: Broken,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Broken {
    Deadlock,
    Invariant(String),
    Property(String),
}

impl Checkpoint {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [MAGIC, VERSION].concat();
        bytes.extend(postcard::to_stdvec(self).expect("nothing in a checkpoint is of unknown length"));
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, Unfit> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(Unfit::Foreign("something else")) };
        if !rest.starts_with(VERSION) {
            return Err(Unfit::Foreign("another version of Kilter"));
        }
        let damaged = Unfit::Damaged { file: CHECKPOINT, how: "damaged" };
        let n_content = bytes.len().saturating_sub(CHECKSUM_BYTES);
        let (content, checksum) = bytes.split_at(n_content);
        if checksum != xxh3_64(content).to_le_bytes() {
            return Err(damaged);
        }
        content
            .get(MAGIC.len() + VERSION.len()..)
            .and_then(|content| postcard::from_bytes(content).ok())
            .ok_or(damaged)
    }

    /// Whether the checkpoint is of this search. The error names the first difference.
    pub(crate) fn is_of(&self, identity: &[(String, String)]) -> Result<(), Unfit> {
        let differs = |((name, theirs), (other, ours)): (&(String, String), &(String, String))| {
            (name != other || theirs != ours).then(|| other.clone())
        };
        match self.identity.iter().zip(identity).find_map(differs) {
            Some(name) => Err(Unfit::Other(name)),
            None if self.identity.len() != identity.len() => Err(Unfit::Foreign("another version of Kilter")),
            None => Ok(()),
        }
    }
}

impl Standing {
    pub(crate) fn new(
        frontier: &Frontier,
        (n_states, n_initial): (u32, u32),
        counts: &Counts,
        coverage: &[Coverage],
        passed: &[Event],
        growth: &Growth,
    ) -> Standing {
        Standing {
            frontier: frontier.clone(),
            n_states,
            n_initial,
            generated: counts.generated,
            depth: counts.depth,
            coverage: coverage.iter().map(|one| [one.enabled, one.taken, one.new]).collect(),
            passed: passed.iter().filter_map(Violated::of).collect(),
            growth: growth.clone(),
        }
    }

    pub(crate) fn coverage(&self) -> impl Iterator<Item = Coverage> {
        self.coverage.iter().map(|[enabled, taken, new]| Coverage {
            enabled: *enabled,
            taken: *taken,
            new: *new,
        })
    }

    pub(crate) fn passed(&self) -> impl Iterator<Item = Event> {
        self.passed.iter().map(Violated::event)
    }
}

impl Violated {
    fn of(event: &Event) -> Option<Violated> {
        let what = match &event.what {
            What::Deadlock => Broken::Deadlock,
            What::Invariant(name) => Broken::Invariant(name.to_string()),
            What::Property(name) => Broken::Property(name.to_string()),
            // No search goes on after these.
            What::Error(_) | What::Disk => return None,
        };
        let successor = event.successor.as_ref().map(|row| row.iter().map(|value| value.bits()).collect());
        Some(Violated { source: event.source, successor, what })
    }

    fn event(&self) -> Event {
        let what = match &self.what {
            Broken::Deadlock => What::Deadlock,
            Broken::Invariant(name) => What::Invariant(Name::from(name.as_str())),
            Broken::Property(name) => What::Property(Name::from(name.as_str())),
        };
        let row = |row: &Vec<u32>| row.iter().map(|bits| Value::from_bits(*bits)).collect();
        Event { source: self.source, successor: self.successor.as_ref().map(row), what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes() -> Vec<u8> {
        let growth = Growth::new(2);
        let frontier = Frontier { level: 3..9, explored: 5, is_begun: true };
        let event = Event { source: Some(4), successor: Some(vec![Value::TRUE]), what: What::Deadlock };
        let counts = Counts { generated: 90, distinct: 12, depth: 3, queue: 4 };
        let standing = Standing::new(&frontier, (12, 3), &counts, &[Coverage::default()], &[event], &growth);
        let log = Extent::default();
        let identity = vec![("specification".to_owned(), "a".to_owned())];
        let (states, values, names) = (log, log, log);
        Checkpoint { identity, states, values, names, has_typed_models: true, standing, together: None }
            .to_bytes()
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = bytes();
        let read = Checkpoint::from_bytes(&bytes).expect("it is one");
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!(read.standing.passed().count(), 1);
    }

    #[test]
    fn anything_else_is_refused() {
        let bytes = bytes();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x10;
            assert!(Checkpoint::from_bytes(&other).is_err(), "byte {at}");
            assert!(Checkpoint::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
        let older = [MAGIC, b"0\n", b"whatever"].concat();
        let error = Checkpoint::from_bytes(&older).expect_err("it is older");
        assert!(error.to_string().contains("another version"), "{error}");
    }

    #[test]
    fn another_search_is_named() {
        let read = Checkpoint::from_bytes(&bytes()).expect("it is one");
        let own = [("specification".to_owned(), "a".to_owned())];
        read.is_of(&own).expect("it is the same");
        let other = [("specification".to_owned(), "b".to_owned())];
        let error = read.is_of(&other).expect_err("it is another");
        assert!(error.to_string().contains("another specification"), "{error}");
        read.is_of(&[]).expect_err("it says less");
    }
}
