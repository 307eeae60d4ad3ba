//! What is in the way of a line that no behavior explains.

use std::fmt::Write;

use kilter_base::Name;
use kilter_follow::demand::What;
use kilter_follow::step::Mismatch;
use kilter_follow::why::{Why, Wrong};
use kilter_report::style::{STRONG, paint};
use kilter_value::Value;

use super::{Followed, SHOWN_MAX};
use crate::diagnostics;
use crate::show::bound;
use crate::show::difference::{Kind, between};
use crate::show::reason::Teller;

impl Followed<'_> {
    pub(super) fn title(&self, action: &str, args: &[(String, Value)]) -> String {
        let args: Vec<String> =
            args.iter().map(|(name, value)| format!("{name} = {}", self.store().show(*value))).collect();
        if args.is_empty() { action.to_owned() } else { format!("{action}({})", args.join(", ")) }
    }

    pub(super) fn why(&self, out: &mut String, why: &Why) {
        let title = paint(STRONG, self.title(&why.action, &why.args));
        if let Some((action, args)) = &why.silent {
            let _ =
                writeln!(out, "  after {}, which leaves no line:", paint(STRONG, self.title(action, args)));
        }
        match &why.wrong {
            Wrong::Before(mismatches) => {
                let _ = writeln!(out, "  the state before {title} is another:");
                self.mismatches(out, mismatches);
            }
            Wrong::After(mismatches, _) => {
                let _ = writeln!(out, "  {title} is possible, but leads to another state:");
                self.mismatches(out, mismatches);
            }
            Wrong::NotUnderWay(None) => {
                let action = paint(STRONG, &why.action);
                let _ = writeln!(out, "  {action} is not possible: no message for this node is under way");
            }
            Wrong::NotUnderWay(Some(message)) => {
                let _ = writeln!(
                    out,
                    "  {} is not possible: this message is not under way:\n      {}",
                    paint(STRONG, &why.action),
                    self.store().show_pretty(*message, 6, diagnostics::width().saturating_sub(6))
                );
            }
            Wrong::Conjuncts(all) => {
                let _ = writeln!(out, "  {title} is not enabled, because");
                let teller = Teller { sources: &self.prepared.loaded.sources, store: self.store() };
                for reasons in all.iter().take(SHOWN_MAX) {
                    teller.reasons(out, reasons, 2, &why.action);
                }
                let bounds = bound::at_fault(all, teller.sources, &self.prepared.mapping);
                if !bounds.is_empty() {
                    let (bounds, verb) =
                        (bounds.join(", "), if bounds.len() == 1 { "bounds" } else { "bound" });
                    let _ = writeln!(
                        out,
                        "  hint: {bounds} only {verb} the model, and a log is not bounded; name a configuration with larger constants as `config` in [follow]"
                    );
                }
            }
            Wrong::Formulas(wrong, _) => {
                let _ = writeln!(out, "  {title} is possible, but not what the line says:");
                let Some(teller) = self.teller_of_questions() else { return };
                for (_, reasons) in wrong {
                    teller.reasons(out, reasons, 2, &why.action);
                }
            }
            Wrong::OtherNode(node) => {
                let _ = writeln!(
                    out,
                    "  {title} happens at {}, not at the node of the line",
                    self.store().show(*node)
                );
            }
            Wrong::OtherArguments(others) => {
                let _ = writeln!(out, "  {title} is not possible; with other arguments it is:");
                for args in others.iter().take(SHOWN_MAX) {
                    let args: Vec<String> = args
                        .iter()
                        .map(|(name, value)| format!("{name} = {}", self.store().show(*value)))
                        .collect();
                    let _ = writeln!(out, "      {}({})", why.action, args.join(", "));
                }
            }
            Wrong::Nowhere => {
                let _ = writeln!(out, "  no way through the specification leads to {title}");
            }
        }
    }

    pub(super) fn teller_of_questions(&self) -> Option<Teller<'_>> {
        let questions = self.questions?;
        Some(Teller { sources: &questions.loaded.sources, store: self.store() })
    }

    fn mismatches(&self, out: &mut String, mismatches: &[Mismatch]) {
        for mismatch in mismatches {
            for line in self.mismatch(mismatch) {
                let _ = writeln!(out, "      {line}");
            }
        }
    }

    /// What is looked at, such as `votedFor[n1]`.
    pub(crate) fn looked_at(&self, what: What, node: Option<Value>) -> String {
        let name = match what {
            What::Variable(index) => self.prepared.program.variables[index].to_string(),
            What::Expression(index) => return self.prepared.mapping.follow.values[index].text.clone(),
        };
        node.map_or(name.clone(), |node| format!("{name}[{}]", self.store().show(node)))
    }

    pub(super) fn mismatch(&self, mismatch: &Mismatch) -> Vec<String> {
        let store = self.store();
        match mismatch {
            Mismatch::Value { what, node, specified, logged } => {
                let name = self.looked_at(*what, *node);
                let Some(specified) = specified else {
                    return vec![format!(
                        "the specification has no {name}, and the log says {}",
                        store.show(*logged)
                    )];
                };
                let says = |place: &str, specified: Value, logged: Value| {
                    format!("{place} is {}, and the log says {}", store.show(specified), store.show(logged))
                };
                let changes = between(store, &name, *specified, *logged).into_iter().map(|change| {
                    let place = &change.place;
                    let list = |values: &[Value]| {
                        values.iter().map(|value| store.show(*value)).collect::<Vec<_>>().join(", ")
                    };
                    match &change.kind {
                        Kind::Became(from, to) => says(place, *from, *to),
                        Kind::Added(value) => format!("{place} is {} in the log alone", store.show(*value)),
                        Kind::Removed(value) => {
                            format!("{place} is {} in the specification alone", store.show(*value))
                        }
                        Kind::Appended(values) => {
                            format!("{place} goes on with {} in the log alone", list(values))
                        }
                        Kind::Dropped(values) => {
                            format!("{place} begins with {} in the specification alone", list(values))
                        }
                        Kind::Elements { gained, lost } => {
                            let both = [(lost, "specification"), (gained, "log")];
                            let both = both.iter().filter(|(values, _)| !values.is_empty());
                            let words: Vec<String> = both
                                .map(|(values, whose)| format!("{} in the {whose} alone", list(values)))
                                .collect();
                            format!("{place} has {}", words.join(", and "))
                        }
                    }
                });
                changes.collect()
            }
            Mismatch::NotLogged(message) => {
                vec![format!("it sends {}, and the log does not say so", store.show(*message))]
            }
            Mismatch::NotSent(message) => {
                vec![format!("the log says that it sends {}, and it does not", store.show(*message))]
            }
            Mismatch::Invariant(index) => {
                let name: &Name = &self.prepared.program.invariants[*index].name;
                vec![format!("in that state the invariant {name} is false")]
            }
        }
    }
}
