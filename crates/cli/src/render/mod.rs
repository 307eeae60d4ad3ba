//! Everything as text for people. Styles are always in the text; whoever writes it takes them out where they do not
//! belong.
//!
//! - [`diagnostics`] errors and warnings with the lines they are about
//! - [`failure`]     evaluation errors: the expression and the chain of operators around it
//! - [`trace`]       a behavior, step by step
//! - [`lasso`]       how a behavior goes on forever
//! - [`difference`]  what changed between two values
//! - [`summary`]     counts, coverage, warnings
//! - [`suite`]       a test suite in numbers

pub mod diagnostics;
pub mod difference;
pub mod failure;
pub mod lasso;
pub mod suite;
pub mod summary;
pub mod trace;

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const NEW: Style = AnsiColor::Cyan.on_default();

pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// What an error line begins with.
pub fn error_word() -> String {
    paint(BAD, "error")
}

/// A number with its thousands set apart.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things.
pub(crate) fn plural(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// How many columns the terminal has, or a page.
pub fn width() -> usize {
    const PAGE: usize = 100;
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(PAGE).clamp(60, 160)
}

#[cfg(test)]
mod tests {
    use super::{count, plural};

    #[test]
    fn numbers_are_readable() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "state"), "1 state");
        assert_eq!(plural(2, "state"), "2 states");
    }
}
