//! Parses tokens to trees by recursive descent, in a thread with a deep stack.
//!
//! - [`module`] modules and their units
//! - [`declare`] the left sides of definitions, declarations, instances
//! - [`expr`]   operators by precedence
//! - [`operand`] operands: names, brackets of all kinds, junction lists
//! - [`open`]   expressions that extend as far as possible: quantifiers, IF, CASE, LET, CHOOSE
//! - [`proof`]  proofs, whose form is checked, and which are dropped
//!
//! After the first error in a unit, [`Parser::peek`] returns [`TokenKind::End`] until the next unit. So every function
//! returns at once, and nothing is reported twice.

mod declare;
mod definitions;
mod expr;
mod module;
mod open;
mod operand;
mod proof;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_base::{Diagnostic, Diagnostics, FileId, Name, Span};

use crate::ast::{Expr, ExprKind, Ident, Module};
use crate::errors;
use crate::token::{Token, TokenKind};

/// Parses the tokens of a module.
pub(crate) fn module(
    file: FileId,
    text: &str,
    tokens: Vec<Token>,
    diagnostics: Diagnostics,
) -> (Module, Diagnostics) {
    memory::with_stack(DEEP_STACK_BYTES, |_| {
        let mut parser = Parser::new(file, text, tokens, diagnostics);
        let module = parser.module();
        (module, parser.diagnostics)
    })
}

/// Parses tokens that are one expression.
pub(crate) fn expression(
    file: FileId,
    text: &str,
    tokens: Vec<Token>,
    diagnostics: Diagnostics,
) -> (Expr, Diagnostics) {
    memory::with_stack(DEEP_STACK_BYTES, |_| {
        let mut parser = Parser::new(file, text, tokens, diagnostics);
        let expr = parser.expression();
        if parser.peek() != TokenKind::End {
            parser.fail_expected("an operator or the end of the text");
        }
        (expr, parser.diagnostics)
    })
}

/// The most brackets, quantifiers and the like inside of each other.
const NESTING_MAX: u32 = 3000;

/// The most levels that a tree may have because of long chains of operators.
const HEIGHT_MAX: u32 = 120_000;

/// The most stack that a level of a tree takes in later stages.
const HEIGHT_BYTES: usize = 8 << 10;
const NESTING_BYTES: usize = 16 << 10;

/// The number of levels for which the stacks of later stages suffice. It is `max`, or less where stacks are small
/// because memory is limited.
fn levels(max: u32, level_bytes: usize) -> u32 {
    u32::try_from(memory::stack_bytes(DEEP_STACK_BYTES) / level_bytes).map_or(max, |fitting| fitting.min(max))
}

struct Parser<'s> {
    file: FileId,
    text: &'s str,
    tokens: Vec<Token>,
    /// For each token, whether a definition starts there.
    starts: Vec<bool>,
    position: usize,
    /// The position of the definition that is being parsed. Its first token does not end an expression any more.
    opened: usize,
    /// The column of the innermost junction list. A token in this column or further left ends an item.
    indent: u32,
    /// The bullet of the current item.
    bullet: Span,
    failed: bool,
    in_proof: bool,
    nesting: u32,
    nesting_max: u32,
    height_max: u32,
    /// The height of the highest expression parsed so far inside of the current one.
    height: u32,
    /// The number of precedence conflicts so far.
    n_conflicts: u32,
    diagnostics: Diagnostics,
}

impl<'s> Parser<'s> {
    fn new(file: FileId, text: &'s str, tokens: Vec<Token>, diagnostics: Diagnostics) -> Self {
        let starts = definitions::starts(&tokens);
        Parser {
            file,
            text,
            tokens,
            starts,
            position: 0,
            opened: usize::MAX,
            indent: 0,
            bullet: Span { file, start: 0, end: 0 },
            failed: false,
            in_proof: false,
            nesting: 0,
            nesting_max: levels(NESTING_MAX, NESTING_BYTES),
            height_max: levels(HEIGHT_MAX, HEIGHT_BYTES),
            height: 0,
            n_conflicts: 0,
            diagnostics,
        }
    }

    /// The token at this distance, whatever its column. The last token if there are no more.
    fn raw(&self, distance: usize) -> Token {
        // The list always ends with an `End` token.
        self.tokens[(self.position + distance).min(self.tokens.len() - 1)]
    }

    /// The kind of the next token, as the current construct sees it: a token that ends the construct looks different.
    fn peek(&self) -> TokenKind {
        let token = self.raw(0);
        if self.failed {
            TokenKind::End
        } else if token.column <= self.indent {
            TokenKind::Outdent
        } else if self.starts[self.position] && self.opened != self.position {
            TokenKind::Definition
        } else {
            token.kind
        }
    }

