//! Compiles temporal formulas down to predicates on states and steps.

use std::collections::BTreeSet;

use kilter_base::{Name, Span};
use kilter_spec::ir::{Bound, Core, DefBody, Expr, ExprKind, Formula, Level, OpArg};

use super::Compiler;
use super::env::{Binding, Env};
use crate::node::{Act, ActKind, Kind, Node};
use crate::temporal::{Leaf, Reads, Refusal, Temporal, TemporalBinder, TemporalFormula};

/// A part of a formula that cannot be checked.
pub(super) struct Undecidable {
    span: Span,
    reason: &'static str,
}

type Decided<T> = Result<T, Undecidable>;

fn refuse<T>(span: Span, reason: &'static str) -> Decided<T> {
    Err(Undecidable { span, reason })
}

impl<'s> Compiler<'s> {
    /// Compiles the conjuncts of SPECIFICATION besides the initial predicate and the next-state action.
    pub(super) fn fairness(&mut self, formulas: &'s [Formula]) {
        for formula in formulas {
            self.root_frame();
            match self.temporal_formula(&formula.name, &formula.expr, &Env::default()) {
                Ok(compiled) => self.temporals.fairness.push(compiled),
                Err(refusal) => self.temporals.refused_fairness.push(refusal),
            }
        }
    }

    /// Compiles a property, or a conjunct of one, in the current frame.
    pub(super) fn temporal_property(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>) {
        let compiled = self.temporal_formula(name, expr, env);
        self.add_property(compiled);
    }

    fn add_property(&mut self, compiled: Result<TemporalFormula, Refusal>) {
        match compiled {
            Ok(compiled) => self.temporals.properties.push(compiled),
            Err(refusal) => self.temporals.refused_properties.push(refusal),
        }
    }

    /// Compiles `[]body` as a property.
    pub(super) fn temporal_always(&mut self, name: &Name, body: &'s Expr, env: &Env<'s>) {
        let compiled = self
            .temporal_formula(name, body, env)
            .map(|formula| TemporalFormula { body: Temporal::Always(Box::new(formula.body)), ..formula });
        self.add_property(compiled);
    }

    fn temporal_formula(
        &mut self,
        name: &Name,
        expr: &'s Expr,
        env: &Env<'s>,
    ) -> Result<TemporalFormula, Refusal> {
        let frame = self.frame;
        match self.temporal(expr, env) {
            Ok(body) => Ok(TemporalFormula { name: name.clone(), span: expr.span, frame, body }),
            Err(Undecidable { span, reason }) => Err(Refusal { name: name.clone(), span, reason }),
        }
    }

