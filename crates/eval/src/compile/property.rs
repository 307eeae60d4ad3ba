//! PROPERTY formulas: those that are checked state by state or step by step are taken apart; others are listed.

use kilter_base::Name;
use kilter_spec::ir::{Core, DefBody, Expr, ExprKind, Formula, Level};

use super::Compiler;
use super::env::Env;
use super::free::Free;
use crate::node::Node;
use crate::program::{Named, Predicate, Properties};

impl<'s> Compiler<'s> {
    pub(super) fn properties(&mut self, formulas: &'s [Formula]) -> Properties {
        let mut properties = Properties::default();
        for formula in formulas {
            self.property(&formula.name, &formula.expr, &Env::default(), &mut properties);
        }
        properties
    }

    fn property(&mut self, name: &Name, expr: &'s Expr, env: &Env<'s>, out: &mut Properties) {
        if expr.level <= Level::State {
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
            ExprKind::Call { def, args } => {
                let definition = &self.spec.defs[*def];
                match &definition.body {
                    DefBody::Expr(body) if !definition.recursive && !definition.in_let => {
                        let (inner, _) =
                            self.bind_args(&definition.params, args, &Env::default(), env, false);
                        self.property(name, body, &inner, out);
                    }
                    _ => out
                        .unchecked
                        .push((name.clone(), "it is defined by a recursive or LET operator".to_owned())),
                }
            }
            _ => out
                .unchecked
                .push((name.clone(), "it is a temporal formula other than []P and [][A]_v".to_owned())),
        }
    }

    /// `[]body`
    fn always(&mut self, name: &Name, body: &'s Expr, env: &Env<'s>, out: &mut Properties) {
        if body.level <= Level::State {
            self.root_frame();
            let parts = self.conjuncts_of(name, body, env);
            out.invariants.extend(parts);
            return;
        }
        match &*body.kind {
            ExprKind::SubscriptAction { angle: false, .. } => {
                let predicate = self.predicate(name, body, |this| this.expr(body, env, false));
                out.steps.push(predicate);
            }
            ExprKind::Core { op: Core::And, args } => {
                for arg in args {
                    self.always(name, arg, env, out);
                }
            }
            ExprKind::Call { def, args } => {
                let definition = &self.spec.defs[*def];
                match &definition.body {
                    DefBody::Expr(inner_body) if !definition.recursive && !definition.in_let => {
                        let (inner, _) =
                            self.bind_args(&definition.params, args, &Env::default(), env, false);
                        self.always(name, inner_body, &inner, out);
                    }
                    _ => out
                        .unchecked
                        .push((name.clone(), "it is defined by a recursive or LET operator".to_owned())),
                }
            }
            _ => out
                .unchecked
                .push((name.clone(), "it is a temporal formula other than []P and [][A]_v".to_owned())),
        }
    }

    fn predicate(&mut self, name: &Name, expr: &Expr, build: impl FnOnce(&mut Self) -> Node) -> Predicate {
        self.root_frame();
        let (body, Free { vars, primed, impure, .. }) = self.tracked(build);
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
