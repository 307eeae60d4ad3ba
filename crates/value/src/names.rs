//! Strings by number, in the order of their first appearance. TLC orders strings and model values this way.

use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Chunk `k` holds `64 << k` texts. Texts never move, so they are read without a lock.
const CHUNKS: usize = 23;
const FIRST_CHUNK: u32 = 64;
/// A handle has 28 bits for a string's number.
const NAMES_MAX: usize = 1 << 28;

type Chunk = Box<[OnceLock<Arc<str>>]>;

#[derive(Default)]
pub(crate) struct Names {
    numbers: RwLock<FxHashMap<Arc<str>, u32>>,
    chunks: [OnceLock<Chunk>; CHUNKS],
    any_typed_model: AtomicBool,
}

impl Names {
    /// The number of `text`, which gets one if it is new. `None` if there are too many strings.
    pub(crate) fn number(&self, text: &str) -> Option<u32> {
        let known = self.numbers.read().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        if known.is_some() { known } else { self.add(text) }
    }

    /// The same names with the same numbers.
    pub(crate) fn copy(&self) -> Names {
        let copy = Names::default();
        for number in 0..self.len() {
            copy.add(self.text(number));
        }
        copy.any_typed_model.store(self.any_typed_model.load(Ordering::Relaxed), Ordering::Relaxed);
        copy
    }

    /// The number of names.
    pub(crate) fn len(&self) -> u32 {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner).len() as u32
    }

    /// Whether a model value has a type.
    pub(crate) fn has_typed_models(&self) -> bool {
        self.any_typed_model.load(Ordering::Relaxed)
    }

    /// Records that a model value has a type.
    pub(crate) fn set_typed_models(&self) {
        self.any_typed_model.store(true, Ordering::Relaxed);
    }

    /// Whether `text` has a number.
    pub(crate) fn knows(&self, text: &str) -> bool {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner).contains_key(text)
    }

    fn add(&self, text: &str) -> Option<u32> {
        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(text) {
            return Some(*number);
        }
        if numbers.len() >= NAMES_MAX {
            return None;
        }
        let number = numbers.len() as u32;
        let text: Arc<str> = text.into();
        let (chunk, index) = place(number);
        let slots = self
            .chunks
            .get(chunk)?
            .get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| OnceLock::new()).collect());
        slots[index].get_or_init(|| text.clone());
        numbers.insert(text, number);
        Some(number)
    }

    /// The text with this number. Empty if the number is unknown.
    #[inline]
    pub(crate) fn text(&self, number: u32) -> &str {
        let (chunk, index) = place(number);
        self.chunks
            .get(chunk)
            .and_then(OnceLock::get)
            .and_then(|slots| slots.get(index))
            .and_then(OnceLock::get)
            .map_or("", |text| text)
    }

    /// Records that `text` is the name of a model value.
    pub(crate) fn add_model(&self, text: &str) {
        if type_of(text).is_some() {
            self.set_typed_models();
        }
    }

    /// The type of the model value with this number. It is `x` if the name has the form `x_…`.
    #[inline]
    pub(crate) fn model_type(&self, number: u32) -> Option<char> {
        // Hardly any specification has typed model values, and comparisons are frequent.
        if self.any_typed_model.load(Ordering::Relaxed) { type_of(self.text(number)) } else { None }
    }
}

fn type_of(name: &str) -> Option<char> {
    let mut chars = name.chars();
    let first = chars.next()?;
    (chars.next() == Some('_') && chars.next().is_some()).then_some(first)
}

fn place(number: u32) -> (usize, usize) {
    let shifted = number + FIRST_CHUNK;
    let chunk = shifted.ilog2() - FIRST_CHUNK.ilog2();
    (chunk as usize, (shifted - (FIRST_CHUNK << chunk)) as usize)
}
