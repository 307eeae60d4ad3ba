//! Shows whether a log is a behavior of its specification, and why not.

use std::fmt::Write;

use kilter_base::{Id, Name};
use kilter_check::{Step, Trace};
use kilter_eval::node::ActionId;
use kilter_eval::reason::{Reason, Shown};
use kilter_follow::demand::{Demand, LinePlace, What};
use kilter_follow::search::{self, Stuck};
use kilter_follow::step::Mismatch;
use kilter_follow::why::{Why, Wrong};
use kilter_follow::{Lines, Outcome, Verdict};
use kilter_mapping::follow::Order;
use kilter_mapping::mapping::Compared;
use kilter_report::style::{BAD, DOUBT, FAINT, GOOD, STRONG, count, paint, plural};
use kilter_value::{Store, Value};
use serde_json::{Value as Json, json};

use super::bound;
use super::difference::{Kind, between};
use super::reason::Teller;
use super::trace::Viewer;
use crate::diagnostics;
use crate::prepare::{Prepared, Questions};

/// The most explanations that are shown.
const SHOWN_MAX: usize = 3;

/// A log that was followed.
pub struct Followed<'f> {
    /// The result.
    pub outcome: &'f Outcome,
    /// The mapping with its specification.
    pub prepared: &'f Prepared,
    /// The expressions of `[follow]`.
    pub questions: Option<&'f Questions>,
    /// The files of the log.
    pub lines: &'f Lines<'f>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many steps before the line at fault are shown.
    pub steps: usize,
    /// Whether all variables are shown in all states.
    pub full: bool,
    /// Whether the log was followed while it was written.
    pub live: bool,
    /// The edges of a graph that were walked, and the number of its edges and of steps outside. `None` without a graph.
    pub edges: Option<Walked>,
}

/// How much of a graph a behavior walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// The number of edges that it walks.
    pub walked: u64,
    /// The number of all edges.
    pub total: u64,
    /// The number of its steps that are no edges.
    pub outside: u64,
}

