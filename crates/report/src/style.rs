//! Styles of text for people. Styles are always in the text; whoever prints it removes them where they do not belong.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Style of errors and findings.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Style of good news.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Style of what is not certain.
pub const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
/// Style of what is important.
pub const STRONG: Style = Style::new().bold();
/// Style of what is less important.
pub const FAINT: Style = Style::new().dimmed();
/// Style of what is new.
pub const NEW: Style = AnsiColor::Cyan.on_default();

/// Puts a text into a style.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a number with separated thousands.
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

/// Writes a number of things, in the plural if needed.
pub fn plural(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Replaces control characters in a text that a system has written, so that it can't control the terminal.
pub fn printable(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n' && c != '\t', "\u{FFFD}")
}

/// Removes the styles that [`paint`] has put into a text, and nothing else.
pub fn unstyled(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "state"), "1 state");
        assert_eq!(plural(2, "state"), "2 states");
    }

    #[test]
    fn styles_can_be_taken_out() {
        let text = format!("a {} b {}", paint(BAD, "bad"), paint(FAINT, "1m"));
        assert_eq!(unstyled(&text), "a bad b 1m");
    }
}
