//! Prints a tree as text that parses to the same tree.
//!
//! Expressions are printed on one line, except for junction lists and LET. The items of a list are printed below each
//! other. What follows a list that is not closed by a bracket begins a new line further left.

mod expr;
mod unit;

use crate::ast::{Expr, Module};

/// Prints a module.
pub fn print_module(module: &Module) -> String {
    let mut printer = Printer::new();
    printer.module(module);
    printer.newline(1);
    printer.out
}

/// Prints an expression.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::new();
    printer.expr(expr);
    printer.out
}

struct Printer {
    out: String,
    /// The column of the next character, from 1.
    column: u32,
    /// The column of the innermost junction list. Everything in an item is to the right of it.
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

    /// Prints blanks up to a column. Prints none if it has been passed.
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

    /// Prints items with a comma between them.
    fn commas<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            print(self, item);
        }
    }
}
