//! Tests as walks on a net, stored one after the other in flat arrays.

use rustc_hash::FxHashSet;

use crate::net::Net;

/// Walks, each from an initial node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    starts: Vec<u32>,
    /// The end of each walk in `arcs`.
    ends: Vec<usize>,
    arcs: Vec<u32>,
}

impl Tests {
    /// Appends a walk.
    pub fn push(&mut self, start: u32, arcs: &[u32]) {
        self.arcs.extend_from_slice(arcs);
        self.close(start);
    }

    /// Appends an arc to the walk that [`Tests::close`] will finish.
    pub fn extend(&mut self, arc: u32) {
        self.arcs.push(arc);
    }

    /// Finishes a walk that starts in the node `start`.
    pub fn close(&mut self, start: u32) {
        self.starts.push(start);
        self.ends.push(self.arcs.len());
    }

    /// How many walks there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are no walks.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How many arcs all walks have.
    pub fn n_steps(&self) -> u64 {
        self.arcs.len() as u64
    }

    /// The cost of all walks: restart cost × walks + steps.
    pub fn cost(&self, restart_cost: u32) -> u64 {
        self.len() as u64 * u64::from(restart_cost) + self.n_steps()
    }

    /// Where a walk starts.
    pub fn start(&self, test: usize) -> u32 {
        self.starts[test]
    }

    /// The arcs of a walk.
    pub fn arcs(&self, test: usize) -> &[u32] {
        let first = if test == 0 { 0 } else { self.ends[test - 1] };
        &self.arcs[first..self.ends[test]]
    }

    /// All walks, each with its start and its arcs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        (0..self.len()).map(|test| (self.start(test), self.arcs(test)))
    }

    /// The same walks in another order.
    #[must_use]
    pub fn in_order(&self, order: &[u32]) -> Tests {
        let mut tests = Tests { arcs: Vec::with_capacity(self.arcs.len()), ..Tests::default() };
        for test in order {
            tests.push(self.start(*test as usize), self.arcs(*test as usize));
        }
        tests
    }

    /// The same walks without duplicates.
    #[must_use]
    pub fn without_repeats(self) -> Tests {
        let mut seen = FxHashSet::default();
        let order: Vec<u32> = (0..self.len() as u32)
            .filter(|test| seen.insert((self.start(*test as usize), self.arcs(*test as usize))))
            .collect();
        if order.len() == self.len() {
            drop(seen);
            return self;
        }
        self.in_order(&order)
    }

    /// The same walks with other numbers for their arcs.
    #[must_use]
    pub fn map(mut self, number: impl Fn(u32) -> u32) -> Tests {
        self.arcs.iter_mut().for_each(|arc| *arc = number(*arc));
        self
    }

    /// The nodes of a walk, in order.
    pub fn nodes<'n>(&'n self, net: &'n Net, test: usize) -> impl Iterator<Item = u32> + 'n {
        std::iter::once(self.start(test)).chain(self.arcs(test).iter().map(|arc| net.head(*arc)))
    }
}
