//! Lists the modules that a module mentions, in the order of the text.

use kilter_syntax::ast::{Bound, Expr, ExprKind, Ident, Instance, Module, Unit, UnitKind, UpdateStep};

/// The modules and strings that a module mentions, and the modules nested in it.
#[derive(Default)]
pub struct References<'a> {
    /// The modules after EXTENDS.
    pub extends: Vec<&'a Ident>,
    /// The modules after INSTANCE, also in LET.
    pub instances: Vec<&'a Ident>,
    /// The nested modules.
    pub nested: Vec<&'a Module>,
    /// All strings, also those of nested modules, in the order of SANY's analysis. This is the order of the text,
    /// except that in `{e : x \in S}` the strings of S come before those of e.
    pub strings: Vec<&'a str>,
}

/// What `module` itself mentions. Of its nested modules, only the strings are included.
pub fn references(module: &Module) -> References<'_> {
    let mut found = References { extends: module.extends.iter().collect(), ..References::default() };
    for unit in &module.units {
        in_unit(unit, &mut found);
    }
    found
}

/// `module` and all modules nested in it, outermost first.
pub fn with_nested(module: &Module) -> Vec<&Module> {
    let mut all = vec![module];
    let mut next = 0;
    while let Some(module) = all.get(next).copied() {
        all.extend(module.units.iter().filter_map(|unit| match &unit.kind {
            UnitKind::Module(nested) => Some(nested),
            _ => None,
        }));
        next += 1;
    }
    all
}

fn in_unit<'a>(unit: &'a Unit, found: &mut References<'a>) {
    match &unit.kind {
        UnitKind::Operator(def) => in_expr(&def.body, found),
        UnitKind::Function(def) => {
            def.bounds.iter().for_each(|bound| in_expr(&bound.set, found));
            in_expr(&def.body, found);
        }
        UnitKind::ModuleDef(def) => in_instance(&def.instance, found),
        UnitKind::Instance { instance, .. } => in_instance(instance, found),
        UnitKind::Assume { body, .. } | UnitKind::Theorem { body: Some(body), .. } => in_expr(body, found),
        UnitKind::Module(module) => {
            found.nested.push(module);
            found.strings.extend(references(module).strings);
        }
        _ => {}
    }
}

fn in_instance<'a>(instance: &'a Instance, found: &mut References<'a>) {
    found.instances.push(&instance.module);
    instance.substitutions.iter().for_each(|(_, expr)| in_expr(expr, found));
}

/// Searches below `expr` with a stack of its own, because the text may be nested deeply.
fn in_expr<'a>(expr: &'a Expr, found: &mut References<'a>) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        let first = stack.len();
        match &*expr.kind {
            ExprKind::Let { units, .. } => {
                for unit in units {
                    in_unit(unit, found);
                }
            }
            ExprKind::String(text) => found.strings.push(text),
            _ => {}
        }
        children(expr, &mut stack);
        stack[first..].reverse();
    }
}

/// Appends the direct subexpressions to `out`, except those inside of LET definitions.
pub fn children<'a>(expr: &'a Expr, out: &mut Vec<&'a Expr>) {
    let bounds =
        |bounds: &'a [Bound], out: &mut Vec<&'a Expr>| out.extend(bounds.iter().map(|bound| &bound.set));
    match &*expr.kind {
        ExprKind::Number(_) | ExprKind::Decimal(_) | ExprKind::String(_) | ExprKind::At | ExprKind::Error => {
        }
        ExprKind::Apply { op, args, .. } => {
            out.extend(op.prefix.iter().flat_map(|step| &step.args));
            out.extend(args);
        }
        ExprKind::Junction { items, .. }
        | ExprKind::SetEnum(items)
        | ExprKind::Tuple(items)
        | ExprKind::Product(items) => out.extend(items),
        ExprKind::Lambda { body, .. }
        | ExprKind::Paren(body)
        | ExprKind::Unbounded { body, .. }
        | ExprKind::Let { body, .. }
        | ExprKind::Label { body, .. } => out.push(body),
        ExprKind::Quantifier { bounds: bound, body, .. }
        | ExprKind::Map { bounds: bound, body }
        | ExprKind::Function { bounds: bound, body } => {
            bounds(bound, out);
            out.push(body);
        }
        ExprKind::Choose { set, body, .. } => {
            out.extend(set);
            out.push(body);
        }
        ExprKind::Filter { set, body, .. } => out.extend([set, body]),
        ExprKind::Index { function, args } => {
            out.push(function);
            out.extend(args);
        }
        ExprKind::Field { record, .. } => out.push(record),
        ExprKind::FunctionSet { domain, range } => out.extend([domain, range]),
        ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
            out.extend(fields.iter().map(|(_, value)| value));
        }
        ExprKind::Except { function, updates } => {
            out.push(function);
            for update in updates {
                for step in &update.path {
                    if let UpdateStep::Index(args) = step {
                        out.extend(args);
                    }
                }
                out.push(&update.value);
            }
        }
        ExprKind::BoxAction { action, subscript } | ExprKind::AngleAction { action, subscript } => {
            out.extend([action, subscript]);
        }
        ExprKind::Fairness { subscript, action, .. } => out.extend([subscript, action]),
        ExprKind::If { condition, then, otherwise } => out.extend([condition, then, otherwise]),
        ExprKind::Case { arms, other } => {
            out.extend(arms.iter().flat_map(|(condition, value)| [condition, value]));
            out.extend(other);
        }
    }
}
