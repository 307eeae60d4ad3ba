//! Writes suites as JSON lines: a header, then one line for each test.
//!
//! Values are in the Informal Trace Format. Each step lists only the variables that change. A test's id is a hash of
//! what happens in the test, and does not depend on numbers in the graph. So it stays the same as long as the test
//! does.

use std::fmt::Write as _;
use std::io::{self, Write};

use kilter_graph::{EdgeId, StateGraph};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::concrete::{Concrete, ConcreteStep};
use crate::suite::Suite;

/// The name of the format.
pub const FORMAT: &str = "kilter-suite";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`]
    pub format: String,
    /// [`VERSION`]
    pub version: u32,
    /// The specification's file.
    pub spec: String,
    /// The file of the configuration, if the graph has its name.
    pub config: String,
    /// The graph's fingerprint.
    pub graph: String,
    /// The goal of the suite.
    pub goal: GoalText,
    /// The name of the algorithm.
    pub algorithm: String,
    /// The seed, which decides ties.
    pub seed: u64,
    /// The cost of starting a test. A step costs 1.
    pub restart_cost: u32,
    /// The number of tests.
    pub tests: u64,
    /// The number of steps of all tests together.
    pub steps: u64,
    /// How many targets there are.
    pub targets: u64,
    /// The number of targets that the tests cover.
    pub covered: u64,
}

/// A goal as it is written in the header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalText {
    /// `edges`, `states`, `actions` or `pairs`.
    pub cover: String,
    /// Only edges of these actions are targets. If this is empty, edges of all actions are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// Only targets for which this expression holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_when: Option<String>,
    /// Tests end after a step of one of these actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub end_actions: Vec<String>,
    /// Tests end where this expression holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_when: Option<String>,
    /// The largest number of steps of a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// `kept` if the targets are what partial-order reduction keeps, `rest` if they are what it leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub por: Option<String>,
    /// Sets of model values that are interchangeable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symmetry: Vec<Vec<String>>,
}

/// A line with one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestLine {
    /// The id: a hash of what happens in the test.
    pub id: String,
    /// The number of the initial state.
    pub start: u32,
    /// The values of all variables in the initial state.
    pub initial: serde_json::Map<String, Json>,
    /// The steps.
    pub steps: Vec<StepLine>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLine {
    /// The action's name.
    pub action: String,
    /// The arguments of the action, by parameter.
    pub args: serde_json::Map<String, Json>,
    /// The edge's number.
    pub edge: u32,
    /// The variables that change, with their new values.
    pub changes: serde_json::Map<String, Json>,
}

/// Why a suite was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The graph's values cannot be restored.
    #[error(transparent)]
    Values(#[from] kilter_graph::RestoreError),
    /// Two tests have the same id.
    #[error(transparent)]
    SameId(#[from] SameId),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Two tests of a suite have the same id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "tests {first} and {second} of the suite have the same id {id:016x}; another --seed makes other tests"
)]
pub struct SameId {
    /// The id.
    pub id: u64,
    /// The earlier test, counted from 1.
    pub first: usize,
    /// The later test, counted from 1.
    pub second: usize,
}

/// The ids of a suite's tests so far.
#[derive(Debug, Default)]
pub struct Ids {
    tests: FxHashMap<u64, usize>,
}

impl Ids {
    /// Adds the id of the next test. Fails if another test has the same id.
    pub fn add(&mut self, id: u64) -> Result<(), SameId> {
        let second = self.tests.len() + 1;
        match self.tests.insert(id, second) {
            None => Ok(()),
            Some(first) => Err(SameId { id, first, second }),
        }
    }
}

/// Writes a suite. `out` should be buffered.
pub fn write(
    graph: &StateGraph,
    suite: &Suite,
    header: &Header,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let store = Store::new();
    let mut teller = Teller::new(Concrete::new(graph, &store)?);
    writeln!(out, "{}", serde_json::json!(header))?;
    let mut edges = Vec::new();
    let mut ids = Ids::default();
    for test in 0..suite.n_tests() as usize {
        let start = suite.read(test, &mut edges);
        ids.add(teller.id(start, &edges))?;
        teller.write_test(out)?;
    }
    out.flush()?;
    Ok(())
}

/// Writes tests as JSON, and remembers the text of every value.
pub struct Teller<'g> {
    concrete: Concrete<'g>,
    texts: FxHashMap<Value, (Box<str>, u64)>,
    id: u64,
    line: String,
}

impl<'g> Teller<'g> {
    /// A writer for tests of this graph.
    pub fn new(concrete: Concrete<'g>) -> Self {
        Teller { concrete, texts: FxHashMap::default(), id: 0, line: String::new() }
    }

    /// Writes the test that was rendered last.
    fn write_test(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\"id\":\"{:016x}\",{}", self.id, self.line)
    }

    /// A test's id, and its line as JSON.
    pub fn test(&mut self, start: kilter_graph::StateId, edges: &[EdgeId]) -> (u64, String) {
        self.tell(start, edges);
        (self.id, format!("{{\"id\":\"{:016x}\",{}", self.id, self.line))
    }

    /// A test's id. In files it is written as 16 hexadecimal digits.
    pub fn id(&mut self, start: kilter_graph::StateId, edges: &[EdgeId]) -> u64 {
        self.tell(start, edges);
        self.id
    }

    /// Sets `id` to the id of a test, and `line` to its text without the id.
    fn tell(&mut self, start: kilter_graph::StateId, edges: &[EdgeId]) {
        let variables = self.concrete.graph().variables();
        let mut line = std::mem::take(&mut self.line);
        let mut hash = Xxh3::new();
        let (mut row, mut after) = (Vec::new(), Vec::new());
        self.concrete.state(start, &mut row);
        line.clear();
        let _ = write!(line, "\"start\":{},\"initial\":{{", start.0);
        self.push_fields(variables.iter().zip(row.iter().copied()), &mut line, &mut hash);
        line += "},\"steps\":[";
        let mut exchange = 0;
        for (index, edge) in edges.iter().enumerate() {
            let ConcreteStep { action, args, edge } = self.concrete.step(*edge, &mut exchange, &mut after);
            hash.update(action.name.as_bytes());
            line += if index == 0 { "{\"action\":" } else { ",{\"action\":" };
            line += &Json::from(action.name.as_str()).to_string();
            line += ",\"args\":{";
            self.push_fields(action.params.iter().zip(args), &mut line, &mut hash);
            let _ = write!(line, "}},\"edge\":{},\"changes\":{{", edge.0);
            let pairs = variables.iter().zip(row.iter().zip(&after));
            let changed =
                pairs.filter(|(_, (before, after))| before != after).map(|(name, (_, after))| (name, *after));
            self.push_fields(changed, &mut line, &mut hash);
            line += "}}";
            std::mem::swap(&mut row, &mut after);
        }
        line += "]}";
        self.line = line;
        self.id = hash.digest();
    }

    fn push_fields<'n>(
        &mut self,
        fields: impl Iterator<Item = (&'n String, Value)>,
        line: &mut String,
        hash: &mut Xxh3,
    ) {
        for (index, (name, value)) in fields.enumerate() {
            if index > 0 {
                line.push(',');
            }
            *line += &Json::from(name.as_str()).to_string();
            line.push(':');
            let store = self.concrete.store();
            let (text, fingerprint) = self.texts.entry(value).or_insert_with(|| {
                let json = store.to_itf(value);
                (json.to_string().into(), xxh3_64(canonical(&json).as_bytes()))
            });
            *line += text;
            hash.update(name.as_bytes());
            hash.update(&fingerprint.to_le_bytes());
        }
        hash.update(b";");
    }
}

/// A text that does not depend on the order of a set. That order depends on names in the specification.
fn canonical(json: &Json) -> String {
    match json {
        Json::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<String>>().join(",")),
        Json::Object(fields) => {
            let mut parts: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", Json::from(name.as_str()), in_field(name, value)))
                .collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        plain => plain.to_string(),
    }
}

fn in_field(name: &str, value: &Json) -> String {
    match value {
        Json::Array(items) if name == "#set" || name == "#map" => {
            let mut parts: Vec<String> = items.iter().map(canonical).collect();
            parts.sort_unstable();
            format!("[{}]", parts.join(","))
        }
        value => canonical(value),
    }
}
