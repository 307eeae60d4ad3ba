//! Two representations of values, measured on two designs: `cargo bench -p kilter-value`.
//!
//! The same breadth-first search runs with handles (this crate) and with shared slices (`Arc<[Value]>`, what most
//! checkers have). Two-phase commit is friendly: few values, much sharing. Counters sent through queues are not:
//! most states have values of their own. Decision 1 quotes the table.

#![allow(clippy::type_complexity, reason = "a first state and a function; a name would say less")]

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Instant;

use kilter_value::{Store, Value};
use rustc_hash::FxHashSet;

const RUNS: usize = 3;

/// What the two specifications need of values.
trait Values {
    type V: Clone + Eq + Hash + Debug;
    fn int(&self, i: i32) -> Self::V;
    fn text(&self, text: &'static str) -> Self::V;
    fn tuple(&self, elems: &[Self::V]) -> Self::V;
    fn empty_set(&self) -> Self::V;
    fn len(&self, tuple: &Self::V) -> usize;
    fn at(&self, tuple: &Self::V, index: usize) -> Self::V;
    fn except(&self, tuple: &Self::V, index: usize, new: &Self::V) -> Self::V;
    fn append(&self, tuple: &Self::V, elem: &Self::V) -> Self::V;
    fn tail(&self, tuple: &Self::V) -> Self::V;
    fn has(&self, set: &Self::V, elem: &Self::V) -> bool;
    fn add(&self, set: &Self::V, elem: &Self::V) -> Self::V;
}

/// Handles: equal values are the same record.
struct Handles(Store);

impl Values for Handles {
    type V = Value;

    fn int(&self, i: i32) -> Value {
        self.0.int(i)
    }

    fn text(&self, text: &'static str) -> Value {
        self.0.string(text)
    }

    fn tuple(&self, elems: &[Value]) -> Value {
        self.0.tuple(elems)
    }

    fn empty_set(&self) -> Value {
        self.0.empty_set()
    }

    fn len(&self, tuple: &Value) -> usize {
        self.0.sequence_len(*tuple).expect("a tuple")
    }

    fn at(&self, tuple: &Value, index: usize) -> Value {
        self.0.as_sequence(*tuple).expect("a tuple").get(index)
    }

    fn except(&self, tuple: &Value, index: usize, new: &Value) -> Value {
        let index = self.0.int(index as i32 + 1);
        self.0.except(*tuple, index, *new).expect("an index").expect("an index of the tuple")
    }

    fn append(&self, tuple: &Value, elem: &Value) -> Value {
        self.0.append(*tuple, *elem).expect("a tuple")
    }

    fn tail(&self, tuple: &Value) -> Value {
        self.0.tail(*tuple).expect("a tuple with elements")
    }

    fn has(&self, set: &Value, elem: &Value) -> bool {
        self.0.contains(*set, *elem).expect("comparable elements")
    }

    fn add(&self, set: &Value, elem: &Value) -> Value {
        self.0.union(*set, self.0.set_sorted(&[*elem])).expect("comparable elements")
    }
}

/// Shared slices: equality, order and hashing walk the value.
struct Slices;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Slice {
    Int(i32),
    Text(&'static str),
    Tuple(Arc<[Slice]>),
    Set(Arc<[Slice]>),
}

impl Slice {
    fn elems(&self) -> &[Slice] {
        match self {
            Slice::Tuple(elems) | Slice::Set(elems) => elems,
            Slice::Int(_) | Slice::Text(_) => &[],
        }
    }
}

impl Values for Slices {
    type V = Slice;

    fn int(&self, i: i32) -> Slice {
        Slice::Int(i)
    }

    fn text(&self, text: &'static str) -> Slice {
        Slice::Text(text)
    }

    fn tuple(&self, elems: &[Slice]) -> Slice {
        Slice::Tuple(elems.into())
    }

    fn empty_set(&self) -> Slice {
        Slice::Set(Arc::new([]))
    }

    fn len(&self, tuple: &Slice) -> usize {
        tuple.elems().len()
    }

    fn at(&self, tuple: &Slice, index: usize) -> Slice {
        tuple.elems()[index].clone()
    }

    fn except(&self, tuple: &Slice, index: usize, new: &Slice) -> Slice {
        let elems = tuple.elems().iter().enumerate();
        Slice::Tuple(elems.map(|(i, elem)| if i == index { new.clone() } else { elem.clone() }).collect())
    }

    fn append(&self, tuple: &Slice, elem: &Slice) -> Slice {
        Slice::Tuple(tuple.elems().iter().chain([elem]).cloned().collect())
    }

    fn tail(&self, tuple: &Slice) -> Slice {
        Slice::Tuple(tuple.elems()[1..].into())
    }

    fn has(&self, set: &Slice, elem: &Slice) -> bool {
        set.elems().binary_search(elem).is_ok()
    }

