//! What happened to messages in the steps of a case: as the nodes said, and beside it what the specification says where
//! the two differ.

use kilter_graph::{EdgeId, StateId};
use kilter_mapping::Mapping;
use kilter_mapping::file::Form;
use kilter_mapping::mapping::{Compared, Deed};
use kilter_mapping::translate::shortened;
use kilter_run::{Carried, Difference, FindingKind};
use kilter_system::Fault;
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

use crate::cases::Case;
use crate::flights::{FlightId, Flights, Meaning};
use crate::plan::{Plan, Step};

/// What happened to messages in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// What the nodes said.
    pub messages: Vec<Carried>,
    /// What the specification says, where something else happened.
    pub expected: Vec<Carried>,
}

/// The messages in flight at the beginning of a case, and after each of its steps.
#[derive(Debug, Default)]
pub(crate) struct Log {
    seen: Vec<(FlightId, u32)>,
    /// For each step, where its messages end in `seen`.
    ends: Vec<usize>,
}

impl Log {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
        self.ends.clear();
    }

    /// The number of steps that were noted. The initial state counts as one.
    pub(crate) fn n_noted(&self) -> usize {
        self.ends.len()
    }

    /// Notes the messages that are in flight after the next step.
    pub(crate) fn note(&mut self, now: &[(FlightId, u32)]) {
        self.seen.extend_from_slice(now);
        self.ends.push(self.seen.len());
    }

    /// The messages in flight after a step. 0 is the initial state.
    fn after(&self, step: usize) -> &[(FlightId, u32)] {
        let begin = step.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(step).copied().unwrap_or(begin);
        &self.seen[begin..end]
    }
}

/// What a case has shown, as far as it matters for messages.
pub(crate) struct Shown<'s> {
    pub(crate) kind: FindingKind,
    /// The step that failed, from 1. 0 is the initial state.
    pub(crate) step: u32,
    pub(crate) differences: &'s [Difference],
}

/// Tells what happened to messages in the steps of a case, up to the one that failed.
pub(crate) struct Teller<'t> {
    pub(crate) plan: &'t Plan<'t>,
    pub(crate) store: &'t Store,
    pub(crate) flights: &'t Flights,
    pub(crate) log: &'t Log,
}