    fn temporal(&mut self, expr: &'s Expr, env: &Env<'s>) -> Decided<Temporal> {
        if !self.is_temporal(expr, env) {
            return Ok(self.predicate_leaf(expr, env));
        }
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Core { op, args } => self.temporal_core(*op, args, env, span),
            ExprKind::Quantifier { all, bounds, body } => self.temporal_quantifier(*all, bounds, body, env),
            ExprKind::If { condition, then, otherwise } => {
                let [yes, no] = [self.temporal(condition, env)?, self.temporal(condition, env)?];
                let then = Temporal::And(vec![yes, self.temporal(then, env)?]);
                let no = Temporal::Not(Box::new(no));
                Ok(Temporal::Or(vec![then, Temporal::And(vec![no, self.temporal(otherwise, env)?])]))
            }
            ExprKind::Let { defs, body } => {
                let (inner, _) = self.bind_lets(defs, env, false);
                self.temporal(body, &inner)
            }
            ExprKind::Fairness { strong, subscript, action } => {
                Ok(self.fairness_condition(*strong, subscript, action, env, span))
            }
            ExprKind::Call { .. } | ExprKind::Local(_) | ExprKind::CallLocal { .. } => {
                match self.unfold(expr, env) {
                    Some((body, inner)) => self.in_call(expr, |this| this.temporal(body, &inner)),
                    None => refuse(span, "it is defined by a recursive or passed operator"),
                }
            }
            ExprKind::TemporalQuantifier { .. } => refuse(span, "it contains \\AA or \\EE"),
            ExprKind::UnboundedQuantifier { .. } => refuse(span, "it contains a quantifier without a set"),
            _ => refuse(span, "a temporal formula cannot stand inside of this"),
        }
    }

    fn temporal_core(&mut self, op: Core, args: &'s [Expr], env: &Env<'s>, span: Span) -> Decided<Temporal> {
        let mut parts =
            args.iter().map(|arg| self.temporal(arg, env)).collect::<Decided<Vec<_>>>()?.into_iter();
        let mut next = || parts.next().expect("the resolver has checked the number of operands");
        Ok(match op {
            Core::Not => Temporal::Not(Box::new(next())),
            Core::Implies => {
                let left = Temporal::Not(Box::new(next()));
                Temporal::Or(vec![left, next()])
            }
            Core::Equiv => Temporal::Equiv(Box::new([next(), next()])),
            Core::Always => Temporal::Always(Box::new(next())),
            Core::Eventually => Temporal::Eventually(Box::new(next())),
            Core::LeadsTo => Temporal::LeadsTo(span, Box::new([next(), next()])),
            Core::And => Temporal::And(parts.collect()),
            Core::Or => Temporal::Or(parts.collect()),
            Core::Guarantees => return refuse(span, "it contains -+->"),
            _ => return refuse(span, "a temporal formula cannot stand inside of this"),
        })
    }

    fn temporal_quantifier(
        &mut self,
        all: bool,
        bounds: &'s [Bound],
        body: &'s Expr,
        env: &Env<'s>,
    ) -> Decided<Temporal> {
        let ((compiled, inner, slots), free) = self.tracked(|this| this.bounds(bounds, env, false));
        if !free.vars.is_empty() || !free.primed.is_empty() {
            return refuse(
                bounds[0].set.span,
                "the set of a quantifier over temporal formulas must be constant",
            );
        }
        let locals = bounds.iter().flat_map(|bound| &bound.locals);
        let names = locals.map(|local| self.spec.locals[*local].name.clone()).zip(slots).collect();
        let scope = free.lazies.into_iter().collect();
        let body = self.temporal(body, &inner)?;
        Ok(Temporal::Quantifier(all, Box::new(TemporalBinder { names, scope, bounds: compiled, body })))
    }

    fn fairness_condition(
        &mut self,
        strong: bool,
        subscript: &'s Expr,
        action: &'s Expr,
        env: &Env<'s>,
        span: Span,
    ) -> Temporal {
        let is_next = self.is_next(action);
        let enabled = self.leaf(span, None, |this| {
            this.enabled(span, |this| this.angle_act(action, subscript, env, false, span))
        });
        let action = self.leaf(span, Some(false), |this| {
            let unchanged = this.unchanged_node(subscript, env, span);
            let changed = this.node(Kind::Not(Box::new(unchanged)), span);
            // Every step of the graph is a step of Next, so only the change has to be checked.
            if is_next {
                return changed;
            }
            let action = this.expr(action, env, false);
            this.node(Kind::And(Box::new([changed, action])), span)
        });
        if is_next && self.covers_all(subscript, env) {
            self.temporals.leaves[enabled as usize].about_next = true;
            self.temporals.leaves[action as usize].about_next = true;
        }
        Temporal::Fairness { span, strong, enabled, action }
    }

    fn predicate_leaf(&mut self, expr: &'s Expr, env: &Env<'s>) -> Temporal {
        let stuttering = match &*expr.kind {
            ExprKind::SubscriptAction { angle, .. } => Some(!angle),
            _ => None,
        };
        Temporal::Leaf(self.leaf(expr.span, stuttering, |this| this.expr(expr, env, false)))
    }

    /// Compiles a leaf in the current frame and returns its index.
    fn leaf(&mut self, span: Span, stuttering: Option<bool>, build: impl FnOnce(&mut Self) -> Node) -> u32 {
        let (body, free) = self.tracked(build);
        let body = self.forgetting(body, &free, span);
        let reads = if !free.primed.is_empty() {
            Reads::Step { stuttering }
        } else if !free.vars.is_empty() || free.impure {
            Reads::State
        } else {
            Reads::Constant
        };
        let slots = free.slots.iter().copied().collect();
        let (frame, about_next) = (self.frame, false);
        self.temporals.leaves.push(Leaf { span, frame, slots, reads, about_next, body });
        self.temporals.leaves.len() as u32 - 1
    }

    /// Whether an expression is a tuple of all variables, so that it differs whenever two states differ.
    fn covers_all(&mut self, expr: &'s Expr, env: &Env<'s>) -> bool {
        let mut found = BTreeSet::new();
        let mut waiting = vec![(expr, env.clone())];
        while let Some((expr, env)) = waiting.pop() {
            match &*expr.kind {
                ExprKind::Var(var) => drop(found.insert(*var)),
                ExprKind::Tuple(items) => waiting.extend(items.iter().map(|item| (item, env.clone()))),
                _ => waiting.extend(self.unfold(expr, &env)),
            }
        }
        found.len() == self.spec.variables.len()
    }

    /// Whether an action is the next-state action itself.
    fn is_next(&self, action: &Expr) -> bool {
        match (&*action.kind, self.spec.next.as_ref().map(|next| &*next.expr.kind)) {
            (ExprKind::Call { def, args }, Some(ExprKind::Call { def: next, .. })) => {
                args.is_empty() && def == next && !self.spec.defs[*def].in_let
            }
            _ => false,
        }
    }

    /// The body of a definition or argument, and the environment inside. `None` if the expression is neither.
    pub(super) fn unfold(&mut self, expr: &'s Expr, env: &Env<'s>) -> Option<(&'s Expr, Env<'s>)> {
        let (body, inner, _, primed) = match &*expr.kind {
            ExprKind::Local(local) => match env.local(*local)? {
                Binding::Thunk(thunk) => {
                    return (!thunk.primed).then(|| (thunk.expr, thunk.env.borrow().clone()));
                }
                _ => return None,
            },
            ExprKind::Call { def, args } => {
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return None };
                if definition.recursive {
                    return None;
                }
                self.expansion(*def, body, args, env, false)?
            }
            ExprKind::CallLocal { local, args } => match env.local(*local).cloned()? {
                Binding::Op(thunk) => self.op_expansion(&thunk, args, env, false)?,
                _ => return None,
            },
            _ => return None,
        };
        (!primed).then_some((body, inner))
    }

    /// Compiles the body of a definition with the call in the chain of its errors.
    pub(super) fn in_call<T>(&mut self, call: &Expr, build: impl FnOnce(&mut Self) -> T) -> T {
        let context = self.context;
        if let ExprKind::Call { def, .. } = &*call.kind {
            let name = self.spec.defs[*def].name.clone();
            self.context = Some(self.origins.call(name, call.span, context));
        }
        let result = build(self);
        self.context = context;
        result
    }

    /// Whether a formula is temporal for its arguments. Its level does not tell, because a level counts parameters as
    /// constants.
    pub(super) fn is_temporal(&self, expr: &Expr, env: &Env<'s>) -> bool {
        if expr.level == Level::Temporal {
            return true;
        }
        match &*expr.kind {
            ExprKind::Local(local) => match env.local(*local) {
                Some(Binding::Thunk(thunk)) => self.is_temporal(thunk.expr, &thunk.env.borrow()),
                _ => false,
            },
            ExprKind::CallLocal { local, .. } => match env.local(*local) {
                Some(Binding::Op(thunk)) => match thunk.op {
                    OpArg::Lambda { body, .. } => self.is_temporal(body, &thunk.env),
                    OpArg::Def { def, .. } => self.spec.defs[*def].level == Level::Temporal,
                    _ => false,
                },
                _ => false,
            },
            ExprKind::Core { op, args } => {
                let boolean = matches!(op, Core::And | Core::Or | Core::Not | Core::Implies | Core::Equiv);
                boolean && args.iter().any(|arg| self.is_temporal(arg, env))
            }
            ExprKind::Quantifier { body, .. } => self.is_temporal(body, env),
            ExprKind::If { then, otherwise, .. } => {
                self.is_temporal(then, env) || self.is_temporal(otherwise, env)
            }
            ExprKind::Call { args, .. } => args.iter().any(|arg| match arg {
                kilter_spec::ir::Arg::Expr(arg) => self.is_temporal(arg, env),
                kilter_spec::ir::Arg::Op(_) => false,
            }),
            _ => false,
        }
    }

    /// Compiles `UNCHANGED e` as a predicate. A tuple is compared component by component, so that no tuple is made.
    pub(super) fn unchanged_node(&mut self, expr: &'s Expr, env: &Env<'s>, span: Span) -> Node {
        if let Some((items, env)) = self.tuple(expr, env) {
            let items = items.iter().map(|item| self.unchanged_node(item, &env, span)).collect();
            return self.node(Kind::And(items), span);
        }
        let pair = Box::new([self.expr(expr, env, false), self.expr(expr, env, true)]);
        self.node(Kind::Unchanged(pair), span)
    }

    /// The components of a tuple. Looks through definitions without parameters.
    fn tuple(&mut self, expr: &'s Expr, env: &Env<'s>) -> Option<(&'s [Expr], Env<'s>)> {
        match &*expr.kind {
            ExprKind::Tuple(items) => Some((items, env.clone())),
            ExprKind::Call { def, args } if args.is_empty() && !self.spec.defs[*def].for_variable => {
                let (body, inner) = self.unfold(expr, env)?;
                self.tuple(body, &inner)
            }
            _ => None,
        }
    }

    /// Compiles `<<A>>_v` as an action that yields next states.
    pub(super) fn angle_act(
        &mut self,
        action: &'s Expr,
        subscript: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Act {
        let act = self.act_below(action, env, primed);
        let pair = Box::new([self.expr(subscript, env, false), self.expr(subscript, env, true)]);
        let changed = self.make(ActKind::Changed(pair), span);
        self.make(ActKind::And(Box::new([act, changed])), span)
    }
}
