//! Translates JSON of the implementation to values of the specification, and back.

use std::borrow::Cow;

use kilter_value::{Store, Value, View};
use serde_json::{Map, Value as Json};

use crate::shape::{Field, Shape, Source};
use crate::words::Words;

/// Translates in both directions.
#[derive(Clone, Copy)]
pub struct Translator<'w> {
    /// The store with the values.
    pub store: &'w Store,
    /// The names of constants and nodes.
    pub words: &'w Words,
}

/// The sender and the receiver of a message, as indices of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// The sender, if it is known.
    pub from: Option<usize>,
    /// The receiver.
    pub to: Option<usize>,
}

/// The error for something that does not have the shape that the mapping gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The place, such as `.entries[2].term`. Empty for the whole.
    pub place: String,
    /// What the mapping says should be there.
    pub wanted: String,
    /// What is there, as text.
    pub found: String,
}

/// What the mapping says of the list of a set.
const NO_REPETITIONS: &str = "a list without repetitions";

impl Misfit {
    /// Whether nothing is wrong but that a set is listed with repetitions.
    pub fn is_repetition(&self) -> bool {
        self.place.is_empty() && self.wanted == NO_REPETITIONS
    }
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = if self.place.is_empty() { String::new() } else { format!(" at `{}`", self.place) };
        write!(f, "the mapping says {}{at}, but there is {}", self.wanted, self.found)
    }
}

