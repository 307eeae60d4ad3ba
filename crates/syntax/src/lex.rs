//! Splits text into tokens. Comments are dropped. Every token keeps its column, because junction lists need it.

use kilter_base::{Diagnostics, FileId, Span};

use crate::columns::Columns;
use crate::errors;
use crate::token::{Token, TokenKind, symbol, word};

/// The tokens of the first module in the text, from `---- MODULE` to its `====`; `None` if there is no module.
pub(crate) fn lex_module(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Vec<Token>> {
    let start = module_start(text)?;
    Some(Lexer::new(file, text, start, diagnostics).run(true))
}

/// The tokens of the whole text.
pub(crate) fn lex_all(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    Lexer::new(file, text, 0, diagnostics).run(false)
}

/// Replaces the escapes of a string literal that still has its quotes.
pub(crate) fn unescape(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut result = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        result.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    result
}

/// The offset of the dashes of the first `---- MODULE`. The text before it does not matter, not even comments.
fn module_start(text: &str) -> Option<usize> {
    text.match_indices("MODULE").find_map(|(offset, _)| {
        let before = text[..offset].trim_end_matches(' ');
        let start = before.trim_end_matches('-').len();
        (before.len() - start >= 4).then_some(start)
    })
}

struct Lexer<'s, 'd> {
    file: FileId,
    text: &'s str,
    position: usize,
    columns: Columns<'s>,
    tokens: Vec<Token>,
    diagnostics: &'d mut Diagnostics,
}

impl<'s, 'd> Lexer<'s, 'd> {
    fn new(file: FileId, text: &'s str, position: usize, diagnostics: &'d mut Diagnostics) -> Self {
        Lexer { file, text, position, columns: Columns::new(text), tokens: Vec::new(), diagnostics }
    }

    /// Lexes up to the end of the text, or of the module if `one_module` is set.
    fn run(mut self, one_module: bool) -> Vec<Token> {
        let mut depth = 0_u32;
        while let Some(first) = self.skip_blanks() {
            match self.token(first) {
                TokenKind::BeginModule => depth += 1,
                TokenKind::EndModule => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if one_module && depth == 0 {
                break;
            }
        }
        let end = self.position as u32;
        self.tokens.push(Token { kind: TokenKind::End, start: end, end, column: u32::MAX });
        self.tokens
    }

    fn rest(&self) -> &'s str {
        &self.text[self.position..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    /// Skips blanks and comments. Returns the next character, or `None` at the end.
    fn skip_blanks(&mut self) -> Option<char> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']).len();
            self.position += blanks;
            let rest = self.rest();
            if rest.starts_with("\\*") {
                self.position += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("(*") {
                self.block_comment();
            } else {
                return rest.chars().next();
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.position;
        let bytes = self.text.as_bytes();
        let mut depth = 0_u32;
        while self.position < bytes.len() {
            match &bytes[self.position..] {
                [b'(', b'*', ..] => depth += 1,
                [b'*', b')', ..] => depth -= 1,
                _ => {
                    self.position += 1;
                    continue;
                }
            }
            self.position += 2;
            if depth == 0 {
                return;
            }
        }
        self.diagnostics.push(errors::unterminated_comment(self.span(start, start + 2)));
    }

    /// Lexes one token and returns its kind.
    fn token(&mut self, first: char) -> TokenKind {
        let rest = self.rest();
        let found = match first {
            '-' if rest.starts_with("----") => Some(dashes(rest)),
            '=' if rest.starts_with("====") => Some((run_length(rest, '='), TokenKind::EndModule)),
            '"' => Some((self.string(), TokenKind::String)),
            '<' => step(rest).or_else(|| symbol(rest)),
            '\\' => number_with_base(rest).or_else(|| symbol(rest)),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Some(identifier_or_number(rest)),
            _ => symbol(rest),
        };
        let (length, kind) = found.unwrap_or_else(|| {
            let span = self.span(self.position, self.position + first.len_utf8());
            self.diagnostics.push(errors::unknown_character(span, first));
            (first.len_utf8(), TokenKind::Unknown)
        });
        let start = self.position;
        self.position += length;
        let column = self.columns.at(start);
        self.tokens.push(Token { kind, start: start as u32, end: self.position as u32, column });
        kind
    }

    /// The length in bytes of the string literal that starts here.
    fn string(&mut self) -> usize {
        let rest = self.rest();
        let mut characters = rest.char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => return offset + 1,
                '\n' | '\r' => return self.unterminated_string(offset),
                '\\' => match characters.next() {
                    Some((_, 'n' | 't' | 'r' | 'f' | '\\' | '"')) => {}
                    Some((end, '\n' | '\r')) => return self.unterminated_string(end),
                    Some((end, other)) => {
                        let span = self.span(self.position + offset, self.position + end + other.len_utf8());
                        self.diagnostics.push(errors::unknown_escape(span, other));
                    }
                    None => break,
                },
                _ => {}
            }
        }
        self.unterminated_string(rest.len())
    }

    fn unterminated_string(&mut self, length: usize) -> usize {
        let span = self.span(self.position, self.position + length);
        self.diagnostics.push(errors::unterminated_string(span));
        length
    }
}

fn run_length(text: &str, character: char) -> usize {
    text.len() - text.trim_start_matches(character).len()
}

fn dashes(text: &str) -> (usize, TokenKind) {
    let dashes = run_length(text, '-');
    let blanks = run_length(&text[dashes..], ' ');
    if text[dashes + blanks..].starts_with("MODULE") {
        (dashes + blanks + "MODULE".len(), TokenKind::BeginModule)
    } else {
        (dashes, TokenKind::Separator)
    }
}

fn word_length(text: &str) -> usize {
    text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(text.len())
}

fn identifier_or_number(text: &str) -> (usize, TokenKind) {
    // `WF_x` is the fairness operator followed by `x`. No identifier starts like this.
    if text.starts_with("WF_") {
        return (3, TokenKind::Weak);
    }
    if text.starts_with("SF_") {
        return (3, TokenKind::Strong);
    }
    let run = &text[..word_length(text)];
    if run.contains(|character: char| character.is_ascii_alphabetic()) {
        (run.len(), word(run))
    } else if run.starts_with('_') {
        (1, TokenKind::Underscore)
    } else {
        (run.find('_').unwrap_or(run.len()), TokenKind::Number)
    }
}

/// Lexes `\b101`, `\o17` and `\hFF`.
fn number_with_base(text: &str) -> Option<(usize, TokenKind)> {
    let base = match text.as_bytes().get(1)? {
        b'b' | b'B' => 2,
        b'o' | b'O' => 8,
        b'h' | b'H' => 16,
        _ => return None,
    };
    let digits = text[2..].chars().take_while(|digit| digit.is_digit(base)).count();
    (digits > 0).then_some((2 + digits, TokenKind::Number))
}

/// Lexes the start of a proof step: `<1>`, `<1>2`, `<*>a.`, `<+>`.
fn step(text: &str) -> Option<(usize, TokenKind)> {
    let level = match text.as_bytes().get(1)? {
        b'*' | b'+' => 1,
        _ => run_of_digits(&text[1..]),
    };
    if level == 0 || text.as_bytes().get(1 + level) != Some(&b'>') {
        return None;
    }
    let mut length = level + 2;
    let name = word_length(&text[length..]);
    length += name;
    // `<1>*` and `<1>-` are unnamed steps too.
    if name == 0 && matches!(text.as_bytes().get(length), Some(b'*' | b'-')) {
        length += 1;
    }
    length += run_length(&text[length..], '.');
    Some((length, TokenKind::Step))
}

fn run_of_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}