/// Something that happened to a message: sent, taken, dropped or duplicated.
type Moved = (&'static str, FlightId);

impl Teller<'_> {
    /// The traffic of each step.
    pub(crate) fn tell(&self, case: &Case, shown: &Shown<'_>) -> Vec<Traffic> {
        let edges = &case.edges[..shown.step as usize];
        let is_taken = |number: usize| {
            number < edges.len()
                || matches!(shown.kind, FindingKind::InconsistentState | FindingKind::UnexpectedAction)
        };
        let moved: Vec<Vec<Moved>> =
            edges.iter().zip(1..).map(|(edge, number)| self.moved(*edge, number, is_taken(number))).collect();
        let texts = self.texts(edges, &moved);
        let mut traffic: Vec<Traffic> = moved
            .iter()
            .map(|moved| Traffic {
                messages: moved.iter().map(|(fate, id)| self.carried(fate, *id, &texts)).collect(),
                expected: Vec::new(),
            })
            .collect();
        if let (Some(last), Some(moved)) = (traffic.last_mut(), moved.last()) {
            self.compare(case, shown, moved, last);
        }
        traffic
    }

    /// What happened to messages in a step: the difference between what was in flight before and after it.
    fn moved(&self, edge: EdgeId, number: usize, is_taken: bool) -> Vec<Moved> {
        let (before, after) = (self.log.after(number - 1), self.log.after(number));
        let deed = &self.plan.rule(edge).deed;
        let is_offer = matches!(deed, Deed::Offer { .. });
        let gone = if is_offer { "taken" } else { "dropped" };
        let new = if matches!(deed, Deed::Fault(Fault::Duplicate)) { "duplicated" } else { "sent" };
        let copies = |all: &[(FlightId, u32)], id: FlightId| {
            all.iter().find(|(other, _)| *other == id).map_or(0, |(_, copies)| *copies)
        };
        let more = |many: &[(FlightId, u32)], few: &[(FlightId, u32)], fate: &'static str| -> Vec<Moved> {
            let extra = |(id, n): &(FlightId, u32)| {
                std::iter::repeat_n((fate, *id), n.saturating_sub(copies(few, *id)) as usize)
            };
            many.iter().flat_map(extra).collect()
        };
        let mut moved = more(before, after, gone);
        if is_offer && moved.is_empty() && is_taken {
            // The node has taken a message in, and has sent the same again.
            let same = before.iter().map(|(id, _)| *id).find(|id| self.is_of_step(*id, edge));
            moved.extend(same.map(|id| ("taken", id)));
            moved.extend(same.map(|id| ("sent", id)));
        }
        moved.extend(more(after, before, new));
        moved
    }

    /// Whether a step takes in this message.
    fn is_of_step(&self, id: FlightId, edge: EdgeId) -> bool {
        let step = self.plan.step(edge);
        let (flight, meaning) = self.flights.get(id);
        let is_receiver = || step.node.is_some_and(|node| self.plan.node_name(node) == &*flight.to);
        step.message.is_some_and(|message| match meaning {
            Meaning::Message(_, value) => *value == message,
            Meaning::Unreadable(..) | Meaning::Nothing => is_receiver(),
        })
    }

    /// The texts of messages that no variable holds, but which a step has taken in.
    fn texts(&self, edges: &[EdgeId], moved: &[Vec<Moved>]) -> FxHashMap<FlightId, String> {
        let mut texts = FxHashMap::default();
        for (edge, moved) in edges.iter().zip(moved) {
            let Some(message) = self.plan.step(*edge).message else { continue };
            for (_, id) in moved.iter().filter(|(fate, _)| *fate == "taken") {
                if self.flights.get(*id).1.value().is_none() {
                    texts.insert(*id, self.store.show(message));
                }
            }
        }
        texts
    }

    fn carried(&self, fate: &str, id: FlightId, texts: &FxHashMap<FlightId, String>) -> Carried {
        let (flight, meaning) = self.flights.get(id);
        let text = match meaning.value() {
            Some(value) => self.store.show(value),
            None => texts.get(&id).cloned().unwrap_or_else(|| shortened(&flight.message)),
        };
        Carried {
            fate: fate.to_owned(),
            from: flight.from.as_ref().map(ToString::to_string),
            to: flight.to.to_string(),
            text,
            unexpected: false,
        }
    }

    /// Compares what happened in the step that failed with what the specification says.
    fn compare(&self, case: &Case, shown: &Shown<'_>, moved: &[Moved], traffic: &mut Traffic) {
        let Some(edge) = case.edges[..shown.step as usize].last() else { return };
        let (before, after) = (self.plan.graph.source(*edge), self.plan.graph.target(*edge));
        let says = || says(self.plan, self.store, *edge, before, after);
        match shown.kind {
            // The step was not taken, so nothing that the specification says has happened.
            FindingKind::MissingAction => traffic.expected = says(),
            FindingKind::Crash => traffic.expected = without(says(), &traffic.messages),
            FindingKind::InconsistentState if self.has_messages(shown.differences) => {
                let said = says();
                traffic.expected = without(said.clone(), &traffic.messages);
                for (message, is_unexpected) in
                    traffic.messages.iter_mut().zip(self.unexpected(moved, &said, after))
                {
                    message.unexpected = is_unexpected;
                }
            }
            _ => {}
        }
    }

    /// Whether one of the differences is in a variable that holds messages.
    fn has_messages(&self, differences: &[Difference]) -> bool {
        let holds = |name: &str| {
            self.plan
                .mapping
                .variables
                .iter()
                .any(|variable| variable.name == name && matches!(variable.kind, Compared::Messages(_)))
        };
        differences.iter().any(|difference| holds(&difference.variable))
    }

    /// For each message, whether what happened to it is not what the specification says.
    fn unexpected(&self, moved: &[Moved], said: &[Carried], after: StateId) -> Vec<bool> {
        let mut said: Vec<(&str, &str)> =
            said.iter().map(|carried| (carried.fate.as_str(), carried.text.as_str())).collect();
        let mut is_unexpected = |(fate, id): &Moved| {
            let Meaning::Message(variable, value) = self.flights.get(*id).1 else { return true };
            let text = self.store.show(value);
            if let Some(place) = said.iter().position(|other| *other == (*fate, text.as_str())) {
                said.swap_remove(place);
                return false;
            }
            let held = contents(self.plan.value(after, variable), self.store);
            let is_held = held.iter().any(|(other, n)| *other == value && *n > 0);
            let counts_copies = self.plan.mapping.variables[variable].kind == Compared::Messages(Form::Bag);
            let is_monotone =
                self.plan.mapping.variables[variable].kind == Compared::Messages(Form::Monotone);
            match *fate {
                "sent" | "duplicated" => counts_copies || !is_held,
                "dropped" => is_held && !is_monotone,
                _ => false,
            }
        };
        moved.iter().map(&mut is_unexpected).collect()
    }
}

