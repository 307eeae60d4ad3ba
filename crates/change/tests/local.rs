//! The selected suite finds everything that the full suite finds in a system of nodes, although it takes only one of
//! several steps that are alike for their node.
//!
//! A random system has two nodes that share nothing but messages. Tables stand for the code of the nodes. They say what
//! a node does, given what it knows and the message that it takes. What a node stores shows only when it restarts.
//! There is a mistake in the code of one action, or in the specification.

use std::collections::BTreeMap;

use kilter_base::Rng;
use kilter_change::patterns::{Changes, Versions, Width, apply};
use kilter_change::view::{Actor, Actors, Sight, View};
use kilter_change::{Alike, CodeChange, graphs};
use kilter_graph::intake::Intake;
use kilter_graph::{Builder, EdgeId, StateGraph, StateId};
use kilter_suite::choice::cover_choices;
use kilter_suite::{Goal, Suite, cover};
use kilter_value::{Store, Value};

const N_NODES: usize = 2;
const N_LOCAL: usize = 4;
const N_MESSAGES: usize = 3;
const RESTARTS_MAX: usize = 1;

/// What a node does: its next state, the state that it stores, and a message to the other node.
type Done = (usize, usize, Option<usize>);

/// The code of a node: the action `Go` by the node's state, and the action `Take` by its state and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Code {
    go: BTreeMap<usize, Done>,
    take: BTreeMap<(usize, usize), Done>,
}

/// A state of the system: what each node knows and has stored, the messages by receiver, and the number of restarts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    known: [usize; N_NODES],
    stored: [usize; N_NODES],
    messages: BTreeMap<(usize, usize), i32>,
    restarts: usize,
}

/// How the specification represents messages. There is room for two messages. If the network is full, nodes send
/// nothing on their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bag,
    /// A message that is sent twice is there only once.
    Set,
}

