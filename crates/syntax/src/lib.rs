//! Parses TLA+ text to a syntax tree, and prints trees as text.
//!
//! - [`ast`]       the tree of a module and of a configuration file
//! - [`operators`] the operator symbols with their spellings and precedences
//! - `token`, `columns`, `lex` text to tokens; they keep their columns, because junction lists need them
//! - `parse`       tokens to a [`Module`]; it never fails, but returns diagnostics
//! - `config`      configuration files to an [`ast::Config`]
//! - `print`       a tree to text; `parse(print(t)) == t` is this crate's main test
//! - `dump`        a tree as an S-expression, for tests and for comparing trees
//! - `pluscal`     PlusCal algorithms: whether their translations are there, and up to date
//! - `names`       identifiers and strings in the order of appearance
//! - `errors`      the wording of all diagnostics

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod ast;
mod operators;

mod columns;
mod config;
mod dump;
mod errors;
mod lex;
mod names;
mod parse;
mod pluscal;
mod print;
mod token;

pub use config::{closest_keyword, parse_config};
pub use dump::{same_tree, sexpr, sexpr_module};
pub use names::{config_identifiers_in_order, names_in_order, string_literals_in_order, words_in_order};
pub use pluscal::pluscal_warnings;
pub use print::{print_expr, print_module};

use ast::{Expr, Module};
use kilter_base::{Diagnostics, FileId, Sources, Span};

/// Parses the first module of a file. The text before `---- MODULE` and after its `====` is ignored.
///
/// If there is a module, there is always a tree. It has [`ast::ExprKind::Error`] where something could not be read.
pub fn parse_module(sources: &Sources, file: FileId) -> (Option<Module>, Diagnostics) {
    let text = &sources.file(file).text;
    let mut diagnostics = Diagnostics::default();
    let Some(tokens) = lex::lex_module(file, text, &mut diagnostics) else {
        diagnostics.push(errors::no_module(Span { file, start: 0, end: 0 }));
        return (None, diagnostics);
    };
    let (module, diagnostics) = parse::module(file, text, tokens, diagnostics);
    (Some(module), in_order(&diagnostics))
}

/// Parses a file whose whole text is one expression.
pub fn parse_expr(sources: &Sources, file: FileId) -> (Expr, Diagnostics) {
    let text = &sources.file(file).text;
    let mut diagnostics = Diagnostics::default();
    let tokens = lex::lex_all(file, text, &mut diagnostics);
    let (expr, diagnostics) = parse::expression(file, text, tokens, diagnostics);
    (expr, in_order(&diagnostics))
}

/// Sorts diagnostics by place, because the lexer and the parser report separately.
fn in_order(diagnostics: &Diagnostics) -> Diagnostics {
    let mut sorted: Vec<_> = diagnostics.iter().cloned().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.span);
    let mut result = Diagnostics::default();
    for diagnostic in sorted {
        result.push(diagnostic);
    }
    result
}