/// What the specification says, without what happened.
fn without(mut said: Vec<Carried>, happened: &[Carried]) -> Vec<Carried> {
    for message in happened {
        let same = |other: &Carried| other.fate == message.fate && other.text == message.text;
        if let Some(place) = said.iter().position(same) {
            said.remove(place);
        }
    }
    said
}

/// What the specification says about messages in a step: about its own, and about those that are new in the variables
/// for messages.
fn says(plan: &Plan<'_>, store: &Store, edge: EdgeId, before: StateId, after: StateId) -> Vec<Carried> {
    let row = |state| (0..plan.graph.variables().len()).map(|index| plan.value(state, index)).collect();
    let (before, after): (Vec<Value>, Vec<Value>) = (row(before), row(after));
    says_of(plan.mapping, store, plan.step(edge), (&before, &after), |message| plan.reader(message))
}

/// What the specification says about messages in a step from one row of values to another one. `reader` says which node takes a
/// message in.
pub fn says_of(
    mapping: &Mapping,
    store: &Store,
    step: &Step,
    (before, after): (&[Value], &[Value]),
    reader: impl Fn(Value) -> Option<usize>,
) -> Vec<Carried> {
    let rule = &mapping.rules[step.rule];
    let name = |node: usize| mapping.words.nodes()[node].0.clone();
    let to = |message: Value, known: Option<usize>| {
        known.or_else(|| reader(message)).map_or_else(|| "?".to_owned(), name)
    };
    let carried = |fate: &str, from: Option<String>, to: String, message: Value| {
        let text = store.show(message);
        Carried { fate: fate.to_owned(), from, to, text, unexpected: false }
    };
    let mut all = Vec::new();
    if let Some(message) = step.message {
        let fate = match rule.deed {
            Deed::Fault(Fault::Drop) => "dropped",
            Deed::Fault(Fault::Duplicate) => "duplicated",
            _ => "taken",
        };
        all.push(carried(fate, None, to(message, step.node), message));
    }
    if matches!(rule.deed, Deed::Fault(_)) {
        return all;
    }
    let from = step.node.map(name);
    for (index, variable) in mapping.variables.iter().enumerate() {
        if !matches!(variable.kind, Compared::Messages(_)) {
            continue;
        }
        let old = contents(before[index], store);
        for (message, n) in contents(after[index], store) {
            let had = old.iter().find(|(other, _)| *other == message).map_or(0, |(_, n)| *n);
            for _ in had..n {
                all.push(carried("sent", from.clone(), to(message, None), message));
            }
        }
    }
    all
}

/// The elements of a set or a bag, with the number of their copies.
fn contents(value: Value, store: &Store) -> Vec<(Value, i32)> {
    if let Some(items) = store.items(value) {
        return items.iter().map(|item| (item, 1)).collect();
    }
    let parts = store.domain(value).and_then(|domain| store.items(domain)).zip(store.range_elems(value));
    let Some((args, counts)) = parts else { return Vec::new() };
    args.iter().zip(counts).map(|(arg, count)| (arg, store.as_int(count).unwrap_or(1))).collect()
}
