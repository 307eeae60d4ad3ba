//! Reads the system's source code from its folders.

use std::path::{Path, PathBuf};

use kilter_mapping::Mapping;
use kilter_source::Tree;

use crate::error::Tried;
use crate::read;

/// The folders with the source code of a mapped system: those of `[diff]`, or else `src` beside the mapping.
pub fn folders(mapping: &Mapping, folder: &Path) -> Vec<PathBuf> {
    if mapping.diff.source.is_empty() {
        return Some(folder.join("src")).filter(|src| src.is_dir()).into_iter().collect();
    }
    mapping.diff.source.iter().map(|source| folder.join(source.get_ref())).collect()
}

/// All files of several folders, and single files. Paths of all folders but the first begin with the folder's number, so
/// that they do not mix.
pub fn tree(folders: &[PathBuf]) -> Tried<Tree> {
    let mut all = Tree::default();
    for (number, folder) in folders.iter().enumerate() {
        let Tree { files } = if folder.is_file() { one(folder)? } else { Tree::from_directory(folder)? };
        let prefix = if number == 0 { String::new() } else { format!("{number}/") };
        all.files.extend(files.into_iter().map(|(path, content)| (format!("{prefix}{path}"), content)));
    }
    Ok(all)
}

/// A tree of one file.
fn one(path: &Path) -> Tried<Tree> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Tree { files: [(name, read::bytes(path)?)].into() })
}
