//! Cuts tests into shorter ones.

use crate::net::Net;
use crate::targets::Targets;
use crate::tests::Tests;

/// The number of steps of the shortest test that covers a target. The target is an arc or a node, as in
/// [`Targets::at_arc`].
pub fn steps_needed(net: &Net, targets: &Targets, target: usize) -> u32 {
    let target = target as u32;
    match targets {
        Targets::Nodes(_) => net.depth(target) + net.distance_to_end(target),
        Targets::Arcs(_) if net.may_end_after(target) => net.depth(net.tail(target)) + 1,
        Targets::Arcs(_) => net.depth(net.tail(target)) + 1 + net.distance_to_end(net.head(target)),
    }
}

/// Tests with at most `steps_max` steps that cover the same targets. Each target must fit into such a test.
pub fn limit(net: &Net, targets: &Targets, tests: &Tests, steps_max: u32) -> Tests {
    let steps_max = steps_max as usize;
    let mut limited = Tests::default();
    let mut is_covered = vec![false; targets.n_items()];
    for (start, arcs) in tests.iter().filter(|(_, arcs)| arcs.len() <= steps_max) {
        targets.of(net, start, arcs).for_each(|target| is_covered[target] = true);
        limited.push(start, arcs);
    }
    let mut piece = Vec::new();
    for (start, arcs) in tests.iter().filter(|(_, arcs)| arcs.len() > steps_max) {
        if let Some(target) = targets.at_start(start)
            && !is_covered[target]
        {
            // No piece need start in this node, so it gets a test of its own.
            is_covered[target] = true;
            piece.clear();
            net.push_way_to_end(start, &mut piece);
            limited.push(start, &piece);
        }
        let mut position = 0;
        while let Some(first) = next_target(net, targets, &is_covered, arcs, position) {
            piece.clear();
            // An arc has to be taken itself. A node can be reached on a shortest way.
            let (door, begin) = match targets {
                Targets::Arcs(_) => (net.tail(arcs[first]), first),
                Targets::Nodes(_) => (net.head(arcs[first]), first + 1),
            };
            let start = net.push_way_to(door, &mut piece);
            targets.of(net, start, &piece).for_each(|target| is_covered[target] = true);
            position = fill(net, targets, &mut is_covered, &arcs[begin..], &mut piece, steps_max) + begin;
            net.push_way_to_end(start, &mut piece);
            targets.of(net, start, &piece).for_each(|target| is_covered[target] = true);
            limited.push(start, &piece);
        }
    }
    limited
}

/// The first position from `position` on that covers a new target.
fn next_target(
    net: &Net,
    targets: &Targets,
    is_covered: &[bool],
    arcs: &[u32],
    position: usize,
) -> Option<usize> {
    let is_new = |arc: &u32| targets.at_arc(net, *arc).is_some_and(|target| !is_covered[target]);
    arcs[position..].iter().position(is_new).map(|offset| position + offset)
}

/// Appends arcs up to the last one that covers a new target and leaves room for a way to an end. Returns how many arcs
/// it took.
fn fill(
    net: &Net,
    targets: &Targets,
    is_covered: &mut [bool],
    arcs: &[u32],
    piece: &mut Vec<u32>,
    steps_max: usize,
) -> usize {
    let mut n_taken = 0;
    for (index, arc) in arcs.iter().enumerate() {
        if piece.len() + index - n_taken >= steps_max {
            break;
        }
        let is_new = targets.at_arc(net, *arc).is_some_and(|target| !is_covered[target]);
        let n_before = piece.len() + index - n_taken + 1;
        let rest = if net.may_end_after(*arc) { 0 } else { net.distance_to_end(net.head(*arc)) as usize };
        if is_new && n_before + rest <= steps_max {
            piece.extend_from_slice(&arcs[n_taken..=index]);
            targets.at_arc(net, *arc).into_iter().for_each(|target| is_covered[target] = true);
            n_taken = index + 1;
        }
    }
    n_taken
}
