//! Finds the definitions that refer to themselves, and an order in which each definition comes after those that it
//! mentions.

use kilter_base::components::Components;
use kilter_base::{Id, IdVec};

use crate::ir::{Def, DefBody, DefId};
use crate::walk::mentioned;

/// Sets `recursive` on each definition, and returns groups of definitions that mention each other, callees first.
pub(crate) fn mark(defs: &mut IdVec<DefId, Def>) -> Vec<Vec<DefId>> {
    let mentions = |def: &Def| match &def.body {
        DefBody::Expr(body) => mentioned(body).into_iter().map(|def| def.index() as u32).collect(),
        DefBody::Native(_) => Vec::new(),
    };
    let arcs: Vec<Vec<u32>> = defs.iter().map(mentions).collect();
    let components = Components::new(arcs.as_slice(), arcs.len());
    let mut groups = vec![Vec::new(); components.n as usize];
    for (number, component) in components.of.iter().enumerate() {
        groups[*component as usize].push(DefId::from_index(number));
    }
    for group in &groups {
        let first = group[0].index();
        if group.len() > 1 || arcs[first].contains(&(first as u32)) {
            for def in group {
                defs[*def].recursive = true;
            }
        }
    }
    groups
}
