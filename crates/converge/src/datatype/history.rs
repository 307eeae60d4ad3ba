//! Which edits each replica should have. An edit depends on all that its replica had when it was made. A replica that
//! gets an update before those on which it depends keeps it until they come.

use super::Effect;
use crate::step::Replica;

/// The most edits of a schedule.
pub const EDITS_MAX: u32 = 63;

/// A set of edits, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edits(u64);

impl Edits {
    /// Adds an edit.
    pub fn insert(&mut self, number: u32) {
        self.0 |= 1 << number;
    }

    /// Whether it has an edit.
    pub fn has(self, number: u32) -> bool {
        self.0 & (1 << number) != 0
    }

    fn and(self, other: Edits) -> Edits {
        Edits(self.0 | other.0)
    }

    fn without(self, other: Edits) -> Edits {
        Edits(self.0 & !other.0)
    }

    fn is_in(self, other: Edits) -> bool {
        self.without(other).0 == 0
    }

    /// The numbers of its edits.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (0..=EDITS_MAX).filter(move |number| self.has(*number))
    }
}

/// An edit that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What its replica had before.
    pub after: Edits,
    /// The update for other replicas.
    pub update: Vec<u8>,
    /// What it did.
    pub effects: Vec<Effect>,
}

/// The edits of a replica.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    edits: Edits,
    /// Updates that came too early.
    early: Edits,
}

/// All edits of a schedule, and who has them. Edit 0 is the beginning, which everybody has.
#[derive(Clone, Debug)]
pub struct History {
    made: Vec<Made>,
    held: Vec<Held>,
}

impl History {
    /// The history of so many replicas, before the first edit.
    pub fn new(replicas: u8, beginning: Vec<Effect>) -> History {
        let made = vec![Made { after: Edits::default(), update: Vec::new(), effects: beginning }];
        History { made, held: vec![Held { edits: Edits(1), early: Edits::default() }; replicas.into()] }
    }

    /// The number of the next edit.
    pub fn next(&self) -> u32 {
        self.made.len() as u32
    }

    /// All edits, in order, with their numbers.
    pub fn made(&self) -> impl Iterator<Item = (u32, &Made)> {
        (0u32..).zip(&self.made)
    }

    /// The update of an edit. `None` if there is no such edit.
    pub fn update(&self, number: u32) -> Option<&[u8]> {
        (number > 0).then(|| self.made.get(number as usize).map(|made| made.update.as_slice())).flatten()
    }

    /// A replica has made an edit.
    pub fn edited(&mut self, at: Replica, update: Vec<u8>, effects: Vec<Effect>) {
        let number = self.next();
        let after = self.held[at.index()].edits;
        self.made.push(Made { after, update, effects });
        self.held[at.index()].edits.insert(number);
    }

    /// A replica got the update of an edit.
    pub fn delivered(&mut self, to: Replica, number: u32) {
        self.held[to.index()].early.insert(number);
        self.settle(to);
    }

    /// A replica got what another one has.
    pub fn pulled(&mut self, to: Replica, from: Replica) {
        self.held[to.index()].edits = self.edits(to).and(self.edits(from));
        self.settle(to);
    }

    /// The edits that a replica has, without updates that came too early.
    pub fn edits(&self, of: Replica) -> Edits {
        self.held[of.index()].edits
    }

    /// A replica starts again with these edits. It is not said that it keeps updates that came too early.
    pub fn loaded(&mut self, who: Replica, edits: Edits) {
        self.held[who.index()] = Held { edits, early: Edits::default() };
    }

    /// Everybody has synced with everybody. Returns the edits that all must have now.
    pub fn converged(&mut self) -> Edits {
        loop {
            let before: Vec<Edits> = self.held.iter().map(|held| held.edits).collect();
            let all = before.iter().fold(Edits::default(), |all, one| all.and(*one));
            for who in Replica::all(self.held.len() as u8) {
                self.held[who.index()].edits = all;
                self.settle(who);
            }
            if self.held.iter().all(|held| held.edits == all) {
                return all;
            }
        }
    }

    fn settle(&mut self, who: Replica) {
        let Held { mut edits, mut early } = self.held[who.index()];
        loop {
            let ready = early.numbers().find(|number| self.made[*number as usize].after.is_in(edits));
            let Some(number) = ready else { break };
            edits.insert(number);
            early = early.without(edits);
        }
        self.held[who.index()] = Held { edits, early: early.without(edits) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(edits: Edits) -> Vec<u32> {
        edits.numbers().collect()
    }

    #[test]
    fn an_early_update_waits() {
        let [a, b, c] = [Replica(0), Replica(1), Replica(2)];
        let mut history = History::new(3, Vec::new());
        history.edited(a, Vec::new(), Vec::new());
        history.edited(a, Vec::new(), Vec::new());
        history.delivered(b, 2);
        assert_eq!(numbers(history.edits(b)), [0]);
        history.pulled(c, b);
        assert_eq!(numbers(history.edits(c)), [0]);
        history.delivered(b, 1);
        assert_eq!(numbers(history.edits(b)), [0, 1, 2]);
    }

    #[test]
    fn what_nobody_has_any_more_is_lost() {
        let [a, b] = [Replica(0), Replica(1)];
        let mut history = History::new(2, Vec::new());
        let saved = history.edits(a);
        history.edited(a, Vec::new(), Vec::new());
        history.edited(a, Vec::new(), Vec::new());
        history.delivered(b, 2);
        history.loaded(a, saved);
        assert_eq!(numbers(history.clone().converged()), [0]);
        history.delivered(a, 1);
        assert_eq!(numbers(history.converged()), [0, 1, 2]);
    }
}
