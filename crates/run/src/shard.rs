//! One of several parts of a run, each of which may be played on another machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of several parts of a run, each of which may be played on another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// The number of the part, from 1.
    pub part: u64,
    /// The number of parts.
    pub parts: u64,
}

/// The error for a text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it should be K/N with K from 1 to N, such as 2/4")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (part, parts) = text.split_once('/').ok_or(NoShard)?;
        let shard = part.parse().ok().zip(parts.parse().ok()).map(|(part, parts)| Shard { part, parts });
        shard.filter(|shard| (1..=shard.parts).contains(&shard.part)).ok_or(NoShard)
    }
}

impl TryFrom<String> for Shard {
    type Error = NoShard;

    fn try_from(text: String) -> Result<Shard, NoShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

impl Shard {
    /// The only part, which is everything.
    pub const WHOLE: Shard = Shard { part: 1, parts: 1 };

    /// Every n-th of some cases, so that all parts take about the same time.
    pub fn every_nth<C>(self, cases: Vec<C>) -> Vec<C> {
        let cases = cases.into_iter().zip(0u64..);
        cases.filter(|(_, index)| index % self.parts == self.part - 1).map(|(case, _)| case).collect()
    }

    /// A range of the cases' indices, for cases whose neighbours have much in common.
    pub fn stretch(self, n_cases: u64) -> std::ops::Range<u64> {
        let bound = |part: u64| (u128::from(n_cases) * u128::from(part) / u128::from(self.parts)) as u64;
        bound(self.part - 1)..bound(self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition() {
        let all: Vec<u64> = (0..80).collect();
        let shard = |part| Shard { part, parts: 3 };
        let mut by_turns: Vec<u64> = (1..=3).flat_map(|part| shard(part).every_nth(all.clone())).collect();
        by_turns.sort_unstable();
        assert_eq!(by_turns, all);
        let in_stretches: Vec<u64> = (1..=3).flat_map(|part| shard(part).stretch(80)).collect();
        assert_eq!(in_stretches, all);
        assert_eq!(Shard::WHOLE.stretch(u64::MAX), 0..u64::MAX);
    }

    #[test]
    fn shards_are_read_and_written() {
        assert_eq!("2/4".parse(), Ok(Shard { part: 2, parts: 4 }));
        assert_eq!(Shard { part: 2, parts: 4 }.to_string(), "2/4");
        for text in ["", "2", "0/4", "5/4", "a/b", "1/0", "-1/2", "1/2/3"] {
            assert_eq!(text.parse::<Shard>(), Err(NoShard), "{text}");
        }
    }
}
