//! Parses operators by precedence.
//!
//! Operands and operators wait on a stack until the next operator decides which of them belong together. Precedences
//! are ranges, and it is an error if ranges overlap.

use kilter_base::{Diagnostic, Span};

use super::Parser;
use crate::ast::{Expr, ExprKind, Fixity, Ident, OpPath};
use crate::errors;
use crate::operators::{Binding, Operator, PREFIX_MINUS, SELECTION};
use crate::token::TokenKind;

/// After this many precedence conflicts, nothing more is reported about a module.
const CONFLICTS_MAX: u32 = 20;

/// Operands with the heights of their trees, and the operators between and before them.
#[derive(Default)]
struct Stack {
    operands: Vec<(Expr, u32)>,
    operators: Vec<(&'static Operator, Span)>,
}

impl Parser<'_> {
    /// Parses an expression as far as it goes.
    pub(super) fn expression(&mut self) -> Expr {
        self.nested(Self::operators)
    }

    /// Calls a function that parses an expression and its height, one level deeper.
    pub(super) fn nested(&mut self, parse: impl FnOnce(&mut Self) -> (Expr, u32)) -> Expr {
        if self.nesting >= self.nesting_max {
            self.fail(errors::too_deep(self.next_span(), self.nesting_max));
            return self.error_expr();
        }
        self.nesting += 1;
        let outer = std::mem::take(&mut self.height);
        let (expr, height) = parse(self);
        self.height = outer.max(height);
        self.nesting -= 1;
        expr
    }

    fn operators(&mut self) -> (Expr, u32) {
        let mut stack = Stack::default();
        loop {
            self.prefixes(&mut stack);
            self.height = 0;
            if let Some(open) = self.open_expression() {
                stack.operands.push((open, self.height + 1));
                break;
            }
            let operand = self.operand();
            stack.operands.push((operand, self.height + 1));
            self.postfixes(&mut stack);
            if self.peek() == TokenKind::ColonColon {
                self.label(&mut stack);
                break;
            }
            if !self.infix(&mut stack) {
                break;
            }
        }
        while !stack.operators.is_empty() {
            self.reduce(&mut stack);
        }
        stack.operands.pop().unwrap_or_else(|| (self.error_expr(), 1))
    }

    fn prefixes(&mut self, stack: &mut Stack) {
        while let Some(operator) = self.prefix_operator() {
            let span = self.next_span();
            if operator == PREFIX_MINUS
                && let Some((left, left_span)) = stack.operators.last()
                && left.low > operator.high
            {
                let conflict = errors::precedence_conflict(span, left, *left_span, operator);
                self.conflict(conflict);
            }
            self.push_operator(stack, operator);
        }
    }

    /// Takes an operator token. Each waiting operator counts as a level of nesting, because the tree will be as deep.
    fn push_operator(&mut self, stack: &mut Stack, operator: &'static Operator) {
        if self.nesting >= self.nesting_max {
            self.fail(errors::too_deep(self.next_span(), self.nesting_max));
        }
        self.nesting += 1;
        stack.operators.push((operator, self.next_span()));
        self.advance();
    }

