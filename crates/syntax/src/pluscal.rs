//! PlusCal algorithms in comments: whether they are translated, and whether algorithm and translation still belong
//! together. The algorithm itself is not read: what is checked is its translation.
//!
//! The translator writes two checksums into the line `\* BEGIN TRANSLATION`. That of the translation is a CRC-32 of its
//! lines, and is verified here. That of the algorithm is one of the translator's own form of it, which nobody else has.
//! Instead, each word and each piece of an expression of the algorithm is looked for in the translation, where an
//! unchanged algorithm has left it, and each variable and label of the translation in the algorithm.

use std::collections::BTreeSet;

use kilter_base::{Diagnostics, FileId, Sources, Span};

use crate::ast::Module;
use crate::errors;

/// Words besides [`KEYWORDS`] that a translation need not have.
const WITHOUT_TRACE: [&str; 3] = ["FALSE", "self", "Error"];

/// Words between which the expressions of an algorithm lie. A translation need not have them.
const KEYWORDS: [&str; 30] = [
    "assert",
    "await",
    "begin",
    "call",
    "define",
    "do",
    "either",
    "else",
    "elsif",
    "end",
    "fair",
    "goto",
    "if",
    "macro",
    "or",
    "print",
    "procedure",
    "process",
    "return",
    "skip",
    "then",
    "variable",
    "variables",
    "when",
    "while",
    "with",
    "TRUE",
    "algorithm",
    "pc",
    "stack",
];
/// Those after which names get values. What stands before `=` there is elsewhere in the translation.
const DECLARING: [&str; 5] = ["procedure", "process", "variable", "variables", "with"];

/// What may follow the name of an algorithm.
const BEGINNINGS: [&str; 7] = ["{", "variable", "define", "macro", "procedure", "process", "begin"];

/// Warns if the algorithm of a module is not translated, or if it and its translation have come apart.
pub fn pluscal_warnings(sources: &Sources, file: FileId, module: &Module) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let text = &sources.file(file).text[module.span.start as usize..module.span.end as usize];
    let Some(algorithm) = Algorithm::find(text) else { return diagnostics };
    let span = |start: usize, end: usize| Span {
        file,
        start: module.span.start + start as u32,
        end: module.span.start + end as u32,
    };
    let (name, place) = (algorithm.name, span(algorithm.start, algorithm.start + algorithm.head.len()));
    let Some(translation) = Translation::find(text) else {
        diagnostics.push(errors::untranslated(place, name));
        return diagnostics;
    };
    if translation.checksum().is_some_and(|sum| sum != translation.actual_checksum()) {
        let head = span(translation.start, translation.start + translation.head.len());
        diagnostics.push(errors::translation_changed(head, name));
    }
    let piece = algorithm.word_not_in(&translation).map(str::to_owned);
    if let Some(piece) = piece.or_else(|| algorithm.piece_not_in(&translation)) {
        diagnostics.push(errors::algorithm_changed(place, name, &piece));
    } else if let Some(word) = algorithm.lacks(&translation) {
        diagnostics.push(errors::algorithm_lacks(place, name, word));
    }
    diagnostics
}

/// An algorithm in a comment.
struct Algorithm<'t> {
    name: &'t str,
    /// Where it starts in the text.
    start: usize,
    /// From the dashes to the name.
    head: &'t str,
    /// All that follows the name, without comments and macros.
    body: String,
    macros: BTreeSet<String>,
    /// All words, also those in macros.
    words: BTreeSet<String>,
}

impl<'t> Algorithm<'t> {
    fn find(text: &'t str) -> Option<Self> {
        text.match_indices("--").find_map(|(start, _)| Algorithm::at(text, start))
    }

    fn at(text: &'t str, start: usize) -> Option<Self> {
        let rest = &text[start + 2..];
        let rest = rest.strip_prefix("fair").map_or(rest, str::trim_start).strip_prefix("algorithm")?;
        let named = rest.trim_start();
        let name = &named[..named.find(|c| !is_of_word(c))?];
        let body = &named[name.len()..];
        let is_begun = BEGINNINGS.iter().any(|word| body.trim_start().starts_with(word));
        let is_in_comment = text[..start].matches("(*").count() > text[..start].matches("*)").count();
        if name.is_empty() || named.len() == rest.len() || !is_begun || !is_in_comment {
            return None;
        }
        let head = &text[start..text.len() - body.len()];
        let whole = to_its_end(&without_comments(body));
        let words = words(&whole).map(|(_, word)| word.to_owned()).collect();
        let (body, macros) = without_macros(&whole);
        Some(Algorithm { name, start, head, body, macros, words })
    }

