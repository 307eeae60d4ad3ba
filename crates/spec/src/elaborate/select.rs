//! Names of subexpressions: `Op!2`, `Op!label`, `Op!(x)!1`, and the operator `Op!@`.

use kilter_syntax::ast::{self, Expr, ExprKind, Ident, OpDecl, OpPath, Pattern, Unit};

use super::names::Target;
use super::{Elaborator, Env};
use crate::errors;
use crate::ir::Arg;
use crate::scope::{Item, ItemId, ItemKind};

/// A place inside a definition.
struct Part<'a> {
    body: &'a Expr,
    /// The bound names passed on the way, which become parameters.
    names: Vec<&'a Ident>,
    /// The arguments given for them.
    given: Vec<&'a Expr>,
    /// The LETs passed on the way.
    wrappers: Vec<&'a [Unit]>,
    /// Whether arguments were left out: it is an operator of all the names that is named.
    open: bool,
    /// Whether arguments were given.
    applied: bool,
}

impl<'a> Part<'a> {
    /// Takes the arguments of a step; those of the last one are applied by the caller.
    fn give(&mut self, args: &'a [Expr], last: bool) {
        if !last {
            self.given.extend(args);
        }
    }
}

impl<'a> Elaborator<'a> {
    /// The subexpression that the steps after `index` select in the definition that step `index` names.
    pub(crate) fn select(
        &mut self,
        item: ItemId,
        leading: Vec<Arg>,
        path: &'a OpPath,
        index: usize,
        last_args: &'a [Expr],
    ) -> Option<Target<'a>> {
        let head = &path.prefix[index];
        let operators: &'a [OpDecl] = match self.items[item].kind {
            ItemKind::Operator(def) => &def.params,
            _ => &[],
        };
        let open = !operators.is_empty() && head.args.is_empty();
        if operators.len() != head.args.len() && !open {
            self.report.push(errors::wrong_arity(
                head.name.span,
                &head.name.name,
                operators.len(),
                head.args.len(),
            ));
            return None;
        }
        let head_args: Vec<&'a Expr> = head.args.iter().collect();
        if index + 1 == path.prefix.len() && path.name.name == ":" {
            return Some(Target::Item { item, leading, given: head_args });
        }
        let body = match self.items[item].kind {
            ItemKind::Operator(def) => &def.body,
            ItemKind::Formula(body) => body,
            _ => {
                self.report
                    .push(errors::unsupported(head.name.span, "names of subexpressions of this definition"));
                return None;
            }
        };
        let applied = !head.args.is_empty();
        let mut part =
            Part { body, names: Vec::new(), given: Vec::new(), wrappers: Vec::new(), open, applied };
        let inner = path.prefix[index + 1..].iter().map(|step| (&step.name, step.args.as_slice(), false));
        for (name, args, last) in inner.chain([(&path.name, last_args, true)]) {
            if let Err(error) = step(&mut part, name, args, last) {
                self.report.push(error);
                return None;
            }
        }
        let part_item = self.part_item(item, operators, &part, path.name.span);
        let given = head_args.into_iter().chain(part.given).collect();
        Some(Target::Item { item: part_item, leading, given })
    }

    fn part_item(
        &mut self,
        of: ItemId,
        operators: &'a [OpDecl],
        part: &Part<'a>,
        span: kilter_base::Span,
    ) -> ItemId {
        let whole = &self.items[of];
        let params = operators.iter().map(|param| param.arity).chain(part.names.iter().map(|_| 0)).collect();
        let kind = ItemKind::Part {
            params: part.names.clone(),
            operators,
            wrappers: part.wrappers.clone(),
            body: part.body,
        };
        let item = Item {
            name: format!("{}!{}", whole.name, self.sources.text(span)).into(),
            short: whole.short.clone(),
            module: whole.module.clone(),
            span: part.body.span,
            kind,
            params,
            frame: whole.frame.clone(),
            scope: whole.scope.clone(),
            def: None,
            owner: whole.owner,
            in_let: whole.in_let,
            for_variable: false,
        };
        self.items.push(item)
    }

    /// A part of a definition inside the LETs around it.
    pub(crate) fn part(&mut self, env: &Env, wrappers: &[&'a [Unit]], body: &'a Expr) -> crate::ir::Expr {
        match wrappers {
            [] => self.expr(env, body),
            [units, rest @ ..] => {
                let (env, owner) = self.open_let(env, units);
                let inner = self.part(&env, rest, body);
                self.close_let(owner, body.span, inner)
            }
        }
    }
}

type Step = Result<(), kilter_base::Diagnostic>;

/// Parentheses and LETs are passed without a step.
fn settle(part: &mut Part<'_>) {
    loop {
        match &*part.body.kind {
            ExprKind::Paren(inner) => part.body = inner,
            ExprKind::Let { units, body } => {
                part.wrappers.push(units);
                part.body = body;
            }
            _ => return,
        }
    }
}

