//! Writes trees as S-expressions. Tests compare them, and they tell whether two trees are equal apart from positions.

use std::fmt::Write as _;

use crate::ast::{
    Bound, Expr, ExprKind, Fixity, Ident, Instance, Junction, Module, OpDecl, OpPath, Pattern, Quantifier,
    Unit, UnitKind, UpdateStep,
};

/// Writes an expression as an S-expression.
pub fn sexpr(expr: &Expr) -> String {
    let mut out = String::new();
    dump(&mut out, expr);
    out
}

/// Writes a module as an S-expression, with one unit on a line.
pub fn sexpr_module(module: &Module) -> String {
    let mut out = String::new();
    module_at(&mut out, module, 0);
    out
}

/// Whether two modules are equal apart from the positions in the text.
pub fn same_tree(a: &Module, b: &Module) -> bool {
    sexpr_module(a) == sexpr_module(b)
}

fn module_at(out: &mut String, module: &Module, level: usize) {
    let _ = write!(out, "(module {}", module.name.name);
    if !module.extends.is_empty() {
        let _ = write!(out, " (extends{})", idents(&module.extends));
    }
    for unit in &module.units {
        let _ = write!(out, "\n{}", "  ".repeat(level + 1));
        unit_at(out, unit, level + 1);
    }
    out.push(')');
}

fn unit_at(out: &mut String, unit: &Unit, level: usize) {
    match &unit.kind {
        UnitKind::Constants(decls) => wrap(out, "constants", |out| out.push_str(&declarations(decls))),
        UnitKind::Recursive(decls) => wrap(out, "recursive", |out| out.push_str(&declarations(decls))),
        UnitKind::Variables(names) => wrap(out, "variables", |out| out.push_str(&idents(names))),
        UnitKind::Operator(def) => wrap(out, local("def", "local-def", def.local), |out| {
            let _ =
                write!(out, " {}{}({})", fixity(def.fixity), def.name.name, declarations(&def.params).trim());
            item(out, &def.body);
        }),
        UnitKind::Function(def) => wrap(out, local("fun", "local-fun", def.local), |out| {
            let _ = write!(out, " {}", def.name.name);
            bounds(out, &def.bounds);
            item(out, &def.body);
        }),
        UnitKind::ModuleDef(def) => wrap(out, local("moduledef", "local-moduledef", def.local), |out| {
            let _ = write!(out, " {}({})", def.name.name, declarations(&def.params).trim());
            instance(out, &def.instance);
        }),
        UnitKind::Instance { local: is_local, instance: what } => {
            wrap(out, local("include", "local-include", *is_local), |out| instance(out, what));
        }
        UnitKind::Assume { axiom, name, body } => wrap(out, if *axiom { "axiom" } else { "assume" }, |out| {
            optional_name(out, name.as_ref());
            item(out, body);
        }),
        UnitKind::Theorem { name, body } => wrap(out, "theorem", |out| {
            optional_name(out, name.as_ref());
            match body {
                Some(body) => item(out, body),
                None => out.push_str(" (assume-prove)"),
            }
        }),
        UnitKind::Module(module) => module_at(out, module, level),
        UnitKind::UseOrHide => out.push_str("(use)"),
        UnitKind::Separator => out.push_str("----"),
    }
}

fn local(plain: &'static str, local: &'static str, is_local: bool) -> &'static str {
    if is_local { local } else { plain }
}

fn fixity(fixity: Fixity) -> &'static str {
    match fixity {
        Fixity::Nonfix => "",
        Fixity::Prefix => "prefix ",
        Fixity::Infix => "infix ",
        Fixity::Postfix => "postfix ",
    }
}

fn wrap(out: &mut String, head: &str, inner: impl FnOnce(&mut String)) {
    let _ = write!(out, "({head}");
    inner(out);
    out.push(')');
}

fn item(out: &mut String, expr: &Expr) {
    out.push(' ');
    dump(out, expr);
}

