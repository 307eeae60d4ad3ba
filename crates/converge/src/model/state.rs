//! The state of the replicas in a model, and which replicas are interchangeable.

use crate::step::Replica;

/// The status of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It runs.
    Up,
    /// It is stopped, with all connections open.
    Paused,
    /// It has crashed.
    Down,
}

/// The state of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Known {
    /// The number of the last write that it has seen. 0 at the beginning.
    pub write: u8,
    /// What it is doing.
    pub status: Status,
    /// The replica that it copies.
    pub source: Option<Replica>,
    /// Whether it was up until the last divergence. Only meaningful for replicas that are down.
    pub was_up: bool,
}

/// The state of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The number of writes so far.
    pub used: u8,
    /// The replicas, in order.
    pub replicas: Vec<Known>,
}

impl State {
    /// The state in which all replicas are up, nothing is written, and there are no links.
    pub fn apart(n: u8) -> Self {
        let known = Known { write: 0, status: Status::Up, source: None, was_up: false };
        Self { used: 0, replicas: vec![known; n.into()] }
    }

    /// The names of all replicas.
    pub fn names(&self) -> impl Iterator<Item = Replica> + use<> {
        (0..self.replicas.len() as u8).map(Replica)
    }

    /// The replicas that run.
    pub fn up(&self) -> Vec<Replica> {
        self.names().filter(|name| self.is_up(*name)).collect()
    }

    /// Whether a replica runs.
    pub fn is_up(&self, replica: Replica) -> bool {
        self.replicas[replica.index()].status == Status::Up
    }

    /// Whether all replicas run and, if `by_links` is set, all copy one replica, directly or through others.
    pub fn is_whole(&self, by_links: bool) -> bool {
        let roots = self.replicas.iter().filter(|known| known.source.is_none()).count();
        self.replicas.iter().all(|known| known.status == Status::Up) && (!by_links || roots == 1)
    }

    /// Whether `replica` is `other` or copies it, directly or through others.
    pub fn copies(&self, replica: Replica, other: Replica) -> bool {
        let mut at = Some(replica);
        while let Some(replica) = at {
            if replica == other {
                return true;
            }
            at = self.replicas[replica.index()].source;
        }
        false
    }

    /// The state with renamed replicas: `names[i]` is the new name of replica `i`.
    #[must_use]
    pub fn renamed(&self, names: &[Replica]) -> Self {
        let mut replicas = self.replicas.clone();
        for (known, name) in self.replicas.iter().zip(names) {
            let source = known.source.map(|source| names[source.index()]);
            replicas[name.index()] = Known { source, ..*known };
        }
        Self { used: self.used, replicas }
    }
}

/// All permutations of the replicas. The first is the identity.
pub struct Symmetry {
    orders: Vec<Vec<Replica>>,
}

impl Symmetry {
    /// Makes the permutations of `n` replicas.
    pub fn new(n: u8) -> Self {
        let mut orders = vec![Vec::new()];
        for _ in 0..n {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<Replica>| {
                    (0..n).map(Replica).filter(|name| !order.contains(name)).map(|name| {
                        let mut longer = order.clone();
                        longer.push(name);
                        longer
                    })
                })
                .collect();
        }
        Self { orders }
    }

    /// The renamings that do not change a state.
    pub fn of(&self, state: &State) -> Vec<&[Replica]> {
        self.orders.iter().map(Vec::as_slice).filter(|names| state.renamed(names) == *state).collect()
    }

    /// The smallest renaming of a state. It is equal for states that are equal up to renaming.
    pub fn least(&self, state: &State) -> State {
        self.orders.iter().map(|names| state.renamed(names)).min().unwrap_or_else(|| state.clone())
    }
}
