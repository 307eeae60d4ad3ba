//! Resolves expressions.

use kilter_base::Span;
use kilter_syntax::ast::{self, ExprKind as Ast, Ident, Pattern, Quantifier, UpdateStep};
use kilter_value::Value;

use super::{Elaborator, Env, hole, node};
use crate::errors;
use crate::ir::{Core, Expr, ExprKind, Update};
use crate::scope::{Scope, Symbol};

/// The name of `@` in a scope. It is in scope like a bound name, so that LET definitions see it too.
const AT: &str = "@";

impl<'a> Elaborator<'a> {
    pub(crate) fn expr(&mut self, env: &Env, expr: &'a ast::Expr) -> Expr {
        if self.stack_end.is_near() {
            self.report.push(errors::too_deep(expr.span));
            return hole(expr.span);
        }
        self.kind(env, expr)
    }

    fn exprs(&mut self, env: &Env, exprs: &'a [ast::Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(env, expr)).collect()
    }

    fn kind(&mut self, env: &Env, expr: &'a ast::Expr) -> Expr {
        let span = expr.span;
        let kind = match &*expr.kind {
            Ast::Number(text) => return self.number(span, text),
            Ast::Decimal(text) => {
                self.report.push(errors::decimal(span, text));
                return hole(span);
            }
            Ast::String(text) => ExprKind::Value(self.store.string(text)),
            Ast::At => {
                let Some((Symbol::Local(local), _)) = self.lookup(&env.scope, AT) else {
                    self.report.push(errors::at_misplaced(span));
                    return hole(span);
                };
                ExprKind::Local(local)
            }
            Ast::Apply { op, args, .. } => return self.apply(env, expr, op, args),
            Ast::Junction { kind, items } => {
                let op = match kind {
                    ast::Junction::And => Core::And,
                    ast::Junction::Or => Core::Or,
                };
                ExprKind::Core { op, args: self.exprs(env, items) }
            }
            Ast::Lambda { .. } => {
                self.report.push(errors::lambda_misplaced(span));
                return hole(span);
            }
            Ast::Paren(inner) | Ast::Label { body: inner, .. } => return self.expr(env, inner),
            Ast::Quantifier { .. } | Ast::Unbounded { .. } | Ast::Choose { .. } => {
                return self.quantified(env, expr);
            }
            Ast::SetEnum(items) => ExprKind::SetEnum(self.exprs(env, items)),
            Ast::Filter { pattern, set, body } => {
                let (env, bound) = self.bound(env, pattern, set);
                ExprKind::Filter { bound, body: self.expr(&env, body) }
            }
            Ast::Map { body, bounds } => {
                let (env, bounds) = self.bounds(env, bounds);
                ExprKind::Map { bounds, body: self.expr(&env, body) }
            }
            Ast::Function { bounds, body } => {
                let (env, bounds) = self.bounds(env, bounds);
                ExprKind::Function { bounds, body: self.expr(&env, body) }
            }
            Ast::Index { function, args } => {
                ExprKind::Index { function: self.expr(env, function), arg: self.index(env, span, args) }
            }
            Ast::Field { record, field } => {
                ExprKind::Field { record: self.expr(env, record), field: self.store.string(&field.name) }
            }
            Ast::FunctionSet { domain, range } => {
                ExprKind::FunctionSet { domain: self.expr(env, domain), range: self.expr(env, range) }
            }
            Ast::Record(fields) => ExprKind::Record(self.fields(env, fields)),
            Ast::RecordSet(fields) => ExprKind::RecordSet(self.fields(env, fields)),
            Ast::Except { function, updates } => {
                let function = self.expr(env, function);
                let updates = updates.iter().map(|update| self.update(env, update)).collect();
                ExprKind::Except { function, updates }
            }
            Ast::Tuple(items) => ExprKind::Tuple(self.exprs(env, items)),
            Ast::Product(items) => ExprKind::Product(self.exprs(env, items)),
            Ast::BoxAction { action, subscript } => self.subscripted(env, false, action, subscript),
            Ast::AngleAction { action, subscript } => self.subscripted(env, true, action, subscript),
            Ast::Fairness { strong, subscript, action } => ExprKind::Fairness {
                strong: *strong,
                subscript: self.expr(env, subscript),
                action: self.expr(env, action),
            },
            Ast::If { condition, then, otherwise } => ExprKind::If {
                condition: self.expr(env, condition),
                then: self.expr(env, then),
                otherwise: self.expr(env, otherwise),
            },
            Ast::Case { arms, other } => ExprKind::Case {
                arms: arms
                    .iter()
                    .map(|(test, value)| (self.expr(env, test), self.expr(env, value)))
                    .collect(),
                other: other.as_ref().map(|other| self.expr(env, other)),
            },
            Ast::Let { units, body } => {
                let result = self.let_in(env, units, body);
                return Expr { span, ..result };
            }
            Ast::Error => return hole(span),
        };
        node(span, kind)
    }

