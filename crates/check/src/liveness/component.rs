//! Components of a product that hold a counterexample: strongly connected, with all that must happen again and again
//! and without what must not.
//!
//! A pair `<>[]e \/ []<>f` is met by a component with a step in which `f` holds; otherwise steps in which `e` does not hold
//! are taken out, and what remains is taken apart again. So n strong fairness conditions cost at most n further passes
//! over a component, not 2^n alternatives.

use super::Failure;
use super::letters::{Place, Step, Test};
use super::normal::Alternative;
use super::product::{Cursor, Product};
use crate::stop::Stop;

/// How many places are visited between two glances at the clock.
const VISITS_PER_GLANCE: u32 = 1 << 16;

/// What must hold on the loop of a counterexample.
pub(crate) struct Conditions {
    /// Each must hold for some step.
    pub(crate) repeats: Vec<Test>,
    /// The first must hold for all steps, or the second for some step.
    pub(crate) pairs: Vec<(Test, Test)>,
}

impl Conditions {
    pub(crate) fn new(alternative: &Alternative, places: &[Place]) -> Self {
        let test = |formula| Test::new(formula, places);
        Conditions {
            repeats: alternative.repeats.iter().map(test).collect(),
            pairs: alternative.pairs.iter().map(|(e, f)| (test(e), test(f))).collect(),
        }
    }
}

/// A component with a fair loop.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) places: Vec<u32>,
    /// The pairs whose first part must hold for all steps of the loop.
    pub(crate) kept: Vec<usize>,
}

/// What a component is good for.
enum Judgement {
    Rejected,
    Accepted,
    /// Steps that break these pairs must be taken out.
    Refine(Vec<usize>),
}

/// All components with fair loops that can be reached from `roots`.
pub(crate) fn fair_components(
    product: &Product<'_>,
    conditions: &Conditions,
    stop: &Stop,
    roots: impl Iterator<Item = u32>,
) -> Result<Vec<Component>, Failure> {
    let visits = vec![Visit::default(); product.n_places()];
    let (missing, open) = (Vec::new(), Vec::new());
    let mut finder = Finder { product, conditions, stop, visits, n_regions: 1, missing, open };
    let mut accepted = Vec::new();
    let mut waiting = Vec::new();
    finder.take_apart(0, &[], roots, &mut accepted, &mut waiting)?;
    while let Some((region, component)) = waiting.pop() {
        let Component { places, kept } = component;
        for place in &places {
            finder.visits[*place as usize].order = 0;
        }
        finder.take_apart(region, &kept, places.iter().copied(), &mut accepted, &mut waiting)?;
    }
    Ok(accepted)
}

struct Finder<'f, 'g> {
    product: &'f Product<'g>,
    conditions: &'f Conditions,
    stop: &'f Stop,
    /// What is known of each place.
    visits: Vec<Visit>,
    n_regions: u32,
    /// Of the component that is judged: what still must hold for a step.
    missing: Vec<usize>,
    /// Pairs without a step for their second part, and whether a step breaks the first part.
    open: Vec<(usize, bool)>,
}

/// What is known of a place; together, because it is read together.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Where it belongs: 0 to begin with, a number of its own for each component.
    region: u32,
    /// When it was visited; 0 is never.
    order: u32,
    low: u32,
}