    fn add(&self, set: &Slice, elem: &Slice) -> Slice {
        match set.elems().binary_search(elem) {
            Ok(_) => set.clone(),
            Err(place) => {
                let (before, after) = set.elems().split_at(place);
                Slice::Set(before.iter().chain([elem]).chain(after).cloned().collect())
            }
        }
    }
}

/// A state, and the function that yields its successors.
type State<V> = Vec<V>;

/// Two-phase commit: states of managers, state of the coordinator, who is prepared, messages.
fn two_phase<D: Values>(
    values: &D,
    n_managers: usize,
) -> (State<D::V>, impl Fn(&State<D::V>) -> Vec<State<D::V>>) {
    let names = ["working", "prepared", "committed", "aborted", "init", "Prepared", "Commit", "Abort"];
    let [working, prepared, committed, aborted, init, vote, commit, abort] =
        names.map(|name| values.text(name));
    let votes: Vec<D::V> =
        (0..n_managers).map(|i| values.tuple(&[vote.clone(), values.int(i as i32)])).collect();
    let (commit_message, abort_message) = (values.tuple(&[commit]), values.tuple(&[abort]));
    let managers = values.tuple(&vec![working.clone(); n_managers]);
    let first = vec![managers, init.clone(), values.empty_set(), values.empty_set()];
    let next = move |state: &State<D::V>| {
        let [managers, coordinator, votes_heard, messages] = state.as_slice() else { return Vec::new() };
        let mut found = Vec::new();
        let set = |i: usize, to: &D::V| values.except(managers, i, to);
        if *coordinator == init {
            let all = (0..n_managers).all(|i| values.has(votes_heard, &values.int(i as i32)));
            if all {
                let messages = values.add(messages, &commit_message);
                found.push(vec![managers.clone(), committed.clone(), votes_heard.clone(), messages]);
            }
            let messages = values.add(messages, &abort_message);
            found.push(vec![managers.clone(), aborted.clone(), votes_heard.clone(), messages]);
        }
        for (i, vote) in votes.iter().enumerate() {
            let manager = values.at(managers, i);
            let step = |managers, messages: &D::V| {
                vec![managers, coordinator.clone(), votes_heard.clone(), messages.clone()]
            };
            if *coordinator == init && values.has(messages, vote) {
                let heard = values.add(votes_heard, &values.int(i as i32));
                found.push(vec![managers.clone(), init.clone(), heard, messages.clone()]);
            }
            if manager == working {
                found.push(step(set(i, &prepared), &values.add(messages, vote)));
                found.push(step(set(i, &aborted), messages));
            }
            if values.has(messages, &commit_message) {
                found.push(step(set(i, &committed), messages));
            }
            if values.has(messages, &abort_message) {
                found.push(step(set(i, &aborted), messages));
            }
        }
        found
    };
    (first, next)
}

/// Processes in a ring send numbered messages to the next one: what each has sent and heard, and the queues.
fn queues<D: Values>(
    values: &D,
    n_processes: usize,
    n_messages: i32,
) -> (State<D::V>, impl Fn(&State<D::V>) -> Vec<State<D::V>>) {
    let zeros = values.tuple(&vec![values.int(0); n_processes]);
    let empty = values.tuple(&[]);
    let first = vec![
        zeros.clone(),
        values.tuple(&vec![empty.clone(); n_processes]),
        values.tuple(&vec![empty; n_processes]),
    ];
    let numbers: Vec<D::V> = (0..=n_messages).map(|i| values.int(i)).collect();
    let next = move |state: &State<D::V>| {
        let [sent, queues, heard] = state.as_slice() else { return Vec::new() };
        let mut found = Vec::new();
        for i in 0..n_processes {
            let count = numbers.iter().position(|number| *number == values.at(sent, i)).unwrap_or(0);
            let queue = values.at(queues, i);
            if let Some(more) = numbers.get(count + 1) {
                let message = values.tuple(&[values.int(i as i32), more.clone()]);
                let queue = values.append(&queue, &message);
                found.push(vec![
                    values.except(sent, i, more),
                    values.except(queues, i, &queue),
                    heard.clone(),
                ]);
            }
            if values.len(&queue) > 0 {
                let to = (i + 1) % n_processes;
                let log = values.append(&values.at(heard, to), &values.at(&queue, 0));
                let queues = values.except(queues, i, &values.tail(&queue));
                found.push(vec![sent.clone(), queues, values.except(heard, to, &log)]);
            }
        }
        found
    };
    (first, next)
}

/// Distinct and generated states.
fn search<V: Clone + Eq + Hash>(
    first: State<V>,
    next: impl Fn(&State<V>) -> Vec<State<V>>,
) -> (usize, usize) {
    let mut seen: FxHashSet<State<V>> = FxHashSet::default();
    seen.insert(first.clone());
    let mut level = vec![first];
    let mut n_generated = 1;
    while !level.is_empty() {
        let mut found = Vec::new();
        for successor in level.iter().flat_map(&next) {
            n_generated += 1;
            if seen.insert(successor.clone()) {
                found.push(successor);
            }
        }
        level = found;
    }
    (seen.len(), n_generated)
}

/// The least time of several runs, in seconds.
fn least_seconds(mut run: impl FnMut() -> (usize, usize)) -> ((usize, usize), f64) {
    let mut least = f64::INFINITY;
    let mut counts = (0, 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        counts = run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    (counts, least)
}

fn compare(name: &str, handles: impl FnMut() -> (usize, usize), slices: impl FnMut() -> (usize, usize)) {
    let (counts, handles_s) = least_seconds(handles);
    let (same, slices_s) = least_seconds(slices);
    assert_eq!(counts, same, "both representations must find the same states");
    let (distinct, generated) = counts;
    report(&format!(
        "{name:<16} {distinct:>9} distinct {generated:>9} generated   handles {handles_s:>6.2} s   slices {slices_s:>6.2} s   ratio {:.1}",
        slices_s / handles_s
    ));
}

#[allow(clippy::print_stdout, reason = "a benchmark prints its table")]
fn report(line: &str) {
    println!("{line}");
}

fn main() {
    compare(
        "two-phase, 6",
        || {
            let values = Handles(Store::new());
            let (first, next) = two_phase(&values, 6);
            search(first, next)
        },
        || {
            let (first, next) = two_phase(&Slices, 6);
            search(first, next)
        },
    );
    compare(
        "queues, 3 x 9",
        || {
            let values = Handles(Store::new());
            let (first, next) = queues(&values, 3, 9);
            search(first, next)
        },
        || {
            let (first, next) = queues(&Slices, 3, 9);
            search(first, next)
        },
    );
}
