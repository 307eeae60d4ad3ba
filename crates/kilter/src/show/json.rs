//! Writes the result of a search as one JSON object, for scripts.

use kilter_base::{Name, Severity, Sources};
use kilter_check::{Back, Coverage, Outcome, Share, Step, Trace, Verdict};
use kilter_eval::reason::{Choice, Reason, Shown};
use kilter_eval::{EvalError, Program};
use kilter_value::{Store, Value};
use serde_json::{Map, Value as Json, json};

use super::lasso;
use super::reason::Teller;
use crate::diagnostics::{place, to_json};
use crate::load::Refusal;
use crate::remarks::ActionCoverage;
use crate::verdict;
use crate::why::{self, Question};

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
    /// Whether to list all violations.
    pub keep_going: bool,
    /// An action that should have been enabled.
    pub why: Option<&'s Question>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The result of a search.
pub fn search(search: &Search<'_>) -> Json {
    let Search { outcome, coverage, warnings, keep_going, why, seconds, .. } = search;
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
    evidence(&mut json, &outcome.verdict, search);
    if let Some(limit) = outcome.limit {
        json["ended_by"] = verdict::reason(limit).into();
    }
    if let Some(disk) = &outcome.disk {
        json["disk"] = json!({
            "bytes": disk.bytes,
            "checkpoint_states": disk.checkpoint,
            "recovered_states": disk.recovered,
            "trouble": disk.trouble,
        });
    }
    if !outcome.shares.is_empty() {
        json["hosts"] = outcome.shares.iter().map(share).collect();
    }
    if let Some(question) = why {
        json["why"] = answer_to(question, search);
    }
    if *keep_going {
        json["violations"] =
            verdict::violations(outcome).into_iter().map(|violation| one_of(violation, search)).collect();
    }
    json
}

/// What one process of a search has had.
pub fn share(share: &Share) -> Json {
    let mut json = json!({
        "states": share.states,
        "memory_bytes": share.memory_bytes,
        "sent_bytes": share.sent_bytes,
    });
    if let Some(trouble) = &share.disk_trouble {
        json["disk_trouble"] = trouble.as_str().into();
    }
    json
}

/// One violation of a search that went on after the first.
fn one_of(violation: &Verdict, search: &Search<'_>) -> Json {
    let answer = verdict::of_verdict(violation);
    let message = verdict::sentence_of(violation, search.outcome);
    let mut json = json!({ "verdict": answer.word, "message": message });
    if let Some(property) = answer.property {
        json["property"] = property.into();
    }
    evidence(&mut json, violation, search);
    json
}

/// Adds the trace of a verdict, and the like.
fn evidence(json: &mut Json, verdict: &Verdict, search: &Search<'_>) {
    let Search { program, store, sources, .. } = search;
    let trace = verdict::trace_of(verdict);
    if let Some(trace) = trace {
        json["trace"] = steps(trace, &program.variables, store);
    }
    if let (Some(back), Some(trace)) = (verdict::loop_of(verdict), trace) {
        json["loop"] = lasso(back, trace, sources, store);
    }
    if let Some(error) = verdict::error_of(verdict) {
        json["error"] = failure(error, sources);
    }
    let reasons = kilter_check::explain(program, store, verdict);
    if !reasons.is_empty() {
        json["explanation"] = explanation(&reasons, search);
    }
}

/// Why formulas are true or false.
fn explanation(reasons: &[Reason], search: &Search<'_>) -> Json {
    let Search { store, sources, .. } = *search;
    let teller = Teller { sources, store };
    let one = |reason: &Reason| {
        let value = |shown: &Shown| json!({ "expression": teller.expression(shown), "value": store.show(shown.value) });
        let mut json = json!({
            "formula": teller.text(reason.span),
            "holds": reason.holds,
            "values": reason.values.iter().map(value).collect::<Vec<_>>(),
            "below": explanation(&reason.below, search),
        });
        place(&mut json, Some(reason.span), sources);
        if let Some(call) = &reason.within {
            json["in"] = teller.text(call.span).into();
        }
        match &reason.choice {
            Choice::None => {}
            Choice::One(names) => json["for"] = named(names, store),
            Choice::All(n) => json["choices"] = (*n).into(),
        }
        json
    };
    reasons.iter().map(one).collect()
}

/// Why an action is not enabled.
fn answer_to(question: &Question, search: &Search<'_>) -> Json {
    let Search { outcome, program, store, .. } = *search;
    match question.answer(program, store, verdict::trace_of(&outcome.verdict)) {
        Err(message) => json!({ "action": question.asked, "state": question.state, "message": message }),
        Ok(answer) => {
            let args = |actions: &[why::Action]| {
                actions.iter().map(|(_, args)| named(args, store)).collect::<Vec<_>>()
            };
            let way = |way: &why::Ways| json!({ "arguments": args(&way.actions), "ways": way.n, "explanation": explanation(&way.reasons, search) });
            json!({
                "action": question.asked,
                "state": question.state,
                "enabled": !answer.steps.is_empty(),
                "steps": args(&answer.steps),
                "obstacles": answer.ways.iter().map(way).collect::<Vec<_>>(),
            })
        }
    }
}

/// Values by name.
fn named(pairs: &[(Name, Value)], store: &Store) -> Json {
    let pairs = pairs.iter().map(|(name, value)| (name.to_string(), store.show(*value).into()));
    Json::Object(pairs.collect::<Map<_, _>>())
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
        "repairs": back.repairs.iter().map(|one| lasso::repair(one, store)).collect::<Vec<_>>(),
        "behavior": back.is_behavior,
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
