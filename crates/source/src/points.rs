//! Finds the lines of the old code at which a change begins to matter.
//!
//! As long as none of these lines runs, the new code does what the old code does. Statements are compared list by list: a
//! statement that changed or is gone matters when it is reached, and one that was added when the statement after it is
//! reached. If only the inside of a statement changed (a branch, a loop's body), the inside is compared in turn.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::language::{children, named, text_of};
use crate::write::is_whole;
use crate::{Language, Range};

/// The two versions of a file.
pub(crate) struct Versions<'t> {
    pub(crate) file: &'t str,
    pub(crate) texts: [&'t str; 2],
    pub(crate) language: Language,
}

impl Versions<'_> {
    /// The lines of an old item at which the change to the new item begins to matter. Empty if both are the same.
    pub(crate) fn points(&self, old: Node<'_>, new: Node<'_>) -> Vec<Range> {
        let mut found = Vec::new();
        self.nodes(old, new, &mut found);
        found.sort();
        found.dedup();
        found
    }

    /// All lines of a node.
    pub(crate) fn whole(&self, node: Node<'_>) -> Range {
        let (first, last) = (node.start_position().row + 1, node.end_position().row + 1);
        Range { file: self.file.to_owned(), first, last }
    }

    /// The names in an old function, each with the lines of its statement. Members of `classes` are left out, because they
    /// are not what the name means elsewhere.
    pub(crate) fn names(&self, node: Node<'_>, classes: &BTreeSet<String>) -> Vec<(String, Range)> {
        let mut found = Vec::new();
        self.names_below(node, &self.whole(node), classes, &mut found);
        found
    }

    fn names_below(
        &self,
        node: Node<'_>,
        at: &Range,
        classes: &BTreeSet<String>,
        found: &mut Vec<(String, Range)>,
    ) {
        let is_of_class = |node: Node<'_>| {
            let object = node.child_by_field_name("object");
            object.is_some_and(|object| classes.contains(text_of(object, self.texts[0])))
        };
        if node.kind().ends_with("identifier") && node.child_count() == 0 {
            found.push((text_of(node, self.texts[0]).to_owned(), at.clone()));
        }
        for child in children(node) {
            let is_member = node.kind() == "attribute" && is_of_class(node);
            if is_member && node.child_by_field_name("attribute").is_some_and(|it| it.id() == child.id()) {
                continue;
            }
            let is_statement = is_list(node);
            let own = is_statement.then(|| self.head(child));
            self.names_below(child, own.as_ref().unwrap_or(at), classes, found);
        }
    }

    /// The lines that run when a statement is reached: those before its first block.
    fn head(&self, node: Node<'_>) -> Range {
        let whole = self.whole(node);
        match first_block(node) {
            Some(block) => {
                let row = block.start_position().row;
                let before = block.prev_sibling().map(|it| it.end_position().row);
                Range { last: if before == Some(row) { row + 1 } else { row.max(whole.first) }, ..whole }
            }
            None => whole,
        }
    }

    fn nodes(&self, old: Node<'_>, new: Node<'_>, found: &mut Vec<Range>) {
        if self.is_same(old, new) {
            return;
        }
        if is_list(old) && is_list(new) {
            return self.lists(old, new, found);
        }
        let (olds, news) = (children(old), children(new));
        let fits = old.kind() == new.kind()
            && first_block(old).is_some()
            && olds.len() == news.len()
            && olds.iter().zip(&news).all(|(old, new)| {
                (is_part(*old) && is_part(*new) && old.kind() == new.kind()) || self.is_same(*old, *new)
            });
        if fits {
            for (old, new) in olds.into_iter().zip(news) {
                self.nodes(old, new, found);
            }
        } else {
            let is_wide = is_function(old) || is_silent(old);
            let around = old.parent().filter(|_| is_silent(old)).unwrap_or(old);
            found.push(if is_wide { self.whole(around) } else { self.head(old) });
        }
    }

    /// Compares two lists of statements.
    fn lists(&self, old: Node<'_>, new: Node<'_>, found: &mut Vec<Range>) {
        let [olds, news] = [self.statements(old, 0), self.statements(new, 1)];
        let kept = self.common(&olds, &news);
        let (mut at_old, mut at_new) = (0, 0);
        for (old_end, new_end) in kept.into_iter().chain([(olds.len(), news.len())]) {
            while at_old < old_end && at_new < new_end {
                self.nodes(olds[at_old], news[at_new], found);
                (at_old, at_new) = (at_old + 1, at_new + 1);
            }
            found.extend(olds[at_old..old_end].iter().map(|gone| self.head(*gone)));
            if at_new < new_end {
                // What is added runs when the next statement would, or at the end after the last one.
                found.push(match (olds.get(old_end), olds.last()) {
                    _ if olds.iter().any(|node| is_silent(*node)) => self.whole(old),
                    (Some(next), _) => self.head(*next),
                    (None, Some(last)) => self.whole(*last),
                    (None, None) => self.whole(old),
                });
            }
            (at_old, at_new) = (old_end + 1, new_end + 1);
        }
    }

    /// The statements of a list that do something.
    fn statements<'n>(&self, list: Node<'n>, side: usize) -> Vec<Node<'n>> {
        let is_text = |node: &Node<'_>| {
            self.language == Language::Python
                && node.kind() == "expression_statement"
                && matches!(children(*node)[..], [only] if only.kind() == "string")
        };
        let does = |node: &Node<'_>| !text_of(*node, self.texts[side]).trim().is_empty() && !is_text(node);
        named(list).into_iter().filter(does).collect()
    }

    /// A longest common subsequence: pairs of indices of statements that are the same.
    fn common(&self, olds: &[Node<'_>], news: &[Node<'_>]) -> Vec<(usize, usize)> {
        let same: Vec<Vec<bool>> =
            olds.iter().map(|old| news.iter().map(|new| self.is_same(*old, *new)).collect()).collect();
        let mut longest = vec![vec![0_usize; news.len() + 1]; olds.len() + 1];
        for old in (0..olds.len()).rev() {
            for new in (0..news.len()).rev() {
                longest[old][new] = if same[old][new] {
                    longest[old + 1][new + 1] + 1
                } else {
                    longest[old + 1][new].max(longest[old][new + 1])
                };
            }
        }
        let (mut old, mut new, mut pairs) = (0, 0, Vec::new());
        while old < olds.len() && new < news.len() {
            if same[old][new] {
                pairs.push((old, new));
                (old, new) = (old + 1, new + 1);
            } else if longest[old + 1][new] >= longest[old][new + 1] {
                old += 1;
            } else {
                new += 1;
            }
        }
        pairs
    }

    /// Whether two nodes have the same words, whatever their layout.
    fn is_same(&self, old: Node<'_>, new: Node<'_>) -> bool {
        if old.kind() != new.kind() {
            return false;
        }
        let [mut olds, mut news] = [children(old), children(new)];
        if is_list(old) {
            [olds, news] = [self.statements(old, 0), self.statements(new, 1)];
        }
        if olds.is_empty() || is_whole(old, self.language) || is_whole(new, self.language) {
            return news.is_empty() == olds.is_empty()
                && text_of(old, self.texts[0]).trim() == text_of(new, self.texts[1]).trim();
        }
        olds.len() == news.len() && olds.into_iter().zip(news).all(|(old, new)| self.is_same(old, new))
    }
}

