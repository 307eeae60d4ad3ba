//! Finds the names in a piece. They are the edges of the call graph before names are resolved.

use crate::language::Language;
use crate::piece::{Piece, Reference, Variant};

/// A word of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'t> {
    pub(crate) word: Word,
    pub(crate) text: &'t str,
    pub(crate) in_pattern: bool,
}

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A name.
    Name,
    /// A name that the grammar marks as a field.
    Field,
    /// A string.
    String,
    /// A sign, keyword or number.
    Other,
}

impl Word {
    /// The kind of a word, from the name of its node in the grammar.
    pub(crate) fn of(kind: &str) -> Word {
        match kind {
            "field_identifier" => Word::Field,
            "metavariable" => Word::Name,
            _ if kind.ends_with("identifier") => Word::Name,
            _ if kind.contains("string") => Word::String,
            _ => Word::Other,
        }
    }
}

/// Records all names in a piece, given its words.
pub(crate) fn names(leaves: &[Leaf<'_>], language: Language, piece: &mut Piece) {
    for (index, leaf) in leaves.iter().enumerate() {
        match leaf.word {
            Word::String => string(leaf.text, language, piece),
            Word::Name | Word::Field => name(leaves, index, language, piece),
            Word::Other => piece.spawns |= leaf.text == "go" && language == Language::Go,
        }
    }
}

fn string(source: &str, language: Language, piece: &mut Piece) {
    let content = unquoted(source);
    piece.literals.insert(content.to_owned());
    match language {
        Language::Rust => {
            // `{name}` in a format string
            for part in content.split('{').skip(1) {
                let end = part.find(|c: char| !is_word_char(c)).unwrap_or(part.len());
                if end > 0 {
                    piece.references.insert(Reference::Bare(part[..end].to_owned()));
                }
            }
        }
        // Reflection: `getattr(self, "name")`
        Language::Python | Language::Java if !content.is_empty() && content.chars().all(is_word_char) => {
            piece.references.insert(Reference::Method(content.to_owned()));
        }
        _ => {}
    }
}

fn name(leaves: &[Leaf<'_>], index: usize, language: Language, piece: &mut Piece) {
    let leaf = leaves[index];
    let text = leaf.text;
    let before = |n: usize| index.checked_sub(n).map_or("", |index| leaves[index].text);
    let after = leaves.get(index + 1).map_or("", |leaf| leaf.text);
    piece.spawns |= begins_a_thread(text);
    let owned = || text.to_owned();
    let reference = match before(1) {
        "." | "?." if matches!(after, "(" | "::") => Reference::Method(owned()),
        "." | "?." => Reference::Field(owned()),
        "::" => match before(2) {
            "crate" | "self" | "super" | "" => Reference::Bare(owned()),
            owner if owner.chars().all(is_word_char) => Reference::Path(owner.to_owned(), owned()),
            _ => Reference::Path(String::new(), owned()), // the owner is written out, as in `Vec<T>::name`
        },
        _ if leaf.word == Word::Field => Reference::Field(owned()),
        _ => Reference::Bare(owned()),
    };
    if let (Reference::Path(owner, name), Language::Rust, false) = (&reference, language, leaf.in_pattern)
        && let Some(variant) = variant(owner, name)
    {
        piece.variants.insert(variant);
    }
    // In `Struct { field }`, the word is both a variable and a field. The words alone do not show whether this is such
    // a place, so both are added.
    if matches!(before(1), "{" | ",") && matches!(after, "}" | ",") {
        piece.references.insert(Reference::Field(owned()));
    }
    piece.references.insert(reference);
}

/// The variants of enumerations among some words, in order.
pub(crate) fn variants(leaves: &[Leaf<'_>]) -> Vec<Variant> {
    let triples = leaves.windows(3).filter(|triple| triple[1].text == "::");
    triples.filter_map(|triple| variant(triple[0].text, triple[2].text)).collect()
}

/// By convention, types and variants begin with an upper-case letter, and only constants have no lower-case one.
fn variant(owner: &str, name: &str) -> Option<Variant> {
    let large = |text: &str| text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase);
    (large(owner) && large(name)).then(|| (owner.to_owned(), name.to_owned()))
}

fn begins_a_thread(name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "submit",
        "execute",
        "schedule",
        "create_task",
        "ensure_future",
        "run_in_executor",
        "Timer",
        "Popen",
    ];
    name.contains("spawn") || name.contains("Thread") || WORDS.contains(&name)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The text between a string's quotes.
pub(crate) fn unquoted(source: &str) -> &str {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let Some(first) = source.find(is_quote) else { return source };
    let inner = &source[first..];
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        if let Some(content) = inner.strip_prefix(quote) {
            return content.rfind(quote).map_or(content, |end| &content[..end]);
        }
    }
    inner
}
