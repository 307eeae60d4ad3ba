//! Decides whether a formula holds for a behavior that repeats itself. It follows the definitions of `[]` and `<>` and
//! does not try to be fast, because counterexamples are checked against it.

use kilter_eval::temporal::Formula;

/// A behavior as literals see it: for each position, whether a literal holds for the step from there. After the last
/// position comes `cycle_start` again.
pub(crate) struct Word<'w> {
    pub(crate) n_positions: usize,
    pub(crate) cycle_start: usize,
    pub(crate) literal: &'w dyn Fn(usize, u32) -> bool,
}

impl Word<'_> {
    /// Whether a formula holds for the whole behavior.
    pub(crate) fn satisfies(&self, formula: &Formula) -> bool {
        self.values(formula)[0]
    }

    /// The value of a formula for the suffix from each position on.
    fn values(&self, formula: &Formula) -> Vec<bool> {
        let positions = 0..self.n_positions;
        match formula {
            Formula::Bool(value) => positions.map(|_| *value).collect(),
            Formula::Literal { literal, positive } => {
                positions.map(|position| (self.literal)(position, *literal) == *positive).collect()
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let and = matches!(formula, Formula::And(_));
                let parts: Vec<Vec<bool>> = parts.iter().map(|part| self.values(part)).collect();
                let decided = |position: usize| parts.iter().any(|part| part[position] != and);
                positions.map(|position| decided(position) != and).collect()
            }
            Formula::Always(body) => {
                let body = self.values(body);
                positions.map(|position| self.later(position).all(|later| body[later])).collect()
            }
            Formula::Eventually(body) => {
                let body = self.values(body);
                positions.map(|position| self.later(position).any(|later| body[later])).collect()
            }
        }
    }

    /// All positions at or after one.
    fn later(&self, position: usize) -> std::ops::Range<usize> {
        position.min(self.cycle_start)..self.n_positions
    }
}
