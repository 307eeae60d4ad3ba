//! Names of single values on both sides: what the specification calls `Nil` or `n1`, and what the implementation calls
//! it.

use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

/// The names of constants, model values and nodes on both sides.
#[derive(Clone, Debug, Default)]
pub struct Words {
    to_value: FxHashMap<Json, Value>,
    to_json: FxHashMap<Value, Json>,
    models: FxHashMap<String, Value>,
    nodes: Vec<(String, Value)>,
    strangers: Vec<usize>,
}

impl Words {
    /// Makes the words of a specification with these model values.
    pub fn new(models: impl IntoIterator<Item = (String, Value)>) -> Words {
        Words { models: models.into_iter().collect(), ..Words::default() }
    }

    /// Adds the implementation's JSON for a value.
    pub fn add(&mut self, value: Value, json: Json) {
        self.to_value.insert(json.clone(), value);
        self.to_json.insert(value, json);
    }

    /// Adds a node. Its value is the one that the constants give to its name, or its model value, or a string.
    pub fn add_node(&mut self, name: &str, store: &Store) {
        let named = self.value(&Json::from(name));
        if named.is_none() && !store.knows_name(name) {
            self.strangers.push(self.nodes.len());
        }
        let value = named.unwrap_or_else(|| store.string(name));
        self.nodes.push((name.to_owned(), value));
    }

    /// The value of an implementation's word. `None` if it belongs to no constant and no model value.
    pub fn value(&self, json: &Json) -> Option<Value> {
        match self.to_value.get(json) {
            Some(value) => Some(*value),
            None => self.models.get(json.as_str()?).copied(),
        }
    }

    /// The implementation's word for a value. `None` if it has none.
    pub fn json(&self, value: Value, store: &Store) -> Option<Json> {
        match self.to_json.get(&value) {
            Some(json) => Some(json.clone()),
            None => store.model_name(value).map(Json::from),
        }
    }

    /// What the constants call a value. `None` if they say nothing of it, or no text.
    pub fn other_name(&self, value: Value) -> Option<&str> {
        self.to_json.get(&value)?.as_str()
    }

    /// The nodes with their values, in the order of the configuration.
    pub fn nodes(&self) -> &[(String, Value)] {
        &self.nodes
    }

    /// The indices of the nodes whose names are nothing in the specification.
    pub fn strangers(&self) -> &[usize] {
        &self.strangers
    }

    /// The index of the node with this value.
    pub fn node_of(&self, value: Value) -> Option<usize> {
        self.nodes.iter().position(|(_, node)| *node == value)
    }

    /// The index of the node with this name.
    pub fn node_named(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node == name)
    }
}