    /// The prefix operator that comes next. `-` is one here. `-.` is not, because it is only a name.
    fn prefix_operator(&self) -> Option<&'static Operator> {
        let operator = self.peek().operator()?;
        match operator.name {
            "-" => Some(PREFIX_MINUS),
            "-." => None,
            _ => (operator.fixity == Fixity::Prefix).then_some(operator),
        }
    }

    fn postfixes(&mut self, stack: &mut Stack) {
        loop {
            self.height = 0;
            match self.peek() {
                TokenKind::Op(operator) if operator.fixity == Fixity::Postfix => {
                    self.make_room(stack, operator);
                    let name = self.take_ident();
                    self.wrap(stack, |operand| ExprKind::Apply {
                        op: OpPath { prefix: Vec::new(), name },
                        fixity: Fixity::Postfix,
                        args: vec![operand],
                    });
                }
                TokenKind::Dot => {
                    self.advance();
                    let field = self.ident_or_keyword("a field name");
                    self.wrap(stack, |record| ExprKind::Field { record, field });
                }
                TokenKind::LBracket => {
                    self.make_room(stack, &SELECTION);
                    let open = self.next_span();
                    self.advance();
                    let args = self.comma_list(Self::expression);
                    self.expect_close(TokenKind::RBracket, "]", open);
                    self.wrap(stack, |function| ExprKind::Index { function, args });
                }
                _ => return,
            }
        }
    }

    /// Makes the last operand a part of a larger one, which ends with the last token.
    fn wrap(&mut self, stack: &mut Stack, kind: impl FnOnce(Expr) -> ExprKind) {
        if let Some((operand, height)) = stack.operands.pop() {
            let start = operand.span;
            let expr = self.expr(kind(operand), start);
            self.push(stack, expr, height.max(self.height) + 1);
        }
    }

    /// Takes the infix operator that comes next. Returns `false` if there is none.
    fn infix(&mut self, stack: &mut Stack) -> bool {
        let Some(operator) = self.peek().operator().filter(|operator| operator.fixity == Fixity::Infix)
        else {
            return false;
        };
        self.make_room(stack, operator);
        self.push_operator(stack, operator);
        true
    }

    /// Reports missing parentheses. The parser goes on, but gives up in a long chain, which would conflict again and
    /// again.
    fn conflict(&mut self, conflict: Diagnostic) {
        self.n_conflicts += 1;
        if self.n_conflicts < CONFLICTS_MAX {
            self.diagnostics.push(conflict);
        } else {
            self.fail(conflict);
        }
    }

    /// Reduces the operators on the stack that bind tighter than `right`, which comes next.
    fn make_room(&mut self, stack: &mut Stack, right: &Operator) {
        while let Some((left, left_span)) = stack.operators.last() {
            match left.binding(right) {
                Binding::LeftFirst => {}
                Binding::RightFirst => return,
                Binding::Conflict => {
                    let span = self.next_span();
                    let conflict = errors::precedence_conflict(span, left, *left_span, right);
                    self.conflict(conflict);
                }
            }
            self.reduce(stack);
        }
    }

    /// Applies the last operator on the stack to the last operands.
    fn reduce(&mut self, stack: &mut Stack) {
        let (Some((operator, span)), Some((last, last_height))) =
            (stack.operators.pop(), stack.operands.pop())
        else {
            return;
        };
        self.nesting -= 1;
        if operator.fixity == Fixity::Prefix {
            let whole = span.to(last.span);
            let expr = application(operator, span, vec![last], whole);
            self.push(stack, expr, last_height + 1);
        } else if let Some((first, first_height)) = stack.operands.pop() {
            let whole = first.span.to(last.span);
            let expr = if operator.name == "\\X" {
                product(first, last, whole)
            } else {
                application(operator, span, vec![first, last], whole)
            };
            self.push(stack, expr, first_height.max(last_height) + 1);
        }
    }

    fn push(&mut self, stack: &mut Stack, expr: Expr, height: u32) {
        if height <= self.height_max {
            stack.operands.push((expr, height));
        } else {
            self.fail(errors::too_deep(expr.span, self.height_max));
            stack.operands.push((self.error_expr(), 1));
        }
    }

    /// Parses the rest of `label :: e`. `::` must come next, and the label is the last operand.
    fn label(&mut self, stack: &mut Stack) {
        let Some((candidate, _)) = stack.operands.pop() else { return };
        let start = candidate.span;
        let Some((name, params)) = as_label(*candidate.kind) else {
            self.fail(errors::not_a_label(self.next_span()));
            stack.operands.push((self.error_expr(), 1));
            return;
        };
        self.advance();
        let body = self.expression();
        if let (Some((left, _)), Some(right)) = (stack.operators.last(), root_operator(&body))
            && left.high >= right.low
        {
            self.diagnostics.push(errors::label_changes_parse(name.span));
        }
        let expr = self.expr(ExprKind::Label { name, params, body }, start);
        let height = self.height + 1;
        self.push(stack, expr, height);
    }
}

fn application(operator: &Operator, span: Span, args: Vec<Expr>, whole: Span) -> Expr {
    let op = OpPath { prefix: Vec::new(), name: Ident { name: operator.name.into(), span } };
    Expr { kind: Box::new(ExprKind::Apply { op, fixity: operator.fixity, args }), span: whole }
}

/// Makes `S \X T`, or adds a factor to a product without parentheses.
fn product(first: Expr, last: Expr, whole: Span) -> Expr {
    let factors = match *first.kind {
        ExprKind::Product(mut factors) => {
            factors.push(last);
            factors
        }
        kind => vec![Expr { kind: Box::new(kind), span: first.span }, last],
    };
    Expr { kind: Box::new(ExprKind::Product(factors)), span: whole }
}

/// The infix or postfix operator at the root of an expression. It decides whether a label changes how the text is read.
fn root_operator(expr: &Expr) -> Option<&'static Operator> {
    match &*expr.kind {
        ExprKind::Apply { op, fixity: Fixity::Infix | Fixity::Postfix, .. } => {
            crate::operators::by_spelling(&op.name.name)
        }
        _ => None,
    }
}

/// The name and the parameters of `lab` or `lab(x, y)`. `None` for other expressions.
fn as_label(kind: ExprKind) -> Option<(Ident, Vec<Ident>)> {
    let ExprKind::Apply { op, fixity: Fixity::Nonfix, args } = kind else { return None };
    if !op.prefix.is_empty() {
        return None;
    }
    let params = args.into_iter().map(as_plain_name).collect::<Option<Vec<_>>>()?;
    Some((op.name, params))
}

/// A name without path and arguments. `None` for other expressions.
pub(super) fn as_plain_name(expr: Expr) -> Option<Ident> {
    match *expr.kind {
        ExprKind::Apply { op, fixity: Fixity::Nonfix, args } if op.prefix.is_empty() && args.is_empty() => {
            Some(op.name)
        }
        _ => None,
    }
}
