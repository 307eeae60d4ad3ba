//! Shows whether a log is a behavior of its specification, and why not.

mod json;
mod why;

use std::fmt::Write;

use kilter_base::Id;
use kilter_check::{Step, Trace};
use kilter_eval::node::ActionId;
use kilter_follow::demand::{Demand, LinePlace};
use kilter_follow::search::{self, Stuck};
use kilter_follow::{Lines, Outcome, Verdict};
use kilter_mapping::follow::Order;
use kilter_mapping::mapping::Compared;
use kilter_report::style::{BAD, DOUBT, FAINT, GOOD, STRONG, count, paint, plural};
use kilter_value::Store;

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
            let last = if self.steps == 1 { "step".to_owned() } else { format!("{} steps", self.steps) };
            let what = "a behavior that explains the lines before it, from the state before its last";
            let _ = writeln!(out, "{}", paint(FAINT, format!("{what} {last}:")));
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
}

/// The lines at fault, and those that only wait for messages. If all wait, all may be at fault.
pub(crate) fn at_fault(stuck: &[Stuck]) -> (Vec<&Stuck>, Vec<&Stuck>) {
    let (waiting, at_fault): (Vec<&Stuck>, Vec<&Stuck>) = stuck.iter().partition(|one| one.waits());
    if at_fault.is_empty() { (waiting, at_fault) } else { (at_fault, waiting) }
}

/// The behavior that was found.
pub(crate) fn trace(outcome: &Outcome) -> Trace {
    let step =
        |told: &search::Told| Step { action: told.action.clone(), state: told.row.clone(), alias: None };
    Trace { steps: outcome.path.iter().map(step).collect() }
}
