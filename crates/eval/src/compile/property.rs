//! Splits PROPERTY formulas. Parts about states and steps become predicates; the rest is temporal.

use kilter_base::Name;
use kilter_spec::ir::{Core, Expr, ExprKind, Formula, Level};

use super::Compiler;
use super::env::Env;
use super::free::Free;
use crate::node::Node;
use crate::program::{Named, Predicate, Properties};

impl<'s> Compiler<'s> {
    pub(super) fn properties(&mut self, formulas: &'s [Formula]) -> Properties {
        let mut properties = Properties::default();
        for formula in formulas {
            self.root_frame();
            self.property(&formula.name, &formula.expr, &Env::default(), &mut properties);
        }
        properties
    }

    fn property(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>, out: &mut Properties) {
        if expr.level <= Level::State && !self.is_temporal(expr, env) {
            let predicate = self.predicate(name, expr, |this| this.expr(expr, env, false));
            out.initial.push(predicate);
            return;
        }
        match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => {
                for arg in args {
                    self.property(name, arg, env, out);
                }
            }
            ExprKind::Core { op: Core::Always, args } => self.always(name, &args[0], env, out),
            ExprKind::Let { defs, body } => {
                let (inner, _) = self.bind_lets(defs, env, false);
                self.property(name, body, &inner, out);
            }
            ExprKind::Call { .. } | ExprKind::Local(_) | ExprKind::CallLocal { .. } => {
                match self.unfold(expr, env) {
                    Some((body, inner)) => self.in_call(expr, |this| this.property(name, body, &inner, out)),
                    None => self.temporal_property(name, expr, env),
                }
            }
            _ => self.temporal_property(name, expr, env),
        }
    }

    /// Compiles the property `[]body`.
    fn always(&mut self, name: &Name, body: &'s Expr, env: &Env<'s>, out: &mut Properties) {
        if self.is_temporal(body, env) {
            return self.always_more(name, body, env, out);
        }
        match &*body.kind {
            _ if body.level <= Level::State => {
                let parts = self.conjuncts_of(name, body, env);
                out.invariants.extend(parts);
            }
            ExprKind::SubscriptAction { angle: false, .. } => {
                let predicate = self.predicate(name, body, |this| this.expr(body, env, false));
                out.steps.push(predicate);
            }
            _ => self.always_more(name, body, env, out),
        }
    }

    fn always_more(&mut self, name: &Name, body: &'s Expr, env: &Env<'s>, out: &mut Properties) {
        match &*body.kind {
            ExprKind::Core { op: Core::And, args } => {
                for arg in args {
                    self.always(name, arg, env, out);
                }
            }
            ExprKind::Let { defs, body } => {
                let (inner, _) = self.bind_lets(defs, env, false);
                self.always(name, body, &inner, out);
            }
            ExprKind::Call { .. } | ExprKind::Local(_) | ExprKind::CallLocal { .. } => {
                match self.unfold(body, env) {
                    Some((under, inner)) => self.in_call(body, |this| this.always(name, under, &inner, out)),
                    None => self.temporal_always(name, body, env),
                }
            }
            _ => self.temporal_always(name, body, env),
        }
    }

    fn predicate(&mut self, name: &Name, expr: &Expr, build: impl FnOnce(&mut Self) -> Node) -> Predicate {
        let (body, free) = self.tracked(build);
        let body = self.forgetting(body, &free, expr.span);
        let Free { vars, primed, impure, .. } = free;
        Named {
            name: name.clone(),
            span: expr.span,
            frame: self.frame,
            vars: vars.into_iter().collect(),
            primed: primed.into_iter().collect(),
            impure,
            body,
        }
    }
}
