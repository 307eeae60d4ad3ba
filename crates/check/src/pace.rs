//! The size of blocks.

use std::time::Duration;

const BLOCK_MIN: u32 = 256;
const BLOCK_MAX: u32 = 1 << 16;
/// The largest block where memory is limited. How much memory a block takes is known only afterwards.
const LIMITED_BLOCK_MAX: u32 = 1 << 12;
/// The time that a block should take: long enough that its phases cost little, short enough to report and stop in time.
const BLOCK_TIME: Duration = Duration::from_millis(50);

/// The size of the next block, chosen by the time that earlier ones took.
pub(crate) struct Pace {
    pub(crate) block_states: u32,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { block_states: BLOCK_MIN }
    }

    /// Makes blocks larger if the last one was quick, and smaller if it was slow.
    pub(crate) fn adapt(&mut self, took: Duration, is_memory_limited: bool) {
        if took < BLOCK_TIME {
            let max = if is_memory_limited { LIMITED_BLOCK_MAX } else { BLOCK_MAX };
            self.block_states = (self.block_states * 2).min(max);
        } else if took > 4 * BLOCK_TIME {
            self.block_states = (self.block_states / 2).max(BLOCK_MIN);
        }
    }
}
