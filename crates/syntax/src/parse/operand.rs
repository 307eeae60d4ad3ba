//! Parses operands: names, literals, brackets of all kinds, junction lists.

use kilter_base::{Name, Span};

use super::Parser;
use super::expr::as_plain_name;
use crate::ast::{
    Bound, Expr, ExprKind, Fixity, Ident, Junction, OpPath, PathStep, Pattern, Update, UpdateStep,
};
use crate::errors;
use crate::lex::unescape;
use crate::operators::Operator;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses one operand, without the postfix operators after it.
    pub(super) fn operand(&mut self) -> Expr {
        let start = self.next_span();
        match self.peek() {
            TokenKind::Ident => self.path(),
            TokenKind::Step if self.in_proof => self.path(),
            TokenKind::Step => self.failed_operand(errors::step_outside_proof(start)),
            TokenKind::Number => self.number(),
            TokenKind::String => {
                let token = self.advance();
                let string = unescape(self.token_text(token));
                self.expr(ExprKind::String(string), start)
            }
            TokenKind::At => {
                self.advance();
                self.expr(ExprKind::At, start)
            }
            TokenKind::Bullet(operator) => self.junction(operator),
            TokenKind::Op(_) if self.names_operator() => self.path(),
            TokenKind::LParen => self.parenthesized(),
            TokenKind::LBrace => self.braces(),
            TokenKind::LBracket => self.brackets(),
            TokenKind::LAngle => self.angles(),
            TokenKind::Weak => self.fairness(false),
            TokenKind::Strong => self.fairness(true),
            TokenKind::Keyword("LAMBDA") => self.failed_operand(errors::lambda_outside_argument(start)),
            _ => {
                self.fail_expected("an expression");
                self.error_expr()
            }
        }
    }

    fn failed_operand(&mut self, diagnostic: kilter_base::Diagnostic) -> Expr {
        self.fail(diagnostic);
        self.error_expr()
    }

    /// Whether the symbol that comes next is used as a name, as in `+(1, 2)` or `+!x`.
    fn names_operator(&self) -> bool {
        matches!(self.peek_second(), TokenKind::LParen | TokenKind::Bang)
    }

    fn number(&mut self) -> Expr {
        let start = self.next_span();
        let token = self.advance();
        let whole = self.token_text(token);
        if self.peek() == TokenKind::Dot && self.peek_second() == TokenKind::Number {
            self.advance();
            let token = self.advance();
            let decimal = format!("{whole}.{}", self.token_text(token));
            return self.expr(ExprKind::Decimal(decimal.into()), start);
        }
        self.expr(ExprKind::Number(whole.into()), start)
    }

    fn junction(&mut self, operator: &'static Operator) -> Expr {
        let start = self.next_span();
        let (outer_indent, outer_bullet) = (self.indent, self.bullet);
        let column = self.raw(0).column;
        self.indent = column;
        let mut items = Vec::new();
        loop {
            self.bullet = self.next_span();
            self.advance();
            items.push(self.expression());
            let next = self.raw(0);
            if self.failed || next.kind != TokenKind::Bullet(operator) || next.column != column {
                break;
            }
        }
        (self.indent, self.bullet) = (outer_indent, outer_bullet);
        let kind = if operator.name == "/\\" { Junction::And } else { Junction::Or };
        self.expr(ExprKind::Junction { kind, items }, start)
    }

    /// Parses `I(k)!J!Op(a)`, also with selectors: `Op!1!(x)!<<`.
    fn path(&mut self) -> Expr {
        let start = self.next_span();
        let mut prefix = Vec::new();
        let mut name = self.take_ident();
        let mut args = self.arguments();
        while self.eat(TokenKind::Bang) {
            prefix.push(PathStep { name, args });
            (name, args) = self.path_step();
        }
        let op = OpPath { prefix, name };
        self.expr(ExprKind::Apply { op, fixity: Fixity::Nonfix, args }, start)
    }

    /// Parses what follows `!`.
    fn path_step(&mut self) -> (Ident, Vec<Expr>) {
        let span = self.next_span();
        match self.peek() {
            TokenKind::Ident | TokenKind::Op(_) | TokenKind::Bullet(_) => {
                let name = self.take_ident();
                (name, self.arguments())
            }
            TokenKind::LParen => {
                let nothing = Span { end: span.start, ..span };
                (Ident { name: Name::from(""), span: nothing }, self.arguments())
            }
            TokenKind::LAngle => (self.selector("<<"), Vec::new()),
            TokenKind::RAngle => (self.selector(">>"), Vec::new()),
            TokenKind::At | TokenKind::Colon | TokenKind::Number => (self.take_ident(), Vec::new()),
            _ => (self.ident("a name, or a selector such as `1`, `<<` or `@`"), Vec::new()),
        }
    }

    fn selector(&mut self, text: &str) -> Ident {
        let token = self.advance();
        Ident { name: text.into(), span: self.token_span(token) }
    }

    /// Parses `(a, b)`. Returns no arguments if there is no parenthesis.
    fn arguments(&mut self) -> Vec<Expr> {
        let open = self.next_span();
        if !self.eat(TokenKind::LParen) {
            return Vec::new();
        }
        let args = self.comma_list(Self::operator_or_expression);
        self.expect_close(TokenKind::RParen, ")", open);
        args
    }

    /// Parses an argument or the right side of `<-`: an operator symbol, a LAMBDA or an expression.
    pub(super) fn operator_or_expression(&mut self) -> Expr {
        let start = self.next_span();
        if self.eat_keyword("LAMBDA") {
            let params = self.comma_list(|parser| parser.ident("a parameter"));
            self.expect(TokenKind::Colon, "`,` or `:`");
            let body = self.expression();
            return self.expr(ExprKind::Lambda { params, body }, start);
        }
        if !self.lone_operator() {
            return self.expression();
        }
        let name = self.take_ident();
        if name.name == "\\X" {
            self.diagnostics.push(errors::product_as_operator(start));
        }
        let op = OpPath { prefix: Vec::new(), name };
        self.expr(ExprKind::Apply { op, fixity: Fixity::Nonfix, args: Vec::new() }, start)
    }

    /// Whether an operator symbol without operands comes next.
    fn lone_operator(&self) -> bool {
        self.peek().operator().is_some()
            && match self.peek_second() {
                TokenKind::Comma
                | TokenKind::RParen
                | TokenKind::End
                | TokenKind::Step
                | TokenKind::EndModule
                | TokenKind::Separator
                | TokenKind::BeginModule => true,
                TokenKind::Keyword(word) => !matches!(word, "IF" | "CASE" | "LET" | "CHOOSE"),
                _ => self.starts.get(self.position + 1).copied().unwrap_or(false),
            }
    }

    fn parenthesized(&mut self) -> Expr {
        let open = self.next_span();
        self.advance();
        let inner = self.expression();
        self.expect_close(TokenKind::RParen, ")", open);
        self.expr(ExprKind::Paren(inner), open)
    }

    /// Parses `{}`, `{a, b}`, `{x \in S : p}`, `{e : x \in S}`.
    fn braces(&mut self) -> Expr {
        let open = self.next_span();
        self.advance();
        if self.eat(TokenKind::RBrace) {
            return self.expr(ExprKind::SetEnum(Vec::new()), open);
        }
        let mut items = self.comma_list(Self::expression);
        if self.peek() != TokenKind::Colon {
            self.expect_close(TokenKind::RBrace, "}", open);
            return self.expr(ExprKind::SetEnum(items), open);
        }
        let colon = self.next_span();
        self.advance();
        let kind = match items.pop() {
            Some(only) if items.is_empty() => match as_membership(only) {
                Ok((pattern, set)) => ExprKind::Filter { pattern, set, body: self.expression() },
                Err(body) => ExprKind::Map { body, bounds: self.bounds() },
            },
            _ => {
                self.fail(errors::filter_binds_several(open.to(colon)));
                ExprKind::Error
            }
        };
        self.expect_close(TokenKind::RBrace, "}", open);
        self.expr(kind, open)
    }

    /// Parses `[x \in S |-> e]`, `[a |-> e]`, `[a : S]`, `[S -> T]`, `[f EXCEPT …]`, `[A]_v`.
    fn brackets(&mut self) -> Expr {
        let open = self.next_span();
        self.advance();
        let kind = if self.peek_second() == TokenKind::MapsTo {
            ExprKind::Record(self.fields(TokenKind::MapsTo, "`|->`"))
        } else if self.peek() == TokenKind::Ident && self.peek_second() == TokenKind::Colon {
            ExprKind::RecordSet(self.fields(TokenKind::Colon, "`:`"))
        } else if self.peek() == TokenKind::Ident && self.peek_second() == TokenKind::Comma {
            let bounds = self.bounds();
            self.function(bounds)
        } else {
            let first = self.expression();
            match self.peek() {
                TokenKind::MapsTo | TokenKind::Comma => match as_membership(first) {
                    Ok((pattern, set)) => {
                        let mut bounds = vec![Bound { pattern, set }];
                        if self.eat(TokenKind::Comma) {
                            bounds.extend(self.bounds());
                        }
                        self.function(bounds)
                    }
                    Err(_) => return self.failed_operand(errors::bracket_needs_function(open)),
                },
                TokenKind::Arrow => {
                    self.advance();
                    ExprKind::FunctionSet { domain: first, range: self.expression() }
                }
                TokenKind::Keyword("EXCEPT") => {
                    self.advance();
                    ExprKind::Except { function: first, updates: self.comma_list(Self::update) }
                }
                TokenKind::RBracketSub => {
                    self.advance();
                    let subscript = self.subscript();
                    return self.expr(ExprKind::BoxAction { action: first, subscript }, open);
                }
                TokenKind::RBracket => return self.failed_operand(errors::bracket_needs_function(open)),
                _ => {
                    self.fail_expected("`|->`, `->`, `EXCEPT` or `]_`");
                    ExprKind::Error
                }
            }
        };
        self.expect_close(TokenKind::RBracket, "]", open);
        self.expr(kind, open)
    }

    /// Parses `|-> e` after the bounds of a function.
    fn function(&mut self, bounds: Vec<Bound>) -> ExprKind {
        self.expect(TokenKind::MapsTo, "`,` or `|->`");
        ExprKind::Function { bounds, body: self.expression() }
    }

    fn fields(&mut self, sign: TokenKind, spelling: &str) -> Vec<(Ident, Expr)> {
        self.comma_list(|parser| {
            let field = parser.ident_or_keyword("a field name");
            parser.expect(sign, spelling);
            (field, parser.expression())
        })
    }

    /// Parses `!.a[1] = e`.
    fn update(&mut self) -> Update {
        self.expect(TokenKind::Bang, "`!`");
        let mut path = Vec::new();
        loop {
            let open = self.next_span();
            if self.eat(TokenKind::Dot) {
                path.push(UpdateStep::Field(self.ident_or_keyword("a field name")));
            } else if self.eat(TokenKind::LBracket) {
                path.push(UpdateStep::Index(self.comma_list(Self::expression)));
                self.expect_close(TokenKind::RBracket, "]", open);
            } else {
                break;
            }
        }
        if path.is_empty() {
            self.fail_expected("`.` or `[` after `!`");
        }
        self.expect_op("=", "`.`, `[` or `=`");
        Update { path, value: self.expression() }
    }

    /// Parses `<<a, b>>` or `<<A>>_v`.
    fn angles(&mut self) -> Expr {
        let open = self.next_span();
        self.advance();
        let at_end = matches!(self.peek(), TokenKind::RAngle | TokenKind::RAngleSub);
        let mut items = if at_end { Vec::new() } else { self.comma_list(Self::expression) };
        if !self.eat(TokenKind::RAngleSub) {
            self.expect_close(TokenKind::RAngle, ">>", open);
            return self.expr(ExprKind::Tuple(items), open);
        }
        let subscript = self.subscript();
        match items.pop() {
            Some(action) if items.is_empty() => self.expr(ExprKind::AngleAction { action, subscript }, open),
            _ => self.failed_operand(errors::angle_action_with_commas(open)),
        }
    }

    /// Parses what follows `]_` and `>>_`: an operand without operators around it.
    fn subscript(&mut self) -> Expr {
        match self.peek() {
            TokenKind::Ident
            | TokenKind::LParen
            | TokenKind::LBrace
            | TokenKind::LBracket
            | TokenKind::LAngle => self.nested(|parser| (parser.operand(), parser.height + 1)),
            _ => {
                self.fail_expected("a subscript: a name or something in brackets");
                self.error_expr()
            }
        }
    }

    /// Parses `WF_v(A)`. In `WF_F(x)(A)` the subscript itself has arguments.
    fn fairness(&mut self, strong: bool) -> Expr {
        let start = self.next_span();
        self.advance();
        let mut subscript = self.subscript();
        let open = self.next_span();
        let action = if self.eat(TokenKind::LParen) {
            let action = self.expression();
            self.expect_close(TokenKind::RParen, ")", open);
            Some(action)
        } else {
            take_only_argument(&mut subscript)
        };
        match action {
            Some(action) => self.expr(ExprKind::Fairness { strong, subscript, action }, start),
            None => self.failed_operand(errors::fairness_without_action(start)),
        }
    }
}

