//! The variables that a node reports.
//!
//! A testbed gets them as JSON values. For a trace, each of them is made a text at once: a node that writes traces tells its
//! variables after every event, and comparing two texts costs far less than making and comparing two trees.

#[cfg(feature = "controlled")]
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::action::to_json;
#[cfg(feature = "controlled")]
use crate::text::set_text;

/// Something that holds variables of a specification.
///
/// `#[derive(Variables)]` reports the marked fields: `#[variable]` under the field's name, `#[variable("state")]` under
/// another name, and `#[variable("votes", with = how)]` as the result of `how(&field)`. `#[variables]` reports all
/// variables that the field holds.
pub trait Variables {
    /// Adds the variables to a report, under the names that the mapping uses.
    fn variables(&self, into: &mut Report);
}

/// The variables of a node, by their names.
#[derive(Clone)]
pub struct Report {
    form: Form,
}

#[derive(Clone)]
enum Form {
    Values(Map<String, Json>),
    #[cfg(feature = "controlled")]
    Texts(BTreeMap<String, String>),
}

impl Default for Report {
    fn default() -> Report {
        Report { form: Form::Values(Map::new()) }
    }
}

impl Report {
    /// Adds a variable, or says what it is now.
    pub fn add(&mut self, name: &str, value: impl Serialize) {
        match &mut self.form {
            Form::Values(values) => _ = values.insert(name.to_owned(), to_json(&value)),
            #[cfg(feature = "controlled")]
            Form::Texts(texts) => match texts.get_mut(name) {
                Some(text) => set_text(text, &value),
                None => set_text(texts.entry(name.to_owned()).or_default(), &value),
            },
        }
    }

    /// The variables as JSON.
    pub fn into_values(self) -> Map<String, Json> {
        match self.form {
            Form::Values(values) => values,
            #[cfg(feature = "controlled")]
            Form::Texts(texts) => {
                let value = |text: String| serde_json::from_str(&text).unwrap_or_default();
                texts.into_iter().map(|(name, text)| (name, value(text))).collect()
            }
        }
    }

    /// A report for a trace.
    #[cfg(feature = "controlled")]
    pub(crate) fn of_texts() -> Report {
        Report { form: Form::Texts(BTreeMap::new()) }
    }

    /// The texts of a report for a trace, by the names of the variables.
    #[cfg(feature = "controlled")]
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = match &self.form {
            Form::Texts(texts) => Some(texts),
            Form::Values(_) => None,
        };
        texts.into_iter().flatten().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

/// There are no variables.
impl Variables for () {
    fn variables(&self, _: &mut Report) {}
}

impl Variables for Map<String, Json> {
    fn variables(&self, into: &mut Report) {
        for (name, value) in self {
            into.add(name, value);
        }
    }
}

impl<T: Variables + ?Sized> Variables for &T {
    fn variables(&self, into: &mut Report) {
        (**self).variables(into);
    }
}

impl<T: Variables + ?Sized> Variables for &mut T {
    fn variables(&self, into: &mut Report) {
        (**self).variables(into);
    }
}
