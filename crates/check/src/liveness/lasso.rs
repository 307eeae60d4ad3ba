//! Makes a counterexample from a component with a fair loop: the shortest way in, and a short loop.

use super::component::{Component, Conditions};
use super::letters::{Step, Test};
use super::product::{NOWHERE, Product};

/// A behavior: first the steps of the stem, then the steps of the cycle forever. Each step comes with the state that it
/// starts from. No step stutters, except in a cycle of one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    pub(crate) stem: Vec<(u32, Step)>,
    pub(crate) cycle: Vec<(u32, Step)>,
}

impl Lasso {
    /// All steps. After the last one comes the first of the cycle again.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (u32, Step)> {
        self.stem.iter().chain(&self.cycle).copied()
    }
}

/// The states in which runs of the automaton begin.
pub(crate) enum Start<'s> {
    /// In initial states.
    Initial,
    /// In any state. The function gives the state from which a state was first reached, and an initial state for
    /// itself.
    Anywhere(&'s dyn Fn(u32) -> u32),
}

/// Something that is still missing on a loop.
enum Wanted<'t> {
    /// A step for which the test holds.
    Step(&'t Test),
    /// A place that keeps the promise with this bit.
    Promise(u64),
    /// Any step.
    Any,
}

/// Makes the counterexample with the shortest way in.
pub(crate) fn lasso(
    product: &Product<'_>,
    conditions: &Conditions,
    components: &[Component],
    start: &Start<'_>,
) -> Option<Lasso> {
    let mut owner = vec![NOWHERE; product.n_places()];
    for (index, component) in components.iter().enumerate() {
        for place in &component.places {
            owner[*place as usize] = index as u32;
        }
    }
    let way_in = shortest_way(product, start, |place| owner[place as usize] != NOWHERE)?;
    let entry = *way_in.last()?;
    let index = owner[entry as usize];
    let component = &components[index as usize];
    let walker = Walker {
        product,
        conditions,
        kept: &component.kept,
        inside: &|place| owner[place as usize] == index,
        parents: vec![NOWHERE; product.n_places()],
    };
    let (more, cycle) = walker.cycle(entry, component)?;
    let mut stem = Vec::new();
    if let (Start::Anywhere(parent), Some(first)) = (start, way_in.first()) {
        let mut state = product.state(*first);
        while parent(state) != state {
            stem.push((parent(state), product.graph.step(parent(state), state)?));
            state = parent(state);
        }
        stem.reverse();
    }
    // The way on begins where the way in ends.
    let way: Vec<u32> = way_in.iter().chain(more.iter().skip(1)).copied().collect();
    for pair in way.windows(2) {
        let (_, step) = product.successors(pair[0]).find(|(target, _)| *target == pair[1])?;
        stem.push((product.state(pair[0]), step));
    }
    let cycle: Vec<_> = cycle.iter().map(|(place, step)| (product.state(*place), *step)).collect();
    Some(tidy(&stem, &cycle))
}

/// Leaves out stuttering steps. If the cycle has no others, one of them stays.
fn tidy(stem: &[(u32, Step)], cycle: &[(u32, Step)]) -> Lasso {
    let moves = |(_, step): &&(u32, Step)| *step != Step::Stutter;
    let mut stem: Vec<_> = stem.iter().filter(moves).copied().collect();
    let mut kept: Vec<_> = cycle.iter().filter(moves).copied().collect();
    if kept.is_empty() {
        kept.push(cycle[0]);
    }
    let mut cycle = kept;
    // The end of the stem may already go round the cycle.
    while !stem.is_empty() && stem.last() == cycle.last() {
        stem.pop();
        cycle.rotate_right(1);
    }
    Lasso { stem, cycle }
}