impl Finder<'_, '_> {
    /// Tarjan's algorithm within a region, without recursion. Places that are done leave the region, so that all
    /// visited places that are still in it are on the stack.
    fn take_apart(
        &mut self,
        region: u32,
        kept: &[usize],
        roots: impl Iterator<Item = u32>,
        accepted: &mut Vec<Component>,
        waiting: &mut Vec<(u32, Component)>,
    ) -> Result<(), Failure> {
        let mut stack: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, Cursor)> = Vec::new();
        let mut n_visited = 0_u32;
        for root in roots {
            let Visit { region: at, order, .. } = self.visits[root as usize];
            if at != region || order != 0 {
                continue;
            }
            path.push((root, Cursor::default()));
            while let Some((place, cursor)) = path.last_mut() {
                let place = *place;
                let at = place as usize;
                if self.visits[at].order == 0 {
                    n_visited += 1;
                    if n_visited.is_multiple_of(VISITS_PER_GLANCE) && self.stop.is_due() {
                        return Err(Failure::Stopped);
                    }
                    self.visits[at] = Visit { region, order: n_visited, low: n_visited };
                    stack.push(place);
                }
                let mut child = None;
                while let Some((target, step)) = self.product.next(place, cursor) {
                    let to = self.visits[target as usize];
                    if to.region != region || !self.allowed(place, step, kept) {
                        continue;
                    }
                    if to.order == 0 {
                        child = Some(target);
                        break;
                    }
                    self.visits[at].low = self.visits[at].low.min(to.order);
                }
                if let Some(child) = child {
                    path.push((child, Cursor::default()));
                    continue;
                }
                path.pop();
                let Visit { order, low, .. } = self.visits[at];
                if let Some((parent, _)) = path.last() {
                    let parent = &mut self.visits[*parent as usize];
                    parent.low = parent.low.min(low);
                }
                if low == order {
                    self.close(place, kept, &mut stack, accepted, waiting);
                }
            }
        }
        Ok(())
    }

    /// Takes a finished component off the stack and judges it.
    fn close(
        &mut self,
        root: u32,
        kept: &[usize],
        stack: &mut Vec<u32>,
        accepted: &mut Vec<Component>,
        waiting: &mut Vec<(u32, Component)>,
    ) {
        let start = stack.iter().rposition(|place| *place == root).expect("the root is on the stack");
        let own = self.n_regions;
        self.n_regions += 1;
        for place in &stack[start..] {
            self.visits[*place as usize].region = own;
        }
        let places = &stack[start..];
        match self.judge(places, own, kept) {
            Judgement::Rejected => {}
            Judgement::Accepted => {
                accepted.push(Component { places: places.to_vec(), kept: kept.to_vec() });
            }
            Judgement::Refine(broken) => {
                let kept = kept.iter().copied().chain(broken).collect();
                waiting.push((own, Component { places: places.to_vec(), kept }));
            }
        }
        stack.truncate(start);
    }

    fn allowed(&self, place: u32, step: Step, kept: &[usize]) -> bool {
        let state = self.product.state(place);
        kept.iter().all(|pair| self.product.graph.holds(&self.conditions.pairs[*pair].0, state, step))
    }

    fn judge(&mut self, places: &[u32], region: u32, kept: &[usize]) -> Judgement {
        let Conditions { repeats, pairs } = self.conditions;
        let mut missing = std::mem::take(&mut self.missing);
        let mut open = std::mem::take(&mut self.open);
        missing.clear();
        missing.extend(0..repeats.len());
        open.clear();
        open.extend((0..pairs.len()).filter(|pair| !kept.contains(pair)).map(|pair| (pair, false)));
        let mut promises = self.product.promises;
        let mut any = false;
        let graph = &self.product.graph;
        'all: for place in places {
            let state = self.product.state(*place);
            promises &= !self.product.keeps(*place);
            for (target, step) in self.product.successors(*place) {
                if self.visits[target as usize].region != region || !self.allowed(*place, step, kept) {
                    continue;
                }
                any = true;
                missing.retain(|test| !graph.holds(&repeats[*test], state, step));
                open.retain_mut(|(pair, broken)| {
                    *broken = *broken || !graph.holds(&pairs[*pair].0, state, step);
                    !graph.holds(&pairs[*pair].1, state, step)
                });
                if promises == 0 && missing.is_empty() && open.is_empty() {
                    break 'all;
                }
            }
        }
        let judgement = if !any || promises != 0 || !missing.is_empty() {
            Judgement::Rejected
        } else if open.iter().any(|(_, broken)| *broken) {
            Judgement::Refine(open.iter().filter(|(_, broken)| *broken).map(|(pair, _)| *pair).collect())
        } else {
            Judgement::Accepted
        };
        (self.missing, self.open) = (missing, open);
        judgement
    }
}
