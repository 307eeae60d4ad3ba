//! Splits `Init /\ [][Next]_vars /\ Fairness` into its conjuncts.

use std::collections::BTreeMap;

use crate::elaborate::node;
use crate::errors;
use crate::ir::{Arg, Core, DefBody, DefId, Expr, ExprKind, Formula, Level, LocalId, Spec};
use crate::level::Levels;
use crate::report::Report;
use crate::substitute::{has_let, substitute};

/// The most definitions that are unfolded inside of each other.
const UNFOLD_MAX: usize = 200;

/// The conjuncts of a specification, while it is being split.
pub(crate) struct Behavior<'s> {
    spec: &'s Spec,
    levels: &'s mut Levels,
    report: &'s mut Report,
    init: Vec<Expr>,
    next: Vec<Expr>,
    fairness: Vec<Expr>,
    /// The definitions of the LETs around the current conjunct.
    lets: Vec<Vec<DefId>>,
    depth: usize,
}

impl Behavior<'_> {
    /// Sets the initial predicate, the next-state action and fairness from the formula after SPECIFICATION.
    pub(crate) fn split(spec: &mut Spec, formula: &Formula, levels: &mut Levels, report: &mut Report) {
        let mut behavior = Behavior {
            spec,
            levels,
            report,
            init: Vec::new(),
            next: Vec::new(),
            fairness: Vec::new(),
            lets: Vec::new(),
            depth: 0,
        };
        behavior.conjunct(&formula.expr);
        let Behavior { mut init, next, fairness, .. } = behavior;
        let named = |expr: &Expr| match &*expr.kind {
            ExprKind::Call { def, .. } => spec.defs[*def].name.clone(),
            _ => formula.name.clone(),
        };
        let init = if init.len() == 1 {
            init.pop().map(|expr| Formula { name: named(&expr), expr })
        } else {
            let whole = node(formula.expr.span, ExprKind::Core { op: Core::And, args: init.clone() });
            let whole = Expr { level: Level::State, ..whole };
            (!init.is_empty()).then_some(Formula { name: formula.name.clone(), expr: whole })
        };
        let next = next.into_iter().next().map(|expr| Formula { name: named(&expr), expr });
        let fairness = fairness.into_iter().map(|expr| Formula { name: named(&expr), expr }).collect();
        spec.init = init;
        spec.next = next;
        spec.fairness = fairness;
    }

    fn conjunct(&mut self, expr: &Expr) {
        if self.depth > UNFOLD_MAX {
            self.report.push(errors::too_deep(expr.span));
            return;
        }
        self.depth += 1;
        self.kind(expr);
        self.depth -= 1;
    }

    fn kind(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => args.iter().for_each(|arg| self.conjunct(arg)),
            ExprKind::Call { def, args } if expr.level > Level::State && !self.spec.defs[*def].recursive => {
                self.unfold(expr, *def, args);
            }
            ExprKind::Let { defs, body } => {
                self.lets.push(defs.clone());
                self.conjunct(body);
                self.lets.pop();
            }
            ExprKind::Core { op: Core::Always, args } => match args.as_slice() {
                [body] => self.always(expr, body),
                _ => self.other(expr),
            },
            ExprKind::TemporalQuantifier { .. } => self.report.push(errors::temporal_quantifier(expr.span)),
            _ => self.other(expr),
        }
    }

    fn unfold(&mut self, expr: &Expr, def: DefId, args: &[Arg]) {
        let DefBody::Expr(body) = &self.spec.defs[def].body else { return self.other(expr) };
        if args.is_empty() {
            return self.conjunct(body);
        }
        if has_let(body) {
            self.report
                .push(errors::unsupported(expr.span, "LETs in a specification formula with parameters"));
            return;
        }
        let by: BTreeMap<LocalId, Arg> =
            self.spec.defs[def].params.iter().copied().zip(args.iter().cloned()).collect();
        let mut body = body.clone();
        substitute(&mut body, &by);
        self.levels.formula(&mut body);
        self.conjunct(&body);
    }

    fn always(&mut self, expr: &Expr, body: &Expr) {
        match &*body.kind {
            ExprKind::SubscriptAction { angle: false, action, .. } => {
                if let Some(first) = self.next.first() {
                    self.report.push(errors::several_next(action.span, first.span));
                }
                let action = self.wrap(action);
                self.next.push(action);
            }
            _ if body.level <= Level::State => self.report.push(errors::always_state(expr.span)),
            _ => self.other(expr),
        }
    }

    fn other(&mut self, expr: &Expr) {
        let wrapped = self.wrap(expr);
        match expr.level {
            Level::Constant | Level::State => self.init.push(wrapped),
            Level::Action => self.report.push(errors::action_conjunct(expr.span)),
            Level::Temporal => self.fairness.push(wrapped),
        }
    }

    fn wrap(&self, expr: &Expr) -> Expr {
        self.lets.iter().rev().fold(expr.clone(), |body, defs| Expr {
            level: body.level,
            ..node(body.span, ExprKind::Let { defs: defs.clone(), body })
        })
    }
}
