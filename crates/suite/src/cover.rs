//! Makes a suite for a goal.

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph};

use crate::dfs;
use crate::euler::take_apart;
use crate::fewest::fewest;
use crate::flow::certificate;
use crate::goal::{Algorithm, Cover, Goal, GoalError};
use crate::greedy;
use crate::islands::connect;
use crate::kinds::Kinds;
use crate::limit::{limit, steps_needed};
use crate::net::Net;
use crate::order::order;
use crate::prune::prune;
use crate::relax::{Costs, Relaxation};
use crate::suite::{Bound, Suite};
use crate::targets::Targets;
use crate::tests::Tests;

/// The suite for a goal.
pub fn cover(graph: &StateGraph, goal: &Goal) -> Result<Suite, GoalError> {
    cover_net(graph, Net::new(graph, goal.seed), goal)
}

/// Makes the suite for a goal on a net. The arcs of the net may be some of the graph's edges.
pub fn cover_net(graph: &StateGraph, mut net: Net, goal: &Goal) -> Result<Suite, GoalError> {
    let wanted_actions = known_actions(graph, &goal.actions)?;
    let has_ends = set_ends(graph, &mut net, goal)?;
    let is_wanted = |arc: u32| {
        let edge = net.edge(arc);
        let action = graph.label(graph.label_id(edge)).action();
        (goal.actions.is_empty() || wanted_actions[action.index()])
            && (goal.cover == Cover::States || goal.wanted.as_ref().is_none_or(|wanted| wanted[edge.index()]))
    };
    match goal.cover {
        Cover::Actions | Cover::Pairs => {
            if goal.algorithm == Algorithm::Dfs {
                return Err(GoalError::NotWithDfs { option: "--cover" });
            }
            cover_kinds(graph, &net, goal, &is_wanted, has_ends)
        }
        Cover::Edges => {
            let targets = Targets::Arcs((0..net.n_arcs() as u32).map(is_wanted).collect());
            cover_targets(&net, &targets, goal, has_ends)
        }
        Cover::States => {
            let has_wanted_arc = arrivals(&net, &is_wanted);
            let is_target = |node: u32| {
                net.is_reached(node)
                    && (goal.actions.is_empty() || has_wanted_arc[node as usize])
                    && goal.wanted.as_ref().is_none_or(|wanted| wanted[node as usize])
            };
            let targets = Targets::Nodes((0..net.n_nodes() as u32).map(is_target).collect());
            cover_targets(&net, &targets, goal, has_ends)
        }
    }
}

/// Tests, and lower bounds for all tests with the same targets.
pub(crate) struct Plan {
    pub(crate) tests: Tests,
    pub(crate) bound: Bound,
}

/// Makes the tests for targets of a net. The nodes of the net are the graph's states, and maybe others.
pub(crate) fn cover_plan(
    graph: &StateGraph,
    net: &Net,
    targets: &Targets,
    goal: &Goal,
) -> Result<Plan, GoalError> {
    let mut net = net.clone();
    let has_ends = set_ends(graph, &mut net, goal)?;
    check_limit(&net, targets, goal)?;
    let (tests, bound) = match goal.algorithm {
        Algorithm::Greedy => (by_greedy(&net, targets, goal, has_ends), simple_bound(&net, targets, goal)),
        _ => by_flow(&net, targets, goal),
    };
    Ok(Plan { tests: order(&net, targets, &tests, goal.restart_cost), bound })
}

/// A function that says whether a goal allows an edge to be a target.
pub(crate) fn allowed<'g>(
    graph: &'g StateGraph,
    goal: &'g Goal,
) -> Result<impl Fn(EdgeId) -> bool + use<'g>, GoalError> {
    let wanted_actions = known_actions(graph, &goal.actions)?;
    Ok(move |edge: EdgeId| {
        let action = graph.label(graph.label_id(edge)).action();
        (goal.actions.is_empty() || wanted_actions[action.index()])
            && goal.wanted.as_ref().is_none_or(|wanted| wanted[edge.index()])
    })
}

/// The size of the suite that Mocket's traversal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// How many tests it has.
    pub tests: u64,
    /// The number of steps of all tests together.
    pub steps: u64,
}

impl Baseline {
    /// Restart cost × tests + steps.
    pub fn cost(self, restart_cost: u32) -> u64 {
        self.tests * u64::from(restart_cost) + self.steps
    }
}

/// The size of Mocket's traversal of all edges.
pub fn baseline(graph: &StateGraph) -> Baseline {
    let tree = dfs::visit(&Net::new(graph, 0), true, false);
    Baseline { tests: tree.len() as u64, steps: tree.n_steps() }
}

/// For each node, whether a wanted arc leads to it.
fn arrivals(net: &Net, is_wanted: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let mut arrivals = vec![false; net.n_nodes()];
    for arc in (0..net.n_arcs() as u32).filter(|arc| is_wanted(*arc)) {
        arrivals[net.head(arc) as usize] = true;
    }
    arrivals
}

