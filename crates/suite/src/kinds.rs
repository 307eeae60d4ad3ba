//! Kinds of steps: every action, or every pair of consecutive actions, wherever it happens.
//!
//! A walker's place is a node. For pairs, the action that led there is part of the place.

use crate::net::{NONE, Net};
use crate::tests::Tests;

/// The kinds of steps that have to be covered.
#[derive(Clone, Debug)]
pub struct Kinds {
    /// The action of each arc.
    pub actions: Vec<u32>,
    /// How many actions there are.
    pub n_actions: u32,
    /// The kind of each action, or of each pair of actions at index first · n + second. [`NONE`] if it is not wanted.
    pub numbers: Vec<u32>,
    /// How many kinds there are.
    pub n: usize,
    /// Whether kinds are pairs.
    pub are_pairs: bool,
}

impl Kinds {
    /// Every action of a wanted arc.
    pub fn actions(net: &Net, actions: Vec<u32>, n_actions: u32, is_wanted: &dyn Fn(u32) -> bool) -> Kinds {
        let mut kinds = vec![NONE; n_actions as usize];
        for arc in (0..net.n_arcs() as u32).filter(|arc| is_wanted(*arc)) {
            kinds[actions[arc as usize] as usize] = 0;
        }
        Kinds { actions, n_actions, n: number(&mut kinds), numbers: kinds, are_pairs: false }
    }

    /// Every pair of actions of two consecutive arcs, if both arcs are wanted.
    pub fn pairs(net: &Net, actions: Vec<u32>, n_actions: u32, is_wanted: &dyn Fn(u32) -> bool) -> Kinds {
        let mut kinds = vec![NONE; (n_actions * n_actions) as usize];
        for first in (0..net.n_arcs() as u32).filter(|arc| is_wanted(*arc)) {
            for second in net.outgoing(net.head(first)).filter(|arc| is_wanted(*arc)) {
                kinds[(actions[first as usize] * n_actions + actions[second as usize]) as usize] = 0;
            }
        }
        Kinds { actions, n_actions, n: number(&mut kinds), numbers: kinds, are_pairs: true }
    }

    pub(crate) fn n_places(&self, net: &Net) -> usize {
        net.n_nodes() * if self.are_pairs { self.n_actions as usize + 1 } else { 1 }
    }

    /// The place of a walker at the start of a test.
    pub(crate) fn start(&self, node: u32) -> u32 {
        if self.are_pairs { node * (self.n_actions + 1) + self.n_actions } else { node }
    }

    pub(crate) fn node(&self, place: u32) -> u32 {
        if self.are_pairs { place / (self.n_actions + 1) } else { place }
    }

    /// The place to which an arc leads a walker, and the kind of this step. [`NONE`] if it has no wanted kind.
    pub(crate) fn step(&self, net: &Net, place: u32, arc: u32) -> (u32, u32) {
        let action = self.actions[arc as usize];
        if !self.are_pairs {
            return (net.head(arc), self.numbers[action as usize]);
        }
        let last = place % (self.n_actions + 1);
        let kind = if last == self.n_actions {
            NONE
        } else {
            self.numbers[(last * self.n_actions + action) as usize]
        };
        (net.head(arc) * (self.n_actions + 1) + action, kind)
    }

    /// How many kinds tests cover.
    pub fn n_covered(&self, net: &Net, tests: &Tests) -> usize {
        let mut is_covered = vec![false; self.n];
        for (start, arcs) in tests.iter() {
            let mut place = self.start(start);
            for arc in arcs {
                let (next, kind) = self.step(net, place, *arc);
                if kind != NONE {
                    is_covered[kind as usize] = true;
                }
                place = next;
            }
        }
        is_covered.into_iter().filter(|covered| *covered).count()
    }
}

/// Numbers all entries that are not [`NONE`]. Returns how many there are.
fn number(kinds: &mut [u32]) -> usize {
    let mut n = 0;
    for kind in kinds.iter_mut().filter(|kind| **kind != NONE) {
        *kind = n;
        n += 1;
    }
    n as usize
}
