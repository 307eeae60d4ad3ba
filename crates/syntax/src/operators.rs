//! Operator symbols: their spellings and precedences.
//!
//! Each symbol has one canonical spelling, which trees contain. Precedences are ranges, as in *Specifying Systems*,
//! table 6. Between two operators whose ranges overlap, parentheses are needed.

use crate::ast::Fixity;

/// Whether `a op b op c` means `(a op b) op c` or is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Associativity {
    /// `a op b op c` needs parentheses.
    None,
    /// `a op b op c` is `(a op b) op c`.
    Left,
}

/// One operator symbol.
#[derive(PartialEq, Eq, Debug)]
pub struct Operator {
    /// The canonical spelling. It is `-.` for the prefix minus.
    pub name: &'static str,
    /// Whether it stands before, between or after its operands. Never [`Fixity::Nonfix`].
    pub fixity: Fixity,
    /// The lower end of its precedence range.
    pub low: u8,
    /// The upper end of its precedence range.
    pub high: u8,
    /// How it combines with itself.
    pub associativity: Associativity,
    /// All spellings, ASCII and Unicode, the canonical one included.
    pub spellings: &'static [&'static str],
}

/// How two neighbouring operators combine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// `(a left b) right c`
    LeftFirst,
    /// `a left (b right c)`
    RightFirst,
    /// The precedences conflict: parentheses are needed.
    Conflict,
}

impl Operator {
    /// How `self` combines with `right`, which follows it.
    pub fn binding(&self, right: &Operator) -> Binding {
        let same = self.name == right.name && self.fixity == right.fixity;
        if self.low > right.high || (same && self.associativity == Associativity::Left) {
            Binding::LeftFirst
        } else if self.high < right.low {
            Binding::RightFirst
        } else {
            Binding::Conflict
        }
    }
}

/// The operator that has this spelling. `-` is the infix minus; the prefix minus is [`PREFIX_MINUS`].
pub fn by_spelling(spelling: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.spellings.contains(&spelling))
}

/// The prefix minus. Its name is `-.`.
pub static PREFIX_MINUS: &Operator = &OPERATORS[0];

/// The precedence of `f[x]` and `r.f`, which bind tighter than all operators.
pub static SELECTION: Operator = postfix("[", 160, &["["]);