/// The places on a shortest way to a wanted place. The search goes by the distance from an initial state.
fn shortest_way(product: &Product<'_>, start: &Start<'_>, wanted: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
    let mut parents = vec![NOWHERE; product.n_places()];
    let mut beginnings = Beginnings::new(product, start);
    let mut level: Vec<u32> = Vec::new();
    let mut depth = 0;
    while !level.is_empty() || beginnings.remain() {
        for place in beginnings.at(depth) {
            if parents[place as usize] == NOWHERE {
                parents[place as usize] = place;
                level.push(place);
            }
        }
        let mut next = Vec::new();
        for place in level {
            if wanted(place) {
                return Some(path_to(&parents, place));
            }
            for (target, _) in product.successors(place) {
                if parents[target as usize] == NOWHERE {
                    parents[target as usize] = place;
                    next.push(target);
                }
            }
        }
        level = next;
        depth += 1;
    }
    None
}

/// The places in which runs begin, by their distance from an initial state.
struct Beginnings<'b, 'g> {
    product: &'b Product<'g>,
    /// The distance of each state. States are numbered in the order of their distance.
    depths: Vec<u32>,
    next: u32,
}

impl<'b, 'g> Beginnings<'b, 'g> {
    fn new(product: &'b Product<'g>, start: &Start<'_>) -> Self {
        let n_states = product.graph.n_states();
        let mut depths: Vec<u32> = Vec::new();
        match start {
            Start::Initial => depths.resize(product.graph.n_initial.min(n_states) as usize, 0),
            Start::Anywhere(parent) => {
                for state in 0..n_states {
                    let before = parent(state);
                    depths.push(if before == state { 0 } else { depths[before as usize] + 1 });
                }
            }
        }
        Beginnings { product, depths, next: 0 }
    }

    fn remain(&self) -> bool {
        (self.next as usize) < self.depths.len()
    }

    /// The beginnings at this distance, or nearer and not returned yet.
    fn at(&mut self, depth: u32) -> Vec<u32> {
        let mut found = Vec::new();
        while self.depths.get(self.next as usize).is_some_and(|at| *at <= depth) {
            found.extend(self.product.beginnings(self.next));
            self.next += 1;
        }
        found
    }
}

fn path_to(parents: &[u32], place: u32) -> Vec<u32> {
    let mut path = vec![place];
    let mut at = place;
    while parents[at as usize] != at {
        at = parents[at as usize];
        path.push(at);
    }
    path.reverse();
    path
}

/// Steps, each with the place that it starts from.
type Steps = Vec<(u32, Step)>;

/// Walks inside of a component.
struct Walker<'w, 'g> {
    product: &'w Product<'g>,
    conditions: &'w Conditions,
    kept: &'w [usize],
    inside: &'w dyn Fn(u32) -> bool,
    parents: Vec<u32>,
}

impl Walker<'_, '_> {
    /// Finds the way from the entry to a loop, and the steps of the loop.
    fn cycle(mut self, entry: u32, component: &Component) -> Option<(Vec<u32>, Steps)> {
        if component.places.iter().any(|place| self.can_stay(*place)) {
            let way = self.way(entry, &Self::can_stay)?;
            let last = *way.last()?;
            return Some((way, vec![(last, Step::Stutter)]));
        }
        let mut forced: Vec<usize> = Vec::new();
        loop {
            let (way, steps) = self.walk(entry, &forced)?;
            let broken = |pair: &usize| {
                let (e, f) = &self.conditions.pairs[*pair];
                let holds = |test: &Test, (place, step): &(u32, Step)| {
                    self.product.graph.holds(test, self.product.state(*place), *step)
                };
                !steps.iter().all(|step| holds(e, step)) && !steps.iter().any(|step| holds(f, step))
            };
            let more: Vec<usize> = (0..self.conditions.pairs.len()).filter(broken).collect();
            if more.is_empty() {
                return Some((way, steps));
            }
            forced.extend(more);
        }
    }

    fn allowed(&self, place: u32, step: Step, target: u32) -> bool {
        let state = self.product.state(place);
        (self.inside)(target)
            && self
                .kept
                .iter()
                .all(|pair| self.product.graph.holds(&self.conditions.pairs[*pair].0, state, step))
    }

