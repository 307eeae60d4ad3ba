//! Checks many configurations in one go, and reuses the results of those that have not changed.
//!
//! A configuration belongs to the module of the same name beside it: `Raft.cfg` to `Raft.tla`. Several configurations of
//! one module have its name in front: `Raft-small.cfg`, `Raft_3.cfg`. Others belong to the only module that is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use kilter_check::{Limit, Limits, Options, Outcome, Verdict};
use kilter_run::files;
use kilter_value::Store;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{AnyError, Error, INTERRUPTED, OutputLost, SYSTEM_ERROR};
use crate::host::{Host, Searching};
use crate::load::{Input, Loaded, load, with_ending};
use crate::outside::Access;
use crate::{graphs, remarks, verdict};

mod junit;

pub use junit::junit;

/// The word for a model that the time did not suffice for.
pub const NOT_RUN: &str = "not-run";

/// A configuration with its module.
#[derive(Clone, Debug)]
pub struct Model {
    /// The path of the configuration, as it is shown.
    pub name: String,
    /// The files of the specification.
    pub input: Input,
}

/// How to check models.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// The options of each search.
    pub options: Options,
    /// The time for all models together. Models for which no time is left are not checked.
    pub budget: Option<Duration>,
    /// Where results are kept. `None` if nothing is kept, and nothing reused.
    pub cache: Option<PathBuf>,
}

/// The result of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The path of the configuration.
    pub name: String,
    /// The root module.
    pub spec: PathBuf,
    /// The verdict, in the word of `kilter check --json`, or [`NOT_RUN`].
    pub verdict: String,
    /// The exit code that `kilter check` has for this model alone. A model that was not checked is no success.
    pub exit_code: u8,
    /// The name of what is violated, if it has one.
    pub property: Option<String>,
    /// The verdict as a sentence.
    pub message: String,
    /// Remarks besides the verdict.
    pub warnings: Vec<String>,
    /// The number of distinct states.
    pub distinct_states: u64,
    /// The number of states generated, with repetitions.
    pub states_generated: u64,
    /// The number of levels.
    pub depth: u32,
    /// How long the search took, when it was made.
    pub seconds: f64,
    /// Whether the result is that of an earlier run, because nothing has changed since.
    pub reused: bool,
}

/// The error for a path that no model can be made of.
#[derive(Debug, thiserror::Error)]
pub enum NoModel {
    /// There is no such file or folder, or it can't be read.
    #[error("{} cannot be read", .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// A folder without configurations.
    #[error("there is no configuration (a file with the ending .cfg, beside a module) in {}", .0.display())]
    Empty(PathBuf),
    /// A configuration whose module is unknown.
    #[error(
        "there is no module for {}: a module of the same name is expected beside it, or one whose name it begins with; \
         `kilter check SPEC.tla --config {}` names another", .0.display(), .0.display()
    )]
    NoModule(PathBuf),
}

/// A result could not be kept for the next time.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} cannot be written (--cache DIR keeps results in another folder, --no-cache keeps none)",
    path.display()
)]
struct NotKept {
    path: PathBuf,
    source: AnyError,
}

/// Finds the models of configurations, of modules with their configurations, and of all configurations in folders.
pub fn find(paths: &[PathBuf], library: &[PathBuf], access: Access) -> Result<Vec<Model>, NoModel> {
    let model = |path: &Path, spec: PathBuf, config: Option<PathBuf>| Model {
        name: path.display().to_string(),
        input: Input { spec, config, library: library.to_vec(), access },
    };
    let mut models = Vec::new();
    for path in paths.iter().map(|path| with_ending(path)) {
        let path = &path;
        let found = fs::metadata(path).map_err(|error| NoModel::Unreadable(path.clone(), error))?;
        if found.is_dir() {
            let mut configs = Vec::new();
            collect(path, &mut configs)?;
            if configs.is_empty() {
                return Err(NoModel::Empty(path.clone()));
            }
            for config in configs {
                // One that has no module is told like one with a mistake, so that the others are checked.
                let spec = module_of(&config).unwrap_or_else(|| config.with_extension("tla"));
                models.push(model(&config.clone(), spec, Some(config)));
            }
        } else if has_ending(path, "tla") {
            models.push(model(path, path.clone(), None));
        } else {
            let spec = module_of(path).ok_or_else(|| NoModel::NoModule(path.clone()))?;
            models.push(model(path, spec, Some(path.clone())));
        }
    }
    Ok(models)
}

