//! Trees to text that parses to the same tree.
//!
//! Expressions are written on one line, but for junction lists and LET: a list's items stand below each other, and what
//! follows a list that is not closed by a bracket goes to a new line further left.

mod expr;
mod unit;

use crate::ast::{Expr, Module};

/// A module as text.
pub fn print_module(module: &Module) -> String {
    let mut printer = Printer::new();
    printer.module(module);
    printer.newline(1);
    printer.out
}

/// An expression as text.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::new();
    printer.expr(expr);
    printer.out
}

struct Printer {
    out: String,
    /// The column where the next character goes, from 1.
    column: u32,
    /// The column of the innermost junction list; all of an item stands to the right of it.
    indent: u32,
}

impl Printer {
    fn new() -> Self {
        Printer { out: String::new(), column: 1, indent: 0 }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.encode_utf16().count() as u32;
    }

    /// Writes blanks up to a column, none if it has been passed.
    fn pad(&mut self, column: u32) {
        while self.column < column {
            self.text(" ");
        }
    }

    fn newline(&mut self, column: u32) {
        self.out.push('\n');
        self.column = 1;
        self.pad(column);
    }

    /// Items with a comma between them.
    fn commas<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            print(self, item);
        }
    }
}
