//! What a node reports.

use serde_json::{Map, Value as Json};

/// Something that holds variables of a specification.
pub trait Variables {
    /// Puts them into a map, by the names that the mapping uses.
    fn variables(&self, into: &mut Map<String, Json>);
}

/// No variables.
impl Variables for () {
    fn variables(&self, _: &mut Map<String, Json>) {}
}

impl Variables for Map<String, Json> {
    fn variables(&self, into: &mut Map<String, Json>) {
        into.extend(self.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
}

impl<T: Variables + ?Sized> Variables for &T {
    fn variables(&self, into: &mut Map<String, Json>) {
        (**self).variables(into);
    }
}