/// For each action, whether it has one of these names. Fails if a name is not the name of any action.
fn known_actions(graph: &StateGraph, names: &[String]) -> Result<Vec<bool>, GoalError> {
    let mut known: Vec<&str> = graph.actions().iter().map(|action| action.name.as_str()).collect();
    for name in names {
        if !known.contains(&name.as_str()) {
            known.sort_unstable();
            known.dedup();
            return Err(GoalError::UnknownAction { name: name.clone(), known: known.join(", ") });
        }
    }
    Ok(graph.actions().iter().map(|action| names.contains(&action.name)).collect())
}

/// Sets where tests on the net may end. Returns whether the goal restricts that.
fn set_ends(graph: &StateGraph, net: &mut Net, goal: &Goal) -> Result<bool, GoalError> {
    let is_end_action = known_actions(graph, &goal.end_actions)?;
    if goal.end_actions.is_empty() && goal.end_states.is_none() {
        return Ok(false);
    }
    let nodes: Vec<bool> = match &goal.end_states {
        Some(states) => {
            // A net may have nodes that are no states.
            let is_end = |node: u32| states.get(node as usize).copied().unwrap_or(false);
            (0..net.n_nodes() as u32).map(|node| net.is_reached(node) && is_end(node)).collect()
        }
        None => vec![false; net.n_nodes()],
    };
    let action_of = |arc: u32| graph.label(graph.label_id(net.edge(arc))).action();
    let arcs: Vec<bool> = (0..net.n_arcs() as u32).map(|arc| is_end_action[action_of(arc).index()]).collect();
    if !nodes.contains(&true) && !arcs.contains(&true) {
        return Err(GoalError::NoEnds);
    }
    net.set_ends(|node| nodes[node as usize], |arc| arcs[arc as usize]);
    Ok(true)
}

