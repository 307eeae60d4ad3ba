//! Makes test suites from a state graph, for `kilter suite` and for the section `[suite]` of a mapping.

pub(crate) mod section;

use std::io::{BufRead, BufReader};
use std::path::Path;

use kilter_base::{Id, memory};
use kilter_graph::{EdgeId, RestoreError, StateGraph, fingerprint};
use kilter_mapping::file::SuiteSection;
use kilter_run::files;
use kilter_suite::choice::{Walk, cover_choices};
use kilter_suite::cover::cover_net;
use kilter_suite::file::{self, FORMAT, GoalText, Header, VERSION, WriteError};
use kilter_suite::net::Net;
use kilter_suite::por::{Reduction, reduce};
use kilter_suite::read::{self, Checked};
use kilter_suite::symmetry::{SymmetryError, cover_up_to_renaming};
use kilter_suite::{Algorithm, Cover, Goal, GoalError, Suite};

use crate::error::{AnyError, Error, InFile as _, Tried};
use crate::predicate::{FormulaError, Predicate};
use crate::read::open;

/// The default cost of a test, in steps.
pub const RESTART_COST: u32 = 20;

/// The memory that the algorithms take at most, for each edge and besides.
const SUITE_EDGE_BYTES: u64 = 320;
const SUITE_BYTES: u64 = 32 << 20;

/// A request for a suite, which is independent of a graph.
#[derive(Clone, Debug)]
pub struct Request {
    /// What the suite has to cover.
    pub cover: Cover,
    /// The algorithm that makes the suite.
    pub algorithm: Algorithm,
    /// Only edges of these actions are covered, or states that they lead to. Empty means all.
    pub actions: Vec<String>,
    /// Only edges or states for which this formula holds are covered.
    pub only_when: Option<String>,
    /// If not empty, tests end after a step of one of these actions.
    pub end_actions: Vec<String>,
    /// Tests end in a state in which this formula holds.
    pub end_when: Option<String>,
    /// The most steps in a test.
    pub max_steps: Option<u32>,
    /// The cost of a test, in steps.
    pub restart_cost: u32,
    /// The orders of commuting steps that are covered.
    pub orders: Orders,
    /// Sets of interchangeable model values, such as `n1,n2,n3`. An empty entry means all that are interchangeable.
    /// Edges that are equal up to renaming these values count as one.
    pub symmetry: Vec<String>,
    /// The seed. Another seed decides ties differently.
    pub seed: u64,
}

/// The orders that are covered where two steps can be taken in either order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Orders {
    /// Both orders.
    #[default]
    Both,
    /// One of the two orders.
    One,
    /// The orders that `One` with the same seed leaves out.
    Rest,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            cover: Cover::Edges,
            algorithm: Algorithm::Optimal,
            actions: Vec::new(),
            only_when: None,
            end_actions: Vec::new(),
            end_when: None,
            max_steps: None,
            restart_cost: RESTART_COST,
            orders: Orders::Both,
            symmetry: Vec::new(),
            seed: 0,
        }
    }
}

/// Why a suite could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A formula can't be evaluated.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The goal can't be reached.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// The model values are not interchangeable.
    #[error(transparent)]
    Symmetry(#[from] SymmetryError),
    /// The graph is damaged.
    #[error(transparent)]
    Graph(#[from] RestoreError),
    /// There is too little memory.
    #[error(
        "there is too little memory for a suite of {n_edges} edges, which needs about {megabytes} MiB; raise the limit (`ulimit -v`)"
    )]
    Memory {
        /// The number of edges of the graph.
        n_edges: usize,
        /// How much memory is needed.
        megabytes: u64,
    },
    /// Orders of steps were asked for, but not edges.
    #[error("--por and --por-rest are about edges; leave out --cover")]
    OrdersOfEdgesOnly,
}

/// The error for an unknown word in `[suite]`.
#[derive(Debug, thiserror::Error)]
#[error("[suite] {key} = \"{value}\": it should be {}", .known.join(", "))]
pub struct UnknownWord {
    key: &'static str,
    value: String,
    known: Vec<&'static str>,
}

/// A suite, and what was found on the way.
pub struct Made {
    /// The suite.
    pub suite: Suite,
    /// The result of partial-order reduction, if it was asked for.
    pub por: Option<Reduction>,
    /// The sets of model values that count as interchangeable.
    pub symmetry: Vec<Vec<String>>,
}

