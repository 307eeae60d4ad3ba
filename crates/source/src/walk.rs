//! Walks from piece to piece: to the pieces that a piece names, and to the pieces inside it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::piece::Piece;
use crate::program::Program;

/// The pieces that are reached, each with the piece before it on the way. A root is its own piece before.
pub(crate) type Reached = BTreeMap<usize, usize>;

/// All pieces that are reached from the roots, on shortest ways. Enters a piece inside another only if `enter` allows
/// it.
pub(crate) fn from(
    program: &Program,
    roots: impl IntoIterator<Item = usize>,
    enter: &dyn Fn(&Piece) -> bool,
) -> Reached {
    around(program, roots, &BTreeSet::new(), enter)
}

/// Like [`from`], but does not enter `closed`.
pub(crate) fn around(
    program: &Program,
    roots: impl IntoIterator<Item = usize>,
    closed: &BTreeSet<usize>,
    enter: &dyn Fn(&Piece) -> bool,
) -> Reached {
    let open = roots.into_iter().filter(|root| !closed.contains(root));
    let mut reached: Reached = open.map(|root| (root, root)).collect();
    let mut queue: VecDeque<usize> = reached.keys().copied().collect();
    while let Some(index) = queue.pop_front() {
        let inside = program.inside[index].iter().filter(|inner| enter(&program.pieces[**inner]));
        for next in program.named[index].iter().chain(inside) {
            if !reached.contains_key(next) && !closed.contains(next) {
                reached.insert(*next, index);
                queue.push_back(*next);
            }
        }
    }
    reached
}

/// The pieces on the way to a piece. The piece itself is the last.
pub(crate) fn way(reached: &Reached, index: usize) -> Vec<usize> {
    let mut way = vec![index];
    let mut at = index;
    while let Some(before) = reached.get(&at).filter(|before| **before != at) {
        way.push(*before);
        at = *before;
    }
    way.reverse();
    way
}
