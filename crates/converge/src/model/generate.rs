//! Counts and lists all schedules of a model, and finds the schedule with a given number.
//!
//! Of steps that are equal up to exchanging replicas in equal state, only the first is taken. The walk is depth-first
//! and keeps one schedule in memory. To find a schedule by its number, the number of schedules after each state is
//! needed. It is kept for states up to renaming, which are few even where schedules are many.

use rustc_hash::FxHashMap;

use super::Model;
use super::state::{State, Symmetry};
use crate::step::Step;

/// The schedules of a model.
pub struct Schedules<'m> {
    model: &'m Model,
    symmetry: Symmetry,
    below: FxHashMap<State, u64>,
}

impl<'m> Schedules<'m> {
    /// The schedules of this model.
    pub fn new(model: &'m Model) -> Self {
        Self { model, symmetry: Symmetry::new(model.replicas), below: FxHashMap::default() }
    }

    /// The possible next steps, up to exchanging replicas in equal state.
    pub fn steps(&self, state: &State) -> Vec<(Step, State)> {
        let mut steps = self.model.steps(state);
        let same = self.symmetry.of(state);
        if same.len() > 1 {
            // The first step of an orbit is the one that no renaming turns into an earlier step.
            let order: FxHashMap<Step, usize> =
                steps.iter().enumerate().map(|(index, (step, _))| (step.clone(), index)).collect();
            let mut index = 0;
            steps.retain(|(step, _)| {
                let is_first =
                    same.iter().all(|names| order.get(&step.renamed(names)).is_none_or(|at| *at >= index));
                index += 1;
                is_first
            });
        }
        steps
    }

    /// The number of schedules, or `u64::MAX` if there are more.
    pub fn count(&mut self) -> u64 {
        self.count_below(&self.model.initial())
    }

    fn count_below(&mut self, state: &State) -> u64 {
        if self.model.is_final(state) {
            return 1;
        }
        let least = self.symmetry.least(state);
        if let Some(count) = self.below.get(&least) {
            return *count;
        }
        let steps = self.steps(state);
        let count = steps.iter().fold(0u64, |sum, (_, next)| sum.saturating_add(self.count_below(next)));
        self.below.insert(least, count);
        count
    }

    /// The schedule with this number, from 0. `None` if there are not that many.
    pub fn get(&mut self, mut number: u64) -> Option<Vec<Step>> {
        let mut schedule = Vec::new();
        let mut state = self.model.initial();
        'step: while !self.model.is_final(&state) {
            for (step, next) in self.steps(&state) {
                let count = self.count_below(&next);
                if number < count {
                    schedule.push(step);
                    state = next;
                    continue 'step;
                }
                number -= count;
            }
            return None;
        }
        (number == 0).then_some(schedule)
    }

    /// Calls `visit` with each schedule in order, until it returns `false`.
    pub fn each(&self, visit: &mut dyn FnMut(&[Step]) -> bool) {
        self.walk(&self.model.initial(), &mut Vec::new(), visit);
    }

    fn walk(&self, state: &State, path: &mut Vec<Step>, visit: &mut dyn FnMut(&[Step]) -> bool) -> bool {
        if self.model.is_final(state) {
            return visit(path);
        }
        for (step, next) in self.steps(state) {
            path.push(step);
            let goes_on = self.walk(&next, path, visit);
            path.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rules;
    use super::*;

    #[track_caller]
    fn check(rules: &str, replicas: u8, ops: u8, expected: u64) {
        let rules = Rules::built_in(rules).expect("a built-in model");
        let model = Model::new(rules, replicas, ops).expect("a fine size");
        let mut schedules = Schedules::new(&model);
        let mut listed = 0u64;
        schedules.each(&mut |_| {
            listed += 1;
            true
        });
        assert_eq!((listed, schedules.count()), (expected, expected));
    }

    #[test]
    fn quorum_with_one_operation() {
        check("quorum", 3, 1, 6);
    }

    #[test]
    fn quorum_with_two_operations() {
        check("quorum", 3, 2, 80);
    }

    #[test]
    fn quorum_with_three_operations() {
        check("quorum", 3, 3, 1035);
    }

    #[test]
    fn quorum_with_four_operations() {
        check("quorum", 3, 4, 13_381);
    }

    #[test]
    fn quorum_of_four() {
        check("quorum", 4, 3, 3428);
    }

    #[test]
    fn crash_and_link() {
        check("crash-and-link", 2, 1, 8);
        check("crash-and-link", 2, 2, 96);
    }

    #[test]
    fn link() {
        check("link", 3, 1, 12);
        check("link", 3, 2, 324);
    }

    #[test]
    fn pause() {
        check("pause", 4, 1, 624);
        check("pause", 4, 2, 16_424);
    }

    #[test]
    fn numbers_follow_the_list() {
        let model = Model::new(Rules::Quorum, 3, 2).expect("a fine size");
        let mut listed = Vec::new();
        Schedules::new(&model).each(&mut |schedule| {
            listed.push(schedule.to_vec());
            true
        });
        let mut schedules = Schedules::new(&model);
        let numbered: Vec<_> = (0..).map_while(|number| schedules.get(number)).collect();
        assert_eq!(numbered, listed);
    }
}
