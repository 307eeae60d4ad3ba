//! The module Json: values as JSON text, and back.
//!
//! Text is written and read without a tree in between. Records number and print their fields in the order of first
//! appearance, and a tree would sort them.

use std::fmt;

use kilter_value::{Store, Value, View};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::io::WHOLE;
use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn to_json(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        let text = self.json_text(value, origin)?;
        Ok(self.store.string(&text))
    }

    pub(super) fn to_json_array(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        if !self.store.is_set(value) && !self.store.is_function(value) {
            return self.expected("argument", "ToJsonArray", "a set or a sequence", value, origin);
        }
        let text = self.json_text(value, origin)?;
        Ok(self.store.string(&text))
    }

    pub(super) fn to_json_object(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        let text = self.json_object(value, origin)?;
        Ok(self.store.string(&text))
    }

    pub(super) fn json_serialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let value = self.eval_canonical(&call.args[1])?;
        let text = self.json_text(value, origin)?;
        self.write_file(&path, &text, WHOLE, call, origin)
    }

    pub(super) fn nd_json_serialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let values = self.sequence_of(&call.args[1], "second argument", "ndJsonSerialize")?;
        let text = self.json_lines(&values, origin)?;
        self.write_file(&path, &text, WHOLE, call, origin)
    }

    pub(super) fn json_deserialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let text = self.read_file(&path, call, origin)?;
        match decode(self.store, &text) {
            Ok(value) => Ok(value),
            Err(error) => {
                self.fail(origin, format!("the file {path} does not hold a value in JSON: {error}"))
            }
        }
    }

    pub(super) fn nd_json_deserialize(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let path = self.text_arg(call, 0)?;
        let text = self.read_file(&path, call, origin)?;
        let mut values = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match decode(self.store, line) {
                Ok(value) => values.push(value),
                Err(error) => {
                    let line = index + 1;
                    let message = format!("line {line} of the file {path} is not a value in JSON: {error}");
                    return self.fail(origin, message);
                }
            }
        }
        Ok(self.store.tuple(&values))
    }

    fn json_text(&mut self, value: Value, origin: OriginId) -> Eval<String> {
        encode(self.store, value).or_else(|part| self.no_json(part, origin))
    }

    /// Writes each value as JSON on a line of its own.
    pub(super) fn json_lines(&mut self, values: &[Value], origin: OriginId) -> Eval<String> {
        let mut text = String::new();
        for value in values {
            text.push_str(&self.json_text(*value, origin)?);
            text.push('\n');
        }
        Ok(text)
    }

    fn json_object(&mut self, value: Value, origin: OriginId) -> Eval<String> {
        match self.store.view(value) {
            View::Tuple(elems) => {
                // TLC numbers the elements of a tuple from 0 when it writes it as an object.
                let entries = elems.iter().enumerate().map(|(index, elem)| (index.to_string(), elem));
                let mut text = String::new();
                let written = write_object(self.store, &mut text, entries);
                written.map(|()| text).or_else(|part| self.no_json(part, origin))
            }
            View::Record { .. } | View::Function { .. } => self.json_text(value, origin),
            _ => self.expected("argument", "ToJsonObject", "a function", value, origin),
        }
    }

    #[cold]
    fn no_json<T>(&mut self, part: Value, origin: OriginId) -> Eval<T> {
        let shown = self.show(part);
        self.fail(origin, format!("JSON has no form for the value\n{shown}"))
    }
}

/// The JSON text of a canonical value, without spaces. The error is the part that JSON has no form for.
fn encode(store: &Store, value: Value) -> Result<String, Value> {
    let mut out = String::new();
    write(store, &mut out, value)?;
    Ok(out)
}

fn write(store: &Store, out: &mut String, value: Value) -> Result<(), Value> {
    match store.view(value) {
        View::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        View::Int(i) => out.push_str(&i.to_string()),
        View::String(number) | View::Model(number) => write_quoted(out, store.name_text(number)),
        View::Tuple(elems) => write_array(store, out, elems.iter())?,
        View::Set(elems) => write_array(store, out, elems.iter())?,
        View::Interval { .. } => {
            let items = store.items(value).into_iter().flat_map(kilter_value::Items::iter);
            write_array(store, out, items)?;
        }
        View::Record { shape, values } => {
            write_object(
                store,
                out,
                shape.iter().zip(values).map(|(name, value)| (key(store, name), value)),
            )?;
        }
        View::Function { domain, values } => {
            let args = store.items(domain).into_iter().flat_map(kilter_value::Items::iter);
            write_object(store, out, args.zip(values).map(|(arg, value)| (key(store, arg), value)))?;
        }
        _ => return Err(value),
    }
    Ok(())
}

