//! Finds and parses all modules of a specification.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::{Diagnostic, Diagnostics, FileId, Name, Sources, Span};
use kilter_syntax::ast::{Expr, ExprKind, Ident, Module, OperatorDef, UnitKind};
use kilter_syntax::{parse_module, pluscal_warnings, sexpr};

use crate::native::Native;
use crate::refs::{references, with_nested};
use crate::{builtin, errors, suggest};

/// The parsed modules of a specification.
#[derive(Debug, Default)]
pub struct Modules {
    /// The files in SANY's order of parsing. The root comes first.
    files: Vec<Loaded>,
    /// Indices in SANY's order of semantic processing. Extended and instantiated modules come before those that use
    /// them.
    semantic_order: Vec<usize>,
    /// The place and the text of an error about modules that mention each other in a circle.
    cycle: Option<(Span, String)>,
}

/// A module that is a file of its own.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) name: Name,
    pub(crate) file: FileId,
    pub(crate) tree: Module,
    /// Whether the text comes with Kilter.
    pub(crate) builtin: bool,
    /// The operators that may be evaluated natively, with the number of their arguments.
    pub(crate) natives: BTreeMap<Name, u32>,
    /// Whether TLC would not load it, because only our text of another module mentions it.
    pub(crate) only_ours: bool,
}

/// References in our text of a built-in module that TLC's text does not have. Modules that only these lead to are
/// loaded last, because the order of loading decides the order of strings.
const ONLY_OURS: &[(&str, &str)] = &[
    ("BagsExt", "FiniteSetsExt"),
    ("Functions", "FiniteSets"),
    ("Relation", "FiniteSetsExt"),
    ("Relation", "TLC"),
    ("VectorClocks", "FiniteSetsExt"),
    ("VectorClocks", "SequencesExt"),
];

impl Loaded {
    fn refers_as_in_tlc(&self, module: &Ident) -> bool {
        !self.builtin || !ONLY_OURS.contains(&(self.name.as_str(), module.name.as_str()))
    }
}

