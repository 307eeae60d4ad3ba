//! Compares two versions: what changed, which steps that affects, and the tests for them.

use std::time::{Duration, Instant};

use kilter_base::Id;
use kilter_change::patterns::{self, Affected, Changes, Versions, Width};
use kilter_change::{Alike, GraphChange, Reuse, graphs, growth, reuse, spec_change};
use kilter_graph::{StateGraph, StateId};
use kilter_suite::Suite;
use kilter_suite::choice::{self, Walk};

use super::record::Known;
use super::side::Side;
use crate::error::Tried;
use crate::suite;

/// How tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// As `[suite]` describes them, for the affected edges.
    Cover,
    /// By growth, as in the paper.
    Growth,
}

/// A request for a comparison.
pub struct Request {
    /// How many of the steps that a pattern matches are tested.
    pub width: Width,
    /// How tests are made.
    pub making: Making,
    /// The options of suites.
    pub suite: suite::Request,
    /// Whether to compute how many tests all edges would take.
    pub is_full_asked: bool,
    /// What is known from a run of the old version.
    pub known: Known,
}

/// The result of a comparison.
pub struct Round {
    /// What changed.
    pub changes: Changes,
    /// How the graphs compare.
    pub graphs: GraphChange,
    /// The steps that have to be tested.
    pub affected: Affected,
    /// The tests. `None` if none are needed.
    pub suite: Option<Suite>,
    /// The suite for all edges, if it was asked for.
    pub full: Option<Full>,
    /// What remains valid of an earlier run, if there was one.
    pub reuse: Option<Reuse>,
    /// What the reader has to know of that run. `None` if there is nothing.
    pub record: Option<String>,
    /// Whether one edge stands for several similar ones.
    pub is_alike: bool,
    /// Whether the versions have the same text.
    pub is_same_text: bool,
    /// How long it took to compare and to select.
    pub took: Duration,
}

/// The size of the suite for all edges, and which suite is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// The number of its tests.
    pub tests: u64,
    /// The number of its steps.
    pub steps: u64,
    /// Restart cost × tests + steps.
    pub cost: u64,
    /// The suite that is taken, and why.
    pub taken: Taken,
}

/// The suite that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The selected suite, because it does not cost more.
    Selected,
    /// The selected suite. The full suite costs less, but does not cover all that has to be tested.
    FullDoesLess,
    /// The selected suite. The full suite costs less, but tests by growth were asked for.
    Grown,
    /// The full suite, because it costs less and covers as much.
    Full {
        /// The number of tests of the selected suite.
        instead_of_tests: u64,
        /// The number of steps of the selected suite.
        instead_of_steps: u64,
    },
}

impl Round {
    /// The number of tests.
    pub fn n_tests(&self) -> u64 {
        self.suite.as_ref().map_or(0, Suite::n_tests)
    }

    /// The number of their steps.
    pub fn n_steps(&self) -> u64 {
        self.suite.as_ref().map_or(0, Suite::n_steps)
    }

    /// The share of tests that is saved, from 0 to 1. It is 0 if the full suite has as many tests or fewer. `None` if
    /// the full suite was not asked for.
    pub fn reduction(&self) -> Option<f64> {
        Some(saved_share(self.n_tests(), self.full?.tests))
    }

    /// The share of steps that is saved, likewise.
    pub fn step_reduction(&self) -> Option<f64> {
        Some(saved_share(self.n_steps(), self.full?.steps))
    }
}

/// The share of `all` that is saved if only `taken` are done, from 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "people look at four digits")]
fn saved_share(taken: u64, all: u64) -> f64 {
    (1.0 - taken as f64 / (all as f64).max(1.0)).max(0.0)
}

