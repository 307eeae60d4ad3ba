//! What each process tells all others in a round.

use kilter_value::{Garbled, put_number, take_number};

use super::fresh::When;
use crate::outcome::Limit;

/// One process's news, or those of all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Whether it has more states of this level to explore.
    pub(crate) has_more: bool,
    /// Whether it is time for a checkpoint.
    pub(crate) checkpoint: bool,
    /// The limit that it has reached.
    pub(crate) stop: Option<Stop>,
    /// When the first violation that it has found happens.
    pub(crate) violation: Option<When>,
    /// The states that it has generated and found since the search began, and those that wait to be explored.
    pub(crate) generated: u64,
    pub(crate) distinct: u64,
    pub(crate) queue: u64,
}

/// Why a process can't go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    At(LimitOrder),
    /// It has made strings that the specification does not contain.
    Strings,
}

/// A limit, in an order that all processes agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LimitOrder(u8);

const LIMITS: [Limit; 8] = [
    Limit::States,
    Limit::Depth,
    Limit::Time,
    Limit::Memory,
    Limit::OutOfMemory,
    Limit::Disk,
    Limit::Interrupt,
    Limit::Exit,
];

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        let number = LIMITS.iter().position(|other| *other == limit).unwrap_or_default();
        Stop::At(LimitOrder(number as u8))
    }
}

impl LimitOrder {
    pub(crate) fn limit(self) -> Limit {
        LIMITS[self.0 as usize % LIMITS.len()]
    }
}

impl News {
    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        put_number(self.has_more.into(), bytes);
        put_number(self.checkpoint.into(), bytes);
        let stop = match self.stop {
            None => 0,
            Some(Stop::Strings) => 1,
            Some(Stop::At(LimitOrder(number))) => u64::from(number) + 2,
        };
        put_number(stop, bytes);
        put_number(u64::from(self.violation.is_some()), bytes);
        for number in [self.violation.map_or(0, |when| when.0), self.generated, self.distinct, self.queue] {
            put_number(number, bytes);
        }
    }

    pub(crate) fn take(bytes: &mut &[u8]) -> Result<News, Garbled> {
        let has_more = take_number(bytes)? == 1;
        let checkpoint = take_number(bytes)? == 1;
        let stop = match take_number(bytes)? {
            0 => None,
            1 => Some(Stop::Strings),
            number => Some(Stop::At(LimitOrder((number - 2) as u8))),
        };
        let has_violation = take_number(bytes)? == 1;
        let when = When(take_number(bytes)?);
        Ok(News {
            has_more,
            checkpoint,
            stop,
            violation: has_violation.then_some(when),
            generated: take_number(bytes)?,
            distinct: take_number(bytes)?,
            queue: take_number(bytes)?,
        })
    }

    /// Takes in what another process says.
    pub(crate) fn join(&mut self, other: &News) {
        self.has_more |= other.has_more;
        self.checkpoint |= other.checkpoint;
        self.stop = self.stop.max(other.stop);
        self.violation = self.violation.into_iter().chain(other.violation).min();
        self.generated += other.generated;
        self.distinct += other.distinct;
        self.queue += other.queue;
    }
}
