//! The normal form of temporal formulas: the conditions on a counterexample, as a list of alternatives.
//!
//! An alternative is a conjunction of
//! - *repeats* `[]<>e` with a predicate `e` on steps,
//! - *pairs* `<>[]e \/ []<>f`, such as strong fairness; `<>[]e` is a pair with `f` false,
//! - *rest*: any other formula, for which an automaton is made.
//!
//! Whether `[]<>F` or `<>[]F` holds is the same for all suffixes of a behavior. So these formulas can be pulled out of
//! `[]` and `<>`, and nearly all properties need no automaton or a very small one.

use std::collections::BTreeSet;

use kilter_eval::temporal::Formula;

/// A formula with more alternatives is refused.
const ALTERNATIVES_MAX: usize = 4096;

/// One way to violate a property: a conjunction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alternative {
    /// The `e` of each `[]<>e`.
    pub(crate) repeats: Vec<Formula>,
    /// The `e` and `f` of each `<>[]e \/ []<>f`.
    pub(crate) pairs: Vec<(Formula, Formula)>,
    /// All other formulas.
    pub(crate) rest: Vec<Formula>,
}

/// The error when there are too many alternatives.
#[derive(Debug)]
pub(crate) struct TooMany;

/// Splits a disjunction. Returns the `e` of each disjunct `<>e` in which `e` is a predicate, and the rest.
pub(crate) fn split_safety(formula: &Formula) -> (Vec<Formula>, Formula) {
    let mut wrong = Vec::new();
    let mut rest = Vec::new();
    for part in parts_of(formula.clone(), false) {
        match part {
            Formula::Eventually(body) if !is_temporal(&body) => wrong.push(*body),
            Formula::Or(parts) => {
                let (more, left) = split_safety(&Formula::Or(parts));
                wrong.extend(more);
                rest.push(left);
            }
            other => rest.push(other),
        }
    }
    (wrong, junction(false, rest))
}

/// The alternatives of a formula.
pub(crate) fn alternatives(formula: &Formula) -> Result<Vec<Alternative>, TooMany> {
    let mut all = vec![Alternative::default()];
    for conjunct in parts_of(simplify(formula), true) {
        let mut ways = Vec::new();
        ways_of(conjunct, &mut ways)?;
        let mut product = Vec::with_capacity(all.len() * ways.len());
        for so_far in &all {
            for way in &ways {
                product.push(so_far.join(way));
            }
        }
        if product.len() > ALTERNATIVES_MAX {
            return Err(TooMany);
        }
        all = product;
    }
    Ok(all)
}

impl Alternative {
    fn join(&self, other: &Alternative) -> Alternative {
        let mut both = self.clone();
        both.repeats.extend(other.repeats.iter().cloned());
        both.pairs.extend(other.pairs.iter().cloned());
        both.rest.extend(other.rest.iter().cloned());
        both
    }
}

/// The alternatives of a formula that is not a conjunction.
fn ways_of(formula: Formula, ways: &mut Vec<Alternative>) -> Result<(), TooMany> {
    if let Some(pair) = as_pair(&formula) {
        let mut way = Alternative::default();
        match pair {
            (Formula::Bool(false), repeat) => way.repeats.push(repeat),
            pair => way.pairs.push(pair),
        }
        ways.push(way);
        return Ok(());
    }
    match formula {
        Formula::Bool(true) => ways.push(Alternative::default()),
        Formula::Bool(false) => {}
        Formula::Or(parts) if parts.iter().any(is_temporal) => {
            let (temporal, plain): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_temporal);
            let plain = junction(false, plain);
            for part in temporal.into_iter().chain([plain]) {
                ways.extend(alternatives(&part)?);
                if ways.len() > ALTERNATIVES_MAX {
                    return Err(TooMany);
                }
            }
        }
        other => ways.push(Alternative { rest: vec![other], ..Alternative::default() }),
    }
    Ok(())
}

