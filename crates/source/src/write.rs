//! Cuts an item into pieces of code, in a form that comments and layout do not change.
//!
//! The form is the syntax tree in brackets. So a moved brace is a change, and a moved line is not. The form leaves out
//! what formatters add and remove: commas before a closing bracket, braces around the only expression of an arm or
//! closure, and the kind of quotes.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::branch::{self, Branch};
use crate::items::Item;
use crate::language::{Language, children, is_comment, named, text_of};
use crate::piece::{Piece, Reference, Statement, When};
use crate::scan::{self, Leaf, Word};

/// Writes the items of a file.
pub(crate) struct Writer<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t str,
    pub(crate) language: Language,
    /// Whether docstrings count as code, because some file reads `__doc__`.
    pub(crate) reads_documentation: bool,
}

/// A piece while it is written.
struct Draft<'t> {
    piece: Piece,
    tokens: Vec<String>,
    /// The words of the program among the tokens.
    leaves: Vec<Leaf<'t>>,
    /// How many of these words are a function's signature.
    n_signature: Option<usize>,
    /// Ranges of tokens that are statements which only assign, each with what is assigned.
    assignments: Vec<(usize, usize, String)>,
}

impl<'t> Writer<'t> {
    /// The pieces of an item, outermost first. `offset` is the number of pieces of the program before them.
    pub(crate) fn item(&self, item: &Item<'_>, offset: usize) -> Vec<Piece> {
        let mut drafts = vec![self.draft(item, item.line(), String::new(), When::Always, None)];
        let mut walk = Walk { writer: self, item, drafts: &mut drafts };
        match &item.content {
            Some(content) => walk.drafts[0].tokens.push(content.clone()),
            None => {
                if item.identity.number > 0 {
                    walk.drafts[0].tokens.push(item.identity.number.to_string());
                }
                for node in &item.nodes {
                    walk.node(*node, 0, false);
                }
            }
        }
        let parameters = drafts[0].parameters();
        let mut pieces: Vec<Piece> =
            drafts.into_iter().map(|draft| finish(draft, self.language, offset)).collect();
        for piece in &mut pieces {
            // A parameter hides everything else with its name.
            piece.references.retain(|it| !matches!(it, Reference::Bare(name) if parameters.contains(name)));
        }
        pieces
    }

    fn draft(
        &self,
        item: &Item<'_>,
        line: usize,
        place: String,
        when: When,
        parent: Option<usize>,
    ) -> Draft<'t> {
        let piece = Piece {
            file: self.file.to_owned(),
            line,
            language: self.language,
            identity: item.identity.clone(),
            place,
            when,
            parent,
            content: String::new(),
            skeleton: String::new(),
            assignments: Vec::new(),
            references: BTreeSet::new(),
            signature: BTreeSet::new(),
            literals: BTreeSet::new(),
            variants: BTreeSet::new(),
            spawns: false,
        };
        Draft { piece, tokens: Vec::new(), leaves: Vec::new(), n_signature: None, assignments: Vec::new() }
    }
}

impl Draft<'_> {
    fn signature(&self) -> &[Leaf<'_>] {
        &self.leaves[..self.n_signature.unwrap_or(self.leaves.len())]
    }

    /// The names of a Rust function's parameters. In the signature, these are the names in patterns.
    fn parameters(&self) -> BTreeSet<String> {
        let is_parameter = |leaf: &&Leaf<'_>| leaf.in_pattern && leaf.word == Word::Name;
        let names = self.signature().iter().filter(is_parameter).map(|leaf| leaf.text.to_owned());
        if self.n_signature.is_some() { names.collect() } else { BTreeSet::new() }
    }
}

fn finish(draft: Draft<'_>, language: Language, offset: usize) -> Piece {
    let signature = draft.signature().iter().filter(|leaf| leaf.word == Word::Name);
    let signature = signature.map(|leaf| leaf.text.to_owned()).collect();
    let Draft { mut piece, tokens, leaves, assignments, .. } = draft;
    piece.parent = piece.parent.map(|parent| parent + offset);
    piece.content = tokens.join(" ");
    piece.skeleton = without(&tokens, &assignments);
    piece.assignments = assignments
        .into_iter()
        .map(|(from, to, assigns)| Statement { content: tokens[from..to].join(" "), assigns })
        .collect();
    piece.signature = signature;
    scan::names(&leaves, language, &mut piece);
    piece
}

