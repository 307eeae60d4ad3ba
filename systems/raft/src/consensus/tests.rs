//! Checks Raft's guarantees under many orders of steps, with messages lost and repeated and nodes restarted. Seeds are
//! fixed.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::machine::{Command, RequestId};

/// A cluster without clocks or sockets.
struct Cluster {
    nodes: BTreeMap<NodeId, Raft>,
    disks: BTreeMap<NodeId, Stored>,
    flights: Vec<(NodeId, Step)>,
    bug: Option<Bug>,
    chance: u64,
    n_requests: u32,
    leaders: BTreeMap<Term, NodeId>,
    applied: BTreeMap<Index, Term>,
}

impl Cluster {
    fn new(n_nodes: usize, bug: Option<Bug>, seed: u64) -> Cluster {
        let names: BTreeSet<NodeId> = (1..=n_nodes).map(|number| format!("n{number}")).collect();
        let raft = |id: &NodeId| Raft::new(id.clone(), names.clone(), Stored::default(), bug);
        Cluster {
            nodes: names.iter().map(|id| (id.clone(), raft(id))).collect(),
            disks: names.iter().map(|id| (id.clone(), Stored::default())).collect(),
            flights: Vec::new(),
            bug,
            chance: seed * 2 + 1,
            n_requests: 0,
            leaders: BTreeMap::new(),
            applied: BTreeMap::new(),
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance % limit as u64) as usize
    }

    fn any_node(&mut self) -> NodeId {
        let place = self.below(self.nodes.len());
        self.nodes.keys().nth(place).expect("a place below the number of nodes").clone()
    }

    /// Takes a random step: often a message, rarely a fault.
    fn step(&mut self) -> Result<(), String> {
        let id = self.any_node();
        match self.below(100) {
            0 => self.restart(&id),
            1..6 if !self.flights.is_empty() => {
                let place = self.below(self.flights.len());
                let flight = self.flights[place].clone();
                self.flights.push(flight);
                Ok(())
            }
            6..10 if !self.flights.is_empty() => {
                let place = self.below(self.flights.len());
                self.flights.swap_remove(place);
                Ok(())
            }
            10..65 if !self.flights.is_empty() => {
                let place = self.below(self.flights.len());
                let (to, step) = self.flights.swap_remove(place);
                self.take(&to, step)
            }
            65..70 => {
                self.n_requests += 1;
                let value = self.n_requests.to_string();
                let command = Command::Put { key: "x".into(), value };
                self.take(&id, Step::Propose { request: RequestId::new(1, self.n_requests), command })
            }
            _ => {
                let steps = self.nodes[&id].enabled();
                let place = self.below(steps.len().max(1));
                let seldom = self.below(4) > 0;
                match steps.into_iter().nth(place) {
                    Some(Step::Timeout | Step::TakeSnapshot) if seldom => Ok(()),
                    Some(step) => self.take(&id, step),
                    None => Ok(()),
                }
            }
        }
    }

    fn restart(&mut self, id: &NodeId) -> Result<(), String> {
        let members = self.nodes[id].members().clone();
        let raft = Raft::new(id.clone(), members, self.disks[id].clone(), self.bug);
        if self.bug.is_none() && *raft.stored() != *self.nodes[id].stored() {
            return Err(format!("{id} has not stored all"));
        }
        self.nodes.insert(id.clone(), raft);
        Ok(())
    }

    fn take(&mut self, id: &NodeId, step: Step) -> Result<(), String> {
        let outcome = self.nodes.get_mut(id).expect("a node of this cluster").take(step);
        for write in &outcome.writes {
            let disk = self.disks.get_mut(id).expect("a disk for each node");
            disk.apply(write).map_err(|unfit| unfit.to_string())?;
        }
        for (to, message) in outcome.messages {
            let text = serde_json::to_string(&message).map_err(|error| error.to_string())?;
            let message = serde_json::from_str(&text).map_err(|error| format!("{text}: {error}"))?;
            self.flights.push((to, Step::Receive { from: id.clone(), message }));
        }
        for (index, term, _) in outcome.applied {
            if *self.applied.entry(index).or_insert(term) != term {
                return Err(format!("two entries are applied at {index}"));
            }
        }
        self.check(id)
    }

