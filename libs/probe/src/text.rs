//! Values as texts that can be compared. The elements of a sequence are on lines of their own, so that what has changed at its
//! end is found without reading JSON. No text has other line breaks: JSON escapes them.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Shorter sequences are written whole.
const KEPT_MIN: usize = 4;

/// Makes a text that of a value. What it was is overwritten, because the next one will have about the same length.
pub(crate) fn set_text(text: &mut String, value: &(impl Serialize + ?Sized)) {
    let mut bytes = std::mem::take(text).into_bytes();
    bytes.clear();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Lines { depth: 0 }));
    *text = match (written, String::from_utf8(bytes)) {
        (Ok(()), Ok(text)) => text,
        (Err(error), _) => crate::action::not_json(&error).to_string(),
        (_, Err(error)) => crate::action::not_json(&error).to_string(),
    };
}

/// The JSON of a text. Of a sequence of which only the end has changed, the end: `{"@keep": 200, "@then": [7]}`.
pub(crate) fn change(old: Option<&str>, new: &str) -> String {
    if let (Some(old), Some(new)) = (old.and_then(elements), elements(new)) {
        let n_kept = old.zip(new.clone()).take_while(|(old, new)| old == new).count();
        if n_kept >= KEPT_MIN {
            let then: Vec<&str> = new.skip(n_kept).collect();
            return format!("{{\"@keep\":{n_kept},\"@then\":[{}]}}", then.join(","));
        }
    }
    new.replace('\n', ",")
}

/// The elements of a sequence.
fn elements(text: &str) -> Option<impl Iterator<Item = &str> + Clone> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.split('\n').filter(|element| !element.is_empty()))
}

/// Writes compact JSON, with line breaks between the elements of the outermost sequence.
struct Lines {
    depth: usize,
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        match (first, self.depth) {
            (true, _) => Ok(()),
            (false, 1) => writer.write_all(b"\n"),
            (false, _) => writer.write_all(b","),
        }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    fn to_text(value: &(impl Serialize + ?Sized)) -> String {
        let mut text = "something longer than most of them, to be overwritten".to_owned();
        set_text(&mut text, value);
        text
    }

    fn changed(old: &Json, new: &Json) -> Json {
        serde_json::from_str(&change(Some(&to_text(old)), &to_text(new))).expect("JSON")
    }

    #[test]
    fn of_a_sequence_only_the_new_end_is_written() {
        let old = json!([{ "term": 1, "of": [1, 2] }, [3, [4]], "five\nlines", {}, 6]);
        let mut new = old.clone();
        new[4] = json!([7, 8]);
        assert_eq!(changed(&old, &new), json!({ "@keep": 4, "@then": [[7, 8]] }));
        assert_eq!(changed(&new, &json!([1])), json!([1]));
        assert_eq!(
            changed(&json!([1, 2, 3, 4, 5]), &json!([1, 2, 3, 4])),
            json!({ "@keep": 4, "@then": [] })
        );
        assert_eq!(changed(&json!([1, 2, 3]), &json!([1, 2, 3, 4])), json!([1, 2, 3, 4]));
        assert_eq!(changed(&json!([]), &json!([])), json!([]));
        assert_eq!(changed(&json!([]), &json!([""])), json!([""]));
    }

    #[test]
    fn values_come_back_as_they_were() {
        let values = [
            json!(null),
            json!([]),
            json!([[1, 2], [3, 4]]),
            json!({ "a": [1, { "b": [2, 3] }] }),
            json!("a\nb"),
        ];
        for value in values {
            assert_eq!(serde_json::from_str::<Json>(&change(None, &to_text(&value))).expect("JSON"), value);
        }
        let unspeakable = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(to_text(&unspeakable).starts_with("\"not JSON: "));
    }
}
