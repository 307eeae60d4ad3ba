//! Checks random modules with Kilter and with the naive evaluator of `kilter-oracle`. Kilter uses one worker, and for
//! some modules also two.
//!
//! `KILTER_RANDOM=FIRST..END` tries other seeds than the fixed ones.

use crate::common;

use std::fmt::Write;
use std::ops::Range;

use common::with_stack;
use kilter::Quiet;
use kilter::load::{Input, Loaded, Refusal, load, load_texts};
use kilter::outside::Access;
use kilter::verdict;
use kilter_check::{Limits, Options};
use kilter_oracle::model::{Expr, Model, Property};
use kilter_oracle::naive::{self, Answer, Verdict};
use kilter_oracle::{generate, print, shrink};
use kilter_value::Store;

/// The seeds of an ordinary test run.
const SEEDS: Range<u64> = 1..2_001;

/// One seed in this many is also checked with two workers.
const EVERY_PARALLEL: u64 = 4;

/// The number of threads that share the seeds.
const THREADS: u64 = 2;

/// The most differences that are described. They are enough to see what they have in common.
const DIFFERENCES_MAX: usize = 5;

/// The facts that must be the same in both answers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Facts {
    verdict: &'static str,
    property: Option<String>,
    counts: Option<[u64; 3]>,
    trace: Option<u64>,
    message: String,
}

