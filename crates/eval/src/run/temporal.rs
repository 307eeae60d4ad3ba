//! Expands temporal formulas: writes quantifiers out and pushes negations down to literals. Evaluates literals.

use kilter_value::Value;

use super::finding::Listing;
use super::{Successors, Worker};
use crate::error::{ErrorKind, Eval, EvalError};
use crate::node::Kind;
use crate::temporal::{
    Antecedent, Bindings, Expansion, Fairness, Formula, Literal, Reads, Temporal, TemporalBinder,
    TemporalFormula,
};

/// The state of an expansion: what was found so far, and the names bound around the current part.
struct Expander<'e> {
    found: &'e mut Expansion,
    bindings: Bindings,
}

impl Worker<'_> {
    /// Expands a formula, or its negation if `positive` is false.
    pub fn expand(
        &mut self,
        formula: &TemporalFormula,
        positive: bool,
        found: &mut Expansion,
    ) -> Result<Formula, EvalError> {
        let mut expander = Expander { found, bindings: Vec::new() };
        self.enter(formula.frame, &[], None);
        let result = self.guarded(|worker| worker.expand_part(&formula.body, positive, &mut expander));
        self.leave(result)
    }

    /// The value of a literal in a state, or for a step if `next` is given.
    pub fn literal_holds(
        &mut self,
        literal: &Literal,
        now: &[Value],
        next: Option<&[Value]>,
    ) -> Result<bool, EvalError> {
        let leaf = &self.program.temporals.leaves[literal.leaf as usize];
        self.enter(leaf.frame, now, next);
        for (slot, value) in leaf.slots.iter().zip(&literal.values) {
            self.frames.set(*slot, *value);
        }
        let result = self.guarded(|worker| worker.eval_bool(&leaf.body));
        self.leave(result)
    }

    /// Lists the next states of a literal `ENABLED A`. Returns `false` if the list is not complete: there are more than
    /// `n_max`, or A leaves a variable out, or some alternative of A cannot be evaluated.
    pub fn literal_steps(
        &mut self,
        literal: &Literal,
        now: &[Value],
        n_max: usize,
        out: &mut Successors,
    ) -> Result<bool, EvalError> {
        let leaf = &self.program.temporals.leaves[literal.leaf as usize];
        let (scope, node) = match &leaf.body.kind {
            Kind::Scope(slots, body) => (&**slots, &**body),
            _ => (&[][..], &leaf.body),
        };
        let Kind::Enabled(act, 0) = &node.kind else { return Ok(false) };
        self.enter(leaf.frame, now, None);
        for (slot, value) in leaf.slots.iter().zip(&literal.values) {
            self.frames.set(*slot, *value);
        }
        self.frames.unset(scope);
        self.finding.begin(out);
        self.finding.listing = Some(Listing { n_max, cut: false });
        let result = self.guarded(|worker| worker.run_action(act).map(drop));
        let cut = self.finding.listing.take().is_some_and(|listing| listing.cut);
        std::mem::swap(out, &mut self.finding.out);
        match self.leave(result) {
            Ok(()) => Ok(!cut),
            // ENABLED may still be true because of another alternative.
            Err(error) if error.kind == ErrorKind::Evaluation => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn expand_part(&mut self, part: &Temporal, positive: bool, expander: &mut Expander<'_>) -> Eval<Formula> {
        Ok(match part {
            Temporal::Leaf(leaf) => self.literal(*leaf, positive, expander)?,
            Temporal::Not(body) => self.expand_part(body, !positive, expander)?,
            Temporal::And(parts) => junction(positive, self.expand_all(parts, positive, expander)?),
            Temporal::Or(parts) => junction(!positive, self.expand_all(parts, positive, expander)?),
            Temporal::Equiv(pair) => {
                let mut sides = |left: bool, right: bool| {
                    let left = self.expand_part(&pair[0], left, expander)?;
                    Ok(junction(true, vec![left, self.expand_part(&pair[1], right, expander)?]))
                };
                junction(false, vec![sides(true, positive)?, sides(false, !positive)?])
            }
            Temporal::Always(body) => always(positive, self.expand_part(body, positive, expander)?),
            Temporal::Eventually(body) => always(!positive, self.expand_part(body, positive, expander)?),
            Temporal::LeadsTo(span, pair) => {
                let formula = self.expand_part(&pair[0], true, expander)?;
                let bindings = expander.bindings.clone();
                expander.found.antecedents.push(Antecedent { span: *span, bindings, formula });
                let left = self.expand_part(&pair[0], !positive, expander)?;
                let right = always(!positive, self.expand_part(&pair[1], positive, expander)?);
                always(positive, junction(!positive, vec![left, right]))
            }
            Temporal::Quantifier(all, binder) => {
                junction(*all == positive, self.expand_binder(binder, positive, expander)?)
            }
            Temporal::Fairness { span, strong, enabled, action } => {
                let fairness = Fairness {
                    span: *span,
                    bindings: expander.bindings.clone(),
                    strong: *strong,
                    enabled: self.intern(*enabled, expander)?,
                    action: self.intern(*action, expander)?,
                };
                expander.found.fairness.push(fairness.clone());
                let en = Formula::Literal { literal: fairness.enabled, positive: !positive };
                let act = Formula::Literal { literal: fairness.action, positive };
                if *strong {
                    let idle = always(!positive, always(positive, en));
                    junction(!positive, vec![idle, always(positive, always(!positive, act))])
                } else {
                    always(positive, always(!positive, junction(!positive, vec![en, act])))
                }
            }
        })
    }

    fn expand_all(
        &mut self,
        parts: &[Temporal],
        positive: bool,
        expander: &mut Expander<'_>,
    ) -> Eval<Vec<Formula>> {
        parts.iter().map(|part| self.expand_part(part, positive, expander)).collect()
    }

    fn expand_binder(
        &mut self,
        binder: &TemporalBinder,
        positive: bool,
        expander: &mut Expander<'_>,
    ) -> Eval<Vec<Formula>> {
        self.frames.unset(&binder.scope);
        let mut parts = Vec::new();
        self.each_binding(&binder.bounds, &mut |worker| {
            let n_outer = expander.bindings.len();
            let bound = binder.names.iter().map(|(name, slot)| (name.clone(), worker.frames.get(*slot)));
            expander.bindings.extend(bound);
            parts.push(worker.expand_part(&binder.body, positive, expander)?);
            expander.bindings.truncate(n_outer);
            Ok(true)
        })?;
        Ok(parts)
    }

    /// Makes a literal. A constant one is evaluated at once.
    fn literal(&mut self, leaf: u32, positive: bool, expander: &mut Expander<'_>) -> Eval<Formula> {
        let code = &self.program.temporals.leaves[leaf as usize];
        if code.reads == Reads::Constant {
            return Ok(Formula::Bool(self.eval_bool(&code.body)? == positive));
        }
        Ok(Formula::Literal { literal: self.intern(leaf, expander)?, positive })
    }

    /// The index of the literal for a leaf and the values that its slots have now.
    fn intern(&mut self, leaf: u32, expander: &mut Expander<'_>) -> Eval<u32> {
        let code = &self.program.temporals.leaves[leaf as usize];
        let mut values = Vec::with_capacity(code.slots.len());
        for slot in &code.slots {
            values.push(self.canonical(self.frames.get(*slot), code.body.origin)?);
        }
        let literal = Literal { leaf, values: values.into() };
        let literals = &mut expander.found.literals;
        let known = literals.iter().position(|other| *other == literal);
        Ok(known.unwrap_or_else(|| {
            literals.push(literal);
            literals.len() - 1
        }) as u32)
    }
}

/// Makes a `/\` or `\/` and simplifies it.
fn junction(and: bool, parts: Vec<Formula>) -> Formula {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Formula::Bool(value) if value == and => {}
            Formula::Bool(value) => return Formula::Bool(value),
            Formula::And(inner) if and => flat.extend(inner),
            Formula::Or(inner) if !and => flat.extend(inner),
            other => flat.push(other),
        }
    }
    match (flat.len(), and) {
        (0, _) => Formula::Bool(and),
        (1, _) => flat.swap_remove(0),
        (_, true) => Formula::And(flat),
        (_, false) => Formula::Or(flat),
    }
}

/// Makes `[]F` or `<>F`.
fn always(box_: bool, body: Formula) -> Formula {
    match body {
        Formula::Bool(_) => body,
        _ if box_ => Formula::Always(Box::new(body)),
        _ => Formula::Eventually(Box::new(body)),
    }
}