    /// The first word of the algorithm that is not in its translation, but would be if it had been translated. Macros
    /// are expanded, names of procedures that nobody calls are left out, and so are labels where there is no `pc`.
    fn word_not_in(&self, translation: &Translation<'_>) -> Option<&str> {
        let known: BTreeSet<&str> = words(translation.body).map(|(_, word)| word).collect();
        let mut before = "";
        words(&self.body).map(|(at, word)| (word, self.body[at + word.len()..].trim_start())).find_map(
            |(word, after)| {
                let is_label = after.starts_with(':') && !after.starts_with(":=");
                let has_trace = !KEYWORDS.contains(&word)
                    && !WITHOUT_TRACE.contains(&word)
                    && !self.macros.contains(word)
                    && before != "procedure"
                    && (!is_label || known.contains("pc"));
                before = word;
                (has_trace && !known.contains(word)).then_some(word)
            },
        )
    }

    /// The first piece of an expression of the algorithm that its translation does not have.
    fn piece_not_in(&self, translation: &Translation<'_>) -> Option<String> {
        let known = self.squeezed(translation.body);
        self.pieces().into_iter().find(|piece| !known.contains(&squeezed(piece)))
    }

    /// The pieces of expressions that a translator copies as they are. They lie between keywords, parentheses, commas and the signs of
    /// statements. Left out are what is assigned to, labels, arguments of macros, and pieces with `self`, which may be written out.
    fn pieces(&self) -> Vec<String> {
        let (mut pieces, mut piece) = (Vec::new(), String::new());
        // Whether the piece gives a value to a new name, and how deep in the arguments of a macro it is.
        let (mut declares, mut in_macro, mut is_after_macro) = (false, 0_u32, false);
        let mut n_brackets = 0_u32;
        let mut rest = &self.body[..];
        while let Some(first) = rest.chars().next() {
            let word = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
            match first {
                '[' => n_brackets += 1,
                ']' => n_brackets = n_brackets.saturating_sub(1),
                _ => {}
            }
            // What is assigned to may be `f[g(x), y]`.
            let is_inside = n_brackets > 0 && ['(', ')', ','].contains(&first);
            let is_sign =
                !is_inside && ["||", ";", "{", "}", "(", ")", ","].iter().any(|sign| rest.starts_with(sign));
            let is_assigned = rest.starts_with(":=");
            let is_label = first == ':' && !is_assigned && !rest.starts_with(":>") && !rest.starts_with("::");
            let is_given =
                declares && (rest.starts_with("\\in ") || (first == '=' && !rest.starts_with("=>")));
            let n_bytes = if !word.is_empty() {
                word.len()
            } else if is_assigned || rest.starts_with("||") {
                2
            } else if is_given && first != '=' {
                3
            } else {
                first.len_utf8()
            };
            let is_keyword = KEYWORDS.contains(&word);
            if is_keyword || is_sign || is_assigned || is_label || is_given || self.macros.contains(word) {
                let is_kept = !is_assigned && !is_label && !is_given && in_macro == 0;
                if is_kept && words(&piece).nth(1).is_some() && words(&piece).all(|(_, word)| word != "self")
                {
                    pieces.push(piece.trim().to_owned());
                }
                piece.clear();
                if is_keyword {
                    declares = DECLARING.contains(&word);
                }
                match first {
                    '(' if is_after_macro || in_macro > 0 => in_macro += 1,
                    ')' => in_macro = in_macro.saturating_sub(1),
                    _ => {}
                }
            } else {
                piece.push_str(&rest[..n_bytes]);
            }
            is_after_macro = self.macros.contains(word) || (is_after_macro && first.is_whitespace());
            rest = &rest[n_bytes..];
        }
        pieces
    }

    /// A translation as the algorithm would have it: a variable that the translator has given another name, because there are two of it, has its
    /// old one again.
    fn squeezed(&self, translation: &str) -> String {
        let mut out = String::new();
        let mut end = 0;
        for (at, word) in words(translation) {
            out.push_str(&translation[end..at]);
            out.push_str(self.old_name(word).unwrap_or(word));
            end = at + word.len();
        }
        out.push_str(&translation[end..]);
        squeezed(&out)
    }

