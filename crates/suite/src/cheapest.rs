//! Finds the cheapest cover of few kinds by Dijkstra's algorithm on places and sets of kinds.

use std::collections::BTreeMap;

use crate::kinds::Kinds;
use crate::net::{NONE, Net};
use crate::tests::Tests;

/// Numbers pairs of a place and a set of covered kinds.
struct Numbering {
    n_places: usize,
}

impl Numbering {
    fn number(&self, place: u32, set: usize) -> usize {
        set * self.n_places + place as usize
    }

    fn place(&self, number: usize) -> u32 {
        (number % self.n_places) as u32
    }
}

/// The cheapest suite that covers all kinds. All kinds must be reachable.
pub fn cheapest(kinds: &Kinds, net: &Net, restart_cost: u32) -> Tests {
    let numbering = Numbering { n_places: kinds.n_places(net) };
    let n_numbers = numbering.n_places << kinds.n;
    let full = (1usize << kinds.n) - 1;
    let mut costs = vec![NONE; n_numbers];
    // For each pair, the pair before it and the arc that leads from there. Without an arc, a test starts here.
    let mut before: Vec<(u32, u32)> = vec![(NONE, NONE); n_numbers];
    let mut is_restarted = vec![false; full + 1];
    let mut buckets: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
    if full > 0 {
        for place in net.initial().iter().map(|node| kinds.start(*node)) {
            costs[numbering.number(place, 0)] = restart_cost;
            buckets.entry(restart_cost).or_default().push((place, 0));
        }
    }
    while let Some((cost, bucket)) = buckets.pop_first() {
        for (place, set) in bucket {
            let number = numbering.number(place, set);
            if costs[number] != cost {
                continue;
            }
            if set == full {
                return trace(kinds, &numbering, &before, number);
            }
            let mut offer = |to: u32, to_set: usize, cost: u32, arc: u32| {
                let to_number = numbering.number(to, to_set);
                if cost < costs[to_number] {
                    costs[to_number] = cost;
                    before[to_number] = (number as u32, arc);
                    buckets.entry(cost).or_default().push((to, to_set));
                }
            };
            for arc in net.outgoing(kinds.node(place)) {
                let (to, kind) = kinds.step(net, place, arc);
                offer(to, if kind == NONE { set } else { set | 1 << kind }, cost + 1, arc);
            }
            // The first place where a set is reached is the cheapest one to restart from.
            if !std::mem::replace(&mut is_restarted[set], true) {
                for node in net.initial() {
                    offer(kinds.start(*node), set, cost + restart_cost, NONE);
                }
            }
        }
    }
    Tests::default()
}

fn trace(kinds: &Kinds, numbering: &Numbering, before: &[(u32, u32)], last: usize) -> Tests {
    let mut walks: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut way = Vec::new();
    let mut number = last;
    loop {
        let (from, arc) = before[number];
        if arc == NONE {
            way.reverse();
            walks.push((kinds.node(numbering.place(number)), std::mem::take(&mut way)));
        } else {
            way.push(arc);
        }
        if from == NONE {
            break;
        }
        number = from as usize;
    }
    let mut tests = Tests::default();
    walks.iter().rev().for_each(|(start, arcs)| tests.push(*start, arcs));
    tests
}