impl Translator<'_> {
    /// Translates JSON to a value.
    pub fn value(&self, shape: &Shape, json: &Json, envelope: Envelope) -> Result<Value, Misfit> {
        match shape {
            Shape::Any => self.any_value(json),
            Shape::Int => self.int_value(json),
            Shape::Bool => json.as_bool().map(Value::bool).ok_or_else(|| misfit("a boolean", json)),
            Shape::Text => {
                json.as_str().map(|text| self.store.string(text)).ok_or_else(|| misfit("a string", json))
            }
            Shape::Node => self.node_value(json),
            Shape::Set(inner) => {
                let mut elems = self.values(inner, json, envelope)?;
                let n_listed = elems.len();
                let set = self.set(&mut elems, json)?;
                // A list with repetitions is not a set.
                if elems.len() == n_listed { Ok(set) } else { Err(misfit(NO_REPETITIONS, json)) }
            }
            Shape::Seq(inner) => Ok(self.store.tuple(&self.values(inner, json, envelope)?)),
            Shape::Map(key, inner) => self.map_value(key, inner, json, envelope),
            Shape::Record(fields) => self.record_value(fields, None, json, envelope),
            Shape::OneOf { by, from, kinds } => {
                let kind = find(from, json, envelope, self.words)?;
                let kind = self.value(&Shape::Any, &kind, envelope)?;
                match kinds.iter().find(|(value, _)| *value == kind) {
                    Some((_, fields)) => self.record_value(fields, Some((by, kind)), json, envelope),
                    None => Err(misfit("one of the kinds of messages", json)),
                }
            }
            Shape::Or(_, nothing) if json.is_null() => Ok(*nothing),
            Shape::Or(inner, _) => self.value(inner, json, envelope),
        }
    }

    fn any_value(&self, json: &Json) -> Result<Value, Misfit> {
        if let Some(value) = self.words.value(json) {
            return Ok(value);
        }
        match json {
            Json::Null => Err(misfit("a value (write `… or Nil` for a shape that may be null)", json)),
            Json::Bool(b) => Ok(Value::bool(*b)),
            // A number that TLA+ integers do not reach is as good as a name.
            Json::Number(number) if is_large(number) => Ok(self.store.string(&number.to_string())),
            Json::Number(_) => self.int_value(json),
            Json::String(text) => Ok(self.store.string(text)),
            Json::Array(_) => Ok(self.store.tuple(&self.values(&Shape::Any, json, Envelope::default())?)),
            Json::Object(fields) => {
                let is_model = |name: &String| self.words.value(&Json::from(name.as_str())).is_some();
                if !fields.is_empty() && fields.keys().all(is_model) {
                    return self.map_value(&Shape::Any, &Shape::Any, json, Envelope::default());
                }
                let mut values = Vec::with_capacity(fields.len());
                for (name, field) in fields {
                    let value = self.any_value(field).map_err(|misfit| misfit.inside(&format!(".{name}")))?;
                    values.push((self.store.string(name), value));
                }
                Ok(self.store.record(&mut values))
            }
        }
    }

    fn int_value(&self, json: &Json) -> Result<Value, Misfit> {
        let number = json.as_i64().and_then(|number| i32::try_from(number).ok());
        number.map(|number| self.store.int(number)).ok_or_else(|| misfit("a number of 32 bits", json))
    }

    fn node_value(&self, json: &Json) -> Result<Value, Misfit> {
        let node = json.as_str().and_then(|name| self.words.node_named(name));
        let value = node.map(|node| self.words.nodes()[node].1).or_else(|| {
            // A system may number its nodes. Then the constants say which is which.
            self.words.value(json).filter(|value| self.words.node_of(*value).is_some())
        });
        value.ok_or_else(|| misfit("a node", json))
    }

    fn values(&self, shape: &Shape, json: &Json, envelope: Envelope) -> Result<Vec<Value>, Misfit> {
        let Json::Array(items) = json else { return Err(misfit("a list", json)) };
        let each = items.iter().enumerate().map(|(index, item)| {
            self.value(shape, item, envelope).map_err(|misfit| misfit.inside(&format!("[{}]", index + 1)))
        });
        each.collect()
    }

    fn set(&self, elems: &mut Vec<Value>, json: &Json) -> Result<Value, Misfit> {
        self.store.set(elems).map_err(|_| misfit("a set of values that can be compared", json))
    }

    fn map_value(
        &self,
        key: &Shape,
        inner: &Shape,
        json: &Json,
        envelope: Envelope,
    ) -> Result<Value, Misfit> {
        let mut pairs = Vec::new();
        match json {
            Json::Object(fields) => {
                for (name, field) in fields {
                    let inside = |misfit: Misfit| misfit.inside(&format!("[{name}]"));
                    let arg = self.key_value(key, name).map_err(inside)?;
                    pairs.push((arg, self.value(inner, field, envelope).map_err(inside)?));
                }
            }
            Json::Array(items) => {
                for item in items {
                    let Some([arg, value]) = item.as_array().map(Vec::as_slice) else {
                        return Err(misfit("a list of pairs", json));
                    };
                    pairs.push((self.value(key, arg, envelope)?, self.value(inner, value, envelope)?));
                }
            }
            _ => return Err(misfit("an object or a list of pairs", json)),
        }
        self.function(&pairs, json)
    }

    /// Translates a key of an object. Keys of JSON are strings, whatever they stand for.
    fn key_value(&self, shape: &Shape, name: &str) -> Result<Value, Misfit> {
        let text = Json::from(name);
        match (shape, serde_json::from_str::<Json>(name)) {
            (Shape::Int, Ok(number)) => self.int_value(&number),
            (Shape::Bool | Shape::Node, Ok(plain)) if self.words.node_named(name).is_none() => {
                self.value(shape, &plain, Envelope::default())
            }
            _ => self.value(shape, &text, Envelope::default()),
        }
    }

    fn function(&self, pairs: &[(Value, Value)], json: &Json) -> Result<Value, Misfit> {
        let mut args: Vec<Value> = pairs.iter().map(|(arg, _)| *arg).collect();
        let domain = self.set(&mut args, json)?;
        if args.len() != pairs.len() {
            return Err(misfit("different keys", json));
        }
        let value_of = |arg: &Value| pairs.iter().find(|(other, _)| other == arg).map(|(_, value)| *value);
        let values: Vec<Value> = args.iter().filter_map(value_of).collect();
        Ok(self.store.function(domain, &values))
    }

    fn record_value(
        &self,
        fields: &[Field],
        kind: Option<(&String, Value)>,
        json: &Json,
        envelope: Envelope,
    ) -> Result<Value, Misfit> {
        let mut values = Vec::with_capacity(fields.len() + 1);
        values.extend(kind.map(|(by, value)| (self.store.string(by), value)));
        for field in fields {
            let found = find(&field.from, json, envelope, self.words)?;
            let value = self.value(&field.shape, &found, envelope);
            let value = value.map_err(|misfit| misfit.inside(&format!(".{}", field.name)))?;
            values.push((self.store.string(&field.name), value));
        }
        Ok(self.store.record(&mut values))
    }
}

/// The JSON at a source.
fn find<'j>(
    from: &Source,
    json: &'j Json,
    envelope: Envelope,
    words: &Words,
) -> Result<Cow<'j, Json>, Misfit> {
    let name = match from {
        Source::Field(name) => {
            let fields = json.as_object().ok_or_else(|| misfit("an object", json))?;
            // A field that may be null may also be left out.
            return Ok(fields.get(name).map_or(Cow::Owned(Json::Null), Cow::Borrowed));
        }
        Source::From => envelope.from,
        Source::To => envelope.to,
    };
    let name = name.map(|node| Json::from(words.nodes()[node].0.as_str()));
    name.map(Cow::Owned).ok_or_else(|| Misfit {
        place: String::new(),
        wanted: "who sent the message".to_owned(),
        found: "nobody who is known".to_owned(),
    })
}

