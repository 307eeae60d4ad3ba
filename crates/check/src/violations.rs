//! Violations in a search that goes on after them: the first of each property, in the order in which a search would
//! find them that takes one step after the other.

use kilter_base::Name;

use crate::chunk::{Event, What};
use crate::outcome::{Limit, Verdict};

/// The violations found so far.
#[derive(Default)]
pub(crate) struct Violations {
    listed: Vec<Event>,
    /// The violations of the current block, each with its place.
    waiting: Vec<(Place, Event)>,
}

/// When a violation is found. States come before the steps that are taken after they were found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    /// The number of states that had been found by then.
    n_states: u32,
    is_step: bool,
}

impl Place {
    /// The place of a state, when it is checked.
    pub(crate) fn state(id: u32) -> Self {
        Place { n_states: id + 1, is_step: false }
    }

    /// The place of a step, or of a state without steps.
    pub(crate) fn step(n_states: u32) -> Self {
        Place { n_states, is_step: true }
    }
}

impl Violations {
    /// Adds a violation of the current block.
    pub(crate) fn add(&mut self, place: Place, event: Event) {
        self.waiting.push((place, event));
    }

    /// Ends a block. If the search ends in it, at `end`, later violations do not count.
    pub(crate) fn end_block(&mut self, end: Option<Place>) {
        self.waiting.sort_by_key(|(place, _)| *place);
        for (place, event) in std::mem::take(&mut self.waiting) {
            let too_late = end.is_some_and(|end| place > end);
            if !too_late && !self.listed.iter().any(|listed| listed.what.is_like(&event.what)) {
                self.listed.push(event);
            }
        }
    }

    /// The violations of all blocks so far, in order.
    pub(crate) fn listed(&self) -> &[Event] {
        &self.listed
    }

    /// Goes on with these violations.
    pub(crate) fn resume(&mut self, listed: Vec<Event>) {
        self.listed = listed;
    }

    /// Takes out the violations of all blocks, in order.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.listed)
    }
}

impl What {
    /// Whether both are violations of the same property.
    pub(crate) fn is_like(&self, other: &What) -> bool {
        match (self, other) {
            (What::Deadlock, What::Deadlock) => true,
            _ => self.property().is_some() && self.property() == other.property(),
        }
    }

    fn property(&self) -> Option<&Name> {
        match self {
            What::Invariant(name) | What::Property(name) => Some(name),
            What::Deadlock | What::Error(_) | What::Disk => None,
        }
    }
}

/// How a search ended: its verdict, what else is violated, and the limit that ended it after a violation.
pub(crate) struct Conclusion {
    pub(crate) verdict: Verdict,
    pub(crate) others: Vec<Verdict>,
    pub(crate) limit: Option<Limit>,
}

/// The verdict is the first of `listed`, or `end` if there is none.
pub(crate) fn conclude(mut listed: Vec<Verdict>, end: Verdict) -> Conclusion {
    if listed.is_empty() {
        return Conclusion { verdict: end, others: Vec::new(), limit: None };
    }
    let verdict = listed.remove(0);
    let mut limit = None;
    match end {
        Verdict::Holds => {}
        Verdict::Bounded(by) => limit = Some(by),
        other => listed.push(other),
    }
    Conclusion { verdict, others: listed, limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(violations: &mut Violations) -> Vec<String> {
        let name = |event: Event| event.what.property().map_or("deadlock".to_owned(), ToString::to_string);
        violations.take().into_iter().map(name).collect()
    }

    fn event(what: What) -> Event {
        Event { source: None, successor: None, what }
    }

    fn invariant(name: &str) -> Event {
        event(What::Invariant(Name::from(name)))
    }

    #[test]
    fn a_state_comes_before_the_step_to_it_and_after_earlier_steps() {
        let mut violations = Violations::default();
        violations.add(Place::step(5), event(What::Property(Name::from("P"))));
        violations.add(Place::step(4), event(What::Deadlock));
        violations.add(Place::state(4), invariant("I"));
        violations.end_block(None);
        assert_eq!(names(&mut violations), ["deadlock", "I", "P"]);
    }

    #[test]
    fn only_the_first_violation_of_a_property_is_listed() {
        let mut violations = Violations::default();
        violations.add(Place::state(3), invariant("I"));
        violations.end_block(None);
        violations.add(Place::state(7), invariant("I"));
        violations.add(Place::state(8), invariant("J"));
        violations.end_block(None);
        assert_eq!(names(&mut violations), ["I", "J"]);
    }

    #[test]
    fn what_comes_after_the_end_does_not_count() {
        let mut violations = Violations::default();
        violations.add(Place::state(3), invariant("I"));
        violations.add(Place::step(6), event(What::Deadlock));
        violations.end_block(Some(Place::state(4)));
        assert_eq!(names(&mut violations), ["I"]);
    }
}