impl Request {
    /// The request of the section `[suite]` of a mapping.
    pub fn of_section(section: &SuiteSection, seed: Option<u64>) -> Result<Request, UnknownWord> {
        let orders = match (section.por, section.por_rest) {
            (_, true) => Orders::Rest,
            (true, false) => Orders::One,
            (false, false) => Orders::Both,
        };
        Ok(Request {
            cover: word("cover", section.cover.as_deref(), &Cover::ALL, Cover::name)?,
            algorithm: word("algorithm", section.algorithm.as_deref(), &Algorithm::ALL, Algorithm::name)?,
            actions: section.actions.clone(),
            only_when: section.only_when.clone(),
            end_actions: section.end_actions.clone(),
            end_when: section.end_when.clone(),
            max_steps: section.max_steps,
            restart_cost: section.restart_cost.unwrap_or(RESTART_COST),
            orders,
            symmetry: section.symmetry.clone(),
            seed: seed.or(section.seed).unwrap_or(0),
        })
    }

    /// The request for edges that have to be tested themselves, and not by other edges that stand for them.
    #[must_use]
    pub fn for_certain_edges(&self) -> Request {
        Request { cover: Cover::Edges, orders: Orders::Both, symmetry: Vec::new(), ..self.clone() }
    }

    /// Makes a suite for a graph.
    pub fn make(&self, graph: &StateGraph) -> Result<Made, SuiteError> {
        let needed = SUITE_BYTES + SUITE_EDGE_BYTES * graph.n_edges() as u64;
        // A failed allocation would end the process.
        if memory::address_limit().is_some() && !memory::has_room(needed) {
            return Err(SuiteError::Memory { n_edges: graph.n_edges(), megabytes: needed >> 20 });
        }
        let mut goal = self.goal(graph)?;
        if !self.symmetry.is_empty() {
            let sets = self.symmetry.iter().filter(|names| !names.is_empty());
            let sets: Vec<Vec<String>> =
                sets.map(|names| names.split(',').map(|name| name.trim().to_owned()).collect()).collect();
            let (suite, symmetry) = cover_up_to_renaming(graph, &sets, &goal)?;
            return Ok(Made { suite, por: None, symmetry });
        }
        let por = match self.orders {
            Orders::Both => None,
            Orders::One | Orders::Rest if self.cover != Cover::Edges => {
                return Err(SuiteError::OrdersOfEdgesOnly);
            }
            Orders::One | Orders::Rest => {
                let reduction = reduce(graph, self.seed)?;
                let is_one = self.orders == Orders::One;
                restrict(&mut goal, reduction.is_kept.iter().map(|is_kept| *is_kept == is_one));
                Some(reduction)
            }
        };
        Ok(Made { suite: kilter_suite::cover(graph, &goal)?, por, symmetry: Vec::new() })
    }