/// A step: action, node, message.
type Step = (&'static str, usize, usize);

const FIRST: State =
    State { known: [0; N_NODES], stored: [0; N_NODES], messages: BTreeMap::new(), restarts: 0 };

/// Random code without mistakes. Nodes always store what they know.
fn code(rng: &mut Rng) -> Code {
    let mut done = || {
        let state = rng.below(N_LOCAL);
        (state, state, (rng.below(2) > 0).then(|| rng.below(N_MESSAGES)))
    };
    let mut code = Code { go: BTreeMap::new(), take: BTreeMap::new() };
    for state in 0..N_LOCAL {
        if state % 2 == 0 {
            code.go.insert(state, done());
        }
        for message in 0..N_MESSAGES {
            if (state + message) % 3 > 0 {
                code.take.insert((state, message), done());
            }
        }
    }
    code
}

/// Makes a mistake in one entry. The node does nothing there, stores something else, or does something else, perhaps
/// where it should do nothing. Also returns the action that has the mistake.
fn mistaken(code: &Code, rng: &mut Rng) -> (Code, &'static str) {
    let mut code = code.clone();
    let fault = rng.below(3);
    let wrong = |done: Option<&Done>, rng: &mut Rng| match (done, fault) {
        (Some(_), 0) => None,
        (Some((next, _, sent)), 1) => Some((*next, rng.below(N_LOCAL), *sent)),
        _ => {
            let next = rng.below(N_LOCAL);
            Some((next, next, (rng.below(2) > 0).then(|| rng.below(N_MESSAGES))))
        }
    };
    let state = rng.below(N_LOCAL);
    let key = (state, rng.below(N_MESSAGES));
    if rng.below(2) == 0 {
        match wrong(code.go.get(&state), rng) {
            Some(done) => code.go.insert(state, done),
            None => code.go.remove(&state),
        };
        return (code, "Go");
    }
    match wrong(code.take.get(&key), rng) {
        Some(done) => code.take.insert(key, done),
        None => code.take.remove(&key),
    };
    (code, "Take")
}

/// The steps that nodes offer in a state and that the testbed does not hold back.
fn offers(code: &Code, state: &State) -> Vec<Step> {
    let is_free = state.messages.values().sum::<i32>() < 2;
    let may_go = |node: &usize| is_free && code.go.contains_key(&state.known[*node]);
    let takes =
        state.messages.keys().filter(|(to, message)| code.take.contains_key(&(state.known[*to], *message)));
    let goes = (0..N_NODES).filter(may_go).map(|node| ("Go", node, 0));
    goes.chain(takes.map(|(to, message)| ("Take", *to, *message))).collect()
}

/// All steps that are possible in a state.
fn steps(code: &Code, state: &State) -> Vec<Step> {
    let mut steps = offers(code, state);
    if state.restarts < RESTARTS_MAX {
        steps.extend((0..N_NODES).map(|node| ("Restart", node, 0)));
    }
    steps
}

/// The state after a step. `None` if the code does not allow the step.
fn after(code: &Code, state: &State, (action, node, message): Step, form: Form) -> Option<State> {
    let mut next = state.clone();
    let (known, stored, sent) = match action {
        "Restart" => {
            next.restarts += 1;
            (state.stored[node], state.stored[node], None)
        }
        "Go" => *code.go.get(&state.known[node])?,
        _ => {
            let n = next.messages.get_mut(&(node, message))?;
            *n -= 1;
            next.messages.retain(|_, n| *n > 0);
            *code.take.get(&(state.known[node], message))?
        }
    };
    (next.known[node], next.stored[node]) = (known, stored);
    if let Some(sent) = sent {
        let n = next.messages.entry((1 - node, sent)).or_default();
        *n = if form == Form::Set { 1 } else { *n + 1 };
    }
    Some(next)
}

/// The visible part of a state.
fn seen(state: &State) -> ([usize; N_NODES], &BTreeMap<(usize, usize), i32>) {
    (state.known, &state.messages)
}

/// The graph of correct code, its states, and the step of each edge.
fn graph(code: &Code, form: Form) -> (StateGraph, Vec<State>, Vec<Step>) {
    let mut states = vec![FIRST];
    let mut edges = Vec::new();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        for step in steps(code, &state) {
            let target = after(code, &state, step, form).expect("a possible step");
            let number = states.iter().position(|known| *known == target).unwrap_or_else(|| {
                states.push(target);
                states.len() - 1
            });
            edges.push((next, step, number));
        }
        next += 1;
    }
    let store = Store::new();
    let mut intake = Intake::new(&store);
    let int = |number: usize| store.int(number as i32);
    let message = |(to, message): (usize, usize)| store.tuple(&[int(to + 1), int(message)]);
    let names = ["known", "messages", "restarts"].map(str::to_owned);
    let mut builder = Builder::new("Random.tla", names.to_vec());
    for state in &states {
        let known: Vec<Value> = state.known.iter().map(|known| int(*known)).collect();
        let counts: Vec<Value> = state.messages.values().map(|n| store.int(*n)).collect();
        let messages = store.set(&mut state.messages.keys().copied().map(message).collect()).expect("a set");
        let messages = if form == Form::Set { messages } else { store.function(messages, &counts) };
        let row = [store.tuple(&known), messages, int(state.restarts)].map(|value| intake.add(value));
        builder.state(row.into_iter());
    }
    builder.initial(StateId(0));
    let actions = ["Go", "Take", "Restart"].map(|name| (name, builder.action(name, vec!["n".to_owned()])));
    let actions: BTreeMap<&str, _> = actions.into_iter().collect();
    for (source, (action, node, taken), target) in &edges {
        let arg = if *action == "Take" { message((*node, *taken)) } else { int(node + 1) };
        let arg = intake.add(arg);
        let label = builder.label(actions[action], [arg].into_iter(), [].into_iter());
        builder.edge(StateId(*source as u32), StateId(*target as u32), label);
    }
    (builder.finish(intake.finish()), states, edges.into_iter().map(|(_, step, _)| step).collect())
}

fn view(form: Form) -> View {
    let messages = if form == Form::Set { Sight::Set } else { Sight::Bag };
    let actor = |path: &[&str], message: Option<usize>, is_offered: bool| Actor {
        node: Actors::Part(0, path.iter().map(|field| (*field).to_owned()).collect()),
        message,
        counts: false,
        is_offered,
    };
    View {
        variables: [("known", Sight::Own), ("messages", messages), ("restarts", Sight::Nothing)]
            .map(|(name, sight)| (name.to_owned(), sight))
            .into(),
        actions: [
            ("Go", actor(&[], None, true)),
            ("Take", actor(&["1"], Some(0), true)),
            ("Restart", actor(&[], None, false)),
        ]
        .map(|(name, actor)| (name.to_owned(), actor))
        .into(),
    }
}

/// A specification: its code, and its graph with the states and steps.
struct Spec {
    code: Code,
    form: Form,
    graph: StateGraph,
    states: Vec<State>,
    steps: Vec<Step>,
}

/// Whether a test shows that the code differs from the specification.
fn fails(code: &Code, spec: &Spec, steps: &[(Step, StateId)]) -> bool {
    let is_unexpected = |system: &State, should: &State| {
        offers(code, system).iter().any(|offer| !offers(&spec.code, should).contains(offer))
    };
    let mut system = FIRST;
    let mut should = &FIRST;
    for (step, target) in steps {
        let next = after(code, &system, *step, spec.form);
        let Some(next) = next.filter(|_| !is_unexpected(&system, should)) else { return true };
        should = &spec.states[target.0 as usize];
        if seen(&next) != seen(should) {
            return true;
        }
        system = next;
    }
    is_unexpected(&system, should)
}