fn cover_kinds(
    graph: &StateGraph,
    net: &Net,
    goal: &Goal,
    is_wanted: &dyn Fn(u32) -> bool,
    has_ends: bool,
) -> Result<Suite, GoalError> {
    // Several actions may have the same name. Users see them as one action.
    let mut names: Vec<&str> = graph.actions().iter().map(|action| action.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let number =
        |arc: u32| names.binary_search(&graph.action_of(net.edge(arc)).name.as_str()).unwrap_or(0) as u32;
    let actions: Vec<u32> = (0..net.n_arcs() as u32).map(number).collect();
    let make = if goal.cover == Cover::Pairs { Kinds::pairs } else { Kinds::actions };
    let kinds = make(net, actions, names.len() as u32, is_wanted);
    if kinds.n == 0 {
        return Err(GoalError::NothingToCover { what: "action" });
    }
    let made = kinds.cover(net, goal.restart_cost, goal.max_steps, has_ends);
    let made = made.map_err(|needed| GoalError::TooFar {
        max_steps: goal.max_steps.unwrap_or(0),
        n_targets: 1,
        needed,
    })?;
    let n_covered = kinds.n_covered(net, &made.tests) as u64;
    let bound = Bound { tests: 1, cost: made.bound };
    Ok(Suite::from_tests(net, made.tests, kinds.n as u64, n_covered, bound, goal.restart_cost))
}

fn cover_targets(net: &Net, targets: &Targets, goal: &Goal, has_ends: bool) -> Result<Suite, GoalError> {
    let n_targets = targets.n() as u64;
    if n_targets == 0 {
        let what = if goal.cover == Cover::States { "state" } else { "edge" };
        return Err(GoalError::NothingToCover { what });
    }
    if goal.algorithm == Algorithm::Dfs {
        return cover_by_dfs(net, targets, goal, has_ends);
    }
    check_limit(net, targets, goal)?;
    let (tests, bound) = match goal.algorithm {
        Algorithm::Greedy => (by_greedy(net, targets, goal, has_ends), simple_bound(net, targets, goal)),
        _ => by_flow(net, targets, goal),
    };
    let tests = order(net, targets, &tests, goal.restart_cost);
    let n_covered = targets.counts(net, &tests).iter().filter(|count| **count > 0).count() as u64;
    Ok(Suite::from_tests(net, tests, n_targets, n_covered, bound, goal.restart_cost))
}

/// Checks that every target fits into a test.
fn check_limit(net: &Net, targets: &Targets, goal: &Goal) -> Result<(), GoalError> {
    let Some(max_steps) = goal.max_steps else { return Ok(()) };
    let (Targets::Arcs(wanted) | Targets::Nodes(wanted)) = targets;
    let needs =
        (0..wanted.len()).filter(|target| wanted[*target]).map(|target| steps_needed(net, targets, target));
    let too_far: Vec<u32> = needs.filter(|needed| *needed > max_steps).collect();
    match too_far.iter().max() {
        Some(needed) => Err(GoalError::TooFar { max_steps, n_targets: too_far.len(), needed: *needed }),
        None => Ok(()),
    }
}

/// The cheapest tests if the circulation is connected, otherwise good tests made from it. Also returns the lower bound
/// that the circulation proves.
fn by_flow(net: &Net, targets: &Targets, goal: &Goal) -> (Tests, Bound) {
    let relaxation = Relaxation::new(net, targets, Costs { restart: goal.restart_cost, step: 1 });
    let circulation = relaxation.solve();
    let cost = certificate::certify(&relaxation.network, &circulation.flow, &circulation.potentials)
        .expect("potentials that prove the circulation to be the cheapest");
    let plan = relaxation.plan(net, &circulation);
    drop((relaxation, circulation));
    let bound = limited_bound(net, targets, goal, Bound { tests: fewest(net, targets), cost });
    let (mut tests, islands) = take_apart(net, plan);
    if !islands.is_empty() {
        tests = prune(net, targets, connect(net, targets, &tests, islands, goal.restart_cost));
    }
    if let Some(max_steps) = goal.max_steps
        && tests.iter().any(|(_, arcs)| arcs.len() > max_steps as usize)
    {
        tests = prune(net, targets, limit(net, targets, &tests, max_steps));
    }
    (tests, bound)
}

/// Raises a bound if steps are limited. Each step of a test covers at most one target, and its start may cover one
/// more.
fn limited_bound(net: &Net, targets: &Targets, goal: &Goal, bound: Bound) -> Bound {
    let Some(max_steps) = goal.max_steps else { return bound };
    let at_start = u64::from(matches!(targets, Targets::Nodes(_)));
    let tests = bound.tests.max((targets.n() as u64).div_ceil(u64::from(max_steps) + at_start));
    Bound { tests, cost: bound.cost.max(cost_of_tests(net, targets, goal, tests)) }
}

/// Lower bound on the cost of any cover with at least `tests` tests. Every target costs one step, except targets at
/// which a test starts.
fn cost_of_tests(net: &Net, targets: &Targets, goal: &Goal, tests: u64) -> u64 {
    let n_initial = match targets {
        Targets::Nodes(_) => net.initial().len() as u64,
        Targets::Arcs(_) => 0,
    };
    // An additional test costs more than the step that it may save, unless restarts are free.
    let n_saved = if goal.restart_cost == 0 { n_initial } else { n_initial.min(tests) };
    tests * u64::from(goal.restart_cost) + (targets.n() as u64).saturating_sub(n_saved)
}

fn by_greedy(net: &Net, targets: &Targets, goal: &Goal, has_ends: bool) -> Tests {
    let mut tests = greedy::cover(net, targets, goal.restart_cost);
    if let Some(max_steps) = goal.max_steps {
        tests = prune(net, targets, limit(net, targets, &tests, max_steps));
    }
    let is_all_edges = matches!(targets, Targets::Arcs(_)) && targets.n() == net.n_arcs();
    if is_all_edges && goal.max_steps.is_none() && !has_ends {
        // The greedy pass may have bad luck. This makes sure that it is never worse than the baseline.
        let tree = dfs::visit(net, goal.seed == 0, false);
        let tree_cost = tree.len() as u64 * u64::from(goal.restart_cost) + tree.n_steps();
        if tree_cost < tests.cost(goal.restart_cost) {
            return tree.to_tests();
        }
    }
    tests
}

/// The bound that holds without a circulation: one test, and a step for each target.
fn simple_bound(net: &Net, targets: &Targets, goal: &Goal) -> Bound {
    let (Targets::Arcs(wanted) | Targets::Nodes(wanted)) = targets;
    let needs =
        (0..wanted.len()).filter(|target| wanted[*target]).map(|target| steps_needed(net, targets, target));
    let farthest = u64::from(goal.restart_cost) + u64::from(needs.max().unwrap_or(0));
    let cost = cost_of_tests(net, targets, goal, 1).max(farthest);
    limited_bound(net, targets, goal, Bound { tests: 1, cost })
}

fn cover_by_dfs(net: &Net, targets: &Targets, goal: &Goal, has_ends: bool) -> Result<Suite, GoalError> {
    let options = [
        (goal.cover != Cover::Edges, "--cover"),
        (goal.max_steps.is_some(), "--max-steps"),
        (targets.n() < net.n_arcs(), "what restricts the targets"),
    ];
    if let Some((_, option)) = options.into_iter().find(|(is_given, _)| *is_given) {
        return Err(GoalError::NotWithDfs { option });
    }
    let tree = dfs::visit(net, goal.seed == 0, has_ends);
    let n_covered = tree.n_visited() as u64;
    let bound = simple_bound(net, targets, goal);
    Ok(Suite::from_tree(net, tree, targets.n() as u64, n_covered, bound, goal.restart_cost))
}