/// A list of statements.
fn is_list(node: Node<'_>) -> bool {
    matches!(node.kind(), "block" | "statement_list")
}

/// A part of a statement that has lists of statements inside.
fn is_part(node: Node<'_>) -> bool {
    is_list(node) || first_block(node).is_some()
}

/// A statement that nobody sees running.
fn is_silent(node: Node<'_>) -> bool {
    matches!(node.kind(), "global_statement" | "nonlocal_statement")
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_definition" | "function_item" | "decorated_definition" | "method_declaration"
    )
}

/// The first list of statements in a statement, if the statement has any. Functions inside are no part of it.
fn first_block(node: Node<'_>) -> Option<Node<'_>> {
    const WITH_BLOCKS: [&str; 20] = [
        "if_statement",
        "elif_clause",
        "else_clause",
        "for_statement",
        "while_statement",
        "with_statement",
        "try_statement",
        "except_clause",
        "finally_clause",
        "function_definition",
        "decorated_definition",
        "function_item",
        "if_expression",
        "while_expression",
        "for_expression",
        "loop_expression",
        "expression_statement",
        "method_declaration",
        "function_declaration",
        "case_clause",
    ];
    if !WITH_BLOCKS.contains(&node.kind()) {
        return None;
    }
    children(node).into_iter().find_map(|child| if is_list(child) { Some(child) } else { first_block(child) })
}
