//! Single values on both sides: what the specification calls `Nil` or `n1`, and what the implementation does.

use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

/// What constants, model values and nodes are called on both sides.
#[derive(Clone, Debug, Default)]
pub struct Words {
    to_value: FxHashMap<Json, Value>,
    to_json: FxHashMap<Value, Json>,
    models: FxHashMap<String, Value>,
    nodes: Vec<(String, Value)>,
}

impl Words {
    /// The words of a specification with these model values.
    pub fn new(models: impl IntoIterator<Item = (String, Value)>) -> Words {
        Words { models: models.into_iter().collect(), ..Words::default() }
    }

    /// The implementation spells a value like this.
    pub fn add(&mut self, value: Value, json: Json) {
        self.to_value.insert(json.clone(), value);
        self.to_json.insert(value, json);
    }

    /// A node: the value that the constants give to its name, or its model value, or a string.
    pub fn add_node(&mut self, name: &str, store: &Store) {
        let value = self.value(&Json::from(name)).unwrap_or_else(|| store.string(name));
        self.nodes.push((name.to_owned(), value));
    }

    /// What an implementation's word stands for, if it is a constant's or a model value's.
    pub fn value(&self, json: &Json) -> Option<Value> {
        match self.to_value.get(json) {
            Some(value) => Some(*value),
            None => self.models.get(json.as_str()?).copied(),
        }
    }

    /// What the implementation calls a value, if it has a word for it.
    pub fn json(&self, value: Value, store: &Store) -> Option<Json> {
        match self.to_json.get(&value) {
            Some(json) => Some(json.clone()),
            None => store.model_name(value).map(Json::from),
        }
    }

    /// The nodes with their values, in the order of the configuration.
    pub fn nodes(&self) -> &[(String, Value)] {
        &self.nodes
    }

    /// The number of the node with this value.
    pub fn node_of(&self, value: Value) -> Option<usize> {
        self.nodes.iter().position(|(_, node)| *node == value)
    }

    /// The number of the node with this name.
    pub fn node_named(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node == name)
    }
}