/// The `e` and `f` of `<>[]e \/ []<>f`, where either part may be missing. `None` if the formula has another shape.
fn as_pair(formula: &Formula) -> Option<(Formula, Formula)> {
    let mut persists = None;
    let mut repeats = Vec::new();
    for part in parts_of(formula.clone(), false) {
        match part {
            Formula::Always(body) => match *body {
                Formula::Eventually(inner) if !is_temporal(&inner) => repeats.push(*inner),
                _ => return None,
            },
            Formula::Eventually(body) => match *body {
                Formula::Always(inner) if !is_temporal(&inner) && persists.is_none() => {
                    persists = Some(*inner);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    if persists.is_none() && repeats.is_empty() {
        return None;
    }
    Some((persists.unwrap_or(Formula::Bool(false)), junction(false, repeats)))
}

/// The operands of a conjunction or disjunction. Any other formula is its own only operand.
fn parts_of(formula: Formula, and: bool) -> Vec<Formula> {
    match formula {
        Formula::And(parts) if and => parts,
        Formula::Or(parts) if !and => parts,
        other => vec![other],
    }
}

/// Whether a formula contains `[]` or `<>`.
pub(crate) fn is_temporal(formula: &Formula) -> bool {
    match formula {
        Formula::Bool(_) | Formula::Literal { .. } => false,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(is_temporal),
        Formula::Always(_) | Formula::Eventually(_) => true,
    }
}

/// Whether a formula holds for all suffixes of a behavior or for none.
fn is_limit(formula: &Formula) -> bool {
    match formula {
        Formula::Bool(_) => true,
        Formula::Literal { .. } => false,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_limit),
        Formula::Always(body) => matches!(**body, Formula::Eventually(_)),
        Formula::Eventually(body) => matches!(**body, Formula::Always(_)),
    }
}

/// An equivalent formula in which `[]` and `<>` are as far inside as possible.
pub(crate) fn simplify(formula: &Formula) -> Formula {
    match formula {
        Formula::Bool(_) | Formula::Literal { .. } => formula.clone(),
        Formula::And(parts) => junction(true, parts.iter().map(simplify).collect()),
        Formula::Or(parts) => junction(false, parts.iter().map(simplify).collect()),
        Formula::Always(body) => modal(true, simplify(body)),
        Formula::Eventually(body) => modal(false, simplify(body)),
    }
}

/// Makes `[]body` if `always` is set, else `<>body`. The body is simplified already.
///
/// The two are dual: `[]` moves into conjunctions and past limits in disjunctions, `<>` the other way round.
fn modal(always: bool, body: Formula) -> Formula {
    if is_limit(&body) {
        return body;
    }
    match (body, always) {
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            let (temporal, plain): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_temporal);
            let plain = wrap(always, junction(always, plain));
            let inside = temporal.into_iter().map(|part| modal(always, part));
            junction(always, inside.chain([plain]).collect())
        }
        (Formula::Or(parts), true) | (Formula::And(parts), false) => {
            let (mut limits, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_limit);
            // `[](<>F \/ <>G)` is `[]<>F \/ []<>G`.
            let dual = |part: &Formula| match part {
                Formula::Eventually(_) => always,
                Formula::Always(_) => !always,
                _ => false,
            };
            if others.iter().all(dual) {
                limits.extend(others.into_iter().map(|part| wrap(always, part)));
            } else if limits.is_empty() {
                return wrap(always, junction(!always, others));
            } else {
                limits.push(modal(always, junction(!always, others)));
            }
            junction(!always, limits)
        }
        (body, _) => wrap(always, body),
    }
}

fn wrap(always: bool, body: Formula) -> Formula {
    match body {
        Formula::Bool(_) => body,
        Formula::Always(_) if always => body,
        Formula::Eventually(_) if !always => body,
        _ if always => Formula::Always(Box::new(body)),
        _ => Formula::Eventually(Box::new(body)),
    }
}

/// Makes `/\` if `and` is set, else `\/`. The result is flat, has no repetitions, and no constants that decide nothing.
pub(crate) fn junction(and: bool, parts: Vec<Formula>) -> Formula {
    let mut flat = BTreeSet::new();
    for part in parts {
        match part {
            Formula::Bool(value) if value == and => {}
            Formula::Bool(value) => return Formula::Bool(value),
            other => flat.extend(parts_of(other, and)),
        }
    }
    let contradicts = |part: &Formula| match part {
        Formula::Literal { literal, positive } => {
            flat.contains(&Formula::Literal { literal: *literal, positive: !positive })
        }
        _ => false,
    };
    if flat.iter().any(contradicts) {
        return Formula::Bool(!and);
    }
    let mut flat: Vec<Formula> = flat.into_iter().collect();
    match (flat.len(), and) {
        (0, _) => Formula::Bool(and),
        (1, _) => flat.swap_remove(0),
        (_, true) => Formula::And(flat),
        (_, false) => Formula::Or(flat),
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::{parse, show};
    use super::{alternatives, simplify};

    #[track_caller]
    fn check_simplified(formula: &str, expected: &str) {
        assert_eq!(show(&simplify(&parse(formula))), expected);
    }

    #[test]
    fn limits_leave_always_and_eventually() {
        check_simplified("[](p | []<>q)", "([]p | []<>q)");
        check_simplified("<>(p & []<>q)", "([]<>q & <>p)");
        check_simplified("[]<>[]<>p", "[]<>p");
        check_simplified("<>[]<>p", "[]<>p");
        check_simplified("[]<>(p | []q)", "([]<>p | <>[]q)");
        check_simplified("[]<>(p & []<>q)", "([]<>p & []<>q)");
    }

    #[test]
    fn always_goes_into_conjunctions_and_eventually_into_disjunctions() {
        check_simplified("[](p & <>q)", "([]p & []<>q)");
        check_simplified("<>(p | q | []r)", "(<>(p | q) | <>[]r)");
        check_simplified("[](<>p | <>q)", "([]<>p | []<>q)");
    }

    #[test]
    fn what_must_stay_stays() {
        check_simplified("[](p | <>q)", "[](p | <>q)");
        check_simplified("<>(p & []q)", "<>(p & []q)");
        check_simplified("[]<>(p & <>q)", "[]<>(p & <>q)");
    }

    /// Compares alternatives with lines: repeats, pairs, rest.
    #[track_caller]
    fn check_alternatives(formula: &str, expected: &[&str]) {
        let found = alternatives(&parse(formula)).expect("few alternatives");
        let lines: Vec<String> = found
            .iter()
            .map(|one| {
                let repeats = one.repeats.iter().map(|e| format!("repeat {}", show(e)));
                let pairs = one.pairs.iter().map(|(e, f)| format!("pair {} {}", show(e), show(f)));
                let rest = one.rest.iter().map(|formula| format!("rest {}", show(formula)));
                repeats.chain(pairs).chain(rest).collect::<Vec<_>>().join(", ")
            })
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn fairness_needs_no_automaton() {
        check_alternatives("[]<>(~e | a)", &["repeat (a | ~e)"]);
        check_alternatives("<>[]~e | []<>a", &["pair ~e a"]);
        check_alternatives("<>[]~e", &["pair ~e false"]);
        check_alternatives("[]<>e & <>[]~a", &["repeat e, pair ~a false"]);
    }

    #[test]
    fn what_violates_leads_to_is_one_alternative() {
        check_alternatives("[]<>a & <>(p & []~q)", &["repeat a, rest <>(p & []~q)"]);
    }

    #[test]
    fn disjunctions_are_alternatives() {
        check_alternatives("<>p | []q | []<>r", &["rest []q", "repeat r", "rest <>p"]);
        check_alternatives("<>[]p | <>[]q", &["pair p false", "pair q false"]);
        check_alternatives("p & ~p", &[]);
    }
}
