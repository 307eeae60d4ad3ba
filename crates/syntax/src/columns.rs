//! Counts columns as SANY does, because junction lists depend on them.
//!
//! The first column is 1, a tab goes to the next multiple of 8, and lines end at `\n`, `\r\n` or a lone `\r`.

/// A cursor that walks forward through a text and knows the column of each place.
pub(crate) struct Columns<'s> {
    text: &'s str,
    offset: usize,
    column: u32,
}

impl<'s> Columns<'s> {
    /// Starts at the first character of the text.
    pub(crate) fn new(text: &'s str) -> Self {
        Columns { text, offset: 0, column: 1 }
    }

    /// The column of the character at `offset`. Offsets must not decrease from call to call.
    pub(crate) fn at(&mut self, offset: usize) -> u32 {
        let mut rest = self.text[self.offset..offset].chars().peekable();
        while let Some(character) = rest.next() {
            self.column = match character {
                '\n' => 1,
                '\r' if rest.peek().copied().or(self.text[offset..].chars().next()) != Some('\n') => 1,
                '\t' => (self.column - 1) / 8 * 8 + 9,
                // SANY counts UTF-16 code units.
                other => self.column + other.len_utf16() as u32,
            };
        }
        self.offset = offset;
        self.column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: u32) {
        assert_eq!(Columns::new(text).at(text.len()), expected, "{text:?}");
    }

    #[test]
    fn tabs_lines_and_wide_characters() {
        check("", 1);
        check("abc", 4);
        check("\t", 9);
        check("abc\t", 9);
        check("1234567\t", 9);
        check("12345678\t", 17);
        check("ab\nc", 2);
        check("ab\r\nc", 2);
        check("ab\rc", 2);
        check("∧ ", 3);
    }
}
