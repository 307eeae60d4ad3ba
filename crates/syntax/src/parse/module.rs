//! Parses modules and their units.

use kilter_base::Span;

use super::Parser;
use crate::ast::{Ident, Module, Unit, UnitKind};
use crate::errors;
use crate::token::TokenKind;

/// The most modules inside of each other.
const MODULES_MAX: u32 = 50;

impl Parser<'_> {
    /// Parses `---- MODULE M ---- … ====`. The dashes must come next.
    pub(super) fn module(&mut self) -> Module {
        let start = self.next_span();
        self.advance();
        let name = self.ident_or_keyword("the module's name");
        self.expect(TokenKind::Separator, "`----`");
        if self.failed {
            self.synchronize(usize::MAX, 1);
            self.eat(TokenKind::Separator);
        }
        let extends = self.extends();
        self.synchronize(usize::MAX, 1);
        let mut units = Vec::new();
        loop {
            match self.peek() {
                TokenKind::EndModule => {
                    self.advance();
                    break;
                }
                TokenKind::End => {
                    // A text that ends in the middle of a formula is told once.
                    let end = self.next_span();
                    if !self.diagnostics.iter().any(|told| told.span == Some(end)) {
                        self.diagnostics.push(errors::module_not_closed(end, name.span));
                    }
                    break;
                }
                _ => units.push(self.unit()),
            }
        }
        Module { name, extends, units, span: self.span_from(start) }
    }

    fn extends(&mut self) -> Vec<Ident> {
        if self.eat_keyword("EXTENDS") {
            self.comma_list(|parser| parser.ident_or_keyword("a module's name"))
        } else {
            Vec::new()
        }
    }

    /// Parses a unit. Leaves the parser at the next unit, even after an error.
    fn unit(&mut self) -> Unit {
        let start = self.next_span();
        let (position, column) = (self.position, self.raw(0).column);
        let unit = self.unit_here(start);
        self.synchronize(position, column);
        unit
    }

    fn unit_here(&mut self, start: Span) -> Unit {
        let kind = match self.peek() {
            TokenKind::Definition => return self.definition(),
            TokenKind::Keyword("LOCAL") if self.peek_second() != TokenKind::Keyword("INSTANCE") => {
                return self.definition();
            }
            TokenKind::Keyword("LOCAL") => {
                self.advance();
                UnitKind::Instance { local: true, instance: self.instance() }
            }
            TokenKind::Keyword("INSTANCE") => UnitKind::Instance { local: false, instance: self.instance() },
            TokenKind::Keyword("RECURSIVE") => return self.recursive(),
            TokenKind::Keyword("CONSTANT") => {
                self.advance();
                UnitKind::Constants(self.comma_list(Self::declaration))
            }
            TokenKind::Keyword("VARIABLE") => {
                self.advance();
                UnitKind::Variables(self.comma_list(|parser| parser.ident("a variable's name")))
            }
            TokenKind::Keyword(keyword @ ("ASSUME" | "ASSUMPTION" | "AXIOM")) => {
                self.advance();
                let name = self.statement_name();
                UnitKind::Assume { axiom: keyword == "AXIOM", name, body: self.expression() }
            }
            TokenKind::Keyword("THEOREM") => self.theorem(),
            TokenKind::Keyword("USE" | "HIDE") => {
                self.use_or_hide();
                UnitKind::UseOrHide
            }
            TokenKind::Separator => {
                self.advance();
                UnitKind::Separator
            }
            TokenKind::BeginModule => self.nested_module(),
            TokenKind::Keyword("EXTENDS") => {
                self.fail(errors::extends_not_first(start));
                UnitKind::Separator
            }
            _ => {
                let found = self.found();
                self.fail(errors::not_a_unit(start, &found));
                UnitKind::Separator
            }
        };
        Unit { kind, span: self.span_from(start) }
    }

    fn nested_module(&mut self) -> UnitKind {
        if self.nesting >= MODULES_MAX {
            self.fail(errors::too_deep(self.next_span(), MODULES_MAX));
            return UnitKind::Separator;
        }
        self.nesting += 1;
        let module = self.module();
        self.nesting -= 1;
        UnitKind::Module(module)
    }

    /// Parses `name ==` after ASSUME or THEOREM, if it is there.
    pub(super) fn statement_name(&mut self) -> Option<Ident> {
        let named = self.raw(0).kind == TokenKind::Ident && self.peek_second() == TokenKind::Define;
        (named && !self.failed).then(|| {
            let name = self.take_ident();
            self.advance();
            name
        })
    }

    fn theorem(&mut self) -> UnitKind {
        self.advance();
        let name = self.statement_name();
        let body = if self.at_assume_prove() {
            self.assume_prove();
            None
        } else {
            Some(self.expression())
        };
        self.proof();
        UnitKind::Theorem { name, body }
    }

    /// After an error, skips to the next unit. The failed unit started at this position and column.
    fn synchronize(&mut self, position: usize, column: u32) {
        if !self.failed {
            return;
        }
        self.failed = false;
        self.in_proof = false;
        if self.position == position && !self.at_module_mark() {
            self.advance();
        }
        while !(self.at_module_mark() || self.at_unit(column)) {
            self.advance();
        }
    }

    fn at_module_mark(&self) -> bool {
        matches!(
            self.raw(0).kind,
            TokenKind::End | TokenKind::EndModule | TokenKind::BeginModule | TokenKind::Separator
        )
    }

    /// Whether a unit starts here, in this column or further left.
    fn at_unit(&self, column: u32) -> bool {
        let token = self.raw(0);
        let is_keyword = matches!(
            token.kind,
            TokenKind::Keyword(
                "LOCAL"
                    | "INSTANCE"
                    | "RECURSIVE"
                    | "CONSTANT"
                    | "VARIABLE"
                    | "ASSUME"
                    | "ASSUMPTION"
                    | "AXIOM"
                    | "THEOREM"
                    | "USE"
                    | "HIDE"
                    | "EXTENDS"
            )
        );
        token.column <= column && (is_keyword || self.starts[self.position])
    }
}
