//! The table of the agent: which methods of a system are actions, where messages pass, and what its variables are. The agent gets
//! it as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A table, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Table {
    /// The agent's jar, relative to the file of the table.
    #[serde(skip_serializing)]
    pub agent: Option<String>,
    /// The jars and folders of the system, relative to the file of the table. `kilter map` looks for classes there.
    #[serde(skip_serializing)]
    pub jars: Vec<String>,
    /// The release of the system that is tested: `sections` go by it.
    #[serde(skip_serializing)]
    pub release: Option<String>,
    /// Packages and classes that this build of the system has under another name: the name in the table, and the other one.
    #[serde(skip_serializing)]
    pub renamed: BTreeMap<String, String>,
    /// Patterns for the classes whose clock calls and notifications the agent sees.
    pub scan: Vec<String>,
    /// Patterns for the classes that the system has and does not use as it is tested. `kilter diff` looks for no way through them.
    #[serde(skip_serializing)]
    pub unused: Vec<String>,
    /// Patterns for the names of the threads that must wait before the node is still.
    pub threads: Vec<String>,
    /// Whether the system reads the clock of the agent.
    pub clock: bool,
    /// Whether random numbers of the classes in `scan` are the same each time.
    pub seeded: bool,
    /// Names for the instances of classes that were made last.
    pub objects: BTreeMap<String, String>,
    /// What the node reports.
    pub variables: BTreeMap<String, Json>,
    /// What the testbed can ask for.
    pub requests: BTreeMap<String, String>,
    /// The points in the code that mean something.
    pub points: Vec<Point>,
    /// Changes to the code.
    pub mutations: Vec<Mutation>,
    /// What only some releases have.
    #[serde(skip_serializing)]
    pub sections: Vec<Section>,
}

impl Table {
    /// Whether the system does not use a class as it is tested. A pattern is a name, or the beginning of one before a `*`.
    pub fn leaves_out(&self, class: &str) -> bool {
        self.unused.iter().any(|pattern| match pattern.split_once('*') {
            Some((begin, _)) => class.starts_with(begin),
            None => class == pattern,
        })
    }
}

/// A part of a table that counts for some releases of the system. What it says of a name takes the place of what the table says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Section {
    /// The first of these releases.
    pub since: Option<String>,
    /// The first release after them.
    pub before: Option<String>,
    /// As in [`Table`].
    pub scan: Vec<String>,
    /// As in [`Table`].
    pub unused: Vec<String>,
    /// As in [`Table`].
    pub threads: Vec<String>,
    /// As in [`Table`].
    pub objects: BTreeMap<String, String>,
    /// As in [`Table`].
    pub variables: BTreeMap<String, Json>,
    /// As in [`Table`].
    pub requests: BTreeMap<String, String>,
    /// As in [`Table`].
    pub points: Vec<Point>,
}

/// A point in the code that means something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a file, each by its name")]
pub struct Point {
    /// The method: `org.example.Peer.handle`, with the types of its parameters where several have this name.
    #[serde(rename = "in")]
    pub method: String,
    /// `entry` or `exit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The call in the method that is the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Which of several such calls it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// The thread offers this action here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The call takes something from a queue, which is this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<String>,
    /// The call takes the next element of a queue, and nobody is asked.
    #[serde(skip_serializing_if = "is_false")]
    pub polls: bool,
    /// The call waits for a message, whose handling is this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receives: Option<String>,
    /// The action that happens instead if nothing comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// When the time may end. Always if there is no such condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_if: Option<String>,
    /// Whether the time may end although there is something to take.
    #[serde(skip_serializing_if = "is_false")]
    pub early: bool,
    /// Whether all elements of the queue are offered, and not the first alone.
    #[serde(skip_serializing_if = "is_false")]
    pub any: bool,
    /// Whether the call returns null when its message is dropped.
    #[serde(skip_serializing_if = "is_false")]
    pub drops: bool,
    /// A message arrives here.
    #[serde(skip_serializing_if = "is_false")]
    pub arrives: bool,
    /// A message is handed to the network here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<Json>,
    /// The node that a message is sent to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The thread waits for something outside in this call.
    #[serde(skip_serializing_if = "is_false")]
    pub rests: bool,
    /// The thread waits for another one in this call.
    #[serde(skip_serializing_if = "is_false")]
    pub waits: bool,
    /// The call is left out.
    #[serde(skip_serializing_if = "is_false")]
    pub skip: bool,
    /// The arguments of the action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Json>,
    /// The message of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Json>,
    /// When the point means something.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// A change to the code, to see whether anybody notices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Mutation {
    /// The method.
    #[serde(rename = "in")]
    pub method: String,
    /// `leave-out`, `return`, `constant` or `swap`.
    #[serde(rename = "do")]
    pub change: String,
    /// The call that is left out or swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Which of several such calls it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// The call that it is swapped with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// What the method returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<toml::Value>,
    /// What the method returns, as an expression over its arguments and fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<toml::Value>,
    /// What it becomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<toml::Value>,
}

