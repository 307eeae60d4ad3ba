//! `kilter example`: shows the main job without any file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use kilter::host::Searching;
use kilter::load::load_texts;
use kilter::program::{AnswerArgs, Terminal, rim};
use kilter::signals::Signals;
use kilter_check::{Options, Verdict};
use kilter_run::files;
use kilter_value::Store;

use super::answer::{self, Answer};
use super::shared::OutputArgs;

/// `kilter example`
#[derive(clap::Args, Clone, Debug)]
pub struct ExampleArgs {
    /// Check the repaired design instead
    #[arg(long)]
    pub fixed: bool,
    /// Write the specification and its configurations into this folder instead of checking them
    #[arg(long, value_name = "DIR", conflicts_with = "fixed")]
    pub save: Option<PathBuf>,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const SPEC: (&str, &str) = ("Register.tla", include_str!("../../example/Register.tla"));
const CONFIG: (&str, &str) = ("Register.cfg", include_str!("../../example/Register.cfg"));
const FIXED: (&str, &str) = ("Register_fixed.cfg", include_str!("../../example/Register_fixed.cfg"));

/// Checks the example, or writes it to files. The exit code is 0 if the example shows what it should.
pub fn run(args: &ExampleArgs, signals: &Signals) -> anyhow::Result<u8> {
    match &args.save {
        Some(folder) => save(folder),
        None => check(args, signals),
    }
}

fn check(args: &ExampleArgs, signals: &Signals) -> anyhow::Result<u8> {
    let store = Store::new();
    let loaded = match load_texts(SPEC, if args.fixed { FIXED } else { CONFIG }, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => return answer::refuse(&refusal, args.answer.json),
    };
    let program = loaded.compile(&store);
    let mut terminal = Terminal::new(args.answer);
    let mut progress = Searching::new(&mut terminal, signals);
    let patience = signals.patience();
    let started = Instant::now();
    let outcome = kilter_check::run(&program, &store, &Options::default(), &mut progress);
    drop(patience);
    progress.end()?;
    let answer = Answer {
        spec: Path::new(SPEC.0),
        loaded: &loaded,
        program: &program,
        store: &store,
        outcome: &outcome,
        keep_going: false,
        why: None,
        random: false,
        seconds: started.elapsed().as_secs_f64(),
        note: None,
        repeat: "kilter example --save . && kilter check Register.tla".to_owned(),
        go_on: String::new(),
    };
    let code = answer.give(&OutputArgs { answer: args.answer, ..OutputArgs::default() })?;
    let as_it_should = match outcome.verdict {
        Verdict::Holds => args.fixed,
        Verdict::Invariant { .. } => !args.fixed,
        _ => false,
    };
    Ok(if as_it_should { 0 } else { code })
}

fn save(folder: &Path) -> anyhow::Result<u8> {
    fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    for (name, text) in [SPEC, CONFIG, FIXED] {
        let path = folder.join(name);
        files::replace(&path, text)?;
        rim::say(&format!("wrote {}\n", path.display()));
    }
    Ok(0)
}