    /// Whether staying at a place forever is a fair loop.
    fn can_stay(&self, place: u32) -> bool {
        let state = self.product.state(place);
        let stays = self.product.successors(place).any(|(target, step)| {
            target == place && step == Step::Stutter && self.allowed(place, step, target)
        });
        let holds = |test: &Test| self.product.graph.holds(test, state, Step::Stutter);
        stays
            && self.product.promises & !self.product.keeps(place) == 0
            && self.conditions.repeats.iter().all(holds)
            && self.conditions.pairs.iter().all(|(e, f)| holds(e) || holds(f))
    }

    /// A walk that meets everything that must happen infinitely often, and returns to where the first of it happened.
    fn walk(&mut self, entry: u32, forced: &[usize]) -> Option<(Vec<u32>, Steps)> {
        let conditions = self.conditions;
        let mut wanted: Vec<Wanted<'_>> = conditions.repeats.iter().map(Wanted::Step).collect();
        wanted.extend(forced.iter().map(|pair| Wanted::Step(&conditions.pairs[*pair].1)));
        let promises = self.product.promises;
        wanted.extend((0..64).map(|bit| 1 << bit).filter(|bit| promises & bit != 0).map(Wanted::Promise));
        if wanted.is_empty() {
            wanted.push(Wanted::Any);
        }
        let mut way = Vec::new();
        let mut steps: Vec<(u32, Step)> = Vec::new();
        let mut at = entry;
        while !wanted.is_empty() {
            let meets = |walker: &Self, place: u32, step: Step| {
                wanted.iter().any(|one| walker.meets(one, place, step))
            };
            let (path, step, target) = self.way_to_step(at, &meets)?;
            let place = *path.last()?;
            // The loop begins where the first wanted thing happens.
            if steps.is_empty() {
                way = path;
            } else {
                self.extend(&mut steps, &path);
            }
            steps.push((place, step));
            at = target;
            wanted.retain(|one| !steps.iter().any(|(place, step)| self.meets(one, *place, *step)));
        }
        let (start, _) = *steps.first()?;
        let back = self.way(at, &|_, place| place == start)?;
        self.extend(&mut steps, &back);
        Some((way, steps))
    }

    /// Adds the steps along a path.
    fn extend(&self, steps: &mut Vec<(u32, Step)>, path: &[u32]) {
        for pair in path.windows(2) {
            let step = self
                .product
                .successors(pair[0])
                .find(|(target, step)| *target == pair[1] && self.allowed(pair[0], *step, *target));
            steps.extend(step.map(|(_, step)| (pair[0], step)));
        }
    }

    fn meets(&self, wanted: &Wanted<'_>, place: u32, step: Step) -> bool {
        match wanted {
            Wanted::Step(test) => self.product.graph.holds(test, self.product.state(place), step),
            Wanted::Promise(bit) => self.product.keeps(place) & bit != 0,
            Wanted::Any => true,
        }
    }

    /// A shortest way to the start of a step that meets a condition. Returns the way, the step, and where it leads.
    fn way_to_step(
        &mut self,
        from: u32,
        meets: &dyn Fn(&Self, u32, Step) -> bool,
    ) -> Option<(Vec<u32>, Step, u32)> {
        let step_of = |walker: &Self, place: u32| {
            walker
                .product
                .successors(place)
                .find(|(target, step)| walker.allowed(place, *step, *target) && meets(walker, place, *step))
        };
        let way = self.way(from, &|walker, place| step_of(walker, place).is_some())?;
        let (target, step) = step_of(self, *way.last()?)?;
        Some((way, step, target))
    }

    /// A shortest way to a wanted place that stays inside of the component.
    fn way(&mut self, from: u32, wanted: &dyn Fn(&Self, u32) -> bool) -> Option<Vec<u32>> {
        let mut touched = vec![from];
        self.parents[from as usize] = from;
        let mut found = None;
        let mut next = 0;
        while let Some(place) = touched.get(next).copied() {
            next += 1;
            if wanted(self, place) {
                found = Some(path_to(&self.parents, place));
                break;
            }
            for (target, step) in self.product.successors(place) {
                if self.parents[target as usize] == NOWHERE && self.allowed(place, step, target) {
                    self.parents[target as usize] = place;
                    touched.push(target);
                }
            }
        }
        for place in touched {
            self.parents[place as usize] = NOWHERE;
        }
        found
    }
}
