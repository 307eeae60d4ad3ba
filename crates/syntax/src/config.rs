//! Parses configuration files as TLC does: as a sequence of keywords, each with everything up to the next keyword.

use kilter_base::{Diagnostic, Diagnostics, FileId, Name, Sources, Span, suggest};

use crate::ast::{Config, ConfigValue, ConstantEntry, ConstantValue, Ident};
use crate::errors;
use crate::lex::{lex_all, unescape};
use crate::token::{Token, TokenKind};

/// Parses a configuration file.
pub fn parse_config(sources: &Sources, file: FileId) -> (Config, Diagnostics) {
    let text = &sources.file(file).text;
    let mut diagnostics = Diagnostics::default();
    let tokens = lex_all(file, text, &mut diagnostics);
    let mut parser =
        Parser { file, text, tokens, position: 0, depth: 0, config: Config::default(), diagnostics };
    while parser.kind() != TokenKind::End {
        parser.section();
    }
    (parser.config, parser.diagnostics)
}

/// The most sets inside of each other.
const DEPTH_MAX: u32 = 100;

/// The words that begin a section.
const KEYWORDS: &[&str] = &[
    "CONSTANT",
    "CONSTANTS",
    "CONSTRAINT",
    "CONSTRAINTS",
    "ACTION_CONSTRAINT",
    "ACTION_CONSTRAINTS",
    "INVARIANT",
    "INVARIANTS",
    "INIT",
    "NEXT",
    "VIEW",
    "SYMMETRY",
    "SPECIFICATION",
    "PROPERTY",
    "PROPERTIES",
    "ALIAS",
    "POSTCONDITION",
    "POSTCONDITIONS",
    "CHECK_DEADLOCK",
    "TYPE",
    "TYPE_CONSTRAINT",
    "_PERIODIC",
    "_RL_REWARD",
    "_POSSIBLE",
];

/// The keyword that is probably meant by a word in capital letters.
pub fn closest_keyword(word: &str) -> Option<&'static str> {
    let capitals = word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    capitals.then(|| suggest::closest(word, KEYWORDS.iter().copied())).flatten()
}

/// The error for a part that could not be read. Its diagnostic has been reported.
struct Failed;

struct Parser<'s> {
    file: FileId,
    text: &'s str,
    tokens: Vec<Token>,
    position: usize,
    depth: u32,
    config: Config,
    diagnostics: Diagnostics,
}

impl<'s> Parser<'s> {
    fn section(&mut self) {
        let span = self.span();
        let keyword = self.token_text();
        if !KEYWORDS.contains(&keyword) {
            let closest = closest_keyword(keyword);
            let diagnostic = errors::config_unknown_section(span, &self.found(), closest);
            self.report(diagnostic);
            self.skip_to_keyword();
            return;
        }
        self.advance();
        if self.section_body(keyword, span).is_err() {
            self.skip_to_keyword();
        }
    }

    fn section_body(&mut self, keyword: &'s str, span: Span) -> Result<(), Failed> {
        match keyword {
            "CONSTANT" | "CONSTANTS" => self.constants()?,
            "INVARIANT" | "INVARIANTS" => self.names(|config| &mut config.invariants)?,
            "PROPERTY" | "PROPERTIES" => self.names(|config| &mut config.properties)?,
            "CONSTRAINT" | "CONSTRAINTS" => self.names(|config| &mut config.constraints)?,
            "ACTION_CONSTRAINT" | "ACTION_CONSTRAINTS" => {
                self.names(|config| &mut config.action_constraints)?;
            }
            "POSTCONDITION" | "POSTCONDITIONS" => self.names(|config| &mut config.postconditions)?,
            "SYMMETRY" => {
                let name = self.path("a name")?;
                if !self.config.symmetry.is_empty() {
                    self.report(errors::config_twice(span, keyword));
                }
                self.config.symmetry.push(name);
            }
            "SPECIFICATION" => self.one_name(keyword, span, |config| &mut config.specification)?,
            "INIT" => self.one_name(keyword, span, |config| &mut config.init)?,
            "NEXT" => self.one_name(keyword, span, |config| &mut config.next)?,
            "VIEW" => self.one_name(keyword, span, |config| &mut config.view)?,
            "ALIAS" => self.one_name(keyword, span, |config| &mut config.alias)?,
            "CHECK_DEADLOCK" => self.check_deadlock(span)?,
            _ => {
                self.report(errors::config_ignored(span, keyword));
                self.skip_to_keyword();
            }
        }
        Ok(())
    }

    /// Reads `A B C` up to the next keyword.
    fn names(&mut self, target: impl Fn(&mut Config) -> &mut Vec<Ident>) -> Result<(), Failed> {
        while !self.at_section() {
            let name = self.path("a name or a keyword")?;
            target(&mut self.config).push(name);
        }
        Ok(())
    }

    fn one_name(
        &mut self,
        keyword: &str,
        span: Span,
        target: impl Fn(&mut Config) -> &mut Option<Ident>,
    ) -> Result<(), Failed> {
        let name = self.path("a name")?;
        if target(&mut self.config).replace(name).is_some() {
            self.report(errors::config_twice(span, keyword));
        }
        Ok(())
    }

    fn check_deadlock(&mut self, span: Span) -> Result<(), Failed> {
        let value = match self.token_text() {
            "TRUE" => true,
            "FALSE" => false,
            _ => return self.expected("`TRUE` or `FALSE`"),
        };
        self.advance();
        if self.config.check_deadlock.replace(value).is_some() {
            self.report(errors::config_twice(span, "CHECK_DEADLOCK"));
        }
        Ok(())
    }

