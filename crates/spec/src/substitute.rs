//! Replaces parameters by arguments.

use std::collections::BTreeMap;

use kilter_base::Span;

use crate::ir::{Arg, Expr, ExprKind, LocalId, OpArg};
use crate::walk::{children, children_mut};

/// Replaces bound names by arguments. Names cannot clash, because no two binders share an id.
pub(crate) fn substitute(expr: &mut Expr, by: &BTreeMap<LocalId, Arg>) {
    operator_args(expr, by);
    for child in children_mut(expr) {
        substitute(child, by);
    }
    let span = expr.span;
    let replacement = match &*expr.kind {
        ExprKind::Local(local) => match by.get(local) {
            Some(Arg::Expr(value)) => value.clone(),
            _ => return,
        },
        ExprKind::CallLocal { local, args } => match by.get(local) {
            Some(Arg::Op(operator)) => call(operator, args, span),
            _ => return,
        },
        _ => return,
    };
    *expr = replacement;
}

/// Whether an expression contains a LET. Its definitions may mention a bound name, and `substitute` would miss them.
pub(crate) fn has_let(expr: &Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Let { .. }) || children(expr).into_iter().any(has_let)
}

fn operator_args(expr: &mut Expr, by: &BTreeMap<LocalId, Arg>) {
    let (ExprKind::Call { args, .. } | ExprKind::CallLocal { args, .. }) = &mut *expr.kind else { return };
    replace_operators(args, by);
}

fn replace_operators(args: &mut [Arg], by: &BTreeMap<LocalId, Arg>) {
    for arg in args {
        match arg {
            Arg::Op(OpArg::Local(local)) => {
                if let Some(replacement) = by.get(local) {
                    *arg = replacement.clone();
                }
            }
            Arg::Op(OpArg::Def { leading, .. }) => replace_operators(leading, by),
            _ => {}
        }
    }
}

fn call(operator: &OpArg, args: &[Arg], span: Span) -> Expr {
    match operator {
        OpArg::Lambda { params, body } => {
            let by = params.iter().copied().zip(args.iter().cloned()).collect();
            let mut body = body.clone();
            substitute(&mut body, &by);
            body
        }
        other => crate::elaborate::call_operator(other.clone(), args.to_vec(), span),
    }
}
