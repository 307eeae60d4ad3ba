//! What is done after a finding: is it stable, and is there a shorter way to it?

use crate::cases::{beginning, shortest_to, without_loops};
use crate::discovery::Discovery;
use crate::drive::{Case, Driver, Ending};
use crate::plan::Plan;
use crate::record::FollowUp;

/// Runs the case again, then shorter ones that end with the same edge.
pub fn follow(plan: &Plan<'_>, driver: &mut Driver<'_>, case: &Case, discovery: &Discovery) -> FollowUp {
    let case = beginning(case, discovery.step);
    let stable = shows(driver, &case, discovery).is_some();
    let mut follow_up = FollowUp { stable: Some(stable), shortest: None };
    if !stable {
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

/// What a case ends with, if it is the same.
fn shows(driver: &mut Driver<'_>, case: &Case, discovery: &Discovery) -> Option<Box<Discovery>> {
    match driver.play(case).ending {
        Ending::Found(found) if found.is_like(discovery) && found.step as usize == case.edges.len() => {
            Some(found)
        }
        _ => None,
    }
}
