//! Resolves operators applied to arguments.

use kilter_base::Span;
use kilter_syntax::ast::{self, Fixity, OpPath};
use kilter_value::Value;

use super::core::core_operator;
use super::names::Target;
use super::{Elaborator, Env, hole, node};
use crate::errors;
use crate::ir::{Arg, Core, Expr, ExprKind, OpArg};

impl<'a> Elaborator<'a> {
    pub(crate) fn apply(
        &mut self,
        env: &Env,
        expr: &'a ast::Expr,
        path: &'a OpPath,
        args: &'a [ast::Expr],
    ) -> Expr {
        let span = expr.span;
        if path.prefix.is_empty() {
            let name = path.name.name.as_str();
            if let Some(value) = self.builtin_value(name).filter(|_| args.is_empty()) {
                return node(span, ExprKind::Value(value));
            }
            if let Some((op, arity)) = core_operator(name) {
                return self.apply_core(env, expr, op, arity, path, args);
            }
        }
        let Some(target) = self.resolve(env, path, args) else {
            // Report mistakes in the arguments too.
            args.iter().filter(|arg| !is_operator_like(arg)).for_each(|arg| {
                self.expr(env, arg);
            });
            return hole(span);
        };
        let name = &path.name.name;
        match target {
            Target::Var(var) => self.without_args(span, name, args, ExprKind::Var(var)),
            Target::Local(local) => {
                let arity = self.spec.locals[local].arity;
                if arity == 0 {
                    return self.without_args(span, name, args, ExprKind::Local(local));
                }
                if arity as usize != args.len() {
                    self.report.push(errors::wrong_arity(span, name, arity as usize, args.len()));
                    return hole(span);
                }
                let args = args.iter().map(|arg| Arg::Expr(self.expr(env, arg))).collect();
                node(span, ExprKind::CallLocal { local, args })
            }
            Target::Item { item, leading, given } => {
                let arities = self.items[item].params.clone();
                let args: Vec<&ast::Expr> = given.into_iter().chain(args).collect();
                if arities.len() != args.len() {
                    self.report.push(errors::wrong_arity(span, name, arities.len(), args.len()));
                    return hole(span);
                }
                let def = self.def_of(item);
                let mut all = leading;
                for (arg, arity) in args.into_iter().zip(arities.iter()) {
                    all.push(self.arg(env, arg, *arity));
                }
                node(span, ExprKind::Call { def, args: all })
            }
        }
    }

    fn builtin_value(&self, name: &str) -> Option<Value> {
        match name {
            "TRUE" => Some(Value::TRUE),
            "FALSE" => Some(Value::FALSE),
            "BOOLEAN" => Some(self.store.bool_set()),
            "STRING" => Some(Value::STRING),
            _ => None,
        }
    }

    fn without_args(&mut self, span: Span, name: &str, args: &[ast::Expr], kind: ExprKind) -> Expr {
        if args.is_empty() {
            return node(span, kind);
        }
        self.report.push(errors::wrong_arity(span, name, 0, args.len()));
        hole(span)
    }

    fn apply_core(
        &mut self,
        env: &Env,
        expr: &'a ast::Expr,
        op: Core,
        arity: usize,
        path: &'a OpPath,
        args: &'a [ast::Expr],
    ) -> Expr {
        if args.len() != arity {
            self.report.push(errors::wrong_arity(expr.span, &path.name.name, arity, args.len()));
            return hole(expr.span);
        }
        let mut operands = Vec::new();
        if matches!(op, Core::And | Core::Or) {
            // A chain `a /\ b /\ c` nests to the left and may be long. It becomes one node, without recursion.
            let mut left = expr;
            while let ast::ExprKind::Apply { op: next, fixity: Fixity::Infix, args } = &*left.kind
                && next.prefix.is_empty()
                && next.name.name == path.name.name
                && let [first, second] = args.as_slice()
            {
                operands.push(second);
                left = first;
            }
            if operands.is_empty() {
                operands.extend(args.iter().rev());
            } else {
                operands.push(left);
            }
            operands.reverse();
        } else {
            operands.extend(args);
        }
        let args = operands.into_iter().map(|operand| self.expr(env, operand)).collect();
        node(expr.span, ExprKind::Core { op, args })
    }

    /// Resolves an argument for a parameter of this arity.
    pub(crate) fn arg(&mut self, env: &Env, expr: &'a ast::Expr, arity: u32) -> Arg {
        if arity == 0 {
            return Arg::Expr(self.expr(env, expr));
        }
        match self.operator_arg(env, expr, arity as usize) {
            Some(operator) => Arg::Op(operator),
            None => Arg::Expr(hole(expr.span)),
        }
    }

    fn operator_arg(&mut self, env: &Env, expr: &'a ast::Expr, arity: usize) -> Option<OpArg> {
        let wrong = errors::operator_wanted(expr.span, arity);
        match &*expr.kind {
            ast::ExprKind::Lambda { params, body } if params.len() == arity => {
                let mut env = env.clone();
                let idents: Vec<_> = params.iter().collect();
                let params = self.bind_idents(&mut env, &idents);
                let body = self.expr(&env, body);
                return Some(OpArg::Lambda { params, body });
            }
            ast::ExprKind::Apply { op: path, args, .. } if args.is_empty() => {
                if let Some((op, n)) = core_operator(&path.name.name).filter(|_| path.prefix.is_empty()) {
                    if n == arity {
                        return Some(OpArg::Core(op));
                    }
                } else {
                    match self.resolve(env, path, &[])? {
                        Target::Local(local) if self.spec.locals[local].arity as usize == arity => {
                            return Some(OpArg::Local(local));
                        }
                        Target::Item { item, leading, given }
                            if given.is_empty() && self.items[item].params.len() == arity =>
                        {
                            return Some(OpArg::Def { def: self.def_of(item), leading });
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        self.report.push(wrong);
        None
    }
}

/// Whether an expression may stand for an operator only, so that it must not be resolved as a value.
fn is_operator_like(expr: &ast::Expr) -> bool {
    match &*expr.kind {
        ast::ExprKind::Lambda { .. } => true,
        ast::ExprKind::Apply { args, .. } => args.is_empty(),
        _ => false,
    }
}

/// Applies an operator argument to arguments.
pub(crate) fn call_operator(operator: OpArg, args: Vec<Arg>, span: Span) -> Expr {
    let kind = match operator {
        OpArg::Def { def, leading } => {
            ExprKind::Call { def, args: leading.into_iter().chain(args).collect() }
        }
        OpArg::Local(local) => ExprKind::CallLocal { local, args },
        OpArg::Core(op) => ExprKind::Core {
            op,
            args: args
                .into_iter()
                .filter_map(|arg| match arg {
                    Arg::Expr(expr) => Some(expr),
                    Arg::Op(_) => None,
                })
                .collect(),
        },
        OpArg::Lambda { body, .. } => return body,
    };
    node(span, kind)
}
