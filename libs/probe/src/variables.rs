//! What a node reports: derived from a struct, or shadows of single variables.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::probe::Probe;

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

/// A variable with a shadow that the testbed sees, wherever the variable is: a local, a static, a field behind a lock. The shadow is
/// reported with the next action that is done, on whatever thread.
///
/// ```
/// # use kilter_probe::Probe;
/// let mut term = Probe::global().shadow("currentTerm", 0);
/// term.set(1);
/// term.update(|term| *term += 1);
/// assert_eq!(*term, 2);
/// ```
pub struct Shadow<T> {
    value: T,
    #[cfg(feature = "controlled")]
    name: &'static str,
    #[cfg(feature = "controlled")]
    probe: Probe,
}

impl<T: Serialize> Shadow<T> {
    #[inline]
    pub(crate) fn new(probe: &Probe, name: &'static str, value: T) -> Shadow<T> {
        #[cfg(not(feature = "controlled"))]
        let _ = (probe, name);
        let shadow = Shadow {
            value,
            #[cfg(feature = "controlled")]
            name,
            #[cfg(feature = "controlled")]
            probe: probe.clone(),
        };
        shadow.show();
        shadow
    }

    /// Gives it another value.
    #[inline]
    pub fn set(&mut self, value: T) {
        self.value = value;
        self.show();
    }

    /// Changes its value.
    #[inline]
    pub fn update<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.value);
        self.show();
        result
    }

    #[cfg_attr(not(feature = "controlled"), expect(clippy::unused_self, reason = "nobody looks at shadows"))]
    #[inline]
    fn show(&self) {
        #[cfg(feature = "controlled")]
        self.probe.show(self.name, &self.value);
    }
}

impl<T> Deref for Shadow<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Shadow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
