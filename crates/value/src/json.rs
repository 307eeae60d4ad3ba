//! Values as plain JSON, for people and scripts. Some information is lost: sets and tuples are both arrays.

use crate::handle::Value;
use crate::store::Store;
use crate::view::View;
use serde_json::Value as Json;

/// An error: the JSON does not stand for a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
}

impl JsonError {
    pub(crate) fn new(message: impl Into<String>) -> JsonError {
        JsonError { message: message.into() }
    }
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

impl Store {
    /// The value as JSON. Sets and tuples become arrays, functions over strings become objects, other functions become
    /// arrays of pairs, and model values become their names. Values that JSON has no form for become text.
    pub fn to_json(&self, value: Value) -> Json {
        match self.view(value) {
            View::Bool(b) => Json::Bool(b),
            View::Int(i) => Json::from(i),
            View::String(number) | View::Model(number) => Json::from(self.names().text(number)),
            View::Interval { lo, hi } => self.array(self.interval_items(lo, hi).iter()),
            View::Set(elems) => self.array(elems.iter()),
            View::Tuple(elems) => self.array(elems.iter()),
            View::Record { shape, values } => {
                let fields = shape.iter().zip(values);
                let name = |name| self.string_text(name).unwrap_or("").to_owned();
                Json::Object(fields.map(|(n, v)| (name(n), self.to_json(v))).collect())
            }
            View::Function { domain, values } => match self.items(domain) {
                Some(items) => {
                    let pairs = items.iter().zip(values);
                    Json::Array(pairs.map(|(a, v)| self.array([a, v].into_iter())).collect())
                }
                None => Json::Null,
            },
            View::Infinite(_) | View::Transient(_) => Json::from(self.show(value)),
            _ => match self.normalize(value) {
                Ok(normal) => self.to_json(normal),
                Err(_) => Json::from(self.show(value)),
            },
        }
    }

    /// Reads a value from JSON. Arrays become tuples, and objects become records. Fails for `null`, fractions, and
    /// integers of more than 32 bits.
    pub fn from_json(&self, json: &Json) -> Result<Value, JsonError> {
        match json {
            Json::Null => Err(JsonError::new("`null` is not a TLA+ value")),
            Json::Bool(b) => Ok(Value::bool(*b)),
            Json::Number(number) => self.int_from_text(&number.to_string()),
            Json::String(text) => Ok(self.string(text)),
            Json::Array(elems) => {
                let elems: Result<Vec<Value>, JsonError> =
                    elems.iter().map(|elem| self.from_json(elem)).collect();
                Ok(self.tuple(&elems?))
            }
            Json::Object(fields) => {
                let mut pairs = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    pairs.push((self.string(name), self.from_json(value)?));
                }
                Ok(self.record(&mut pairs))
            }
        }
    }

    pub(crate) fn int_from_text(&self, text: &str) -> Result<Value, JsonError> {
        match text.parse::<i32>() {
            Ok(i) => Ok(self.int(i)),
            Err(_) => Err(JsonError::new(format!("`{text}` is not an integer of 32 bits"))),
        }
    }

    fn array(&self, elems: impl Iterator<Item = Value>) -> Json {
        Json::Array(elems.map(|elem| self.to_json(elem)).collect())
    }
}
