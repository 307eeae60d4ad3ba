//! Checks the specifications of the corpus after small random changes. Nothing may panic, overflow, or run forever.
//!
//! Each seed gives a mutant. `KILTER_MUTANT=17` repeats one, and `KILTER_MUTANT=1000..9000` tries more. If the whole
//! process dies, as after a stack overflow, the mutant is in `mutant.txt` in the target folder's `tmp`.

use crate::common;

use std::any::Any;
use std::fmt::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{STACK_BYTES, corpus};
use kilter::Quiet;
use kilter::diagnostics;
use kilter::show::failure;
use kilter::show::trace::Viewer;
use kilter::verdict;
use kilter_base::{Rng, Sources};
use kilter_check::{Limits, Options};
use kilter_value::Store;

/// The seeds of an ordinary test run.
const SEEDS: Range<u64> = 0..600;
/// Longer than any mutant takes. The search itself ends after a second.
const PATIENCE: Duration = Duration::from_secs(20);
/// Modules whose operators touch files or start processes.
const FORBIDDEN: [&str; 4] = ["IOUtils", "Json", "CSV", "SVG"];

#[test]
fn broken_specifications_are_refused_or_checked() {
    let specs = specs();
    let last_words = watch_panics();
    let mut report = String::new();
    for seed in seeds() {
        let mutant = Mutant::new(seed, &specs);
        if FORBIDDEN.iter().any(|word| mutant.module.contains(word)) {
            continue;
        }
        let _ = std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutant.txt"), mutant.to_text());
        let end = mutant.clone().run();
        if end == End::Fine {
            continue;
        }
        let how = match end {
            End::Panic => std::mem::take(&mut *last_words.lock().expect("the hook does not panic")),
            _ => format!("not done after {} s", PATIENCE.as_secs()),
        };
        let _ = writeln!(report, "{how}\n{}", mutant.to_text());
        // The thread of a mutant that hangs goes on, and would slow down all others.
        if end == End::Hang {
            break;
        }
    }
    let _ = std::panic::take_hook();
    assert!(report.is_empty(), "\n{report}");
}

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("KILTER_MUTANT") else { return SEEDS };
    let number =
        |text: &str| text.trim().parse::<u64>().expect("KILTER_MUTANT is a seed, or two with .. between");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => number(&text)..number(&text) + 1,
    }
}

fn specs() -> Vec<PathBuf> {
    let mut specs = corpus("check", "tla");
    specs.extend(corpus("syntax", "tla"));
    specs
}

/// Records the message and place of the last panic.
fn watch_panics() -> Arc<Mutex<String>> {
    let last_words = Arc::new(Mutex::new(String::new()));
    let words = Arc::clone(&last_words);
    std::panic::set_hook(Box::new(move |panic| {
        *words.lock().expect("the hook does not panic") = panic.to_string();
    }));
    last_words
}

/// How the check of a mutant ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Fine,
    Panic,
    Hang,
}

/// A specification with a small change.
#[derive(Clone, Debug)]
struct Mutant {
    seed: u64,
    path: PathBuf,
    module: String,
    config: String,
}

impl Mutant {
    fn new(seed: u64, specs: &[PathBuf]) -> Self {
        let path = specs[seed as usize % specs.len()].clone();
        let mut module = std::fs::read_to_string(&path).expect("the corpus is readable text");
        let mut config = std::fs::read_to_string(path.with_extension("cfg")).unwrap_or_default();
        let mut rng = Rng::from_seed(seed);
        for _ in 0..=rng.below(2) {
            let text = if rng.below(8) == 0 { &mut config } else { &mut module };
            *text = mutate(text, &mut rng);
        }
        Mutant { seed, path, module, config }
    }

    /// The mutant as text. The line that repeats it comes first.
    fn to_text(&self) -> String {
        let Mutant { seed, path, module, config } = self;
        let path = path.display();
        format!(
            "repeat with:\n  KILTER_MUTANT={seed} cargo test -p kilter-cli --test all mutants\n\
             {path}, changed:\n{module}\n---- configuration:\n{config}\n----\n"
        )
    }

