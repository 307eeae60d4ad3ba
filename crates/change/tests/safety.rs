//! The selected suite finds everything that the full suite finds.
//!
//! The system is the old graph itself, so it does what the old specification says. Random graphs stand for
//! specifications. In the new one, a block of an action has other effects, or a block is added or removed. Some steps
//! can be made by two blocks.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_base::Rng;
use kilter_change::patterns::{Changes, Versions, Width, apply};
use kilter_change::spec_change::SpecChanges;
use kilter_change::{blocks::Place, graphs, growth};
use kilter_graph::intake::Intake;
use kilter_graph::{Builder, EdgeId, StateGraph, StateId};
use kilter_suite::choice::cover_choices;
use kilter_suite::{Goal, Suite, cover};
use kilter_value::Store;

const N_STATES: usize = 12;
const N_ACTIONS: usize = 4;

/// For each state and action: the blocks that can make the step, and the state that it leads to.
type Steps = BTreeMap<(usize, usize), (BTreeSet<usize>, usize)>;

/// Random steps. Action a has the blocks 2a and 2a + 1.
fn steps(rng: &mut Rng) -> Steps {
    let mut steps = Steps::new();
    for state in 0..N_STATES {
        for action in 0..N_ACTIONS {
            if rng.below(3) > 0 {
                let ways = match rng.below(4) {
                    0 => [2 * action, 2 * action + 1].into(),
                    _ => [2 * action + rng.below(2)].into(),
                };
                steps.insert((state, action), (ways, rng.below(N_STATES)));
            }
        }
    }
    steps
}

/// The steps after a change of one block.
fn changed(old: &Steps, block: usize, rng: &mut Rng) -> Steps {
    let mut new = old.clone();
    for state in 0..N_STATES {
        let key = (state, block / 2);
        let choice = rng.below(4);
        match new.get_mut(&key) {
            None if choice == 0 => {
                new.insert(key, ([block].into(), rng.below(N_STATES)));
            }
            // A second way is added or removed, and the step stays as it is.
            Some((ways, _)) if choice == 0 && *ways != [block].into() => {
                *ways = ways.symmetric_difference(&[block].into()).copied().collect();
            }
            Some((ways, _)) if choice == 0 && *ways == [block].into() => {
                new.remove(&key);
            }
            Some((ways, target)) if choice == 1 && *ways == [block].into() => {
                *target = rng.below(N_STATES);
            }
            _ => {}
        }
    }
    new
}

/// The part that can be reached from state 0. States differ in the value of `x`.
fn graph(steps: &Steps) -> StateGraph {
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        next += 1;
        for ((_, _), (_, target)) in steps.iter().filter(|((source, _), _)| *source == state) {
            if !reached.contains(target) {
                reached.push(*target);
            }
        }
    }
    let store = Store::new();
    let mut intake = Intake::new(&store);
    let mut builder = Builder::new("Random.tla", vec!["x".to_owned()]);
    let actions: Vec<_> =
        (0..N_ACTIONS).map(|action| builder.action(format!("A{action}"), Vec::new())).collect();
    let blocks: Vec<_> =
        (0..2 * N_ACTIONS).map(|block| builder.block("Random.tla", block as u32 + 1, 1)).collect();
    for state in &reached {
        let value = intake.add(store.int(*state as i32));
        builder.state([value].into_iter());
    }
    builder.initial(StateId(0));
    let number = |state: usize| {
        StateId::from_index(reached.iter().position(|known| *known == state).expect("reached"))
    };
    for ((source, action), (ways, target)) in steps.iter().filter(|((source, _), _)| reached.contains(source))
    {
        for block in ways {
            let label = builder.label(actions[*action], [].into_iter(), [blocks[*block]].into_iter());
            builder.edge(number(*source), number(*target), label);
        }
    }
    builder.finish(intake.finish())
}