impl Modules {
    pub(crate) fn root(&self) -> Option<&Loaded> {
        self.files.first()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Loaded> {
        self.files.iter().find(|loaded| loaded.name == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Loaded> {
        self.files.iter()
    }

    pub(crate) fn cycle(&self) -> Option<&(Span, String)> {
        self.cycle.as_ref()
    }

    pub(crate) fn in_semantic_order(&self) -> impl Iterator<Item = &Loaded> {
        self.semantic_order.iter().map(|index| &self.files[*index])
    }

    /// The files of all modules that are not built in, the root first.
    pub fn user_files(&self) -> impl Iterator<Item = FileId> {
        self.files.iter().filter(|loaded| !loaded.builtin).map(|loaded| loaded.file)
    }
}

/// Parses the root file and all modules that it extends or instantiates, directly or indirectly.
///
/// `find` looks up a module beside the specification and in libraries. It returns the file's name and text. It is asked
/// before the built-in modules, except for the standard ones.
pub fn load(
    sources: &mut Sources,
    root: FileId,
    find: &mut dyn FnMut(&str) -> Option<(String, String)>,
) -> (Modules, Diagnostics) {
    let mut loader = Loader {
        sources,
        find,
        modules: Modules::default(),
        failed: BTreeSet::new(),
        diagnostics: Diagnostics::default(),
    };
    loader.root(root);
    loader.order();
    (loader.modules, loader.diagnostics)
}

struct Loader<'l> {
    sources: &'l mut Sources,
    find: &'l mut dyn FnMut(&str) -> Option<(String, String)>,
    modules: Modules,
    /// The names of modules that were not found.
    failed: BTreeSet<Name>,
    diagnostics: Diagnostics,
}

impl Loader<'_> {
    fn root(&mut self, file: FileId) {
        let (tree, diagnostics) = parse_module(self.sources, file);
        self.diagnostics.extend(diagnostics);
        let Some(tree) = tree else { return };
        let name = self.sources.file(file).name.clone();
        let stem = name.rsplit(['/', '\\']).next().and_then(|base| base.strip_suffix(".tla"));
        if stem.is_some_and(|stem| tree.name.name != stem) {
            self.diagnostics.push(errors::module_name_differs(tree.name.span, &name, &tree.name.name));
        }
        self.diagnostics.extend(pluscal_warnings(self.sources, file, &tree));
        self.modules.files.push(Loaded {
            name: tree.name.name.clone(),
            file,
            tree,
            builtin: false,
            natives: BTreeMap::new(),
            only_ours: false,
        });
        for only_ours in [false, true] {
            while let Some(wanted) = self.next_unresolved(only_ours) {
                self.module(&wanted, only_ours);
            }
        }
    }

    /// The next module to parse. As in SANY, extended modules are looked up in the whole specification before
    /// instantiated ones. With `ours`, references that TLC's texts do not have are followed too.
    fn next_unresolved(&self, ours: bool) -> Option<Ident> {
        let root = &self.modules.files[0];
        [true, false].into_iter().find_map(|extends| {
            let mut seen = BTreeSet::new();
            self.next_below(&root.tree, root, (extends, ours), &mut seen)
        })
    }

    fn next_below(
        &self,
        module: &Module,
        file: &Loaded,
        (extends, ours): (bool, bool),
        seen: &mut BTreeSet<(FileId, u32)>,
    ) -> Option<Ident> {
        if !seen.insert((file.file, module.span.start)) {
            return None;
        }
        let mut found = references(module);
        found.instances.retain(|ident| ours || file.refers_as_in_tlc(ident));
        let wanted = if extends { &found.extends } else { &found.instances };
        let unresolved = wanted.iter().find(|ident| {
            !self.is_nested(&ident.name, file, &mut BTreeSet::new())
                && self.modules.find(&ident.name).is_none()
                && !self.failed.contains(&ident.name)
        });
        if let Some(ident) = unresolved {
            return Some((*ident).clone());
        }
        let outer =
            found.extends.iter().chain(&found.instances).filter_map(|ident| self.modules.find(&ident.name));
        for loaded in outer {
            let next = self.next_below(&loaded.tree, loaded, (extends, ours), seen);
            if next.is_some() {
                return next;
            }
        }
        found.nested.iter().find_map(|nested| self.next_below(nested, file, (extends, ours), seen))
    }

    /// Whether `name` is a module nested in `file` or in a file that it extends.
    fn is_nested(&self, name: &Name, file: &Loaded, seen: &mut BTreeSet<FileId>) -> bool {
        seen.insert(file.file)
            && (with_nested(&file.tree).iter().skip(1).any(|nested| nested.name.name == *name)
                || with_nested(&file.tree)
                    .iter()
                    .flat_map(|module| &module.extends)
                    .filter_map(|extended| self.modules.find(&extended.name))
                    .any(|extended| self.is_nested(name, extended, seen)))
    }

    fn module(&mut self, wanted: &Ident, only_ours: bool) {
        let name = &wanted.name;
        let Some((file_name, text, builtin)) = self.look_up(name) else {
            self.failed.insert(name.clone());
            let closest = suggest::closest(name, builtin::names());
            self.diagnostics.push(errors::module_not_found(wanted.span, name, closest));
            return;
        };
        let file = self.sources.add(file_name.clone(), text);
        let (tree, diagnostics) = parse_module(self.sources, file);
        self.diagnostics.extend(diagnostics);
        match tree {
            Some(tree) if tree.name.name == *name => {
                if !builtin {
                    self.diagnostics.extend(pluscal_warnings(self.sources, file, &tree));
                }
                let natives = natives(&tree, builtin);
                if let Some(warning) = overruled(&tree, &natives, builtin) {
                    self.diagnostics.push(warning);
                }
                let name = name.clone();
                self.modules.files.push(Loaded { name, file, tree, builtin, natives, only_ours });
            }
            Some(tree) => {
                self.failed.insert(name.clone());
                self.diagnostics.push(errors::module_name_differs(wanted.span, &file_name, &tree.name.name));
            }
            None => {
                self.failed.insert(name.clone());
                self.diagnostics.push(errors::file_without_module(wanted.span, name, &file_name));
            }
        }
    }

    fn look_up(&mut self, name: &str) -> Option<(String, String, bool)> {
        let own = builtin::text(name).map(|text| (format!("<built-in>/{name}.tla"), text.to_string(), true));
        if own.is_some() && builtin::is_standard(name) {
            return own;
        }
        let beside = (self.find)(name).map(|(file, text)| (file, text, false));
        beside.or(own).or_else(|| self.in_root_file(name))
    }

    /// Looks for a module in the root's file, which may hold several modules one after the other. As in TLC, this is
    /// the last resort. The text before the module is blanked, so that positions stay true.
    fn in_root_file(&self, name: &str) -> Option<(String, String, bool)> {
        let file = self.sources.file(self.modules.root()?.file);
        let mut start = 0;
        for line in file.text.split_inclusive('\n') {
            if header(line) == Some(name) {
                let before = &file.text[..start];
                let mut text: String = before.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
                text.push_str(&file.text[start..]);
                return Some((file.name.clone(), text, false));
            }
            start += line.len();
        }
        None
    }

    /// Computes the semantic order, and reports circles.
    fn order(&mut self) {
        let mut order = Vec::new();
        let mut state = vec![Visit::New; self.modules.files.len()];
        let mut cycle = None;
        // First the root and everything that TLC loads, then the modules that only our texts mention.
        for index in 0..state.len() {
            if state[index] == Visit::New && (index == 0 || self.modules.files[index].only_ours) {
                self.visit(index, &mut state, &mut order, &mut Vec::new(), &mut cycle);
            }
        }
        if let Some((span, path)) = &cycle {
            self.diagnostics.push(errors::module_cycle(*span, path));
        }
        self.modules.cycle = cycle;
        self.modules.semantic_order = order;
    }

    fn visit(
        &self,
        index: usize,
        state: &mut [Visit],
        order: &mut Vec<usize>,
        path: &mut Vec<usize>,
        cycle: &mut Option<(Span, String)>,
    ) {
        state[index] = Visit::Open;
        path.push(index);
        let trees = with_nested(&self.modules.files[index].tree);
        let found: Vec<_> = trees.iter().map(|tree| references(tree)).collect();
        let extended = found.iter().flat_map(|found| &found.extends);
        let instanced = found.iter().flat_map(|found| &found.instances);
        for ident in extended.chain(instanced) {
            let nested = trees.iter().skip(1).any(|tree| tree.name.name == ident.name);
            let target = self.modules.files.iter().position(|loaded| loaded.name == ident.name);
            let Some(target) =
                target.filter(|_| !nested && self.modules.files[index].refers_as_in_tlc(ident))
            else {
                continue;
            };
            match state[target] {
                Visit::Done => {}
                Visit::New => self.visit(target, state, order, path, cycle),
                Visit::Open => {
                    let from = path.iter().position(|step| *step == target).unwrap_or(0);
                    let mut names: Vec<&str> =
                        path[from..].iter().map(|step| &*self.modules.files[*step].name).collect();
                    names.push(&ident.name);
                    cycle.get_or_insert_with(|| (ident.span, names.join(" -> ")));
                }
            }
        }
        path.pop();
        state[index] = Visit::Done;
        order.push(index);
    }
}

/// Returns `M` for a line `---- MODULE M ----`.
fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("----")?.trim_start_matches('-').trim_start();
    let name = rest.strip_prefix("MODULE")?.trim().trim_end_matches('-').trim_end();
    line.trim_end().ends_with("---").then_some(name)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// The operators of a built-in module. Of a user's copy of one, only those that agree with ours.
fn natives(tree: &Module, builtin: bool) -> BTreeMap<Name, u32> {
    let own = operators(tree);
    if builtin {
        return own;
    }
    let Some(text) = builtin::text(&tree.name.name) else { return BTreeMap::new() };
    let mut sources = Sources::default();
    let file = sources.add("", text);
    let ours = parse_module(&sources, file).0.map(|ours| operators(&ours)).unwrap_or_default();
    own.into_iter().filter(|(name, arity)| ours.get(name) == Some(arity)).collect()
}

/// A warning about definitions of a user's module that are evaluated by our code, because a community module has the same name.
/// TLC does so, too. A definition that is ours, word for word, or that stands in for code as ours does, is meant so.
fn overruled(tree: &Module, natives: &BTreeMap<Name, u32>, builtin: bool) -> Option<Diagnostic> {
    let module = &tree.name.name;
    let text = builtin::text(module).filter(|_| !builtin)?;
    let mut sources = Sources::default();
    let file = sources.add("", text);
    let ours = parse_module(&sources, file).0?;
    let same = |def: &OperatorDef| {
        let mut ours = definitions(&ours).filter(|other| other.name.name == def.name.name);
        ours.any(|other| {
            sexpr(&other.body) == sexpr(&def.body) || (stands_in(&other.body) && stands_in(&def.body))
        })
    };
    let overruled: Vec<&Ident> = definitions(tree)
        .filter(|def| {
            let name = &def.name.name;
            natives.contains_key(name) && Native::find(module, name).is_some()
        })
        .filter(|def| !same(def))
        .map(|def| &def.name)
        .collect();
    let first = overruled.first()?;
    let names: Vec<&str> = overruled.iter().map(|name| name.name.as_str()).collect();
    Some(errors::overruled(first.span, module, &names))
}

/// Whether a body is a placeholder for code: `TRUE`, or a CHOOSE without a set or without a condition.
fn stands_in(body: &Expr) -> bool {
    let is_true = |expr: &Expr| sexpr(expr) == "TRUE";
    match &*body.kind {
        ExprKind::Choose { set, body, .. } => set.is_none() || is_true(body),
        _ => is_true(body),
    }
}

fn definitions(tree: &Module) -> impl Iterator<Item = &OperatorDef> {
    tree.units.iter().filter_map(|unit| match &unit.kind {
        UnitKind::Operator(def) => Some(def),
        _ => None,
    })
}

fn operators(tree: &Module) -> BTreeMap<Name, u32> {
    definitions(tree).map(|def| (def.name.name.clone(), def.params.len() as u32)).collect()
}
