//! Resolves names to the pieces that they may mean. Finds too many pieces rather than too few.

use std::collections::BTreeSet;

use super::{Names, Program};
use crate::language::Language;
use crate::piece::{Piece, Reference};

/// Names that Rust knows without an import. A program does not define them itself.
const PRELUDE: [&str; 26] = [
    "Vec", "String", "Option", "Result", "Box", "Some", "Ok", "Err", "str", "u8", "u16", "u32", "u64",
    "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "bool", "char", "std",
];

/// Resolves the names in a piece.
pub(super) struct Look<'a> {
    pub(super) program: &'a Program,
    pub(super) names: &'a Names,
    pub(super) piece: &'a Piece,
}

impl Look<'_> {
    /// Adds the pieces that a reference may mean. For a method, the receiver does not matter.
    pub(super) fn one(&self, reference: &Reference, into: &mut BTreeSet<usize>) {
        match reference {
            // In other languages, the name after a dot may be anything: a module, a class, a function.
            Reference::Bare(name)
            | Reference::Field(name)
            | Reference::Method(name)
            | Reference::Path(_, name)
                if self.piece.language != Language::Rust =>
            {
                self.anything(name, into);
            }
            Reference::Bare(name) => self.bare(name, into),
            Reference::Field(name) => self.put(&self.names.members, name, into),
            Reference::Method(name) => into.extend(self.methods(name)),
            Reference::Path(owner, name) => self.path(owner, name, into),
        }
    }

    fn put(&self, table: &super::ByName, name: &str, into: &mut BTreeSet<usize>) {
        into.extend(table.get(&(self.piece.language, name.to_owned())).into_iter().flatten());
    }

    fn has(&self, table: &super::ByName, name: &str) -> bool {
        table.contains_key(&(self.piece.language, name.to_owned()))
    }

    fn anything(&self, name: &str, into: &mut BTreeSet<usize>) {
        for table in [&self.names.free, &self.names.methods, &self.names.types, &self.names.members] {
            self.put(table, name, into);
        }
        self.imports(name, into);
    }

    fn imports(&self, name: &str, into: &mut BTreeSet<usize>) {
        for name in [name, "*"] {
            into.extend(
                self.names.imports.get(&(self.piece.file.clone(), name.to_owned())).into_iter().flatten(),
            );
        }
    }

    fn bare(&self, name: &str, into: &mut BTreeSet<usize>) {
        if let ("Self", Some(owner)) = (name, &self.piece.identity.owner) {
            return self.put(&self.names.types, owner, into);
        }
        self.put(&self.names.free, name, into);
        self.put(&self.names.types, name, into);
        self.imports(name, into);
        // The name may be a variant that was imported alone or with `*`.
        if name.starts_with(char::is_uppercase) && !self.has(&self.names.types, name) {
            self.put(&self.names.members, name, into);
        }
    }

    pub(super) fn methods(&self, name: &str) -> &[usize] {
        self.names.methods.get(&(self.piece.language, name.to_owned())).map(Vec::as_slice).unwrap_or_default()
    }

    fn path(&self, owner: &str, name: &str, into: &mut BTreeSet<usize>) {
        let owner = match (owner, &self.piece.identity.owner) {
            ("Self", Some(own)) => own,
            _ => owner,
        };
        if self.has(&self.names.types, owner) {
            let methods = self.methods(name);
            let is_own =
                |index: &&usize| self.program.pieces[**index].identity.owner.as_deref() == Some(owner);
            let own: Vec<usize> = methods.iter().filter(is_own).copied().collect();
            // If the type has no such method, the method may be a default of any trait.
            into.extend(if own.is_empty() { methods.to_vec() } else { own });
            return;
        }
        if PRELUDE.contains(&owner) || self.is_foreign(owner) {
            return;
        }
        for table in [&self.names.free, &self.names.types, &self.names.methods] {
            self.put(table, name, into);
        }
    }

    /// True if a name is imported from outside of the tree, as far as is known.
    fn is_foreign(&self, name: &str) -> bool {
        let imports = self.names.imports.get(&(self.piece.file.clone(), name.to_owned()));
        let is_foreign = |index: &usize| self.is_foreign_path(&self.program.pieces[*index].content);
        imports.is_some_and(|imports| imports.iter().all(is_foreign))
    }

    fn is_foreign_path(&self, path: &str) -> bool {
        let mut parts = path.split("::");
        let (root, next) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if matches!(root, "std" | "core" | "alloc") {
            return true;
        }
        if matches!(root, "crate" | "self" | "super") || self.is_in_the_tree(root) {
            return false;
        }
        match &self.program.packages {
            Some(packages) => !packages.contains(root),
            // The name of the tree's own package is not known. If the tree defines the next part, the path is not
            // foreign.
            None => !self.is_in_the_tree(next.split(' ').next().unwrap_or_default()),
        }
    }

    fn is_in_the_tree(&self, name: &str) -> bool {
        name == "*"
            || self.names.modules.contains(name)
            || self.has(&self.names.types, name)
            || self.has(&self.names.free, name)
    }
}
