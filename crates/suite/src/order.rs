//! Sorts tests. The next test is always the one that covers the most new targets for its cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::net::Net;
use crate::targets::Targets;
use crate::tests::Tests;

/// The same tests, best first.
pub fn order(net: &Net, targets: &Targets, tests: &Tests, restart_cost: u32) -> Tests {
    let mut is_covered = vec![false; targets.n_items()];
    let mut marked = Vec::new();
    // The worth of a test can only fall. So an old worth is an upper bound, and only the best test has to be computed
    // again.
    let mut heap: BinaryHeap<(u64, Reverse<u32>)> = (0..tests.len())
        .map(|test| {
            (worth(tests.arcs(test).len() + 1, tests.arcs(test).len(), restart_cost), Reverse(test as u32))
        })
        .collect();
    let mut order = Vec::with_capacity(tests.len());
    while let Some((_, Reverse(test))) = heap.pop() {
        let (start, arcs) = (tests.start(test as usize), tests.arcs(test as usize));
        for target in targets.of(net, start, arcs) {
            if !is_covered[target] {
                is_covered[target] = true;
                marked.push(target);
            }
        }
        let worth = worth(marked.len(), arcs.len(), restart_cost);
        if heap.peek().is_none_or(|next| (worth, Reverse(test)) >= *next) {
            order.push(test);
        } else {
            for target in &marked {
                is_covered[*target] = false;
            }
            heap.push((worth, Reverse(test)));
        }
        marked.clear();
    }
    tests.in_order(&order)
}

/// New targets per unit of cost, as a fixed-point number.
fn worth(n_new: usize, n_steps: usize, restart_cost: u32) -> u64 {
    ((n_new as u64) << 32) / (n_steps as u64 + u64::from(restart_cost)).max(1)
}