/// Collects the configurations in a folder and in the folders below it, by name. Hidden folders are left out, and so are
/// files such as `setup.cfg` of Python, which have no module beside them.
fn collect(folder: &Path, configs: &mut Vec<PathBuf>) -> Result<(), NoModel> {
    let unreadable = |error| NoModel::Unreadable(folder.to_path_buf(), error);
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(unreadable)?.collect();
    let mut paths: Vec<PathBuf> =
        entries.map_err(unreadable)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    let has_module = paths.iter().any(|path| has_ending(path, "tla"));
    for path in paths {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // A link may lead back to where it is.
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            collect(&path, configs)?;
        } else if has_module && has_ending(&path, "cfg") && path.is_file() {
            configs.push(path);
        }
    }
    Ok(())
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}

/// The module of a configuration: the one of the same name; or the one with the longest name that the configuration's
/// name begins with; or the only one without a configuration of its own name; or the only one.
fn module_of(config: &Path) -> Option<PathBuf> {
    let same = config.with_extension("tla");
    if same.is_file() {
        return Some(same);
    }
    let name = config.file_stem()?.to_string_lossy();
    let parts =
        name.char_indices().filter(|(_, letter)| !letter.is_alphanumeric()).map(|(at, _)| &name[..at]);
    let mut named: Vec<PathBuf> = parts.map(|part| config.with_file_name(format!("{part}.tla"))).collect();
    named.reverse();
    if let Some(module) = named.into_iter().find(|module| module.is_file()) {
        return Some(module);
    }
    let folder = config.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = fs::read_dir(folder).ok()?.flatten().map(|entry| config.with_file_name(entry.file_name()));
    let modules: Vec<PathBuf> = beside.filter(|path| has_ending(path, "tla") && path.is_file()).collect();
    let (with_own, without): (Vec<&PathBuf>, Vec<&PathBuf>) =
        modules.iter().partition(|module| module.with_extension("cfg").is_file());
    match (&without[..], &with_own[..]) {
        ([only], _) | ([], [only]) => Some((*only).clone()),
        _ => None,
    }
}

/// Checks models one after the other. `each` is told each result.
pub fn check_all(
    models: &[Model],
    how: &How,
    host: &mut Host,
    each: &mut dyn FnMut(&Checked) -> Result<(), OutputLost>,
) -> Result<Vec<Checked>, Error> {
    let started = Instant::now();
    let mut all = Vec::new();
    for model in models {
        let left = how.budget.map(|budget| budget.saturating_sub(started.elapsed()));
        let checked = if host.signals.are_raised() {
            not_run(model, "the run was interrupted", INTERRUPTED)
        } else {
            check(model, how, left, host)?
        };
        each(&checked).map_err(|lost| Error::Lost(lost.into()))?;
        all.push(checked);
    }
    Ok(all)
}

/// The exit code of all models together: that of the first one that is not fine.
pub fn exit_code(all: &[Checked]) -> u8 {
    all.iter().map(|checked| checked.exit_code).find(|code| *code != 0).unwrap_or(0)
}

