//! Tokens, and the table of symbols and words.

use std::sync::LazyLock;

use crate::ast::Fixity;
use crate::operators::{OPERATORS, Operator};

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// An identifier.
    Ident,
    /// `@`
    At,
    /// `12`, `\b101`, `\o17`, `\hFF`
    Number,
    /// A string with its quotes.
    String,
    /// A reserved word. Synonyms such as CONSTANTS have one spelling here.
    Keyword(&'static str),
    /// An operator symbol.
    Op(&'static Operator),
    /// `/\` or `\/` in this spelling. Only these can begin a junction list, not `\land` or `\lor`.
    Bullet(&'static Operator),
    /// `<1>2.`, `<*>`: the start of a proof step, or a reference to one.
    Step,
    /// `---- MODULE`
    BeginModule,
    /// `----`
    Separator,
    /// `====`
    EndModule,
    /// `\A`
    Forall,
    /// `\E`
    Exists,
    /// `\AA`
    TemporalForall,
    /// `\EE`
    TemporalExists,
    /// `WF_`
    Weak,
    /// `SF_`
    Strong,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `[`
    LBracket,
    /// `]`
    RBracket,
    /// `]_`
    RBracketSub,
    /// `{`
    LBrace,
    /// `}`
    RBrace,
    /// `<<`
    LAngle,
    /// `>>`
    RAngle,
    /// `>>_`
    RAngleSub,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `::`
    ColonColon,
    /// `.`
    Dot,
    /// `_`
    Underscore,
    /// `!`
    Bang,
    /// `==`
    Define,
    /// `->`
    Arrow,
    /// `<-`
    Substitute,
    /// `|->`
    MapsTo,
    /// A character that no token starts with. It has been reported.
    Unknown,
    /// The end of the text, or the place where parsing gave up.
    End,
    /// A token too far left to belong to the current junction item. The parser makes it; it is never in the token list.
    Outdent,
    /// The first token of a definition, where an expression must end. It is never in the token list.
    Definition,
}

impl TokenKind {
    /// The operator, if the token is one.
    pub(crate) fn operator(self) -> Option<&'static Operator> {
        match self {
            TokenKind::Op(operator) | TokenKind::Bullet(operator) => Some(operator),
            _ => None,
        }
    }

    /// Whether this is an operator of this fixity.
    pub(crate) fn has_fixity(self, fixity: Fixity) -> bool {
        self.operator().is_some_and(|operator| operator.fixity == fixity)
    }

    /// Whether this is the operator of this canonical name.
    pub(crate) fn is_op(self, name: &str) -> bool {
        self.operator().is_some_and(|operator| operator.name == name)
    }
}

/// A token and its place in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The kind of the token.
    pub(crate) kind: TokenKind,
    /// The offset of its first byte.
    pub(crate) start: u32,
    /// The offset after its last byte.
    pub(crate) end: u32,
    /// The column of its first character, from 1.
    pub(crate) column: u32,
}

/// The reserved words, each with the spelling that the parser compares with.
const KEYWORDS: &[(&str, &str)] = &[
    ("ACTION", "ACTION"),
    ("ACTIONS", "ACTION"),
    ("ASSUME", "ASSUME"),
    ("ASSUMPTION", "ASSUMPTION"),
    ("AXIOM", "AXIOM"),
    ("BY", "BY"),
    ("CASE", "CASE"),
    ("CHOOSE", "CHOOSE"),
    ("CONSTANT", "CONSTANT"),
    ("CONSTANTS", "CONSTANT"),
    ("COROLLARY", "THEOREM"),
    ("DEF", "DEF"),
    ("DEFINE", "DEFINE"),
    ("DEFS", "DEF"),
    ("ELSE", "ELSE"),
    ("EXCEPT", "EXCEPT"),
    ("EXTENDS", "EXTENDS"),
    ("HAVE", "HAVE"),
    ("HIDE", "HIDE"),
    ("IF", "IF"),
    ("IN", "IN"),
    ("INSTANCE", "INSTANCE"),
    ("LAMBDA", "LAMBDA"),
    ("LEMMA", "THEOREM"),
    ("LET", "LET"),
    ("LOCAL", "LOCAL"),
    ("MODULE", "MODULE"),
    ("NEW", "NEW"),
    ("OBVIOUS", "OBVIOUS"),
    ("OMITTED", "OMITTED"),
    ("ONLY", "ONLY"),
    ("OTHER", "OTHER"),
    ("PICK", "PICK"),
    ("PROOF", "PROOF"),
    ("PROPOSITION", "THEOREM"),
    ("PROVE", "PROVE"),
    ("QED", "QED"),
    ("RECURSIVE", "RECURSIVE"),
    ("STATE", "STATE"),
    ("SUFFICES", "SUFFICES"),
    ("TAKE", "TAKE"),
    ("TEMPORAL", "TEMPORAL"),
    ("TEMPORALS", "TEMPORAL"),
    ("THEN", "THEN"),
    ("THEOREM", "THEOREM"),
    ("USE", "USE"),
    ("VARIABLE", "VARIABLE"),
    ("VARIABLES", "VARIABLE"),
    ("WITH", "WITH"),
    ("WITNESS", "WITNESS"),
];