    fn subscripted(
        &mut self,
        env: &Env,
        angle: bool,
        action: &'a ast::Expr,
        subscript: &'a ast::Expr,
    ) -> ExprKind {
        ExprKind::SubscriptAction {
            angle,
            action: self.expr(env, action),
            subscript: self.expr(env, subscript),
        }
    }

    fn quantified(&mut self, env: &Env, expr: &'a ast::Expr) -> Expr {
        let span = expr.span;
        let kind = match &*expr.kind {
            Ast::Quantifier { kind, bounds, body } => {
                if matches!(kind, Quantifier::TemporalAll | Quantifier::TemporalExists) {
                    self.report.push(errors::unsupported(span, "temporal quantifiers with a set"));
                }
                let (env, bounds) = self.bounds(env, bounds);
                ExprKind::Quantifier { all: *kind == Quantifier::All, bounds, body: self.expr(&env, body) }
            }
            Ast::Unbounded { kind, names, body } => {
                let mut env = env.clone();
                let idents: Vec<_> = names.iter().collect();
                let locals = self.bind_idents(&mut env, &idents);
                let body = self.expr(&env, body);
                match kind {
                    Quantifier::All | Quantifier::Exists => {
                        ExprKind::UnboundedQuantifier { all: *kind == Quantifier::All, locals, body }
                    }
                    Quantifier::TemporalAll | Quantifier::TemporalExists => {
                        ExprKind::TemporalQuantifier { all: *kind == Quantifier::TemporalAll, locals, body }
                    }
                }
            }
            Ast::Choose { pattern, set: Some(set), body } => {
                let (env, bound) = self.bound(env, pattern, set);
                ExprKind::Choose { bound, body: self.expr(&env, body) }
            }
            Ast::Choose { pattern: Pattern::Names(names) | Pattern::Tuple(names), set: None, body } => {
                let mut env = env.clone();
                let names: Vec<&Ident> = names.iter().collect();
                let locals = self.bind_idents(&mut env, &names);
                ExprKind::UnboundedChoose { locals, body: self.expr(&env, body) }
            }
            _ => return hole(span),
        };
        node(span, kind)
    }

    /// Resolves the arguments of `f[…]`. Several arguments become one tuple.
    fn index(&mut self, env: &Env, span: Span, args: &'a [ast::Expr]) -> Expr {
        match args {
            [arg] => self.expr(env, arg),
            args => {
                let span =
                    args.first().zip(args.last()).map_or(span, |(first, last)| first.span.to(last.span));
                node(span, ExprKind::Tuple(self.exprs(env, args)))
            }
        }
    }

    fn fields(&mut self, env: &Env, fields: &'a [(Ident, ast::Expr)]) -> Vec<(Value, Expr)> {
        for (index, (name, _)) in fields.iter().enumerate() {
            if let Some((first, _)) = fields[..index].iter().find(|(other, _)| other.name == name.name) {
                self.report.push(errors::field_twice(name.span, &name.name, first.span));
            }
        }
        fields.iter().map(|(name, value)| (self.store.string(&name.name), self.expr(env, value))).collect()
    }

    fn update(&mut self, env: &Env, update: &'a ast::Update) -> Update {
        let path = update
            .path
            .iter()
            .map(|step| match step {
                UpdateStep::Field(name) => node(name.span, ExprKind::Value(self.store.string(&name.name))),
                UpdateStep::Index(args) => self.index(env, update.value.span, args),
            })
            .collect();
        let at = self.local(&AT.into(), update.value.span, 0);
        let scope = Scope::with(&env.scope, vec![(AT.into(), Symbol::Local(at), update.value.span)]);
        let env = Env { scope, ..env.clone() };
        Update { path, value: self.expr(&env, &update.value), at }
    }

    fn number(&mut self, span: Span, text: &str) -> Expr {
        let (radix, digits) = match text.get(..2) {
            Some("\\b" | "\\B") => (2, &text[2..]),
            Some("\\o" | "\\O") => (8, &text[2..]),
            Some("\\h" | "\\H") => (16, &text[2..]),
            _ => (10, text),
        };
        let Ok(number) = i32::from_str_radix(digits, radix) else {
            self.report.push(errors::number_too_large(span, text));
            return hole(span);
        };
        node(span, ExprKind::Value(self.store.int(number)))
    }
}
