//! Which definitions refer to themselves, and an order in which each comes after those that it mentions.

use kilter_base::{Id, IdVec};

use crate::ir::{Def, DefBody, DefId};
use crate::walk::mentioned;

/// Sets `recursive` on each definition, and returns groups of definitions that mention each other, callees first.
pub(crate) fn mark(defs: &mut IdVec<DefId, Def>) -> Vec<Vec<DefId>> {
    let edges: Vec<Vec<DefId>> = defs
        .iter()
        .map(|def| match &def.body {
            DefBody::Expr(body) => mentioned(body),
            DefBody::Native(_) => Vec::new(),
        })
        .collect();
    let groups = components(&edges);
    for group in &groups {
        let first = group[0];
        if group.len() > 1 || edges[first.index()].contains(&first) {
            for def in group {
                defs[*def].recursive = true;
            }
        }
    }
    groups
}

/// Tarjan's algorithm with a stack of its own.
fn components(edges: &[Vec<DefId>]) -> Vec<Vec<DefId>> {
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut open = vec![false; edges.len()];
    let mut stack = Vec::new();
    let mut count = 0;
    let mut groups = Vec::new();
    for root in 0..edges.len() {
        if number[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                number[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                open[node] = true;
            }
            let mut descended = false;
            for (index, target) in edges[node].iter().enumerate().skip(next) {
                let target = target.index();
                if number[target] == NEW {
                    calls.push((node, index + 1));
                    calls.push((target, 0));
                    descended = true;
                    break;
                }
                if open[target] {
                    low[node] = low[node].min(number[target]);
                }
            }
            if descended {
                continue;
            }
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == number[node] {
                let from = stack.iter().rposition(|entry| *entry == node).unwrap_or(0);
                let group = stack.split_off(from);
                for member in &group {
                    open[*member] = false;
                }
                groups.push(group.into_iter().map(DefId::from_index).collect());
            }
        }
    }
    groups
}
