//! Decides how much memory a search may still use, by the limits of the user and of the operating system.
//!
//! The search asks before each block of states. It counts what it will need soon besides what it has: tables that are
//! about to grow, and the graph that is made of its states at the end. So it ends with a verdict, where a failed
//! allocation would end the process.

use kilter_base::memory;

use crate::options::{Options, Usage};
use crate::outcome::Limit;

/// One part in this many of all addresses stays free for small things: buffers, messages, the trace.
const RESERVE_PARTS: u64 = 16;
/// At least this much stays free.
const RESERVE_MIN: u64 = 8 << 20;
/// Where addresses are limited, each worker needs this many: for its stack, and for what the C library reserves.
const WORKER_ADDRESSES: u64 = 128 << 20;

/// The number of workers that there are addresses for, at most `wanted`.
pub(crate) fn workers(wanted: usize) -> usize {
    let fitting = memory::usable_addresses().map_or(u64::MAX, |limit| limit / WORKER_ADDRESSES);
    wanted.min(usize::try_from(fitting).unwrap_or(usize::MAX)).max(1)
}

/// The memory that a search may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    resident_max: Option<u64>,
    /// The bytes of addresses that must stay free. `None` if addresses are not limited.
    reserve_bytes: Option<u64>,
    usage: fn() -> Option<Usage>,
}

/// The memory that a search needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// The memory that the search knows it has. Used where the process cannot be asked.
    pub(crate) known_bytes: u64,
    /// The memory that will soon be written to.
    pub(crate) soon_bytes: u64,
    /// The addresses that will soon be asked for, in pieces that may be large.
    pub(crate) addresses: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance { resident_max: None, reserve_bytes: None, usage: || None }
    }
}

impl Allowance {
    pub(crate) fn new(options: &Options) -> Self {
        Allowance {
            resident_max: options.limits.memory_max_bytes,
            reserve_bytes: memory::usable_addresses().map(|limit| limit / RESERVE_PARTS + RESERVE_MIN),
            usage: options.usage,
        }
    }

    /// Whether any limit is set.
    pub(crate) fn is_limited(&self) -> bool {
        self.resident_max.is_some() || self.reserve_bytes.is_some()
    }

    /// Whether there is still room for small things after a large allocation.
    pub(crate) fn has_slack(&self) -> bool {
        self.reserve_bytes.is_none_or(|reserve| memory::has_room(reserve / 2))
    }

    /// The memory that is in use, as far as is known.
    pub(crate) fn resident(&self, need: Need) -> u64 {
        (self.usage)().map_or(need.known_bytes, |usage| usage.resident_bytes)
    }

    /// The limit that `need` exceeds, if any.
    pub(crate) fn exceeded(&self, need: Need) -> Option<Limit> {
        if !self.is_limited() {
            return None;
        }
        if self.resident_max.is_some_and(|max| self.resident(need) + need.soon_bytes >= max) {
            return Some(Limit::Memory);
        }
        let is_full = |reserve: u64| !memory::has_room(need.addresses.saturating_add(reserve));
        self.reserve_bytes.is_some_and(is_full).then_some(Limit::OutOfMemory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Limits;

    #[test]
    fn what_is_needed_soon_counts() {
        let limits = Limits { memory_max_bytes: Some(1000), ..Limits::default() };
        let usage = || Some(Usage { resident_bytes: 600 });
        let allowance = Allowance::new(&Options { limits, usage, ..Options::default() });
        let need = |soon_bytes| Need { soon_bytes, ..Need::default() };
        assert_eq!(allowance.exceeded(need(399)), None);
        assert_eq!(allowance.exceeded(need(400)), Some(Limit::Memory));
    }

    #[test]
    fn addresses_are_another_limit() {
        let allowance = Allowance { reserve_bytes: Some(1 << 20), ..Allowance::default() };
        let need = |addresses| Need { addresses, ..Need::default() };
        assert_eq!(allowance.exceeded(need(0)), None);
        assert_eq!(allowance.exceeded(need(1 << 62)), Some(Limit::OutOfMemory));
    }

    #[test]
    fn slack_matters_where_addresses_are_limited() {
        let slack = |reserve_bytes| Allowance { reserve_bytes, ..Allowance::default() }.has_slack();
        assert!(slack(None) && slack(Some(1 << 20)) && !slack(Some(1 << 62)));
    }

    #[test]
    fn without_an_answer_the_search_knows_best() {
        let allowance = Allowance { resident_max: Some(100), ..Allowance::default() };
        let need = |known_bytes| Need { known_bytes, ..Need::default() };
        assert_eq!(allowance.exceeded(need(99)), None);
        assert_eq!(allowance.exceeded(need(100)), Some(Limit::Memory));
    }
}
