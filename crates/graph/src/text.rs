//! Parses printed TLA+ values, as TLC and [`Store::show`] write them.
//!
//! There may be blanks and line ends between any tokens, because TLC wraps long values.

use kilter_value::{Mismatch, Store, Value};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// The deepest value that is accepted. Deeper ones would overflow the stack, and no state has them.
const DEPTH_MAX: u32 = 400;

/// The error for a text that is not a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct TextError {
    /// The offset in the text, in bytes.
    pub offset: usize,
    /// What is wrong, and what is there.
    pub message: String,
}

/// Parses a text that is one value.
pub fn parse_value(store: &Store, text: &str) -> Result<Value, TextError> {
    let mut reader = Reader::new(store, text);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

/// Reads values from a text.
pub(crate) struct Reader<'t> {
    store: &'t Store,
    text: &'t str,
    at: usize,
    depth: u32,
}

type Read<T> = Result<T, TextError>;

impl<'t> Reader<'t> {
    pub(crate) fn new(store: &'t Store, text: &'t str) -> Self {
        Reader { store, text, at: 0, depth: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Skips this token, if it comes next. Returns whether it did.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(crate) fn expect(&mut self, token: &str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { self.fail(&format!("`{token}`")) }
    }

    /// Whether no text is left.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    pub(crate) fn end(&mut self) -> Read<()> {
        if self.is_at_end() { Ok(()) } else { self.fail("the end") }
    }

    fn fail<T>(&self, expected: &str) -> Read<T> {
        let found: String = self.rest().chars().take(20).collect();
        let found =
            if found.is_empty() { "the end".to_owned() } else { format!("`{}`", found.escape_debug()) };
        self.refuse(format!("{expected} was expected, and {found} was found"))
    }

    fn refuse<T>(&self, message: String) -> Read<T> {
        Err(TextError { offset: self.at, message })
    }

    fn mismatch(&self, mismatch: &Mismatch) -> TextError {
        TextError { offset: self.at, message: self.store.mismatch_message(mismatch) }
    }

    /// Parses an identifier, if one comes next: letters, digits and `_`, but not only digits.
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_name = word.contains(|c: char| !c.is_ascii_digit());
        is_name.then(|| {
            self.at += end;
            word
        })
    }

    /// Parses a value.
    pub(crate) fn value(&mut self) -> Read<Value> {
        if self.depth == DEPTH_MAX {
            return self.refuse(format!("the value is nested more than {DEPTH_MAX} deep"));
        }
        self.depth += 1;
        let value = self.value_inside();
        self.depth -= 1;
        value
    }

    fn value_inside(&mut self) -> Read<Value> {
        self.skip_blanks();
        match self.rest().chars().next() {
            Some('"') => Ok(self.store.string(&self.string()?)),
            Some('{') => self.set(),
            Some('[') => self.record(),
            Some('(') => self.function(),
            Some('<') => {
                self.expect("<<")?;
                let elems = self.list(">>")?;
                Ok(self.store.tuple(&elems))
            }
            _ => match self.word() {
                Some(word) => self.named(word),
                None => self.number(),
            },
        }
    }

    fn named(&mut self, word: &str) -> Read<Value> {
        match word {
            "TRUE" => Ok(Value::TRUE),
            "FALSE" => Ok(Value::FALSE),
            "SUBSET" | "UNION" | "Seq" | "Nat" | "Int" | "Real" | "STRING" | "ANY" => {
                self.refuse(format!("`{word}` is a set that is not enumerated, which no state can hold"))
            }
            _ => Ok(self.store.model_value(word)),
        }
    }

    /// Parses an integer, or an interval.
    fn number(&mut self) -> Read<Value> {
        let lo = self.integer()?;
        if !self.eat("..") {
            return Ok(self.store.int(lo));
        }
        self.skip_blanks();
        let hi = self.integer()?;
        Ok(self.store.interval(lo, hi))
    }

    fn integer(&mut self) -> Read<i32> {
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let n_digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
        if n_digits == 0 {
            return self.fail("a value");
        }
        let digits = &rest[..rest.len() - unsigned.len() + n_digits];
        match digits.parse() {
            Ok(integer) => {
                self.at += digits.len();
                Ok(integer)
            }
            Err(_) => self.refuse(format!("`{digits}` is not an integer of 32 bits")),
        }
    }

    fn string(&mut self) -> Read<String> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'f')) => text.push('\u{c}'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, c)) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.refuse("a string has no end".to_owned())
    }

    /// Parses values separated by commas, up to `close`.
    pub(crate) fn list(&mut self, close: &str) -> Read<Vec<Value>> {
        let mut elems = Vec::new();
        if self.eat(close) {
            return Ok(elems);
        }
        loop {
            elems.push(self.value()?);
            if self.eat(close) {
                return Ok(elems);
            }
            self.expect(",")?;
        }
    }

    fn set(&mut self) -> Read<Value> {
        self.expect("{")?;
        let mut elems = self.list("}")?;
        self.store.set(&mut elems).map_err(|mismatch| self.mismatch(&mismatch))
    }

    /// Parses `[a |-> 1, b |-> 2]`.
    fn record(&mut self) -> Read<Value> {
        self.expect("[")?;
        let mut fields = Vec::new();
        loop {
            let Some(name) = self.word() else { return self.fail("a field's name") };
            self.expect("|->")?;
            fields.push((self.store.string(name), self.value()?));
            if self.eat("]") {
                return Ok(self.store.record(&mut fields));
            }
            self.expect(",")?;
        }
    }

    /// Parses `(a :> 1 @@ b :> 2)`.
    fn function(&mut self) -> Read<Value> {
        self.expect("(")?;
        let mut pairs = FxHashMap::default();
        let mut args = Vec::new();
        loop {
            let arg = self.value()?;
            self.expect(":>")?;
            let value = self.value()?;
            args.push(arg);
            // If an argument is repeated, its first value counts, as for `@@`.
            pairs.entry(arg).or_insert(value);
            if self.eat(")") {
                break;
            }
            self.expect("@@")?;
        }
        let domain = self.store.set(&mut args).map_err(|mismatch| self.mismatch(&mismatch))?;
        let values: Vec<Value> = args.iter().map(|arg| pairs[arg]).collect();
        Ok(self.store.function(domain, &values))
    }
}
