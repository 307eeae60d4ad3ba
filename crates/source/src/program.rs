//! All pieces of a version, and which piece names which.

use std::collections::{BTreeMap, BTreeSet};

use crate::files;
use crate::items;
use crate::language::Language;
use crate::piece::{Kind, Piece, Reference, When};
use crate::tree::Tree;
use crate::write::Writer;

mod implicit;
mod resolve;
mod typing;

/// A file that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unparsable {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// The code of a version.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) pieces: Vec<Piece>,
    /// The pieces directly inside each piece.
    pub(crate) inside: Vec<Vec<usize>>,
    /// The pieces that each piece names.
    pub(crate) named: Vec<Vec<usize>>,
    /// Pieces that may run at any time without being named.
    pub(crate) always: BTreeSet<usize>,
    pub(crate) unparsable: Vec<Unparsable>,
    /// Source files that are no part of the system.
    pub(crate) test_files: BTreeSet<String>,
    /// The names of the Rust packages in the tree. `None` if the tree has no manifest.
    packages: Option<BTreeSet<String>>,
}

/// Pieces by language and name.
type ByName = BTreeMap<(Language, String), Vec<usize>>;

/// The pieces that have each name.
#[derive(Default)]
struct Names {
    /// Functions and constants that belong to no type, constants of types, and modules.
    free: ByName,
    /// Functions and constants that belong to a type.
    methods: ByName,
    types: ByName,
    /// Types, by the names of their fields and variants.
    members: ByName,
    /// Imports, by file and name.
    imports: BTreeMap<(String, String), Vec<usize>>,
    /// The parts of all file paths. A Rust module has one of these names.
    modules: BTreeSet<String>,
    /// All names that are used alone or after a dot.
    said: BTreeSet<(Language, String)>,
}

impl Program {
    /// Reads the program in a tree.
    pub(crate) fn new(tree: &Tree) -> Program {
        let mut program = Program {
            test_files: tree.files.keys().filter(|path| files::is_test(path)).cloned().collect(),
            packages: files::rust_packages(tree),
            ..Program::default()
        };
        let reads_documentation = tree.files.values().any(|content| contains(content, b"__doc__"));
        let mut test_modules = Vec::new();
        for (path, content) in &tree.files {
            if let (Some(language), false) = (Language::of(path), program.test_files.contains(path)) {
                program.add_file(path, content, language, reads_documentation, &mut test_modules);
            }
        }
        program.drop_test_modules(&test_modules);
        program.connect();
        program
    }

    fn add_file(
        &mut self,
        path: &str,
        content: &[u8],
        language: Language,
        reads_documentation: bool,
        test_modules: &mut Vec<String>,
    ) {
        let parsed = std::str::from_utf8(content)
            .map_err(|_| (1, "it is not UTF-8".to_owned()))
            .and_then(|text| language.parse(text).map(|tree| (text, tree)));
        let (text, tree) = match parsed {
            Ok(parsed) => parsed,
            Err((line, reason)) => {
                self.unparsable.push(Unparsable { file: path.to_owned(), line, reason });
                return;
            }
        };
        let writer = Writer { file: path, text, language, reads_documentation };
        let found = items::of(tree.root_node(), text, language);
        for item in &found.all {
            let offset = self.pieces.len();
            self.pieces.extend(writer.item(item, offset));
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let own = module_folder(path);
        for module in found.test_modules {
            test_modules.push(format!("{own}/{module}"));
            test_modules.push(format!("{folder}/{module}"));
        }
    }

    /// Removes the files of modules that are compiled for tests only.
    fn drop_test_modules(&mut self, modules: &[String]) {
        let is_in = |file: &str| {
            let stem = file.strip_suffix(".rs").unwrap_or(file);
            modules.iter().any(|module| {
                let module = module.trim_start_matches('/');
                stem == module || stem.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let files: BTreeSet<String> =
            self.pieces.iter().map(|piece| &piece.file).filter(|file| is_in(file)).cloned().collect();
        if files.is_empty() {
            return;
        }
        let mut new_index = Vec::new();
        let mut n_kept = 0;
        for piece in &self.pieces {
            new_index.push(n_kept);
            n_kept += usize::from(!files.contains(&piece.file));
        }
        self.pieces.retain(|piece| !files.contains(&piece.file));
        for piece in &mut self.pieces {
            piece.parent = piece.parent.map(|parent| new_index[parent]);
        }
        self.test_files.extend(files);
    }

    fn connect(&mut self) {
        self.inside = vec![Vec::new(); self.pieces.len()];
        for (index, piece) in self.pieces.iter().enumerate() {
            if let Some(parent) = piece.parent {
                self.inside[parent].push(index);
            }
        }
        let names = self.names();
        let typing = typing::Typing::new(self, &names);
        let named: Vec<BTreeSet<usize>> =
            (0..self.pieces.len()).map(|index| typing.references(self, &names, index)).collect();
        self.named = named.into_iter().map(|named| named.into_iter().collect()).collect();
        implicit::connect(self, &names);
    }

    fn names(&self) -> Names {
        let mut names = Names::default();
        for piece in &self.pieces {
            let parts = piece.file.split(['/', '.']).map(str::to_owned);
            names.modules.extend(parts);
            for reference in &piece.references {
                if let Reference::Bare(name) | Reference::Field(name) | Reference::Method(name) = reference {
                    names.said.insert((piece.language, name.clone()));
                }
            }
        }
        for (index, piece) in self.pieces.iter().enumerate().filter(|(_, piece)| piece.parent.is_none()) {
            let identity = &piece.identity;
            let key = (piece.language, identity.name.clone());
            match identity.kind {
                Kind::Function if identity.owner.is_some() => {
                    names.methods.entry(key).or_default().push(index);
                }
                Kind::Function | Kind::Constant => {
                    names.free.entry(key.clone()).or_default().push(index);
                    // In some languages, a constant of a type is accessed like a field.
                    if identity.owner.is_some() {
                        names.methods.entry(key).or_default().push(index);
                    }
                }
                Kind::Type => names.types.entry(key).or_default().push(index),
                Kind::Import => {
                    let key = (piece.file.clone(), identity.name.clone());
                    names.imports.entry(key).or_default().push(index);
                }
                Kind::Module => names.free.entry(key).or_default().push(index),
                Kind::Entry | Kind::Global => {}
            }
            for member in &identity.members {
                names.members.entry((piece.language, member.clone())).or_default().push(index);
            }
        }
        names
    }

    /// The pieces where programs begin.
    pub(crate) fn entries(&self) -> Vec<usize> {
        let is_entry = |piece: &Piece| {
            piece.parent.is_none()
                && (piece.identity.kind == Kind::Entry
                    || (piece.identity.kind == Kind::Function && piece.identity.name == "main"))
        };
        (0..self.pieces.len()).filter(|index| is_entry(&self.pieces[*index])).collect()
    }

    /// The loops that take events from a gate.
    pub(crate) fn loops(&self) -> Vec<usize> {
        (0..self.pieces.len()).filter(|index| self.pieces[*index].when == When::Loop).collect()
    }
}

/// The folder that has the modules of a Rust file.
fn module_folder(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    match file.strip_suffix(".rs") {
        Some("mod" | "lib" | "main") | None => folder.to_owned(),
        Some(stem) => format!("{folder}/{stem}"),
    }
}

fn contains(content: &[u8], word: &[u8]) -> bool {
    content.windows(word.len()).any(|window| window == word)
}