/// Compares two versions. `known` are changes that specifications and graphs do not show.
pub fn compare(old: &Side, new: &Side, known: Changes, request: &Request) -> Tried<Round> {
    let started = Instant::now();
    let spec = match (old.version(), new.version()) {
        (Some(old), Some(new)) => Some(spec_change::compare(old, new)),
        _ => None,
    };
    let changes = Changes { spec, ..known };
    check_names(&changes, &old.graph, &new.graph)?;
    let graphs = graphs::compare(&old.graph, &new.graph)?;
    let view = new.view().filter(|_| request.width == Width::Difference);
    let alike = match (&old.view(), &view) {
        (Some(before), Some(after)) => Some(Alike::new((&old.graph, before), (&new.graph, after))?),
        _ => None,
    };
    let is_rewritten = changes.spec.as_ref().is_some_and(|spec| !spec.changes.is_empty());
    let freed = if is_rewritten { freed(old, new, &graphs)? } else { Vec::new() };
    let versions = Versions {
        old: &old.graph,
        new: &new.graph,
        graphs: &graphs,
        alike: alike.as_ref().zip(view.as_ref()),
        is_cut: new.is_cut(),
        freed: &freed,
    };
    let mut affected = patterns::apply(&changes, versions, request.width);
    let passed = request.known.passed();
    let reuse = passed.map(|passed| reuse(&graphs, &new.graph, passed, &mut affected));
    let mut suite = select(&new.graph, &affected, alike.as_ref(), request)?;
    let took = started.elapsed();
    let full = if request.is_full_asked {
        let all = request.suite.make(&new.graph)?.suite;
        let choices = affected.wants.choices(&new.graph, alike.as_ref());
        Some(smaller(&mut suite, all, &choices, request.making))
    } else {
        None
    };
    Ok(Round {
        is_alike: alike.is_some(),
        is_same_text: new.has_text_of(old),
        changes,
        graphs,
        affected,
        suite,
        full,
        reuse,
        record: request.known.words(),
        took,
    })
}

/// States of the new graph at which the old graph was cut off and the new one is not.
fn freed(old: &Side, new: &Side, graphs: &GraphChange) -> Tried<Vec<StateId>> {
    let was_cut = old.borders()?;
    let is_cut = new.borders()?;
    let is_border = |borders: &[bool], state: StateId| borders.get(state.index()).copied().unwrap_or(false);
    let cut = old.graph.states().filter(|state| is_border(&was_cut, *state));
    let now = cut.flat_map(|state| graphs.new_states(state)).copied();
    Ok(now.filter(|state| !is_border(&is_cut, *state)).collect())
}

/// Makes the tests for what is affected.
pub fn select(
    graph: &StateGraph,
    affected: &Affected,
    alike: Option<&Alike>,
    request: &Request,
) -> Tried<Option<Suite>> {
    if affected.wants.n() == 0 {
        return Ok(None);
    }
    let certain = request.suite.for_certain_edges();
    match request.making {
        Making::Cover => Ok(certain.choose(graph, &affected.wants.choices(graph, alike))?),
        Making::Growth => {
            let wanted = affected.wants.edges(graph, alike);
            Ok(Some(growth::grow(graph, &wanted, &certain.goal(graph)?)))
        }
    }
}

/// Compares the selected tests with those for all edges, and takes the latter if they cost less and do as much.
///
/// The cheapest tests for some edges never cost more than those for all edges. But where one of several walks is
/// enough, the cheapest are hard to find, and those that are found may cost more. The full suite may also cost less
/// because it need not take two steps directly one after the other, or because `[suite]` asks for less than all edges.
fn smaller(suite: &mut Option<Suite>, mut all: Suite, choices: &[Vec<Walk>], making: Making) -> Full {
    let (tests, steps, cost) = (all.n_tests(), all.n_steps(), all.cost());
    let full = |taken| Full { tests, steps, cost, taken };
    let Some(selected) = suite.take_if(|selected| cost < selected.cost()) else {
        return full(Taken::Selected);
    };
    let by_all = choice::settled(&all, choices);
    let by_selected = choice::settled(&selected, choices);
    let does_all = by_selected.iter().zip(&by_all).all(|(wanted, done)| *done || !wanted);
    if !does_all || making == Making::Growth {
        *suite = Some(selected);
        return full(if does_all { Taken::Grown } else { Taken::FullDoesLess });
    }
    all.n_targets = selected.n_targets;
    all.n_covered = by_all.iter().filter(|done| **done).count() as u64;
    *suite = Some(all);
    full(Taken::Full { instead_of_tests: selected.n_tests(), instead_of_steps: selected.n_steps() })
}