fn items<'a>(out: &mut String, exprs: impl IntoIterator<Item = &'a Expr>) {
    for expr in exprs {
        item(out, expr);
    }
}

fn idents(names: &[Ident]) -> String {
    names.iter().fold(String::new(), |text, ident| text + " " + &ident.name)
}

fn declarations(decls: &[OpDecl]) -> String {
    decls.iter().fold(String::new(), |text, decl| match decl.arity {
        0 => format!("{text} {}", decl.name.name),
        arity => format!("{text} {}/{arity}", decl.name.name),
    })
}

fn optional_name(out: &mut String, name: Option<&Ident>) {
    if let Some(name) = name {
        let _ = write!(out, " {} ==", name.name);
    }
}

fn instance(out: &mut String, instance: &Instance) {
    let _ = write!(out, " (instance {}", instance.module.name);
    for (name, expr) in &instance.substitutions {
        let _ = write!(out, " (<- {}", name.name);
        item(out, expr);
        out.push(')');
    }
    out.push(')');
}

fn pattern(out: &mut String, pattern: &Pattern) {
    match pattern {
        Pattern::Names(names) => {
            let _ = write!(out, "({})", idents(names).trim());
        }
        Pattern::Tuple(names) => {
            let _ = write!(out, "<<{}>>", idents(names).trim());
        }
    }
}

fn bounds(out: &mut String, bounds: &[Bound]) {
    for bound in bounds {
        out.push_str(" (in ");
        pattern(out, &bound.pattern);
        item(out, &bound.set);
        out.push(')');
    }
}

fn path(out: &mut String, op: &OpPath) {
    for step in &op.prefix {
        let _ = write!(out, "{}", step.name.name);
        if !step.args.is_empty() {
            out.push('(');
            let mut args = String::new();
            items(&mut args, &step.args);
            out.push_str(args.trim_start());
            out.push(')');
        }
        out.push('!');
    }
    let _ = write!(out, "{}", op.name.name);
}

fn fields(out: &mut String, fields: &[(Ident, Expr)]) {
    for (name, expr) in fields {
        let _ = write!(out, " ({}", name.name);
        item(out, expr);
        out.push(')');
    }
}

fn dump(out: &mut String, expr: &Expr) {
    // Chains of infix operators are deep on the left, so that side is a loop: first all operators, then all right
    // sides.
    let mut waiting = Vec::new();
    let mut first = expr;
    while let ExprKind::Apply { op, fixity: Fixity::Infix, args } = &*first.kind {
        let [left, right] = args.as_slice() else { break };
        out.push('(');
        path(out, op);
        out.push(' ');
        waiting.push(right);
        first = left;
    }
    dump_other(out, first);
    while let Some(right) = waiting.pop() {
        item(out, right);
        out.push(')');
    }
}

