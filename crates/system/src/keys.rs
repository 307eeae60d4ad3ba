//! Reads configurations: one spelling of keys in all of them, and what to say of those that had another name.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// Keys that had another name, and the name that they have now.
const KEYS: [(&str, &str); 3] = [("breaks", "fault-kinds"), ("failures", "faults"), ("store", "system")];
/// Values that had another name, and the name that they have now.
const VALUES: [(&str, &str); 2] = [("omit", "drop"), ("suspend", "pause")];

/// The error for a text that is not a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadText {
    /// What is wrong.
    pub message: String,
    /// What to do, if a key or a value had another name once.
    pub help: Option<String>,
    /// The range of bytes at fault, if it is known.
    pub range: Option<Range<usize>>,
}

/// A part of a configuration that may be wrong. The other parts are read nevertheless, so that all mistakes are found at
/// once.
#[derive(Clone, Debug)]
pub struct Part<T>(pub Result<T, String>);

impl<'d, T: Deserialize<'d>> Deserialize<'d> for Part<T> {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Part<T>, D::Error> {
        // Further lines of the message say in which key it is.
        let first_line = |text: String| plain(text.lines().next().unwrap_or_default());
        Ok(Part(T::deserialize(deserializer).map_err(|error| first_line(error.to_string()))))
    }
}

impl BadText {
    /// What is wrong with a part of a configuration that lies at this range of the whole text.
    pub fn of_part(message: &str, text: &str, range: Range<usize>) -> BadText {
        // The message has the key or value in backquotes.
        let word = ["unknown field `", "unknown variant `"].iter().find_map(|begin| between(message, begin));
        let part = text.get(range.clone()).unwrap_or_default();
        let at = word.and_then(|word| Some((part.find(word)?, word.len())));
        let range = at.map_or(range.clone(), |(at, length)| range.start + at..range.start + at + length);
        BadText { message: message.to_owned(), help: help(message), range: Some(range) }
    }
}

/// Parses a configuration.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, BadText> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let message = plain(error.message().trim_end());
        BadText { help: help(&message), message, range: error.span() }
    })
}

/// What the reader of TOML says, without words of Rust.
fn plain(message: &str) -> String {
    if let Some(key) = between(message, "missing field `") {
        return format!("`{key}` is missing");
    }
    match between(message, "invalid value: integer `") {
        Some(number) if message.contains("nonzero") => format!("{number} is too small: it must be 1 or more"),
        _ => message.to_owned(),
    }
}

/// What to do: the new name of a key or a value that had another one; where a configuration comes from.
fn help(message: &str) -> Option<String> {
    if message == "`spec` is missing" {
        return Some("`kilter init SPEC.tla` writes a configuration to begin with".to_owned());
    }
    let key = between(message, "unknown field `").and_then(key_today);
    let today =
        key.or_else(|| between(message, "unknown variant `").and_then(value_today).map(str::to_owned));
    Some(format!("it is called `{}` now", today?))
}

fn between<'m>(message: &'m str, begin: &str) -> Option<&'m str> {
    message.split_once(begin)?.1.split('`').next()
}

fn find(names: &[(&str, &'static str)], old: &str) -> Option<&'static str> {
    names.iter().find(|(name, _)| *name == old).map(|(_, today)| *today)
}

/// What a key is called today. Its words are joined by hyphens.
fn key_today(key: &str) -> Option<String> {
    let renamed = find(&KEYS, key).map(str::to_owned);
    renamed.or_else(|| key.contains('_').then(|| key.replace('_', "-")))
}

/// What a value, such as a fault or a model, is called today.
pub fn value_today(value: &str) -> Option<&'static str> {
    find(&VALUES, value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn old_keys_are_explained() {
        let said = |key: &str| help(&format!("unknown field `{key}`, expected one of `nodes`, `command`"));
        assert_eq!(said("patience_ms").as_deref(), Some("it is called `patience-ms` now"));
        assert_eq!(said("breaks").as_deref(), Some("it is called `fault-kinds` now"));
        let value = help("unknown variant `suspend`, expected `pause`");
        assert_eq!(value.as_deref(), Some("it is called `pause` now"));
        assert_eq!(said("omit"), None);
        assert_eq!(said("colour"), None);
        assert_eq!(help("invalid type"), None);
    }

    #[test]
    fn messages_have_no_words_of_rust() {
        let said = |text: &str| read::<crate::System>(text).expect_err("it is wrong").message;
        assert_eq!(said("patience-ms = 0"), "0 is too small: it must be 1 or more");
        assert_eq!(plain("missing field `spec`"), "`spec` is missing");
        assert!(help("`spec` is missing").is_some_and(|help| help.contains("kilter init")));
    }

    #[test]
    fn a_wrong_part_does_not_hide_the_others() {
        let text = "a = { nodes = [\"n1\"], colour = 1 }\nb = { size = 3 }\nc = { patience_ms = 2 }\n";
        let parts: BTreeMap<String, toml::Spanned<Part<crate::System>>> = read(text).expect("three parts");
        let wrong = parts.values().filter_map(|part| {
            let message = part.get_ref().0.as_ref().err()?;
            Some(BadText::of_part(message, text, part.span()))
        });
        let wrong: Vec<(Option<&str>, Option<String>)> =
            wrong.map(|wrong| (wrong.range.map(|range| &text[range]), wrong.help)).collect();
        let renamed = Some("it is called `patience-ms` now".to_owned());
        assert_eq!(wrong, [(Some("colour"), None), (Some("patience_ms"), renamed)]);
    }

    #[test]
    fn errors_have_their_place() {
        let text = "nodes = 1\n";
        let error = read::<crate::System>(text).expect_err("it should be a list");
        assert_eq!(error.range.map(|range| &text[range]), Some("1"));
    }
}