    fn run(self) -> End {
        let (sender, receiver) = channel();
        let work = move || {
            let result: Result<(), Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(|| check(&self)));
            // Nobody listens any more if the check took too long.
            let _ = sender.send(result.is_ok());
        };
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
        thread.expect("a thread can be started");
        match receiver.recv_timeout(PATIENCE) {
            Ok(true) => End::Fine,
            Ok(false) | Err(RecvTimeoutError::Disconnected) => End::Panic,
            Err(RecvTimeoutError::Timeout) => End::Hang,
        }
    }
}

/// Does everything that `kilter check` does, including the text that it would show.
fn check(mutant: &Mutant) {
    let store = Store::with_capacity_bytes(64 << 20);
    let mut sources = Sources::default();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = sources.add(name(&mutant.path), mutant.module.as_str());
    let mut find = |module: &str| {
        let path = mutant.path.with_file_name(format!("{module}.tla"));
        Some((name(&path), std::fs::read_to_string(&path).ok()?))
    };
    let (modules, mut found) = kilter_spec::load(&mut sources, file, &mut find);
    let file = sources.add(name(&mutant.path.with_extension("cfg")), mutant.config.as_str());
    let (config, config_found) = kilter_syntax::parse_config(&sources, file);
    found.extend(config_found);
    if !found.has_errors() {
        let resolution = kilter_spec::resolve(&modules, Some(&config), &sources, &store);
        found.extend(resolution.diagnostics);
        found.extend(resolution.config_diagnostics);
        if !found.has_errors() {
            search(&resolution.spec, &sources, &store);
        }
    }
    diagnostics::show(&sources, &found);
}

fn search(spec: &kilter_spec::Spec, sources: &Sources, store: &Store) {
    let program = kilter_eval::compile(spec, store);
    let limits = Limits {
        states_max: Some(200),
        depth_max: Some(20),
        time_max: Some(Duration::from_secs(1)),
        memory_max_bytes: Some(64 << 20),
    };
    let options = Options { limits, ..Options::default() };
    let outcome = kilter_check::run(&program, store, &options, &mut Quiet);
    verdict::error_of(&outcome.verdict).map(|error| failure::show(sources, error));
    let viewer = Viewer { store, variables: &program.variables, full: false, width: 100 };
    verdict::trace_of(&outcome.verdict).map(|trace| viewer.show(trace));
}

/// Makes one small change. Changes nothing if the text has nothing of the chosen kind.
///
/// Many changes keep to the grammar. Otherwise few mutants would get past the parser.
fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut tokens = tokens(text);
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let names: Vec<&str> = tokens.iter().copied().filter(|token| is_name(token)).collect();
    match rng.below(24) {
        0 => remove(&mut tokens, rng),
        1 => double(&mut tokens, rng),
        2 => swap(&mut tokens, rng),
        3..=8 => replace(&mut tokens, |token| INFIX.contains(&token), &INFIX, rng),
        9 => replace(&mut tokens, is_symbol, &SYMBOLS, rng),
        10..=13 => replace(&mut tokens, is_number, &NUMBERS, rng),
        14..=17 if !names.is_empty() => replace(&mut tokens, is_name, &names, rng),
        18 => replace(&mut tokens, is_name, &NAMES, rng),
        19 => insert(&mut tokens, rng),
        20 => {
            remove(&mut lines, rng);
            tokens = lines;
        }
        21 => {
            double(&mut lines, rng);
            tokens = lines;
        }
        22 => {
            swap(&mut lines, rng);
            tokens = lines;
        }
        _ => tokens.truncate(rng.below(tokens.len() + 1)),
    }
    tokens.concat()
}

const INFIX: [&str; 39] = [
    "/\\",
    "\\/",
    "=>",
    "<=>",
    "=",
    "#",
    "/=",
    "\\in",
    "\\notin",
    "\\subseteq",
    "\\cup",
    "\\cap",
    "\\union",
    "\\",
    "\\X",
    "+",
    "-",
    "*",
    "^",
    "\\div",
    "%",
    "..",
    "<",
    "<=",
    ">",
    ">=",
    "\\leq",
    "~>",
    "-+->",
    "\\cdot",
    "\\o",
    ":>",
    "@@",
    "|",
    "&",
    "^^",
    "\\prec",
    "(+)",
    "$",
];