const fn prefix(name: &'static str, low: u8, high: u8, spellings: &'static [&'static str]) -> Operator {
    Operator { name, fixity: Fixity::Prefix, low, high, associativity: Associativity::None, spellings }
}

const fn postfix(name: &'static str, level: u8, spellings: &'static [&'static str]) -> Operator {
    Operator {
        name,
        fixity: Fixity::Postfix,
        low: level,
        high: level,
        associativity: Associativity::None,
        spellings,
    }
}

const fn infix(
    name: &'static str,
    low: u8,
    high: u8,
    associativity: Associativity,
    spellings: &'static [&'static str],
) -> Operator {
    Operator { name, fixity: Fixity::Infix, low, high, associativity, spellings }
}

use Associativity::{Left, None as No};

/// All operator symbols.
pub static OPERATORS: &[Operator] = &[
    // Prefix. In the table of the book only `~` may follow itself, but this never matters for prefix operators.
    prefix("-.", 120, 120, &["-."]),
    prefix("~", 40, 40, &["~", "\\lnot", "\\neg", "¬"]),
    prefix("[]", 40, 150, &["[]", "□"]),
    prefix("<>", 40, 150, &["<>", "◇"]),
    prefix("ENABLED", 40, 150, &["ENABLED"]),
    prefix("UNCHANGED", 40, 150, &["UNCHANGED"]),
    prefix("SUBSET", 100, 130, &["SUBSET"]),
    prefix("UNION", 100, 130, &["UNION"]),
    prefix("DOMAIN", 100, 130, &["DOMAIN"]),
    // Postfix.
    postfix("'", 150, &["'", "′"]),
    postfix("^+", 150, &["^+", "⁺"]),
    postfix("^*", 150, &["^*"]),
    postfix("^#", 150, &["^#"]),
    // Infix, loosest first.
    infix("=>", 10, 10, No, &["=>", "⇒"]),
    infix("<=>", 20, 20, No, &["<=>", "\\equiv", "≡", "⇔"]),
    infix("~>", 20, 20, No, &["~>", "↝"]),
    infix("-+->", 20, 20, No, &["-+->", "⇸"]),
    infix("/\\", 30, 30, Left, &["/\\", "\\land", "∧"]),
    infix("\\/", 30, 30, Left, &["\\/", "\\lor", "∨"]),
    infix("=", 50, 50, No, &["="]),
    infix("#", 50, 50, No, &["#", "/=", "≠"]),
    infix("\\in", 50, 50, No, &["\\in", "∈"]),
    infix("\\notin", 50, 50, No, &["\\notin", "∉"]),
    infix("<", 50, 50, No, &["<"]),
    infix(">", 50, 50, No, &[">"]),
    infix("<=", 50, 50, No, &["<=", "=<", "\\leq", "≤"]),
    infix(">=", 50, 50, No, &[">=", "\\geq", "≥"]),
    infix("\\subseteq", 50, 50, No, &["\\subseteq", "⊆"]),
    infix("\\subset", 50, 50, No, &["\\subset", "⊂"]),
    infix("\\supset", 50, 50, No, &["\\supset", "⊃"]),
    infix("\\supseteq", 50, 50, No, &["\\supseteq", "⊇"]),
    infix("\\sqsubset", 50, 50, No, &["\\sqsubset", "⊏"]),
    infix("\\sqsubseteq", 50, 50, No, &["\\sqsubseteq", "⊑"]),
    infix("\\sqsupset", 50, 50, No, &["\\sqsupset", "⊐"]),
    infix("\\sqsupseteq", 50, 50, No, &["\\sqsupseteq", "⊒"]),
    infix("\\prec", 50, 50, No, &["\\prec", "≺"]),
    infix("\\succ", 50, 50, No, &["\\succ", "≻"]),
    infix("\\preceq", 50, 50, No, &["\\preceq", "⪯"]),
    infix("\\succeq", 50, 50, No, &["\\succeq", "⪰"]),
    infix("\\sim", 50, 50, No, &["\\sim", "∼"]),
    infix("\\simeq", 50, 50, No, &["\\simeq", "≃"]),
    infix("\\ll", 50, 50, No, &["\\ll", "≪"]),
    infix("\\gg", 50, 50, No, &["\\gg", "≫"]),
    infix("\\asymp", 50, 50, No, &["\\asymp", "≍"]),
    infix("\\approx", 50, 50, No, &["\\approx", "≈"]),
    infix("\\cong", 50, 50, No, &["\\cong", "≅"]),
    infix("\\doteq", 50, 50, No, &["\\doteq", "≐"]),
    infix("\\propto", 50, 50, No, &["\\propto", "∝"]),
    infix("|-", 50, 50, No, &["|-", "⊢"]),
    infix("|=", 50, 50, No, &["|=", "⊨"]),
    infix("-|", 50, 50, No, &["-|", "⊣"]),
    infix("=|", 50, 50, No, &["=|", "⫤"]),
    infix(":=", 50, 50, No, &[":=", "≔"]),
    infix("::=", 50, 50, No, &["::=", "⩴"]),
    infix("\\cdot", 50, 140, Left, &["\\cdot", "⋅"]),
    infix("@@", 60, 60, Left, &["@@"]),
    infix(":>", 70, 70, No, &[":>"]),
    infix("<:", 70, 70, No, &["<:"]),
    infix("\\", 80, 80, No, &["\\"]),
    infix("\\cap", 80, 80, Left, &["\\cap", "\\intersect", "∩"]),
    infix("\\cup", 80, 80, Left, &["\\cup", "\\union", "∪"]),
    infix("..", 90, 90, No, &["..", "‥"]),
    infix("...", 90, 90, No, &["...", "…"]),
    infix("!!", 90, 130, No, &["!!", "‼"]),
    infix("##", 90, 130, Left, &["##"]),
    infix("$", 90, 130, Left, &["$"]),
    infix("$$", 90, 130, Left, &["$$"]),
    infix("??", 90, 130, Left, &["??", "⁇"]),
    infix("\\sqcap", 90, 130, Left, &["\\sqcap", "⊓"]),
    infix("\\sqcup", 90, 130, Left, &["\\sqcup", "⊔"]),
    infix("\\uplus", 90, 130, Left, &["\\uplus", "⊎"]),
    infix("\\wr", 90, 140, No, &["\\wr", "≀"]),
    infix("+", 100, 100, Left, &["+"]),
    infix("++", 100, 100, Left, &["++"]),
    infix("\\oplus", 100, 100, Left, &["\\oplus", "(+)", "⊕"]),
    infix("%", 100, 110, No, &["%"]),
    infix("%%", 100, 110, Left, &["%%"]),
    infix("|", 100, 110, Left, &["|"]),
    infix("||", 100, 110, Left, &["||", "‖"]),
    infix("\\X", 100, 130, Left, &["\\X", "\\times", "×"]),
    infix("-", 110, 110, Left, &["-"]),
    infix("--", 110, 110, Left, &["--"]),
    infix("\\ominus", 110, 110, Left, &["\\ominus", "(-)", "⊖"]),
    infix("*", 130, 130, Left, &["*"]),
    infix("**", 130, 130, Left, &["**"]),
    infix("/", 130, 130, No, &["/"]),
    infix("//", 130, 130, No, &["//"]),
    infix("&", 130, 130, Left, &["&"]),
    infix("&&", 130, 130, Left, &["&&"]),
    infix("\\div", 130, 130, No, &["\\div", "÷"]),
    infix("\\odot", 130, 130, Left, &["\\odot", "(.)", "⊙"]),
    infix("\\oslash", 130, 130, No, &["\\oslash", "(/)", "⊘"]),
    infix("\\otimes", 130, 130, Left, &["\\otimes", "(\\X)", "⊗"]),
    infix("\\circ", 130, 130, Left, &["\\circ", "\\o", "∘"]),
    infix("\\bigcirc", 130, 130, Left, &["\\bigcirc", "◯"]),
    infix("\\bullet", 130, 130, Left, &["\\bullet", "●"]),
    infix("\\star", 130, 130, Left, &["\\star", "⋆"]),
    infix("^", 140, 140, No, &["^"]),
    infix("^^", 140, 140, No, &["^^"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_unique_and_contain_the_name() {
        let mut seen = std::collections::BTreeSet::new();
        for operator in OPERATORS {
            assert!(operator.spellings.contains(&operator.name), "{}", operator.name);
            assert!(operator.low <= operator.high, "{}", operator.name);
            for spelling in operator.spellings {
                assert!(seen.insert(spelling), "{spelling} stands twice in the table");
            }
        }
    }

    #[test]
    fn canonical_spellings() {
        for (spelling, name) in [
            ("\\union", "\\cup"),
            ("=<", "<="),
            ("\\leq", "<="),
            ("/=", "#"),
            ("\\land", "/\\"),
            ("\\neg", "~"),
            ("\\o", "\\circ"),
            ("\\times", "\\X"),
            ("(+)", "\\oplus"),
            ("∈", "\\in"),
        ] {
            assert_eq!(by_spelling(spelling).map(|operator| operator.name), Some(name));
        }
        assert!(by_spelling("Foo").is_none());
    }
}
