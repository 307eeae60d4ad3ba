//! Random graphs and formulas. If a naive search finds a lasso, the checker must find one, and each lasso that it finds
//! must be right.

use kilter_base::{FileId, Name, Span};
use kilter_eval::temporal::Formula;

use super::letters::{Letters, Place, places};
use super::links::Links;
use super::product::StateGraph;
use super::word::Word;
use super::{Lasso, checks_for};
use crate::stop::Stop;

/// Three literals about states. Two more are about steps, and false where nothing changes, as `<<A>>_v` is.
const N_STATE_LITERALS: u32 = 3;
const N_LITERALS: u32 = 5;
const STEM_MAX: usize = 3;
const CYCLE_MAX: usize = 4;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A graph with its literals, in two forms: as the checker stores it, and plainly.
struct World {
    n_states: usize,
    n_initial: usize,
    links: Links,
    letters: Letters,
    places: Vec<Place>,
    /// For each pair of states, the literals that hold for the step. `None` if there is no step.
    steps: Vec<Vec<Option<Vec<bool>>>>,
    parents: Vec<u32>,
}

fn world(random: &mut Random) -> World {
    let n_states = 1 + random.below(4);
    let n_initial = 1 + random.below(n_states.min(2));
    let about_steps: Vec<bool> = (0..N_LITERALS).map(|literal| literal >= N_STATE_LITERALS).collect();
    let places = places(&about_steps);
    let mut letters = Letters::new(&places);
    let mut links = Links::default();
    let mut steps = vec![vec![None; n_states]; n_states];
    for (from, row) in steps.iter_mut().enumerate() {
        let bits: Vec<bool> = (0..N_STATE_LITERALS).map(|_| random.coin()).collect();
        // Every state follows one with a smaller number, so all are reachable.
        let mut targets: Vec<u32> = (0..n_states as u32).filter(|_| random.below(3) == 0).collect();
        targets.push(((from + 1) % n_states) as u32);
        links.add(from as u32, targets);
        letters.begin_state(links.of(from as u32).len());
        for (bit, _) in bits.iter().enumerate().filter(|(_, holds)| **holds) {
            letters.set_state(bit as u32);
        }
        let mut index = 0;
        for (to, step) in row.iter_mut().enumerate() {
            let linked = links.of(from as u32).any(|link| links.target(link) as usize == to);
            if to == from {
                let stutter = bits.iter().copied().chain([false; 2]);
                *step = Some(stutter.collect());
            } else if linked {
                let own: Vec<bool> = (N_STATE_LITERALS..N_LITERALS).map(|_| random.coin()).collect();
                for (bit, _) in own.iter().enumerate().filter(|(_, holds)| **holds) {
                    letters.set_link(index, bit as u32);
                }
                index += 1;
                *step = Some(bits.iter().copied().chain(own).collect());
            }
        }
    }
    let parents =
        (0..n_states).map(|state| if state < n_initial { state } else { state - 1 } as u32).collect();
    World { n_states, n_initial, links, letters, places, steps, parents }
}

/// A random formula of TLA: a step must satisfy `[A]_v` below `[]`, and `<<A>>_v` may occur below `<>`, and nowhere
/// else.
fn formula(random: &mut Random, depth: usize, step: Option<bool>) -> Formula {
    if depth == 0 || random.below(6) == 0 {
        let n_literals = if step.is_some() { N_LITERALS } else { N_STATE_LITERALS };
        let literal = random.below(n_literals as usize) as u32;
        let positive = if literal < N_STATE_LITERALS { random.coin() } else { step == Some(true) };
        return Formula::Literal { literal, positive };
    }
    match random.below(4) {
        0 => Formula::And((0..2).map(|_| formula(random, depth - 1, step)).collect()),
        1 => Formula::Or((0..2).map(|_| formula(random, depth - 1, step)).collect()),
        2 => Formula::Always(Box::new(formula(random, depth - 1, Some(false)))),
        _ => Formula::Eventually(Box::new(formula(random, depth - 1, Some(true)))),
    }
}

