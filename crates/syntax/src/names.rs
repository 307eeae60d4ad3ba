//! Lists words and strings in the order of first appearance. TLC orders strings and model values by it, so `spec` needs
//! it.

use std::collections::BTreeSet;

use kilter_base::{Diagnostics, FileId, Name, Sources};

use crate::lex::{lex_all, lex_module, unescape};
use crate::parse::plain_name;
use crate::token::{Token, TokenKind};

/// Every token of the file's module as it is written, except strings. Each is listed once.
pub fn words_in_order(sources: &Sources, file: FileId) -> Vec<Name> {
    let text = &sources.file(file).text;
    let mut seen = BTreeSet::new();
    let tokens = module_tokens(sources, file);
    let words = tokens.iter().filter(|token| !matches!(token.kind, TokenKind::String | TokenKind::End));
    words
        .map(|token| Name::from(plain_name(&text[token.start as usize..token.end as usize])))
        .filter(|word| seen.insert(word.clone()))
        .collect()
}

/// Every string of the file's module, with escapes replaced. Each is listed once.
pub fn string_literals_in_order(sources: &Sources, file: FileId) -> Vec<Name> {
    collect(sources, file, &module_tokens(sources, file), TokenKind::String, TokenKind::String)
}

/// The identifiers and strings of the file's module as one sequence, because TLC keeps both in one table.
pub fn names_in_order(sources: &Sources, file: FileId) -> Vec<Name> {
    collect(sources, file, &module_tokens(sources, file), TokenKind::Ident, TokenKind::String)
}

/// Every identifier and string of a configuration file. Each is listed once.
pub fn config_identifiers_in_order(sources: &Sources, file: FileId) -> Vec<Name> {
    let tokens = lex_all(file, &sources.file(file).text, &mut Diagnostics::default());
    collect(sources, file, &tokens, TokenKind::Ident, TokenKind::String)
}

fn module_tokens(sources: &Sources, file: FileId) -> Vec<Token> {
    // The parser of the file reports its mistakes.
    lex_module(file, &sources.file(file).text, &mut Diagnostics::default()).unwrap_or_default()
}

fn collect(sources: &Sources, file: FileId, tokens: &[Token], one: TokenKind, other: TokenKind) -> Vec<Name> {
    let text = &sources.file(file).text;
    let mut seen = BTreeSet::new();
    let wanted = tokens.iter().filter(|token| token.kind == one || token.kind == other);
    wanted
        .map(|token| {
            let text = &text[token.start as usize..token.end as usize];
            match token.kind {
                TokenKind::String => Name::from(unescape(text)),
                _ => Name::from(plain_name(text)),
            }
        })
        .filter(|name| seen.insert(name.clone()))
        .collect()
}
