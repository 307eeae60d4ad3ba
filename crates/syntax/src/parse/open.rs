//! Parses expressions that start with a word or quantifier and extend as far as possible.

use super::Parser;
use crate::ast::{Bound, Expr, ExprKind, Pattern, Quantifier};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses the open expression that starts here, if one does.
    pub(super) fn open_expression(&mut self) -> Option<Expr> {
        Some(match self.peek() {
            TokenKind::Forall => self.quantifier(Quantifier::All),
            TokenKind::Exists => self.quantifier(Quantifier::Exists),
            TokenKind::TemporalForall => self.quantifier(Quantifier::TemporalAll),
            TokenKind::TemporalExists => self.quantifier(Quantifier::TemporalExists),
            TokenKind::Keyword("CHOOSE") => self.choose(),
            TokenKind::Keyword("IF") => self.conditional(),
            TokenKind::Keyword("CASE") => self.case(),
            TokenKind::Keyword("LET") => self.let_in(),
            _ => return None,
        })
    }

    fn quantifier(&mut self, kind: Quantifier) -> Expr {
        let start = self.next_span();
        self.advance();
        let temporal = matches!(kind, Quantifier::TemporalAll | Quantifier::TemporalExists);
        if temporal || self.names_before(TokenKind::Colon) {
            let names = self.comma_list(|parser| parser.ident("a name to bind"));
            self.expect(TokenKind::Colon, "`:`");
            let body = self.expression();
            return self.expr(ExprKind::Unbounded { kind, names, body }, start);
        }
        let bounds = self.bounds();
        self.expect(TokenKind::Colon, "`,` or `:`");
        let body = self.expression();
        self.expr(ExprKind::Quantifier { kind, bounds, body }, start)
    }

    /// Whether names separated by commas come next, and then the token `end`.
    pub(super) fn names_before(&self, end: TokenKind) -> bool {
        let mut distance = 0;
        while self.raw(distance).kind == TokenKind::Ident {
            match self.raw(distance + 1).kind {
                TokenKind::Comma => distance += 2,
                kind => return kind == end,
            }
        }
        false
    }

    /// Parses `x, y \in S, <<a, b>> \in T`.
    pub(super) fn bounds(&mut self) -> Vec<Bound> {
        self.comma_list(Self::bound)
    }

    fn bound(&mut self) -> Bound {
        let pattern = if self.peek() == TokenKind::LAngle {
            self.tuple_pattern()
        } else {
            Pattern::Names(self.comma_list(|parser| parser.ident("a name to bind")))
        };
        self.expect_op("\\in", "`\\in`");
        Bound { pattern, set: self.expression() }
    }

    fn tuple_pattern(&mut self) -> Pattern {
        let open = self.next_span();
        self.advance();
        let names = if self.peek() == TokenKind::RAngle {
            Vec::new()
        } else {
            self.comma_list(|parser| parser.ident("a name to bind"))
        };
        self.expect_close(TokenKind::RAngle, ">>", open);
        Pattern::Tuple(names)
    }

    fn choose(&mut self) -> Expr {
        let start = self.next_span();
        self.advance();
        let pattern = if self.peek() == TokenKind::LAngle {
            self.tuple_pattern()
        } else {
            Pattern::Names(vec![self.ident("a name to bind")])
        };
        let set = self.peek().is_op("\\in").then(|| {
            self.advance();
            self.expression()
        });
        self.expect(TokenKind::Colon, if set.is_some() { "`:`" } else { "`\\in` or `:`" });
        let body = self.expression();
        self.expr(ExprKind::Choose { pattern, set, body }, start)
    }

    fn conditional(&mut self) -> Expr {
        let start = self.next_span();
        self.advance();
        let condition = self.expression();
        self.expect(TokenKind::Keyword("THEN"), "`THEN`");
        let then = self.expression();
        self.expect(TokenKind::Keyword("ELSE"), "`ELSE`");
        let otherwise = self.expression();
        self.expr(ExprKind::If { condition, then, otherwise }, start)
    }

    fn case(&mut self) -> Expr {
        let start = self.next_span();
        self.advance();
        let mut arms = vec![self.arm()];
        let mut other = None;
        while other.is_none() && self.peek().is_op("[]") {
            self.advance();
            if self.eat_keyword("OTHER") {
                self.expect(TokenKind::Arrow, "`->`");
                other = Some(self.expression());
            } else {
                arms.push(self.arm());
            }
        }
        self.expr(ExprKind::Case { arms, other }, start)
    }

    fn arm(&mut self) -> (Expr, Expr) {
        let guard = self.expression();
        self.expect(TokenKind::Arrow, "`->`");
        (guard, self.expression())
    }

    fn let_in(&mut self) -> Expr {
        let start = self.next_span();
        self.advance();
        let mut units = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Definition => units.push(self.definition()),
                TokenKind::Keyword("RECURSIVE") => units.push(self.recursive()),
                _ => break,
            }
        }
        let what = if units.is_empty() { "a definition" } else { "a definition or `IN`" };
        if units.is_empty() {
            self.fail_expected(what);
        }
        self.expect(TokenKind::Keyword("IN"), what);
        let body = self.expression();
        self.expr(ExprKind::Let { units, body }, start)
    }
}