impl Mutation {
    /// What it does, in one sentence.
    pub fn text(&self) -> String {
        let Mutation { method, change, call, nth, with, value, result, from, to } = self;
        let nth = nth.map(|nth| format!(", number {nth}")).unwrap_or_default();
        let call = call.as_deref().unwrap_or_default();
        let shown = |value: &Option<toml::Value>| value.as_ref().map(ToString::to_string).unwrap_or_default();
        match change.as_str() {
            "leave-out" => format!("`{method}` leaves out `{call}`{nth}"),
            "swap" => format!("`{method}` swaps `{call}` and `{}`{nth}", with.as_deref().unwrap_or_default()),
            "constant" => format!("`{method}` has {} where it had {}{nth}", shown(to), shown(from)),
            _ => match result.clone().unwrap_or_else(|| shown(value)) {
                nothing if nothing.is_empty() => format!("`{method}` returns at once"),
                result => format!("`{method}` returns {result} at once"),
            },
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The expressions in a value: its texts. Objects and lists have several.
pub(crate) fn expressions(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => vec![text],
        Json::Object(fields) => fields.values().flat_map(expressions).collect(),
        Json::Array(items) => items.iter().flat_map(expressions).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) => Vec::new(),
    }
}

impl Point {
    /// The names of the actions that are offered here.
    pub fn actions(&self) -> impl Iterator<Item = &str> {
        [&self.action, &self.takes, &self.receives, &self.timeout].into_iter().flatten().map(String::as_str)
    }

    /// The keys that say what the point means. There must be exactly one.
    pub fn meanings(&self) -> Vec<&'static str> {
        let all = [
            ("action", self.action.is_some()),
            ("takes", self.takes.is_some()),
            ("polls", self.polls),
            ("receives", self.receives.is_some()),
            ("arrives", self.arrives),
            ("sends", self.sends.is_some()),
            ("rests", self.rests),
            ("waits", self.waits),
            ("skip", self.skip),
        ];
        all.into_iter().filter(|(_, is_there)| *is_there).map(|(word, _)| word).collect()
    }

    /// All expressions of the point.
    pub fn expressions(&self) -> Vec<&str> {
        let trees = self.args.iter().chain(&self.message).chain(&self.sends).flat_map(expressions);
        trees
            .chain([&self.to, &self.when, &self.timeout_if].into_iter().flatten().map(String::as_str))
            .collect()
    }
}

impl Table {
    /// The table as the agent reads it. `again` says whether the system is started again in the same JVM.
    pub fn to_json(&self, again: bool) -> Json {
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["again"] = again.into();
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_reads_the_keys_of_a_point_as_they_are_written() {
        let text = "in = \"a.B.c\"\ncall = \"Queue.poll\"\ntakes = \"A\"\ntimeout = \"T\"\ntimeout-if = \"true\"\nearly = true";
        let point: Point = toml::from_str(text).expect("a point");
        let json = serde_json::to_value(&point).expect("it is JSON");
        let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["call", "early", "in", "takes", "timeout", "timeout-if"]);
    }

    #[test]
    fn a_mutation_is_told_in_one_sentence() {
        let text = |keys: &str| {
            let mutation: Mutation = toml::from_str(&format!("in = \"a.B.c\"\n{keys}")).expect("a mutation");
            mutation.text()
        };
        let told = "`a.B.c` leaves out `Log.sync`, number 2";
        assert_eq!(text("do = \"leave-out\"\ncall = \"Log.sync\"\nnth = 2"), told);
        assert_eq!(text("do = \"swap\"\ncall = \"B.x\"\nwith = \"B.y\""), "`a.B.c` swaps `B.x` and `B.y`");
        assert_eq!(text("do = \"constant\"\nfrom = 0\nto = true"), "`a.B.c` has true where it had 0");
        assert_eq!(text("do = \"return\""), "`a.B.c` returns at once");
        assert_eq!(text("do = \"return\"\nresult = \"$1 > 2\""), "`a.B.c` returns $1 > 2 at once");
    }
}
