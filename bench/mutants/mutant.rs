//! The switches.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock};

use kilter_probe::Json;

thread_local! {
    static REACHED: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes which switches were reached since the last time, in the file that `RAN` names, unless that was noted before.
pub fn note(mut line: Json) {
    static RAN: OnceLock<Option<Mutex<(std::fs::File, BTreeSet<String>)>>> = OnceLock::new();
    let reached = REACHED.with(|reached| std::mem::take(&mut *reached.borrow_mut()));
    let open = |path| std::fs::OpenOptions::new().append(true).create(true).open(path).ok();
    let file = RAN.get_or_init(|| std::env::var("RAN").ok().and_then(open).map(|file| Mutex::new((file, BTreeSet::new()))));
    let Some(Ok(mut file)) = file.as_ref().map(Mutex::lock) else { return };
    line["ran"] = reached.into_iter().collect();
    let text = line.to_string();
    if file.1.insert(text.clone()) {
        let _ = writeln!(file.0, "{text}");
    }
}

fn chosen() -> u32 {
    static CHOSEN: OnceLock<u32> = OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("MUTANT").ok().and_then(|it| it.parse().ok()).unwrap_or(0))
}

/// True if this mistake is the one to make.
pub fn is(number: u32) -> bool {
    REACHED.with(|reached| reached.borrow_mut().insert(number));
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