#[test]
fn random_modules_have_the_answers_of_the_naive_evaluator() {
    let seeds = seeds();
    let mut wrong: Vec<Wrong> = std::thread::scope(|scope| {
        let of_part = |part| seeds.clone().filter(move |seed| seed / EVERY_PARALLEL % THREADS == part);
        let parts: Vec<_> = (0..THREADS).map(|part| scope.spawn(move || differing(of_part(part)))).collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, Vec<Wrong>>| {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().flat_map(join).collect()
    });
    wrong.sort_by_key(|(seed, ..)| *seed);
    let mut report = String::new();
    for (seed, model, found) in wrong.iter().take(DIFFERENCES_MAX) {
        with_stack(|| describe(*seed, model, found, &mut report));
    }
    let wrong: Vec<u64> = wrong.iter().map(|(seed, ..)| *seed).collect();
    assert!(wrong.is_empty(), "{report}these seeds differ: {wrong:?}");
}

/// What VIEW hides, and what SYMMETRY makes equal, does not change what holds forever.
#[test]
fn temporal_properties_hold_with_views_and_symmetry_if_they_hold_without() {
    let mut n_violated = 0;
    let mut wrong = Vec::new();
    for seed in seeds().step_by(4) {
        let (mut model, answer) = with_stack(|| generate::model(seed));
        model.properties.retain(|(_, property)| matches!(property, Property::Temporal(_)));
        // Only of a model that was searched to its end is it known that this does not take long.
        if model.properties.is_empty() || !matches!(answer.verdict, Verdict::Ok | Verdict::Temporal(_)) {
            continue;
        }
        let first = model.behaviors.variables[0].clone();
        let symmetric = Model { view: None, ..model.clone() };
        let viewed = Model { view: Some(Expr::Tuple(vec![Expr::Var(first)])), symmetry: Vec::new(), ..model };
        let plain = Model { view: None, ..viewed.clone() };
        // Without its view, a model may have infinitely many states.
        let limits = Limits { states_max: Some(10_000), ..Limits::default() };
        let options = Options { workers: 1, limits, ..Options::default() };
        let verdict = |model: &Model| with_stack(|| actual(model, &options)).verdict;
        let expected = verdict(&plain);
        if !matches!(expected, "ok" | "property") {
            continue;
        }
        n_violated += usize::from(expected == "property");
        for (what, model) in [("VIEW", &viewed), ("SYMMETRY", &symmetric)] {
            let found = verdict(model);
            if found != expected {
                wrong.push(format!("seed {seed} with {what}: {found}, without: {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_violated} violated:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_violated > 0, "no seed has a violation");
}

/// A seed, its model, and the difference between the two answers.
type Wrong = (u64, Model, Difference);

fn differing(seeds: impl Iterator<Item = u64>) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for seed in seeds {
        let (model, answer) = with_stack(|| generate::model(seed));
        let workers: &[usize] = if seed.is_multiple_of(EVERY_PARALLEL) { &[1, 2] } else { &[1] };
        if let Some(found) = with_stack(|| difference(&model, &answer, workers)) {
            wrong.push((seed, model, found));
        }
    }
    wrong
}

/// The seeds to try.
fn seeds() -> Range<u64> {
    let given = std::env::var("KILTER_RANDOM").ok();
    let parsed = given
        .as_deref()
        .and_then(|text| text.split_once(".."))
        .and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    assert!(given.is_none() || parsed.is_some(), "KILTER_RANDOM is FIRST..END, for example 1..100");
    parsed.unwrap_or(SEEDS)
}

/// Two answers that should be the same.
struct Difference {
    naive: &'static str,
    kilter: &'static str,
    text: String,
}

/// Describes a difference, and the smallest model that still shows one of the same kind.
fn describe(seed: u64, model: &Model, found: &Difference, report: &mut String) {
    let alike = |one: &Difference| (one.naive, one.kilter) == (found.naive, found.kilter);
    let again = |model: &Model| difference(model, &naive::check(model), &[1, 2]);
    let small = shrink::shrink(model, &mut |model| again(model).as_ref().is_some_and(alike));
    let why = again(&small).map(|one| one.text).unwrap_or_default();
    let text = &found.text;
    let files = print::files(&small);
    let second = files.second.map(|(_, text)| text).unwrap_or_default();
    let _ =
        writeln!(report, "seed {seed}: {text}\nshrunk: {why}\n{}\n{second}\n{}", files.module, files.config);
    let _ = writeln!(
        report,
        "repeat with: KILTER_RANDOM={seed}..{} cargo test -p kilter-cli --test all random\n",
        seed + 1
    );
}

/// The first difference between Kilter and the naive evaluator.
fn difference(model: &Model, answer: &Answer, workers: &[usize]) -> Option<Difference> {
    let expected = expected(answer);
    workers.iter().find_map(|&workers| {
        let actual = actual(model, &Options { workers, ..Options::default() });
        let same = Facts { message: actual.message.clone(), ..expected.clone() } == actual;
        let temporal = expected.verdict == "temporal"
            && actual.verdict == "property"
            // Several properties may be violated. Any of them may be found first.
            && actual.property.iter().all(|name| expected.message.split(' ').any(|one| one == name));
        (!same && !temporal).then(|| Difference {
            naive: expected.verdict,
            kilter: actual.verdict,
            text: format!("{workers} worker(s)\n  naive  {expected:?}\n  Kilter {actual:?}"),
        })
    })
}

/// The facts of a naive answer. They have counts if the search ran to its end, and the length of the trace if a state
/// or a step is wrong.
fn expected(answer: &Answer) -> Facts {
    let counts = Some([answer.generated, answer.distinct, answer.depth]);
    let facts = |verdict, property: Option<&String>, counts, trace| Facts {
        verdict,
        property: property.cloned(),
        counts,
        trace,
        message: String::new(),
    };
    match &answer.verdict {
        Verdict::Ok => facts("ok", None, counts, None),
        Verdict::Assumption => facts("assumption", None, None, None),
        Verdict::Deadlock => facts("deadlock", None, None, answer.trace),
        Verdict::Invariant(name) => facts("invariant", Some(name), None, answer.trace),
        Verdict::Property(name) => facts("property", Some(name), None, answer.trace),
        Verdict::Temporal(names) => Facts { message: names.join(" "), ..facts("temporal", None, None, None) },
        Verdict::Error(message) => Facts { message: message.clone(), ..facts("error", None, None, None) },
        Verdict::TooLarge => facts("too large", None, None, None),
    }
}

fn actual(model: &Model, options: &Options) -> Facts {
    let store = Store::with_capacity_bytes(64 << 20);
    let loaded = match read(model, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            let messages: Vec<_> = refusal.diagnostics.iter().map(|one| one.message.as_str()).collect();
            let verdict = verdict::of_cause(refusal.cause).word;
            return Facts {
                verdict,
                property: None,
                counts: None,
                trace: None,
                message: messages.join("; "),
            };
        }
    };
    let program = kilter_eval::compile(&loaded.spec, &store);
    let outcome = kilter_check::run(&program, &store, options, &mut Quiet);
    let answer = verdict::of_outcome(&outcome);
    let counts = &outcome.counts;
    let named = answer.word == "invariant" || answer.word == "property";
    let shortest = named || answer.word == "deadlock";
    Facts {
        verdict: answer.word,
        property: answer.property.filter(|_| named),
        counts: (answer.word == "ok").then(|| [counts.generated, counts.distinct, u64::from(counts.depth)]),
        trace: verdict::trace_of(&outcome.verdict).filter(|_| shortest).map(|trace| trace.steps.len() as u64),
        message: verdict::error_of(&outcome.verdict).map(|error| error.message.clone()).unwrap_or_default(),
    }
}

/// Loads a model. Only a model of two modules needs files.
fn read(model: &Model, store: &Store) -> Result<Loaded, Box<Refusal>> {
    let files = print::files(model);
    let root = format!("{}.tla", model.name);
    let Some((name, text)) = files.second else {
        return load_texts((&root, &files.module), ("random.cfg", &files.config), store);
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a temporary file can be written");
        path
    };
    write(&format!("{name}.tla"), &text);
    let spec = write(&root, &files.module);
    let config = Some(write("random.cfg", &files.config));
    load(&Input { spec, config, library: Vec::new(), access: Access::default() }, store)
}