const SYMBOLS: [&str; 32] = [
    "~", "-.", "'", "^+", "[]", "<>", "|->", "->", "<-", "==", "::", ":", "!", ".", "@", "]_", ">>_", "(",
    ")", "[", "]", "{", "}", "<<", ">>", ",", "\\A", "\\E", "\\AA", "\"", "''", "|-",
];

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "10",
    "64",
    "100",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "9223372036854775808",
    "1.5",
    "\\b11111111111111111111111111111111",
    "000000000001",
];

const NAMES: [&str; 36] = [
    "TRUE",
    "BOOLEAN",
    "STRING",
    "SUBSET",
    "UNION",
    "DOMAIN",
    "ENABLED",
    "UNCHANGED",
    "CHOOSE",
    "IF",
    "THEN",
    "ELSE",
    "CASE",
    "OTHER",
    "LET",
    "IN",
    "EXCEPT",
    "LAMBDA",
    "RECURSIVE",
    "INSTANCE",
    "EXTENDS",
    "LOCAL",
    "ASSUME",
    "VARIABLE",
    "CONSTANT",
    "Nat",
    "Int",
    "Seq",
    "Len",
    "Append",
    "Head",
    "Tail",
    "SubSeq",
    "Cardinality",
    "WF_x",
    "_",
];

const CHARACTERS: [&str; 18] = [
    "\0", "\t", "\r", "\u{b}", "\u{a0}", "\u{feff}", "é", "∧", "∈", "≜", "′", "𝔸", "\u{301}", "\"", "(*",
    "*)", "\\*", "----",
];

/// Splits a text into words, symbols, brackets and white space.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = length(rest).max(first.len_utf8());
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// The length of the first token, or 0 if it is one character.
fn length(text: &str) -> usize {
    let word = |text: &str| text.find(|c| kind(c) != Kind::Word).unwrap_or(text.len());
    match text.chars().next().map(kind) {
        None | Some(Kind::Alone) => 0,
        Some(Kind::Symbol) if text.starts_with('\\') && word(&text[1..]) > 0 => 1 + word(&text[1..]),
        Some(first) => text.find(|c| kind(c) != first).unwrap_or(text.len()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Space,
    Alone,
    Symbol,
}

fn kind(c: char) -> Kind {
    match c {
        _ if c.is_alphanumeric() || c == '_' => Kind::Word,
        _ if c.is_whitespace() => Kind::Space,
        '(' | ')' | '[' | ']' | '{' | '}' | ',' | '"' | '\'' => Kind::Alone,
        _ => Kind::Symbol,
    }
}

fn is_symbol(token: &str) -> bool {
    token.chars().all(|c| matches!(kind(c), Kind::Symbol | Kind::Alone))
}

fn is_number(token: &str) -> bool {
    token.chars().all(|c| c.is_ascii_digit())
}

fn is_name(token: &str) -> bool {
    !is_number(token) && token.chars().all(|c| kind(c) == Kind::Word)
}

/// The index of a random part that is `wanted` and not white space.
fn pick(parts: &[&str], wanted: impl Fn(&str) -> bool, rng: &mut Rng) -> Option<usize> {
    let solid = |index: &usize| !parts[*index].trim().is_empty() && wanted(parts[*index]);
    let indices: Vec<usize> = (0..parts.len()).filter(solid).collect();
    (!indices.is_empty()).then(|| indices[rng.below(indices.len())])
}

fn remove(parts: &mut Vec<&str>, rng: &mut Rng) {
    if let Some(index) = pick(parts, |_| true, rng) {
        parts.remove(index);
    }
}

fn double(parts: &mut Vec<&str>, rng: &mut Rng) {
    if let Some(index) = pick(parts, |_| true, rng) {
        parts.splice(index..index, [parts[index], " "]);
    }
}

fn swap(parts: &mut [&str], rng: &mut Rng) {
    if let (Some(a), Some(b)) = (pick(parts, |_| true, rng), pick(parts, |_| true, rng)) {
        parts.swap(a, b);
    }
}

fn replace<'t>(parts: &mut [&'t str], wanted: impl Fn(&str) -> bool, by: &[&'t str], rng: &mut Rng) {
    if let Some(index) = pick(parts, wanted, rng) {
        parts[index] = by[rng.below(by.len())];
    }
}

fn insert(parts: &mut Vec<&str>, rng: &mut Rng) {
    parts.insert(rng.below(parts.len() + 1), CHARACTERS[rng.below(CHARACTERS.len())]);
}