/// Weak or strong fairness of a random step. A literal about states stands for ENABLED.
fn fairness(random: &mut Random) -> Formula {
    let idle = Formula::Literal { literal: random.below(N_STATE_LITERALS as usize) as u32, positive: false };
    let act = Formula::Literal { literal: N_STATE_LITERALS + random.below(2) as u32, positive: true };
    let repeat = |body| Formula::Always(Box::new(Formula::Eventually(Box::new(body))));
    if random.coin() {
        repeat(Formula::Or(vec![idle, act]))
    } else {
        let never = Formula::Eventually(Box::new(Formula::Always(Box::new(idle))));
        Formula::Or(vec![never, repeat(act)])
    }
}

impl World {
    fn satisfies(&self, states: &[usize], cycle_start: usize, formula: &Formula) -> bool {
        let literal = |position: usize, literal: u32| {
            let next = if position + 1 < states.len() { states[position + 1] } else { states[cycle_start] };
            let step = &self.steps[states[position]][next];
            step.as_ref().expect("a lasso follows links")[literal as usize]
        };
        Word { n_positions: states.len(), cycle_start, literal: &literal }.satisfies(formula)
    }

    fn is_behavior(&self, states: &[usize], cycle_start: usize) -> bool {
        let linked = |pair: &[usize]| self.steps[pair[0]][pair[1]].is_some();
        states[0] < self.n_initial
            && states.windows(2).all(linked)
            && linked(&[states[states.len() - 1], states[cycle_start]])
    }

    /// Whether any of the short lassos satisfies a formula.
    fn naive(&self, formula: &Formula) -> bool {
        let mut stack: Vec<Vec<usize>> = (0..self.n_initial).map(|state| vec![state]).collect();
        while let Some(states) = stack.pop() {
            let starts = states.len().saturating_sub(CYCLE_MAX)..states.len().min(STEM_MAX + 1);
            for cycle_start in starts {
                if self.is_behavior(&states, cycle_start) && self.satisfies(&states, cycle_start, formula) {
                    return true;
                }
            }
            if states.len() < STEM_MAX + CYCLE_MAX {
                let last = states[states.len() - 1];
                let next = (0..self.n_states).filter(|next| self.steps[last][*next].is_some());
                stack.extend(next.map(|next| states.iter().copied().chain([next]).collect::<Vec<_>>()));
            }
        }
        false
    }

    fn found(&self, formula: &Formula) -> Option<Lasso> {
        let graph =
            StateGraph { links: &self.links, letters: &self.letters, n_initial: self.n_initial as u32 };
        let name: Name = "P".into();
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let checks = checks_for(&name, span, formula).expect("a small formula");
        let parent = |state: u32| self.parents[state as usize];
        checks.iter().find_map(|check| {
            check.search(graph, &self.places, &Stop::default(), &parent).expect("a small graph")
        })
    }
}

/// Compares both searches on one random graph. Returns whether there was a lasso.
fn compare(seed: u64) -> bool {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let world = world(&mut random);
    let mut parts: Vec<Formula> = (0..random.below(3)).map(|_| fairness(&mut random)).collect();
    let depth = 1 + random.below(4);
    parts.push(formula(&mut random, depth, None));
    let formula = Formula::And(parts);
    match world.found(&formula) {
        Some(lasso) => {
            let states: Vec<usize> = lasso.steps().map(|(state, _)| state as usize).collect();
            let start = lasso.stem.len();
            assert!(world.is_behavior(&states, start), "seed {seed}: {lasso:?} is no behavior");
            assert!(world.satisfies(&states, start, &formula), "seed {seed}: {lasso:?} violates {formula:?}");
            true
        }
        None => {
            assert!(!world.naive(&formula), "seed {seed}: a lasso for {formula:?} was not found");
            false
        }
    }
}

#[test]
fn verdicts_equal_those_of_a_naive_search_over_all_lassos() {
    const N_CASES: u64 = 6000;
    let n_found = (0..N_CASES).filter(|seed| compare(*seed)).count() as u64;
    assert!(n_found > N_CASES / 5 && n_found < N_CASES * 4 / 5, "{n_found} of {N_CASES} have a lasso");
}