/// The sequences that the old version did not name. Those that it named have been tested.
pub fn fresh<'a>(old: &'a [Vec<String>], new: &'a [Vec<String>]) -> impl Iterator<Item = &'a Vec<String>> {
    new.iter().filter(|sequence| !old.contains(sequence))
}

/// The pairs of actions that follow each other directly.
pub fn pairs<'a>(sequences: impl Iterator<Item = &'a Vec<String>>) -> Tried<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for sequence in sequences {
        if sequence.len() < 2 {
            let wanted = "a sequence has two actions or more, such as Request,Respond";
            return Err(format!("{wanted}; this is `{}`", sequence.join(",")).into());
        }
        pairs.extend(sequence.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    Ok(pairs)
}

/// Checks the names of actions. An unknown action is a mistake, not a reason to test nothing.
fn check_names(changes: &Changes, old: &StateGraph, new: &StateGraph) -> Tried<()> {
    let known = |name: &str| new.actions().iter().chain(old.actions()).any(|action| action.name == name);
    let pairs = changes.allowed.iter().chain(&changes.forbidden);
    match pairs.flat_map(|(first, second)| [first, second]).find(|name| !known(name)) {
        Some(name) => Err(format!("there is no action `{name}` in the specification").into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use kilter_graph::EdgeId;
    use kilter_suite::suite::Bound;
    use kilter_suite::tests::Tests;

    use super::*;

    fn suite(walks: &[&[u32]]) -> Suite {
        let mut tests = Tests::default();
        for walk in walks {
            tests.push(0, walk);
        }
        Suite::from_walks(tests, 3, 3, Bound::default(), 20)
    }

    /// Walks of which each edge has to be taken.
    fn choices(edges: &[u32]) -> Vec<Vec<Walk>> {
        edges.iter().map(|edge| vec![EdgeId(*edge).into()]).collect()
    }

    #[test]
    fn a_full_suite_that_costs_less_and_does_as_much_is_taken() {
        let mut taken = Some(suite(&[&[0], &[1], &[2]]));
        let full = smaller(&mut taken, suite(&[&[0, 1, 2, 3]]), &choices(&[0, 1, 2]), Making::Cover);
        assert_eq!(full.taken, Taken::Full { instead_of_tests: 3, instead_of_steps: 3 });
        let taken = taken.expect("a suite");
        assert_eq!((taken.n_tests(), taken.n_steps(), taken.n_targets, taken.n_covered), (1, 4, 3, 3));
    }

    #[test]
    fn another_full_suite_is_not() {
        let mut own = Some(suite(&[&[0], &[1], &[2]]));
        let mut against = |all: &[&[u32]], making| {
            let full = smaller(&mut own, suite(all), &choices(&[0, 1, 2]), making);
            assert_eq!(own.as_ref().map(Suite::n_tests), Some(3));
            full.taken
        };
        assert_eq!(against(&[&[0, 1, 3]], Making::Cover), Taken::FullDoesLess);
        assert_eq!(against(&[&[0, 1, 2]], Making::Growth), Taken::Grown);
        assert_eq!(against(&[&[0, 1], &[1, 2], &[2, 3]], Making::Cover), Taken::Selected);
        let mut none = None;
        assert_eq!(smaller(&mut none, suite(&[&[0]]), &[], Making::Cover).taken, Taken::Selected);
        assert!(none.is_none());
    }
}
