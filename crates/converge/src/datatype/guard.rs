//! Runs code of the system under test in this process. A panic in it is a finding, and no bug of Kilter.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

thread_local! {
    /// `None` if no code of the system under test runs in this thread. The hook for panics has no other way to know.
    static GUARDED: RefCell<Option<Panicked>> = const { RefCell::new(None) };
}

/// Where the code has panicked, if it has.
#[derive(Default)]
struct Panicked(String);

/// Runs code of the system under test. The error says how it failed or panicked.
pub fn run<T>(code: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    GUARDED.set(Some(Panicked::default()));
    let ended = catch_unwind(AssertUnwindSafe(code));
    let place = GUARDED.take().unwrap_or_default().0;
    ended.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("it panicked{place}: {said}"))
    })
}

/// For the hook of a program: notes a panic if code of the system under test runs in this thread. Returns whether it does.
pub fn note(place: Option<&Location<'_>>) -> bool {
    GUARDED.with_borrow_mut(|guarded| {
        let Some(panicked) = guarded else { return false };
        if let Some(place) = place {
            panicked.0 = format!(" at {}:{}", short(place.file()), place.line());
        }
        true
    })
}

/// A file of a crate without the folder in which crates are kept on this machine.
fn short(file: &str) -> &str {
    let Some((_, rest)) = file.split_once("/registry/src/") else { return file };
    rest.split_once('/').map_or(rest, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(run(|| Ok(3)), Ok(3));
        assert_eq!(run::<()>(|| Err("no".to_owned())), Err("no".to_owned()));
        let error = run::<()>(|| panic!("oh {}", 1)).expect_err("it panics");
        assert!(error.starts_with("it panicked") && error.ends_with(": oh 1"), "{error}");
        assert!(!note(None), "nothing is guarded any more");
    }

    #[test]
    fn files_of_crates_are_short() {
        assert_eq!(
            short("/home/me/.cargo/registry/src/index-1/yrs-0.28.0/src/doc.rs"),
            "yrs-0.28.0/src/doc.rs"
        );
        assert_eq!(short("src/main.rs"), "src/main.rs");
    }
}