    /// The name in the algorithm of what a translation calls `word`.
    fn old_name<'w>(&self, word: &'w str) -> Option<&'w str> {
        let is_own = |word: &str| self.words.contains(word);
        if is_own(word) {
            return Some(word);
        }
        let mut shorter = word.match_indices('_').map(|(at, _)| &word[..at]);
        shorter.rfind(|shorter| is_own(shorter))
    }

    /// A variable or a label that only the translation has.
    fn lacks<'w>(&self, translation: &Translation<'w>) -> Option<&'w str> {
        let declared = translation.body.trim_start();
        let declared = declared.strip_prefix("VARIABLES").or_else(|| declared.strip_prefix("VARIABLE"))?;
        // The declaration ends with the first line that has no comma.
        let line = declared.lines().position(|line| !line.trim_end().ends_with(','));
        let variables = declared.lines().take(line.map_or(usize::MAX, |line| line + 1));
        let variables = variables.flat_map(|line| words(line).map(|(_, word)| word));
        let labels = translation.body.lines().filter_map(|line| {
            let (_, rest) = line.split_once("/\\ pc")?;
            let rest = rest.trim_start();
            let rest =
                rest.strip_prefix("[self]").unwrap_or(rest).trim_start().strip_prefix('=')?.trim_start();
            Some(rest.strip_prefix('"')?.split_once('"')?.0)
        });
        let is_made =
            |word: &str| word.starts_with("Lbl_") || ["pc", "stack", "Done", "Error"].contains(&word);
        variables.chain(labels).find(|word| !is_made(word) && self.old_name(word).is_none())
    }
}

/// A text without white space, without the primes of assigned variables, and without the process whose variable it is.
fn squeezed(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\'').collect();
    text.replace("[self]", "")
}

/// A translation, with the lines around it.
struct Translation<'t> {
    /// Where its first line starts in the text.
    start: usize,
    /// The line `\* BEGIN TRANSLATION …`.
    head: &'t str,
    /// The lines after it, up to `\* END TRANSLATION`.
    body: &'t str,
}

impl<'t> Translation<'t> {
    fn find(text: &'t str) -> Option<Self> {
        let (start, head) = line_with(text, 0, "BEGIN")?;
        let first = start + head.len();
        let (end, _) = line_with(text, first, "END")?;
        Some(Translation { start, head: head.trim_end(), body: &text[first..end] })
    }

    /// The checksum that the translator wrote. `None` if there is none, or the user does not want it.
    fn checksum(&self) -> Option<&'t str> {
        let (_, after) = self.head.split_once("sum(tla")?;
        let (_, after) = after.split_once(')')?;
        let quoted = after.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        Some(quoted.split_once('"')?.0)
    }

    fn actual_checksum(&self) -> String {
        format!("{:x}", crc32(self.body.lines().flat_map(str::bytes)))
    }
}

/// The first line from `from` on that has `word` and then TRANSLATION, and where it starts.
fn line_with<'t>(text: &'t str, from: usize, word: &str) -> Option<(usize, &'t str)> {
    let mut start = from;
    text[from..].split_inclusive('\n').find_map(|line| {
        let at = start;
        start += line.len();
        let (_, after) = line.split_once(word)?;
        (after.starts_with(' ') && after.trim_start().starts_with("TRANSLATION")).then_some((at, line))
    })
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words of a text, with their places. Numbers are words, too.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty()).map(move |word| (start_of(word), word))
}

/// The rest of the comment in which an algorithm is, without the comments in it.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut rest) = (1, text);
    while let Some(first) = rest.chars().next() {
        let n_bytes = if rest.starts_with("(*") {
            depth += 1;
            2
        } else if rest.starts_with("*)") {
            depth -= 1;
            2
        } else if rest.starts_with("\\*") {
            let line = rest.find('\n').unwrap_or(rest.len());
            rest.find("*)").map_or(line, |close| close.min(line))
        } else {
            if depth == 1 {
                out.push(first);
            }
            first.len_utf8()
        };
        if depth == 0 {
            break;
        }
        out.push_str(if n_bytes > first.len_utf8() { " " } else { "" });
        rest = &rest[n_bytes..];
    }
    out
}

/// Cuts off what follows an algorithm in its comment.
fn to_its_end(body: &str) -> String {
    let is_braced = body.trim_start().starts_with('{');
    let end = if is_braced { end_of_braces(body) } else { end_of(body, "algorithm") };
    body[..end].to_owned()
}

