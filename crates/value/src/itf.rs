//! Values in the Informal Trace Format, which Apalache and Quint read and write. Nothing is lost: `from_itf(to_itf(v))
//! == v` for canonical values.
//!
//! ITF has no form for model values. They are written as `{"#unserializable": "name"}`.

use crate::handle::Value;
use crate::json::JsonError;
use crate::print::infinite_name;
use crate::store::Store;
use crate::view::{Elems, Infinite, View};
use serde_json::{Value as Json, json};

const INFINITE: [(Infinite, Value); 5] = [
    (Infinite::Nat, Value::NAT),
    (Infinite::Int, Value::INT),
    (Infinite::Real, Value::REAL),
    (Infinite::String, Value::STRING),
    (Infinite::Any, Value::ANY),
];

impl Store {
    /// The value as ITF.
    pub fn to_itf(&self, value: Value) -> Json {
        match self.view(value) {
            View::Bool(b) => Json::Bool(b),
            View::Int(i) => json!({ "#bigint": i.to_string() }),
            View::String(number) => Json::from(self.names().text(number)),
            View::Interval { lo, hi } => json!({ "#set": self.itf_list(self.interval_items(lo, hi).iter()) }),
            View::Set(elems) => json!({ "#set": self.itf_list(elems.iter()) }),
            View::Tuple(elems) => json!({ "#tup": self.itf_list(elems.iter()) }),
            View::Record { shape, values } if self.are_itf_fields(shape) => {
                let fields = shape.iter().zip(values);
                let name = |name| self.string_text(name).unwrap_or("").to_owned();
                Json::Object(fields.map(|(n, v)| (name(n), self.to_itf(v))).collect())
            }
            View::Record { .. } | View::Function { .. } => json!({ "#map": self.itf_pairs(value) }),
            View::Model(_) | View::Infinite(_) | View::Transient(_) => {
                json!({ "#unserializable": self.show(value) })
            }
            _ => match self.normalize(value) {
                Ok(normal) => self.to_itf(normal),
                Err(_) => json!({ "#unserializable": self.show(value) }),
            },
        }
    }

    /// Reads a value from ITF. Arrays are sequences. Integers may be plain numbers.
    pub fn from_itf(&self, itf: &Json) -> Result<Value, JsonError> {
        match itf {
            Json::Object(fields) => match fields.iter().next() {
                Some((tag, inside)) if fields.len() == 1 && tag.starts_with('#') => {
                    self.tagged_from_itf(tag, inside)
                }
                _ => self.record_from_itf(fields),
            },
            Json::Array(elems) => Ok(self.tuple(&self.each_from_itf(elems)?)),
            _ => self.from_json(itf),
        }
    }

    fn tagged_from_itf(&self, tag: &str, inside: &Json) -> Result<Value, JsonError> {
        match (tag, inside) {
            ("#bigint", Json::String(text)) => self.int_from_text(text),
            ("#tup", Json::Array(elems)) => Ok(self.tuple(&self.each_from_itf(elems)?)),
            ("#set", Json::Array(elems)) => self
                .set(&mut self.each_from_itf(elems)?)
                .map_err(|m| JsonError::new(self.mismatch_message(&m))),
            ("#map", Json::Array(pairs)) => self.map_from_itf(pairs),
            ("#unserializable", Json::String(text)) => {
                let infinite = INFINITE.iter().find(|(infinite, _)| infinite_name(*infinite) == text);
                Ok(infinite.map_or_else(|| self.model_value(text), |(_, value)| *value))
            }
            _ => Err(JsonError::new(format!("`{tag}` does not fit what is inside: {inside}"))),
        }
    }

    fn record_from_itf(&self, fields: &serde_json::Map<String, Json>) -> Result<Value, JsonError> {
        let mut pairs = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            // Fields such as `#meta` describe the record and are not part of it.
            if !name.starts_with('#') {
                pairs.push((self.string(name), self.from_itf(value)?));
            }
        }
        Ok(self.record(&mut pairs))
    }

    fn map_from_itf(&self, pairs: &[Json]) -> Result<Value, JsonError> {
        let mut args = Vec::with_capacity(pairs.len());
        let mut entries = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let [arg, value] = pair.as_array().map(Vec::as_slice).unwrap_or_default() else {
                return Err(JsonError::new(format!("a `#map` holds pairs, not {pair}")));
            };
            let arg = self.from_itf(arg)?;
            args.push(arg);
            entries.push((arg, self.from_itf(value)?));
        }
        let domain = self.set(&mut args).map_err(|m| JsonError::new(self.mismatch_message(&m)))?;
        let mut values = vec![Value::UNSET; args.len()];
        // If an argument is repeated, its first pair counts.
        for (arg, value) in entries.into_iter().rev() {
            if let Ok(Some(index)) = self.index_in(domain, arg) {
                values[index] = value;
            }
        }
        Ok(self.function(domain, &values))
    }

    fn each_from_itf(&self, elems: &[Json]) -> Result<Vec<Value>, JsonError> {
        elems.iter().map(|elem| self.from_itf(elem)).collect()
    }

    /// Whether a record can be written as an ITF record. Names that start with `#` would be read as tags of ITF.
    fn are_itf_fields(&self, shape: Elems<'_>) -> bool {
        shape.iter().all(|name| self.string_text(name).is_some_and(|name| !name.starts_with('#')))
    }

    fn itf_list(&self, elems: impl Iterator<Item = Value>) -> Vec<Json> {
        elems.map(|elem| self.to_itf(elem)).collect()
    }

    fn itf_pairs(&self, function: Value) -> Vec<Json> {
        let Some(parts) = self.parts(function) else { return Vec::new() };
        let pairs = parts.domain.iter().zip(parts.values);
        pairs.map(|(arg, value)| json!([self.to_itf(arg), self.to_itf(value)])).collect()
    }
}
