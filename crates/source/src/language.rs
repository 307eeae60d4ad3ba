//! Rust, Python, Java and Go: detects the language of a file, and parses it.

use tree_sitter::{Node, Parser, Tree as SyntaxTree};

/// A language that Kilter can parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// Java.
    Java,
    /// Go.
    Go,
}

/// Files with deeper nesting are refused. Nobody writes such code, and walking it would need a deep stack.
const DEPTH_MAX: usize = 600;

impl Language {
    /// The language of a file, by the extension of its name.
    pub fn of(path: &str) -> Option<Language> {
        let (_, end) = path.rsplit_once('.')?;
        match end {
            "rs" => Some(Language::Rust),
            "py" => Some(Language::Python),
            "java" => Some(Language::Java),
            "go" => Some(Language::Go),
            _ => None,
        }
    }

    /// Parses a text. The error is the line and what is wrong there.
    pub fn parse(self, text: &str) -> Result<SyntaxTree, (usize, String)> {
        let mut parser = Parser::new();
        let grammar = match self {
            Language::Rust => tree_sitter_rust::LANGUAGE,
            Language::Python => tree_sitter_python::LANGUAGE,
            Language::Java => tree_sitter_java::LANGUAGE,
            Language::Go => tree_sitter_go::LANGUAGE,
        };
        // This fails only for a grammar of another version than the library's. This crate fixes both versions.
        parser.set_language(&grammar.into()).map_err(|error| (1, error.to_string()))?;
        let tree = parser.parse(text, None).ok_or((1, "it can't be parsed".to_owned()))?;
        match first_trouble(tree.root_node()) {
            None => Ok(tree),
            Some(trouble) => Err(trouble),
        }
    }
}

/// The first error in a tree: its line and what is wrong.
fn first_trouble(root: Node<'_>) -> Option<(usize, String)> {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let line = node.start_position().row + 1;
        if node.is_error() || node.is_missing() {
            return Some((line, "it can't be parsed".to_owned()));
        }
        if depth > DEPTH_MAX {
            return Some((line, "it is nested too deeply".to_owned()));
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
            depth -= 1;
        }
    }
}

/// A node's children without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| !is_comment(*child)).collect()
}

/// A node's named children without comments. Grammars give no names to signs and keywords.
pub(crate) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    children(node).into_iter().filter(Node::is_named).collect()
}

/// True for comments, and for nodes that only join lines.
pub(crate) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_comment" | "block_comment" | "line_continuation" | "shebang")
}

/// A node's text.
pub(crate) fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}
