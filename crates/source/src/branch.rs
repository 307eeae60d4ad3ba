//! Finds where an item is cut into pieces: arms for an event, and the loop that takes events from a gate.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::language::{children, is_comment, named, text_of};
use crate::piece::{Variant, When};
use crate::scan::{self, Leaf, Word, unquoted};

/// A part of a node that runs only sometimes.
pub(crate) struct Branch {
    /// The part, as a field of the node.
    pub(crate) field: &'static str,
    /// The name of the part that is shown to users.
    pub(crate) place: String,
    pub(crate) when: When,
    /// Whether the whole node belongs to the part, including its pattern or condition.
    pub(crate) is_whole: bool,
}

/// The part of a node that runs only for some variants or actions.
pub(crate) fn of(node: Node<'_>, text: &str) -> Option<Branch> {
    match node.kind() {
        "match_arm" => arm(node, text),
        "if_expression" | "if_statement" | "elif_clause" => {
            let is_statement = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
            condition(node, text).filter(|branch| !(branch.is_whole && is_statement))
        }
        // The semicolon after an `if` belongs to the part as well.
        "expression_statement" => match named(node)[..] {
            [only] if only.kind() == "if_expression" => {
                condition(only, text).filter(|branch| branch.is_whole)
            }
            _ => None,
        },
        _ => None,
    }
}

/// An arm of a Rust `match` whose pattern names variants of enumerations. If the arm has a guard, or another arm names
/// the same variants, the order of arms matters. Then the pattern stays with the code around the arm.
fn arm(node: Node<'_>, text: &str) -> Option<Branch> {
    let (variants, has_guard) = pattern(node, text)?;
    let place = variants.iter().map(|(owner, name)| format!("{owner}::{name}")).collect::<Vec<_>>();
    let others = node.parent().map(named).unwrap_or_default();
    let others = others.into_iter().filter(|other| other.id() != node.id());
    let mut named_by_others =
        others.filter_map(|other| pattern(other, text)).flat_map(|(variants, _)| variants);
    let is_whole = !has_guard && !named_by_others.any(|variant| variants.contains(&variant));
    (!variants.is_empty()).then(|| Branch {
        field: "value",
        place: place.join(" "),
        when: When::Variants(variants.into_iter().collect()),
        is_whole,
    })
}

/// The variants in the pattern of an arm, and whether it has a guard.
fn pattern(arm: Node<'_>, text: &str) -> Option<(Vec<Variant>, bool)> {
    let mut leaves = Vec::new();
    let mut has_guard = false;
    for child in children(arm.child_by_field_name("pattern")?) {
        // The grammar makes the guard a part of the pattern.
        has_guard |= child.kind() == "if";
        if has_guard {
            break;
        }
        words(child, text, &mut leaves);
    }
    Some((scan::variants(&leaves), has_guard))
}

/// A condition that compares the field `action` of a probe's event, such as `if event.action == "Timeout"`.
fn condition(node: Node<'_>, text: &str) -> Option<Branch> {
    const JOINTS: [&str; 11] = ["(", ")", "[", "]", "{", "}", ",", ".", "==", "in", "equals"];
    let mut leaves = Vec::new();
    words(node.child_by_field_name("condition")?, text, &mut leaves);
    let mut actions = BTreeSet::new();
    let mut subject = "";
    for leaf in &leaves {
        if leaf.word == Word::String {
            actions.insert(unquoted(leaf.text).to_owned());
        } else if !JOINTS.contains(&leaf.text) {
            if !actions.is_empty() || leaf.word == Word::Other {
                return None;
            }
            subject = leaf.text;
        }
    }
    if actions.is_empty() || !matches!(subject, "action" | "Action" | "getAction") {
        return None;
    }
    let place = actions.iter().map(|action| format!("\"{action}\"")).collect::<Vec<_>>().join(" ");
    let is_whole = node.kind() != "elif_clause" && node.child_by_field_name("alternative").is_none();
    Some(Branch { field: "consequence", place, when: When::Actions(actions), is_whole })
}

/// True for a loop that asks a gate for the next event.
pub(crate) fn is_gate_loop(node: Node<'_>, text: &str) -> bool {
    let is_loop = matches!(
        node.kind(),
        "while_expression" | "loop_expression" | "for_expression" | "while_statement" | "for_statement"
    );
    if !is_loop {
        return false;
    }
    let mut leaves = Vec::new();
    words(node, text, &mut leaves);
    leaves.windows(4).any(|four| {
        four[0].text.to_lowercase().ends_with("gate")
            && four[1].text == "."
            && matches!(four[2].text, "next" | "next_as" | "Next" | "NextAs")
            && four[3].text == "("
    })
}

/// True for a function inside another one. It may be called at another time.
pub(crate) fn is_function_inside(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "closure_expression"
            | "async_block"
            | "lambda"
            | "lambda_expression"
            | "func_literal"
            | "function_definition"
    )
}

/// The words below a node.
fn words<'t>(node: Node<'_>, text: &'t str, into: &mut Vec<Leaf<'t>>) {
    if is_comment(node) {
        return;
    }
    let is_string = node.kind().contains("string");
    if node.child_count() == 0 || is_string {
        into.push(Leaf { word: Word::of(node.kind()), text: text_of(node, text), in_pattern: true });
        return;
    }
    for child in children(node) {
        words(child, text, into);
    }
}
