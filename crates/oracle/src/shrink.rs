//! Finds a smaller model on which two checkers still differ.

use crate::model::{Expr, Model};

/// Removes parts of a model, one at a time, as long as `interesting` holds for the rest.
pub fn shrink(model: &Model, interesting: &mut dyn FnMut(&Model) -> bool) -> Model {
    let mut best = model.clone();
    let mut tries = 0;
    loop {
        let mut smaller = false;
        for candidate in candidates(&best) {
            tries += 1;
            if tries > TRIES_MAX {
                return best;
            }
            if interesting(&candidate) {
                best = candidate;
                smaller = true;
                break;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// The most models that are tried. Shrinking should take seconds, not minutes.
const TRIES_MAX: usize = 400;

/// All models that have one part less.
fn candidates(model: &Model) -> Vec<Model> {
    let mut all = Vec::new();
    let mut without = |change: &dyn Fn(&mut Model)| {
        let mut smaller = model.clone();
        change(&mut smaller);
        if smaller != *model {
            all.push(smaller);
        }
    };
    for number in 0..model.properties.len() {
        without(&|model| drop(model.properties.remove(number)));
    }
    for number in 0..model.invariants.len() {
        without(&|model| drop(model.invariants.remove(number)));
    }
    for number in 0..model.constraints.len() {
        without(&|model| drop(model.constraints.remove(number)));
    }
    for number in 0..model.action_constraints.len() {
        without(&|model| drop(model.action_constraints.remove(number)));
    }
    without(&|model| model.view = None);
    without(&|model| model.symmetry.clear());
    without(&|model| model.assumes.clear());
    without(&|model| model.deadlock = false);
    for number in 0..model.behaviors.fairness.len() {
        without(&|model| {
            model.behaviors.fairness.remove(number);
        });
    }
    for number in 0..model.behaviors.actions.len() {
        // Fairness names actions by number, so actions are removed only if there is none.
        if model.behaviors.actions.len() > 1 && model.behaviors.fairness.is_empty() {
            without(&|model| drop(model.behaviors.actions.remove(number)));
        }
        for smaller in smaller(&model.behaviors.actions[number].body) {
            without(&|model| model.behaviors.actions[number].body = smaller.clone());
        }
    }
    for smaller in smaller(&model.behaviors.init) {
        without(&|model| model.behaviors.init = smaller.clone());
    }
    for number in 0..model.invariants.len() {
        for smaller in smaller(&model.invariants[number].1) {
            without(&|model| model.invariants[number].1 = smaller.clone());
        }
    }
    for number in 0..model.constraints.len() {
        for smaller in smaller(&model.constraints[number].1) {
            without(&|model| model.constraints[number].1 = smaller.clone());
        }
    }
    all
}

/// All predicates with one conjunct or disjunct less, or with one branch of an IF or one side of `=>` in its place.
fn smaller(pred: &Expr) -> Vec<Expr> {
    match pred {
        Expr::And(items) | Expr::Or(items) => {
            let list = |items: Vec<Expr>| match pred {
                Expr::And(_) => Expr::And(items),
                _ => Expr::Or(items),
            };
            let mut all = Vec::new();
            for number in 0..items.len() {
                if items.len() > 1 {
                    let mut fewer = items.clone();
                    fewer.remove(number);
                    all.push(list(fewer));
                }
                for inner in smaller(&items[number]) {
                    let mut changed = items.clone();
                    changed[number] = inner;
                    all.push(list(changed));
                }
            }
            all
        }
        Expr::If(_, yes, no) => vec![(**yes).clone(), (**no).clone()],
        Expr::Binary(crate::model::Binary::Implies, left, right) => vec![(**left).clone(), (**right).clone()],
        _ => Vec::new(),
    }
}
