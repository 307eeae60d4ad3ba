//! What a node reports.

use serde_json::{Map, Value as Json};

/// Something that holds variables of a specification.
///
/// `#[derive(Variables)]` takes the fields that are marked: `#[variable]` under the field's name, `#[variable("state")]` under another,
/// `#[variable("votes", with = how)]` as what the function `how(&field)` makes of it; and with `#[variables]` all that the field holds.
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

impl<T: Variables + ?Sized> Variables for &mut T {
    fn variables(&self, into: &mut Map<String, Json>) {
        (**self).variables(into);
    }
}