/// Where the first pair of braces ends.
fn end_of_braces(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Where `end word` begins.
fn end_of(text: &str, word: &str) -> usize {
    let ends = words(text).zip(words(text).skip(1));
    let end = ends.into_iter().find(|((_, first), (_, second))| *first == "end" && *second == word);
    end.map_or(text.len(), |((at, _), _)| at)
}

/// Takes definitions of macros out of an algorithm. Also returns the macros' names.
fn without_macros(body: &str) -> (String, BTreeSet<String>) {
    let (mut out, mut macros, mut rest) = (String::new(), BTreeSet::new(), body);
    while let Some((at, _)) = words(rest).find(|(_, word)| *word == "macro") {
        out.push_str(&rest[..at]);
        let definition = &rest[at..];
        macros.extend(words(definition).nth(1).map(|(_, name)| name.to_owned()));
        let head = definition.find(')').map_or(definition.len(), |at| at + 1);
        let content = &definition[head..];
        let is_braced = content.trim_start().starts_with('{');
        let end = if is_braced { end_of_braces(content) } else { end_of(content, "macro") };
        let end = if is_braced || end == content.len() {
            end
        } else {
            end + content[end..].find("macro").unwrap_or(0) + 5
        };
        rest = &content[end..];
    }
    out.push_str(rest);
    (out, macros)
}

/// The checksum that `java.util.zip.CRC32` computes.
fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    !bytes.fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (POLYNOMIAL * (sum & 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_module;

    /// Warns about a module.
    fn warnings(text: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let file = sources.add("M.tla", text);
        let (module, _) = parse_module(&sources, file);
        let found = pluscal_warnings(&sources, file, &module.expect("it is a module"));
        found.iter().map(|warning| warning.one_line(&sources)).collect()
    }

    /// The translator of TLA+ tools wrote the translations and the checksums in these files.
    const COUNT: &str = include_str!("../tests/pluscal/Count.tla");
    const BRACES: &str = include_str!("../tests/pluscal/Braces.tla");

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32("123456789".bytes()), 0xCBF4_3926);
    }

    #[test]
    fn a_fresh_translation_is_fine() {
        assert_eq!(warnings(COUNT), Vec::<String>::new());
        assert_eq!(warnings(BRACES), Vec::<String>::new());
        assert_eq!(warnings(&COUNT.replace('\n', "\r\n")), Vec::<String>::new());
    }

    #[test]
    fn a_changed_translation_is_told() {
        let changed = COUNT.replacen("total' = total + by[self]", "total' = total + 2", 1);
        let expected =
            "M.tla:16:1: the translation of the PlusCal algorithm Count was changed after it was made";
        assert_eq!(warnings(&changed), [expected]);
        let unwanted = changed.replacen("chksum(tla) = \"", "chksum(tla) \\in STRING \\* \"", 1);
        assert_eq!(warnings(&unwanted), Vec::<String>::new());
    }

    #[test]
    fn a_changed_algorithm_is_told() {
        let relabelled = COUNT.replacen("Add:", "Plus:", 1);
        let expected = "M.tla:4:3: the PlusCal algorithm Count was changed after it was translated: `Plus` is not in its translation";
        assert_eq!(warnings(&relabelled), [expected]);
        let renumbered = BRACES.replacen("tries < 3", "tries < 4711", 1);
        assert_eq!(warnings(&renumbered).len(), 1);
        // The same words in another order, or with another sign.
        let turned = COUNT.replacen("await total < 4", "await total > 4", 1);
        let expected = "M.tla:4:3: the PlusCal algorithm Count was changed after it was translated: `total > 4` is not in its translation";
        assert_eq!(warnings(&turned), [expected]);
    }

    #[test]
    fn what_only_the_translation_has_is_told() {
        let shorter = COUNT.replacen("  Look: await total < 4;\n", "", 1);
        let expected = "M.tla:4:3: the PlusCal algorithm Count was changed after it was translated: its translation still has `Look`";
        assert_eq!(warnings(&shorter), [expected]);
    }

    #[test]
    fn an_algorithm_needs_a_translation() {
        let bare = |head: &str| format!("---- MODULE M ----\n(* {head}\n{{ skip }} *)\nVARIABLE x\n====\n");
        for head in ["--algorithm Lost", "--fair algorithm Lost"] {
            let expected =
                "M.tla:2:4: the PlusCal algorithm Lost has no translation, so Kilter does not check it";
            assert_eq!(warnings(&bare(head)), [expected]);
        }
    }

    #[test]
    fn mentioning_one_is_not_writing_one() {
        let mention = "---- MODULE M ----\n(* see --algorithm for the syntax *)\n\\* --algorithm A { skip }\nVARIABLE x\n====\n";
        assert_eq!(warnings(mention), Vec::<String>::new());
    }
}
