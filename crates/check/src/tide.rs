//! Decides when states leave a memory that is full.
//!
//! Memory that was freed may go on counting as resident: the allocator keeps small pieces and uses them again. If states left each
//! time that the process looks too large, soon none would be left in memory. Large pieces go back to the system, and then what is
//! resident is the truth.

/// The fewest states that stay in memory. If there is no room for them, the limit on memory ends the search.
const HOT_STATES_MIN: u32 = 1 << 13;
/// A change by one part in this many counts.
const PARTS: u64 = 16;

/// When states left memory the last time.
#[derive(Debug, Default)]
pub(crate) struct Tide {
    /// How many states there may be in memory before others leave, and how large the process was when the last ones left. `None`
    /// if the process became smaller then.
    last: Option<(u32, u64)>,
    /// Whether so few states are left that no others can leave.
    pub(crate) is_over: bool,
}

impl Tide {
    /// Whether states should leave a memory that is full, with so many states in it, and so many bytes resident.
    pub(crate) fn turns(&mut self, n_hot: u32, resident: u64) -> bool {
        let is_freed = |(n, bytes): (u32, u64)| n_hot < n && resident <= bytes + bytes / PARTS;
        if self.last.is_some_and(is_freed) {
            return false;
        }
        self.is_over = n_hot <= HOT_STATES_MIN;
        if !self.is_over {
            // Never more than before: each time there are some more of them than when memory became full.
            let n = self.last.map_or(n_hot, |(n, _)| n.min(n_hot));
            self.last = Some((n, resident));
        }
        !self.is_over
    }

    /// Takes down how many bytes are resident after states have left.
    pub(crate) fn turned(&mut self, resident: u64) {
        self.last = self.last.filter(|(_, bytes)| resident > bytes - bytes / PARTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_used_again_before_more_is_freed() {
        let mut tide = Tide::default();
        assert!(tide.turns(100_000, 1000));
        assert!(!tide.turns(50_000, 1000) && !tide.turns(99_000, 1010));
        assert!(tide.turns(100_000, 1010));
        // More states than that never become the measure.
        assert!(tide.turns(120_000, 1010) && !tide.turns(99_000, 1010));
        assert!(tide.turns(100_000, 1010));
    }

    #[test]
    fn a_process_that_became_smaller_is_as_large_as_it_looks() {
        let mut tide = Tide::default();
        assert!(tide.turns(100_000, 1000));
        tide.turned(700);
        assert!(tide.turns(60_000, 990));
        tide.turned(980);
        assert!(!tide.turns(59_000, 1000));
    }

    #[test]
    fn what_grows_besides_makes_states_leave_until_few_are_left() {
        let mut tide = Tide::default();
        assert!(tide.turns(20_000, 1000));
        assert!(tide.turns(10_000, 1100));
        assert!(!tide.is_over);
        assert!(!tide.turns(5_000, 1200));
        assert!(tide.is_over);
    }
}
