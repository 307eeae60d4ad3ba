//! Splits invariants into conjuncts. A conjunct is not evaluated again if nothing that it reads has changed.

use kilter_base::Name;
use kilter_spec::ir::{Core, DefBody, Expr, ExprKind, Formula};

use super::env::Env;
use super::{Compiler, MEMO_KEY_MAX};
use crate::node::Kind;
use crate::program::{Named, Predicate};

impl<'s> Compiler<'s> {
    /// The conjuncts of a predicate of the configuration. Looks through definitions and LETs.
    pub(super) fn conjuncts(&mut self, formula: &'s Formula) -> Vec<Predicate> {
        self.root_frame();
        let mut parts = Vec::new();
        self.split(&formula.name, &formula.expr, &Env::default(), &mut parts);
        parts
    }

    /// Like `conjuncts`, for a formula inside of another one.
    pub(super) fn conjuncts_of(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>) -> Vec<Predicate> {
        let mut parts = Vec::new();
        self.split(name, expr, env, &mut parts);
        parts
    }

    fn split(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>, parts: &mut Vec<Predicate>) {
        match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => {
                for arg in args {
                    self.split(name, arg, env, parts);
                }
            }
            ExprKind::Let { defs, body } => {
                let (inner, _) = self.bind_lets(defs, env, false);
                self.split(name, body, &inner, parts);
            }
            ExprKind::Call { def, args } if env.let_def(*def).is_none() => {
                let definition = &self.spec.defs[*def];
                match &definition.body {
                    DefBody::Expr(body) if !definition.recursive => {
                        let (inner, _) =
                            self.bind_args(&definition.params, args, &Env::default(), env, false);
                        let context = self.context;
                        self.context = Some(self.origins.call(definition.name.clone(), expr.span, context));
                        self.split(name, body, &inner, parts);
                        self.context = context;
                    }
                    _ => self.part(name, expr, env, parts),
                }
            }
            _ => self.part(name, expr, env, parts),
        }
    }

    fn part(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>, parts: &mut Vec<Predicate>) {
        let (mut body, mut free) = self.tracked(|this| this.expr(expr, env, false));
        body = self.forgetting(body, &free, expr.span);
        free.lazies.clear();
        let known = matches!(body.kind, Kind::Memo(_) | Kind::Cell(..) | Kind::Value(_));
        if !known && !free.impure && free.len() <= MEMO_KEY_MAX {
            body = self.memo(body, &free, expr.span);
        }
        parts.push(Named {
            name: name.clone(),
            span: expr.span,
            frame: self.frame,
            vars: free.vars.into_iter().collect(),
            primed: free.primed.into_iter().collect(),
            impure: free.impure,
            body,
        });
    }
}
