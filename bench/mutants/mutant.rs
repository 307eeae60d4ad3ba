//! The switches.

use std::sync::OnceLock;

fn chosen() -> u32 {
    static CHOSEN: OnceLock<u32> = OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("MUTANT").ok().and_then(|it| it.parse().ok()).unwrap_or(0))
}

/// True if this mistake is the one to make.
pub fn is(number: u32) -> bool {
    chosen() == number
}

/// A condition, or its opposite.
pub fn flip(number: u32, condition: bool) -> bool {
    condition != is(number)
}

/// The first, or in its place the second.
pub fn pick<T>(number: u32, right: T, wrong: T) -> T {
    if is(number) { wrong } else { right }
}

/// What compares may be confused.
pub trait Confused: Ord + Sized {
    fn min_or_max(self, other: Self, number: u32) -> Self {
        if is(number) { self.max(other) } else { self.min(other) }
    }

    fn max_or_min(self, other: Self, number: u32) -> Self {
        if is(number) { self.min(other) } else { self.max(other) }
    }
}

impl<T: Ord> Confused for T {}