impl Spec {
    fn new(code: Code, form: Form) -> Spec {
        let (graph, states, steps) = graph(&code, form);
        Spec { code, form, graph, states, steps }
    }

    /// Whether a suite shows that the code differs from the specification.
    fn finds(&self, code: &Code, suite: &Suite) -> bool {
        let mut edges: Vec<EdgeId> = Vec::new();
        (0..suite.n_tests() as usize).any(|test| {
            suite.read(test, &mut edges);
            let steps: Vec<(Step, StateId)> =
                edges.iter().map(|edge| (self.steps[edge.0 as usize], self.graph.target(*edge))).collect();
            fails(code, self, &steps)
        })
    }

    fn full(&self) -> Suite {
        cover(&self.graph, &Goal::default()).expect("a suite")
    }

    /// The suite for the changes since an old specification.
    fn selected(&self, old: &Spec, changes: &Changes) -> Suite {
        let view = view(self.form);
        let compared = graphs::compare(&old.graph, &self.graph).expect("plain values");
        let alike = Alike::new((&old.graph, &view), (&self.graph, &view)).expect("plain values");
        let versions = Versions {
            old: &old.graph,
            new: &self.graph,
            graphs: &compared,
            alike: Some((&alike, &view)),
            is_cut: false,
            freed: &[],
        };
        let affected = apply(changes, versions, Width::Difference);
        let choices = affected.wants.choices(&self.graph, Some(&alike));
        let selected = cover_choices(&self.graph, &Goal::default(), &choices).expect("a suite");
        assert_eq!(selected.n_covered, selected.n_targets);
        selected
    }
}

/// Sums over all seeds.
#[derive(Default)]
struct Tally {
    found: u64,
    selected: u64,
    full: u64,
}

#[test]
fn one_of_several_steps_that_are_alike_is_enough() {
    let mut tally = Tally::default();
    for seed in 0..1500 {
        let mut rng = Rng::from_seed(seed);
        let spec = Spec::new(code(&mut rng), if seed % 4 == 0 { Form::Set } else { Form::Bag });
        let (wrong, action) = mistaken(&spec.code, &mut rng);
        let full = spec.full();
        if !spec.finds(&wrong, &full) {
            continue;
        }
        // The code that decides what is offered runs for all actions.
        let is_guard = spec.code.go.keys().ne(wrong.go.keys());
        let change = |action: &str| CodeChange {
            action: action.to_owned(),
            variables: None,
            shows_in: vec!["Restart".to_owned()],
            spared: Vec::new(),
            why: "a mistake".to_owned(),
        };
        let touched = if is_guard { vec!["Go", "Take"] } else { vec![action] };
        let changes = Changes { code: touched.into_iter().map(change).collect(), ..Changes::default() };
        let selected = spec.selected(&spec, &changes);
        assert!(spec.finds(&wrong, &selected), "seed {seed}: {action} {:?} {wrong:?}", spec.code);
        tally.found += 1;
        tally.selected += selected.n_tests();
        tally.full += full.n_tests();
    }
    let Tally { found, selected, full } = tally;
    // The test would be worth nothing if there were nothing to find or nothing were saved.
    assert!(found > 500 && selected * 2 < full, "{found} found, {selected} tests instead of {full}");
}

#[test]
fn what_is_like_a_step_of_the_old_specification_is_known() {
    let mut tally = Tally::default();
    for seed in 0..1500 {
        let mut rng = Rng::from_seed(seed);
        let form = if seed % 4 == 0 { Form::Set } else { Form::Bag };
        let old = Spec::new(code(&mut rng), form);
        let (changed, _) = mistaken(&old.code, &mut rng);
        // A specification says nothing about what nodes store, because that cannot be seen.
        if changed.go.values().chain(changed.take.values()).any(|done| done.0 != done.1) {
            continue;
        }
        let new = Spec::new(changed, form);
        let full = new.full();
        if !new.finds(&old.code, &full) {
            continue;
        }
        let selected = new.selected(&old, &Changes::default());
        assert!(new.finds(&old.code, &selected), "seed {seed}: {:?} {:?}", old.code, new.code);
        tally.found += 1;
        tally.selected += selected.n_tests();
        tally.full += full.n_tests();
    }
    let Tally { found, selected, full } = tally;
    assert!(found > 400 && selected * 2 < full, "{found} found, {selected} tests instead of {full}");
}
