//! Watches how large the values of each variable get from level to level, to tell which variable has no bound.
//!
//! A search can't know that a variable has no bound. It can see that a variable got larger again and again, up to the
//! last levels. That is a hint, and only worth one if the search does not end.

use kilter_base::Name;
use kilter_value::{Store, Value, View};
use serde::{Deserialize, Serialize};

use crate::space::Space;

/// The most states of a level whose values are measured. They lie evenly in the level.
const STATES_MAX: u32 = 64;
/// The most parts of a value that are looked at.
const PARTS_MAX: u64 = 10_000;
/// A variable grows if it got larger in each quarter of this many last levels, or of half of all levels.
const LEVELS_MAX: u32 = 16;
const LEVELS_MIN: u32 = 4;

/// A variable whose values got larger and larger until the search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grown {
    /// The name of the variable.
    pub variable: Name,
    /// What got larger.
    pub measure: Measure,
    /// The largest value, as measured, up to some depths. The last depth is that of the last whole level.
    pub by_depth: Vec<(u32, u64)>,
}

/// How the size of a value is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The number of its elements, with the elements of elements.
    Elements,
    /// The largest integer in it, without its sign.
    Number,
}

/// The sizes of all variables so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Growth {
    depth: u32,
    /// For each variable, its number of elements and its largest number.
    variables: Vec<[Series; 2]>,
}

/// One measure of one variable, by depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Series {
    largest: u64,
    /// For each of the last 32 levels, whether `largest` rose there. The last level is the lowest bit.
    rose: u32,
    /// The largest size up to depths 1, 2, 4, 8 and so on.
    by_depth: Vec<(u32, u64)>,
}

impl Growth {
    pub(crate) fn new(n_variables: usize) -> Growth {
        Growth { depth: 0, variables: vec![Default::default(); n_variables] }
    }

    /// Measures the states of the next level.
    pub(crate) fn level(&mut self, store: &Store, space: &Space, level: std::ops::Range<u32>) {
        self.depth += 1;
        let step = (level.len() as u32).div_ceil(STATES_MAX).max(1);
        let mut sizes = vec![[0; 2]; self.variables.len()];
        // What grows is often largest in the last state.
        let last = level.clone().next_back();
        for state in level.step_by(step as usize).chain(last) {
            for (largest, value) in sizes.iter_mut().zip(&*space.any_row(state)) {
                let [elements, number] = size(store, *value);
                *largest = [largest[0].max(elements), largest[1].max(number)];
            }
        }
        for (series, sizes) in self.variables.iter_mut().zip(sizes) {
            for (series, size) in series.iter_mut().zip(sizes) {
                series.add(self.depth, size);
            }
        }
    }

    /// The variables that have grown up to the last level.
    pub(crate) fn grown(&self, names: &[Name]) -> Vec<Grown> {
        let of = |(name, [elements, number]): (&Name, &[Series; 2])| {
            let both = [(Measure::Elements, elements), (Measure::Number, number)];
            let (measure, series) = both.into_iter().find(|(_, series)| series.grows(self.depth))?;
            let mut by_depth = series.by_depth.clone();
            by_depth.retain(|(depth, _)| *depth < self.depth);
            by_depth.push((self.depth, series.largest));
            Some(Grown { variable: name.clone(), measure, by_depth })
        };
        names.iter().zip(&self.variables).filter_map(of).collect()
    }
}

impl Series {
    fn add(&mut self, depth: u32, size: u64) {
        self.rose = self.rose << 1 | u32::from(size > self.largest);
        self.largest = self.largest.max(size);
        if depth.is_power_of_two() {
            self.by_depth.push((depth, self.largest));
        }
    }

    fn grows(&self, depth: u32) -> bool {
        if depth <= LEVELS_MIN {
            return false;
        }
        let quarter = (depth / 2).clamp(LEVELS_MIN, LEVELS_MAX) / 4;
        (0..4).all(|n| self.rose >> (n * quarter) & ((1 << quarter) - 1) != 0)
    }
}

/// The number of elements of a value, with those of its elements, and the largest integer in it.
fn size(store: &Store, value: Value) -> [u64; 2] {
    let (mut n_elements, mut number) = (0, 0);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let elems = match store.view(value) {
            View::Int(n) => {
                number = number.max(n.unsigned_abs().into());
                continue;
            }
            View::Interval { lo, hi } => {
                n_elements += u64::from(hi.abs_diff(lo)) + 1;
                number = number.max(lo.unsigned_abs().max(hi.unsigned_abs()).into());
                continue;
            }
            View::Set(elems) | View::Record { values: elems, .. } => elems.into(),
            View::Tuple(elems) => elems,
            View::Function { domain, values } => {
                open.push(domain);
                values.into()
            }
            _ => continue,
        };
        n_elements += elems.len() as u64;
        if n_elements <= PARTS_MAX {
            open.extend(elems);
        }
    }
    [n_elements, number]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a variable with these sizes, level by level, grows.
    fn grows(sizes: impl IntoIterator<Item = u64>) -> bool {
        let mut series = Series::default();
        let mut n = 0;
        for (depth, size) in (1..).zip(sizes) {
            series.add(depth, size);
            n = depth;
        }
        series.grows(n)
    }

    #[test]
    fn what_rises_to_the_end_grows() {
        assert!(grows(0..10));
        assert!(grows((0..100).map(|n| n / 4)));
        assert!(grows((0..1000).map(|n| n / 4 * 7)));
    }

    #[test]
    fn what_has_come_to_its_bound_does_not() {
        assert!(!grows((0..100).map(|n| n.min(60))));
        assert!(!grows((0..100).map(|n| n % 10)));
        assert!(!grows(0..3));
        assert!(!grows([]));
    }

    #[test]
    fn sizes_count_what_is_inside() {
        let store = Store::new();
        let pair = store.tuple(&[store.int(-9), store.string("a")]);
        assert_eq!(size(&store, pair), [2, 9]);
        assert_eq!(size(&store, store.tuple(&[pair, pair])), [6, 9]);
        assert_eq!(size(&store, store.interval(1, 5)), [5, 5]);
    }
}
