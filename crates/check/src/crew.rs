//! Workers that work together: each in a thread of its own, on chunks of states.

use crate::expand::Hand;

/// Each thread's stack: deep recursion in a specification must not end the process.
pub const STACK_BYTES: usize = 1 << 30;
/// How many states a worker takes at a time.
pub(crate) const CHUNK_STATES: u32 = 64;

/// Lets as many hands as there are pieces of work do their share; the first one works in this thread.
pub(crate) fn run_all<'p>(hands: &mut [Hand<'p>], n_pieces: usize, work: impl Fn(&mut Hand<'p>) + Sync) {
    let n_hands = hands.len().min(n_pieces);
    let Some((first, others)) = hands[..n_hands].split_first_mut() else { return };
    if others.is_empty() {
        return work(first);
    }
    std::thread::scope(|scope| {
        for hand in others {
            let work = &work;
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    hand.worker.set_stack(STACK_BYTES);
                    work(hand);
                })
                .expect("a thread can be started");
        }
        work(first);
    });
}