/// The tokens without those of assignments.
fn without(tokens: &[String], assignments: &[(usize, usize, String)]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut next = 0;
    for (from, to, _) in assignments {
        kept.extend(tokens[next..*from].iter().map(String::as_str));
        next = *to;
    }
    kept.extend(tokens[next..].iter().map(String::as_str));
    kept.join(" ")
}

/// The walk over an item's nodes.
struct Walk<'w, 't, 'n> {
    writer: &'w Writer<'t>,
    item: &'w Item<'n>,
    drafts: &'w mut Vec<Draft<'t>>,
}

impl Walk<'_, '_, '_> {
    fn node(&mut self, node: Node<'_>, into: usize, in_pattern: bool) {
        let Writer { text, language, .. } = *self.writer;
        if is_comment(node) || self.item.without.contains(&node.id()) || self.is_no_code(node) {
            return;
        }
        if branch::is_gate_loop(node, text) {
            let inner = self.cut(node, into, "loop".to_owned(), When::Loop);
            return self.inside(node, inner, in_pattern, None);
        }
        if branch::is_function_inside(node) && !self.item.is_own(node) {
            let inner = self.cut(node, into, "closure".to_owned(), When::Later);
            return self.inside(node, inner, in_pattern, None);
        }
        let branch = branch::of(node, text);
        if let Some(branch) = branch.as_ref().filter(|branch| branch.is_whole) {
            let inner = self.cut(node, into, branch.place.clone(), branch.when.clone());
            // Removes the mark that `cut` left. So code for other events stays the same if this branch is added or
            // removed.
            self.drafts[into].tokens.pop();
            return self.inside(node, inner, in_pattern, None);
        }
        if node.child_count() == 0 || is_whole(node, language) {
            return self.leaf(node, into, in_pattern);
        }
        if let Some(assigned) = assigned(node, text) {
            let from = self.drafts[into].tokens.len();
            self.inside(node, into, in_pattern, None);
            let to = self.drafts[into].tokens.len();
            self.drafts[into].assignments.push((from, to, assigned));
            return;
        }
        self.inside(node, into, in_pattern, branch.as_ref());
    }

    fn inside(&mut self, node: Node<'_>, into: usize, in_pattern: bool, branch: Option<&Branch>) {
        let in_pattern = in_pattern || node.kind().ends_with("_pattern");
        self.drafts[into].tokens.push(format!("({}", node.kind()));
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let field = cursor.field_name().unwrap_or_default();
            let in_pattern = in_pattern || field == "pattern";
            if field == "body" && self.item.is_own(node) {
                let draft = &mut self.drafts[into];
                draft.n_signature = Some(draft.leaves.len());
            }
            match branch {
                Some(branch) if field == branch.field => {
                    let inner = self.cut(child, into, branch.place.clone(), branch.when.clone());
                    self.node(unwrapped(child), inner, in_pattern);
                }
                _ if field == "name" && is_declaration(node.kind()) => self.declared(child, into),
                _ if node.kind() == "match_arm" && child.kind() == "," => {}
                _ if matches!(field, "value" | "body")
                    && matches!(node.kind(), "match_arm" | "closure_expression") =>
                {
                    self.node(unwrapped(child), into, in_pattern);
                }
                _ => self.node(child, into, in_pattern),
            }
            more = cursor.goto_next_sibling();
        }
        self.drafts[into].tokens.push(")".to_owned());
    }

    /// Writes a name where it is declared. It does not refer to anything.
    fn declared(&mut self, node: Node<'_>, into: usize) {
        let n_before = self.drafts[into].leaves.len();
        self.node(node, into, false);
        for leaf in &mut self.drafts[into].leaves[n_before..] {
            leaf.word = Word::Other;
        }
    }

    /// Begins a piece inside another one, and leaves a mark in the outer one.
    fn cut(&mut self, node: Node<'_>, parent: usize, place: String, when: When) -> usize {
        let outer = &self.drafts[parent].piece.place;
        let place = if outer.is_empty() { place } else { format!("{outer}, {place}") };
        self.drafts[parent].tokens.push("…".to_owned());
        let line = node.start_position().row + 1;
        self.drafts.push(self.writer.draft(self.item, line, place, when, Some(parent)));
        self.drafts.len() - 1
    }

    fn leaf(&mut self, node: Node<'_>, into: usize, in_pattern: bool) {
        let source = text_of(node, self.writer.text);
        if source.trim().is_empty() || (self.writer.language == Language::Go && source == ";") {
            return;
        }
        let draft = &mut self.drafts[into];
        if matches!(source, ")" | "]" | "}") && draft.tokens.last().is_some_and(|last| last == "`,") {
            draft.tokens.pop();
        }
        draft.leaves.push(Leaf { word: Word::of(node.kind()), text: source, in_pattern });
        // The backquote marks words of the program, and tells them apart from words of the form.
        draft.tokens.push(format!("`{}", normal(node, source)));
    }

    /// True for attributes about compiler warnings and documentation, and for docstrings that nobody reads.
    fn is_no_code(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "attribute_item" | "inner_attribute_item" => {
                let words = text_of(node, self.writer.text).trim_start_matches(['#', '!', '[', ' ']);
                let end = words.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(words.len());
                matches!(&words[..end], "allow" | "warn" | "deny" | "expect" | "forbid" | "doc" | "must_use")
            }
            "expression_statement" if !self.writer.reads_documentation => {
                self.writer.language == Language::Python
                    && matches!(named(node)[..], [only] if only.kind() == "string" && is_whole(only, Language::Python))
            }
            _ => false,
        }
    }
}

