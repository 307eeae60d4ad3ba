//! Finds the items of a Rust file.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::{Item, Items, below, first_name, name_of};
use crate::language::{children, named, text_of};
use crate::piece::{Identity, Kind};

/// The type and trait that an item belongs to.
#[derive(Clone, Copy, Default)]
struct Around<'t> {
    owner: Option<&'t str>,
    interface: Option<&'t str>,
}

pub(super) fn collect<'n>(root: Node<'n>, text: &str, into: &mut Items<'n>) {
    list(root, text, Around::default(), into);
}

/// Adds the items of a file, module, trait or implementation. Attributes come before the item that they belong to.
fn list<'n>(node: Node<'n>, text: &str, around: Around<'_>, into: &mut Items<'n>) {
    let mut attributes = Vec::new();
    for child in named(node) {
        if child.kind() == "attribute_item" {
            attributes.push(child);
            continue;
        }
        let attributes = std::mem::take(&mut attributes);
        if attributes.iter().any(|attribute| is_for_tests(text_of(*attribute, text))) {
            into.tests.push(child);
            if child.kind() == "mod_item" && child.child_by_field_name("body").is_none() {
                into.test_modules.push(name_of(child, text).to_owned());
            }
            continue;
        }
        one(child, attributes, text, around, into);
    }
}

/// True for `#[test]` and for attributes of code that is compiled for tests only.
fn is_for_tests(attribute: &str) -> bool {
    let packed: String = attribute.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(packed.as_str(), "#[test]" | "#[bench]" | "#[cfg(test)]")
}

fn one<'n>(node: Node<'n>, attributes: Vec<Node<'n>>, text: &str, around: Around<'_>, into: &mut Items<'n>) {
    let name = name_of(node, text);
    let identity = |kind| Identity {
        owner: around.owner.map(str::to_owned),
        interface: around.interface.map(str::to_owned),
        ..Identity::new(kind, name)
    };
    let whole = |identity| Item::new(identity, [attributes.clone(), vec![node]].concat());
    match node.kind() {
        "function_item" | "function_signature_item" => into.all.push(whole(identity(Kind::Function))),
        "enum_item" => {
            let mut item = whole(Identity { members: members(node, text), ..identity(Kind::Type) });
            outside_of_body(&mut item, node);
            into.all.push(item);
            variants(node, name, text, into);
        }
        "struct_item" | "union_item" | "type_item" | "associated_type" => {
            let keeps = matches!(node.kind(), "struct_item" | "union_item");
            into.all.push(whole(Identity { members: members(node, text), keeps, ..identity(Kind::Type) }));
        }
        "const_item" | "static_item" | "macro_definition" => {
            let keeps = node.kind() == "static_item";
            into.all.push(whole(Identity { keeps, ..identity(Kind::Constant) }));
        }
        "impl_item" => implementation(node, attributes, text, into),
        "trait_item" => {
            let mut item = whole(identity(Kind::Type));
            outside_of_body(&mut item, node);
            into.all.push(item);
            if let Some(body) = node.child_by_field_name("body") {
                list(body, text, Around { owner: Some(name), interface: None }, into);
            }
        }
        "mod_item" => match node.child_by_field_name("body") {
            Some(body) => list(body, text, around, into),
            None => into.all.push(whole(identity(Kind::Module))),
        },
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                imports(node, argument, "", text, into);
            }
        }
        "inner_attribute_item"
        | "macro_invocation"
        | "expression_statement"
        | "extern_crate_declaration"
        | "foreign_mod_item" => {
            into.all.push(whole(Identity::new(Kind::Global, node.kind())));
        }
        "empty_statement" => {}
        _ => into.all.push(whole(Identity::new(Kind::Global, node.kind()))),
    }
}

/// Adds each variant as an item with its position. A variant that is added at the end does not change the others.
fn variants<'n>(node: Node<'n>, owner: &str, text: &str, into: &mut Items<'n>) {
    let mut attributes = Vec::new();
    let mut n_variants = 0;
    for child in node.child_by_field_name("body").map(named).unwrap_or_default() {
        if child.kind() == "attribute_item" {
            attributes.push(child);
            continue;
        }
        let mut identity = Identity::new(Kind::Constant, name_of(child, text));
        identity.owner = Some(owner.to_owned());
        identity.number = n_variants;
        n_variants += 1;
        into.all.push(Item::new(identity, [std::mem::take(&mut attributes), vec![child]].concat()));
    }
}

/// Adds an implementation. Its head is part of its type, and its functions are items of their own.
fn implementation<'n>(node: Node<'n>, attributes: Vec<Node<'n>>, text: &str, into: &mut Items<'n>) {
    let of_type = node.child_by_field_name("type").map_or("", |of_type| first_name(of_type, text));
    let interface = node.child_by_field_name("trait").map(|interface| first_name(interface, text));
    let mut identity = Identity::new(Kind::Type, of_type);
    identity.owner = Some(format!("impl {}", interface.unwrap_or_default()).trim_end().to_owned());
    let mut item = Item::new(identity, [attributes, vec![node]].concat());
    outside_of_body(&mut item, node);
    into.all.push(item);
    if let Some(body) = node.child_by_field_name("body") {
        list(body, text, Around { owner: Some(of_type), interface }, into);
    }
}

fn outside_of_body(item: &mut Item<'_>, node: Node<'_>) {
    item.without.extend(node.child_by_field_name("body").map(|body| body.id()));
}

/// The names of a struct's fields or an enumeration's variants. Fields of variants are not included.
fn members(node: Node<'_>, text: &str) -> BTreeSet<String> {
    let is_member = |node: Node<'_>| matches!(node.kind(), "field_declaration" | "enum_variant");
    below(node, &is_member).into_iter().map(|member| name_of(member, text).to_owned()).collect()
}

/// Adds one import for each name, however the names are grouped.
fn imports<'n>(item: Node<'n>, node: Node<'n>, prefix: &str, text: &str, into: &mut Items<'n>) {
    let joined = |path: Node<'_>| {
        let path: String = text_of(path, text).split_whitespace().collect();
        if prefix.is_empty() { path } else { format!("{prefix}::{path}") }
    };
    match node.kind() {
        "use_list" => {
            for child in named(node) {
                imports(item, child, prefix, text, into);
            }
        }
        "scoped_use_list" => {
            let inner = node.child_by_field_name("path").map_or(prefix.to_owned(), joined);
            if let Some(list) = node.child_by_field_name("list") {
                imports(item, list, &inner, text, into);
            }
        }
        "use_as_clause" => {
            let path = node.child_by_field_name("path").map_or(prefix.to_owned(), joined);
            let alias = node.child_by_field_name("alias").map_or("", |alias| text_of(alias, text));
            into.all.push(Item::import(item, &format!("{path} as {alias}"), alias));
        }
        "use_wildcard" => {
            let path = children(node).first().map_or(prefix.to_owned(), |path| joined(*path));
            into.all.push(Item::import(item, &format!("{path}::*"), "*"));
        }
        // `{self, …}` imports the path before it.
        "self" => {
            let name = prefix.rsplit("::").next().unwrap_or_default().to_owned();
            into.all.push(Item::import(item, prefix, &name));
        }
        _ => {
            let path = joined(node);
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            into.all.push(Item::import(item, &path, &name));
        }
    }
}