    fn check(&mut self, id: &NodeId) -> Result<(), String> {
        let raft = &self.nodes[id];
        if let Role::Leader(_) = raft.role()
            && self.leaders.entry(raft.stored().term).or_insert(id.clone()) != id
        {
            return Err(format!("two leaders in term {}", raft.stored().term));
        }
        for other in self.nodes.values() {
            let both = raft.stored().last_index().min(other.stored().last_index());
            let same = |index: Index| match (raft.stored().entry(index), other.stored().entry(index)) {
                (Some(here), Some(there)) => here == there,
                _ => true,
            };
            let agreed = (1..=both).rev().find(|index| {
                let term = raft.stored().entry(*index).map(|entry| entry.term);
                term.is_some() && term == other.stored().entry(*index).map(|entry| entry.term)
            });
            if let Some(index) = (1..=agreed.unwrap_or(0)).find(|index| !same(*index)) {
                return Err(format!("the logs of {id} and {} differ at {index}", other.id()));
            }
        }
        Ok(())
    }
}

fn run(n_nodes: usize, bug: Option<Bug>, seed: u64, n_steps: usize) -> (Cluster, Result<(), String>) {
    let mut cluster = Cluster::new(n_nodes, bug, seed);
    let result = (0..n_steps).try_for_each(|_| cluster.step());
    (cluster, result)
}

#[test]
fn promises_are_kept() {
    let (mut n_applied, mut n_compacted) = (0, 0);
    for seed in 1..=200 {
        let (cluster, result) = run(3 + 2 * (seed % 2) as usize, None, seed, 3000);
        assert_eq!(result, Ok(()), "with seed {seed}");
        n_applied += cluster.applied.len();
        n_compacted += cluster.nodes.values().filter(|raft| raft.stored().snapshot.index > 0).count();
    }
    assert!(n_applied > 1000 && n_compacted > 200, "too little has happened: {n_applied}, {n_compacted}");
}

/// Bugs that break a guarantee within one term. The others stop progress, or need longer behaviors.
#[test]
fn bugs_break_promises() {
    // With three nodes, any two votes are a majority, whether or not they come from two voters.
    let bugs =
        [(Bug::VoteCount, 5), (Bug::VoteNotPersisted, 3), (Bug::NoopFreshness, 3), (Bug::SnapshotCommit, 3)];
    for (bug, n_nodes) in bugs {
        let broken = (1..=400).find(|seed| run(n_nodes, Some(bug), *seed, 3000).1.is_err());
        assert!(broken.is_some(), "{bug} does no harm");
    }
}

/// All messages arrive, and there are no faults: the first node leads, and all nodes get all entries.
#[test]
fn progress_without_faults() {
    let mut cluster = Cluster::new(3, None, 1);
    cluster.take(&"n1".into(), Step::Timeout).expect("no promise is broken");
    for round in 0..20 {
        let steps = cluster.nodes["n1"].enabled();
        for step in steps.into_iter().filter(|step| !matches!(step, Step::Timeout)) {
            cluster.take(&"n1".into(), step).expect("no promise is broken");
        }
        while let Some((to, step)) = cluster.flights.pop() {
            cluster.take(&to, step).expect("no promise is broken");
        }
        let command = Command::Put { key: "x".into(), value: round.to_string() };
        cluster
            .take(&"n1".into(), Step::Propose { request: RequestId(round), command })
            .expect("no promise is broken");
    }
    let commits: Vec<Index> = cluster.nodes.values().map(|raft| raft.stored().commit).collect();
    assert!(commits.iter().all(|commit| *commit > 10), "{commits:?}");
}
