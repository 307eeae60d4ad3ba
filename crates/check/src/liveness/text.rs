//! Formulas as text, for tests: `[]<>(p & ~q) | <>r`. A letter is a literal, by its position in the alphabet.

use kilter_eval::temporal::Formula;

/// Reads a formula.
pub(super) fn parse(text: &str) -> Formula {
    let mut reader = Reader { chars: text.chars().filter(|c| !c.is_whitespace()).collect(), at: 0 };
    let formula = reader.or();
    assert_eq!(reader.at, reader.chars.len(), "{text} goes on after a formula");
    formula
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn skip(&mut self, text: &str) -> bool {
        let found = self.chars[self.at..].iter().copied().take(text.len()).eq(text.chars());
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn or(&mut self) -> Formula {
        let mut parts = vec![self.and()];
        while self.skip("|") {
            parts.push(self.and());
        }
        if parts.len() == 1 { parts.swap_remove(0) } else { Formula::Or(parts) }
    }

    fn and(&mut self) -> Formula {
        let mut parts = vec![self.unary()];
        while self.skip("&") {
            parts.push(self.unary());
        }
        if parts.len() == 1 { parts.swap_remove(0) } else { Formula::And(parts) }
    }

    fn unary(&mut self) -> Formula {
        if self.skip("[]") {
            return Formula::Always(Box::new(self.unary()));
        }
        if self.skip("<>") {
            return Formula::Eventually(Box::new(self.unary()));
        }
        if self.skip("(") {
            let inner = self.or();
            assert!(self.skip(")"), "a parenthesis is open");
            return inner;
        }
        let positive = !self.skip("~");
        let letter = self.chars[self.at];
        self.at += 1;
        Formula::Literal { literal: letter as u32 - 'a' as u32, positive }
    }
}

/// Writes a formula.
pub(super) fn show(formula: &Formula) -> String {
    let junction = |parts: &[Formula], sign: &str| {
        let parts: Vec<String> = parts.iter().map(show).collect();
        format!("({})", parts.join(sign))
    };
    match formula {
        Formula::Bool(value) => value.to_string(),
        Formula::Literal { literal, positive } => {
            let letter = char::from_u32('a' as u32 + literal).expect("there are few literals");
            if *positive { letter.to_string() } else { format!("~{letter}") }
        }
        Formula::And(parts) => junction(parts, " & "),
        Formula::Or(parts) => junction(parts, " | "),
        Formula::Always(body) => format!("[]{}", show(body)),
        Formula::Eventually(body) => format!("<>{}", show(body)),
    }
}
