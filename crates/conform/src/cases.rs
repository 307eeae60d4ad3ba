//! Cases of a suite, and cases by id.

use kilter_base::Id;
use kilter_graph::{EdgeId, RestoreError, StateGraph, StateId};
use kilter_run::Further;
use kilter_suite::Suite;
use kilter_suite::concrete::Concrete;
use kilter_suite::file::{Ids, SameId, Teller};
use kilter_value::Store;
use rustc_hash::FxHashSet;
use thiserror::Error;

use crate::plan::Plan;

/// How ids of cases begin that were planned during a run.
pub(crate) const FURTHER: char = 'm';
/// The most steps of a path that a command line names one by one.
const NAMED_STEPS_MAX: usize = 60;

/// A path of the graph along which the system is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The id of the case.
    pub id: String,
    /// The state in which it starts.
    pub start: StateId,
    /// The edges of its steps.
    pub edges: Vec<EdgeId>,
}

impl Case {
    /// The state in which the specification is after so many steps.
    pub fn state_after(&self, graph: &StateGraph, n_steps: u32) -> StateId {
        let last = (n_steps as usize).checked_sub(1).and_then(|last| self.edges.get(last));
        last.map_or(self.start, |edge| graph.target(*edge))
    }
}

/// Why no cases could be made of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CasesError {
    /// The graph's values are not valid.
    #[error(transparent)]
    Values(#[from] RestoreError),
    /// Two tests have the same id.
    #[error(transparent)]
    SameId(#[from] SameId),
}

/// Makes a case of each test of a suite.
pub fn of_suite(graph: &StateGraph, suite: &Suite, store: &Store) -> Result<Vec<Case>, CasesError> {
    of_walks(graph, walks(suite), store)
}

/// The paths of a suite's tests.
pub fn walks(suite: &Suite) -> Vec<(StateId, Vec<EdgeId>)> {
    let walk = |test: u64| {
        let mut edges = Vec::new();
        (suite.read(test as usize, &mut edges), edges)
    };
    (0..suite.n_tests()).map(walk).collect()
}

/// Makes a case of each path.
pub fn of_walks(
    graph: &StateGraph,
    walks: Vec<(StateId, Vec<EdgeId>)>,
    store: &Store,
) -> Result<Vec<Case>, CasesError> {
    if walks.is_empty() {
        return Ok(Vec::new());
    }
    let mut teller = Teller::new(Concrete::new(graph, store)?);
    let mut ids = Ids::default();
    let case = |(start, edges): (StateId, Vec<EdgeId>)| {
        let id = teller.id(start, &edges);
        ids.add(id)?;
        Ok(Case { id: format!("{id:016x}"), start, edges })
    };
    walks.into_iter().map(case).collect()
}

/// A case that was planned during a run. `None` if it is none of this graph.
pub fn of_further(graph: &StateGraph, further: &Further) -> Option<Case> {
    let edge = |number: &u32| ((*number as usize) < graph.n_edges()).then_some(EdgeId(*number));
    let edges: Vec<EdgeId> = further.edges.iter().map(edge).collect::<Option<_>>()?;
    let start = graph.source(*edges.first()?);
    Some(Case { id: further.id.clone(), start, edges })
}

/// A case as it is written down for whoever has the same graph.
pub fn to_further(case: &Case) -> Further {
    Further { id: case.id.clone(), edges: case.edges.iter().map(|edge| edge.index() as u32).collect() }
}

/// The case with an id. This is one of `cases`, or `e7` for the shortest path that ends with edge 7, or `p1.4.7` for
/// the path of these edges. The beginning of an id is enough if no other id has it.
pub fn by_id(plan: &Plan<'_>, cases: &[Case], id: &str) -> Option<Case> {
    if let Some(case) = special(plan, id) {
        return Some(case);
    }
    let mut found = cases.iter().filter(|case| !id.is_empty() && case.id.starts_with(id));
    let first = found.next()?;
    let exact = cases.iter().find(|case| case.id == id);
    exact.or_else(|| found.next().is_none().then_some(first)).cloned()
}

fn special(plan: &Plan<'_>, id: &str) -> Option<Case> {
    let edge = |text: &str| {
        let number: usize = text.parse().ok()?;
        (number < plan.graph.n_edges()).then(|| EdgeId::from_index(number))
    };
    if let Some(rest) = id.strip_prefix('e').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
        return shortest_to(plan, edge(rest)?);
    }
    let edges: Vec<EdgeId> = id.strip_prefix('p')?.split('.').map(edge).collect::<Option<_>>()?;
    let start = plan.graph.source(*edges.first()?);
    let hangs_together =
        edges.windows(2).all(|pair| plan.graph.target(pair[0]) == plan.graph.source(pair[1]));
    let starts_well = plan.graph.initial().any(|state| state == start);
    (hangs_together && starts_well).then(|| Case { id: id.to_owned(), start, edges })
}

/// The shortest case that ends with an edge. `None` if the edge can't be reached.
pub fn shortest_to(plan: &Plan<'_>, edge: EdgeId) -> Option<Case> {
    let (start, edges) = plan.shortest_to(edge)?;
    Some(Case { id: format!("e{}", edge.index()), start, edges })
}

/// The first `n_steps` steps of a case.
#[must_use]
pub fn beginning(case: &Case, n_steps: u32) -> Case {
    Case { edges: case.edges[..n_steps as usize].to_vec(), ..case.clone() }
}

/// The case without the loops in its path. Its last step stays. `None` if there are no loops.
pub fn without_loops(plan: &Plan<'_>, case: &Case) -> Option<Case> {
    let (last, way) = case.edges.split_last()?;
    let mut edges: Vec<EdgeId> = Vec::new();
    let mut on_way: FxHashSet<StateId> = FxHashSet::from_iter([case.start]);
    for edge in way {
        let target = plan.graph.target(*edge);
        if on_way.insert(target) {
            edges.push(*edge);
            continue;
        }
        while let Some(dropped) = edges.pop_if(|edge| plan.graph.target(*edge) != target) {
            on_way.remove(&plan.graph.target(dropped));
        }
    }
    edges.push(*last);
    let shorter = edges.len() < case.edges.len();
    shorter.then(|| Case { id: path_id(&edges), start: case.start, edges })
}

/// The id of the case with this path.
fn path_id(edges: &[EdgeId]) -> String {
    let numbers: Vec<String> = edges.iter().map(|edge| edge.index().to_string()).collect();
    format!("p{}", numbers.join("."))
}

/// The id by which a command line repeats the first `n_steps` steps of a case. A case that was planned during a run is
/// known only to the record of that run, so its path is named, unless that is too long.
pub(crate) fn id_to_repeat(case: &Case, n_steps: u32) -> String {
    let edges = case.edges.get(..n_steps as usize).unwrap_or_default();
    let is_named = case.id.starts_with(FURTHER) && !edges.is_empty() && edges.len() <= NAMED_STEPS_MAX;
    if is_named { path_id(edges) } else { case.id.clone() }
}
