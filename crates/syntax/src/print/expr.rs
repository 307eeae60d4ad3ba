//! Prints expressions.

use super::Printer;
use crate::ast::{Expr, ExprKind, Fixity, Ident, Junction, OpPath, Quantifier, UpdateStep};

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        // Chains of operators are deep on the left, so that side is a loop.
        let mut outer = Vec::new();
        let mut first = expr;
        while let Some(left) = left_operand(first) {
            outer.push(first);
            first = left;
        }
        let mut open = ends_open(first);
        let breaks = outer.iter().skip(1).any(|part| ends_open(part));
        if !outer.is_empty() && (open || breaks) {
            // What follows a junction list goes to a new line, to the left of the list but to the right of the list
            // around it.
            self.pad(self.indent + 2);
        }
        self.operand(first);
        while let Some(part) = outer.pop() {
            if open {
                self.newline(self.indent + 1);
            }
            self.suffix(part, !open);
            open = ends_open(part);
        }
    }

    /// Prints what stands to the right of the left operand.
    fn suffix(&mut self, expr: &Expr, blank: bool) {
        match &*expr.kind {
            ExprKind::Apply { op, fixity: Fixity::Infix, args } => {
                if blank {
                    self.text(" ");
                }
                self.text(&op.name.name);
                self.text(" ");
                self.expr(&args[1]);
            }
            ExprKind::Apply { op, .. } => {
                // Prints `a ^+` and not `a^+`, because `1^+2` would be read differently.
                if blank && &*op.name.name != "'" {
                    self.text(" ");
                }
                self.text(&op.name.name);
            }
            ExprKind::Index { args, .. } => self.list("[", args, "]"),
            ExprKind::Field { field, .. } => {
                self.text(".");
                self.text(&field.name);
            }
            _ => {}
        }
    }

    fn operand(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Number(text) | ExprKind::Decimal(text) => self.text(text),
            ExprKind::String(text) => self.string(text),
            ExprKind::At => self.text("@"),
            ExprKind::Error => self.text("(* error *)"),
            ExprKind::Apply { op, fixity: Fixity::Prefix, args } => {
                self.text(if op.name.name == "-." { "-" } else { &op.name.name });
                for arg in args {
                    self.text(" ");
                    self.expr(arg);
                }
            }
            ExprKind::Apply { op, args, .. } => {
                self.path(op);
                self.arguments(args);
            }
            ExprKind::Junction { kind, items } => self.junction(*kind, items),
            ExprKind::Lambda { params, body } => {
                self.text("LAMBDA ");
                self.idents(params);
                self.text(" : ");
                self.expr(body);
            }
            ExprKind::Paren(inner) => {
                self.text("(");
                self.expr(inner);
                self.text(")");
            }
            ExprKind::SetEnum(items) => self.list("{", items, "}"),
            ExprKind::Tuple(items) => self.list("<<", items, ">>"),
            ExprKind::Product(factors) => self.product(factors),
            ExprKind::Filter { pattern, set, body } => {
                self.text("{");
                self.pattern(pattern);
                self.text(" \\in ");
                self.expr(set);
                self.text(" : ");
                self.expr(body);
                self.text("}");
            }
            ExprKind::Map { body, bounds } => {
                self.text("{");
                self.expr(body);
                self.text(" : ");
                self.bounds(bounds);
                self.text("}");
            }
            ExprKind::Function { bounds, body } => {
                self.text("[");
                self.bounds(bounds);
                self.text(" |-> ");
                self.expr(body);
                self.text("]");
            }
            ExprKind::FunctionSet { domain, range } => {
                self.text("[");
                self.expr(domain);
                self.text(" -> ");
                self.expr(range);
                self.text("]");
            }
            ExprKind::Record(fields) => self.fields(fields, " |-> "),
            ExprKind::RecordSet(fields) => self.fields(fields, " : "),
            ExprKind::Except { function, updates } => {
                self.text("[");
                self.expr(function);
                self.text(" EXCEPT ");
                self.commas(updates, |printer, update| {
                    printer.text("!");
                    update.path.iter().for_each(|step| printer.update_step(step));
                    printer.text(" = ");
                    printer.expr(&update.value);
                });
                self.text("]");
            }
            ExprKind::BoxAction { action, subscript } => self.action("[", action, "]_", subscript),
            ExprKind::AngleAction { action, subscript } => self.action("<<", action, ">>_", subscript),
            ExprKind::Fairness { strong, subscript, action } => {
                self.text(if *strong { "SF_" } else { "WF_" });
                self.expr(subscript);
                self.text("(");
                self.expr(action);
                self.text(")");
            }
            _ => self.open(expr),
        }
    }

    /// Prints expressions that extend as far as possible.
    fn open(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Quantifier { kind, bounds, body } => {
                self.text(quantifier(*kind));
                self.bounds(bounds);
                self.text(" : ");
                self.expr(body);
            }
            ExprKind::Unbounded { kind, names, body } => {
                self.text(quantifier(*kind));
                self.idents(names);
                self.text(" : ");
                self.expr(body);
            }
            ExprKind::Choose { pattern, set, body } => {
                self.text("CHOOSE ");
                self.pattern(pattern);
                if let Some(set) = set {
                    self.text(" \\in ");
                    self.expr(set);
                }
                self.text(" : ");
                self.expr(body);
            }
            ExprKind::If { condition, then, otherwise } => {
                self.text("IF ");
                self.expr(condition);
                self.text(" THEN ");
                self.expr(then);
                self.text(" ELSE ");
                self.expr(otherwise);
            }
            ExprKind::Case { arms, other } => {
                for (index, (guard, value)) in arms.iter().enumerate() {
                    self.case_separator(index.checked_sub(1).map(|before| &arms[before].1));
                    self.expr(guard);
                    self.text(" -> ");
                    self.expr(value);
                }
                if let Some(other) = other {
                    self.case_separator(arms.last().map(|(_, value)| value));
                    self.text("OTHER -> ");
                    self.expr(other);
                }
            }
            ExprKind::Let { units, body } => {
                let column = self.column;
                self.text("LET ");
                let inner = self.column;
                for (index, unit) in units.iter().enumerate() {
                    if index > 0 {
                        self.newline(inner);
                    }
                    self.unit(unit);
                }
                self.newline(column);
                self.text("IN ");
                self.expr(body);
            }
            ExprKind::Label { name, params, body } => {
                self.text(&name.name);
                if !params.is_empty() {
                    self.text("(");
                    self.idents(params);
                    self.text(")");
                }
                self.text(" :: ");
                self.expr(body);
            }
            _ => {}
        }
    }

    /// Prints what stands before an arm. After a junction list it begins a new line, because a CASE inside of the list
    /// could take the arm.
    fn case_separator(&mut self, value_before: Option<&Expr>) {
        match value_before {
            None => return self.text("CASE "),
            Some(value) if ends_open(value) => self.newline(self.indent + 1),
            Some(_) => self.text(" "),
        }
        self.text("[] ");
    }

    fn junction(&mut self, kind: Junction, items: &[Expr]) {
        let outer = self.indent;
        let column = self.column;
        self.indent = column;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.newline(column);
            }
            self.text(if kind == Junction::And { "/\\ " } else { "\\/ " });
            self.expr(item);
        }
        self.indent = outer;
    }

    fn product(&mut self, factors: &[Expr]) {
        if factors.iter().rev().skip(1).any(ends_open) {
            self.pad(self.indent + 2);
        }
        for (index, factor) in factors.iter().enumerate() {
            if index > 0 {
                if ends_open(&factors[index - 1]) {
                    self.newline(self.indent + 1);
                } else {
                    self.text(" ");
                }
                self.text("\\X ");
            }
            self.expr(factor);
        }
    }

    fn path(&mut self, op: &OpPath) {
        for step in &op.prefix {
            self.text(&step.name.name);
            self.arguments(&step.args);
            self.text("!");
            if op.name.name.starts_with('!') {
                self.text(" ");
            }
        }
        self.text(&op.name.name);
    }

    fn arguments(&mut self, args: &[Expr]) {
        if !args.is_empty() {
            // `F( -, 3)`: without the blank, `(-` could start the symbol `(-)`.
            self.list(
                if is_symbol(&args[0]) { "( " } else { "(" },
                args,
                if is_symbol(&args[args.len() - 1]) { " )" } else { ")" },
            );
        }
    }

    fn list(&mut self, open: &str, items: &[Expr], close: &str) {
        self.text(open);
        self.commas(items, Self::expr);
        self.text(close);
    }

    fn fields(&mut self, fields: &[(Ident, Expr)], sign: &str) {
        self.text("[");
        self.commas(fields, |printer, (name, expr)| {
            printer.text(&name.name);
            printer.text(sign);
            printer.expr(expr);
        });
        self.text("]");
    }

    fn action(&mut self, open: &str, action: &Expr, close: &str, subscript: &Expr) {
        self.text(open);
        self.expr(action);
        self.text(close);
        self.expr(subscript);
    }

    fn update_step(&mut self, step: &UpdateStep) {
        match step {
            UpdateStep::Field(field) => {
                self.text(".");
                self.text(&field.name);
            }
            UpdateStep::Index(args) => self.list("[", args, "]"),
        }
    }

    fn string(&mut self, text: &str) {
        self.text("\"");
        for character in text.chars() {
            match character {
                '"' => self.text("\\\""),
                '\\' => self.text("\\\\"),
                '\n' => self.text("\\n"),
                '\t' => self.text("\\t"),
                '\r' => self.text("\\r"),
                '\u{c}' => self.text("\\f"),
                other => self.text(other.encode_utf8(&mut [0; 4])),
            }
        }
        self.text("\"");
    }
}