/// The symbols that are not operators.
const SYMBOLS: &[(&str, TokenKind)] = &[
    ("\\A", TokenKind::Forall),
    ("\\forall", TokenKind::Forall),
    ("∀", TokenKind::Forall),
    ("\\E", TokenKind::Exists),
    ("\\exists", TokenKind::Exists),
    ("∃", TokenKind::Exists),
    ("\\AA", TokenKind::TemporalForall),
    ("\\EE", TokenKind::TemporalExists),
    ("(", TokenKind::LParen),
    (")", TokenKind::RParen),
    ("[", TokenKind::LBracket),
    ("]", TokenKind::RBracket),
    ("]_", TokenKind::RBracketSub),
    ("{", TokenKind::LBrace),
    ("}", TokenKind::RBrace),
    ("<<", TokenKind::LAngle),
    ("⟨", TokenKind::LAngle),
    (">>", TokenKind::RAngle),
    ("⟩", TokenKind::RAngle),
    (">>_", TokenKind::RAngleSub),
    ("⟩_", TokenKind::RAngleSub),
    (",", TokenKind::Comma),
    (":", TokenKind::Colon),
    ("::", TokenKind::ColonColon),
    ("∷", TokenKind::ColonColon),
    (".", TokenKind::Dot),
    ("_", TokenKind::Underscore),
    ("!", TokenKind::Bang),
    ("==", TokenKind::Define),
    ("≜", TokenKind::Define),
    ("->", TokenKind::Arrow),
    ("→", TokenKind::Arrow),
    ("<-", TokenKind::Substitute),
    ("←", TokenKind::Substitute),
    ("|->", TokenKind::MapsTo),
    ("↦", TokenKind::MapsTo),
    ("@", TokenKind::At),
    ("[]ASSUME", TokenKind::Keyword("ASSUME")),
    ("[]PROVE", TokenKind::Keyword("PROVE")),
    ("ℕ", TokenKind::Ident),
    ("ℤ", TokenKind::Ident),
    ("ℝ", TokenKind::Ident),
];

/// All symbols by their first byte, longest first.
static TABLE: LazyLock<Vec<Vec<(&'static str, TokenKind)>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 256];
    let operators = OPERATORS.iter().flat_map(|operator| {
        operator.spellings.iter().map(move |spelling| (*spelling, symbol_kind(operator, spelling)))
    });
    for (spelling, kind) in SYMBOLS.iter().copied().chain(operators) {
        table[spelling.as_bytes()[0] as usize].push((spelling, kind));
    }
    for bucket in &mut table {
        bucket.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
    }
    table
});

fn symbol_kind(operator: &'static Operator, spelling: &str) -> TokenKind {
    match spelling {
        "/\\" | "\\/" | "∧" | "∨" => TokenKind::Bullet(operator),
        _ => TokenKind::Op(operator),
    }
}

/// The longest symbol at the start of the text, with its length.
pub(crate) fn symbol(text: &str) -> Option<(usize, TokenKind)> {
    let bucket = TABLE.get(*text.as_bytes().first()? as usize)?;
    bucket
        .iter()
        .find(|(spelling, _)| text.starts_with(spelling))
        .map(|(spelling, kind)| (spelling.len(), *kind))
}

/// The kind of a run of letters, digits and underscores.
pub(crate) fn word(text: &str) -> TokenKind {
    if let Ok(index) = KEYWORDS.binary_search_by_key(&text, |(word, _)| word) {
        return TokenKind::Keyword(KEYWORDS[index].1);
    }
    match text {
        "ENABLED" | "UNCHANGED" | "SUBSET" | "UNION" | "DOMAIN" => {
            crate::operators::by_spelling(text).map_or(TokenKind::Ident, TokenKind::Op)
        }
        _ => TokenKind::Ident,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn longest_symbol_wins() {
        assert_eq!(symbol("|->x").map(|found| found.0), Some(3));
        assert_eq!(symbol("\\inS").map(|found| found.0), Some(3));
        assert_eq!(symbol("\\subseteq").map(|found| found.0), Some(9));
        assert_eq!(symbol("?"), None);
    }
}
