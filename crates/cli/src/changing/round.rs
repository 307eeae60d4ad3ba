//! Two versions to what changed, which steps that touches, and the tests for them.

use std::time::{Duration, Instant};

use anyhow::bail;
use kilter_change::patterns::{self, Affected, Changes, Width};
use kilter_change::{GraphChange, graphs, growth, spec_change};
use kilter_change::{Reuse, reuse};
use kilter_graph::StateGraph;
use kilter_suite::Suite;

use super::side::Side;
use crate::commands::suite::{self, SuiteArgs};

/// How tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// As `[suite]` says, for the affected edges.
    Cover,
    /// As in the paper.
    Growth,
}

/// What is asked for.
pub struct Request {
    /// How much of what a pattern matches is tested.
    pub width: Width,
    /// How tests are made.
    pub making: Making,
    /// The options of suites.
    pub suite: SuiteArgs,
    /// Whether to find out how many tests all edges would take.
    pub is_full_asked: bool,
    /// The edges of each case that passed in a run over the old graph, if there was one.
    pub passed: Option<Vec<Vec<u32>>>,
}

/// All that came of a comparison.
pub struct Round {
    /// What changed.
    pub changes: Changes,
    /// How the graphs compare.
    pub graphs: GraphChange,
    /// What has to be tested.
    pub affected: Affected,
    /// The tests, if any are needed.
    pub suite: Option<Suite>,
    /// Tests and steps for all edges, if that was asked for.
    pub full: Option<(u64, u64)>,
    /// What is left of an earlier run, if there was one.
    pub reuse: Option<Reuse>,
    /// Whether the versions have the same text.
    pub is_same_text: bool,
    /// How long comparing and selecting took.
    pub took: Duration,
}

impl Round {
    /// How many tests there are.
    pub fn n_tests(&self) -> u64 {
        self.suite.as_ref().map_or(0, Suite::n_tests)
    }

    /// How many steps they have.
    pub fn n_steps(&self) -> u64 {
        self.suite.as_ref().map_or(0, Suite::n_steps)
    }

    /// Which part of the tests is saved.
    #[allow(clippy::cast_precision_loss, reason = "people look at four digits")]
    pub fn reduction(&self) -> Option<f64> {
        let (tests, _) = self.full?;
        Some(1.0 - self.n_tests() as f64 / (tests as f64).max(1.0))
    }
}

/// Compares two versions; `known` are changes that nobody can see in specifications or graphs.
pub fn compare(old: &Side, new: &Side, known: Changes, request: &Request) -> anyhow::Result<Round> {
    let started = Instant::now();
    let spec = match (old.version(), new.version()) {
        (Some(old), Some(new)) => Some(spec_change::compare(old, new)),
        _ => None,
    };
    let changes = Changes { spec, ..known };
    check_names(&changes, &old.graph, &new.graph)?;
    let graphs = graphs::compare(&old.graph, &new.graph)?;
    let mut affected = patterns::apply(&changes, &old.graph, &new.graph, &graphs, request.width);
    let reuse = request.passed.as_ref().map(|passed| reuse(&graphs, &new.graph, passed, &mut affected));
    let suite = select(&new.graph, &affected, request)?;
    let took = started.elapsed();
    let full = if request.is_full_asked { Some(suite::of_graph(&new.graph, &request.suite)?) } else { None };
    let full = full.map(|full| (full.n_tests(), full.n_steps()));
    Ok(Round { changes, graphs, affected, suite, full, reuse, is_same_text: new.has_text_of(old), took })
}

/// The tests for what is affected.
pub fn select(graph: &StateGraph, affected: &Affected, request: &Request) -> anyhow::Result<Option<Suite>> {
    if affected.n() == 0 {
        return Ok(None);
    }
    // An affected edge is tested for what it is, not for others that it could stand for.
    let args = SuiteArgs {
        cover: suite::CoverArg::Edges,
        por: false,
        por_rest: false,
        symmetry: Vec::new(),
        ..request.suite.clone()
    };
    match request.making {
        Making::Cover => suite::of_edges(graph, &args, &affected.edges),
        Making::Growth => Ok(Some(growth::grow(graph, &affected.edges, &suite::goal(graph, &args)?))),
    }
}

/// Actions that follow each other directly.
pub fn pairs<'a>(sequences: impl Iterator<Item = &'a Vec<String>>) -> anyhow::Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for sequence in sequences {
        if sequence.len() < 2 {
            bail!(
                "a sequence has two actions or more, such as Request,Respond; this is `{}`",
                sequence.join(",")
            );
        }
        pairs.extend(sequence.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    Ok(pairs)
}

/// Actions that nobody knows are a mistake, not a reason to test nothing.
fn check_names(changes: &Changes, old: &StateGraph, new: &StateGraph) -> anyhow::Result<()> {
    let known = |name: &str| new.actions().iter().chain(old.actions()).any(|action| action.name == name);
    let pairs = changes.allowed.iter().chain(&changes.forbidden);
    match pairs.flat_map(|(first, second)| [first, second]).find(|name| !known(name)) {
        Some(name) => bail!("there is no action `{name}` in the specification"),
        None => Ok(()),
    }
}
