//! Describes in a sentence what a case has shown: a difference between system and specification.

use kilter_graph::{EdgeId, StateId};
use kilter_run::{Difference, FindingKind, Offered};
use kilter_testbed::Trouble;
use kilter_value::Store;

use crate::cases::Case;
use crate::plan::Plan;
use crate::reading::Read;
use crate::traffic::Traffic;
use kilter_mapping::mapping::Compared;
use kilter_mapping::translate::Translator;

/// The hint if nothing more is known about a value.
const OTHERWISE: &str = "implementation or specification: the step was taken, and came to something else";
/// The hint if nothing more is known about a message that is not taken in.
const NOT_TAKEN: &str =
    "implementation or specification: the message was not sent, or its receiver does not take it in";

/// A difference between system and specification.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The kind of difference.
    pub kind: FindingKind,
    /// The number of the step that failed, from 1. 0 is the initial state.
    pub step: u32,
    /// The edge of that step. `None` for the initial state.
    pub edge: Option<EdgeId>,
    /// The action of that step, or the unexpected action.
    pub action: String,
    /// The variables that differ.
    pub variables: Vec<String>,
    /// What happened, in one sentence that does not mention the step.
    pub what: String,
    /// The differences, element by element.
    pub differences: Vec<Difference>,
    /// What the nodes were offering then.
    pub offers: Vec<Offered>,
    /// What happened to messages, step by step.
    pub traffic: Vec<Traffic>,
    /// Reasons to suspect the implementation, the specification, or the mapping.
    pub hints: Vec<String>,
}

