//! Lists the direct parts of a resolved expression.

use crate::ir::{Arg, DefId, Expr, ExprKind, OpArg};

macro_rules! children {
    ($name:ident, $args:ident, $iter:ident, $($mutable:tt)?) => {
        fn $args<'e>(args: &'e $($mutable)? [Arg], out: &mut Vec<&'e $($mutable)? Expr>) {
            for arg in args {
                match arg {
                    Arg::Expr(expr) | Arg::Op(OpArg::Lambda { body: expr, .. }) => out.push(expr),
                    Arg::Op(OpArg::Def { leading, .. }) => $args(leading, out),
                    Arg::Op(OpArg::Core(_) | OpArg::Local(_)) => {}
                }
            }
        }

        /// The direct subexpressions, in order. The bodies of called definitions do not count.
        pub(crate) fn $name(expr: &$($mutable)? Expr) -> Vec<&$($mutable)? Expr> {
            let mut out = Vec::new();
            match & $($mutable)? *expr.kind {
                ExprKind::Value(_) | ExprKind::Var(_) | ExprKind::Local(_) => {}
                ExprKind::Call { args, .. } | ExprKind::CallLocal { args, .. } => $args(args, &mut out),
                ExprKind::Core { args: items, .. }
                | ExprKind::SetEnum(items)
                | ExprKind::Tuple(items)
                | ExprKind::Product(items) => out.extend(items),
                ExprKind::Quantifier { bounds, body, .. }
                | ExprKind::Map { bounds, body }
                | ExprKind::Function { bounds, body } => {
                    out.extend(bounds.$iter().map(|bound| & $($mutable)? bound.set));
                    out.push(body);
                }
                ExprKind::UnboundedQuantifier { body, .. }
                | ExprKind::TemporalQuantifier { body, .. }
                | ExprKind::UnboundedChoose { body, .. }
                | ExprKind::Let { body, .. } => out.push(body),
                ExprKind::Choose { bound, body } | ExprKind::Filter { bound, body } => {
                    out.extend([& $($mutable)? bound.set, body]);
                }
                ExprKind::Index { function: first, arg: second }
                | ExprKind::FunctionSet { domain: first, range: second }
                | ExprKind::SubscriptAction { action: first, subscript: second, .. }
                | ExprKind::Fairness { subscript: first, action: second, .. } => out.extend([first, second]),
                ExprKind::Field { record, .. } => out.push(record),
                ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                    out.extend(fields.$iter().map(|(_, value)| value));
                }
                ExprKind::Except { function, updates } => {
                    out.push(function);
                    for update in updates {
                        out.extend(update.path.$iter());
                        out.push(& $($mutable)? update.value);
                    }
                }
                ExprKind::If { condition, then, otherwise } => out.extend([condition, then, otherwise]),
                ExprKind::Case { arms, other } => {
                    for (test, value) in arms {
                        out.extend([test, value]);
                    }
                    out.extend(other);
                }
            }
            out
        }
    };
}

children!(children, args_of, iter,);
children!(children_mut, args_of_mut, iter_mut, mut);

/// The definitions that an expression mentions, at any depth, with repetitions.
pub(crate) fn mentioned(expr: &Expr) -> Vec<DefId> {
    let mut defs = Vec::new();
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &*expr.kind {
            ExprKind::Call { def, args } => {
                defs.push(*def);
                in_args(args, &mut defs);
            }
            ExprKind::CallLocal { args, .. } => in_args(args, &mut defs),
            ExprKind::Let { defs: own, .. } => defs.extend(own),
            _ => {}
        }
        stack.extend(children(expr));
    }
    defs
}

fn in_args(args: &[Arg], defs: &mut Vec<DefId>) {
    for arg in args {
        if let Arg::Op(OpArg::Def { def, leading }) = arg {
            defs.push(*def);
            in_args(leading, defs);
        }
    }
}
