//! `kilter demo`: writes a specification, a system with a bug and the mapping between them, to try and to change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use kilter::diagnostics::error_word;
use kilter::error::{BAD_INPUT, FINE};
use kilter::program::rim;
use kilter::shell;
use kilter_run::files;

/// `kilter demo`
#[derive(clap::Args, Clone, Debug)]
pub struct DemoArgs {
    /// The folder to write it into; it must be empty, or not exist yet
    #[arg(value_name = "DIR", default_value = "kilter-demo")]
    pub folder: PathBuf,
}

const FILES: [(&str, &str); 8] = [
    ("README.md", include_str!("../../demo/README.md")),
    ("Election.tla", include_str!("../../demo/Election.tla")),
    ("Election.cfg", include_str!("../../demo/Election.cfg")),
    ("election.py", include_str!("../../demo/election.py")),
    ("kilter_probe.py", include_str!("../../demo/kilter_probe.py")),
    ("kilter.toml", include_str!("../../demo/kilter.toml")),
    ("explore.toml", include_str!("../../demo/explore.toml")),
    (".gitignore", include_str!("../../demo/gitignore")),
];

/// Writes the demo, and prints the commands that come next. Returns the exit code.
pub fn run(args: &DemoArgs) -> anyhow::Result<u8> {
    let folder = &args.folder;
    if let Some(what) = taken(folder)? {
        rim::say(&format!(
            "{}: {} {what}; name another folder: kilter demo DIR\n",
            error_word(),
            folder.display()
        ));
        return Ok(BAD_INPUT);
    }
    fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    for (name, text) in FILES {
        files::replace(&folder.join(name), text)?;
    }
    let names = FILES.map(|(name, _)| name);
    let names = names.into_iter().filter(|name| !name.starts_with('.')).collect::<Vec<_>>().join(", ");
    rim::print(&format!(
        "wrote {}: {names}\nThe system, election.py, has a bug. To find it:\n\n    cd {}\n    kilter test kilter.toml\n\nexplore.toml finds it without a specification: kilter explore explore.toml\n",
        folder.display(),
        shell::quoted(folder),
    ))?;
    Ok(FINE)
}

/// Says why a folder can't be used, if it is there and not empty.
fn taken(folder: &Path) -> anyhow::Result<Option<&'static str>> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some().then_some("is not empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Some("is no folder")),
        Err(error) => Err(error).with_context(|| format!("the folder {} cannot be read", folder.display())),
    }
}
