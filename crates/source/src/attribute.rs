//! Attributes changed pieces to actions.

use std::collections::{BTreeMap, BTreeSet};

use crate::assigned;
use crate::changed::{Change, changes};
use crate::files::Role;
use crate::language::Language;
use crate::piece::{Kind, Piece};
use crate::program::{Program, Unparsable};
use crate::ran::Known;
use crate::reach::{Code, Touches};
use crate::tree::Tree;
use crate::{Affected, ChangedAction, Mapping, Range, Runs, SourceChange};

/// Compares two versions of a system's source.
pub fn compare(old: &Tree, new: &Tree, mapping: &Mapping) -> SourceChange {
    if old == new {
        return SourceChange::default();
    }
    let programs = [Program::new(old), Program::new(new)];
    let mut report = Report::default();
    report.other_files([old, new], &programs);
    let changes = changes(&programs, [old, new]);
    report.code_that_is_not_understood(&programs, [old, new], !changes.is_empty());
    if !changes.is_empty() {
        let codes = programs.each_ref().map(|program| Code::new(program, mapping));
        let fields = assigned::fields(programs.each_ref(), mapping);
        let known = mapping.ran.as_ref().map(|ran| Known::new(ran, [old, new], &programs));
        report.has_trace = known.is_some();
        for change in &changes {
            match known.as_ref().and_then(|known| known.places(change, &programs)) {
                Some(places) => report.ran(change, &places, &programs, &codes, mapping),
                None => report.change(change, &programs, &codes, &fields, mapping),
            }
        }
    }
    report.finish()
}

/// The changes found so far.
#[derive(Default)]
struct Report {
    actions: BTreeMap<String, (Affected, Vec<String>)>,
    unattributed: BTreeSet<String>,
    ignored: BTreeSet<String>,
    /// Actions whose changed code may take part in what nodes store.
    storing: BTreeSet<String>,
    /// Where the changed code of each action is in the old version. `None` if that is not known.
    places: BTreeMap<String, Option<BTreeSet<Range>>>,
    unused: BTreeSet<String>,
    start: BTreeSet<String>,
    /// Whether it is known what ran.
    has_trace: bool,
    /// Whether changed code may decide about offers.
    offers: bool,
}

impl Report {
    /// Handles changed tests and changed files that are not source code.
    fn other_files(&mut self, trees: [&Tree; 2], programs: &[Program; 2]) {
        let paths: BTreeSet<&String> = trees.iter().flat_map(|tree| tree.files.keys()).collect();
        for path in paths {
            if trees[0].files.get(path) == trees[1].files.get(path) {
                continue;
            }
            let is_test = programs.iter().all(|program| {
                program.test_files.contains(path) || program.pieces.iter().all(|piece| piece.file != *path)
            }) && programs.iter().any(|program| program.test_files.contains(path));
            if is_test {
                self.ignored.insert(format!("{path}:1 a test"));
                continue;
            }
            match Role::of(path, trees) {
                Role::Build => self.put_aside(path, "says how the system is built"),
                _ if Language::of(path).is_some() => {}
                Role::Data => self.put_aside(path, "may be read by the system"),
                Role::Documentation => {
                    self.ignored.insert(format!("{path}:1 documentation"));
                }
            }
        }
    }

    fn put_aside(&mut self, path: &str, reason: &str) {
        self.unattributed.insert(format!("{path}:1 {reason}"));
    }

    /// Handles files that cannot be parsed. Their changes are not known, and neither is whether they use code that
    /// changed.
    fn code_that_is_not_understood(
        &mut self,
        programs: &[Program; 2],
        trees: [&Tree; 2],
        others_changed: bool,
    ) {
        for Unparsable { file, line, reason } in programs.iter().flat_map(|program| &program.unparsable) {
            if trees[0].files.get(file) != trees[1].files.get(file) {
                self.unattributed.insert(format!("{file}:{line} {reason}, so what changed is not known"));
            } else if others_changed {
                self.unattributed.insert(format!("{file}:{line} {reason}, so what it uses is not known"));
            }
        }
    }

    fn change(
        &mut self,
        change: &Change,
        programs: &[Program; 2],
        codes: &[Code; 2],
        fields: &BTreeMap<String, String>,
        mapping: &Mapping,
    ) {
        let pieces = [0, 1].map(|side| change.pieces[side].map(|index| &programs[side].pieces[index]));
        // Users look at the newer version.
        let Some(piece) = pieces[1].or(pieces[0]) else { return };
        self.offers = true;
        let what = format!("{} `{}` {}", piece.at(), piece.name(), change.verb());
        let affected = assigned::affected(pieces[0], pieces[1], fields);
        let mut n_touched = 0;
        let mut all = None;
        for (side, program) in programs.iter().enumerate() {
            let Some(index) = change.pieces[side] else { continue };
            match codes[side].touches(index, mapping) {
                Touches::Everything(way) => all = Some(told(&way, program)),
                Touches::Unknown => {}
                Touches::Actions(touched) => {
                    n_touched += touched.len();
                    if affected == Affected::All && codes[side].may_store(program, index) {
                        self.storing.extend(touched.keys().cloned());
                    }
                    for (action, way) in touched {
                        self.touch(&action, &affected, format!("{what}{}", told(&way, program)));
                    }
                }
            }
        }
        if let Some(told) = all {
            for action in
                mapping.actions.iter().filter(|(_, runs)| **runs != Runs::Nothing).map(|(action, _)| action)
            {
                self.touch(action, &Affected::All, format!("{what}, and may run at any time{told}"));
                self.storing.insert(action.clone());
            }
        } else if n_touched == 0 && !is_without_effect(piece) {
            self.unattributed.insert(format!("{what}, and no action is known to use it"));
        }
    }

