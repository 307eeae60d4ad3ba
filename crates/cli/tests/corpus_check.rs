//! Compares our answers for the specifications of `corpus/check` with TLC's, with one worker and with two; and those of a
//! search on disk, with hardly any states in memory, and of a search by several processes, with those of a search in memory.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use common::disk::{Answer, Once, Toy};
use common::{Known, corpus, hosts};
use kilter::Quiet;
use kilter::load::{Cause, Input, load};
use kilter::outside::Access;
use kilter::show::json::{self, Search};
use kilter::verdict;
use kilter_check::{Limit, Limits, Options, Trouble, Unfit};
use kilter_value::Store;
use libtest_mimic::{Arguments, Failed, Trial};

/// The lines of an `.expect` file.
type Facts = BTreeMap<String, String>;

fn main() -> ExitCode {
    let known = Arc::new(Known::read("known-check.txt"));
    let paths = corpus("check", "expect");
    assert!(paths.len() > 400, "the corpus has {} specifications; is it complete?", paths.len());
    let names: BTreeSet<String> = paths.iter().map(|path| stem(path)).collect();
    let mut trials: Vec<Trial> = paths
        .into_iter()
        .map(|path| {
            let known = Arc::clone(&known);
            Trial::test(stem(&path), move || known.judge(&stem(&path), differences(&path)))
        })
        .collect();
    trials.extend(corpus("check", "expect").into_iter().map(|path| {
        Trial::test(format!("{}_on_disk", stem(&path)), move || {
            on_disk(&path.with_extension("tla"));
            Ok(())
        })
    }));
    trials.extend(corpus("check", "expect").into_iter().map(|path| {
        Trial::test(format!("{}_on_hosts", stem(&path)), move || {
            on_hosts(&path.with_extension("tla"));
            Ok(())
        })
    }));
    trials.push(Trial::test("every_case_expects_counts_or_a_trace_or_a_message", {
        let known = Arc::clone(&known);
        move || empty_cases(&known)
    }));
    trials.push(Trial::test("known_failures_are_in_the_corpus", move || known.all_are_in(&names)));
    trials.push(Trial::test("early_looks_give_the_same_verdict", || {
        early_looks();
        Ok(())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file of the corpus has a name").to_string_lossy().into_owned()
}

/// Finds cases that expect only a verdict, which could be right for the wrong reason.
fn empty_cases(known: &Known) -> Result<(), Failed> {
    let says_enough = |path: &PathBuf| {
        let facts = expected(path);
        ["generated", "trace", "loop", "message"].iter().any(|key| facts.contains_key(*key))
    };
    let cases = corpus("check", "expect");
    let empty: Vec<String> = cases.iter().filter(|path| !says_enough(path)).map(|path| stem(path)).collect();
    let empty: Vec<&String> = empty.iter().filter(|name| !known.has(name)).collect();
    if empty.is_empty() { Ok(()) } else { Err(format!("these say nothing but a verdict: {empty:?}").into()) }
}

fn expected(path: &Path) -> Facts {
    facts(&std::fs::read_to_string(path).expect("the corpus is readable text"))
}

/// The differences between our answers and the expected ones, with one worker and with two. Empty if there are none.
fn differences(path: &Path) -> String {
    let expected = expected(path);
    let differences = [1, 2].into_iter().filter_map(|workers| {
        let options = Options { workers, ..Options::default() };
        let actual = check(&path.with_extension("tla"), &options);
        difference(&expected, &actual).map(|text| format!("  {workers} worker(s): {text}\n"))
    });
    differences.collect()
}

/// A search on disk gives the answer of the search in memory: in one go and in pieces, and with two workers that go on after
/// violations and after full disks.
fn on_disk(path: &Path) {
    let alone = Once { path, options: Options::default() };
    let Some(wanted) = alone.in_memory() else { return };
    let folder = Arc::new(Toy::default());
    folder.refill(i64::MAX);
    match alone.on_disk(&folder, false, 2) {
        Err(Unfit::Temporal(_) | Unfit::Sequential) => return,
        found => assert_eq!(found.expect("it can be searched on disk").text, wanted.text),
    }
    assert_eq!(folder.names(), [""; 0], "files are left");
    in_pieces(&alone, &wanted, 2);
    // Behind a violation, some specifications have no end.
    let limits = Limits { depth_max: Some(30), ..Limits::default() };
    let both = Once { path, options: Options { workers: 2, keep_going: true, limits, ..Options::default() } };
    let wanted = both.in_memory().expect("there is something to search");
    on_a_full_disk(&both, &wanted, 7);
}

/// A search by several processes gives the answer of the search by one.
fn on_hosts(path: &Path) {
    let alone = Once { path, options: Options::default() };
    let Some(wanted) = alone.in_memory() else { return };
    // The second time, each process drops what it does not need as often as it can.
    let tidy = Options { new_values_max_bytes: 0, workers: 2, ..Options::default() };
    for (n_processes, options) in [(1, Options::default()), (3, tidy.clone())] {
        match hosts::search(&Once { path, options }, n_processes) {
            Err(Trouble::Unfit(_) | Trouble::Strings) => return,
            found => {
                assert_eq!(found.expect("it can be shared").text, wanted.text, "{n_processes} processes");
            }
        }
    }
    shared_in_pieces(&Once { path, options: tidy }, &wanted, 2);
}

/// Ends a search by two processes, with hardly any states in memory, again and again, and goes on with a larger limit.
fn shared_in_pieces(once: &Once<'_>, wanted: &Answer, n_hot: u32) {
    let folders = [Arc::new(Toy::default()), Arc::new(Toy::default())];
    for folder in &folders {
        folder.refill(i64::MAX);
    }
    let n_states = wanted.outcome.counts.distinct;
    for n in 1..=4 {
        let mut piece = once.clone();
        piece.options.limits.states_max = (n < 4).then_some(1 + n_states * n / 4);
        let disks = folders.each_ref().map(|folder| Some(once.disk(folder, n > 1, n_hot)));
        let found = hosts::search_on(&piece, &disks).expect("it goes on");
        if found.cut_by != Some(Limit::States) {
            assert_eq!(found.text, wanted.text, "after {n} pieces");
            let left: Vec<String> = folders.iter().flat_map(|folder| folder.names()).collect();
            assert_eq!(left, [""; 0], "files are left");
            return;
        }
    }
    panic!("it never ends");
}

/// Ends the search again and again by a limit on its states, and goes on with a larger one.
fn in_pieces(once: &Once<'_>, wanted: &Answer, n_hot: u32) {
    let folder = Arc::new(Toy::default());
    folder.refill(i64::MAX);
    let n_states = wanted.outcome.counts.distinct;
    for n in 1..=4 {
        let mut piece = once.clone();
        piece.options.limits.states_max = (n < 4).then_some(1 + n_states * n / 4);
        // Any number of workers goes on.
        piece.options.workers = 1 + n as usize % 2;
        let found = piece.on_disk(&folder, n > 1, n_hot).expect("it goes on");
        if found.cut_by != Some(Limit::States) {
            assert_eq!(found.text, wanted.text, "after {n} pieces");
            return;
        }
    }
    panic!("it never ends");
}

/// Lets the disk get full again and again, later each time, and goes on with the search.
fn on_a_full_disk(once: &Once<'_>, wanted: &Answer, n_hot: u32) {
    let folder = Arc::new(Toy::default());
    let mut has_checkpoint = false;
    for n in 0.. {
        folder.refill(10 << (2 * n));
        let found = once.on_disk(&folder, has_checkpoint, n_hot).expect("it goes on");
        if found.cut_by != Some(Limit::Disk) {
            assert_eq!(found.text, wanted.text, "after {n} full disks");
            return;
        }
        has_checkpoint = folder.names().iter().any(|name| name == "checkpoint");
    }
}

/// Looking at the graph before it is complete may find a violation earlier, but must not find another one. Cases that
/// violate an invariant are left out, because there a loop may be found first.
fn early_looks() {
    let mut n_earlier = 0;
    for path in corpus("check", "tla") {
        let name = stem(&path);
        if !name.starts_with("temporal_") || !path.with_extension("expect").is_file() {
            continue;
        }
        let at_the_end = check(&path, &Options::default());
        if !["0", "13"].contains(&at_the_end["exit"].as_str()) {
            continue;
        }
        let early = check(&path, &Options { first_look_states: 1, ..Options::default() });
        for key in ["verdict", "exit", "property"] {
            assert_eq!(early.get(key), at_the_end.get(key), "{name}: {key}");
        }
        n_earlier += usize::from(early["distinct"] < at_the_end["distinct"]);
    }
    assert!(n_earlier > 0, "no violation was found before the graph was complete: were the looks early?");
}

fn facts(text: &str) -> Facts {
    let pair = |line: &str| {
        line.split_once(':').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

fn difference(expected: &Facts, actual: &Facts) -> Option<String> {
    let differs = |(key, wanted): (&String, &String)| {
        let found = actual.get(key).map_or("nothing", String::as_str);
        // If several loops are equally good, the case says only that there is one.
        let any_loop = key == "loop" && wanted == "back" && found.starts_with("back to ");
        let part = key == "message" && found.to_lowercase().contains(&wanted.to_lowercase());
        // TLC exits with 255 after an internal error, and with 76 if anything is wrong in the evaluation of an
        // invariant. We have fewer codes, which say what is wrong with the input.
        let same = found == wanted
            || any_loop
            || part
            || (key == "exit" && ["76", "255"].contains(&wanted.as_str()));
        (!same).then(|| format!("{key} is {found}, not {wanted}"))
    };
    let lines: Vec<String> = expected.iter().filter_map(differs).collect();
    let message = actual.get("message").map(|message| format!(" ({message})")).unwrap_or_default();
    (!lines.is_empty()).then(|| format!("{}{message}", lines.join(", ")))
}

fn check(path: &Path, options: &Options) -> Facts {
    let store = Store::with_capacity_bytes(256 << 20);
    let config: PathBuf = path.with_extension("cfg");
    let input = Input {
        spec: path.to_path_buf(),
        config: Some(config),
        library: Vec::new(),
        access: Access::default(),
    };
    let mut found = Facts::new();
    let mut put = |key: &str, value: String| found.insert(key.to_owned(), value);
    match load(&input, &store) {
        Err(refusal) => {
            let messages: Vec<_> = refusal.diagnostics.iter().map(|one| one.message.as_str()).collect();
            put("message", messages.join("; "));
            put("verdict", verdict::of_cause(refusal.cause).word.to_owned());
            put("exit", verdict::of_cause(refusal.cause).code.to_string());
            debug_assert!(refusal.cause != Cause::System);
        }
        Ok(loaded) => {
            let program = loaded.compile(&store);
            let outcome = kilter_check::run(&program, &store, options, &mut Quiet);
            let answer = verdict::of_outcome(&outcome);
            put("verdict", answer.word.to_owned());
            put("exit", answer.code.to_string());
            answer.property.map(|name| put("property", name));
            let search = Search {
                outcome: &outcome,
                program: &program,
                store: &store,
                sources: &loaded.sources,
                coverage: &[],
                warnings: &[],
                keep_going: false,
                why: None,
                seconds: 0.0,
            };
            let answer = json::search(&search);
            loop_of(&answer).map(|shape| put("loop", shape));
            put("trace", answer["trace"].as_array().map_or(0, Vec::len).to_string());
            put("message", answer["message"].as_str().unwrap_or_default().to_owned());
            put("generated", outcome.counts.generated.to_string());
            put("distinct", outcome.counts.distinct.to_string());
            put("depth", outcome.counts.depth.to_string());
        }
    }
    found
}

/// How the counterexample goes on forever, in the words of an `.expect` file.
fn loop_of(answer: &serde_json::Value) -> Option<String> {
    let back = answer.get("loop")?;
    let state = back["state"].as_u64().expect("a loop goes back to a state");
    let stuttering = back["stuttering"].as_bool().expect("a loop is stuttering or not");
    Some(if stuttering { "stuttering".to_owned() } else { format!("back to {state}") })
}
