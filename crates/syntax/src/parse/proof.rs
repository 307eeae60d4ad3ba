//! Parses proofs and ASSUME … PROVE statements. Their form is checked, and nothing of them is kept.
//!
//! The levels of steps are not checked. A proof is read as one flat sequence of steps and of what proves them.

use super::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Whether `ASSUME` or `label :: ASSUME` comes next.
    pub(super) fn at_assume_prove(&self) -> bool {
        self.at_keyword("ASSUME")
            || (self.peek() == TokenKind::Ident
                && self.peek_second() == TokenKind::ColonColon
                && matches!(self.raw(2).kind, TokenKind::Keyword("ASSUME")))
    }

    /// Parses `ASSUME NEW x \in S, p PROVE q`.
    pub(super) fn assume_prove(&mut self) {
        let mut open = 0_u32;
        // Nested statements are a stack of open ASSUMEs; each PROVE closes one.
        loop {
            while self.at_assume_prove() {
                if !self.at_keyword("ASSUME") {
                    self.advance();
                    self.advance();
                }
                self.advance();
                open += 1;
            }
            self.assumption();
            while open > 0 && self.eat_keyword("PROVE") {
                self.expression();
                open -= 1;
            }
            if open == 0 {
                return;
            }
            if !self.eat(TokenKind::Comma) {
                self.fail_expected("`,` or `PROVE`");
                return;
            }
        }
    }

    /// Parses one item after ASSUME: a new symbol or an expression.
    fn assumption(&mut self) {
        let is_new = self.eat_keyword("NEW");
        match self.peek() {
            TokenKind::Keyword("CONSTANT" | "VARIABLE" | "STATE" | "ACTION" | "TEMPORAL") => {
                self.advance();
                self.new_symbol();
            }
            _ if is_new => self.new_symbol(),
            _ => {
                self.expression();
            }
        }
    }

    fn new_symbol(&mut self) {
        self.declaration();
        if self.peek().is_op("\\in") {
            self.advance();
            self.expression();
        }
    }

    /// Parses a proof, if one comes next.
    pub(super) fn proof(&mut self) {
        let outer = std::mem::replace(&mut self.in_proof, true);
        loop {
            match self.peek() {
                TokenKind::Keyword("PROOF" | "OBVIOUS" | "OMITTED") => {
                    self.advance();
                }
                TokenKind::Keyword("BY") => self.facts(),
                TokenKind::Step => {
                    self.advance();
                    self.step();
                }
                _ => break,
            }
        }
        self.in_proof = outer;
    }

    /// Parses USE or HIDE as a unit.
    pub(super) fn use_or_hide(&mut self) {
        let outer = std::mem::replace(&mut self.in_proof, true);
        self.facts();
        self.in_proof = outer;
    }

    /// Parses `BY`, `USE` or `HIDE`, then facts, then `DEF` and names.
    fn facts(&mut self) {
        self.advance();
        self.eat_keyword("ONLY");
        if self.at_fact() {
            self.comma_list(Self::fact);
        }
        if self.eat_keyword("DEF") {
            self.comma_list(Self::fact);
        }
    }

    /// Whether a fact comes next. SANY also accepts `BY` without facts.
    fn at_fact(&self) -> bool {
        match self.peek() {
            TokenKind::Keyword(word) => {
                matches!(word, "MODULE" | "IF" | "CASE" | "LET" | "CHOOSE" | "LAMBDA")
            }
            TokenKind::Definition | TokenKind::EndModule | TokenKind::BeginModule | TokenKind::Separator => {
                false
            }
            _ => true,
        }
    }

    fn fact(&mut self) {
        if self.eat_keyword("MODULE") {
            self.ident_or_keyword("a module's name");
        } else {
            self.operator_or_expression();
        }
    }

    /// Parses a step after its number.
    fn step(&mut self) {
        match self.peek() {
            TokenKind::Keyword("QED") => {
                self.advance();
            }
            TokenKind::Keyword("USE" | "HIDE") => self.facts(),
            TokenKind::Keyword("INSTANCE") => {
                self.instance();
            }
            TokenKind::Definition => self.definitions(),
            TokenKind::Keyword("DEFINE") => {
                self.advance();
                self.definitions();
            }
            TokenKind::Keyword("TAKE") => {
                self.advance();
                self.bounds_or_names();
            }
            TokenKind::Keyword("PICK") => {
                self.advance();
                self.bounds_or_names();
                self.expect(TokenKind::Colon, "`:`");
                self.expression();
            }
            TokenKind::Keyword("HAVE" | "CASE" | "WITNESS") => {
                self.advance();
                self.comma_list(Self::expression);
            }
            _ => {
                self.eat_keyword("SUFFICES");
                if self.at_assume_prove() {
                    self.assume_prove();
                } else {
                    self.expression();
                }
            }
        }
    }

    fn definitions(&mut self) {
        while self.peek() == TokenKind::Definition {
            self.definition();
        }
    }

    /// Parses `x \in S, y \in T`, or names without sets.
    fn bounds_or_names(&mut self) {
        let mut distance = 0;
        while self.raw(distance).kind == TokenKind::Ident && self.raw(distance + 1).kind == TokenKind::Comma {
            distance += 2;
        }
        let last = self.raw(distance + usize::from(self.raw(distance).kind == TokenKind::Ident)).kind;
        if last.is_op("\\in") || last == TokenKind::LAngle {
            self.bounds();
        } else {
            self.comma_list(|parser| parser.ident("a name"));
        }
    }
}
