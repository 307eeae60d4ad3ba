//! Runs schedules on the store of this crate.

use std::fs;
use std::path::Path;

use kilter::Host;
use kilter::converge::{ConvergeOptions, run};
use kilter::run::Ran;

/// Runs schedules of a configuration on the store, all or up to the first finding. `model` is the configuration without
/// `[system]`, with the model's files in `folder`.
#[allow(dead_code, reason = "not every test needs it")]
pub fn play_in(folder: &Path, model: &str, bug: Option<&str>, max_findings: Option<u64>) -> Ran {
    let mut options = options(folder, model, bug);
    options.shrink = 0;
    options.run.max_findings = max_findings;
    run(&options, &mut Host::default()).expect("the store can be run")
}

/// Runs all schedules of three replicas and so many writes; `keep`: where to keep what the nodes leave behind.
#[allow(dead_code, reason = "not every test needs it")]
pub fn play(ops: u8, bug: Option<&str>, keep: Option<&Path>) -> Ran {
    let folder = tempfile::tempdir().expect("a directory");
    let model = format!("model = \"quorum\"\nreplicas = 3\nops = {ops}");
    let mut options = options(folder.path(), &model, bug);
    options.run.keep = keep.map(Path::to_path_buf);
    let ran = run(&options, &mut Host::default()).expect("the store can be run");
    assert_eq!((ran.more["run"].as_u64(), &ran.stopped), (ran.more["schedules"].as_u64(), &None));
    ran
}

/// The options for a configuration on the store. `model` is as for [`play_in`].
#[allow(dead_code, reason = "not every test needs it")]
pub fn options(folder: &Path, model: &str, bug: Option<&str>) -> ConvergeOptions {
    let program = env!("CARGO_BIN_EXE_toystore");
    let options = bug.map(|bug| format!("options = [\"--bug\", \"{bug}\"]")).unwrap_or_default();
    let system =
        format!("[system]\nkind = \"line\"\ncommand = [\"{program}\"]\npatience-ms = 5000\n{options}");
    let config = folder.join("converge.toml");
    fs::write(&config, format!("{model}\n{system}\n")).expect("a file");
    let mut options = ConvergeOptions::of(config);
    options.shrink = 1;
    options.run.jobs = 2;
    options
}
