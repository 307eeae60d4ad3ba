//! `kilter check`

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kilter_base::Sources;
use kilter_check::{Counts, Options, Outcome, Progress, Verdict};
use kilter_eval::ErrorKind;
use kilter_value::Store;
use serde_json::json;

use crate::args::CheckArgs;
use crate::load::{self, Refusal};

struct Quiet(AtomicBool);

impl Progress for Quiet {
    fn report(&mut self, _: &Counts, _: Duration) {}
    fn print(&mut self, line: &str) {
        eprintln!("{line}");
    }
    fn interrupted(&self) -> &AtomicBool {
        &self.0
    }
}

pub fn run(args: &CheckArgs) -> ExitCode {
    let store = Store::new();
    let (sources, spec) = match load::load(&args.spec, args.config.as_deref(), &args.library, &store) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            let (code, verdict, sources, diagnostics) = match *refusal {
                Refusal::Spec(sources, diagnostics) => (150, "parse", sources, diagnostics),
                Refusal::Config(sources, diagnostics) => (151, "config", sources, diagnostics),
            };
            eprint!("{}", load::render(&sources, &diagnostics));
            if args.json {
                println!("{}", json!({ "verdict": verdict }));
            }
            return ExitCode::from(code);
        }
    };
    let started = Instant::now();
    let program = kilter_eval::compile(&spec);
    let options = Options {
        workers: args.workers,
        check_deadlock: args.no_deadlock.then_some(false),
        graph: args.graph.is_some(),
        ..Options::default()
    };
    let outcome = kilter_check::run(&program, &store, &options, &mut Quiet(AtomicBool::new(false)));
    let seconds = started.elapsed().as_secs_f64();
    let (word, code, property) = describe(&outcome);
    if let Verdict::Error { error, .. } = &outcome.verdict {
        explain(&sources, error);
    }
    let trace = trace_of(&outcome);
    if args.json {
        println!(
            "{}",
            json!({
                "verdict": word, "states_generated": outcome.counts.generated, "distinct_states": outcome.counts.distinct,
                "depth": outcome.counts.depth, "seconds": seconds, "property": property,
                "unchecked_properties": outcome.unchecked.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
                "memory_bytes": outcome.memory_bytes, "values": outcome.n_values,
            })
        );
    } else {
        if let Some(trace) = trace {
            for (i, step) in trace.steps.iter().enumerate() {
                println!("{} {:?}", i + 1, step.action.as_ref().map(|(name, args)| format!("{name}({})", args.iter().map(|(_, v)| store.show(*v)).collect::<Vec<_>>().join(", "))));
                for (name, value) in program.variables.iter().zip(&step.state) {
                    println!("  {name} = {}", store.show(*value));
                }
            }
        }
        println!("{word} {property:?} {:?} {seconds:.2}s {} bytes {} values", outcome.counts, outcome.memory_bytes, outcome.n_values);
    }
    ExitCode::from(code)
}

fn explain(sources: &Sources, error: &kilter_eval::EvalError) {
    eprintln!("error: {}", error.message);
    if let Some(span) = error.span {
        eprintln!("  at {}: {}", sources.place(span), sources.text(span));
    }
    for call in &error.chain {
        eprintln!("  in {} called at {}", call.name, sources.place(call.span));
    }
}

fn trace_of(outcome: &Outcome) -> Option<&kilter_check::Trace> {
    match &outcome.verdict {
        Verdict::Deadlock { trace }
        | Verdict::Invariant { trace, .. }
        | Verdict::Property { trace, .. }
        | Verdict::Error { trace, .. } => Some(trace),
        _ => None,
    }
}

fn describe(outcome: &Outcome) -> (&'static str, u8, Option<String>) {
    match &outcome.verdict {
        Verdict::Holds => ("ok", 0, None),
        Verdict::Bounded(_) => ("bounded", 0, None),
        Verdict::Assumption { name } => ("assumption", 10, Some(name.to_string())),
        Verdict::Deadlock { .. } => ("deadlock", 11, None),
        Verdict::Invariant { name, .. } => ("invariant", 12, Some(name.to_string())),
        Verdict::Property { name, .. } => ("property", 12, Some(name.to_string())),
        Verdict::Postcondition { name } => ("postcondition", 12, Some(name.to_string())),
        Verdict::Error { error, .. } if error.kind == ErrorKind::Assertion => ("assertion", 14, None),
        Verdict::Error { .. } => ("error", 75, None),
    }
}