impl Discovery {
    fn new(plan: &Plan<'_>, kind: FindingKind, case: &Case, step: u32, what: String) -> Discovery {
        let edge = step.checked_sub(1).map(|index| case.edges[index as usize]);
        let action = edge.map_or("initial state", |edge| plan.rule(edge).action.as_str()).to_owned();
        Discovery {
            kind,
            step,
            edge,
            action,
            variables: Vec::new(),
            what,
            differences: Vec::new(),
            offers: Vec::new(),
            traffic: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Variables have other values than the specification says.
    pub fn inconsistent(plan: &Plan<'_>, case: &Case, step: u32, differences: Vec<Difference>) -> Discovery {
        let mut variables: Vec<String> = Vec::new();
        for difference in &differences {
            if !variables.contains(&difference.variable) {
                variables.push(difference.variable.clone());
            }
        }
        let what = differences.first().map(describe).unwrap_or_default();
        let more = match differences.len() {
            0 | 1 => String::new(),
            2 => "; and one more difference".to_owned(),
            n => format!("; and {} more differences", n - 1),
        };
        let hints = hints_about_values(&differences, step);
        let new = Discovery::new(plan, FindingKind::InconsistentState, case, step, what + &more);
        Discovery { variables, differences, hints, ..new }
    }

    /// A node offers what the specification forbids.
    pub fn unexpected(plan: &Plan<'_>, case: &Case, step: u32, read: &Read, shown: &str) -> Discovery {
        let node = plan.mapping.system.nodes().get(read.node).map_or("a node", String::as_str);
        let what = match &read.problem {
            None => format!(
                "{node} is about to do {shown}, which the specification allows neither now nor after anything else that is offered"
            ),
            Some(problem) => format!("{node} offers {shown}: {problem}"),
        };
        let mut new = Discovery::new(plan, FindingKind::UnexpectedAction, case, step, what);
        let rule = read.readings.first().map(|reading| &plan.mapping.rules[reading.rule]);
        rule.map_or(read.name(), |rule| rule.action.as_str()).clone_into(&mut new.action);
        let of_counter = counters_in_the_way(plan, case.state_after(plan.graph, step), read);
        new.hints.push(match (&read.problem, rule) {
            (None, Some(rule)) if !of_counter.is_empty() => format!(
                "mapping: nothing but {}, which only bounds the model, keeps the specification from it; add `bounded = true` to `{}`",
                of_counter.join(" and "),
                rule.action
            ),
            (Some(_), _) => "mapping: the offer itself cannot be read; add it to [actions] or to `ignore`".to_owned(),
            (None, Some(rule)) if plan.graph.edges().any(|edge| plan.rule(edge).action == rule.action) => {
                "implementation: the guard of this action may be weaker than the specification's".to_owned()
            }
            _ => "specification: no state of it allows this action; mark it `bounded` if only the model limits it".to_owned(),
        });
        new
    }

    /// The system does not offer what should happen next.
    pub fn missing(
        plan: &Plan<'_>,
        translator: Translator<'_>,
        case: &Case,
        step: u32,
        offers: &[&Read],
        gave_up: bool,
    ) -> Discovery {
        let edge = case.edges[step as usize - 1];
        let wanted = plan.step(edge);
        let rule = plan.rule(edge);
        let who = wanted.node.map_or("no node", |node| plan.node_name(node));
        let verb = if wanted.node.is_some() { "does not offer" } else { "offers" };
        let shown = show_step(plan, translator.store, edge);
        let same_action = |read: &&&Read| read.readings.iter().any(|reading| reading.rule == wanted.rule);
        let here = |read: &&&Read| wanted.node.is_none_or(|node| node == read.node);
        let alike = offers.iter().filter(here).find(same_action).or_else(|| offers.iter().find(same_action));
        let instead = match alike {
            Some(read) => format!(
                ", but {} offers {}",
                plan.mapping.system.nodes().get(read.node).map_or("a node", String::as_str),
                read.show(plan, translator)
            ),
            None => {
                let here: Vec<String> =
                    offers.iter().filter(here).map(|read| read.show(plan, translator)).collect();
                if here.is_empty() {
                    "; nothing else either".to_owned()
                } else {
                    format!(", but {}", here.join(", "))
                }
            }
        };
        let mut new = Discovery::new(
            plan,
            FindingKind::MissingAction,
            case,
            step,
            format!("{who} {verb} {shown}{instead}"),
        );
        new.hints.push(match alike {
            Some(_) => "mapping or implementation: the action is offered with other arguments".to_owned(),
            None if gave_up => {
                "the node did not say that it waits; a longer `patience-ms` would rule out that it was just slow".to_owned()
            }
            None if rule.message.is_some() => NOT_TAKEN.to_owned(),
            None => "implementation or specification: the guard of this action may be stronger than the specification's".to_owned(),
        });
        new
    }

    /// The testbed can't do what should happen next.
    pub fn cannot(plan: &Plan<'_>, case: &Case, step: u32, why: &str) -> Discovery {
        let mut new =
            Discovery::new(plan, FindingKind::MissingAction, case, step, format!("it cannot be done: {why}"));
        new.hints.push("mapping: the testbed was asked for what it cannot do here".to_owned());
        new
    }

    /// A program that should make the next step happen has failed.
    pub fn refused(plan: &Plan<'_>, case: &Case, step: u32, trouble: &Trouble) -> Discovery {
        let mut new = Discovery::new(plan, FindingKind::MissingAction, case, step, trouble.to_string());
        new.hints.push(
            "implementation or mapping: the system did not do what the command asked for, or the command is wrong".to_owned(),
        );
        new
    }

    /// A node ended, hung, or broke the protocol.
    pub fn crash(plan: &Plan<'_>, case: &Case, step: u32, trouble: &Trouble) -> Discovery {
        let text = trouble.to_string();
        let hint = if text.contains("kilter-agent: ") {
            "mapping: the table of the agent has something that it cannot use"
        } else if text.contains("not still for ") {
            "mapping or implementation: perhaps the table of the agent lacks a call in which this thread waits"
        } else {
            "implementation: nodes end, hang or break the protocol only by mistake"
        };
        let mut new = Discovery::new(plan, FindingKind::Crash, case, step, text);
        new.hints.push(hint.to_owned());
        new
    }

    /// Whether another discovery is about the same: the kind, the action and the variables are equal.
    pub fn is_like(&self, other: &Discovery) -> bool {
        self.kind == other.kind && self.action == other.action && self.variables == other.variables
    }

    /// The name of the group. Findings of one group probably have one cause.
    pub fn group(&self) -> String {
        let mut variables = self.variables.clone();
        variables.sort_unstable();
        let group = format!("{} {}", self.kind.name(), self.action);
        if variables.is_empty() { group } else { format!("{group}: {}", variables.join(", ")) }
    }

    /// Adds hints. They take the place of those that say little.
    pub(crate) fn hint(&mut self, hints: Vec<String>) {
        if !hints.is_empty() {
            self.hints.retain(|hint| hint != OTHERWISE && hint != NOT_TAKEN);
        }
        self.hints.extend(hints);
    }

    /// What happened and where, in one sentence.
    pub fn summary(&self, plan: &Plan<'_>, store: &Store) -> String {
        match (self.edge, self.kind) {
            (None, _) => format!("in the initial state {}", self.what),
            (Some(edge), FindingKind::InconsistentState | FindingKind::UnexpectedAction) => {
                format!("after step {}, {}, {}", self.step, show_step(plan, store, edge), self.what)
            }
            (Some(edge), _) => {
                format!("at step {}, {}: {}", self.step, show_step(plan, store, edge), self.what)
            }
        }
    }
}

/// An action with its arguments, as text.
pub fn show_step(plan: &Plan<'_>, store: &Store, edge: EdgeId) -> String {
    let (step, rule) = (plan.step(edge), plan.rule(edge));
    let args = rule.params.iter().zip(&step.args);
    let args: Vec<String> = args.map(|(name, value)| format!("{name} = {}", store.show(*value))).collect();
    if args.is_empty() { rule.action.clone() } else { format!("{}({})", rule.action, args.join(", ")) }
}

fn describe(difference: &Difference) -> String {
    let Difference { variable, place, expected, observed } = difference;
    match (expected.is_empty(), observed.is_empty()) {
        (true, false) => format!("{variable}{place} is {observed}, and the specification has nothing there"),
        (false, true) => format!("{variable}{place} is missing, and the specification says {expected}"),
        _ => format!("{variable}{place} is {observed}, and the specification says {expected}"),
    }
}

/// What differences tell about their cause.
fn hints_about_values(differences: &[Difference], step: u32) -> Vec<String> {
    let mut hints = Vec::new();
    if differences.iter().any(|difference| difference.observed.contains("(the mapping says ")) {
        hints.push(
            "mapping: what the system has does not have the shape that the mapping gives it".to_owned(),
        );
    }
    let bare = |text: &str| text.trim_matches('"').to_owned();
    let is_spelling = |d: &Difference| {
        !d.expected.is_empty() && d.expected != d.observed && bare(&d.expected) == bare(&d.observed)
    };
    if differences.iter().any(is_spelling) {
        hints.push("mapping: the values differ only in being a string, a number or a model value; give a shape or a constant".to_owned());
    }
    let is_order = |d: &Difference| {
        (d.expected.starts_with('{') && d.observed.starts_with("<<"))
            || (d.expected.starts_with("<<") && d.observed.starts_with('{'))
    };
    if differences.iter().any(is_order) {
        hints.push("mapping: one side is a set and the other a sequence; the shape `set of …` or `seq of …` says which".to_owned());
    }
    if step == 0 {
        hints.push(
            "mapping or specification: the initial state differs already, before anything has happened"
                .to_owned(),
        );
    } else if hints.is_empty() {
        hints.push(OTHERWISE.to_owned());
    }
    hints
}

/// The counters without which the specification would allow an offer in a state: it has the step in a state that differs in nothing else.
fn counters_in_the_way(plan: &Plan<'_>, state: StateId, read: &Read) -> Vec<String> {
    let (mut others, mut counters) = (Vec::new(), Vec::new());
    for (index, variable) in plan.mapping.variables.iter().enumerate() {
        if variable.kind == Compared::Bound { counters.push(index) } else { others.push(index) }
    }
    if counters.is_empty() {
        return Vec::new();
    }
    let differs = |other: StateId, index: usize| plan.value(state, index) != plan.value(other, index);
    let allowing =
        plan.graph.edges().filter(|edge| read.fits(plan.step(*edge))).map(|edge| plan.graph.source(edge));
    let mut alike = allowing.filter(|other| !others.iter().any(|index| differs(*other, *index)));
    let Some(other) = alike.next() else { return Vec::new() };
    counters.retain(|index| differs(other, *index));
    counters.into_iter().map(|index| plan.mapping.variables[index].name.clone()).collect()
}
