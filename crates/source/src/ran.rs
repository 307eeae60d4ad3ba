//! Attributes changes by what is known to have run in the old version.
//!
//! A step that runs none of the lines at which a change begins to matter does what it did before, because nodes are
//! deterministic. So a change of a function belongs to the actions for which these lines ran. A function that is new can
//! only be called by code that changed as well, unless the old code says its name. All other changes, such as those of
//! types, are left to the call graph.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node, Tree as SyntaxTree};

use crate::changed::Change;
use crate::items::{self, Item};
use crate::language::{Language, named, text_of};
use crate::piece::{Kind, Piece, Reference};
use crate::points::Versions;
use crate::program::Program;
use crate::tree::Tree;
use crate::{Ran, Range};

/// A file and the path of a function in it.
type Function = (String, String);

/// Where changes begin to matter.
pub(crate) struct Known {
    /// For each function that changed or is gone, lines of the old code.
    functions: BTreeMap<Function, Vec<Range>>,
    /// The names in each old function, each with the lines of its statement.
    named: BTreeMap<Function, Vec<(String, Range)>>,
    /// The statements of each Python class besides its methods in both versions, each with the name that it defines.
    bodies: [BTreeMap<Function, Vec<Statement>>; 2],
    /// All names in the old program, also in strings.
    said: BTreeSet<String>,
    /// The names of all types of the old program.
    classes: BTreeSet<String>,
    ran: Ran,
}

/// The text of a statement, and the name that it defines.
type Statement = (String, Option<String>);

impl Known {
    pub(crate) fn new(ran: &Ran, trees: [&Tree; 2], programs: &[Program; 2]) -> Known {
        let mut known = Known {
            functions: BTreeMap::new(),
            named: BTreeMap::new(),
            bodies: [BTreeMap::new(), BTreeMap::new()],
            said: said_in(&programs[0], None),
            classes: classes(&programs[0]),
            ran: ran.clone(),
        };
        for (file, old) in &trees[0].files {
            let new = trees[1].files.get(file).map_or(&[][..], Vec::as_slice);
            if known.is_noted(file) {
                known.file(file, [old, new]);
            }
        }
        known
    }

