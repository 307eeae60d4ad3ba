//! Finds components of a product that hold a counterexample. Such a component is strongly connected, has everything
//! that must happen infinitely often, and nothing that must not.
//!
//! A pair `<>[]e \/ []<>f` is met by a component with a step for which `f` holds. Otherwise the steps for which `e`
//! does not hold are taken out, and the rest is split into components again. So n strong fairness conditions cost at
//! most n further passes over a component, not 2^n alternatives.

use kilter_base::components::{Arcs, Regions};

use super::Failure;
use super::letters::{Place, Step, Test};
use super::normal::Alternative;
use super::product::{Cursor, Product};
use crate::stop::Stop;

/// The conditions on the loop of a counterexample.
pub(crate) struct Conditions {
    /// Each must hold for some step.
    pub(crate) repeats: Vec<Test>,
    /// For each pair, the first must hold for all steps, or the second for some step.
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

/// A component that has a fair loop.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) places: Vec<u32>,
    /// The indices of the pairs whose first part must hold for all steps of the loop.
    pub(crate) kept: Vec<usize>,
}

/// The judgement about a component.
enum Judgement {
    Rejected,
    Accepted,
    /// Without the steps that break these pairs, it may have a fair loop.
    Refine(Vec<usize>),
}

/// All components with fair loops that are reachable from `roots`.
pub(crate) fn fair_components(
    product: &Product<'_>,
    conditions: &Conditions,
    stop: &Stop,
    roots: impl Iterator<Item = u32>,
) -> Result<Vec<Component>, Failure> {
    let mut regions = Regions::new(product.n_places());
    let mut finder = Finder {
        product,
        conditions,
        stop,
        accepted: Vec::new(),
        waiting: Vec::new(),
        missing: Vec::new(),
        open: Vec::new(),
    };
    finder.take_apart(&mut regions, 0, &[], roots)?;
    while let Some(Component { places, kept }) = finder.waiting.pop() {
        regions.reset(&places);
        let region = regions.of(places[0]);
        finder.take_apart(&mut regions, region, &kept, places.iter().copied())?;
    }
    Ok(finder.accepted)
}

struct Finder<'f, 'g> {
    product: &'f Product<'g>,
    conditions: &'f Conditions,
    stop: &'f Stop,
    accepted: Vec<Component>,
    /// Components that are to be searched again without some steps.
    waiting: Vec<Component>,
    /// For the component that is judged: the repeats for which no step was found yet.
    missing: Vec<usize>,
    /// For the component that is judged: the pairs for whose second part no step was found yet, and whether a step
    /// breaks the first part.
    open: Vec<(usize, bool)>,
}

/// The product without the steps that break the first part of these pairs.
struct Kept<'k, 'g> {
    product: &'k Product<'g>,
    conditions: &'k Conditions,
    pairs: &'k [usize],
}

impl Kept<'_, '_> {
    fn allows(&self, place: u32, step: Step) -> bool {
        let state = self.product.state(place);
        let mut pairs = self.pairs.iter();
        pairs.all(|pair| self.product.graph.holds(&self.conditions.pairs[*pair].0, state, step))
    }
}

impl Arcs for Kept<'_, '_> {
    type Cursor = Cursor;

    fn next(&self, place: u32, cursor: &mut Cursor, inside: impl Fn(u32) -> bool) -> Option<u32> {
        while let Some((target, step)) = self.product.next(place, cursor) {
            if inside(target) && self.allows(place, step) {
                return Some(target);
            }
        }
        None
    }
}

impl Finder<'_, '_> {
    /// Splits a region into components and judges them.
    fn take_apart(
        &mut self,
        regions: &mut Regions,
        region: u32,
        kept: &[usize],
        roots: impl Iterator<Item = u32>,
    ) -> Result<(), Failure> {
        let arcs = Kept { product: self.product, conditions: self.conditions, pairs: kept };
        let stop = self.stop;
        let mut found = |regions: &Regions, places: &[u32]| match self.judge(regions, places, &arcs) {
            Judgement::Rejected => {}
            Judgement::Accepted => {
                self.accepted.push(Component { places: places.to_vec(), kept: kept.to_vec() });
            }
            Judgement::Refine(broken) => {
                let kept = kept.iter().copied().chain(broken).collect();
                self.waiting.push(Component { places: places.to_vec(), kept });
            }
        };
        let result = regions.take_apart(region, &arcs, roots, &mut found, &mut || !stop.is_due());
        result.map_err(|_| Failure::Stopped)
    }

    fn judge(&mut self, regions: &Regions, places: &[u32], arcs: &Kept<'_, '_>) -> Judgement {
        let Conditions { repeats, pairs } = self.conditions;
        let region = regions.of(places[0]);
        let mut missing = std::mem::take(&mut self.missing);
        let mut open = std::mem::take(&mut self.open);
        missing.clear();
        missing.extend(0..repeats.len());
        open.clear();
        open.extend((0..pairs.len()).filter(|pair| !arcs.pairs.contains(pair)).map(|pair| (pair, false)));
        let mut promises = self.product.promises;
        let mut any = false;
        let graph = &self.product.graph;
        'all: for place in places {
            let state = self.product.state(*place);
            promises &= !self.product.keeps(*place);
            for (target, step) in self.product.successors(*place) {
                if regions.of(target) != region || !arcs.allows(*place, step) {
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
