//! What follows a finding: checks whether it is stable, and searches a shorter path to it.

use kilter_base::Id;
use kilter_graph::EdgeId;

use crate::cases::Case;
use crate::cases::{beginning, shortest_to, without_loops};
use crate::discovery::Discovery;
use crate::drive::{Driver, Ending};
use crate::plan::Plan;
use crate::record::FollowUp;

/// Plays the case again, then, if `shortens`, shorter cases that end with the same edge.
pub fn follow(
    plan: &Plan<'_>,
    driver: &mut Driver<'_>,
    case: &Case,
    discovery: &Discovery,
    shortens: bool,
) -> FollowUp {
    let case = beginning(case, discovery.step);
    let stable = shows(driver, &case, discovery).is_some();
    let mut follow_up = FollowUp { stable: Some(stable), shortest: None };
    if !stable || !shortens {
        return follow_up;
    }
    let shortest = discovery.edge.and_then(|edge| shortest_to(plan, edge));
    let candidates = [shortest, without_loops(plan, &case)];
    let mut shorter: Vec<Case> =
        candidates.into_iter().flatten().filter(|other| other.edges.len() < case.edges.len()).collect();
    shorter.sort_by_key(|case| case.edges.len());
    follow_up.shortest =
        shorter.into_iter().find_map(|case| shows(driver, &case, discovery).map(|found| (case, *found)));
    follow_up
}

/// The most shorter cases that are tried for a group of findings.
const TRIES_MAX: usize = 60;

/// The first of some cases that shows the same discovery, if there is time to find it. The cases end with other edges of the same action.
pub fn first_like(
    driver: &mut Driver<'_>,
    cases: &[Case],
    discovery: &Discovery,
    is_late: &dyn Fn() -> bool,
) -> Option<(Case, Discovery)> {
    cases
        .iter()
        .take_while(|_| !is_late())
        .find_map(|case| shows(driver, case, discovery).map(|found| (case.clone(), *found)))
}

/// Cases with fewer than `n_steps` steps that end with the action of a discovery, the shortest first. Cases that are
/// known to pass are left out.
pub fn shorter_cases(
    plan: &Plan<'_>,
    discovery: &Discovery,
    n_steps: u64,
    is_confirmed: &[bool],
) -> Vec<Case> {
    let Some(edge) = discovery.edge else { return Vec::new() };
    let action = &plan.rule(edge).action;
    let is_candidate = |edge: &EdgeId| {
        u64::from(plan.distance(*edge)) < n_steps
            && !is_confirmed.get(edge.index()).copied().unwrap_or(false)
            && plan.rule(*edge).action == *action
    };
    let mut edges: Vec<EdgeId> = plan.graph.edges().filter(is_candidate).collect();
    edges.sort_by_key(|edge| (plan.distance(*edge), *edge));
    edges.into_iter().take(TRIES_MAX).filter_map(|edge| shortest_to(plan, edge)).collect()
}

/// What a case shows at its last step, if it is like the discovery.
fn shows(driver: &mut Driver<'_>, case: &Case, discovery: &Discovery) -> Option<Box<Discovery>> {
    match driver.play(case).ending {
        Ending::Found(found) if found.is_like(discovery) && found.step as usize == case.edges.len() => {
            Some(found)
        }
        _ => None,
    }
}
