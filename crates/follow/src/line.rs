//! A line of JSON, with everything in it at the place where the mapping says it is.

use kilter_base::diagnostic::in_one_line;
use kilter_mapping::follow::{Fields, Follow, Path};
use serde_json::{Map, Value as Json};

use crate::date::nanoseconds_since_1970;

/// A line of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    json: Json,
}

/// The error for a line that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// It is no JSON.
    #[error("this is no line of JSON: {0}")]
    NoJson(String),
    /// It is JSON, but no object.
    #[error("an object is expected, such as {{\"event\":\"Timeout\",\"node\":\"n1\"}}")]
    NoObject,
    /// It ends before it begins.
    #[error("it ends before it begins: look at `{0}` and `{1}`")]
    EndsFirst(String, String),
    /// Something in it is missing or has another type.
    #[error("`{field}` must be {wanted}{}", found.as_ref().map(|found| format!(", not {found}")).unwrap_or_default())]
    Field {
        /// Where it should be.
        field: String,
        /// What it should be.
        wanted: &'static str,
        /// What is there.
        found: Option<String>,
    },
}

impl Line {
    /// Reads a line.
    pub fn parse(text: &[u8]) -> Result<Line, BadLine> {
        let json: Json =
            serde_json::from_slice(text).map_err(|error| BadLine::NoJson(in_one_line(&error.to_string())))?;
        if json.is_object() { Ok(Line { json }) } else { Err(BadLine::NoObject) }
    }

    /// What is at a path. `None` if nothing is, or `null`.
    pub fn at(&self, path: &Path) -> Option<&Json> {
        look_up(&self.json, path).filter(|json| !json.is_null())
    }

    /// The same, to be changed.
    pub fn at_mut<'p>(&mut self, path: impl IntoIterator<Item = &'p String>) -> Option<&mut Json> {
        path.into_iter().try_fold(&mut self.json, |json, name| match json {
            Json::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
            _ => json.get_mut(name),
        })
    }

    /// Whether the line counts.
    pub fn counts(&self, follow: &Follow) -> bool {
        follow.only.iter().all(|(path, wanted)| self.at(path) == Some(wanted))
    }

    /// The names of its event, the most exact first: all that its places have, then without the last of them, and so on.
    pub fn event(&self, fields: &Fields) -> Result<Vec<String>, BadLine> {
        let (first, more) = fields.event.split_first().expect("a line has its event somewhere");
        let found = self.at(first);
        let name = found.and_then(Json::as_str).ok_or_else(|| wrong(first, "the name of an event", found))?;
        let mut names = vec![name.to_owned()];
        for part in more.iter().filter_map(|path| self.at(path)) {
            let part = part.as_str().map_or_else(|| part.to_string(), str::to_owned);
            names.insert(0, format!("{} {part}", names[0]));
        }
        Ok(names)
    }

    /// The line without what no value of TLA+ stands for. A number with a point becomes a string.
    pub fn as_value(&self) -> Json {
        fn cleaned(json: &Json) -> Json {
            match json {
                Json::Number(number) if number.is_f64() => number.to_string().into(),
                Json::Array(items) => items.iter().filter(|item| !item.is_null()).map(cleaned).collect(),
                Json::Object(fields) => {
                    let fields = fields.iter().filter(|(_, value)| !value.is_null());
                    Json::Object(fields.map(|(name, value)| (name.clone(), cleaned(value))).collect())
                }
                other => other.clone(),
            }
        }
        cleaned(&self.json)
    }

    /// The object at a path. `None` if nothing is there.
    pub fn object(&self, path: &Path) -> Result<Option<&Map<String, Json>>, BadLine> {
        match self.at(path) {
            None => Ok(None),
            Some(Json::Object(object)) => Ok(Some(object)),
            Some(other) => Err(wrong(path, "an object", Some(other))),
        }
    }

    /// The time at a path, in billionths of whatever unit numbers have; in nanoseconds if it is a text.
    #[allow(clippy::cast_possible_truncation, reason = "a time with a fraction has few digits before it")]
    pub fn time(&self, path: &Path) -> Result<Option<i128>, BadLine> {
        match self.at(path) {
            None => Ok(None),
            Some(json) => {
                let whole = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
                let time = whole
                    .map(|whole| whole * 1_000_000_000)
                    .or_else(|| json.as_f64().map(|time| (time * 1e9).round() as i128))
                    .or_else(|| nanoseconds_since_1970(json.as_str()?));
                let wanted = "a number, or a time such as 2026-11-18T08:21:49.25Z";
                time.map(Some).ok_or_else(|| wrong(path, wanted, Some(json)))
            }
        }
    }

    /// Adds what another line of the same event has and this one has not.
    pub fn complete(&mut self, other: &Line) {
        complete(&mut self.json, &other.json);
    }
}

/// The error for something that is not what it should be.
pub(crate) fn wrong(path: &Path, wanted: &'static str, found: Option<&Json>) -> BadLine {
    let found = found.map(kilter_mapping::translate::shortened);
    BadLine::Field { field: path.join("."), wanted, found }
}

/// The value at a path. A number is an index of a list, from 0.
pub(crate) fn look_up<'j>(json: &'j Json, path: &[String]) -> Option<&'j Json> {
    path.iter().try_fold(json, |json, name| match json {
        Json::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => json.get(name),
    })
}

fn complete(json: &mut Json, other: &Json) {
    let (Json::Object(own), Json::Object(other)) = (json, other) else { return };
    for (name, value) in other {
        match own.get_mut(name) {
            Some(known) => complete(known, value),
            None => {
                own.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_event_complete_each_other() {
        let mut whole = Line::parse(br#"{"event":"End","args":{"a":1}}"#).expect("it is a line");
        let begin =
            Line::parse(br#"{"event":"Begin","args":{"b":2},"before":{"x":0}}"#).expect("it is a line");
        whole.complete(&begin);
        let expected = Line::parse(br#"{"event":"End","args":{"a":1,"b":2},"before":{"x":0}}"#);
        assert_eq!(Ok(whole), expected);
    }

    #[test]
    fn bad_lines_are_explained() {
        let said = |text: &str| Line::parse(text.as_bytes()).expect_err("it is wrong").to_string();
        assert_eq!(said("{\"a\":"), "this is no line of JSON: EOF while parsing a value, in column 5");
        assert_eq!(said("[1]"), "an object is expected, such as {\"event\":\"Timeout\",\"node\":\"n1\"}");
        let line = Line::parse(br#"{"event":7}"#).expect("it is an object");
        let error = line.event(&Fields::default()).expect_err("7 is no name");
        assert_eq!(error.to_string(), "`event` must be the name of an event, not 7");
    }
}