/// The left operand of an infix or postfix operator, of `f[x]` or of `r.a`.
fn left_operand(expr: &Expr) -> Option<&Expr> {
    match &*expr.kind {
        ExprKind::Apply { fixity: Fixity::Infix, args, .. } if args.len() == 2 => args.first(),
        ExprKind::Apply { fixity: Fixity::Postfix, args, .. } if args.len() == 1 => args.first(),
        ExprKind::Index { function, .. } => Some(function),
        ExprKind::Field { record, .. } => Some(record),
        _ => None,
    }
}

/// Whether the last token belongs to a junction list that is not closed by a bracket.
fn ends_open(expr: &Expr) -> bool {
    let mut expr = expr;
    loop {
        expr = match &*expr.kind {
            ExprKind::Junction { .. } => return true,
            ExprKind::Apply { fixity: Fixity::Prefix | Fixity::Infix, args, .. } => match args.last() {
                Some(last) => last,
                None => return false,
            },
            ExprKind::Product(factors) => match factors.last() {
                Some(last) => last,
                None => return false,
            },
            ExprKind::Quantifier { body, .. }
            | ExprKind::Unbounded { body, .. }
            | ExprKind::Choose { body, .. }
            | ExprKind::Lambda { body, .. }
            | ExprKind::Let { body, .. }
            | ExprKind::Label { body, .. } => body,
            ExprKind::If { otherwise, .. } => otherwise,
            ExprKind::Case { arms, other } => match (other, arms.last()) {
                (Some(other), _) => other,
                (None, Some((_, value))) => value,
                (None, None) => return false,
            },
            _ => return false,
        };
    }
}

/// Whether an expression is an operator symbol used as a name.
fn is_symbol(expr: &Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Apply { op, fixity: Fixity::Nonfix, args }
        if args.is_empty() && crate::operators::by_spelling(&op.name.name).is_some())
}

fn quantifier(kind: Quantifier) -> &'static str {
    match kind {
        Quantifier::All => "\\A ",
        Quantifier::Exists => "\\E ",
        Quantifier::TemporalAll => "\\AA ",
        Quantifier::TemporalExists => "\\EE ",
    }
}
