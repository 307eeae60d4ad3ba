//! Finds the types of which a Rust item can have values. Its method calls can only have receivers of these types.
//!
//! A value comes from a parameter, a field, or the result of a function. Each of these is declared, and the declaration
//! names the type or a trait that the type implements. So an item can only have values of types that are named by the
//! item itself, by the signatures of the functions that it calls, by the fields that it uses, or by the declarations of
//! types that it can have.

use std::collections::{BTreeMap, BTreeSet};

use super::{Names, Program, resolve};
use crate::language::Language;
use crate::piece::{Kind, Piece, Reference};

/// The types of each item, by the index of its outermost piece.
pub(super) struct Typing {
    of: BTreeMap<usize, BTreeSet<String>>,
    outermost: Vec<usize>,
}

impl Typing {
    pub(super) fn new(program: &Program, names: &Names) -> Typing {
        let mut outermost = Vec::new();
        for (index, piece) in program.pieces.iter().enumerate() {
            // A piece comes after the one around it.
            outermost.push(piece.parent.map_or(index, |parent| outermost[parent]));
        }
        let mut items: BTreeMap<usize, Vec<&Piece>> = BTreeMap::new();
        for (index, piece) in program.pieces.iter().enumerate() {
            if piece.language == Language::Rust {
                items.entry(outermost[index]).or_default().push(piece);
            }
        }
        let declared = declared(program, names);
        let look = Look { program, names, declared: &declared };
        let of = items.into_iter().map(|(index, pieces)| (index, look.types(&pieces))).collect();
        Typing { of, outermost }
    }

    /// True if the item of the piece `caller` may have a receiver for the method.
    fn may_call(&self, caller: usize, method: &Piece, names: &Names) -> bool {
        let Some(types) = self.outermost.get(caller).and_then(|item| self.of.get(item)) else { return true };
        allows(types, method, names)
    }

    /// All pieces that a piece names. Of methods, only those that its item may call.
    pub(super) fn references(&self, program: &Program, names: &Names, index: usize) -> BTreeSet<usize> {
        let piece = &program.pieces[index];
        let look = resolve::Look { program, names, piece };
        let mut found = BTreeSet::new();
        for reference in &piece.references {
            match reference {
                Reference::Method(name) if piece.language == Language::Rust => {
                    let may_call = |method: &usize| self.may_call(index, &program.pieces[*method], names);
                    found.extend(look.methods(name).iter().filter(|method| may_call(method)));
                }
                _ => look.one(reference, &mut found),
            }
        }
        found.remove(&index);
        found
    }
}

fn allows(types: &BTreeSet<String>, method: &Piece, names: &Names) -> bool {
    let is_type = |name: &String| names.types.contains_key(&(Language::Rust, name.clone()));
    let Some(owner) = &method.identity.owner else { return true };
    let by_interface = method.identity.interface.as_ref().is_some_and(|interface| types.contains(interface));
    // If the trait is ours and the type is not, it is not known which items have such a value.
    !is_type(owner) || types.contains(owner) || by_interface
}

/// The types that the declaration of each type names.
fn declared(program: &Program, names: &Names) -> BTreeMap<String, BTreeSet<String>> {
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for piece in program.pieces.iter().filter(|piece| piece.language == Language::Rust) {
        let identity = &piece.identity;
        if identity.kind == Kind::Type {
            let named = piece.references.iter().filter_map(|reference| type_named(reference, names));
            let named: Vec<String> = named.collect();
            declared.entry(identity.name.clone()).or_default().extend(named.iter().cloned());
            // A type in the implementation of a trait also belongs to the type that implements the trait.
            if let Some(owner) = identity.owner.clone().filter(|owner| !owner.starts_with("impl")) {
                declared.entry(owner).or_default().extend(named);
            }
        }
    }
    declared
}

/// The type that a reference names.
fn type_named(reference: &Reference, names: &Names) -> Option<String> {
    let (Reference::Bare(name) | Reference::Path(_, name)) = reference else { return None };
    names.types.contains_key(&(Language::Rust, name.clone())).then(|| name.clone())
}

struct Look<'a> {
    program: &'a Program,
    names: &'a Names,
    declared: &'a BTreeMap<String, BTreeSet<String>>,
}

impl Look<'_> {
    fn types(&self, pieces: &[&Piece]) -> BTreeSet<String> {
        let mut types: BTreeSet<String> =
            pieces.iter().filter_map(|piece| piece.identity.owner.clone()).collect();
        let mut callees = BTreeSet::new();
        let mut methods: BTreeSet<usize> = BTreeSet::new();
        for piece in pieces {
            let look = resolve::Look { program: self.program, names: self.names, piece };
            for reference in &piece.references {
                types.extend(type_named(reference, self.names));
                let is_method = matches!(reference, Reference::Method(_));
                look.one(reference, if is_method { &mut methods } else { &mut callees });
            }
        }
        for callee in &callees {
            self.add_declaration(*callee, &mut types);
        }
        loop {
            self.close(&mut types);
            let allowed = |index: &usize| allows(&types, &self.program.pieces[*index], self.names);
            let fresh: Vec<usize> = methods.iter().copied().filter(allowed).collect();
            if fresh.is_empty() {
                return types;
            }
            for method in fresh {
                methods.remove(&method);
                self.add_declaration(method, &mut types);
            }
        }
    }

    /// Adds the types that a declaration names.
    fn add_declaration(&self, index: usize, types: &mut BTreeSet<String>) {
        let piece = &self.program.pieces[index];
        if piece.identity.kind == Kind::Type {
            types.insert(piece.identity.name.clone());
            return;
        }
        let known = |name: &&String| self.names.types.contains_key(&(Language::Rust, (*name).clone()));
        types.extend(piece.signature.iter().filter(known).cloned());
        if piece.signature.contains("Self") {
            types.extend(piece.identity.owner.clone());
        }
    }

    /// Adds the types that the declarations of these types name, and so on.
    fn close(&self, types: &mut BTreeSet<String>) {
        let mut open: Vec<String> = types.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for next in self.declared.get(&name).into_iter().flatten() {
                if types.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
    }
}