fn check(model: &Model, how: &How, left: Option<Duration>, host: &mut Host) -> Result<Checked, Error> {
    let store = Store::new();
    let loaded = match load(&model.input, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            let answer = verdict::of_cause(refusal.cause);
            return Ok(Checked {
                verdict: answer.word.to_owned(),
                ..not_run(model, &refusal.to_string(), answer.code)
            });
        }
    };
    let file =
        how.cache.as_ref().map(|cache| cache.join(format!("result-{}.json", key(&loaded, &how.options))));
    if let Some(known) = file.as_deref().and_then(read) {
        return Ok(Checked {
            name: model.name.clone(),
            spec: model.input.spec.clone(),
            reused: true,
            ..known
        });
    }
    if left == Some(Duration::ZERO) {
        return Ok(not_run(model, "no time was left", SYSTEM_ERROR));
    }
    let limits = &how.options.limits;
    let time_max = limits.time_max.into_iter().chain(left).min();
    let options = Options { limits: Limits { time_max, ..limits.clone() }, ..how.options.clone() };
    let program = loaded.compile(&store);
    let patience = host.signals.patience();
    host.watch.about(&model.name);
    let mut searching = Searching::new(&mut *host.watch, &host.signals);
    let begun = Instant::now();
    let outcome = kilter_check::run(&program, &store, &options, &mut searching);
    drop(patience);
    searching.end().map_err(|lost| Error::Lost(lost.into()))?;
    let about_text = loaded.warnings.iter().map(|warning| warning.one_line(&loaded.sources));
    let actions = remarks::by_action(&outcome, &program, &loaded.sources);
    let warnings = remarks::warnings(&outcome, &actions, &loaded.sources, &store, false);
    let warnings = about_text.chain(warnings).collect();
    let checked = Checked { warnings, ..told(model, &outcome, begun.elapsed()) };
    if let Some(file) = file
        && is_lasting(&outcome)
        && !program.outside.was_asked()
    {
        keep(&checked, &file)?;
    }
    Ok(checked)
}

fn told(model: &Model, outcome: &Outcome, took: Duration) -> Checked {
    let answer = verdict::of_outcome(outcome);
    Checked {
        verdict: answer.word.to_owned(),
        property: answer.property,
        message: verdict::sentence(outcome),
        distinct_states: outcome.counts.distinct,
        states_generated: outcome.counts.generated,
        depth: outcome.counts.depth,
        seconds: took.as_secs_f64(),
        ..not_run(model, "", answer.code)
    }
}

fn not_run(model: &Model, why: &str, exit_code: u8) -> Checked {
    Checked {
        name: model.name.clone(),
        spec: model.input.spec.clone(),
        verdict: NOT_RUN.to_owned(),
        exit_code,
        property: None,
        message: why.to_owned(),
        warnings: Vec::new(),
        distinct_states: 0,
        states_generated: 0,
        depth: 0,
        seconds: 0.0,
        reused: false,
    }
}

/// Whether a search with the same files and options ends in the same way again. How far it comes in a given time or
/// memory may differ.
fn is_lasting(outcome: &Outcome) -> bool {
    let passing = [Limit::Time, Limit::Memory, Limit::OutOfMemory, Limit::Disk, Limit::Interrupt];
    !matches!(outcome.verdict, Verdict::Bounded(limit) if passing.contains(&limit))
}

/// A hash of everything that a result depends on: this program, all files of the specification, the options. Results of
/// specifications that read other files, ask for the environment or run programs are not kept.
fn key(loaded: &Loaded, options: &Options) -> String {
    let mut hash = Xxh3::new();
    hash.update(&this_program());
    hash.update(graphs::content(loaded).as_bytes());
    let Options { limits, check_deadlock, seed, .. } = options;
    hash.update(format!("{:?}", (limits.states_max, limits.depth_max, check_deadlock, seed)).as_bytes());
    format!("{:016x}", hash.digest())
}

/// Tells this program from other builds of the same version, by the size and time of its file.
pub(crate) fn this_program() -> Vec<u8> {
    let file = std::env::current_exe().and_then(fs::metadata);
    let made = file.and_then(|file| Ok((file.len(), file.modified()?)));
    made.map_or_else(
        |_| Vec::new(),
        |(bytes, time)| {
            format!("{bytes} {:?}", time.duration_since(UNIX_EPOCH).unwrap_or_default()).into_bytes()
        },
    )
}

