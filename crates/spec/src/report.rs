//! Collects diagnostics without repetitions. A mistake in a module is found again in each of its instances.

use std::collections::BTreeSet;

use kilter_base::{Diagnostic, Diagnostics, Span};

/// A list of diagnostics without repetitions.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) diagnostics: Diagnostics,
    seen: BTreeSet<(Option<Span>, String)>,
}

impl Report {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.seen.insert((diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn extend(&mut self, diagnostics: &Diagnostics) {
        diagnostics.iter().for_each(|diagnostic| self.push(diagnostic.clone()));
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.has_errors()
    }
}
