//! The edges that have to be tested, and which patterns say so.

use std::collections::BTreeSet;

use kilter_base::Id;
use kilter_graph::EdgeId;

use crate::pattern::Pattern;
use crate::wants::Wants;

/// What a pattern has matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The pattern.
    pub pattern: Pattern,
    /// What it was applied to.
    pub cause: String,
    /// How many edges it matched.
    pub edges: usize,
    /// How many of them no earlier match had.
    pub first: usize,
}

/// The edges that have to be tested.
#[derive(Clone, Debug)]
pub struct Affected {
    /// By number.
    pub edges: Vec<bool>,
    /// What tests have to do about them.
    pub wants: Wants,
    /// What each pattern matched, in order.
    pub matches: Vec<Match>,
    /// How many edges go through changed blocks and are left out because the old graph has them too.
    pub same: usize,
    /// How many more are left out because the old graph has edges that are alike to the node that takes them.
    pub known: usize,
}

impl Affected {
    /// How many edges there are.
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

    /// P6 and P7: edges that have to be taken one right after the other.
    pub(crate) fn sequence(&mut self, pattern: Pattern, cause: String, pairs: &[(EdgeId, EdgeId)]) {
        self.wants.pairs(pairs.iter().copied());
        // All that is new about a forbidden sequence is what comes after its first action.
        let is_first_tested = pattern == Pattern::AllowSequence;
        let edges = pairs.iter().flat_map(|(first, then)| [is_first_tested.then_some(*first), Some(*then)]);
        self.note(pattern, cause, edges.flatten());
    }

    /// Says that a pattern matches edges.
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