    fn constants(&mut self) -> Result<(), Failed> {
        while !self.at_section() {
            let name = self.path("a constant's name")?;
            let value = self.constant_value()?;
            self.config.constants.push(ConstantEntry { name, value });
        }
        Ok(())
    }

    /// Reads what follows the name: `= v`, `= [M] v`, `(a, b) = v`, `<- Op`, `<- [M] Op`.
    fn constant_value(&mut self) -> Result<ConstantValue, Failed> {
        if self.eat("<-") || self.eat("←") {
            if !self.eat("[") {
                return Ok(ConstantValue::Replace(self.path("an operator's name")?));
            }
            let module = self.name("a module's name")?;
            self.expect("]")?;
            return Ok(ConstantValue::ReplaceIn { module, with: self.path("an operator's name")? });
        }
        let mut args = Vec::new();
        if self.eat("(") {
            args = self.values()?;
            self.expect(")")?;
        }
        if !self.eat("=") {
            return self.expected("`=` or `<-`");
        }
        if args.is_empty() && self.eat("[") {
            let module = self.name("a module's name")?;
            self.expect("]")?;
            return Ok(ConstantValue::LiteralIn { module, value: self.value()? });
        }
        let value = self.value()?;
        if args.is_empty() {
            Ok(ConstantValue::Literal(value))
        } else {
            Ok(ConstantValue::Applied { args, value })
        }
    }

    fn values(&mut self) -> Result<Vec<ConfigValue>, Failed> {
        let mut values = vec![self.value()?];
        while self.eat(",") {
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn value(&mut self) -> Result<ConfigValue, Failed> {
        let span = self.span();
        let text = self.token_text();
        match (self.kind(), text) {
            (TokenKind::Number, _) => {
                self.advance();
                Ok(ConfigValue::Number(text.into(), span))
            }
            (_, "-") if self.kind_after() == TokenKind::Number => {
                self.advance();
                let number = format!("-{}", self.token_text());
                let whole = span.to(self.span());
                self.advance();
                Ok(ConfigValue::Number(number.into(), whole))
            }
            (TokenKind::String, _) => {
                self.advance();
                Ok(ConfigValue::String(unescape(text), span))
            }
            (_, "TRUE" | "FALSE") => {
                self.advance();
                Ok(ConfigValue::Boolean(text == "TRUE", span))
            }
            (_, "{") => self.set(span),
            _ => {
                Ok(ConfigValue::ModelValue(self.name("a value: a number, a string, a set or a model value")?))
            }
        }
    }

    fn set(&mut self, start: Span) -> Result<ConfigValue, Failed> {
        if self.depth >= DEPTH_MAX {
            self.report(errors::too_deep(start, DEPTH_MAX));
            return Err(Failed);
        }
        self.depth += 1;
        self.advance();
        let values = if self.token_text() == "}" { Ok(Vec::new()) } else { self.values() };
        self.depth -= 1;
        let values = values?;
        let end = self.span();
        self.expect("}")?;
        Ok(ConfigValue::Set(values, start.to(end)))
    }

    /// Reads a name, possibly through instances: `I!Inv`.
    fn path(&mut self, what: &str) -> Result<Ident, Failed> {
        let mut path = self.name(what)?;
        while self.eat("!") {
            let step = self.name("a name")?;
            path =
                Ident { name: format!("{}!{}", path.name, step.name).into(), span: path.span.to(step.span) };
        }
        Ok(path)
    }

    fn name(&mut self, what: &str) -> Result<Ident, Failed> {
        let is_name = match self.kind() {
            TokenKind::Ident => !KEYWORDS.contains(&self.token_text()),
            // Operators can be replaced too: `+ <- Plus`.
            TokenKind::Op(_) | TokenKind::Bullet(_) => true,
            _ => false,
        };
        if !is_name {
            return self.expected(what);
        }
        let span = self.span();
        let text = self.kind().operator().map_or(self.token_text(), |operator| operator.name);
        self.advance();
        Ok(Ident { name: Name::from(text), span })
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    fn kind_after(&self) -> TokenKind {
        self.tokens.get(self.position + 1).map_or(TokenKind::End, |token| token.kind)
    }

    fn token_text(&self) -> &'s str {
        let token = self.tokens[self.position];
        &self.text[token.start as usize..token.end as usize]
    }

    fn span(&self) -> Span {
        let token = self.tokens[self.position];
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.token_text()),
        }
    }

    fn advance(&mut self) {
        // The last token is `End`. The parser stays there.
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.token_text() == text;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Failed> {
        if self.eat(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    fn expected<T>(&mut self, what: &str) -> Result<T, Failed> {
        let diagnostic = errors::config_expected(self.place(), what, &self.found());
        self.report(diagnostic);
        Err(Failed)
    }

    /// Where something is missing. At the end of the file that is behind the last token, because there may be no line where
    /// the file ends.
    fn place(&self) -> Span {
        match self.position.checked_sub(1).map(|last| self.tokens[last]) {
            Some(last) if self.kind() == TokenKind::End => {
                Span { file: self.file, start: last.end, end: last.end }
            }
            _ => self.span(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn at_section(&self) -> bool {
        self.kind() == TokenKind::End || KEYWORDS.contains(&self.token_text())
    }

    fn skip_to_keyword(&mut self) {
        while !self.at_section() {
            self.advance();
        }
    }
}
