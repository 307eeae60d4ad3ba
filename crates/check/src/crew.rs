//! Workers that explore chunks of states together, each in a thread of its own.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::expand::Hand;

/// The most states in a chunk. Large chunks are good because many successors in a chunk are equal, and only one of them
/// has to be merged.
const CHUNK_STATES_MAX: usize = 256;
/// The fewest states in a chunk.
const CHUNK_STATES_MIN: usize = 16;
/// The number of chunks that a worker's share is cut into. With small chunks, workers do not wait long for each other
/// at the end.
const SHARE_CHUNKS: usize = 8;

/// All workers of a search. Their threads live as long as the crew, because a search calls them twice for each level,
/// and there may be thousands of short levels.
pub(crate) struct Crew<'p> {
    pub(crate) hands: Vec<Hand<'p>>,
    /// The threads of all hands but the first. `None` if there is only one hand.
    pool: Option<ThreadPool>,
    /// The stack of each thread.
    stack_bytes: usize,
}

impl<'p> Crew<'p> {
    pub(crate) fn new(mut hands: Vec<Hand<'p>>) -> Self {
        let n_threads = hands.len() - 1;
        // Where addresses are limited, all stacks together take at most a quarter of them.
        let share = memory::share(DEEP_STACK_BYTES, 4 * hands.len() as u64);
        let stack_bytes = memory::stack_bytes(DEEP_STACK_BYTES).min(share).max(1 << 20);
        let builder = ThreadPoolBuilder::new().num_threads(n_threads).stack_size(stack_bytes);
        // If there is no memory for more threads, one hand does all the work. The results are the same.
        let pool = if n_threads > 0 { builder.build().ok() } else { None };
        if pool.is_none() {
            hands.truncate(1);
        }
        Crew { hands, pool, stack_bytes }
    }

    /// Calls `work` with each hand and its number, but with no more hands than there are pieces of work. The first hand
    /// works in this thread.
    pub(crate) fn run(&mut self, n_pieces: usize, work: impl Fn(usize, &mut Hand<'p>) + Sync) {
        let n_hands = self.hands.len().min(n_pieces);
        let Some((first, others)) = self.hands[..n_hands].split_first_mut() else { return };
        let Some(pool) = self.pool.as_ref().filter(|_| !others.is_empty()) else { return work(0, first) };
        let stack_bytes = self.stack_bytes;
        pool.in_place_scope(|scope| {
            for (number, hand) in (1..).zip(others) {
                let work = &work;
                scope.spawn(move |_| {
                    hand.worker.set_stack(stack_bytes);
                    work(number, hand);
                });
            }
            work(0, first);
        });
    }

    /// Cuts states into chunks and gives each to a hand. Returns the results in the order of the states.
    pub(crate) fn map_chunks<R: Send>(
        &mut self,
        states: Range<u32>,
        work: impl Fn(&mut Hand<'p>, Range<u32>) -> Option<R> + Sync,
    ) -> Vec<R> {
        let chunk =
            (states.len() / (SHARE_CHUNKS * self.hands.len())).clamp(CHUNK_STATES_MIN, CHUNK_STATES_MAX);
        let n_chunks = states.len().div_ceil(chunk);
        let shares = Shares::new(states, self.hands.len().min(n_chunks), chunk as u32);
        let done = Mutex::new(Vec::new());
        self.run(n_chunks, |number, hand| {
            let mut own = Vec::new();
            while let Some(chunk) = shares.take(number) {
                let start = chunk.start;
                own.extend(work(hand, chunk).map(|result| (start, result)));
            }
            done.lock().expect("no worker panics while it holds the lock").append(&mut own);
        });
        let mut done = done.into_inner().expect("no worker panics while it holds the lock");
        done.sort_by_key(|(start, _)| *start);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Each hand has a share of neighbouring states. Neighbours consist of the same values, so hands rarely look up the
/// same values at the same time. A hand that has finished its own share helps the others.
struct Shares {
    shares: Vec<Share>,
    chunk: u32,
}

/// One hand's share, on cache lines of its own, because it is written often.
#[repr(align(128))]
struct Share {
    next: AtomicU32,
    end: u32,
}

impl Shares {
    fn new(states: Range<u32>, n_shares: usize, chunk: u32) -> Self {
        let cut = |i: usize| states.start + (states.len() * i / n_shares) as u32;
        let share = |i| Share { next: AtomicU32::new(cut(i)), end: cut(i + 1) };
        Shares { shares: (0..n_shares).map(share).collect(), chunk }
    }

    /// The next chunk for a hand. `None` if all shares are empty.
    fn take(&self, number: usize) -> Option<Range<u32>> {
        let (before, from_own) = self.shares.split_at(number);
        from_own.iter().chain(before).find_map(|share| {
            let more = share.next.load(Ordering::Relaxed) < share.end;
            let start = more.then(|| share.next.fetch_add(self.chunk, Ordering::Relaxed))?;
            (start < share.end).then(|| start..share.end.min(start + self.chunk))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_each_state_once() {
        for (states, n_shares) in [(0..1, 1), (5..200, 2), (0..1000, 3), (7..7 + 64 * 8, 8)] {
            let shares = Shares::new(states.clone(), n_shares, 64);
            let mut taken: Vec<u32> = Vec::new();
            // One is slower than the others.
            taken.extend(shares.take(0).into_iter().flatten());
            for number in (0..n_shares).rev() {
                while let Some(chunk) = shares.take(number) {
                    taken.extend(chunk);
                }
            }
            taken.sort_unstable();
            assert_eq!(taken, states.collect::<Vec<u32>>());
        }
    }
}