fn dump_other(out: &mut String, expr: &Expr) {
    match &*expr.kind {
        ExprKind::Number(text) | ExprKind::Decimal(text) => out.push_str(text),
        ExprKind::String(text) => {
            let _ = write!(out, "{text:?}");
        }
        ExprKind::At => out.push('@'),
        ExprKind::Error => out.push_str("ERROR"),
        ExprKind::Apply { op, fixity: Fixity::Nonfix, args } if args.is_empty() => path(out, op),
        ExprKind::Apply { op, fixity, args } => {
            let symbol = crate::operators::by_spelling(&op.name.name).is_some();
            out.push_str(if symbol && *fixity == Fixity::Nonfix { "(apply " } else { "(" });
            path(out, op);
            items(out, args);
            out.push(')');
        }
        ExprKind::Junction { kind, items: list } => {
            let head = if *kind == Junction::And { "and" } else { "or" };
            wrap(out, head, |out| items(out, list));
        }
        ExprKind::Lambda { params, body } => wrap(out, "lambda", |out| {
            let _ = write!(out, " ({})", idents(params).trim());
            item(out, body);
        }),
        ExprKind::Paren(inner) => wrap(out, "paren", |out| item(out, inner)),
        ExprKind::Quantifier { kind, bounds: list, body } => wrap(out, quantifier(*kind), |out| {
            bounds(out, list);
            item(out, body);
        }),
        ExprKind::Unbounded { kind, names, body } => wrap(out, quantifier(*kind), |out| {
            let _ = write!(out, " ({})", idents(names).trim());
            item(out, body);
        }),
        ExprKind::Choose { pattern: bound, set, body } => wrap(out, "choose", |out| {
            out.push(' ');
            pattern(out, bound);
            items(out, set);
            out.push_str(" :");
            item(out, body);
        }),
        ExprKind::SetEnum(list) => wrap(out, "set", |out| items(out, list)),
        ExprKind::Filter { pattern: bound, set, body } => wrap(out, "filter", |out| {
            out.push(' ');
            pattern(out, bound);
            items(out, [set, body]);
        }),
        ExprKind::Map { body, bounds: list } => wrap(out, "map", |out| {
            item(out, body);
            bounds(out, list);
        }),
        ExprKind::Index { function, args } => wrap(out, "index", |out| {
            item(out, function);
            items(out, args);
        }),
        ExprKind::Field { record, field } => wrap(out, "field", |out| {
            item(out, record);
            let _ = write!(out, " {}", field.name);
        }),
        ExprKind::Function { bounds: list, body } => wrap(out, "function", |out| {
            bounds(out, list);
            item(out, body);
        }),
        ExprKind::FunctionSet { domain, range } => wrap(out, "functions", |out| items(out, [domain, range])),
        ExprKind::Record(list) => wrap(out, "record", |out| fields(out, list)),
        ExprKind::RecordSet(list) => wrap(out, "records", |out| fields(out, list)),
        ExprKind::Except { function, updates } => wrap(out, "except", |out| {
            item(out, function);
            for update in updates {
                out.push_str(" (!");
                for step in &update.path {
                    update_step(out, step);
                }
                item(out, &update.value);
                out.push(')');
            }
        }),
        ExprKind::Tuple(list) => wrap(out, "tuple", |out| items(out, list)),
        ExprKind::Product(list) => wrap(out, "product", |out| items(out, list)),
        ExprKind::BoxAction { action, subscript } => wrap(out, "box", |out| items(out, [action, subscript])),
        ExprKind::AngleAction { action, subscript } => {
            wrap(out, "angle", |out| items(out, [action, subscript]));
        }
        ExprKind::Fairness { strong, subscript, action } => {
            wrap(out, if *strong { "strong" } else { "weak" }, |out| items(out, [subscript, action]));
        }
        ExprKind::If { condition, then, otherwise } => {
            wrap(out, "if", |out| items(out, [condition, then, otherwise]));
        }
        ExprKind::Case { arms, other } => wrap(out, "case", |out| {
            for (guard, value) in arms {
                out.push(' ');
                wrap(out, "->", |out| items(out, [guard, value]));
            }
            if let Some(other) = other {
                out.push(' ');
                wrap(out, "other", |out| item(out, other));
            }
        }),
        ExprKind::Let { units, body } => wrap(out, "let", |out| {
            for unit in units {
                out.push(' ');
                unit_at(out, unit, 0);
            }
            item(out, body);
        }),
        ExprKind::Label { name, params, body } => wrap(out, "label", |out| {
            let _ = write!(out, " {}({})", name.name, idents(params).trim());
            item(out, body);
        }),
    }
}

fn update_step(out: &mut String, step: &UpdateStep) {
    match step {
        UpdateStep::Field(field) => {
            let _ = write!(out, ".{}", field.name);
        }
        UpdateStep::Index(args) => {
            out.push('[');
            let mut text = String::new();
            items(&mut text, args);
            out.push_str(text.trim_start());
            out.push(']');
        }
    }
}

fn quantifier(kind: Quantifier) -> &'static str {
    match kind {
        Quantifier::All => "\\A",
        Quantifier::Exists => "\\E",
        Quantifier::TemporalAll => "\\AA",
        Quantifier::TemporalExists => "\\EE",
    }
}
