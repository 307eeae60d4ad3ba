//! Reads the system's source code from its folders.

use std::path::{Path, PathBuf};

use kilter_mapping::Mapping;
use kilter_source::Tree;
use kilter_system::java::Java;
use xxhash_rust::xxh3::Xxh3Default;

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

/// The file with the table of a Java system, which says what is done to its code.
pub fn table(mapping: &Mapping, folder: &Path) -> Option<Vec<u8>> {
    match mapping.system.java.as_ref()? {
        Java::File(name) => read::bytes(&folder.join(name)).ok(),
        // It is in the text of the mapping.
        Java::Table(_) => None,
    }
}

/// The fingerprint of a system's code, by which a record says what was tested.
pub fn fingerprint(source: &Tree, table: Option<&[u8]>) -> String {
    let mut hasher = Xxh3Default::new();
    let files = source.files.iter().map(|(path, content)| (path.as_str(), content.as_slice()));
    // No file of a tree has an empty path.
    for (path, content) in files.chain(table.map(|table| ("", table))) {
        for part in [path.as_bytes(), content] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    format!("{:016x}", hasher.digest())
}

/// The fingerprint of the code of a mapped system. Empty if it is not known where the code is.
pub fn of_mapped(mapping: &Mapping, folder: &Path) -> String {
    let folders = folders(mapping, folder);
    let source = if folders.is_empty() { None } else { tree(&folders).ok() };
    source.map(|source| fingerprint(&source, table(mapping, folder).as_deref())).unwrap_or_default()
}

/// A tree of one file.
fn one(path: &Path) -> Tried<Tree> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Tree { files: [(name, read::bytes(path)?)].into() })
}
