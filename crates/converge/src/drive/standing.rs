//! What was done to each replica so far, as far as it decides what can be done next.

use crate::step::{Link, Replica};

/// The status of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It runs.
    Up,
    /// It stands still, with all connections open.
    Paused,
    /// It runs, and is cut off from all others.
    Cut,
    /// It does not run.
    Down,
}

/// All replicas.
#[derive(Clone, Debug)]
pub struct Standing {
    /// What each does.
    pub status: Vec<Status>,
    /// Which replica each copies, where links are set by hand.
    pub source: Vec<Option<Replica>>,
    /// Who has to be linked again once it and its source run, where a link is a restart.
    pub overdue: Vec<Replica>,
}

impl Standing {
    /// So many replicas, none of which runs.
    pub fn down(n: u8) -> Self {
        Self { status: vec![Status::Down; n.into()], source: vec![None; n.into()], overdue: Vec::new() }
    }

    /// The names of all replicas.
    pub fn names(&self) -> impl Iterator<Item = Replica> + use<> {
        Replica::all(self.status.len() as u8)
    }

    /// The replicas that run.
    pub fn up(&self) -> Vec<Replica> {
        self.names().filter(|name| self.is_up(*name)).collect()
    }

    /// What a replica does.
    pub fn of(&self, replica: Replica) -> Status {
        self.status[replica.index()]
    }

    /// Whether a replica runs.
    pub fn is_up(&self, replica: Replica) -> bool {
        self.of(replica) == Status::Up
    }

    /// Whether no replica runs or stands still.
    pub fn is_down(&self) -> bool {
        self.status.iter().all(|status| *status == Status::Down)
    }

    /// Whether so many replicas are a majority.
    pub fn is_majority(&self, count: usize) -> bool {
        2 * count > self.status.len()
    }

    /// Enters what replicas do from now on.
    pub fn set(&mut self, replicas: &[Replica], status: Status) {
        for replica in replicas {
            self.status[replica.index()] = status;
        }
    }

    /// Enters a link.
    pub fn link(&mut self, link: Link) {
        self.source[link.target.index()] = Some(link.source);
    }

    /// The replica that is copied by a running one, if it runs too.
    pub fn running_source(&self, replica: Replica) -> Option<Replica> {
        self.source[replica.index()].filter(|source| self.is_up(replica) && self.is_up(*source))
    }
}