impl Followed<'_> {
    fn store(&self) -> &Store {
        &self.outcome.store
    }

    /// The result as text for people.
    pub fn text(&self) -> String {
        let mut out = self.headline();
        if let Verdict::Rejected(stuck) | Verdict::Undecided(_, stuck) = &self.outcome.verdict
            && !self.is_so_far()
        {
            self.behavior(&mut out);
            let (at_fault, waiting) = at_fault(stuck);
            for one in at_fault {
                self.stuck(&mut out, one);
            }
            if !waiting.is_empty() {
                let places: Vec<String> = waiting.iter().map(|one| self.place(&one.demand)).collect();
                let (verb, it) = if waiting.len() == 1 { ("waits", "it") } else { ("wait", "them") };
                let _ = writeln!(
                    out,
                    "{} {verb} for a message that nobody has sent before {it}",
                    places.join(" and ")
                );
            }
            for (line, first) in &self.outcome.held_back {
                let by = match self.prepared.mapping.follow.order {
                    Order::Time => "time",
                    _ => "clock",
                };
                let (line, first) = (self.at(*line), self.at(*first));
                let _ = writeln!(out, "{line} comes after {first}, by its {by}");
            }
        }
        self.counts(&mut out);
        out
    }

    fn spec(&self) -> String {
        let path = &self.prepared.input.spec;
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The result in one line.
    pub(crate) fn headline(&self) -> String {
        let lines = plural(self.outcome.explained, "line");
        match &self.outcome.verdict {
            Verdict::Accepted => {
                format!("{}: {lines} explained by a behavior of {}\n", paint(GOOD, "accepted"), self.spec())
            }
            Verdict::Undecided(..) if self.is_so_far() => {
                format!(
                    "{} so far: {lines} explained by a behavior of {}\n",
                    paint(GOOD, "accepted"),
                    self.spec()
                )
            }
            Verdict::Rejected(stuck) => {
                let supposed = if self.outcome.supposes {
                    ", if nodes share nothing but messages (if they do, say `shared = true` in [diff])"
                } else {
                    ""
                };
                let places: Vec<String> =
                    at_fault(stuck).0.iter().map(|one| self.place(&one.demand)).collect();
                format!(
                    "{} at {}: no behavior of {} explains the log up to this line{supposed}\n",
                    paint(BAD, "rejected"),
                    places.join(" or "),
                    self.spec()
                )
            }
            Verdict::Undecided(reason, _) => {
                let why = match reason {
                    search::Reason::Forgotten => {
                        "more possibilities were left behind than are kept (--alternatives-max)"
                    }
                    search::Reason::Effort => "the search tried for too long (--effort-max)",
                    search::Reason::Repeated => {
                        "a step that is repeated for one line (`until`) leads through more than 10,000 states"
                    }
                    search::Reason::Interrupted => "it was interrupted",
                };
                let advice = match reason {
                    search::Reason::Interrupted => "",
                    _ => {
                        "; log arguments, messages or state of the events below, or name fewer silent actions"
                    }
                };
                format!(
                    "{}: {} explained, and no behavior was found for more: {why}{advice}\n",
                    paint(DOUBT, "undecided"),
                    plural(self.outcome.explained, "line")
                )
            }
        }
    }

    /// Whether some behavior explains all lines, as far as they are written.
    pub(crate) fn is_accepted(&self) -> bool {
        match &self.outcome.verdict {
            Verdict::Accepted => true,
            Verdict::Rejected(_) => false,
            Verdict::Undecided(..) => self.is_so_far(),
        }
    }

    /// Whether nothing is wrong with a log that is still written: what is not explained yet may wait for other lines.
    fn is_so_far(&self) -> bool {
        self.live && matches!(self.outcome.verdict, Verdict::Undecided(search::Reason::Interrupted, _))
    }

    /// A line's file and number.
    fn place(&self, demand: &Demand) -> String {
        self.at(demand.place())
    }

    fn at(&self, (file, number): LinePlace) -> String {
        format!("{}:{number}", self.lines.name(file))
    }

    /// The last steps of the behavior.
    fn behavior(&self, out: &mut String) {
        if self.steps == 0 {
            return;
        }
        let whole = trace(self.outcome);
        let first = whole.steps.len().saturating_sub(self.steps + 1);
        let steps = whole.steps.into_iter().skip(first).collect();
        let variables = &self.prepared.program.variables;
        let viewer = Viewer { store: self.store(), variables, full: self.full, width: diagnostics::width() };
        if first > 0 || self.outcome.explained as usize > self.steps {
            let _ = writeln!(
                out,
                "{}",
                paint(
                    FAINT,
                    format!(
                        "the last {} of a behavior that explains the lines before it:",
                        plural(self.steps as u64, "step")
                    )
                )
            );
        } else {
            let _ = writeln!(out, "{}", paint(FAINT, "a behavior that explains the lines before it:"));
        }
        out.push_str(&viewer.show(&Trace { steps }));
    }

    /// A line that no behavior explains, and what is in its way.
    pub(crate) fn stuck(&self, out: &mut String, Stuck { demand, why }: &Stuck) {
        let _ = writeln!(out, "\n{}\n  {}", paint(STRONG, self.place(demand)), demand.text);
        for one in why.iter().take(SHOWN_MAX) {
            self.why(out, one);
        }
        if why.len() > SHOWN_MAX {
            let _ = writeln!(
                out,
                "  and {} further from it",
                plural((why.len() - SHOWN_MAX) as u64, "explanation")
            );
        }
    }

    fn title(&self, action: &str, args: &[(String, Value)]) -> String {
        let args: Vec<String> =
            args.iter().map(|(name, value)| format!("{name} = {}", self.store().show(*value))).collect();
        if args.is_empty() { action.to_owned() } else { format!("{action}({})", args.join(", ")) }
    }

    fn why(&self, out: &mut String, why: &Why) {
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

    fn teller_of_questions(&self) -> Option<Teller<'_>> {
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

    fn mismatch(&self, mismatch: &Mismatch) -> Vec<String> {
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

    fn counts(&self, out: &mut String) {
        let Outcome { lines, explained, states_max, .. } = self.outcome;
        let taken = self.taken();
        let n_taken = taken.iter().filter(|(_, n)| *n > 0).count();
        let _ = writeln!(
            out,
            "{} read, {} explained, {} at most, {:.1} s, {} a second",
            plural(*lines, "line"),
            count(*explained),
            plural(*states_max as u64, "state"),
            self.seconds,
            plural(self.lines_per_second(), "line"),
        );
        let verb = if taken.len() == 1 { "was" } else { "were" };
        let _ = writeln!(out, "{n_taken} of {} {verb} taken", plural(taken.len() as u64, "action"));
        let never: Vec<&str> = taken.iter().filter(|(_, n)| *n == 0).map(|(name, _)| name.as_str()).collect();
        if !never.is_empty() && n_taken > 0 {
            let _ = writeln!(out, "  never: {}", never.join(", "));
        }
        if let Some(Walked { walked, total, outside }) = self.edges {
            let _ = write!(out, "{} of {} of the graph were walked", count(walked), plural(total, "edge"));
            let outside =
                if outside > 0 { format!("; {} outside it", plural(outside, "step")) } else { String::new() };
            let _ = writeln!(out, "{outside}");
        }
        let mapping = &self.prepared.mapping;
        if self.lines.n_placed == 0 && mapping.rules.iter().any(|rule| rule.node.is_some()) {
            out.push_str("no line names its node; look at `node` in [follow]\n");
        }
        let nodes = mapping.words.nodes().iter().enumerate();
        let absent = nodes.filter(|(index, _)| !self.lines.nodes.contains(index));
        let absent: Vec<&str> = absent.map(|(_, (name, _))| name.as_str()).collect();
        if !self.is_accepted() && self.lines.n_placed > 0 && !absent.is_empty() {
            let _ = writeln!(out, "no line is of these nodes: {}", absent.join(", "));
        }
        let unsaid = self.never_compared();
        if !unsaid.is_empty() {
            let _ = writeln!(out, "no line says what these are: {}", unsaid.join(", "));
        }
        let unseen = self.unseen_paths();
        if !unseen.is_empty() && self.lines.n_demands > 0 {
            let _ = writeln!(
                out,
                "{}: [follow] names these, and no line has them: {}",
                paint(DOUBT, "warning"),
                unseen.join(", ")
            );
        }
        if let (n, Some(first)) = &self.lines.left_out {
            let _ = writeln!(
                out,
                "{}: {} could not be read and left out, first {first}",
                paint(DOUBT, "warning"),
                plural(*n, "line")
            );
        }
    }

    /// The places that the mapping names for parts of lines, and that no line has.
    fn unseen_paths(&self) -> Vec<String> {
        self.lines.demander().unseen_paths().iter().map(|path| path.join(".")).collect()
    }

    /// What could be compared, and never was.
    fn never_compared(&self) -> Vec<&str> {
        let mapping = &self.prepared.mapping;
        let (variables, values) = self.lines.demander().compared();
        let variables = mapping.variables.iter().zip(variables);
        let is_wanted = |kind: &Compared, name: &str| match kind {
            Compared::Unnamed => !mapping.follow.names(name),
            kind => kind.is_compared(),
        };
        let variables =
            variables.filter(|(variable, n)| is_wanted(&variable.kind, &variable.name) && **n == 0);
        let values = mapping.follow.values.iter().zip(values).filter(|(_, n)| **n == 0);
        variables
            .map(|(variable, _)| variable.name.as_str())
            .chain(values.map(|(value, _)| value.text.as_str()))
            .collect()
    }

    #[allow(clippy::cast_precision_loss, reason = "a rate has few digits")]
    fn lines_per_second(&self) -> u64 {
        (self.outcome.lines as f64 / self.seconds.max(1e-9)) as u64
    }

    /// How often each action was taken, by name.
    pub(crate) fn taken(&self) -> Vec<(String, u64)> {
        let actions = self.outcome.coverage.actions();
        let mut taken: Vec<(String, u64)> = Vec::new();
        for index in 0..self.prepared.program.actions.len() {
            let name = self.prepared.program.actions[ActionId::from_index(index)].name.to_string();
            let n = actions.get(&index).copied().unwrap_or(0);
            match taken.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += n,
                None => taken.push((name, n)),
            }
        }
        taken
    }

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

/// The lines at fault, and those that only wait for messages. If all wait, all may be at fault.
pub(crate) fn at_fault(stuck: &[Stuck]) -> (Vec<&Stuck>, Vec<&Stuck>) {
    let (waiting, at_fault): (Vec<&Stuck>, Vec<&Stuck>) = stuck.iter().partition(|one| one.waits());
    if at_fault.is_empty() { (waiting, at_fault) } else { (at_fault, waiting) }
}

fn values(reason: &Reason, teller: &Teller<'_>, store: &Store) -> Json {
    let value = |shown: &Shown| (teller.expression(shown), Json::from(store.show(shown.value)));
    Json::Object(reason.values.iter().map(value).collect())
}

/// The behavior that was found.
pub(crate) fn trace(outcome: &Outcome) -> Trace {
    let step =
        |told: &search::Told| Step { action: told.action.clone(), state: told.row.clone(), alias: None };
    Trace { steps: outcome.path.iter().map(step).collect() }
}
