//! Finds the items of a Java file.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::{Item, Items, below, name_of};
use crate::language::{children, named, text_of};
use crate::piece::{Identity, Kind};

pub(super) fn collect<'n>(root: Node<'n>, text: &str, into: &mut Items<'n>) {
    for node in named(root) {
        match node.kind() {
            "import_declaration" => import(node, text, into),
            kind if is_type(kind) => declaration(node, text, into),
            "package_declaration" => {}
            kind => into.all.push(Item::new(Identity::new(Kind::Global, kind), vec![node])),
        }
    }
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

/// Adds a type without its methods, then its methods and the types inside.
fn declaration<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let name = name_of(node, text);
    let bases = children(node)
        .into_iter()
        .filter(|child| matches!(child.kind(), "superclass" | "super_interfaces" | "extends_interfaces"));
    let bases: Vec<&str> = bases.map(|base| text_of(base, text)).collect();
    let interface = (!bases.is_empty()).then(|| bases.join(" "));
    let identity = Identity { interface: interface.clone(), ..Identity::new(Kind::Type, name) };
    let mut item = Item::new(identity, vec![node]);
    item.identity.members = fields(node, text);
    let mut inner = Items::default();
    let is_member = |node: Node<'_>| is_type(node.kind()) || is_method(node.kind());
    for member in node.child_by_field_name("body").map(|body| below(body, &is_member)).unwrap_or_default() {
        // A member inside an expression, such as in an anonymous class, belongs to the code around it.
        if member.parent().is_none_or(|parent| {
            !parent.kind().ends_with("body") && parent.kind() != "enum_body_declarations"
        }) || member
            .parent()
            .and_then(|parent| parent.parent())
            .is_some_and(|around| matches!(around.kind(), "object_creation_expression" | "enum_constant"))
        {
            continue;
        }
        item.without.insert(member.id());
        if is_type(member.kind()) {
            declaration(member, text, &mut inner);
            continue;
        }
        let identity = Identity {
            owner: Some(name.to_owned()),
            interface: interface.clone(),
            ..Identity::new(Kind::Function, name_of(member, text))
        };
        inner.all.push(Item::new(identity, vec![member]));
    }
    into.all.push(item);
    into.all.append(&mut inner.all);
}

fn is_method(kind: &str) -> bool {
    matches!(kind, "method_declaration" | "constructor_declaration" | "compact_constructor_declaration")
}

/// The names of fields, enumeration constants and record components.
fn fields(node: Node<'_>, text: &str) -> BTreeSet<String> {
    let is_field = |node: Node<'_>| {
        matches!(node.kind(), "variable_declarator" | "enum_constant")
            || (node.kind() == "formal_parameter"
                && node
                    .parent()
                    .and_then(|list| list.parent())
                    .is_some_and(|it| it.kind() == "record_declaration"))
    };
    below(node, &is_field).into_iter().map(|field| name_of(field, text).to_owned()).collect()
}

fn import<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let words = text_of(node, text).trim_end_matches(';');
    let path = words.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
    let name = path.rsplit('.').next().unwrap_or_default().to_owned();
    into.all.push(Item::import(node, &path, &name));
}