    /// Handles a change whose places in the old code are known.
    fn ran(
        &mut self,
        change: &Change,
        places: &[Range],
        programs: &[Program; 2],
        codes: &[Code; 2],
        mapping: &Mapping,
    ) {
        let Some(ran) = &mapping.ran else { return };
        let side = usize::from(change.pieces[0].is_none());
        let Some(index) = change.pieces[side] else { return };
        let piece = &programs[side].pieces[index];
        let what = format!("{} `{}` {}", piece.at(), piece.name(), change.verb());
        let has = |lines| places.iter().find(|place| place.has_any(lines));
        let mut n_touched = 0;
        for (action, lines) in ran.actions.iter().filter(|(action, _)| mapping.actions.contains_key(*action))
        {
            if let Some(place) = has(lines) {
                n_touched += 1;
                self.touched(
                    action,
                    &Affected::All,
                    format!("{what}, and runs at {}:{}", place.file, place.first),
                );
                let known = self.places.entry(action.clone()).or_insert_with(|| Some(BTreeSet::new()));
                if let Some(known) = known {
                    known.extend(places.iter().cloned());
                }
                if codes[side].may_store(&programs[side], index) {
                    self.storing.insert(action.clone());
                }
            }
        }
        if let Some(place) = has(&ran.start) {
            n_touched += 1;
            self.start.insert(what.clone());
            let starts = mapping.actions.iter().filter(|(_, runs)| **runs == Runs::Start);
            for (action, _) in starts {
                let why = format!("{what}, and runs at {}:{}", place.file, place.first);
                self.touch(action, &Affected::All, why);
            }
        }
        if has(&ran.offers).is_some() {
            n_touched += 1;
            self.offers = true;
        }
        if n_touched == 0 {
            self.unused.insert(what);
        }
    }

    /// Notes that any step of an action may run changed code.
    fn touch(&mut self, action: &str, affected: &Affected, why: String) {
        self.places.insert(action.to_owned(), None);
        self.touched(action, affected, why);
    }

    fn touched(&mut self, action: &str, affected: &Affected, why: String) {
        let (so_far, whys) =
            self.actions.entry(action.to_owned()).or_insert_with(|| (affected.clone(), Vec::new()));
        *so_far = match (&*so_far, affected) {
            (Affected::Only(some), Affected::Only(more)) => {
                Affected::Only(some.union(more).cloned().collect())
            }
            _ => Affected::All,
        };
        if !whys.contains(&why) {
            whys.push(why);
        }
    }

    fn finish(self) -> SourceChange {
        let actions = self.actions.into_iter().map(|(action, (variables, whys))| {
            let more = match whys.len() {
                0 | 1 => String::new(),
                n => format!("; and {} more", n - 1),
            };
            let why = whys.into_iter().next().unwrap_or_default() + &more;
            let stores = self.storing.contains(&action);
            let at = self.places.get(&action).cloned().flatten().map(|at| at.into_iter().collect());
            ChangedAction { action, variables, stores, at, why }
        });
        SourceChange {
            actions: actions.collect(),
            unattributed: self.unattributed.into_iter().collect(),
            ignored: self.ignored.into_iter().collect(),
            unused: self.unused.into_iter().collect(),
            start: self.start.into_iter().collect(),
            offers: self.has_trace.then_some(self.offers),
        }
    }
}

/// True for an import in a language where importing runs no code. If nobody uses the name, the import has no effect.
fn is_without_effect(piece: &Piece) -> bool {
    piece.identity.kind == Kind::Import && matches!(piece.language, Language::Rust | Language::Java)
}

/// How an action reaches a piece: the beginning and the end of the way.
fn told(way: &[usize], program: &Program) -> String {
    let Some((_, before)) = way.split_last() else { return String::new() };
    let names: Vec<String> =
        before.iter().map(|index| format!("`{}`", program.pieces[*index].name())).collect();
    match &names[..] {
        [] => String::new(),
        [first, .., third, second, last] if names.len() > 4 => {
            format!(", used by {first} → … → {third} → {second} → {last}")
        }
        names => format!(", used by {}", names.join(" → ")),
    }
}
