//! Splits DOT text into tokens.

use std::borrow::Cow;

use super::ImportError;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An unquoted id or number.
    Word(&'t str),
    /// The text between quotes. Its escapes are not undone.
    Quoted(&'t str),
    /// `{ } [ ] = ; ,`
    Sign(char),
    /// `->`
    Arrow,
}

/// Reads tokens one by one.
pub(super) struct Lexer<'t> {
    rest: &'t str,
    line: usize,
    peeked: Option<(Option<Token<'t>>, usize)>,
}

const SIGNS: &str = "{}[]=;,";

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { rest: text, line: 1, peeked: None }
    }

    /// The line of the last token.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ImportError> {
        Err(ImportError { line: self.line, message: message.into() })
    }

    pub(super) fn next(&mut self) -> Result<Option<Token<'t>>, ImportError> {
        match self.peeked.take() {
            Some((token, line)) => {
                self.line = line;
                Ok(token)
            }
            None => self.read(),
        }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&mut self) -> Result<Option<Token<'t>>, ImportError> {
        if let Some((token, _)) = self.peeked {
            return Ok(token);
        }
        let line = self.line;
        let token = self.read()?;
        self.peeked = Some((token, std::mem::replace(&mut self.line, line)));
        Ok(token)
    }

    /// Takes the next token if it is this sign.
    pub(super) fn eat(&mut self, sign: char) -> Result<bool, ImportError> {
        let found = self.peek()? == Some(Token::Sign(sign));
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), ImportError> {
        if self.eat(sign)? {
            return Ok(());
        }
        let found = self.next()?;
        self.error(format!("`{sign}` was expected, and {} was found", describe(found)))
    }

    fn read(&mut self) -> Result<Option<Token<'t>>, ImportError> {
        let trimmed = self.rest.trim_start();
        self.take(self.rest.len() - trimmed.len());
        let Some(first) = trimmed.chars().next() else { return Ok(None) };
        if trimmed.starts_with("->") {
            self.take(2);
            return Ok(Some(Token::Arrow));
        }
        if SIGNS.contains(first) {
            self.take(1);
            return Ok(Some(Token::Sign(first)));
        }
        if first == '"' { self.read_quoted() } else { Ok(Some(self.read_word())) }
    }

    fn read_quoted(&mut self) -> Result<Option<Token<'t>>, ImportError> {
        let mut is_escaped = false;
        for (offset, byte) in self.rest.bytes().enumerate().skip(1) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    let inside = &self.rest[1..offset];
                    self.take(offset + 1);
                    return Ok(Some(Token::Quoted(inside)));
                }
                _ => {}
            }
        }
        self.error("a text in quotes has no end; is the dump cut off?")
    }

    fn read_word(&mut self) -> Token<'t> {
        let is_end = |c: char| c.is_whitespace() || c == '"' || SIGNS.contains(c);
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let end = self.rest[..end].find("->").unwrap_or(end);
        let word = &self.rest[..end];
        self.take(end);
        Token::Word(word)
    }

    /// Skips this many bytes.
    fn take(&mut self, n_bytes: usize) {
        let (taken, rest) = self.rest.split_at(n_bytes);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
    }
}

/// A token, as an error message names it.
pub(super) fn describe(token: Option<Token<'_>>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(Token::Arrow) => "`->`".to_owned(),
        Some(Token::Sign(sign)) => format!("`{sign}`"),
        Some(Token::Word(text) | Token::Quoted(text)) => {
            format!("`{}`", text.chars().take(20).collect::<String>().escape_debug())
        }
    }
}

/// Undoes the escapes `\\`, `\"` and `\n` of a quoted text.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.next().expect("good tokens")).collect()
    }

    #[test]
    fn negative_numbers_and_arrows_are_told_apart() {
        let expected = [Token::Word("-3"), Token::Arrow, Token::Word("-4"), Token::Sign(';')];
        assert_eq!(tokens("-3 -> -4;"), expected);
        assert_eq!(tokens("-3->-4;"), expected);
    }

    #[test]
    fn quotes_may_hold_escaped_quotes_and_line_ends() {
        let mut lexer = Lexer::new("\"a\\\\\\\"b\nc\" d");
        assert_eq!(lexer.next(), Ok(Some(Token::Quoted("a\\\\\\\"b\nc"))));
        assert_eq!(lexer.next(), Ok(Some(Token::Word("d"))));
        assert_eq!(lexer.line(), 2);
    }

    #[test]
    fn escapes_are_undone_once() {
        assert_eq!(unescape(r#"/\\ x = \"a\\\\b\\\"\"\n/\\ y"#), "/\\ x = \"a\\\\b\\\"\"\n/\\ y");
    }

    #[test]
    fn a_text_without_end_is_an_error() {
        let error = Lexer::new("\n\"abc").next().expect_err("no end");
        assert_eq!(error.to_string(), "line 2: a text in quotes has no end; is the dump cut off?");
    }
}
