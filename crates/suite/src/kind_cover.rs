//! Covers kinds of steps.
//!
//! If there are few places and sets of kinds, Dijkstra's algorithm finds the cheapest suite. Otherwise each test goes
//! on to the nearest kind that is not covered, or a new test begins if that is cheaper.

use crate::cheapest::cheapest;
use crate::kinds::Kinds;
use crate::net::{NONE, Net};
use crate::tests::Tests;

/// The largest number of places times sets of kinds for which the cheapest suite is computed.
const EXACT_MAX: usize = 1 << 23;

/// A cover of kinds.
#[derive(Clone, Debug)]
pub struct KindCover {
    /// The tests.
    pub tests: Tests,
    /// A lower bound on the cost of any suite.
    pub bound: u64,
}

impl Kinds {
    /// Covers all kinds. Each test has at most `steps_max` steps. If a kind does not fit, the error is the number of
    /// steps needed.
    pub fn cover(
        &self,
        net: &Net,
        restart_cost: u32,
        steps_max: Option<u32>,
        has_ends: bool,
    ) -> Result<KindCover, u32> {
        let n_sets = 1usize.checked_shl(self.n as u32).unwrap_or(usize::MAX);
        let is_small = self.n < 24 && self.n_places(net).saturating_mul(n_sets) <= EXACT_MAX;
        if is_small && !has_ends {
            let tests = cheapest(self, net, restart_cost);
            if steps_max.is_none_or(|most| tests.iter().all(|(_, arcs)| arcs.len() <= most as usize)) {
                return Ok(KindCover { bound: tests.cost(restart_cost), tests });
            }
        }
        let tests = self.nearest_first(net, restart_cost, steps_max)?;
        Ok(KindCover { bound: self.bound(net, restart_cost), tests })
    }

    /// A lower bound on the cost: one test, with a step for each kind, and enough steps for the most distant kind.
    fn bound(&self, net: &Net, restart_cost: u32) -> u64 {
        let Some(farthest) = (0..self.n as u32).map(|kind| self.distance(net, kind)).max() else {
            return 0;
        };
        let n_steps = (self.n + usize::from(self.are_pairs)) as u64;
        u64::from(restart_cost) + n_steps.max(u64::from(farthest))
    }

    /// The number of steps of the shortest test that covers a kind.
    fn distance(&self, net: &Net, wanted: u32) -> u32 {
        let mut search = Search::new(self.n_places(net));
        search.begin(net.initial().iter().map(|node| self.start(*node)));
        search.run(self, net, &|kind| kind == wanted).map_or(NONE, |(distance, _)| distance)
    }

    fn nearest_first(&self, net: &Net, restart_cost: u32, steps_max: Option<u32>) -> Result<Tests, u32> {
        let limit = steps_max.map_or(usize::MAX, |most| most as usize);
        let mut is_covered = vec![false; self.n];
        let mut search = Search::new(self.n_places(net));
        let mut tests = Tests::default();
        let mut current: Option<(u32, Vec<u32>, u32)> = None;
        while is_covered.contains(&false) {
            let is_new = |kind: u32| kind != NONE && !is_covered[kind as usize];
            search.begin(net.initial().iter().map(|node| self.start(*node)));
            let anew = search.run(self, net, &is_new).map(|(distance, _)| (distance, search.way()));
            let Some((anew_steps, anew_way)) = anew else { break };
            let mut extension = None;
            if let Some((_, way, place)) = &current {
                search.begin([*place].into_iter());
                if let Some((distance, place)) = search.run(self, net, &is_new) {
                    let to_end = net.distance_to_end(self.node(place)) as usize;
                    let fits = way.len() + distance as usize + to_end <= limit;
                    if fits && u64::from(distance) <= u64::from(restart_cost) + u64::from(anew_steps) {
                        extension = Some(search.way().1);
                    }
                }
            }
            if extension.is_none() {
                if let Some((start, mut way, _)) = current.take() {
                    net.push_way_to_end(start, &mut way);
                    tests.push(start, &way);
                }
                let place = anew_way.0;
                current = Some((self.node(place), Vec::new(), place));
            }
            let arcs = extension.unwrap_or(anew_way.1);
            let Some((_, way, place)) = &mut current else { break };
            for arc in arcs {
                let (next, kind) = self.step(net, *place, arc);
                if kind != NONE {
                    is_covered[kind as usize] = true;
                }
                way.push(arc);
                *place = next;
            }
            let needed = way.len() + net.distance_to_end(self.node(*place)) as usize;
            if needed > limit {
                return Err(needed as u32);
            }
        }
        if let Some((start, mut way, _)) = current {
            net.push_way_to_end(start, &mut way);
            tests.push(start, &way);
        }
        Ok(tests)
    }
}

/// A search from place to place, breadth first.
struct Search {
    /// For each place, the place before it and the arc that leads from there.
    ways: Vec<(u32, u32)>,
    queue: Vec<(u32, u32)>,
    /// The last step of the way that was found: the place before it, and its arc.
    found: (u32, u32),
}

impl Search {
    fn new(n_places: usize) -> Search {
        Search { ways: vec![(NONE, NONE); n_places], queue: Vec::new(), found: (NONE, NONE) }
    }

    fn begin(&mut self, places: impl Iterator<Item = u32>) {
        self.queue.drain(..).for_each(|(place, _)| self.ways[place as usize] = (NONE, NONE));
        for place in places {
            self.ways[place as usize] = (place, NONE);
            self.queue.push((place, 0));
        }
    }

    /// Finds the nearest step of an accepted kind. Returns the number of steps up to and with it, and the place after
    /// it.
    fn run(&mut self, kinds: &Kinds, net: &Net, accept: &dyn Fn(u32) -> bool) -> Option<(u32, u32)> {
        let mut next = 0;
        while let Some((place, distance)) = self.queue.get(next).copied() {
            next += 1;
            for arc in net.outgoing(kinds.node(place)) {
                let (to, kind) = kinds.step(net, place, arc);
                if accept(kind) {
                    self.found = (place, arc);
                    return Some((distance + 1, to));
                }
                if self.ways[to as usize].0 == NONE {
                    self.ways[to as usize] = (place, arc);
                    self.queue.push((to, distance + 1));
                }
            }
        }
        None
    }

    /// The way that was found: the place where it begins, and its arcs.
    fn way(&self) -> (u32, Vec<u32>) {
        let (mut place, last) = self.found;
        let mut arcs = vec![last];
        while self.ways[place as usize].1 != NONE {
            let (from, arc) = self.ways[place as usize];
            arcs.push(arc);
            place = from;
        }
        arcs.reverse();
        (place, arcs)
    }
}
