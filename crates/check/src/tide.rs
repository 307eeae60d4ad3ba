//! Decides when states leave a memory that is full.
//!
//! Memory that was freed may go on counting as resident: the allocator keeps it and uses it again. If states left each time
//! that the process looks too large, soon none would be left in memory.

/// The fewest states that stay in memory. If there is no room for them, the limit on memory ends the search.
const HOT_STATES_MIN: u32 = 1 << 13;
/// If the process has grown by one part in this many since states left the last time, something else has grown.
const GROWTH_PARTS: u64 = 16;

/// When states left memory the last time.
#[derive(Debug, Default)]
pub(crate) struct Tide {
    /// How many states there were in memory, and how large the process was.
    last: Option<(u32, u64)>,
    /// Whether so few states are left that no others can leave.
    pub(crate) is_over: bool,
}

impl Tide {
    /// Whether states should leave a memory that is full, with so many states in it, and so many bytes resident.
    pub(crate) fn turns(&mut self, n_hot: u32, resident: u64) -> bool {
        let is_freed = |(n, bytes): (u32, u64)| n_hot < n && resident <= bytes + bytes / GROWTH_PARTS;
        if self.last.is_some_and(is_freed) {
            return false;
        }
        self.is_over = n_hot <= HOT_STATES_MIN;
        if !self.is_over {
            self.last = Some((n_hot, resident));
        }
        !self.is_over
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
