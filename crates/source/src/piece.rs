//! A piece of code: what is compared, and what the call graph is made of.

use std::collections::BTreeSet;

use crate::language::Language;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A function or method.
    Function,
    /// A type, trait, class, interface, with its fields.
    Type,
    /// A constant, or something else that has a name and is there from the beginning.
    Constant,
    /// A name that comes from elsewhere.
    Import,
    /// A module that is in a file of its own.
    Module,
    /// Code that runs when the program starts.
    Entry,
    /// Something that may mean anything to the whole program.
    Global,
}

/// How an item is called and what it gives names to.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) kind: Kind,
    /// Its own name.
    pub(crate) name: String,
    /// The type that it belongs to.
    pub(crate) owner: Option<String>,
    /// The trait, base class or interface by which others may call it without its name: `None` if there is none.
    pub(crate) interface: Option<String>,
    /// What else it gives names to: fields, variants.
    pub(crate) members: BTreeSet<String>,
    /// Its number among its like, where that matters.
    pub(crate) number: usize,
    /// Whether values that it names may stay from one action to the next: it is a struct or a variable of the whole program.
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

    /// How people call it.
    pub(crate) fn path(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}::{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A variant of an enumeration: its type and its name.
pub(crate) type Variant = (String, String);

/// When a piece runs, given that what is around it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Always, or one can't tell.
    Always,
    /// For these variants of enumerations.
    Variants(BTreeSet<Variant>),
    /// For these actions.
    Actions(BTreeSet<String>),
    /// Again and again, for an event that a gate hands out.
    Loop,
    /// When somebody calls it, maybe long after: a closure.
    Later,
}

/// Something that a piece names.
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
    /// Its place among the pieces of its item, for people and to find it again in another version.
    pub(crate) place: String,
    pub(crate) when: When,
    /// The piece around it, as an index into the same list.
    pub(crate) parent: Option<usize>,
    /// Its code in a form that layout does not change, without the pieces inside of it.
    pub(crate) content: String,
    /// The same without statements that do nothing but assign.
    pub(crate) skeleton: String,
    /// Those statements.
    pub(crate) assignments: Vec<Statement>,
    pub(crate) references: BTreeSet<Reference>,
    /// The names in a function's signature, or in all of a constant.
    pub(crate) signature: BTreeSet<String>,
    /// Strings in it.
    pub(crate) literals: BTreeSet<String>,
    /// Variants that it makes or compares with.
    pub(crate) variants: BTreeSet<Variant>,
    /// Whether it begins a thread, a task or a process.
    pub(crate) spawns: bool,
}

/// A statement that does nothing but assign.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Statement {
    pub(crate) content: String,
    /// The field or variable that it gives a value to.
    pub(crate) assigns: String,
}

impl Piece {
    /// How people call it.
    pub(crate) fn name(&self) -> String {
        if self.place.is_empty() {
            self.identity.path()
        } else {
            format!("{}, {}", self.identity.path(), self.place)
        }
    }

    /// Where it is.
    pub(crate) fn at(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}