fn step<'a>(part: &mut Part<'a>, name: &'a Ident, args: &'a [Expr], last: bool) -> Step {
    let wrong = || errors::bad_selector(name.span, if name.name.is_empty() { "(…)" } else { &name.name });
    let text = name.name.as_str();
    part.open |= text == "@";
    part.applied |= !args.is_empty();
    if part.open && part.applied {
        return Err(errors::partly_applied(name.span));
    }
    let number = match text {
        "<<" => Some(1),
        ">>" => Some(2),
        _ => text.parse::<usize>().ok(),
    };
    if text == ":" {
        return Ok(());
    }
    if let Some(number) = number {
        while let ExprKind::Label { body, .. } = &*part.body.kind {
            part.body = body;
        }
        settle(part);
        part.body = operand(part.body, number).ok_or_else(wrong)?;
        return Ok(());
    }
    if text.is_empty() || text == "@" {
        settle(part);
        let (names, body) = bound(part.body).ok_or_else(wrong)?;
        let wanted = if text.is_empty() { names.len() } else { 0 };
        if args.len() != wanted {
            return Err(errors::wrong_arity(name.span, "!(…)", wanted, args.len()));
        }
        part.names.extend(names);
        part.give(args, last);
        part.body = body;
        return Ok(());
    }
    let (names, label_params, body) = find_label(part.body, text).ok_or_else(wrong)?;
    if label_params.len() != args.len()
        || names.iter().any(|name| !label_params.iter().any(|param| param.name == name.name))
    {
        return Err(errors::wrong_arity(name.span, text, label_params.len(), args.len()));
    }
    part.names.extend(label_params);
    part.give(args, last);
    part.body = body;
    Ok(())
}

/// Operand `number` of an expression, counted from 1.
fn operand(expr: &Expr, number: usize) -> Option<&Expr> {
    let index = number.checked_sub(1)?;
    match &*expr.kind {
        ExprKind::Apply { args, .. } => args.get(index),
        ExprKind::Junction { items, .. }
        | ExprKind::SetEnum(items)
        | ExprKind::Tuple(items)
        | ExprKind::Product(items) => items.get(index),
        ExprKind::If { condition, then, otherwise } => [condition, then, otherwise].get(index).copied(),
        ExprKind::Index { function, args } => match index {
            0 => Some(function),
            1 => args.first(),
            _ => None,
        },
        ExprKind::FunctionSet { domain, range } => [domain, range].get(index).copied(),
        ExprKind::Record(fields) | ExprKind::RecordSet(fields) => fields.get(index).map(|(_, value)| value),
        ExprKind::BoxAction { action, subscript } | ExprKind::AngleAction { action, subscript } => {
            [action, subscript].get(index).copied()
        }
        ExprKind::Fairness { subscript, action, .. } => [subscript, action].get(index).copied(),
        ExprKind::Quantifier { bounds, .. }
        | ExprKind::Map { bounds, .. }
        | ExprKind::Function { bounds, .. } => bounds.get(index).map(|bound| &bound.set),
        ExprKind::Choose { set: Some(set), .. } | ExprKind::Filter { set, .. } if index == 0 => Some(set),
        _ => None,
    }
}

/// The names that an expression binds, and its body.
fn bound(expr: &Expr) -> Option<(Vec<&Ident>, &Expr)> {
    fn names(pattern: &Pattern) -> std::slice::Iter<'_, Ident> {
        match pattern {
            Pattern::Names(names) | Pattern::Tuple(names) => names.iter(),
        }
    }
    match &*expr.kind {
        ExprKind::Quantifier { bounds, body, .. }
        | ExprKind::Map { bounds, body }
        | ExprKind::Function { bounds, body } => {
            Some((bounds.iter().flat_map(|bound: &ast::Bound| names(&bound.pattern)).collect(), body))
        }
        ExprKind::Unbounded { names, body, .. } => Some((names.iter().collect(), body)),
        ExprKind::Choose { pattern, body, .. } | ExprKind::Filter { pattern, body, .. } => {
            Some((names(pattern).collect(), body))
        }
        _ => None,
    }
}

type Labelled<'a> = (Vec<&'a Ident>, Vec<&'a Ident>, &'a Expr);

/// The labelled expression below `expr`: the names bound on the way, the label's own parameters, and the expression.
fn find_label<'a>(expr: &'a Expr, label: &str) -> Option<Labelled<'a>> {
    let mut stack = vec![(Vec::new(), expr)];
    while let Some((names, expr)) = stack.pop() {
        if let ExprKind::Label { name, params, body } = &*expr.kind {
            if name.name == label {
                return Some((names, params.iter().collect(), body));
            }
            // Labels inside a labelled expression are named through it.
            continue;
        }
        let mut below = Vec::new();
        crate::refs::children(expr, &mut below);
        let inner = bound(expr);
        for child in below {
            let mut names: Vec<&'a Ident> = names.clone();
            if let Some((bound, body)) = &inner
                && std::ptr::eq(*body, child)
            {
                names.extend(bound);
            }
            stack.push((names, child));
        }
    }
    None
}
