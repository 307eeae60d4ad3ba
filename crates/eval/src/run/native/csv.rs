//! The module CSV: lines of values in a file.

use kilter_value::{Value, View};

use super::io::APPENDED;
use crate::error::Eval;
use crate::node::{NativeCall, OriginId};
use crate::run::Worker;

impl Worker<'_> {
    /// CSVWrite(template, values, file)
    pub(super) fn csv_write(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let template = self.text_arg(call, 0)?;
        let values = self.sequence_of(&call.args[1], "second argument", "CSVWrite")?;
        let path = self.text_arg(call, 2)?;
        let values: Vec<String> = values.into_iter().map(|value| self.store.show(value)).collect();
        match format_as_java(&template, &values) {
            Ok(line) => self.write_file(&path, &(line + "\n"), APPENDED, call, origin),
            Err(why) => self.fail(origin, format!("CSVWrite cannot fill in its template: {why}")),
        }
    }

    /// CSVRecords(file)
    pub(super) fn csv_records(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        // A file that is not there is empty.
        let text = self.read_if_there(&path, call, origin)?.unwrap_or_default();
        self.size_value(text.lines().count(), origin)
    }

    /// CSVWriteRecord(record, delimiter, headers, file)
    pub(super) fn csv_write_record(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let record = self.eval_canonical(&call.args[0])?;
        let delimiter = self.text_arg(call, 1)?;
        let headers = self.eval_bool(&call.args[2])?;
        let path = self.text_arg(call, 3)?;
        let View::Record { shape, values } = self.store.view(record) else {
            return self.expected("first argument", "CSVWriteRecord", "a record", record, origin);
        };
        let mut text = String::new();
        if headers {
            let names: Vec<String> = shape.iter().map(|name| self.unquoted(name)).collect();
            text = names.join(&delimiter) + "\n";
        }
        let values: Vec<String> = values.iter().map(|value| self.store.show(value)).collect();
        text += &(values.join(&delimiter) + "\n");
        self.write_file(&path, &text, APPENDED, call, origin)
    }

    /// CSVRead(columns, delimiter, file)
    pub(super) fn csv_read(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let store = self.store;
        let names = self.texts_arg(call, 0)?;
        let delimiter = literal(&self.text_arg(call, 1)?);
        let path = self.text_arg(call, 2)?;
        let text = self.read_if_there(&path, call, origin)?.unwrap_or_default();
        let mut records = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let parts = split(line, &delimiter);
            if parts.len() < names.len() {
                let message = format!(
                    "line {} of the file {path} has {} values, but there are {} columns",
                    index + 1,
                    parts.len(),
                    names.len()
                );
                return self.fail(origin, message);
            }
            let fields = names.iter().zip(parts).map(|(name, part)| (store.string(name), store.string(part)));
            records.push(store.record(&mut fields.collect()));
        }
        Ok(store.tuple(&records))
    }
}

/// The values of a line. TLC splits as Java does: empty values at the end do not count.
fn split<'t>(line: &'t str, delimiter: &str) -> Vec<&'t str> {
    let mut parts: Vec<&str> =
        if delimiter.is_empty() { vec![line] } else { line.split(delimiter).collect() };
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

/// TLC takes the delimiter for a regular expression, so specifications write `\\|` for a bar. We take it for itself, but
/// for such escapes.
fn literal(delimiter: &str) -> String {
    let mut chars = delimiter.chars();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(match chars.next() {
                Some('t') => '\t',
                Some(escaped) => escaped,
                None => '\\',
            }),
            c => text.push(c),
        }
    }
    text
}

/// Java's `String.format` with strings for arguments: `%s`, `%2$s`, `%-8s`, `%%` and `%n`.
pub(super) fn format_as_java(template: &str, args: &[String]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    let mut n_used = 0usize;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let Some(end) = after.find(|c: char| c.is_alphabetic() || c == '%') else {
            return Err(format!("`%{after}` is not a place for a value"));
        };
        let (options, conversion) = (&after[..end], after[end..].chars().next());
        rest = &after[end + conversion.map_or(0, char::len_utf8)..];
        match conversion {
            Some('%') => out.push('%'),
            Some('n') => out.push('\n'),
            Some(upper @ ('s' | 'S')) => {
                let (index, width) = if let Some((index, width)) = options.split_once('$') {
                    (index.parse().map_err(|_| format!("`%{options}s` has no index before the `$`"))?, width)
                } else {
                    n_used += 1;
                    (n_used, options)
                };
                let arg = index.checked_sub(1).and_then(|index| args.get(index));
                let arg = arg.ok_or_else(|| format!("there is no value number {index}"))?;
                let arg = if upper == 'S' { arg.to_uppercase() } else { arg.clone() };
                pad(&mut out, &arg, width)?;
            }
            Some(other) => return Err(format!("`%{options}{other}` is not supported; use `%s`")),
            None => {}
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Adds a value and spaces up to a width, which is negative to have the spaces behind.
fn pad(out: &mut String, text: &str, width: &str) -> Result<(), String> {
    let width = if width.is_empty() {
        0
    } else {
        width.parse::<i32>().map_err(|_| format!("`{width}` is not a width"))?
    };
    let n_spaces = (width.unsigned_abs() as usize).saturating_sub(text.chars().count());
    let spaces = " ".repeat(n_spaces);
    let (before, behind) = if width < 0 { ("", &*spaces) } else { (&*spaces, "") };
    out.push_str(before);
    out.push_str(text);
    out.push_str(behind);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(template: &str) -> Result<String, String> {
        format_as_java(template, &["a".to_owned(), "bc".to_owned()])
    }

    #[test]
    fn values_take_their_turn_or_have_a_number() {
        assert_eq!(formatted("%s-%s%n").as_deref(), Ok("a-bc\n"));
        assert_eq!(formatted("%2$s %s %1$s 100%%").as_deref(), Ok("bc a a 100%"));
        assert_eq!(formatted("[%3s|%-4s]é").as_deref(), Ok("[  a|bc  ]é"));
    }

    #[test]
    fn a_template_without_a_value_is_an_error() {
        assert_eq!(formatted("%3$s"), Err("there is no value number 3".to_owned()));
        assert_eq!(formatted("%0$s"), Err("there is no value number 0".to_owned()));
        assert!(formatted("%d").is_err());
        assert!(formatted("50 %").is_err());
    }

    #[test]
    fn lines_are_split_as_in_java() {
        assert_eq!(split("a|b||", &literal("\\|")), ["a", "b"]);
        assert_eq!(split(";b", ";"), ["", "b"]);
        assert_eq!(split("", ";"), [""]);
    }
}