fn write_array(store: &Store, out: &mut String, elems: impl Iterator<Item = Value>) -> Result<(), Value> {
    out.push('[');
    for (index, elem) in elems.enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        write(store, out, elem)?;
    }
    out.push(']');
    Ok(())
}

fn write_object(
    store: &Store,
    out: &mut String,
    entries: impl Iterator<Item = (String, Value)>,
) -> Result<(), Value> {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        write_quoted(out, &key);
        out.push(':');
        write(store, out, value)?;
    }
    out.push('}');
    Ok(())
}

/// The key of an object for an argument of a function.
fn key(store: &Store, arg: Value) -> String {
    store.string_text(arg).map_or_else(|| store.show(arg), str::to_owned)
}

fn write_quoted(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// The value of a JSON text. Arrays become sequences, objects become records, and numbers lose their fraction.
fn decode(store: &Store, text: &str) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Decoder(store).deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Decoder<'s>(&'s Store);

impl<'de> DeserializeSeed<'de> for Decoder<'_> {
    type Value = Value;
    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Decoder<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value other than null")
    }

    fn visit_bool<E: Error>(self, b: bool) -> Result<Value, E> {
        Ok(Value::bool(b))
    }

    fn visit_i64<E: Error>(self, i: i64) -> Result<Value, E> {
        match i32::try_from(i) {
            Ok(i) => Ok(self.0.int(i)),
            Err(_) => Err(E::custom(format_args!("{i} is not an integer of 32 bits"))),
        }
    }

    fn visit_u64<E: Error>(self, i: u64) -> Result<Value, E> {
        match i32::try_from(i) {
            Ok(i) => Ok(self.0.int(i)),
            Err(_) => Err(E::custom(format_args!("{i} is not an integer of 32 bits"))),
        }
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Value, E> {
        if x.abs() < 1e15 {
            self.visit_i64(x.trunc() as i64)
        } else {
            Err(E::custom(format_args!("{x} is not an integer of 32 bits")))
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(self.0.string(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut elems = Vec::new();
        while let Some(elem) = array.next_element_seed(self)? {
            elems.push(elem);
        }
        Ok(self.0.tuple(&elems))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            let name = self.0.string(&name);
            fields.push((name, object.next_value_seed(self)?));
        }
        // If a name is repeated, its last value counts.
        fields.reverse();
        Ok(self.0.record(&mut fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads JSON, shows the value, and writes it again.
    fn check(json: &str, shown: &str, written: &str) {
        let store = Store::new();
        let value = decode(&store, json).expect("the test's text is JSON");
        assert_eq!(store.show(value), shown);
        assert_eq!(encode(&store, value), Ok(written.to_owned()));
    }

    fn refused(json: &str) -> String {
        decode(&Store::new(), json).expect_err("the test's text is not a value").to_string()
    }

    #[test]
    fn objects_are_records_in_the_order_of_the_text() {
        check(
            r#" {"b": 1, "a": [true, "x"]} "#,
            r#"[b |-> 1, a |-> <<TRUE, "x">>]"#,
            r#"{"b":1,"a":[true,"x"]}"#,
        );
    }

    #[test]
    fn nothing_is_an_empty_array() {
        check("{}", "<<>>", "[]");
        check("[[], {}]", "<<<<>>, <<>>>>", "[[],[]]");
    }

    #[test]
    fn strings_are_escaped_but_not_beyond_need() {
        check(r#""a\"\\\n\u0001é</b>""#, "\"a\\\"\\\\\\n\u{1}é</b>\"", r#""a\"\\\n\u0001é</b>""#);
    }

    #[test]
    fn numbers_lose_their_fraction() {
        check("[-1.9, 2e3, 2147483647]", "<<-1, 2000, 2147483647>>", "[-1,2000,2147483647]");
    }

    #[test]
    fn what_has_no_value_is_refused() {
        assert!(refused("null").contains("null"));
        assert!(refused("4294967296").contains("32 bits"));
        assert!(refused("-1e300").contains("32 bits"));
        assert!(refused("1 2").contains("trailing"));
    }

    #[test]
    fn functions_sets_and_model_values_have_a_form() {
        let store = Store::new();
        let one = store.int(1);
        let pair = store.tuple(&[one, store.model_value("m")]);
        let function = store.singleton_function(pair, store.interval(1, 3));
        assert_eq!(encode(&store, function).as_deref(), Ok(r#"{"<<1, m>>":[1,2,3]}"#));
        assert_eq!(encode(&store, store.tuple(&[pair])).as_deref(), Ok(r#"[[1,"m"]]"#));
        assert_eq!(encode(&store, Value::NAT), Err(Value::NAT));
    }
}
