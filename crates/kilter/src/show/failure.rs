//! Shows errors of an evaluation: what was wrong, the expression, and the chain of operators around it.

use annotate_snippets::{Group, Level, Renderer};
use kilter_base::Sources;
use kilter_eval::EvalError;

use crate::diagnostics;

/// Longer chains are cut in the middle.
const CHAIN_MAX: usize = 12;

/// The error as text for people.
pub fn show(sources: &Sources, error: &EvalError) -> String {
    let mut group = Group::with_title(Level::ERROR.primary_title(error.message.as_str()));
    if let Some(span) = error.span {
        group = group.element(diagnostics::snippet(sources, span));
    }
    for line in chain(sources, error) {
        group = group.element(Level::NOTE.message(line));
    }
    Renderer::styled().term_width(diagnostics::width()).render(&[group]) + "\n"
}

fn chain(sources: &Sources, error: &EvalError) -> Vec<String> {
    let line = |call: &kilter_eval::origin::CallSite| {
        format!("in {}, called at {}", call.name, sources.place(call.span))
    };
    let n = error.chain.len();
    if n <= CHAIN_MAX {
        return error.chain.iter().map(line).collect();
    }
    let (first, last) = (&error.chain[..CHAIN_MAX / 2], &error.chain[n - CHAIN_MAX / 2..]);
    let middle = format!("… and {} more …", n - CHAIN_MAX);
    first.iter().map(line).chain([middle]).chain(last.iter().map(line)).collect()
}
