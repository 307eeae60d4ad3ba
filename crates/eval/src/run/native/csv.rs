//! The module CSV: lines of values in a file.

use kilter_value::{Value, View};

use super::format::format_as_java;
use super::io::APPENDED;
use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
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
        // A missing file counts as empty.
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

/// Splits a line into its values. As in Java, empty values at the end are dropped.
fn split<'t>(line: &'t str, delimiter: &str) -> Vec<&'t str> {
    let mut parts: Vec<&str> =
        if delimiter.is_empty() { vec![line] } else { line.split(delimiter).collect() };
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

/// TLC takes the delimiter for a regular expression, so specifications write `\\|` for a bar. We take it literally, but
/// undo such escapes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_in_java() {
        assert_eq!(split("a|b||", &literal("\\|")), ["a", "b"]);
        assert_eq!(split(";b", ";"), ["", "b"]);
        assert_eq!(split("", ";"), [""]);
    }
}