    /// Whether it was noted what runs in a file.
    fn is_noted(&self, file: &str) -> bool {
        self.ran.folders.iter().any(|folder| {
            folder.is_empty() || file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    fn file(&mut self, file: &str, contents: [&[u8]; 2]) {
        let Some(language) = Language::of(file) else { return };
        let texts = contents.map(|content| std::str::from_utf8(content).unwrap_or_default());
        let parse = |text: &str| language.parse(text).ok();
        let (Some(old), Some(new)) = (parse(texts[0]), parse(texts[1])) else { return };
        let functions = |tree, text| functions(tree, text, language);
        let (olds, news) = (functions(&old, texts[0]), functions(&new, texts[1]));
        let versions = Versions { file, texts, language };
        for (path, items) in &olds {
            let own = |item: &Item<'_>| item.nodes.last().map(|node| versions.whole(*node));
            let key = (file.to_owned(), path.clone());
            let whole: Vec<Range> = items.iter().filter_map(own).collect();
            let places = match news.get(path) {
                Some(others) if others.len() == items.len() => {
                    let pairs = items.iter().zip(others);
                    let one = |(old, new): (&Item<'_>, &Item<'_>)| {
                        if old.nodes.len() != new.nodes.len() {
                            return own(old).into_iter().collect();
                        }
                        let nodes = old.nodes.iter().zip(&new.nodes);
                        nodes.flat_map(|(old, new)| versions.points(*old, *new)).collect::<Vec<_>>()
                    };
                    pairs.flat_map(one).collect()
                }
                _ => whole.clone(),
            };
            self.functions.insert(key.clone(), places);
            let nodes = items.iter().flat_map(|item| &item.nodes);
            self.named.insert(key, nodes.flat_map(|node| versions.names(*node, &self.classes)).collect());
        }
        for (side, (tree, text)) in [(&old, texts[0]), (&new, texts[1])].into_iter().enumerate() {
            let classes = items::of(tree.root_node(), text, language).all;
            for class in classes.iter().filter(|item| item.identity.kind == Kind::Type) {
                let key = (file.to_owned(), class.identity.path());
                self.bodies[side].insert(key, statements(class, text));
            }
        }
    }

    /// The lines of the old code at which a change begins to matter. `None` if they are not known.
    pub(crate) fn places(&self, change: &Change, programs: &[Program; 2]) -> Option<Vec<Range>> {
        let side = usize::from(change.pieces[0].is_none());
        let index = change.pieces[side]?;
        let piece = &programs[side].pieces[index];
        if !self.is_noted(&piece.file) {
            return None;
        }
        match (piece.identity.kind, side) {
            (Kind::Function, 0) => self.functions.get(&function(piece)).cloned(),
            // A function that old code does not name runs only if changed code calls it. A part of a function that is in
            // both versions is new because the function has changed.
            (Kind::Function, _) => match self.functions.get(&function(piece)) {
                Some(places) => Some(places.clone()),
                None => self.is_unsaid(&piece.identity.name).then(Vec::new),
            },
            (Kind::Constant, 0) => self.users(index, &programs[0]),
            (Kind::Constant | Kind::Import, 1) => {
                let is_same = |other: &Piece| {
                    piece.identity.kind == Kind::Import
                        && other.identity.kind == Kind::Import
                        && (&other.file, &other.content) == (&piece.file, &piece.content)
                };
                let is_there = programs[0].pieces.iter().any(is_same);
                let is_unsaid = match piece.identity.kind {
                    // An import gives a name to its own file.
                    Kind::Import => !said_in(&programs[0], Some(&piece.file)).contains(&piece.identity.name),
                    _ => self.is_unsaid(&piece.identity.name),
                };
                (is_there || is_unsaid).then(Vec::new)
            }
            (Kind::Type, 0) => {
                let new = &programs[1].pieces[change.pieces[1]?];
                self.only_has_more(piece, new).then(Vec::new)
            }
            _ => None,
        }
    }

    /// Whether a Python class has only come to define more names, none of which old code says.
    fn only_has_more(&self, old: &Piece, new: &Piece) -> bool {
        let key = |piece: &Piece| (piece.file.clone(), piece.identity.path());
        let (Some(olds), Some(news)) = (self.bodies[0].get(&key(old)), self.bodies[1].get(&key(new))) else {
            return false;
        };
        let mut more = news.iter();
        let is_kept = olds.iter().all(|(text, _)| more.any(|(other, _)| other == text));
        let mut added = news.iter().filter(|statement| !olds.contains(statement));
        is_kept
            && old.identity.interface == new.identity.interface
            && added.all(|(_, name)| name.as_ref().is_some_and(|name| self.is_unsaid(name)))
    }

    fn is_unsaid(&self, name: &str) -> bool {
        !name.starts_with("__") && !self.said.contains(name)
            // Python knows `__name` of a class only there.
            || (name.starts_with("__") && !name.ends_with("__") && !self.said.contains(name))
    }

    /// The lines of functions that name a constant. `None` if something else than functions uses it.
    fn users(&self, index: usize, program: &Program) -> Option<Vec<Range>> {
        let mut open = vec![index];
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        let mut places = Vec::new();
        while let Some(used) = open.pop() {
            let users = (0..program.pieces.len()).filter(|user| program.named[*user].contains(&used));
            for user in users {
                let piece = &program.pieces[user];
                let name = &program.pieces[used].identity.name;
                match piece.identity.kind {
                    Kind::Function if self.is_noted(&piece.file) => {
                        let named = self.named.get(&function(piece))?;
                        places.extend(
                            named.iter().filter(|(other, _)| other == name).map(|(_, at)| at.clone()),
                        );
                    }
                    Kind::Import | Kind::Constant => {
                        if seen.insert(user) {
                            open.push(user);
                        }
                    }
                    // A statement of a module runs when the module is read. It can only refuse to go on, since what it
                    // defines is a constant.
                    Kind::Entry if piece.identity.members.is_empty() => {}
                    // The class has a member of that name.
                    Kind::Type if piece.identity.members.contains(name) => {}
                    _ => return None,
                }
            }
        }
        Some(places)
    }
}

fn function(piece: &Piece) -> Function {
    (piece.file.clone(), piece.identity.path())
}

/// The functions of a file, by their paths.
fn functions<'n>(tree: &'n SyntaxTree, text: &str, language: Language) -> BTreeMap<String, Vec<Item<'n>>> {
    let mut found: BTreeMap<String, Vec<Item<'n>>> = BTreeMap::new();
    let all = items::of(tree.root_node(), text, language).all;
    for item in all.into_iter().filter(|item| item.identity.kind == Kind::Function) {
        found.entry(item.identity.path()).or_default().push(item);
    }
    found
}

/// The statements of a class besides its methods.
fn statements(class: &Item<'_>, text: &str) -> Vec<Statement> {
    let node = class.nodes.last().copied();
    let body = node.and_then(|node| node.child_by_field_name("body"));
    let own =
        body.map(named).unwrap_or_default().into_iter().filter(|node| !class.without.contains(&node.id()));
    let statement = |node: Node<'_>| {
        let name = named(node).first().and_then(|inner| inner.child_by_field_name("left"));
        (text_of(node, text).to_owned(), name.map(|name| text_of(name, text).to_owned()))
    };
    own.map(statement).collect()
}

/// The names of all types of a program.
fn classes(program: &Program) -> BTreeSet<String> {
    let types = program.pieces.iter().filter(|piece| piece.identity.kind == Kind::Type);
    types.map(|piece| piece.identity.name.clone()).collect()
}

/// All names in a program, or in one of its files, also in strings.
fn said_in(program: &Program, file: Option<&String>) -> BTreeSet<String> {
    let pieces = || program.pieces.iter().filter(|piece| file.is_none_or(|file| *file == piece.file));
    let names = pieces().flat_map(|piece| &piece.references).map(|reference| match reference {
        Reference::Bare(name)
        | Reference::Field(name)
        | Reference::Method(name)
        | Reference::Path(_, name) => name.clone(),
    });
    names.chain(pieces().flat_map(|piece| piece.literals.iter().cloned())).collect()
}
