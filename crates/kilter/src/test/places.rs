//! Where the specification defines its actions, for the report.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use kilter_run::Place;

use crate::load::Loaded;

/// The place of each action's definition. `folder` is that of the report, from which a browser follows links.
pub(super) fn of_actions<'a>(
    loaded: &Loaded,
    actions: impl Iterator<Item = &'a str>,
    folder: &Path,
) -> BTreeMap<String, Place> {
    let place = |action: &str| {
        let def = loaded.spec.defs.iter().find(|def| *def.name == *action && !def.in_let)?;
        let file = loaded.sources.file(def.span.file);
        let path = between(folder, Path::new(&file.name));
        let line = file.position(def.span.start).line;
        Some((action.to_owned(), Place { file: file.name.clone(), line, path }))
    };
    actions.filter_map(place).collect()
}

/// The relative path from a folder to a file. `None` if one of them is not there.
fn between(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (fs::canonicalize(folder).ok()?, fs::canonicalize(file).ok()?);
    let n_shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(n_shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(n_shared)).collect();
    Some(path.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_up_and_down_again() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join("a/b")).expect("ours");
        fs::write(root.path().join("Spec.tla"), "").expect("ours");
        let file = root.path().join("Spec.tla");
        assert_eq!(between(&root.path().join("a/b"), &file).as_deref(), Some("../../Spec.tla"));
        assert_eq!(between(root.path(), &file).as_deref(), Some("Spec.tla"));
        assert_eq!(between(root.path(), &root.path().join("nowhere")), None);
    }
}
