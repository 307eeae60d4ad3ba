//! The heap: one array of words that only grows. All workers share it.
//!
//! A record consists of a header (4 bits for the kind, 28 bits for the length), the content hash, and `length` words.
//! It is padded to 8 bytes. All loads and stores are relaxed. That is sound because a record is written before its
//! handle leaves the lock of its shard, and everybody who holds the handle got it through that lock, from the store's
//! cache (release and acquire), or from another holder.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kilter_base::{memory, pages};

/// The heap has no room left for another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapFull;

/// Runs code that makes values. A heap that has no room left ends the code at once, by unwinding: values are made in
/// hundreds of places, and none of them could go on without the value (docs/decisions/0011). This function is the only
/// one that knows it; everybody else sees an error.
pub fn within_heap<T>(work: impl FnOnce() -> T) -> Result<T, HeapFull> {
    // The heap only grows, and a record is reachable only once it is whole, so nothing is left half done in it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast() {
        Ok(full) => *full,
        Err(panic) => resume_unwind(panic),
    })
}

/// The kind of a record on the heap. [`Kind::of`] knows the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Int,
    Interval,
    Set,
    Tuple,
    Record,
    Function,
    Powerset,
    FunctionSet,
    RecordSet,
    Product,
    SeqSet,
    Cup,
    Cap,
    Diff,
    /// A long tuple: its chunks, which are tuples, each followed by the index of its end.
    Long,
}

const LENGTH_BITS: u32 = 28;
const LENGTH_MAX: usize = (1 << LENGTH_BITS) - 1;
/// The number of words that handles can reach. The heap never gets larger.
const WORDS_MAX: usize = 1 << 31;
const WORDS_MIN: usize = 1 << 16;
/// If addresses are limited, the heap takes at most one part in this many of them.
const LIMIT_SHARE: u64 = 4;

impl Kind {
    #[inline]
    pub(crate) fn of(header: u32) -> Kind {
        match header >> LENGTH_BITS {
            0 => Kind::Int,
            1 => Kind::Interval,
            2 => Kind::Set,
            3 => Kind::Tuple,
            4 => Kind::Record,
            5 => Kind::Function,
            6 => Kind::Powerset,
            7 => Kind::FunctionSet,
            8 => Kind::RecordSet,
            9 => Kind::Product,
            10 => Kind::SeqSet,
            11 => Kind::Cup,
            12 => Kind::Cap,
            13 => Kind::Diff,
            _ => Kind::Long,
        }
    }

    pub(crate) fn is_lazy(self) -> bool {
        self as u32 >= Kind::Powerset as u32 && self != Kind::Long
    }
}

/// The header word of a record. The heap is full if the record is too long.
#[inline]
pub(crate) fn header(kind: Kind, length: usize) -> u32 {
    if length > LENGTH_MAX {
        full();
    }
    (kind as u32) << LENGTH_BITS | length as u32
}

/// The units of two words that a record with this header takes. `None` if no record begins with it.
pub(crate) fn record_units(header: u32) -> Option<u32> {
    // An integer has one word, so 0 is no header.
    (header != 0).then(|| 1 + (header & LENGTH_MAX as u32).div_ceil(2))
}

/// The number of words of a record with this header.
pub(crate) fn length(header: u32) -> usize {
    header as usize & LENGTH_MAX
}

/// Goes to the end of the [`within_heap`] that is running. It is no panic, so no panic hook is called.
#[cold]
pub(crate) fn full() -> ! {
    resume_unwind(Box::new(HeapFull))
}

/// The array of words, and the end of its used part.
pub(crate) struct Heap {
    words: Box<[AtomicU32]>,
    cursor: Cursor,
}

/// The next free place, in units of two words. It has a cache line of its own, because it is written often and its
/// neighbours are read all the time.
#[repr(align(128))]
struct Cursor(AtomicU32);

/// A worker's own piece of the heap: the next free place in the high half, the end of the piece in the low half. With
/// it, workers neither wait for each other nor write next to each other.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Room(AtomicU64);

/// How much of the heap a worker takes at a time, in units of two words.
const ROOM_UNITS: u32 = 1 << 12;

impl Heap {
    /// Reserves up to `words` words. The operating system provides memory for them when they are first touched.
    pub(crate) fn new(words: usize) -> Heap {
        let mut words = words.clamp(WORDS_MIN, WORDS_MAX);
        loop {
            if let Ok(array) = bytemuck::allocation::try_zeroed_slice_box::<AtomicU32>(words) {
                pages::prefer_large(&array);
                // Place 0 stays unused, so that a handle is never 0.
                return Heap { words: array, cursor: Cursor(AtomicU32::new(1)) };
            }
            if words <= WORDS_MIN {
                full();
            }
            words /= 2;
        }
    }