impl Translator<'_> {
    /// Translates a value to JSON.
    pub fn json(&self, shape: &Shape, value: Value) -> Result<Json, Misfit> {
        match shape {
            Shape::Any => self.any_json(value),
            Shape::Int => self.store.as_int(value).map(Json::from).ok_or_else(|| self.no("a number", value)),
            Shape::Bool => value.as_bool().map(Json::from).ok_or_else(|| self.no("a boolean", value)),
            Shape::Text => {
                self.store.string_text(value).map(Json::from).ok_or_else(|| self.no("a string", value))
            }
            Shape::Node => {
                let node = self.words.node_of(value).ok_or_else(|| self.no("a node", value))?;
                Ok(Json::from(self.words.nodes()[node].0.as_str()))
            }
            Shape::Set(inner) => {
                let items = self.store.items(value).ok_or_else(|| self.no("a set", value))?;
                items.iter().map(|item| self.json(inner, item)).collect()
            }
            Shape::Seq(inner) => match self.store.view(value) {
                View::Tuple(elems) => elems.iter().map(|item| self.json(inner, item)).collect(),
                _ => Err(self.no("a sequence", value)),
            },
            Shape::Map(key, inner) => self.map_json(key, inner, value),
            Shape::Record(fields) => self.record_json(fields, value).map(Json::Object),
            Shape::OneOf { by, from, kinds } => {
                let kind = self.store.field(value, self.store.string(by));
                let known = kinds.iter().find(|(known, _)| Some(*known) == kind);
                let (kind, fields) = known.ok_or_else(|| self.no("one of the kinds of messages", value))?;
                let mut object = self.record_json(fields, value)?;
                if let Source::Field(name) = from {
                    object.insert(name.clone(), self.any_json(*kind)?);
                }
                Ok(Json::Object(object))
            }
            Shape::Or(_, nothing) if value == *nothing => Ok(Json::Null),
            Shape::Or(inner, _) => self.json(inner, value),
        }
    }

    fn any_json(&self, value: Value) -> Result<Json, Misfit> {
        if let Some(json) = self.words.json(value, self.store) {
            return Ok(json);
        }
        match self.store.view(value) {
            View::Tuple(elems) => elems.iter().map(|item| self.any_json(item)).collect(),
            View::Record { .. } | View::Function { .. } => self.map_json(&Shape::Any, &Shape::Any, value),
            View::Set(_) | View::Interval { .. } => self.json(&Shape::Set(Box::new(Shape::Any)), value),
            _ => Ok(self.store.to_json(value)),
        }
    }

    fn map_json(&self, key: &Shape, inner: &Shape, value: Value) -> Result<Json, Misfit> {
        let parts = self.store.domain(value).and_then(|domain| self.store.items(domain));
        let (Some(args), Some(values)) = (parts, self.store.range_elems(value)) else {
            return Err(self.no("a function", value));
        };
        let mut pairs = Vec::with_capacity(args.len());
        for (arg, value) in args.iter().zip(values) {
            pairs.push((self.json(key, arg)?, self.json(inner, value)?));
        }
        let named: Option<Map<String, Json>> =
            pairs.iter().map(|(arg, value)| Some((arg.as_str()?.to_owned(), value.clone()))).collect();
        Ok(match named {
            Some(object) => Json::Object(object),
            None => {
                Json::Array(pairs.into_iter().map(|(arg, value)| Json::Array(vec![arg, value])).collect())
            }
        })
    }

    fn record_json(&self, fields: &[Field], value: Value) -> Result<Map<String, Json>, Misfit> {
        let mut object = Map::new();
        for field in fields {
            let found = self.store.field(value, self.store.string(&field.name));
            let found =
                found.ok_or_else(|| self.no(&format!("a record with a field {}", field.name), value))?;
            if let Source::Field(name) = &field.from {
                object.insert(name.clone(), self.json(&field.shape, found)?);
            }
        }
        Ok(object)
    }

    fn no(&self, wanted: &str, value: Value) -> Misfit {
        Misfit { place: String::new(), wanted: wanted.to_owned(), found: self.store.show(value) }
    }
}

impl Misfit {
    fn inside(mut self, place: &str) -> Misfit {
        self.place.insert_str(0, place);
        self
    }
}

/// Whether a number is an integer of more than 32 bits.
fn is_large(number: &serde_json::Number) -> bool {
    (number.is_i64() || number.is_u64())
        && number.as_i64().is_none_or(|number| i32::try_from(number).is_err())
}

fn misfit(wanted: &str, json: &Json) -> Misfit {
    Misfit { place: String::new(), wanted: wanted.to_owned(), found: shortened(json) }
}

/// JSON as text for people, shortened if it is long.
pub fn shortened(json: &Json) -> String {
    const CHARS_MAX: usize = 120;
    let text = json.to_string();
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_with_repetitions_is_no_set() {
        let store = Store::new();
        let words = Words::new([]);
        let translator = Translator { store: &store, words: &words };
        let shape = Shape::Set(Box::new(Shape::Int));
        let value = |json: Json| translator.value(&shape, &json, Envelope::default());
        assert_eq!(value(json!([2, 1])), value(json!([1, 2])));
        let misfit = value(json!([1, 2, 2])).expect_err("2 is listed twice");
        assert_eq!(misfit.wanted, "a list without repetitions");
    }
}
