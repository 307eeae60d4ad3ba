//! The names of a specification that mappings refer to.

use std::collections::BTreeMap;

use kilter_value::{Store, Value, View};

/// The names of a specification.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The actions of Next, in order. Several may have the same name.
    pub actions: Vec<ActionSummary>,
    /// The state variables, in order.
    pub variables: Vec<String>,
    /// The constants, and the definitions that are plain values.
    pub constants: BTreeMap<String, Value>,
}

/// The name of an action, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActionSummary {
    /// The name of the action.
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
}

impl Summary {
    /// The names of all actions, each once, in order.
    pub fn action_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for action in &self.actions {
            if !names.contains(&action.name.as_str()) {
                names.push(&action.name);
            }
        }
        names
    }

    /// All model values that constants consist of, by name.
    pub fn models(&self, store: &Store) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        let mut open: Vec<Value> = self.constants.values().copied().collect();
        while let Some(value) = open.pop() {
            if let Some(name) = store.model_name(value) {
                found.insert(name.to_owned(), value);
                continue;
            }
            match store.view(value) {
                View::Set(elems) => open.extend(elems.iter()),
                View::Tuple(elems) => open.extend(elems.iter()),
                View::Record { values, .. } => open.extend(values.iter()),
                View::Function { domain, values } => {
                    open.push(domain);
                    open.extend(values.iter());
                }
                _ => {}
            }
        }
        found
    }
}