    /// The kind of the token after the next one, whatever its column.
    fn peek_second(&self) -> TokenKind {
        self.raw(1).kind
    }

    fn advance(&mut self) -> Token {
        let token = self.raw(0);
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: &'static str) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn at_keyword(&self, keyword: &'static str) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    /// Takes the token, or fails.
    fn expect(&mut self, kind: TokenKind, what: &str) {
        if !self.eat(kind) {
            self.fail_expected(what);
        }
    }

    /// Takes the operator of this name, or fails.
    fn expect_op(&mut self, name: &str, what: &str) {
        if self.peek().is_op(name) {
            self.advance();
        } else {
            self.fail_expected(what);
        }
    }

    /// Takes the closing bracket, or fails with a pointer to the opening one.
    fn expect_close(&mut self, kind: TokenKind, spelling: &str, open: Span) {
        if self.eat(kind) {
            return;
        }
        let diagnostic = match self.peek() {
            TokenKind::Outdent | TokenKind::Definition => self.unexpected(&format!("`{spelling}`")),
            _ => errors::expected(self.next_span(), &format!("`{spelling}`"), &self.found()),
        };
        self.fail(errors::unclosed(diagnostic, open));
    }

    fn fail(&mut self, diagnostic: Diagnostic) {
        // An unknown character has been reported already.
        if !self.failed && self.raw(0).kind != TokenKind::Unknown {
            self.diagnostics.push(diagnostic);
        }
        self.failed = true;
    }

    fn fail_expected(&mut self, what: &str) {
        let diagnostic = self.unexpected(what);
        self.fail(diagnostic);
    }

    /// What to say of the next token, where something else should be.
    fn unexpected(&self, what: &str) -> Diagnostic {
        let span = self.next_span();
        match self.peek() {
            TokenKind::Outdent => errors::not_indented(span, what, &self.found(), self.bullet),
            TokenKind::Definition => errors::definition_starts(span, what, self.token_text(self.raw(0))),
            TokenKind::Define => errors::define_in_expression(span, what),
            _ => errors::expected(span, what, &self.found()),
        }
    }

    /// The next token, as text for a message.
    fn found(&self) -> String {
        let token = self.raw(0);
        let text = self.token_text(token);
        match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            // A long string or line of dashes would make the message unreadable.
            _ => match text.char_indices().nth(30) {
                Some((cut, _)) => format!("`{}…`", &text[..cut]),
                None => format!("`{text}`"),
            },
        }
    }

    fn token_text(&self, token: Token) -> &'s str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn token_span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn next_span(&self) -> Span {
        self.token_span(self.raw(0))
    }

    /// The text from `start` to the end of the last token taken.
    fn span_from(&self, start: Span) -> Span {
        let last = self.position.checked_sub(1).map_or(start, |index| self.token_span(self.tokens[index]));
        start.to(last)
    }

    fn expr(&self, kind: ExprKind, start: Span) -> Expr {
        Expr { kind: Box::new(kind), span: self.span_from(start) }
    }

    fn error_expr(&self) -> Expr {
        Expr { kind: Box::new(ExprKind::Error), span: self.next_span() }
    }

    /// Takes an identifier, or fails.
    fn ident(&mut self, what: &str) -> Ident {
        if self.peek() == TokenKind::Ident {
            return self.take_ident();
        }
        self.fail_expected(what);
        Ident { name: Name::from(""), span: self.next_span() }
    }

    /// Takes an identifier, or a keyword as one, because module names and fields may be keywords. Fails for other
    /// tokens.
    fn ident_or_keyword(&mut self, what: &str) -> Ident {
        let is_word = |text: &str| text.starts_with(|first: char| first.is_ascii_alphabetic());
        match self.peek() {
            TokenKind::Keyword(_) | TokenKind::Op(_) | TokenKind::Weak | TokenKind::Strong
                if is_word(self.token_text(self.raw(0))) =>
            {
                self.take_ident()
            }
            _ => self.ident(what),
        }
    }

    /// Takes any token as a name. Operator symbols get their canonical spelling.
    fn take_ident(&mut self) -> Ident {
        let token = self.advance();
        let text = match token.kind.operator() {
            Some(operator) => operator.name,
            None => plain_name(self.token_text(token)),
        };
        Ident { name: Name::from(text), span: self.token_span(token) }
    }

    /// Parses one or more items with commas between them.
    fn comma_list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut items = vec![item(self)];
        while self.eat(TokenKind::Comma) {
            items.push(item(self));
        }
        items
    }
}

/// Replaces the symbols of the number sets by their names.
pub(crate) fn plain_name(text: &str) -> &str {
    match text {
        "ℕ" => "Nat",
        "ℤ" => "Int",
        "ℝ" => "Real",
        other => other,
    }
}
