//! Links and letters where states stand for others, by SYMMETRY or VIEW.
//!
//! A link then leads to a state that stands for the successor. What holds for the step to the successor need not hold
//! for a step to its representative: a step that changes only what VIEW hides leads back to where it began. So the
//! successors are computed again. As in TLC, the literals of steps are evaluated for the steps to the successors,
//! automata continue with what holds in the successors, and `[]<>` and `<>[]` of a predicate are about the
//! representatives.

use std::ops::Range;

use kilter_eval::Successors;
use kilter_value::Value;

use super::label::{Labels, Unlabelled};
use super::letters::Letters;
use crate::expand::{Hand, Model};
use crate::space::Space;

/// Consecutive states with their links and literals.
pub(crate) struct Represented {
    /// The targets of each state's links.
    pub(crate) targets: Vec<Vec<u32>>,
    pub(crate) letters: Letters,
}

impl Labels {
    /// Computes the links of states, and the literals in them and for their steps.
    pub(crate) fn represented<'p>(
        &self,
        hand: &mut Hand<'p>,
        model: &Model<'p>,
        space: &Space,
        states: Range<u32>,
    ) -> Result<Represented, Box<Unlabelled>> {
        let mut found = Represented { targets: Vec::new(), letters: Letters::with_arrivals(&self.places) };
        for state in states {
            let links = links(hand, model, space, space.row(state));
            found.letters.begin_state(links.len());
            let rows: Vec<&[Value]> = links.iter().map(|(_, row)| row.as_slice()).collect();
            self.label_rows(&mut hand.worker, space.row(state), &rows, &mut found.letters)
                .map_err(|error| Box::new(Unlabelled { state, target: None, error }))?;
            found.targets.push(links.into_iter().map(|(target, _)| target).collect());
        }
        Ok(found)
    }
}

/// The state that a state's link with this index really leads to.
pub(crate) fn successor<'p>(
    hand: &mut Hand<'p>,
    model: &Model<'p>,
    space: &Space,
    state: u32,
    index: usize,
) -> Option<Vec<Value>> {
    links(hand, model, space, space.row(state)).into_iter().nth(index).map(|(_, row)| row)
}

/// The successors of a state that belong to the graph, each with its representative.
pub(crate) fn links<'p>(
    hand: &mut Hand<'p>,
    model: &Model<'p>,
    space: &Space,
    row: &[Value],
) -> Vec<(u32, Vec<Value>)> {
    let mut successors = Successors::default();
    // An error would have ended the search before.
    let _ = hand.worker.successors(row, &mut successors);
    let mut links: Vec<(u32, Vec<Value>)> = Vec::new();
    for (successor, _) in successors.iter(row.len()) {
        let known = successor == row || links.iter().any(|(_, other)| other == successor);
        if known || !hand.admits(model, Some(row), successor, 2).unwrap_or(false) {
            continue;
        }
        if let Some(target) = hand.find(model, space, successor) {
            links.push((target, successor.to_vec()));
        }
    }
    links
}