/// True for nodes whose field `name` declares a name.
fn is_declaration(kind: &str) -> bool {
    kind.ends_with("_item")
        || kind.ends_with("_definition")
        || kind.ends_with("_declaration")
        || matches!(kind, "enum_variant" | "variable_declarator" | "formal_parameter" | "enum_constant")
        || matches!(kind, "type_spec" | "const_spec" | "var_spec" | "parameter_declaration")
}

/// A block that has only one expression is replaced by the expression.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    match named(node)[..] {
        [only] if node.kind() == "block" && node.child(0).is_some_and(|first| first.kind() == "{") => {
            let kind = only.kind();
            let is_statement =
                kind.ends_with("_statement") || kind.ends_with("_item") || kind.ends_with("_declaration");
            if is_statement || kind == "macro_invocation" { node } else { only }
        }
        _ => node,
    }
}

/// Strings are one word, unless there is code in them.
pub(crate) fn is_whole(node: Node<'_>, language: Language) -> bool {
    match node.kind() {
        "string_literal" | "raw_string_literal" | "char_literal" | "character_literal" | "rune_literal" => {
            language != Language::Java || named(node).iter().all(|part| part.kind() != "string_interpolation")
        }
        "interpreted_string_literal" => true,
        "string" => named(node).iter().all(|part| part.kind() != "interpolation"),
        _ => false,
    }
}

/// A word in the form in which it is compared.
fn normal(node: Node<'_>, source: &str) -> String {
    if node.kind() != "string" {
        return source.to_owned();
    }
    let prefix: String = source.chars().take_while(|c| !matches!(c, '"' | '\'')).collect();
    let content = scan::unquoted(source);
    if content.contains(['"', '\'', '\\', '\n']) {
        return source.to_owned();
    }
    format!("{}\"{content}\"", prefix.to_lowercase().replace('u', ""))
}

/// What a statement assigns, if it does nothing else. The left side must be a field of the object itself or a plain
/// variable, and the right side must not call anything.
fn assigned(node: Node<'_>, text: &str) -> Option<String> {
    let inner = match node.kind() {
        "expression_statement" => *named(node).first()?,
        "assignment_statement" | "inc_statement" | "dec_statement" => node,
        _ => return None,
    };
    let left = match inner.kind() {
        "assignment_expression"
        | "compound_assignment_expr"
        | "assignment"
        | "augmented_assignment"
        | "assignment_statement" => inner.child_by_field_name("left")?,
        "update_expression" | "inc_statement" | "dec_statement" => *named(inner).first()?,
        _ => return None,
    };
    let calls = |node: Node<'_>| {
        let kind = node.kind();
        kind.contains("call")
            || kind.contains("invocation")
            || kind.contains("creation")
            || kind == "await_expression"
    };
    if any(inner, &calls) {
        return None;
    }
    let words: Vec<&str> = text_of(left, text).split('.').map(str::trim).collect();
    match words[..] {
        [name] | ["self" | "this", name] if is_word(name) => Some(name.to_owned()),
        [receiver, name] if node.kind().ends_with("c_statement") || node.kind() == "assignment_statement" => {
            (is_word(receiver) && is_word(name)).then(|| name.to_owned())
        }
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// True if `such` holds for this node or a node below it.
pub(crate) fn any(node: Node<'_>, such: &dyn Fn(Node<'_>) -> bool) -> bool {
    such(node) || children(node).into_iter().any(|child| any(child, such))
}
