//! What clients have done and seen, and whether the store has kept its promise to them.
//!
//! Clients make one operation after another, so only a write that was not answered can happen late: at any moment after
//! its request, or never. That makes Wing and Gong's search for an order of all operations a short one.

use std::collections::{BTreeMap, BTreeSet};

use super::ledger::held;
use crate::step::Replica;
use crate::store::{Contents, Promise};

/// How a write was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is made.
    Acknowledged,
    /// It is not made, and never will be.
    Refused,
    /// Nobody knows.
    Open,
}

/// Something that a client has done.
#[derive(Clone, Debug)]
enum Operation {
    Write { number: u8, keys: Vec<String>, fate: Fate },
    Read { at: Replica, found: Contents },
}

/// The number of the write that each key has.
type Values = BTreeMap<String, u8>;

/// All operations of a schedule so far, in order.
#[derive(Clone, Debug, Default)]
pub struct History {
    operations: Vec<Operation>,
    /// The number of reads that no node answered.
    pub n_unanswered: u64,
}

impl History {
    /// Enters a write.
    pub fn wrote(&mut self, number: u8, keys: Vec<String>, fate: Fate) {
        self.operations.push(Operation::Write { number, keys, fate });
    }

    /// Enters what a client has read at a replica. Returns how that breaks the promise, if it does.
    pub fn read(&mut self, at: Replica, found: Contents, promise: Promise) -> Option<String> {
        let broken = match promise {
            Promise::Nothing => None,
            Promise::Sessions => self.went_back(&found),
            Promise::Linearizable => (!self.explains(&found)).then(|| self.contradiction(&found)),
        };
        let writes = self.numbers(&found);
        self.operations.push(Operation::Read { at, found });
        broken.map(|why| format!("a client of {at} read {}, {why}", listed(&writes)))
    }

    /// The number of reads that were answered.
    pub fn n_reads(&self) -> u64 {
        self.operations.iter().filter(|one| matches!(one, Operation::Read { .. })).count() as u64
    }

    /// The writes that were refused, and are there.
    pub fn refused_but_made(&self, found: &Contents) -> Vec<u8> {
        let made = |operation: &Operation| match operation {
            Operation::Write { number, keys, fate: Fate::Refused } => {
                keys.iter().any(|key| held(key, found) == Some(*number)).then_some(*number)
            }
            _ => None,
        };
        self.operations.iter().filter_map(made).collect()
    }

    /// Whether some order of the operations, in which each takes effect between its request and its answer, explains
    /// this as the result of a read that comes last.
    pub fn explains(&self, found: &Contents) -> bool {
        Search { history: self, found, known: BTreeSet::new() }.go(0, &Values::new(), &BTreeSet::new())
    }

    /// The keys of all writes.
    fn keys(&self) -> BTreeSet<&String> {
        let mut all = BTreeSet::new();
        for operation in &self.operations {
            if let Operation::Write { keys, .. } = operation {
                all.extend(keys);
            }
        }
        all
    }

    /// The values of the keys that clients have written.
    fn values(&self, found: &Contents) -> Values {
        self.keys().into_iter().filter_map(|key| Some((key.clone(), held(key, found)?))).collect()
    }

    fn numbers(&self, found: &Contents) -> BTreeSet<u8> {
        self.values(found).into_values().collect()
    }

    /// What a client has written or read before, and does not read any more.
    fn went_back(&self, found: &Contents) -> Option<String> {
        let now = self.values(found);
        let mut before: BTreeMap<String, (u8, String)> = BTreeMap::new();
        for operation in &self.operations {
            let (values, how) = match operation {
                Operation::Write { number, keys, fate: Fate::Acknowledged } => {
                    (keys.iter().map(|key| (key.clone(), *number)).collect(), "was acknowledged".to_owned())
                }
                Operation::Write { .. } => continue,
                Operation::Read { at, found } => (self.values(found), format!("it had read at {at}")),
            };
            for (key, number) in values {
                if before.get(&key).is_none_or(|(known, _)| *known < number) {
                    before.insert(key, (number, how.clone()));
                }
            }
        }
        let gone = before.into_iter().find(|(key, (number, _))| now.get(key).is_none_or(|has| has < number));
        gone.map(|(_, (number, how))| format!("without write {number}, which {how} before"))
    }

    /// Why no order of the operations explains a read, in the simplest words that are true.
    fn contradiction(&self, found: &Contents) -> String {
        if let Some(gone) = self.went_back(found) {
            return gone;
        }
        match self.refused_but_made(found)[..] {
            [number, ..] => format!("with write {number}, which was refused before"),
            [] => "and no order of the operations explains that".to_owned(),
        }
    }
}

fn listed(writes: &BTreeSet<u8>) -> String {
    let numbers: Vec<String> = writes.iter().map(ToString::to_string).collect();
    match &numbers[..] {
        [] => "no write".to_owned(),
        [one] => format!("write {one}"),
        many => format!("writes {}", many.join(" ")),
    }
}

