//! Compiles a function applied where an action is expected: `[a \in S |-> P \/ Q][e]`.
//!
//! TLC looks for successors in the body. Each disjunct of the body yields successors of its own and may assign
//! variables.

use std::sync::Arc;

use kilter_base::Span;
use kilter_spec::ir::{Bound, Core, DefBody, Expr, ExprKind};
use kilter_value::Value;

use super::Compiler;
use super::env::{Binding, Env};
use crate::node::{self, Act, ActBinder, ActKind, Kind, Lambda, Target};

/// A function constructor whose text is known and that is not recursive.
struct Written<'s> {
    bound: &'s Bound,
    body: &'s Expr,
    env: Env<'s>,
    primed: bool,
}

impl<'s> Compiler<'s> {
    /// Compiles the body as an action in which the bound name stands for the argument. Returns `None` if the function
    /// is not written out, or if its body has no alternatives.
    pub(super) fn act_at(
        &mut self,
        function: &'s Expr,
        arg: &'s Expr,
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> Option<Act> {
        let Written { bound, body, env: around, primed: inner_primed } =
            self.written(function, env, primed)?;
        if !self.branches(body) {
            return None;
        }
        let in_domain = self.in_domain(bound, arg, &around, inner_primed, env, primed, span);
        let item = self.expr(arg, env, primed);
        let (inner, slot) = self.bind_slot(&around, bound.locals[0]);
        let (body, mut free) = self.tracked(|this| this.act_below(body, &inner, inner_primed));
        Self::unbind(&mut free, &[slot]);
        self.top().merge(&free);
        let set = self.node(Kind::SetEnum(Box::new([item])), span);
        let bounds =
            Box::new([node::Bound { names: Box::default(), target: Target::Slots(Box::new([slot])), set }]);
        let chosen = self.make(ActKind::Exists(Box::new(ActBinder { bounds, body })), span);
        let checked = self.make(ActKind::Guard(in_domain), span);
        Some(self.make(ActKind::And(Box::new([checked, chosen])), span))
    }

    /// Compiles `[a \in S |-> TRUE][e]`, which fails if the argument is not in the domain.
    #[allow(
        clippy::too_many_arguments,
        reason = "the function and the argument stand in places of their own"
    )]
    fn in_domain(
        &mut self,
        bound: &'s Bound,
        arg: &'s Expr,
        around: &Env<'s>,
        inner_primed: bool,
        env: &Env<'s>,
        primed: bool,
        span: Span,
    ) -> node::Node {
        let ((bounds, _, _), free) =
            self.tracked(|this| this.bounds(std::slice::from_ref(bound), around, inner_primed));
        let captures = free.slots.union(&free.lazies).copied().collect();
        self.top().merge(&free);
        let body = self.node(Kind::Value(Value::TRUE), span);
        let lambda = Lambda { bounds, body, act: None, itself: None, captures, frame: self.frame };
        let function = self.node(Kind::Function(Arc::new(lambda)), span);
        let arg = self.expr(arg, env, primed);
        self.node(Kind::Index(Box::new([function, arg])), span)
    }

    /// Finds a function constructor with one argument. Looks through definitions.
    fn written(&mut self, function: &'s Expr, env: &Env<'s>, primed: bool) -> Option<Written<'s>> {
        match &*function.kind {
            ExprKind::Function { bounds, body } => match &**bounds {
                [bound] if bound.locals.len() == 1 && !bound.tuple => {
                    Some(Written { bound, body, env: env.clone(), primed })
                }
                _ => None,
            },
            ExprKind::Local(local) => match env.local(*local).cloned()? {
                Binding::Thunk(thunk) => {
                    let inner = thunk.env.borrow().clone();
                    self.written(thunk.expr, &inner, primed || thunk.primed)
                }
                _ => None,
            },
            ExprKind::Call { def, args } if args.is_empty() => {
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return None };
                if definition.recursive {
                    return None;
                }
                let (body, inner, _, both) = self.expansion(*def, body, args, env, primed)?;
                self.written(body, &inner, both)
            }
            _ => None,
        }
    }

    /// Whether a formula has alternatives that can yield several successors.
    fn branches(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Core { op: Core::Or, .. } | ExprKind::Quantifier { all: false, .. } => true,
            ExprKind::Core { op: Core::And, args } => args.iter().any(|arg| self.branches(arg)),
            ExprKind::Core { op: Core::Implies, args } => self.branches(&args[1]),
            ExprKind::Quantifier { all: true, body, .. } | ExprKind::Let { body, .. } => self.branches(body),
            ExprKind::If { then, otherwise, .. } => self.branches(then) || self.branches(otherwise),
            ExprKind::Case { arms, other } => {
                arms.iter().map(|(_, value)| value).chain(other).any(|value| self.branches(value))
            }
            ExprKind::Call { def, .. } => {
                let definition = &self.spec.defs[*def];
                let DefBody::Expr(body) = &definition.body else { return false };
                !definition.recursive && self.branches(body)
            }
            _ => false,
        }
    }
}
