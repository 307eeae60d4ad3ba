//! The result for scripts.

use kilter_base::Name;
use kilter_eval::reason::{Reason, Shown};
use kilter_follow::demand::{Demand, LinePlace};
use kilter_follow::search::Stuck;
use kilter_follow::why::{Why, Wrong};
use kilter_follow::{Outcome, Verdict};
use kilter_value::{Store, Value};
use serde_json::{Value as Json, json};

use super::{Followed, Walked};
use crate::show::reason::Teller;

impl Followed<'_> {
    /// The result for scripts.
    pub fn json(&self) -> Json {
        let Outcome { verdict, lines, explained, states_max, coverage, .. } = self.outcome;
        let (word, stuck, reason) = match verdict {
            Verdict::Accepted => ("accepted", &[] as &[Stuck], None),
            Verdict::Undecided(..) if self.is_so_far() => ("accepted", &[] as &[Stuck], None),
            Verdict::Rejected(stuck) => ("rejected", stuck.as_slice(), None),
            Verdict::Undecided(reason, stuck) => {
                ("undecided", stuck.as_slice(), Some(format!("{reason:?}").to_lowercase()))
            }
        };
        let reasons: Vec<Json> =
            stuck.iter().flat_map(|one| one.why.iter().map(|why| self.reason(&one.demand, why))).collect();
        let mut json = json!({
            "verdict": word,
            "lines": lines,
            "explained": explained,
            "states": states_max,
            "reasons": reasons,
            "coverage": {
                "actions": self.taken().into_iter().collect::<std::collections::BTreeMap<_, _>>(),
                "blocks": coverage.blocks().len(),
                "blocks_total": self.prepared.program.blocks.len(),
            },
            "never_compared": self.never_compared(),
            "never_found": self.unseen_paths(),
            "left_out": self.lines.left_out.0,
            "seconds": self.seconds,
            "lines_per_second": self.lines_per_second(),
        });
        if let Some(Walked { walked, total, outside }) = self.edges {
            json["coverage"]["edges"] = walked.into();
            json["coverage"]["edges_total"] = total.into();
            json["coverage"]["outside"] = outside.into();
        }
        if let Some(first) = stuck.first() {
            json["rejected_at"] =
                json!({ "file": self.lines.name(first.demand.file), "line": first.demand.number });
        }
        if !stuck.is_empty() {
            let place = |(file, line): LinePlace| json!({ "file": self.lines.name(file), "line": line });
            let held_back = self.outcome.held_back.iter();
            json["held_back"] = held_back
                .map(|(line, first)| json!({ "line": place(*line), "after": place(*first) }))
                .collect();
        }
        if word == "rejected" {
            json["supposes_no_sharing"] = self.outcome.supposes.into();
        }
        if let Some(reason) = reason {
            json["undecided_because"] = reason.into();
        }
        json
    }

    fn reason(&self, demand: &Demand, why: &Why) -> Json {
        let store = self.store();
        let args: serde_json::Map<String, Json> =
            why.args.iter().map(|(name, value)| (name.clone(), store.show(*value).into())).collect();
        let mut json = json!({
            "file": self.lines.name(demand.file), "line": demand.number, "event": demand.event,
            "action": why.action, "arguments": args,
        });
        if let Some((action, args)) = &why.silent {
            json["after_silent"] = self.title(action, args).into();
        }
        match &why.wrong {
            Wrong::Before(mismatches) | Wrong::After(mismatches, _) => {
                let kind = if matches!(why.wrong, Wrong::Before(_)) { "before" } else { "after" };
                json["kind"] = kind.into();
                json["differences"] = mismatches.iter().flat_map(|one| self.mismatch(one)).collect();
            }
            Wrong::NotUnderWay(message) => {
                json["kind"] = "message".into();
                json["message"] = message.map(|message| store.show(message)).into();
            }
            Wrong::Conjuncts(all) => {
                json["kind"] = "conjunct".into();
                let first = all.first().and_then(|reasons| reasons.first());
                if let Some(reason) = first {
                    let teller = Teller { sources: &self.prepared.loaded.sources, store };
                    json["conjunct"] = teller.text(reason.span).into();
                    json["values"] = values(reason, &teller, store);
                }
            }
            Wrong::Formulas(wrong, _) => {
                json["kind"] = "formula".into();
                if let Some((formula, reasons)) = wrong.first()
                    && let Some(teller) = self.teller_of_questions()
                {
                    json["formula"] = self.prepared.mapping.follow.formulas[*formula].text.clone().into();
                    json["values"] = reasons.first().map_or(Json::Null, |one| values(one, &teller, store));
                }
            }
            Wrong::OtherNode(node) => {
                json["kind"] = "node".into();
                json["node"] = store.show(*node).into();
            }
            Wrong::OtherArguments(others) => {
                json["kind"] = "arguments".into();
                let named = |args: &Vec<(Name, Value)>| -> serde_json::Map<String, Json> {
                    args.iter().map(|(name, value)| (name.to_string(), store.show(*value).into())).collect()
                };
                json["possible"] = others.iter().map(|args| Json::Object(named(args))).collect();
            }
            Wrong::Nowhere => json["kind"] = "nowhere".into(),
        }
        json
    }
}

fn values(reason: &Reason, teller: &Teller<'_>, store: &Store) -> Json {
    let value = |shown: &Shown| (teller.expression(shown), Json::from(store.show(shown.value)));
    Json::Object(reason.values.iter().map(value).collect())
}
