//! The edges that have to be tested, and the patterns that matched them.

use std::collections::BTreeSet;

use kilter_base::Id;
use kilter_graph::EdgeId;

use crate::pattern::Pattern;
use crate::wants::{Sequence, Wants};

/// The result of applying a pattern to one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The pattern.
    pub pattern: Pattern,
    /// The change that the pattern was applied to, in words.
    pub cause: String,
    /// The number of edges that the pattern matched.
    pub edges: usize,
    /// The number of these edges that no earlier match had.
    pub first: usize,
}

/// The edges that have to be tested.
#[derive(Clone, Debug)]
pub struct Affected {
    /// For each edge of the new graph, whether it has to be tested.
    pub edges: Vec<bool>,
    /// What tests have to do.
    pub wants: Wants,
    /// The matches, in the order of the patterns.
    pub matches: Vec<Match>,
    /// The number of edges through changed blocks that are left out because the old graph has them, too.
    pub same: usize,
    /// The number of further edges that are left out because the old graph has edges that are alike.
    pub known: usize,
}

impl Affected {
    /// The number of edges that have to be tested.
    pub fn n(&self) -> usize {
        self.edges.iter().filter(|is_affected| **is_affected).count()
    }

    /// Adds edges that a pattern matches; each of them has to be taken.
    pub fn add(
        &mut self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl IntoIterator<Item = EdgeId>,
    ) {
        let edges: BTreeSet<EdgeId> = edges.into_iter().collect();
        self.wants.each(edges.iter().copied());
        self.note(pattern, cause, edges);
    }

    /// Adds pairs of edges that have to be taken one right after the other, for P6 and P7. `likeness` names the sets that
    /// a pair belongs to, of each of which one pair will do. Pairs that belong to none stand for themselves.
    pub(crate) fn sequence(
        &mut self,
        pattern: Pattern,
        cause: String,
        pairs: &[(EdgeId, EdgeId)],
        likeness: impl Fn((EdgeId, EdgeId)) -> Vec<Sequence>,
    ) {
        for (first, then) in pairs {
            let sets = likeness((*first, *then));
            if sets.is_empty() {
                self.wants.pairs([(*first, *then)]);
            }
            for set in sets {
                self.wants.sequence(set, *first, *then);
            }
        }
        // Of a forbidden sequence, only the steps after the first action are new.
        let is_first_tested = pattern == Pattern::AllowSequence;
        let edges = pairs.iter().flat_map(|(first, then)| [is_first_tested.then_some(*first), Some(*then)]);
        self.note(pattern, cause, edges.flatten());
    }

    /// Records that a pattern matches edges.
    pub(crate) fn note(
        &mut self,
        pattern: Pattern,
        cause: impl Into<String>,
        edges: impl IntoIterator<Item = EdgeId>,
    ) {
        let edges: BTreeSet<EdgeId> = edges.into_iter().collect();
        let mut first = 0;
        for edge in &edges {
            first += usize::from(!std::mem::replace(&mut self.edges[edge.index()], true));
        }
        if !edges.is_empty() {
            self.matches.push(Match { pattern, cause: cause.into(), edges: edges.len(), first });
        }
    }
}
