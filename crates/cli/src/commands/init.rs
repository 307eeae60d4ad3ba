//! `kilter init`: writes a first draft of the mapping.

use std::path::{Path, PathBuf};

use kilter::diagnostics::error_word;
use kilter::error::BAD_INPUT;
use kilter::load::load;
use kilter::prepare::{first_state, seen_steps, summarize};
use kilter::program::rim;
use kilter_mapping::draft::Draft;
use kilter_run::files;
use kilter_value::Store;

use super::answer;
use super::shared::InputArgs;

/// `kilter init`
#[derive(clap::Args, Clone, Debug)]
pub struct InitArgs {
    /// Where the specification is.
    #[command(flatten)]
    pub input: InputArgs,
    /// Where to write it; it must not exist yet. `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "kilter.toml")]
    pub out: PathBuf,
}

/// Writes a first draft. Returns the exit code.
pub fn run(args: &InitArgs) -> anyhow::Result<u8> {
    let store = Store::new();
    let loaded = match load(&(&args.input).into(), &store) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            answer::refuse(&refusal, false)?;
            return Ok(BAD_INPUT);
        }
    };
    let is_file = args.out.as_os_str() != "-";
    if is_file && args.out.exists() {
        rim::say(&format!(
            "{}: {} exists already; name another file with --out\n",
            error_word(),
            args.out.display()
        ));
        return Ok(BAD_INPUT);
    }
    let program = loaded.compile(&store);
    let folder = if is_file { args.out.parent().unwrap_or(Path::new("")) } else { Path::new("") };
    let spec = relative(&args.input.spec, folder);
    let config = args.input.config.as_ref().map(|config| relative(config, folder));
    let initial = first_state(&program, &store).unwrap_or_else(|error| {
        rim::say(&format!("note: the draft does without an initial state, for there is none: {error}\n"));
        None
    });
    let draft = Draft {
        summary: &summarize(&loaded.spec, &program),
        initial: initial.as_deref(),
        steps: &seen_steps(&loaded.spec, &program, &store),
        store: &store,
        spec: &spec,
        config: config.as_deref(),
    }
    .text();
    if is_file {
        files::replace(&args.out, draft)?;
        let shown = args.out.display();
        rim::say(&format!("wrote {shown}; fill in what is marked, then: kilter map {shown}\n"));
    } else {
        rim::print(&draft)?;
    }
    Ok(0)
}

/// A path relative to a folder, as far as that is possible without looking at the disk.
fn relative(path: &Path, folder: &Path) -> String {
    let seen = path.strip_prefix(folder).unwrap_or(path);
    if seen == path && !folder.as_os_str().is_empty() {
        return std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string();
    }
    seen.display().to_string()
}
