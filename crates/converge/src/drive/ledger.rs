//! Keeps account of what each replica should hold, and of what must not be lost.

use crate::model::state::State;
use crate::step::{Replica, Step};

/// The writes that each replica has in the model, and what became of them on the system.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The writes of each replica, in order.
    pub writes: Vec<Vec<u8>>,
    /// The writes that the system has acknowledged and a majority has stored.
    pub must_survive: Vec<u8>,
    /// The number of writes so far.
    pub used: u8,
}

impl Ledger {
    /// Makes a ledger of `n` empty replicas.
    pub fn new(n: u8) -> Self {
        Self { writes: vec![Vec::new(); n.into()], must_survive: Vec::new(), used: 0 }
    }

    /// Enters a step. `after` is the state of the model after it.
    pub fn take(&mut self, step: &Step, after: &State) {
        match step {
            Step::Spread(received) => {
                for (writes, got) in self.writes.iter_mut().zip(received) {
                    writes.extend((1..=got.unwrap_or(0)).map(|offset| self.used + offset));
                }
            }
            Step::Rise(_) => {
                let up = after.up();
                let latest =
                    up.iter().map(|name| &self.writes[name.index()]).max_by_key(|it| it.last().copied());
                let latest = latest.cloned().unwrap_or_default();
                for name in up {
                    self.writes[name.index()].clone_from(&latest);
                }
            }
            Step::Part(_, writer) => {
                self.writes[writer.index()].push(self.used + 1);
                self.flow(after);
            }
            Step::Join { .. } => self.flow(after),
        }
        self.used += step.writes();
    }

    /// Enters that a replica has lost everything, on purpose.
    pub fn forget(&mut self, replica: Replica) {
        self.writes[replica.index()].clear();
    }

    fn flow(&mut self, state: &State) {
        for _ in 0..self.writes.len() {
            for name in state.up() {
                if let Some(source) =
                    state.replicas[name.index()].source.filter(|source| state.is_up(*source))
                {
                    let copied = self.writes[source.index()].clone();
                    self.writes[name.index()] = copied;
                }
            }
        }
    }
}