    /// Makes a suite that takes one walk of each choice, as far as a suite would cover its edges. `None` if there is
    /// nothing to cover.
    pub fn choose(&self, graph: &StateGraph, choices: &[Vec<Walk>]) -> Result<Option<Suite>, SuiteError> {
        match cover_choices(graph, &self.goal(graph)?, choices) {
            Ok(suite) => Ok(Some(suite)),
            Err(GoalError::NothingToCover { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes tests that take certain edges, as far as they can be reached, and never others. `None` if none can be
    /// reached.
    pub fn around(
        &self,
        graph: &StateGraph,
        wanted: Vec<bool>,
        avoided: &[bool],
    ) -> Result<Option<Suite>, SuiteError> {
        let request = Request { actions: Vec::new(), only_when: None, ..self.for_certain_edges() };
        // A traversal knows all edges or none, and the best tests are not worth a long wait in the middle of a run.
        let goal = Goal { wanted: Some(wanted), algorithm: Algorithm::Greedy, ..request.goal(graph)? };
        let allowed: Vec<EdgeId> = graph.edges().filter(|edge| !avoided[edge.index()]).collect();
        let arcs = allowed.iter().map(|edge| (graph.source(*edge).0, graph.target(*edge).0, edge.0));
        let initial = graph.initial().map(|state| state.0).collect();
        match cover_net(graph, Net::from_arcs(graph.n_states(), initial, arcs), &goal) {
            Ok(suite) => Ok(Some(suite)),
            Err(GoalError::NothingToCover { .. } | GoalError::NoEnds | GoalError::TooFar { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The goal of this request on a graph.
    pub fn goal(&self, graph: &StateGraph) -> Result<Goal, SuiteError> {
        let predicate = |text: &String| Predicate::new(graph, text);
        let wanted = self.only_when.as_ref().map(predicate).map(|formula| match self.cover {
            Cover::States => formula.states(),
            Cover::Edges | Cover::Actions | Cover::Pairs => formula.edges(),
        });
        let end_states = self.end_when.as_ref().map(predicate).map(|formula| formula.states());
        Ok(Goal {
            cover: self.cover,
            actions: self.actions.clone(),
            wanted: wanted.transpose()?,
            end_actions: self.end_actions.clone(),
            end_states: end_states.transpose()?,
            algorithm: self.algorithm,
            restart_cost: self.restart_cost,
            max_steps: self.max_steps,
            seed: self.seed,
        })
    }

    /// The header of a suite's file.
    pub fn header(&self, graph: &StateGraph, suite: &Suite, symmetry: &[Vec<String>]) -> Header {
        let por = match self.orders {
            Orders::Both => None,
            Orders::One => Some("kept".to_owned()),
            Orders::Rest => Some("rest".to_owned()),
        };
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            spec: graph.origin().to_owned(),
            config: graph.config().to_owned(),
            graph: format!("{:016x}", fingerprint(graph)),
            goal: GoalText {
                cover: self.cover.name().to_owned(),
                actions: self.actions.clone(),
                only_when: self.only_when.clone(),
                end_actions: self.end_actions.clone(),
                end_when: self.end_when.clone(),
                max_steps: self.max_steps,
                por,
                symmetry: symmetry.to_vec(),
            },
            algorithm: self.algorithm.name().to_owned(),
            seed: self.seed,
            restart_cost: self.restart_cost,
            tests: suite.n_tests(),
            steps: suite.n_steps(),
            targets: suite.n_targets,
            covered: suite.n_covered,
        }
    }
}

/// Removes targets that are not chosen from a goal.
fn restrict(goal: &mut Goal, chosen: impl ExactSizeIterator<Item = bool>) {
    let before = goal.wanted.take().unwrap_or_else(|| vec![true; chosen.len()]);
    goal.wanted = Some(before.into_iter().zip(chosen).map(|(before, chosen)| before && chosen).collect());
}

/// The thing with this name. If there is no name, the first one.
fn word<T: Copy>(
    key: &'static str,
    text: Option<&str>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownWord> {
    let Some(text) = text else { return Ok(all[0]) };
    all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| UnknownWord {
        key,
        value: text.to_owned(),
        known: all.iter().map(|one| name(*one)).collect(),
    })
}

/// Writes a suite to a file.
pub fn save(graph: &StateGraph, suite: &Suite, header: &Header, path: &Path) -> Result<(), Error> {
    let written = files::replace_with(path, |out| {
        file::write(graph, suite, header, out).map_err(|error| -> AnyError {
            match error {
                WriteError::Io(error) => error.into(),
                WriteError::Values(error) => error.into(),
                WriteError::SameId(error) => error.into(),
            }
        })
    });
    written.map_err(|error| Error::Input(error.into()))
}

/// The number of states that the tests visit.
pub fn visited(graph: &StateGraph, suite: &Suite) -> usize {
    let mut is_visited = vec![false; graph.n_states()];
    let mut edges = Vec::new();
    for test in 0..suite.n_tests() as usize {
        is_visited[suite.read(test, &mut edges).index()] = true;
        for edge in &edges {
            is_visited[graph.target(*edge).index()] = true;
        }
    }
    is_visited.into_iter().filter(|visited| *visited).count()
}

/// Checks that the suite in a file belongs to a graph. Returns its header, and what it covers.
pub fn verify(graph: &StateGraph, path: &Path) -> Result<(Header, Checked), Error> {
    Ok(checked(graph, path)?)
}

fn checked(graph: &StateGraph, path: &Path) -> Tried<(Header, Checked)> {
    let file = open(path).unread(path)?;
    let mut broken = None;
    let lines =
        BufReader::new(file).lines().map_while(|line| line.map_err(|error| broken = Some(error)).ok());
    let checked = read::check(graph, lines);
    if let Some(error) = broken {
        return Err(error).unread(path);
    }
    checked.in_file(path)
}
