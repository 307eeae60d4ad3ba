//! The pieces that differ between two versions.

use std::collections::BTreeMap;

use crate::piece::Kind;
use crate::program::Program;
use crate::tree::Tree;

/// A piece that is in one version only, or differs.
pub(crate) struct Change {
    /// The piece in the old and in the new program.
    pub(crate) pieces: [Option<usize>; 2],
}

impl Change {
    /// What became of it.
    pub(crate) fn verb(&self) -> &'static str {
        match self.pieces {
            [None, _] => "is new",
            [_, None] => "is gone",
            _ => "changed",
        }
    }
}

/// Identifies a piece in both versions: file, kind, name, place, and its number among pieces with the same four.
type Key = (String, Kind, String, String, usize);

/// All pieces that differ, sorted by file.
pub(crate) fn changes(programs: &[Program; 2], trees: [&Tree; 2]) -> Vec<Change> {
    let mut pairs: BTreeMap<Key, [Option<usize>; 2]> = BTreeMap::new();
    let is_understood = |file: &str| {
        programs.iter().all(|program| program.unparsable.iter().all(|unparsable| unparsable.file != file))
    };
    for (side, program) in programs.iter().enumerate() {
        let mut n_seen: BTreeMap<_, usize> = BTreeMap::new();
        for (index, piece) in
            program.pieces.iter().enumerate().filter(|(_, piece)| is_understood(&piece.file))
        {
            let key = (piece.file.clone(), piece.identity.kind, piece.identity.path(), piece.place.clone());
            let key = if piece.identity.kind == Kind::Import {
                (key.0, key.1, piece.content.clone(), key.3)
            } else {
                key
            };
            let nth = n_seen.entry(key.clone()).or_default();
            let (file, kind, path, place) = key;
            pairs.entry((file, kind, path, place, *nth)).or_default()[side] = Some(index);
            *nth += 1;
        }
    }
    let differs = |pieces: &[Option<usize>; 2]| match *pieces {
        [Some(old), Some(new)] => programs[0].pieces[old].content != programs[1].pieces[new].content,
        _ => true,
    };
    let changed = pairs.into_values().filter(differs).map(|pieces| Change { pieces });
    changed.filter(|change| !is_explained(change, programs, trees)).collect()
}

/// True for changes that other changes already show: a module comes or goes with its file.
fn is_explained(change: &Change, programs: &[Program; 2], trees: [&Tree; 2]) -> bool {
    let (piece, other) = match change.pieces {
        [Some(old), None] => (&programs[0].pieces[old], trees[1]),
        [None, Some(new)] => (&programs[1].pieces[new], trees[0]),
        _ => return false,
    };
    let name = &piece.identity.name;
    let ends = [format!("/{name}.rs"), format!("/{name}/mod.rs")];
    piece.identity.kind == Kind::Module
        && !other.files.keys().any(|path| ends.iter().any(|end| format!("/{path}").ends_with(end)))
}
