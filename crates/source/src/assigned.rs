//! Finds the mapped variables that changed statements assign.

use std::collections::{BTreeMap, BTreeSet};

use crate::piece::{Kind, Piece, Statement};
use crate::program::Program;
use crate::{Affected, Mapping};

/// The fields that hold variables of the specification, each with its variable. Fields are marked by `#[variable]` in
/// Rust and `@Variable("…")` in Java.
pub(crate) fn fields(programs: [&Program; 2], mapping: &Mapping) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut ambiguous = BTreeSet::new();
    let types = programs
        .into_iter()
        .flat_map(|program| &program.pieces)
        .filter(|piece| piece.identity.kind == Kind::Type);
    for piece in types {
        for (field, reported) in marked_fields(&piece.content) {
            let Some(variable) = mapping.variables.get(&reported) else { continue };
            if found.insert(field.clone(), variable.clone()).is_some_and(|other| other != *variable) {
                ambiguous.insert(field);
            }
        }
        // If another type has a field of this name that is no variable, an assignment to the name is ambiguous.
        let marked: BTreeSet<String> =
            marked_fields(&piece.content).into_iter().map(|(field, _)| field).collect();
        ambiguous.extend(piece.identity.members.iter().filter(|member| !marked.contains(*member)).cloned());
    }
    found.retain(|field, _| !ambiguous.contains(field));
    found
}

/// The marked fields in the normal form of a type: the name of the field, and the name under which it is reported.
fn marked_fields(content: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = content.split(' ').filter_map(|word| word.strip_prefix('`')).collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let rest = &words[index + 1..];
        match (*word, index.checked_sub(1).map(|before| words[before])) {
            ("variable", Some("[")) => found.extend(rust_field(rest)),
            ("Variable", Some("@")) => found.extend(java_field(rest)),
            _ => {}
        }
    }
    found
}

/// Reads what follows `#[variable`: `("name", with = …)]`, other attributes, `pub`, and the field before its colon.
fn rust_field(rest: &[&str]) -> Option<(String, String)> {
    let colon = rest.iter().position(|word| *word == ":")?;
    let field = rest.get(colon.checked_sub(1)?)?;
    let name = match rest {
        ["(", name, ..] if name.starts_with('"') => name.trim_matches('"'),
        _ => field,
    };
    Some(((*field).to_owned(), name.to_owned()))
}

/// Reads what follows `@Variable`: `("name") private int field = 0;`.
fn java_field(rest: &[&str]) -> Option<(String, String)> {
    let ["(", name, ")", declared @ ..] = rest else { return None };
    let end = declared.iter().position(|word| matches!(*word, "=" | ";"))?;
    let field = declared.get(end.checked_sub(1)?)?;
    Some(((*field).to_owned(), name.trim_matches('"').to_owned()))
}

/// The variables that a change of a piece can affect. It is only some of them if every changed statement does nothing
/// but assign one.
pub(crate) fn affected(
    old: Option<&Piece>,
    new: Option<&Piece>,
    fields: &BTreeMap<String, String>,
) -> Affected {
    let (Some(old), Some(new)) = (old, new) else { return Affected::All };
    if old.skeleton != new.skeleton || old.identity.kind != Kind::Function {
        return Affected::All;
    }
    let only = |here: &Piece, there: &Piece| -> Vec<Statement> {
        here.assignments.iter().filter(|statement| !there.assignments.contains(statement)).cloned().collect()
    };
    let changed = [only(old, new), only(new, old)].concat();
    let variables: Option<BTreeSet<String>> =
        changed.iter().map(|statement| fields.get(&statement.assigns).cloned()).collect();
    match variables {
        Some(variables) if !variables.is_empty() => Affected::Only(variables),
        _ => Affected::All,
    }
}
