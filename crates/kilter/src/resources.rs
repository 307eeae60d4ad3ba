//! The memory and the stack of this process.

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_check::Usage;

/// The part of a job's deep stack that evaluations in its own thread may use.
pub fn stack_bytes() -> usize {
    memory::stack_bytes(DEEP_STACK_BYTES) / 2
}

/// The memory of this machine. `None` where the operating system does not tell.
pub fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The memory that this process uses. `None` where the operating system does not tell.
pub fn usage() -> Option<Usage> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(Usage { resident_bytes: resident * memory::page_bytes() })
}
