//! The messages in flight, in the specification's words.

use std::hash::{Hash, Hasher};

use kilter_run::Difference;
use kilter_testbed::Flight;
use kilter_value::{Store, Value};
use rustc_hash::{FxHashMap, FxHasher};

use crate::difference::Differ;
use crate::plan::Plan;
use kilter_mapping::file::Form;
use kilter_mapping::mapping::{Compared, Variable};
use kilter_mapping::translate::{Envelope, Misfit, Translator, shortened};

/// The messages that are in flight, and those that have ever been.
#[derive(Debug, Default)]
pub struct Flights {
    now: Vec<(FlightId, u32)>,
    ever: Vec<(usize, Value)>,
    known: Vec<(Flight, Meaning)>,
    by_hash: FxHashMap<u64, Vec<FlightId>>,
    /// Bags of the specification, without elements that are in them zero times.
    bags: FxHashMap<Value, Value>,
}

/// The number of a message with its sender and its receiver. Equal ones have the same number.
pub(crate) type FlightId = u32;

/// The variable that a message belongs to, and its value there.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// The index of the variable, and the value.
    Message(usize, Value),
    /// The message does not have the shape of this variable.
    Unreadable(usize, String, Misfit),
    /// No variable of the specification holds messages.
    Nothing,
}

impl Meaning {
    /// The value of the message. `None` if it has none.
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Meaning::Message(_, value) => Some(*value),
            Meaning::Unreadable(..) | Meaning::Nothing => None,
        }
    }
}

impl Flights {
    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.now.clear();
        self.ever.clear();
    }

    /// Updates the messages from what is in flight.
    pub fn look(&mut self, plan: &Plan<'_>, translator: Translator<'_>, flights: &[Flight]) {
        self.now.clear();
        for flight in flights {
            let id = self.id(flight, plan, translator);
            if let Meaning::Message(variable, value) = self.known[id as usize].1
                && plan.mapping.variables[variable].kind == Compared::Messages(Form::Monotone)
                && !self.ever.contains(&(variable, value))
            {
                self.ever.push((variable, value));
            }
            self.now.push((id, flight.copies));
        }
    }

    /// The value of a message in the specification. `None` if it has none.
    pub fn value(&mut self, flight: &Flight, plan: &Plan<'_>, translator: Translator<'_>) -> Option<Value> {
        let id = self.id(flight, plan, translator);
        self.get(id).1.value()
    }

    /// The messages in flight, each with the number of its copies.
    pub(crate) fn now(&self) -> &[(FlightId, u32)] {
        &self.now
    }

    /// Whether a message that belongs to the specification is in flight only because a node can take it in: nobody has reported that it sent it.
    pub(crate) fn has_unreported(&self) -> bool {
        self.now
            .iter()
            .map(|(id, _)| self.get(*id))
            .any(|(flight, meaning)| flight.from.is_none() && matches!(meaning, Meaning::Message(..)))
    }

    /// The message with a number. The number of copies is that of the time when it was first seen.
    pub(crate) fn get(&self, id: FlightId) -> &(Flight, Meaning) {
        &self.known[id as usize]
    }

    fn id(&mut self, flight: &Flight, plan: &Plan<'_>, translator: Translator<'_>) -> FlightId {
        let mut hasher = FxHasher::default();
        (&flight.from, &flight.to, &flight.message).hash(&mut hasher);
        let ids = self.by_hash.entry(hasher.finish()).or_default();
        let same = |id: &&FlightId| {
            let (other, _) = &self.known[**id as usize];
            other.message == flight.message && other.to == flight.to && other.from == flight.from
        };
        if let Some(id) = ids.iter().find(same) {
            return *id;
        }
        let id = self.known.len() as FlightId;
        ids.push(id);
        self.known.push((flight.clone(), translate(flight, plan, translator)));
        id
    }

    /// Adds the differences between a variable and the messages in flight.
    pub fn compare(
        &mut self,
        index: usize,
        variable: &Variable,
        form: Form,
        translator: Translator<'_>,
        expected: Value,
        found: &mut Vec<Difference>,
    ) {
        let store = translator.store;
        let mut differ = Differ { store, variable: &variable.name, found: Vec::new() };
        for (id, _) in &self.now {
            if let Meaning::Unreadable(at, text, misfit) = &self.get(*id).1
                && *at == index
            {
                differ.text("", String::new(), format!("{text} ({misfit})"));
            }
        }
        let (expected, observed) = match form {
            Form::Bag => (self.without_zeros(expected, store), self.bag(index, store)),
            Form::Set => (expected, set(self.here(index).map(|(value, _)| value), store)),
            Form::Monotone => {
                let ever = self.ever.iter().filter(|(at, _)| *at == index).map(|(_, value)| *value);
                (expected, set(ever, store))
            }
        };
        match observed {
            Some(observed) => differ.compare("", expected, observed),
            None => differ.text("", store.show(expected), "messages that cannot be compared".to_owned()),
        }
        found.append(&mut differ.found);
    }

    fn here(&self, index: usize) -> impl Iterator<Item = (Value, u32)> {
        self.now.iter().filter_map(move |(id, copies)| match self.get(*id).1 {
            Meaning::Message(at, value) if at == index => Some((value, *copies)),
            _ => None,
        })
    }

    fn bag(&self, index: usize, store: &Store) -> Option<Value> {
        let mut elems: Vec<Value> = self.here(index).map(|(value, _)| value).collect();
        let domain = store.set(&mut elems).ok()?;
        let count = |elem: Value| {
            let copies = self.here(index).filter(|(value, _)| *value == elem).map(|(_, copies)| copies);
            store.int(copies.sum::<u32>() as i32)
        };
        let counts: Vec<Value> = elems.iter().map(|elem| count(*elem)).collect();
        Some(store.function(domain, &counts))
    }

    /// Removes elements with the count zero from a bag. Some specifications keep such messages.
    fn without_zeros(&mut self, bag: Value, store: &Store) -> Value {
        if let Some(known) = self.bags.get(&bag) {
            return *known;
        }
        let clean = positive_part(bag, store).unwrap_or(bag);
        self.bags.insert(bag, clean);
        clean
    }
}

fn positive_part(bag: Value, store: &Store) -> Option<Value> {
    let args = store.items(store.domain(bag)?)?;
    let pairs = args.iter().zip(store.range_elems(bag)?);
    let (mut elems, counts): (Vec<Value>, Vec<Value>) =
        pairs.filter(|(_, count)| store.as_int(*count) != Some(0)).unzip();
    // The elements were in order, so the counts still fit.
    let domain = store.set(&mut elems).ok()?;
    Some(store.function(domain, &counts))
}

fn set(values: impl Iterator<Item = Value>, store: &Store) -> Option<Value> {
    store.set(&mut values.collect()).ok()
}

/// A message belongs to the first variable whose shape it has.
fn translate(flight: &Flight, plan: &Plan<'_>, translator: Translator<'_>) -> Meaning {
    let words = &plan.mapping.words;
    let from = flight.from.as_ref().and_then(|from| words.node_named(from));
    let envelope = Envelope { from, to: words.node_named(&flight.to) };
    let mut first = Meaning::Nothing;
    for (index, variable) in plan.mapping.variables.iter().enumerate() {
        if !matches!(variable.kind, Compared::Messages(_)) {
            continue;
        }
        match translator.value(&variable.shape, &flight.message, envelope) {
            Ok(value) => return Meaning::Message(index, value),
            Err(misfit) if matches!(first, Meaning::Nothing) => {
                first = Meaning::Unreadable(index, shortened(&flight.message), misfit);
            }
            Err(_) => {}
        }
    }
    first
}
