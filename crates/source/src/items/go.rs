//! Finds the items of a Go file.

use tree_sitter::Node;

use super::{Item, Items, below, first_name, name_of};
use crate::language::{named, text_of};
use crate::piece::{Identity, Kind};

pub(super) fn collect<'n>(root: Node<'n>, text: &str, into: &mut Items<'n>) {
    for node in named(root) {
        match node.kind() {
            "function_declaration" => {
                // Functions called `init` run at the start, and a file may have several.
                let name = name_of(node, text);
                let kind = if name == "init" { Kind::Entry } else { Kind::Function };
                into.all.push(Item::new(Identity::new(kind, name), vec![node]));
            }
            "method_declaration" => {
                let receiver = node.child_by_field_name("receiver");
                let owner = receiver
                    .and_then(|list| below(list, &is_type).first().copied())
                    .map(|it| first_name(it, text));
                let identity = Identity {
                    owner: Some(owner.unwrap_or_default().to_owned()),
                    ..Identity::new(Kind::Function, name_of(node, text))
                };
                into.all.push(Item::new(identity, vec![node]));
            }
            "type_declaration" => types(node, text, into),
            // Constants of a group may count up (`iota`), so the group is one item.
            "const_declaration" | "var_declaration" => values(node, text, into),
            "import_declaration" => imports(node, text, into),
            "package_clause" => {}
            kind => into.all.push(Item::new(Identity::new(Kind::Global, kind), vec![node])),
        }
    }
}

fn is_type(node: Node<'_>) -> bool {
    node.kind() == "type_identifier"
}

fn types<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    for spec in named(node) {
        let mut identity = Identity::new(Kind::Type, name_of(spec, text));
        let is_member = |node: Node<'_>| matches!(node.kind(), "field_identifier");
        identity.members =
            below(spec, &is_member).into_iter().map(|it| text_of(it, text).to_owned()).collect();
        into.all.push(Item::new(identity, vec![spec]));
    }
}

fn values<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let is_spec = |node: Node<'_>| matches!(node.kind(), "const_spec" | "var_spec");
    let mut names = Vec::new();
    for spec in below(node, &is_spec) {
        let mut cursor = spec.walk();
        names.extend(
            spec.children_by_field_name("name", &mut cursor).map(|name| text_of(name, text).to_owned()),
        );
    }
    let first = names.first().cloned().unwrap_or_default();
    let identity = Identity { members: names.into_iter().collect(), ..Identity::new(Kind::Constant, &first) };
    into.all.push(Item::new(identity, vec![node]));
}

fn imports<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    for spec in below(node, &|node: Node<'_>| node.kind() == "import_spec") {
        let path = spec.child_by_field_name("path").map_or("", |path| text_of(path, text)).trim_matches('"');
        let alias = name_of(spec, text);
        let name = if alias.is_empty() { path.rsplit('/').next().unwrap_or_default() } else { alias };
        into.all.push(Item::import(node, format!("{alias} {path}").trim(), name));
    }
}
