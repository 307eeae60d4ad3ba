//! Writes the result of a search as one JSON object, for scripts.

use kilter::diagnostics::{place, to_json};
use kilter::load::Refusal;
use kilter::verdict;
use kilter_base::{Name, Severity, Sources};
use kilter_check::{Back, Coverage, Outcome, Step, Trace};
use kilter_eval::{EvalError, Program};
use kilter_value::{Store, Value};
use serde_json::{Map, Value as Json, json};

use crate::render::lasso;
use crate::render::summary::ActionCoverage;

/// A search that has ended.
pub struct Search<'s> {
    /// The result of the search.
    pub outcome: &'s Outcome,
    /// The compiled specification.
    pub program: &'s Program,
    /// The store with the values.
    pub store: &'s Store,
    /// The files of the specification.
    pub sources: &'s Sources,
    /// Coverage, by the names of actions.
    pub coverage: &'s [ActionCoverage],
    /// Remarks for the user besides the verdict.
    pub warnings: &'s [String],
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The result of a search.
pub fn search(search: &Search<'_>) -> Json {
    let Search { outcome, program, store, sources, coverage, warnings, seconds } = search;
    let answer = verdict::of_outcome(outcome);
    let mut json = json!({
        "verdict": answer.word,
        "message": verdict::sentence(outcome),
        "states_generated": outcome.counts.generated,
        "distinct_states": outcome.counts.distinct,
        "depth": outcome.counts.depth,
        "seconds": seconds,
        "unchecked_properties": outcome.unchecked.iter().map(Name::as_str).collect::<Vec<_>>(),
        "warnings": warnings,
        "coverage": coverage.iter().map(action).collect::<Vec<_>>(),
        "memory_bytes": outcome.memory_bytes,
        "bytes_per_state": outcome.memory_bytes / outcome.counts.distinct.max(1),
        "values": outcome.n_values,
    });
    if let Some(property) = answer.property {
        json["property"] = property.into();
    }
    if let Some(trace) = verdict::trace_of(outcome) {
        json["trace"] = steps(trace, &program.variables, store);
    }
    if let (Some(back), Some(trace)) = (verdict::loop_of(outcome), verdict::trace_of(outcome)) {
        json["loop"] = lasso(back, trace, sources, store);
    }
    if let Some(error) = verdict::error_of(outcome) {
        json["error"] = failure(error, sources);
    }
    json
}

/// The answer if there was nothing to search.
pub fn refusal(refusal: &Refusal) -> Json {
    let list = |severity| {
        let wanted = refusal.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
        wanted.map(|one| to_json(one, &refusal.sources)).collect::<Vec<_>>()
    };
    json!({
        "verdict": verdict::of_cause(refusal.cause).word,
        "errors": list(Severity::Error),
        "warnings": refusal.diagnostics.iter()
            .filter(|one| one.severity == Severity::Warning)
            .map(|one| one.one_line(&refusal.sources))
            .collect::<Vec<_>>(),
    })
}

fn action(row: &ActionCoverage) -> Json {
    let Coverage { enabled, taken, new } = row.coverage;
    json!({ "action": row.name.as_str(), "place": row.place, "enabled": enabled, "taken": taken, "new": new })
}

fn failure(error: &EvalError, sources: &Sources) -> Json {
    let call = |call: &kilter_eval::origin::CallSite| {
        let mut json = json!({ "operator": call.name.as_str() });
        place(&mut json, Some(call.span), sources);
        json
    };
    let mut json = json!({
        "message": error.message,
        "expression": error.span.map(|span| sources.text(span)),
        "chain": error.chain.iter().map(call).collect::<Vec<_>>(),
    });
    place(&mut json, error.span, sources);
    json
}

fn steps(trace: &Trace, variables: &[Name], store: &Store) -> Json {
    trace.steps.iter().map(|one| step(one, variables, store)).collect()
}

/// How a behavior goes on forever. States are numbered from 1, as in the text for people.
fn lasso(back: &Back, trace: &Trace, sources: &Sources, store: &Store) -> Json {
    json!({
        "state": back.to + 1,
        "stuttering": back.stutters(trace),
        "action": back.action.as_ref().map(|(name, _)| name.as_str()),
        "fairness": back.fair.iter().map(|fair| lasso::fairness(fair, sources, store)).collect::<Vec<_>>(),
        "repairs": back.repairs.iter().map(lasso::repair).collect::<Vec<_>>(),
    })
}

fn step(step: &Step, variables: &[Name], store: &Store) -> Json {
    let object = |pairs: &mut dyn Iterator<Item = (&Name, Value)>| {
        Json::Object(
            pairs.map(|(name, value)| (name.to_string(), store.show(value).into())).collect::<Map<_, _>>(),
        )
    };
    let args = step.action.iter().flat_map(|(_, args)| args);
    let mut json = json!({
        "action": step.action.as_ref().map(|(name, _)| name.as_str()),
        "arguments": object(&mut args.map(|(name, value)| (name, *value))),
        "state": object(&mut variables.iter().zip(step.state.iter().copied())),
    });
    if let Some(alias) = step.alias {
        json["alias"] = store.show(alias).into();
    }
    json
}