/// The value of `x` in a state.
fn name(graph: &StateGraph, values: &kilter_graph::values::Restored, store: &Store, state: StateId) -> usize {
    store.as_int(values[graph.value(state, 0)]).expect("a number") as usize
}

/// Whether a suite over the new graph shows that the system does the old steps.
fn finds(graph: &StateGraph, suite: &Suite, system: &Steps) -> bool {
    let store = Store::new();
    let values = graph.values().restore(&store).expect("plain values");
    let at = |state: StateId| name(graph, &values, &store, state);
    let actions_at = |state: StateId| -> BTreeSet<String> {
        graph.outgoing(state).map(|edge| graph.action_of(edge).name.clone()).collect()
    };
    // What the system offers must be allowed.
    let is_unexpected = |state: StateId| {
        let allowed = actions_at(state);
        (0..N_ACTIONS).any(|action| {
            system.contains_key(&(at(state), action)) && !allowed.contains(&format!("A{action}"))
        })
    };
    let fails = |edge: EdgeId| {
        let action: usize = graph.action_of(edge).name[1..].parse().expect("a number");
        match system.get(&(at(graph.source(edge)), action)) {
            None => true,
            Some((_, target)) => *target != at(graph.target(edge)) || is_unexpected(graph.target(edge)),
        }
    };
    let mut edges = Vec::new();
    (0..suite.n_tests() as usize).any(|test| {
        let start = suite.read(test, &mut edges);
        is_unexpected(start) || edges.iter().any(|edge| fails(*edge))
    })
}

#[test]
fn the_selected_suite_finds_what_the_full_one_finds() {
    let (mut n_found, mut n_saved) = (0, 0);
    for seed in 0..4000 {
        let mut rng = Rng::from_seed(seed);
        let old_steps = steps(&mut rng);
        let block = rng.below(2 * N_ACTIONS);
        let new_steps = changed(&old_steps, block, &mut rng);
        let (old, new) = (graph(&old_steps), graph(&new_steps));
        if new.n_edges() == 0 {
            continue;
        }
        let place = Place { file: "Random.tla".to_owned(), line: block as u32 + 1, column: 1 };
        let spec = SpecChanges {
            old_places: [place.clone()].into(),
            new_places: [place].into(),
            ..SpecChanges::default()
        };
        let full = cover(&new, &Goal::default()).expect("a suite");
        let full_finds = finds(&new, &full, &old_steps);
        n_found += usize::from(full_finds);
        let compared = graphs::compare(&old, &new).expect("plain values");
        // The blocks are known, or only the graphs are. The selection is narrow or wide. The suite is optimal or grown.
        for (spec, width) in
            [(Some(spec.clone()), Width::Difference), (Some(spec), Width::Table), (None, Width::Difference)]
        {
            let changes = Changes { spec, ..Changes::default() };
            let versions =
                Versions { old: &old, new: &new, graphs: &compared, alike: None, is_cut: false, freed: &[] };
            let affected = apply(&changes, versions, width);
            let goal = Goal { seed, ..Goal::default() };
            let choices = affected.wants.choices(&new, None);
            let suites = (affected.n() > 0).then(|| {
                let grown = growth::grow(&new, &affected.wants.edges(&new, None), &goal);
                [cover_choices(&new, &goal, &choices).expect("a suite"), grown]
            });
            for suite in suites.iter().flatten() {
                assert_eq!(suite.n_covered, suite.n_targets, "seed {seed}");
                if full_finds {
                    assert!(finds(&new, suite, &old_steps), "seed {seed}: {affected:?}");
                }
            }
            assert!(suites.is_some() || !full_finds, "seed {seed}: nothing is selected");
            if width == Width::Difference {
                n_saved += usize::from(affected.n() < new.n_edges());
            }
        }
    }
    // The test would be worth nothing if there were nothing to find, or if everything were always selected.
    assert!(n_found > 1000 && n_saved > 1000, "{n_found} {n_saved}");
}
