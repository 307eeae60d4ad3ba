//! Finds code that runs without being named, because the standard library or a framework calls it.

use std::collections::BTreeSet;

use super::{Names, Program};
use crate::language::Language;
use crate::piece::{Kind, Piece};

/// Methods that are called without being named.
const UNSPOKEN: [&str; 20] = [
    "toString",
    "equals",
    "hashCode",
    "compareTo",
    "compare",
    "run",
    "call",
    "close",
    "accept",
    "apply",
    "get",
    "String",
    "Error",
    "Len",
    "Less",
    "Swap",
    "Read",
    "Write",
    "Close",
    "ServeHTTP",
];

/// Connects code that is called without being named.
pub(super) fn connect(program: &mut Program, names: &Names) {
    let mut by_type = Vec::new();
    let mut always = BTreeSet::new();
    for (index, piece) in program.pieces.iter().enumerate().filter(|(_, piece)| piece.parent.is_none()) {
        if piece.identity.kind == Kind::Global {
            always.insert(index);
        } else if piece.identity.kind == Kind::Function {
            match piece.language {
                Language::Rust => match rust(piece, names) {
                    Some(Called::WithItsType(types)) => {
                        by_type.extend(types.into_iter().map(|it| (it, index)));
                    }
                    Some(Called::Anywhere) => {
                        always.insert(index);
                    }
                    None => {}
                },
                _ if is_unspoken(piece, names) => {
                    always.insert(index);
                }
                _ => by_type.extend(constructor_of(piece, names).into_iter().map(|it| (it, index))),
            }
        }
    }
    for (of_type, index) in by_type {
        program.named[of_type].push(index);
    }
    program.always = always;
}

enum Called {
    /// Called by code that has a value of one of these types.
    WithItsType(Vec<usize>),
    Anywhere,
}

/// Who calls a method of a foreign trait, such as an operator, a destructor or a callback. `None` for other functions.
fn rust(piece: &Piece, names: &Names) -> Option<Called> {
    let key = |name: &str| (Language::Rust, name.to_owned());
    let interface = piece.identity.interface.as_deref()?;
    if names.types.contains_key(&key(interface)) {
        return None;
    }
    let owner = piece.identity.owner.as_deref().unwrap_or_default();
    Some(names.types.get(&key(owner)).map_or(Called::Anywhere, |types| Called::WithItsType(types.clone())))
}

fn is_unspoken(piece: &Piece, names: &Names) -> bool {
    let identity = &piece.identity;
    let (name, language) = (identity.name.as_str(), piece.language);
    if identity.owner.is_none() {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let is_foreign = |word: &String| {
        !word.is_empty()
            && !matches!(word.as_str(), "extends" | "implements" | "object" | "metaclass")
            && !names.types.contains_key(&(language, word.clone()))
    };
    let of_elsewhere = identity.interface.as_deref().is_some_and(|bases| words(bases).iter().any(is_foreign));
    let is_constructor = identity.owner.as_deref() == Some(name);
    of_elsewhere
        || name.starts_with("__")
        || UNSPOKEN.contains(&name)
        || (!is_constructor && name != "main" && !names.said.contains(&(language, name.to_owned())))
}

/// The types whose constructor this is. A constructor runs for all code that names its type.
fn constructor_of(piece: &Piece, names: &Names) -> Vec<usize> {
    let name = &piece.identity.name;
    if piece.identity.owner.as_ref() != Some(name) {
        return Vec::new();
    }
    names.types.get(&(piece.language, name.clone())).cloned().unwrap_or_default()
}
