//! Links and letters where states stand for others, by SYMMETRY or VIEW.
//!
//! A link then leads to a state that stands for the successor. What holds for the step to the successor need not hold for one
//! to its representative: a step that changes only what VIEW hides leads back to where it began. So the successors are computed
//! once more. As in TLC, the literals of steps are evaluated for the steps to them, automata go on with what holds in them, and
//! `[]<>` and `<>[]` of a predicate are about the states that stand for others.

use std::ops::Range;

use kilter_eval::Successors;
use kilter_value::Value;

use super::label::{Labels, Unlabelled};
use super::letters::Letters;
use crate::expand::{Hand, Model};
use crate::space::Space;

/// Consecutive states with their links.
pub(crate) struct Represented {
    /// Where each state's links lead.
    pub(crate) targets: Vec<Vec<u32>>,
    pub(crate) letters: Letters,
}

impl Labels {
    /// The links of states, and what holds where.
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

/// Where a state's link with this index really leads.
pub(crate) fn successor<'p>(
    hand: &mut Hand<'p>,
    model: &Model<'p>,
    space: &Space,
    state: u32,
    index: usize,
) -> Option<Vec<Value>> {
    links(hand, model, space, space.row(state)).into_iter().nth(index).map(|(_, row)| row)
}

/// The successors of a state that belong to the graph, each with the state that stands for it.
pub(crate) fn links<'p>(
    hand: &mut Hand<'p>,
    model: &Model<'p>,
    space: &Space,
    row: &[Value],
) -> Vec<(u32, Vec<Value>)> {
    let mut successors = Successors::default();
    // What cannot be evaluated has ended the search before.
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
