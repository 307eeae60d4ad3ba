//! The variables that a node reports.

use serde_json::{Map, Value as Json};

/// Something that holds variables of a specification.
///
/// `#[derive(Variables)]` reports the marked fields: `#[variable]` under the field's name, `#[variable("state")]` under
/// another name, and `#[variable("votes", with = how)]` as the result of `how(&field)`. `#[variables]` reports all
/// variables that the field holds.
pub trait Variables {
    /// Adds the variables to a map, under the names that the mapping uses.
    fn variables(&self, into: &mut Map<String, Json>);
}

/// There are no variables.
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

impl<T: Variables + ?Sized> Variables for &mut T {
    fn variables(&self, into: &mut Map<String, Json>) {
        (**self).variables(into);
    }
}