    /// A heap of the same size with the same records.
    pub(crate) fn copy(&self) -> Heap {
        let heap = Heap::new(self.words.len());
        let used = self.cursor.0.load(Ordering::Relaxed);
        for (to, from) in heap.words.iter().zip(&self.words[..(used as usize * 2).min(self.words.len())]) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        heap.cursor.0.store(used, Ordering::Relaxed);
        heap
    }

    pub(crate) fn largest() -> Heap {
        Heap::new(memory::share(WORDS_MAX * 4, LIMIT_SHARE) / 4)
    }

    #[inline]
    pub(crate) fn header(&self, place: u32) -> u32 {
        self.words[place as usize * 2].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn hash(&self, place: u32) -> u32 {
        self.words[place as usize * 2 + 1].load(Ordering::Relaxed)
    }

    /// The kind and the words of a record.
    #[inline]
    pub(crate) fn record(&self, place: u32) -> (Kind, &[AtomicU32]) {
        let at = place as usize * 2;
        let header = self.words[at].load(Ordering::Relaxed);
        (Kind::of(header), &self.words[at + 2..at + 2 + (header as usize & LENGTH_MAX)])
    }

    /// Whether a record has this header and these words.
    #[inline]
    pub(crate) fn matches(&self, place: u32, header: u32, words: impl Iterator<Item = u32>) -> bool {
        if self.header(place) != header {
            return false;
        }
        let (_, own) = self.record(place);
        own.iter().map(|word| word.load(Ordering::Relaxed)).eq(words)
    }

    /// Reserves a place for a record of `length` words. `None` if the heap is full.
    pub(crate) fn allocate(&self, room: &Room, length: usize) -> Option<u32> {
        let units = u32::try_from(1 + length.div_ceil(2)).ok()?;
        if units >= ROOM_UNITS / 4 {
            return self.reserve(units);
        }
        let taken = room.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| {
            let (next, end) = ((room >> 32) as u32, room as u32);
            (end - next >= units).then(|| u64::from(next + units) << 32 | u64::from(end))
        });
        if let Ok(room) = taken {
            return Some((room >> 32) as u32);
        }
        let Some(next) = self.reserve(ROOM_UNITS) else { return self.reserve(units) };
        room.0.store(u64::from(next + units) << 32 | u64::from(next + ROOM_UNITS), Ordering::Relaxed);
        Some(next)
    }

    fn reserve(&self, units: u32) -> Option<u32> {
        let limit = self.words.len() / 2;
        self.cursor
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |place| {
                let end = place.checked_add(units)?;
                (end as usize <= limit).then_some(end)
            })
            .ok()
    }

    /// Writes a record to a place that [`Heap::allocate`] has reserved.
    pub(crate) fn write(&self, place: u32, header: u32, hash: u32, words: impl Iterator<Item = u32>) {
        let at = place as usize * 2;
        self.words[at].store(header, Ordering::Relaxed);
        self.words[at + 1].store(hash, Ordering::Relaxed);
        for (slot, word) in self.words[at + 2..].iter().zip(words) {
            slot.store(word, Ordering::Relaxed);
        }
    }

    /// Gives up a worker's piece. The rest of it is used again if nothing was reserved behind it, and otherwise stays
    /// zero.
    pub(crate) fn give_up(&self, room: &Room) {
        let room = room.0.swap(0, Ordering::Relaxed);
        let (next, end) = ((room >> 32) as u32, room as u32);
        if next != end {
            let _ = self.cursor.0.compare_exchange(end, next, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The size of the used part, in units of two words.
    pub(crate) fn n_units(&self) -> u32 {
        self.cursor.0.load(Ordering::Relaxed)
    }

    /// The words of a part that is given in units.
    pub(crate) fn words(&self, units: Range<u32>) -> impl Iterator<Item = u32> {
        let words = &self.words[units.start as usize * 2..units.end as usize * 2];
        words.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Writes a unit. Returns whether it was free or has these words already.
    pub(crate) fn put_unit(&self, unit: u32, words: [u32; 2]) -> bool {
        let at = unit as usize * 2;
        let put = |(slot, word): (&AtomicU32, u32)| {
            let old = slot.swap(word, Ordering::Relaxed);
            old == 0 || old == word
        };
        self.words[at..at + 2].iter().zip(words).map(put).fold(true, |all, one| all & one)
    }

    /// Frees the end of the used part.
    pub(crate) fn clear(&self, units: Range<u32>) {
        let words = &self.words[units.start as usize * 2..units.end as usize * 2];
        for word in words {
            word.store(0, Ordering::Relaxed);
        }
        self.set_used(units.start);
    }

    /// Sets the size of the used part, in units.
    pub(crate) fn set_used(&self, n_units: u32) {
        self.cursor.0.store(n_units, Ordering::Relaxed);
    }

    pub(crate) fn used_bytes(&self) -> usize {
        self.cursor.0.load(Ordering::Relaxed) as usize * 8
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        self.words.len() * 4
    }
}
