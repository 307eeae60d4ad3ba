//! The functions, types, constants and imports in a syntax tree, by language.

mod go;
mod java;
mod python;
mod rust;

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::language::{Language, children, text_of};
use crate::piece::{Identity, Kind};

/// Something that a file defines.
pub(crate) struct Item<'n> {
    pub(crate) identity: Identity,
    /// The nodes of the item. Attributes come first.
    pub(crate) nodes: Vec<Node<'n>>,
    /// The ids of nodes inside that are items of their own.
    pub(crate) without: BTreeSet<usize>,
    /// The text to compare, if it is not made from the nodes.
    pub(crate) content: Option<String>,
}

impl<'n> Item<'n> {
    fn new(identity: Identity, nodes: Vec<Node<'n>>) -> Item<'n> {
        Item { identity, nodes, without: BTreeSet::new(), content: None }
    }

    /// Makes an item for an imported name.
    fn import(node: Node<'n>, path: &str, name: &str) -> Item<'n> {
        let content = Some(path.to_owned());
        Item { content, ..Item::new(Identity::new(Kind::Import, name), vec![node]) }
    }

    /// True for the nodes of the item, also under decorators.
    pub(crate) fn is_own(&self, node: Node<'_>) -> bool {
        let under = |own: &Node<'_>| {
            own.child_by_field_name("definition").is_some_and(|inner| inner.id() == node.id())
        };
        self.nodes.iter().any(|own| own.id() == node.id() || under(own))
    }

    /// The line where the item begins.
    pub(crate) fn line(&self) -> usize {
        self.nodes.last().map_or(1, |node| node.start_position().row + 1)
    }
}

/// What a file defines.
#[derive(Default)]
pub(crate) struct Items<'n> {
    /// All items.
    pub(crate) all: Vec<Item<'n>>,
    /// The names of modules in files of their own that are compiled for tests only.
    pub(crate) test_modules: Vec<String>,
    /// Nodes for tests in a file that also has other items. They are not part of the system.
    pub(crate) tests: Vec<Node<'n>>,
}

/// Finds everything that a file defines.
pub(crate) fn of<'n>(root: Node<'n>, text: &str, language: Language) -> Items<'n> {
    let mut items = Items::default();
    match language {
        Language::Rust => rust::collect(root, text, &mut items),
        Language::Python => python::collect(root, text, &mut items),
        Language::Java => java::collect(root, text, &mut items),
        Language::Go => go::collect(root, text, &mut items),
    }
    items
}

/// The text of a node's field `name`, or an empty text.
fn name_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    node.child_by_field_name("name").map_or("", |name| text_of(name, text))
}

/// All nodes below for which `such` holds, from left to right. Does not look inside of these nodes.
fn below<'n>(node: Node<'n>, such: &dyn Fn(Node<'n>) -> bool) -> Vec<Node<'n>> {
    let mut found = Vec::new();
    for child in children(node) {
        if such(child) {
            found.push(child);
        } else {
            found.extend(below(child, such));
        }
    }
    found
}

/// The first name below a node. For `&'a mut Vec<T>` this is `Vec`.
fn first_name<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    if node.kind().ends_with("identifier") && node.child_count() == 0 {
        return text_of(node, text);
    }
    // For a path, take its last part.
    if let Some(name) = node.child_by_field_name("name") {
        return text_of(name, text);
    }
    children(node)
        .into_iter()
        .map(|child| first_name(child, text))
        .find(|name| !name.is_empty())
        .unwrap_or_default()
}
