//! A piece of code. Pieces are compared between versions, and they are the nodes of the call graph.

use std::collections::BTreeSet;

use crate::language::Language;

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A function or method.
    Function,
    /// A type, trait, class or interface, with its fields.
    Type,
    /// A constant, or something else that has a name and exists from the start.
    Constant,
    /// An imported name.
    Import,
    /// A module that is in a file of its own.
    Module,
    /// Code that runs when the program starts.
    Entry,
    /// Something that may affect the whole program.
    Global,
}

/// The name of an item, and the names that it defines.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) kind: Kind,
    /// The item's own name.
    pub(crate) name: String,
    /// The type that the item belongs to.
    pub(crate) owner: Option<String>,
    /// The trait, base class or interface through which the item may be called without its name. `None` if there is
    /// none.
    pub(crate) interface: Option<String>,
    /// Other names that the item defines: fields and variants.
    pub(crate) members: BTreeSet<String>,
    /// The position of a variant in its enumeration. 0 for all other items.
    pub(crate) number: usize,
    /// Whether values of types that the item names may be kept from one action to the next. True for structs and static
    /// variables.
    pub(crate) keeps: bool,
}

impl Identity {
    pub(crate) fn new(kind: Kind, name: &str) -> Identity {
        Identity {
            kind,
            name: name.to_owned(),
            owner: None,
            interface: None,
            members: BTreeSet::new(),
            number: 0,
            keeps: false,
        }
    }

    /// The name that is shown to users.
    pub(crate) fn path(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}::{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A variant of an enumeration: its type and its name.
pub(crate) type Variant = (String, String);

/// When a piece runs, provided that the code around it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Always, or it is not known when.
    Always,
    /// For these variants of enumerations.
    Variants(BTreeSet<Variant>),
    /// For these actions.
    Actions(BTreeSet<String>),
    /// Repeatedly, for each event that a gate hands out.
    Loop,
    /// When somebody calls it, which may be much later. The piece is a closure.
    Later,
}

/// A name in a piece.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reference {
    /// `name`
    Bare(String),
    /// `x.name`
    Field(String),
    /// `x.name(…)`
    Method(String),
    /// `owner::name`
    Path(String, String),
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) language: Language,
    pub(crate) identity: Identity,
    /// The position of the piece in its item. It is shown to users, and used to find the piece in another version.
    pub(crate) place: String,
    pub(crate) when: When,
    /// The piece around it, as an index into the same list.
    pub(crate) parent: Option<usize>,
    /// The code in a form that layout does not change, without the pieces inside this one.
    pub(crate) content: String,
    /// Like `content`, but without statements that only assign.
    pub(crate) skeleton: String,
    /// The statements that only assign.
    pub(crate) assignments: Vec<Statement>,
    pub(crate) references: BTreeSet<Reference>,
    /// The names before the body of the item, such as a function's signature. All names if there is no body.
    pub(crate) signature: BTreeSet<String>,
    /// The strings in the piece.
    pub(crate) literals: BTreeSet<String>,
    /// The variants that the piece makes or compares with.
    pub(crate) variants: BTreeSet<Variant>,
    /// Whether the piece starts a thread, a task or a process.
    pub(crate) spawns: bool,
}

/// A statement that only assigns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Statement {
    pub(crate) content: String,
    /// The field or variable that is assigned.
    pub(crate) assigns: String,
}

impl Piece {
    /// The name that is shown to users.
    pub(crate) fn name(&self) -> String {
        if self.place.is_empty() {
            self.identity.path()
        } else {
            format!("{}, {}", self.identity.path(), self.place)
        }
    }

    /// The file and line of the piece.
    pub(crate) fn at(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}
