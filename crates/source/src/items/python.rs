//! Finds the items of a Python file. The statements of a module run when it is imported, so they count as code that
//! runs at the start.

use tree_sitter::Node;

use super::{Item, Items, below, name_of};
use crate::language::{named, text_of};
use crate::piece::{Identity, Kind};

pub(super) fn collect<'n>(root: Node<'n>, text: &str, into: &mut Items<'n>) {
    for node in named(root) {
        match node.kind() {
            "function_definition" => into.all.push(function(node, node, None, text)),
            "class_definition" => class(node, node, text, into),
            "decorated_definition" => decorated(node, None, text, into),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                imports(node, text, into);
            }
            _ => statement(node, text, into),
        }
    }
}

fn decorated<'n>(node: Node<'n>, owner: Option<&Identity>, text: &str, into: &mut Items<'n>) {
    match node.child_by_field_name("definition") {
        Some(inner) if inner.kind() == "class_definition" => class(node, inner, text, into),
        Some(inner) => into.all.push(function(node, inner, owner, text)),
        None => statement(node, text, into),
    }
}

fn function<'n>(whole: Node<'n>, node: Node<'n>, class: Option<&Identity>, text: &str) -> Item<'n> {
    let identity = Identity {
        owner: class.map(|class| class.name.clone()),
        interface: class.and_then(|class| class.interface.clone()),
        ..Identity::new(Kind::Function, name_of(node, text))
    };
    Item::new(identity, vec![whole])
}

/// Adds a class without its methods, then its methods.
fn class<'n>(whole: Node<'n>, node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let mut identity = Identity::new(Kind::Type, name_of(node, text));
    identity.interface =
        node.child_by_field_name("superclasses").map(|bases| text_of(bases, text).to_owned());
    let mut item = Item::new(identity.clone(), vec![whole]);
    let mut methods = Items::default();
    for member in node.child_by_field_name("body").map(named).unwrap_or_default() {
        match member.kind() {
            "function_definition" => methods.all.push(function(member, member, Some(&identity), text)),
            "class_definition" => class(member, member, text, &mut methods),
            "decorated_definition" => decorated(member, Some(&identity), text, &mut methods),
            _ => {
                item.identity.members.extend(names_bound(member, text));
                continue;
            }
        }
        item.without.insert(member.id());
    }
    into.all.push(item);
    into.all.append(&mut methods.all);
}

/// The names that a statement defines, at any depth.
fn names_bound(node: Node<'_>, text: &str) -> Vec<String> {
    let binds = |node: Node<'_>| {
        matches!(
            node.kind(),
            "assignment" | "augmented_assignment" | "function_definition" | "class_definition"
        ) || node.kind().starts_with("import")
    };
    let bound = if binds(node) { vec![node] } else { below(node, &binds) };
    let mut found = Vec::new();
    for node in bound {
        match node.kind() {
            "assignment" | "augmented_assignment" => {
                let left = node.child_by_field_name("left").map_or("", |left| text_of(left, text));
                found.extend(left.split(',').map(|name| name.trim().trim_matches(['(', ')']).to_owned()));
            }
            "function_definition" | "class_definition" => found.push(name_of(node, text).to_owned()),
            _ => {
                let words = text_of(node, text).split(|c: char| !c.is_alphanumeric() && c != '_');
                found.extend(words.map(str::to_owned));
            }
        }
    }
    found
}

fn statement<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let bound = names_bound(node, text);
    let simple = node.kind() == "expression_statement" && bound.len() == 1;
    let (kind, name) = match bound.first() {
        Some(name) if simple => (Kind::Constant, name.clone()),
        _ => (Kind::Entry, "<module>".to_owned()),
    };
    let identity = Identity { members: bound.into_iter().collect(), ..Identity::new(kind, &name) };
    into.all.push(Item::new(identity, vec![node]));
}

fn imports<'n>(node: Node<'n>, text: &str, into: &mut Items<'n>) {
    let module = node.child_by_field_name("module_name");
    let prefix = module.map_or(String::new(), |module| format!("{}.", text_of(module, text)));
    let mut n_names = 0;
    for child in named(node).into_iter().filter(|child| module.is_none_or(|module| module.id() != child.id()))
    {
        let (path, name) = match child.kind() {
            "aliased_import" => {
                let alias = child.child_by_field_name("alias").map_or("", |alias| text_of(alias, text));
                (format!("{} as {alias}", name_of(child, text)), alias)
            }
            "wildcard_import" => ("*".to_owned(), "*"),
            _ => {
                let path = text_of(child, text);
                // `import a.b` defines the name `a`.
                (path.to_owned(), path.split('.').next().unwrap_or_default())
            }
        };
        n_names += 1;
        into.all.push(Item::import(node, &format!("{prefix}{path}"), name));
    }
    if n_names == 0 {
        into.all.push(Item::new(Identity::new(Kind::Global, "import"), vec![node]));
    }
}
