//! The heap: one array of words that only grows, shared by all workers.
//!
//! A record is `kind (4 bits) | length (28 bits)`, the content hash, and then `length` words, padded to 8 bytes.
//! All loads and stores are relaxed: a record is written before its handle leaves the shard's lock, and whoever holds
//! the handle got it through that lock, or from the store's cache (release and acquire), or from somebody who did.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kilter_base::{memory, pages};

/// The payload of the panic that ends an evaluation when the heap has no room left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapFull;

/// What a record on the heap is; [`Kind::of`] knows the numbers.
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
}

const LENGTH_BITS: u32 = 28;
const LENGTH_MAX: usize = (1 << LENGTH_BITS) - 1;
/// Words of a handle's largest place; the heap is never larger than handles can reach.
const WORDS_MAX: usize = 1 << 31;
const WORDS_MIN: usize = 1 << 16;
/// Where addresses are limited, the heap takes one part in `LIMIT_SHARE` of them at most.
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
            _ => Kind::Diff,
        }
    }

    pub(crate) fn is_lazy(self) -> bool {
        self as u32 >= Kind::Powerset as u32
    }
}

/// The header word of a record; too long a record unwinds with [`HeapFull`].
#[inline]
pub(crate) fn header(kind: Kind, length: usize) -> u32 {
    if length > LENGTH_MAX {
        full();
    }
    (kind as u32) << LENGTH_BITS | length as u32
}

/// Unwinds with [`HeapFull`].
#[cold]
pub(crate) fn full() -> ! {
    std::panic::panic_any(HeapFull)
}

/// The array and how much of it is used.
pub(crate) struct Heap {
    words: Box<[AtomicU32]>,
    cursor: Cursor,
}

/// The next place that nobody has, in units of two words; on a cache line of its own, because it is written often and
/// its neighbours are read all the time.
#[repr(align(128))]
struct Cursor(AtomicU32);

/// A worker's own piece of the heap, so that workers neither wait for each other nor write next to each other:
/// the next free place in the high half, the end in the low half.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Room(AtomicU64);

/// How much of the heap a worker takes at a time, in units of two words.
const ROOM_UNITS: u32 = 1 << 12;

impl Heap {
    /// Reserves up to `words` words, which the operating system commits as they are touched.
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

    /// Takes place for a record of `length` words, or nothing if there is none left.
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

    /// Fills a record that [`Heap::allocate`] made room for.
    pub(crate) fn write(&self, place: u32, header: u32, hash: u32, words: impl Iterator<Item = u32>) {
        let at = place as usize * 2;
        self.words[at].store(header, Ordering::Relaxed);
        self.words[at + 1].store(hash, Ordering::Relaxed);
        for (slot, word) in self.words[at + 2..].iter().zip(words) {
            slot.store(word, Ordering::Relaxed);
        }
    }

    pub(crate) fn used_bytes(&self) -> usize {
        self.cursor.0.load(Ordering::Relaxed) as usize * 8
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        self.words.len() * 4
    }
}
