//! Handles a state at which the search arrives: whether it was seen before, and what can happen there.

use kilter_testbed::Trouble;

use super::{Explorer, Left, anywhere, with_natures};
use crate::path::{Choice, End, Frame};
use crate::subject::{Footprint, Kind, Likeness, Subject};
use crate::waiting;

impl<S: Subject> Explorer<'_, S> {
    /// Arrives at a new state. Adds its frame, unless the sequence ends here.
    pub(super) fn arrive(&mut self) -> Result<Option<End>, Trouble> {
        let (depth, faults) = self.progress_so_far();
        let events = self.subject.enabled();
        let fingerprint = self.fingerprint();
        let may_break = self.options.faults_anywhere && faults < self.options.faults;
        if events.is_empty() && (!may_break || self.is_end()) {
            return Ok(Some(self.quiet()));
        }
        if depth >= self.options.depth || self.strategy.is_long_enough(&self.path) {
            return self.cut().map(Some);
        }
        if self.was_seen(fingerprint, depth, faults) {
            self.strategy.ended(&self.path, End::Pruned, &[], &[]);
            return Ok(Some(End::Pruned));
        }
        let mut choices = with_natures(&self.subject, events);
        let waits = waiting::advance(&self.path, &choices, self.subject.n_nodes());
        waiting::sort(&mut choices, &waits);
        let stand_ins = self.reduce(&mut choices);
        if may_break {
            choices.extend(anywhere(&self.subject, self.options));
        }
        let blocked = with_natures(&self.subject, self.subject.blocked());
        self.push(Frame {
            choices,
            stand_ins,
            blocked,
            critical: false,
            chosen: None,
            touched: Footprint::default(),
            undone: false,
            depth,
            faults,
            waits,
        });
        Ok(None)
    }

    /// Whether a sequence ends where no event is possible, although a fault may still happen: something is wrong already,
    /// or no fault fits.
    fn is_end(&self) -> bool {
        self.subject.reached() == Some(false) || anywhere(&self.subject, self.options).is_empty()
    }

    /// The number of steps since the last fault, and the number of faults, in the state after the path.
    pub(super) fn progress_so_far(&self) -> (u32, u32) {
        let Some(frame) = self.path.frames.last() else { return (0, 0) };
        let broke = frame.taken().is_some_and(|choice| choice.nature.kind == Kind::Fault);
        if broke { (0, frame.faults + 1) } else { (frame.depth + 1, frame.faults) }
    }

    fn fingerprint(&mut self) -> Option<u64> {
        if !self.options.matching && !self.options.count_states {
            return None;
        }
        let fingerprint = self.subject.fingerprint();
        self.states.insert(fingerprint);
        self.counts.states = self.states.len() as u64;
        Some(fingerprint)
    }

    /// Whether the state was seen before with at least as many steps and faults left.
    fn was_seen(&mut self, fingerprint: Option<u64>, depth: u32, faults: u32) -> bool {
        if !self.options.matching || !self.subject.is_seen_whole() || !self.strategy.may_match(&self.path) {
            return false;
        }
        let Some(fingerprint) = fingerprint else { return false };
        let left = Left { steps: self.options.depth - depth, faults: self.options.faults - faults };
        // The same state with another number of faults left counts as another state.
        let key = fingerprint ^ u64::from(left.faults).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.seen.get(&key) {
            Some(seen) if seen.steps >= left.steps && seen.faults >= left.faults => true,
            _ => {
                self.seen.insert(key, left);
                false
            }
        }
    }

    /// Of similar events on peers, keeps the one that has waited longest (Algorithm 4). Returns the others, each with
    /// the index of the one that stands for it.
    fn reduce(&mut self, choices: &mut Vec<Choice<S::Event>>) -> Vec<(Choice<S::Event>, usize)> {
        let Some(wanted) = self.options.peers else { return Vec::new() };
        let mut kept: Vec<Choice<S::Event>> = Vec::new();
        let mut stand_ins = Vec::new();
        for choice in choices.drain(..) {
            let like = |other: &Choice<S::Event>| {
                let possible = other.nature.kind == choice.nature.kind;
                possible
                    .then(|| self.subject.likeness(&other.event, &choice.event))
                    .filter(|found| *found >= wanted)
            };
            match kept.iter().enumerate().find_map(|(place, other)| Some((place, like(other)?))) {
                Some((place, likeness)) => {
                    self.counts.peers += 1;
                    self.counts.peers_unlike += u64::from(likeness < Likeness::Alike);
                    stand_ins.push((choice, place));
                }
                None => kept.push(choice),
            }
        }
        *choices = kept;
        stand_ins
    }
}
