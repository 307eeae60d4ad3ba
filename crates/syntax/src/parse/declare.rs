//! Parses definitions, declarations and instances.

use super::Parser;
use crate::ast::{
    Expr, Fixity, FunctionDef, Ident, Instance, ModuleDef, OpDecl, OperatorDef, Unit, UnitKind,
};
use crate::token::TokenKind;

/// The left side of `==`, without LOCAL.
struct Head {
    name: Ident,
    fixity: Fixity,
    params: Vec<OpDecl>,
}

impl Parser<'_> {
    /// Parses `[LOCAL] F(a) == e`, `[LOCAL] f[x \in S] == e`, `[LOCAL] I(a) == INSTANCE M`.
    pub(super) fn definition(&mut self) -> Unit {
        let start = self.next_span();
        let local = self.eat_keyword("LOCAL");
        if self.peek() != TokenKind::Definition {
            self.fail_expected("a definition");
        }
        self.opened = self.position;
        let kind = if self.peek_second() == TokenKind::LBracket {
            self.function_definition(local)
        } else {
            self.operator_definition(local)
        };
        Unit { kind, span: self.span_from(start) }
    }

    fn function_definition(&mut self, local: bool) -> UnitKind {
        let name = self.ident("a name");
        let open = self.next_span();
        self.expect(TokenKind::LBracket, "`[`");
        let bounds = self.bounds();
        self.expect_close(TokenKind::RBracket, "]", open);
        self.expect(TokenKind::Define, "`==`");
        UnitKind::Function(FunctionDef { local, name, bounds, body: self.expression() })
    }

    fn operator_definition(&mut self, local: bool) -> UnitKind {
        let Head { name, fixity, params } = self.head();
        self.expect(TokenKind::Define, "`==`");
        if fixity == Fixity::Nonfix && self.at_keyword("INSTANCE") {
            let instance = self.instance();
            UnitKind::ModuleDef(ModuleDef { local, name, params, instance })
        } else {
            UnitKind::Operator(OperatorDef { local, name, fixity, params, body: self.expression() })
        }
    }

    fn head(&mut self) -> Head {
        if self.peek().has_fixity(Fixity::Prefix) {
            let name = self.take_ident();
            return Head { name, fixity: Fixity::Prefix, params: vec![self.parameter()] };
        }
        let first = self.ident("a name");
        if self.peek().has_fixity(Fixity::Postfix) {
            let name = self.take_ident();
            return Head { name, fixity: Fixity::Postfix, params: vec![plain(first)] };
        }
        if self.peek().has_fixity(Fixity::Infix) {
            let name = self.take_ident();
            return Head { name, fixity: Fixity::Infix, params: vec![plain(first), self.parameter()] };
        }
        let open = self.next_span();
        let mut params = Vec::new();
        if self.eat(TokenKind::LParen) {
            params = self.comma_list(Self::declaration);
            self.expect_close(TokenKind::RParen, ")", open);
        }
        Head { name: first, fixity: Fixity::Nonfix, params }
    }

    fn parameter(&mut self) -> OpDecl {
        plain(self.ident("a parameter"))
    }

    /// Parses `F`, `F(_, _)`, `_ + _`, `-. _`, `_ ^+`.
    pub(super) fn declaration(&mut self) -> OpDecl {
        match self.peek() {
            TokenKind::Underscore => {
                self.advance();
                match self.peek().operator() {
                    Some(operator) if operator.fixity == Fixity::Infix => {
                        let name = self.take_ident();
                        self.expect(TokenKind::Underscore, "`_`");
                        OpDecl { name, arity: 2 }
                    }
                    Some(operator) if operator.fixity == Fixity::Postfix => {
                        OpDecl { name: self.take_ident(), arity: 1 }
                    }
                    _ => plain(self.ident("an infix or postfix operator")),
                }
            }
            kind if kind.has_fixity(Fixity::Prefix) => {
                let name = self.take_ident();
                self.expect(TokenKind::Underscore, "`_`");
                OpDecl { name, arity: 1 }
            }
            _ => {
                let name = self.ident("a name, or an operator with `_` for its arguments");
                OpDecl { name, arity: self.blanks() }
            }
        }
    }

    /// Parses `(_, _)` and returns the number of `_`. Returns 0 if there is no such list.
    fn blanks(&mut self) -> u32 {
        // In `ASSUME NEW x, (x = 1)` the parenthesis does not begin a list of arguments.
        if self.peek() != TokenKind::LParen || self.peek_second() != TokenKind::Underscore {
            return 0;
        }
        let open = self.next_span();
        self.advance();
        let blanks = self.comma_list(|parser| parser.expect(TokenKind::Underscore, "`_`"));
        self.expect_close(TokenKind::RParen, ")", open);
        blanks.len() as u32
    }

    /// Parses `RECURSIVE F(_), G`.
    pub(super) fn recursive(&mut self) -> Unit {
        let start = self.next_span();
        self.advance();
        let declarations = self.comma_list(Self::declaration);
        Unit { kind: UnitKind::Recursive(declarations), span: self.span_from(start) }
    }

    /// Parses `INSTANCE M WITH x <- e, …`. INSTANCE must come next.
    pub(super) fn instance(&mut self) -> Instance {
        let start = self.next_span();
        self.advance();
        let module = self.ident_or_keyword("a module's name");
        let substitutions =
            if self.eat_keyword("WITH") { self.comma_list(Self::substitution) } else { Vec::new() };
        Instance { module, substitutions, span: self.span_from(start) }
    }

    fn substitution(&mut self) -> (Ident, Expr) {
        let name = match self.peek() {
            TokenKind::Op(_) | TokenKind::Bullet(_) => self.take_ident(),
            _ => self.ident("what to substitute"),
        };
        self.expect(TokenKind::Substitute, "`<-`");
        (name, self.operator_or_expression())
    }
}

fn plain(name: Ident) -> OpDecl {
    OpDecl { name, arity: 0 }
}
