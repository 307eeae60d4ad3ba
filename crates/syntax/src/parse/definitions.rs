//! Finds the tokens at which definitions start, before parsing. It goes backwards from each `==`.
//!
//! An expression must end where the next definition starts. In `A == B  x + y == z`, only the second `==` tells that
//! `x + y` is not a part of `B`.

use crate::ast::Fixity;
use crate::token::{Token, TokenKind};

/// For each token, whether it is the first one of a definition's left side.
pub(super) fn starts(tokens: &[Token]) -> Vec<bool> {
    let mut starts = vec![false; tokens.len()];
    let mut open = Vec::new();
    let mut last_closed = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket => open.push(index),
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBracketSub => {
                last_closed = open.pop().map(|opening| (opening, index));
            }
            TokenKind::Define => {
                if let Some(start) = head_start(tokens, index, last_closed) {
                    starts[start] = true;
                }
            }
            _ => {}
        }
    }
    starts
}

/// The index of the first token of the left side whose `==` is at `define`.
fn head_start(tokens: &[Token], define: usize, last_closed: Option<(usize, usize)>) -> Option<usize> {
    let last = define.checked_sub(1)?;
    match tokens[last].kind {
        TokenKind::RParen | TokenKind::RBracket => {
            let (opening, closing) = last_closed?;
            let name = opening.checked_sub(1)?;
            (closing == last && is_ident(tokens, name)).then_some(name)
        }
        TokenKind::Ident => Some(operator_head(tokens, last).unwrap_or(last)),
        kind if kind.has_fixity(Fixity::Postfix) => {
            let operand = last.checked_sub(1)?;
            is_ident(tokens, operand).then_some(operand)
        }
        _ => None,
    }
}

/// The same for `a + b ==` and `-. b ==`, where `b` is at `last`.
fn operator_head(tokens: &[Token], last: usize) -> Option<usize> {
    let symbol = last.checked_sub(1)?;
    let operator = tokens[symbol].kind.operator()?;
    let before = symbol.checked_sub(1);
    match operator.fixity {
        // If `A == b +` is followed by `C == d` on the next line, an operand is missing after `+`. It is not a
        // definition of `b + C`.
        Fixity::Infix => {
            before.filter(|left| is_ident(tokens, *left) && tokens[*left].column < tokens[last].column)
        }
        // In `WITH x <- -.` the operator replaces `x`. In `r.DOMAIN` it is a field.
        Fixity::Prefix
            if before
                .is_some_and(|left| matches!(tokens[left].kind, TokenKind::Substitute | TokenKind::Dot)) =>
        {
            None
        }
        Fixity::Prefix => Some(symbol),
        _ => None,
    }
}

fn is_ident(tokens: &[Token], index: usize) -> bool {
    tokens[index].kind == TokenKind::Ident
}
