//! Parses durations and sizes on the command line.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::shell::quoted;

/// A value, and how it was typed. It is shown as it was typed, for command lines that repeat something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed<T> {
    /// The value.
    pub value: T,
    text: String,
}

impl<T> fmt::Display for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(Path::new(&self.text)))
    }
}

/// Makes a parser that also keeps the text.
pub fn typed<T>(
    parse: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<Typed<T>, String> + Clone {
    move |text| Ok(Typed { value: parse(text)?, text: text.to_owned() })
}

/// Parses `30s`, `500ms`, `5m`, `1.5h`. A number without a unit means seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text, "30s or 5m")?;
    let seconds = match unit {
        "ms" => number / 1e3,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * 86_400.0,
        _ => return Err(format!("`{unit}` is no unit of time; use ms, s, m, h or d")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| "the time is too long".to_owned())
}

/// The same, but for a time in which something can be done.
pub fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("in no time nothing is run; leave it out, or give it some".to_owned()),
        some => Ok(some),
    }
}

/// Parses `8GiB`, `500MB`, `64k`. A number without a unit means bytes. `G` alone means `GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text, "500MB or 8GiB")?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(format!("`{unit}` is no unit of size; use KiB, MiB, GiB, TiB, or kB, MB, GB, TB")),
    };
    Ok((number * factor) as u64)
}

/// The same, but for an amount in which something fits.
pub fn some_bytes(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("in no memory nothing is done; leave it out, or give it some".to_owned()),
        some => Ok(some),
    }
}

fn split<'t>(text: &'t str, examples: &str) -> Result<(f64, &'t str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number =
        text[..end].parse().map_err(|_| format!("a number and a unit are expected, such as {examples}"))?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::{bytes, duration, some_time};
    use std::time::Duration;

    #[test]
    fn units_are_understood() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(bytes("8GiB"), Ok(8 << 30));
        assert_eq!(bytes("64k"), Ok(64 << 10));
        assert_eq!(bytes("1.5 MB"), Ok(1_500_000));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(duration("soon").is_err());
        assert!(duration("3 weeks").is_err());
        assert!(some_time("0s").is_err() && some_time("1ms").is_ok());
        assert!(bytes("").is_err());
        assert!(bytes("1e99").is_err());
    }
}
