//! What a model knows of the replicas, and which replicas are interchangeable.

use crate::step::Replica;

/// What a replica is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It runs.
    Up,
    /// It is stopped, with all connections open.
    Paused,
    /// It has crashed.
    Down,
}

/// What a model knows of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Known {
    /// The last write that it has seen; 0 at the beginning.
    pub write: u8,
    /// What it is doing.
    pub status: Status,
    /// Whom it copies.
    pub source: Option<Replica>,
    /// Whether it is down since the last divergence and not for longer. Only for replicas that are down.
    pub was_up: bool,
}

/// What a model knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// How many writes have been made.
    pub used: u8,
    /// The replicas.
    pub replicas: Vec<Known>,
}

impl State {
    /// Everybody up, nothing written, no links.
    pub fn apart(n: u8) -> Self {
        let known = Known { write: 0, status: Status::Up, source: None, was_up: false };
        Self { used: 0, replicas: vec![known; n.into()] }
    }

    /// The names of all replicas.
    pub fn names(&self) -> impl Iterator<Item = Replica> + use<> {
        (0..self.replicas.len() as u8).map(Replica)
    }

    /// Those that run.
    pub fn up(&self) -> Vec<Replica> {
        self.names().filter(|name| self.is_up(*name)).collect()
    }

    /// Whether a replica runs.
    pub fn is_up(&self, replica: Replica) -> bool {
        self.replicas[replica.index()].status == Status::Up
    }

    /// Whether everybody runs, and, where links matter, all copy one, if in several hops.
    pub fn is_whole(&self, by_links: bool) -> bool {
        let roots = self.replicas.iter().filter(|known| known.source.is_none()).count();
        self.replicas.iter().all(|known| known.status == Status::Up) && (!by_links || roots == 1)
    }

    /// Whether `replica` copies `other`, if in several hops, or is `other`.
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

    /// The same with replicas renamed.
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

/// All orders of the replicas; the first is as they are.
pub struct Symmetry {
    orders: Vec<Vec<Replica>>,
}

impl Symmetry {
    /// For `n` replicas.
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

    /// The renamings that leave a state as it is.
    pub fn of(&self, state: &State) -> Vec<&[Replica]> {
        self.orders.iter().map(Vec::as_slice).filter(|names| state.renamed(names) == *state).collect()
    }

    /// The least of a state's renamings: equal for states that are equal up to renaming.
    pub fn least(&self, state: &State) -> State {
        self.orders.iter().map(|names| state.renamed(names)).min().unwrap_or_else(|| state.clone())
    }
}