/// A result that was kept. `None` if there is none, or it can't be read.
fn read(file: &Path) -> Option<Checked> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn keep(checked: &Checked, file: &Path) -> Result<(), Error> {
    let unwritten = |files::NotWritten { path, source }| Error::Lost(NotKept { path, source }.into());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(files::NotWritten::of(folder)).map_err(unwritten)?;
    }
    let json = serde_json::to_string(checked).unwrap_or_default();
    files::replace(file, format!("{json}\n")).map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files. Modules count to a limit that the configuration gives.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        }
        folder
    }

    const MODULE: &str = "---- MODULE Count ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLE x\nInit == x = 0\n\
                          Next == x < Max /\\ x' = x + 1\nFew == x < 5\n====\n";

    fn config(max: u32) -> String {
        format!("INIT Init\nNEXT Next\nCONSTANT Max = {max}\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    }

    fn run(paths: &[PathBuf], how: &How) -> Vec<Checked> {
        let models = find(paths, &[], Access::default()).expect("there are models");
        check_all(&models, how, &mut Host::default(), &mut |_| Ok(())).expect("they can be checked")
    }

    fn words(all: &[Checked]) -> Vec<(&str, u64, bool)> {
        all.iter().map(|one| (one.verdict.as_str(), one.distinct_states, one.reused)).collect()
    }

    #[test]
    fn configurations_find_their_modules() {
        let folder = folder(&[
            ("a/Count.tla", MODULE),
            ("a/Count.cfg", &config(2)),
            ("a/Count-large.cfg", &config(9)),
            ("a/Small.cfg", &config(1)),
            ("a/.hidden/Other.cfg", ""),
        ]);
        let all = run(&[folder.path().to_path_buf()], &How::default());
        assert_eq!(words(&all), [("invariant", 6, false), ("ok", 3, false), ("ok", 2, false)]);
        assert_eq!(exit_code(&all), 12);
        // As with one model, the ending of a module may be left out.
        let named = ["a/Count", "a/Small.cfg"].map(|name| folder.path().join(name));
        assert_eq!(words(&run(&named, &How::default())), [("ok", 3, false), ("ok", 2, false)]);
        let alone = folder.path().join("a/.hidden/Other.cfg");
        assert!(matches!(find(&[alone], &[], Access::default()), Err(NoModel::NoModule(_))));
        let empty = folder.path().join("a/.hidden/none");
        fs::create_dir(&empty).expect("a folder can be made");
        assert!(matches!(find(&[empty], &[], Access::default()), Err(NoModel::Empty(_))));
    }

    #[test]
    fn only_what_has_changed_is_checked_again() {
        let folder = folder(&[("Count.tla", MODULE), ("Count.cfg", &config(2)), ("Count_3.cfg", &config(3))]);
        let path = [folder.path().to_path_buf()];
        let how = How { cache: Some(folder.path().join("cache")), ..How::default() };
        assert_eq!(words(&run(&path, &how)), [("ok", 3, false), ("ok", 4, false)]);
        assert_eq!(words(&run(&path, &how)), [("ok", 3, true), ("ok", 4, true)]);
        fs::write(folder.path().join("Count_3.cfg"), config(4)).expect("a file can be written");
        assert_eq!(words(&run(&path, &how)), [("ok", 3, true), ("ok", 5, false)]);
        // Other options are another question.
        let limits = Limits { depth_max: Some(2), ..Limits::default() };
        let other = How { options: Options { limits, ..Options::default() }, ..how.clone() };
        assert_eq!(words(&run(&path, &other)), [("bounded", 2, false), ("bounded", 2, false)]);
    }

    #[test]
    fn what_the_specification_reads_besides_is_not_reused() {
        let module = "---- MODULE Read ----\nEXTENDS IOUtils\nVARIABLE x\nInit == x = DOMAIN IOEnv\nNext == UNCHANGED x\n====\n";
        let folder = folder(&[("Read.tla", module), ("Read.cfg", "INIT Init\nNEXT Next\n")]);
        let how = How { cache: Some(folder.path().join("cache")), ..How::default() };
        for _ in 0..2 {
            assert_eq!(words(&run(&[folder.path().join("Read.cfg")], &how)), [("ok", 1, false)]);
        }
    }

    #[test]
    fn models_without_time_are_not_run() {
        let folder = folder(&[("Count.tla", MODULE), ("Count.cfg", &config(2))]);
        let how = How { budget: Some(Duration::ZERO), ..How::default() };
        let all = run(&[folder.path().to_path_buf()], &how);
        assert_eq!(words(&all), [(NOT_RUN, 0, false)]);
        assert_eq!(exit_code(&all), SYSTEM_ERROR, "nobody has looked, so it is no success");
        // What is known needs no time.
        let cache = Some(folder.path().join("cache"));
        run(&[folder.path().to_path_buf()], &How { cache: cache.clone(), ..How::default() });
        let all = run(&[folder.path().to_path_buf()], &How { cache, ..how });
        assert_eq!((words(&all), exit_code(&all)), (vec![("ok", 3, true)], 0));
    }
}