/// The search for an order. Writes that were not answered are tried wherever they can be.
struct Search<'h> {
    history: &'h History,
    /// What is read last.
    found: &'h Contents,
    /// Where the search was already.
    known: BTreeSet<(usize, Values, BTreeSet<usize>)>,
}

impl Search<'_> {
    /// Whether the operations from `index` on can follow. `late` has the writes that were not answered and have not taken
    /// effect.
    fn go(&mut self, index: usize, values: &Values, late: &BTreeSet<usize>) -> bool {
        if !self.known.insert((index, values.clone(), late.clone())) {
            return false;
        }
        let history = self.history;
        let goes_on = match history.operations.get(index) {
            None => return self.reaches(self.found, values, late, None),
            Some(Operation::Read { found, .. }) => self.reaches(found, values, late, Some(index + 1)),
            Some(Operation::Write { fate: Fate::Refused, .. }) => self.go(index + 1, values, late),
            Some(Operation::Write { fate: Fate::Open, .. }) => {
                let late: BTreeSet<usize> = late.iter().copied().chain([index]).collect();
                self.go(index + 1, values, &late)
            }
            Some(Operation::Write { fate: Fate::Acknowledged, .. }) => {
                self.go(index + 1, &self.after(index, values), late)
            }
        };
        goes_on || late.iter().any(|one| self.go(index, &self.after(*one, values), &without(late, *one)))
    }

    /// Whether a read can give this result here, perhaps after writes that were not answered, and `next` can follow.
    fn reaches(
        &mut self,
        found: &Contents,
        values: &Values,
        late: &BTreeSet<usize>,
        next: Option<usize>,
    ) -> bool {
        let is_it = self.history.values(found) == *values;
        if is_it && next.is_none_or(|next| self.go(next, values, late)) {
            return true;
        }
        late.iter().any(|one| self.reaches(found, &self.after(*one, values), &without(late, *one), next))
    }

    /// The values after a write.
    fn after(&self, index: usize, values: &Values) -> Values {
        let mut values = values.clone();
        if let Some(Operation::Write { number, keys, .. }) = self.history.operations.get(index) {
            values.extend(keys.iter().map(|key| (key.clone(), *number)));
        }
        values
    }
}

fn without(late: &BTreeSet<usize>, one: usize) -> BTreeSet<usize> {
    late.iter().copied().filter(|other| *other != one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::write_of;

    fn contents(pairs: &[(&str, u8)]) -> Contents {
        pairs.iter().map(|(key, number)| ((*key).to_owned(), write_of(*number).1)).collect()
    }

    fn history(writes: &[(u8, &[&str], Fate)]) -> History {
        let mut history = History::default();
        for (number, keys, fate) in writes {
            history.wrote(*number, keys.iter().map(|key| (*key).to_owned()).collect(), *fate);
        }
        history
    }

    #[test]
    fn an_acknowledged_write_is_read() {
        let history = history(&[(1, &["x"], Fate::Acknowledged)]);
        assert!(history.explains(&contents(&[("x", 1)])));
        assert!(!history.explains(&contents(&[])));
    }

    #[test]
    fn a_refused_write_is_not_read() {
        let mut history = history(&[(1, &["x"], Fate::Refused)]);
        assert!(history.explains(&contents(&[])));
        let broken = history.read(Replica(0), contents(&[("x", 1)]), Promise::Linearizable);
        assert_eq!(
            broken.as_deref(),
            Some("a client of A read write 1, with write 1, which was refused before")
        );
    }

    #[test]
    fn an_open_write_may_come_late_or_never_but_not_go_again() {
        let mut history = history(&[(1, &["x"], Fate::Open), (2, &["x"], Fate::Acknowledged)]);
        assert!(history.explains(&contents(&[("x", 2)])));
        assert!(history.explains(&contents(&[("x", 1)])), "it may take effect after the second");
        assert_eq!(history.read(Replica(1), contents(&[("x", 1)]), Promise::Linearizable), None);
        let broken = history.read(Replica(2), contents(&[("x", 2)]), Promise::Linearizable);
        assert!(broken.is_some_and(|it| it.ends_with("no order of the operations explains that")));
    }

    #[test]
    fn a_transaction_is_read_as_a_whole() {
        let history = history(&[(1, &["x", "y"], Fate::Open)]);
        assert!(history.explains(&contents(&[("x", 1), ("y", 1)])));
        assert!(!history.explains(&contents(&[("x", 1)])));
    }

    #[test]
    fn a_session_does_not_go_back() {
        let mut history = history(&[(1, &["x"], Fate::Open), (2, &["y"], Fate::Acknowledged)]);
        assert_eq!(history.read(Replica(0), contents(&[("x", 1), ("y", 2)]), Promise::Sessions), None);
        let broken = history.read(Replica(1), contents(&[("y", 2)]), Promise::Sessions);
        let expected = "a client of B read write 2, without write 1, which it had read at A before";
        assert_eq!(broken.as_deref(), Some(expected));
    }
}
