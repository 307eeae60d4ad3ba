//! Builds an automaton for temporal formulas over `[]`, `<>`, `/\` and `\/`.
//!
//! A node says what must hold for the current step and what for the rest of the behavior. `[]F` means F now and `[]F`
//! next; `<>F` means F now or `<>F` next. A run satisfies the formula if it does not postpone any `<>F` forever.

use std::collections::{BTreeMap, BTreeSet};

use kilter_eval::temporal::Formula;

use super::normal::{is_temporal, junction};

/// An automaton with more nodes is refused.
const NODES_MAX: usize = 2000;
/// The most `<>F` that an automaton may have. Each has a bit of a word.
const PROMISES_MAX: usize = 64;

/// A generalised Büchi automaton over steps.
#[derive(Debug)]
pub(crate) struct Automaton {
    pub(crate) nodes: Vec<Node>,
    /// The nodes in which runs may begin.
    pub(crate) initial: Vec<u32>,
    /// The bits of all promises. A run must keep each of them infinitely often.
    pub(crate) promises: u64,
}

/// A node of an automaton.
#[derive(Debug)]
pub(crate) struct Node {
    /// What must hold for the step that is taken from here. It contains neither `[]` nor `<>`.
    pub(crate) guard: Formula,
    /// The promises that this node does not postpone.
    pub(crate) keeps: u64,
    /// The nodes with which a run may continue.
    pub(crate) next: Vec<u32>,
}

/// The error when the automaton would be too large.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// Formulas that must hold together.
type Together = BTreeSet<Formula>;

/// Makes the automaton whose runs are the behaviors that satisfy all of `formulas`.
pub(crate) fn automaton(formulas: &[Formula]) -> Result<Automaton, TooLarge> {
    let mut builder = Builder::default();
    let start: Together = formulas.iter().cloned().collect();
    let initial = builder.nodes_for(&start)?;
    let mut done = 0;
    while done < builder.nodes.len() {
        let next = builder.nodes[done].1.clone();
        let successors = builder.nodes_for(&next)?;
        builder.successors.push(successors);
        done += 1;
    }
    builder.finish(initial)
}

#[derive(Default)]
struct Builder {
    /// For each node its guard, and what must hold next.
    nodes: Vec<(Formula, Together)>,
    successors: Vec<Vec<u32>>,
    numbers: BTreeMap<(Formula, Together), u32>,
    known: BTreeMap<Together, Vec<u32>>,
}

/// A node under construction.
#[derive(Clone, Default)]
struct Draft {
    waiting: Vec<Formula>,
    seen: Together,
    guard: Vec<Formula>,
    next: Together,
}

impl Builder {
    /// The nodes in which all of `formulas` hold.
    fn nodes_for(&mut self, formulas: &Together) -> Result<Vec<u32>, TooLarge> {
        if let Some(known) = self.known.get(formulas) {
            return Ok(known.clone());
        }
        let mut drafts =
            vec![Draft { waiting: formulas.iter().rev().cloned().collect(), ..Draft::default() }];
        let mut found = Vec::new();
        while let Some(draft) = drafts.pop() {
            if let Some((guard, next)) = draft.advance(&mut drafts) {
                found.push((guard, next));
            }
            if drafts.len() + found.len() > NODES_MAX {
                return Err(TooLarge);
            }
        }
        let mut ids = Vec::new();
        for node in found {
            let id = self.number(node);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if self.nodes.len() > NODES_MAX {
            return Err(TooLarge);
        }
        self.known.insert(formulas.clone(), ids.clone());
        Ok(ids)
    }

    fn number(&mut self, node: (Formula, Together)) -> u32 {
        if let Some(id) = self.numbers.get(&node) {
            return *id;
        }
        let id = self.nodes.len() as u32;
        self.numbers.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    fn finish(self, initial: Vec<u32>) -> Result<Automaton, TooLarge> {
        let postponed = self.nodes.iter().flat_map(|(_, next)| next);
        let promises: BTreeSet<&Formula> =
            postponed.filter(|formula| matches!(formula, Formula::Eventually(_))).collect();
        if promises.len() > PROMISES_MAX {
            return Err(TooLarge);
        }
        let bit = |formula: &Formula| {
            let index = promises.iter().position(|promise| *promise == formula);
            index.map_or(0, |index| 1u64 << index)
        };
        let all = promises.iter().fold(0, |bits, promise| bits | bit(promise));
        let nodes = self
            .nodes
            .iter()
            .zip(self.successors)
            .map(|((guard, next), successors)| Node {
                guard: guard.clone(),
                keeps: all & !next.iter().fold(0, |bits, formula| bits | bit(formula)),
                next: successors,
            })
            .collect();
        Ok(Automaton { nodes, initial, promises: all })
    }
}

impl Draft {
    /// Works on the draft until it is finished or splits. When it splits, the parts are added to `others`, and the
    /// result is `None`.
    fn advance(mut self, others: &mut Vec<Draft>) -> Option<(Formula, Together)> {
        while let Some(formula) = self.waiting.pop() {
            if !self.seen.insert(formula.clone()) {
                continue;
            }
            if !is_temporal(&formula) {
                self.guard.push(formula);
                continue;
            }
            match formula {
                Formula::And(parts) => self.waiting.extend(parts),
                Formula::Or(parts) => {
                    for part in parts.into_iter().rev() {
                        let mut draft = self.clone();
                        draft.waiting.push(part);
                        others.push(draft);
                    }
                    return None;
                }
                Formula::Always(ref body) => {
                    self.waiting.push((**body).clone());
                    self.next.insert(formula);
                }
                Formula::Eventually(ref body) => {
                    let mut later = self.clone();
                    later.next.insert(formula.clone());
                    others.push(later);
                    self.waiting.push((**body).clone());
                }
                Formula::Bool(_) | Formula::Literal { .. } => {}
            }
        }
        match junction(true, self.guard) {
            Formula::Bool(false) => None,
            guard => Some((guard, self.next)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::{parse, show};
    use super::automaton;

    /// Compares an automaton with lines: a node's guard, the promises that it keeps, and the nodes that follow.
    #[track_caller]
    fn check(formula: &str, expected: &[&str]) {
        let found = automaton(&[parse(formula)]).expect("a small formula");
        let nodes = found.nodes.iter().enumerate().map(|(index, node)| {
            let start = if found.initial.contains(&(index as u32)) { "start " } else { "" };
            format!("{start}{} keeps {} then {:?}", show(&node.guard), node.keeps, node.next)
        });
        assert_eq!(nodes.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn always_is_one_node() {
        check("[]p", &["start p keeps 0 then [0]"]);
    }

    #[test]
    fn a_state_and_then_anything() {
        check("p", &["start p keeps 0 then [1]", "true keeps 0 then [1]"]);
    }

    #[test]
    fn eventually_is_a_promise() {
        let nodes = ["start p keeps 1 then [2]", "start true keeps 0 then [0, 1]", "true keeps 1 then [2]"];
        check("<>p", &nodes);
    }

    #[test]
    fn contradictions_have_no_runs() {
        check("p & []~p", &[]);
    }
}