/// Splits the application `v(A)` into `v` and `A`, because `WF_v(A)` was first read like that. Returns `A`.
fn take_only_argument(subscript: &mut Expr) -> Option<Expr> {
    match &mut *subscript.kind {
        ExprKind::Apply { op, args, .. } if args.len() == 1 => {
            let action = args.pop()?;
            subscript.span.end = op.name.span.end;
            Some(action)
        }
        _ => None,
    }
}

/// Splits `x \in S` or `<<x, y>> \in S` into the names and the set. Any other expression is returned as the error.
fn as_membership(expr: Expr) -> Result<(Pattern, Expr), Expr> {
    let binds = match &*expr.kind {
        ExprKind::Apply { op, fixity: Fixity::Infix, args } if op.name.name == "\\in" => match &*args[0].kind
        {
            ExprKind::Tuple(items) => items.iter().all(is_plain_name),
            _ => is_plain_name(&args[0]),
        },
        _ => false,
    };
    if !binds {
        return Err(expr);
    }
    let ExprKind::Apply { args, .. } = *expr.kind else { return Err(expr) };
    let mut args = args.into_iter();
    match (args.next(), args.next()) {
        (Some(left), Some(set)) => {
            let pattern = match *left.kind {
                ExprKind::Tuple(items) => {
                    Pattern::Tuple(items.into_iter().filter_map(as_plain_name).collect())
                }
                _ => Pattern::Names(as_plain_name(left).into_iter().collect()),
            };
            Ok((pattern, set))
        }
        // An infix application has two arguments, so this does not happen.
        _ => Err(Expr { kind: Box::new(ExprKind::Error), span: expr.span }),
    }
}

fn is_plain_name(expr: &Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Apply { op, fixity: Fixity::Nonfix, args } if op.prefix.is_empty() && args.is_empty())
}
