//! How much memory can be reserved, and threads with deep stacks.
//!
//! Stacks and tables are reserved in full, although only a part of them is used. This costs nothing as long as
//! addresses are free. `ulimit -v` limits them, so each reservation takes at most a share of that limit.

use std::sync::Mutex;
use std::thread;

/// A stack takes at most one part in this many of all usable addresses. A verb, its search and each worker thread have
/// one stack each.
const STACK_SHARE: u64 = 12;
/// glibc reserves 64 MiB of addresses for the small allocations of each thread. This leaves room for three threads: a
/// verb, its search and a worker. If glibc cannot reserve more, further threads share.
const ALLOCATOR_BYTES: u64 = 192 << 20;
/// The address limit never makes a stack smaller than this.
const STACK_MIN: usize = 2 << 20;
/// The stack size for threads whose recursion follows the nesting of a specification: of its text, its expressions or
/// its recursive definitions.
pub const DEEP_STACK_BYTES: usize = 1 << 30;
/// The part of a stack that stays free for calls made when [`StackEnd::is_near`] already holds.
const STACK_RESERVE_BYTES: usize = 512 << 10;

/// How many bytes of addresses this process may use. `None` if there is no limit.
pub fn address_limit() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(target_os = "linux"))]
    None
}

/// The size of a page of memory in bytes. The operating system counts memory in pages.
pub fn page_bytes() -> u64 {
    #[cfg(target_os = "linux")]
    return rustix::param::page_size() as u64;
    #[cfg(not(target_os = "linux"))]
    4096
}

/// The part of the address limit that is left after what the C library takes for threads. `None` if there is no limit.
pub fn usable_addresses() -> Option<u64> {
    address_limit().map(|limit| limit.saturating_sub(ALLOCATOR_BYTES).max(limit / 4))
}

/// `wanted` bytes, but at most one part in `parts` of the usable addresses.
pub fn share(wanted: usize, parts: u64) -> usize {
    match usable_addresses() {
        Some(limit) => wanted.min(usize::try_from(limit / parts).unwrap_or(usize::MAX)),
        None => wanted,
    }
}

/// Whether this many bytes could be allocated in one piece right now.
pub fn has_room(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    // The memory is given back at once and never written to, so the call takes only addresses.
    let mut probe: Vec<u8> = Vec::new();
    let has_room = probe.try_reserve_exact(bytes).is_ok();
    // Without this, the optimiser may find that nobody uses the memory, and drop the allocation.
    std::hint::black_box(&probe);
    has_room
}

/// The size of the stack that a thread gets if it asks for `wanted` bytes.
pub fn stack_bytes(wanted: usize) -> usize {
    share(wanted, STACK_SHARE).max(STACK_MIN.min(wanted))
}

/// Where a thread's stack ends. A function that recurses as deep as its input does asks first whether the end is near.
#[derive(Clone, Copy, Debug, Default)]
pub struct StackEnd(usize);

impl StackEnd {
    /// The end of this thread's stack, if `stack_bytes` bytes of it are left.
    pub fn after(stack_bytes: usize) -> Self {
        StackEnd(here().saturating_sub(stack_bytes.saturating_sub(STACK_RESERVE_BYTES)))
    }

    /// Whether too little stack is left for one more call.
    #[inline]
    pub fn is_near(self) -> bool {
        here() < self.0
    }
}

/// An address near the top of the stack. Stacks grow downwards.
#[inline]
fn here() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker).addr()
}

/// Runs `work` in a thread with a deep stack, and passes it the size of that stack. If no such thread can be started,
/// tries smaller stacks. If that fails too, runs `work` in this thread.
pub fn with_stack<R: Send>(wanted: usize, work: impl FnOnce(usize) -> R + Send) -> R {
    let work = Mutex::new(Some(work));
    let take = || work.lock().ok().and_then(|mut work| work.take());
    let mut bytes = stack_bytes(wanted);
    while bytes >= STACK_MIN / 2 {
        let result = thread::scope(|scope| {
            let run = || take().map(|work| work(bytes));
            let thread = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run).ok()?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        if let Some(result) = result {
            return result;
        }
        bytes /= 2;
    }
    let work = take().expect("no thread has begun the work");
    work(STACK_MIN / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_done_once_in_a_deep_stack() {
        let mut n_calls = 0;
        let told = with_stack(64 << 20, |bytes| {
            n_calls += 1;
            bytes
        });
        assert_eq!((n_calls, told), (1, stack_bytes(64 << 20)));
    }

    #[test]
    fn a_stack_that_cannot_be_had_becomes_a_smaller_one() {
        // No machine has that many addresses.
        assert!(with_stack(1 << 60, |bytes| bytes) < 1 << 60);
    }

    #[test]
    fn the_end_of_a_stack_is_seen_before_it_is_reached() {
        fn depth(end: StackEnd) -> u64 {
            if end.is_near() { 0 } else { 1 + std::hint::black_box(depth(end)) }
        }
        let deep = |bytes| with_stack(bytes, |bytes| depth(StackEnd::after(bytes)));
        assert!(deep(32 << 20) > 2 * deep(8 << 20), "a deeper stack takes more calls");
    }

    #[test]
    fn there_is_room_for_a_little_but_not_for_everything() {
        assert!(has_room(1 << 20));
        assert!(!has_room(1 << 62));
    }

    #[test]
    fn a_share_is_never_more_than_was_wanted() {
        assert!(share(1000, 1) <= 1000);
        assert_eq!(stack_bytes(1 << 20).min(1 << 20), stack_bytes(1 << 20));
    }
}
