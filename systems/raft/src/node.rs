//! A node: the loop that takes steps, stores and sends their outcomes, and answers clients.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Instant;

use kilter_probe::{Gate, Outbox, Wish};
use thiserror::Error;

use crate::NodeId;
use crate::bug::Bug;
use crate::client::{Request, Response, Status};
use crate::clock::{Clock, Due, Timing};
use crate::consensus::role::Role;
use crate::consensus::stored::Write;
use crate::consensus::{Index, Outcome, Raft, Step, Term};
use crate::mapping;
use crate::storage::{Journal, StorageError};
use crate::transport::{Reply, Transport, listen};

/// The events of a node.
#[derive(Clone)]
pub enum Happening {
    /// A step that the node can take, or a message that has arrived.
    Step(Step),
    /// A client makes a request.
    Client {
        /// The request.
        request: Request,
        /// Where the client waits for the answer.
        reply: Reply,
    },
}

/// The options of a node.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its name.
    pub id: NodeId,
    /// The address at which it listens.
    pub listen: String,
    /// The addresses of all nodes, this one included.
    pub addresses: BTreeMap<NodeId, String>,
    /// The directory in which it stores its journal.
    pub data: PathBuf,
    /// Whether it waits until data is on the disk.
    pub sync: bool,
    /// The seed of its random numbers.
    pub seed: u64,
    /// The times of its clock.
    pub timing: Timing,
    /// The bug that is switched on.
    pub bug: Option<Bug>,
    /// Whether a testbed sees messages with their senders.
    pub names_senders: bool,
}

/// Why a node ends.
#[derive(Debug, Error)]
pub enum NodeError {
    /// It can't listen at its address.
    #[error("can't listen at {address}: {error}")]
    Listen {
        /// The address.
        address: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// It can't store. A node that went on would break its guarantees.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Runs a node until it is told to end.
pub fn run(options: &Options) -> Result<(), NodeError> {
    let failed = |error| NodeError::Listen { address: options.listen.clone(), error };
    let listener = TcpListener::bind(&options.listen).map_err(failed)?;
    let mut gate = Gate::from_environment();
    let (messages, requests) = (gate.inbox(), gate.inbox());
    listen(
        listener,
        move |from, message| messages.message(Happening::Step(Step::Receive { from, message })),
        move |request, reply| requests.push(Happening::Client { request, reply }),
    );
    let mut node = Node::new(options, gate.outbox(), gate.is_controlled(), gate.is_watched())?;
    while let Some(happening) = gate.next_as(&node.raft, node.wishes(), |it| {
        mapping::action(&node.raft, it, node.names_senders, node.controlled)
    }) {
        node.handle(happening)?;
    }
    Ok(())
}

struct Node {
    raft: Raft,
    journal: Journal,
    clock: Clock,
    transport: Transport,
    outbox: Outbox,
    /// Whether a testbed is in control. Then all possible steps are offered, whether or not they are due.
    controlled: bool,
    /// Whether somebody wants to know what is sent.
    watched: bool,
    /// Whether the testbed sees messages with their senders.
    names_senders: bool,
    addresses: BTreeMap<NodeId, String>,
    /// Clients that wait for the entry at an index to be committed, with the term of the entry.
    waiting: BTreeMap<Index, (Term, Reply)>,
    n_installed: u64,
}

impl Node {
    fn new(options: &Options, outbox: Outbox, controlled: bool, watched: bool) -> Result<Node, NodeError> {
        let journal = Journal::open(&options.data, options.sync)?;
        let members = options.addresses.keys().cloned().collect();
        Ok(Node {
            raft: Raft::new(options.id.clone(), members, journal.stored().clone(), options.bug),
            journal,
            clock: Clock::new(options.timing, options.seed, Instant::now()),
            transport: Transport::new(options.id.clone(), &options.addresses, controlled),
            outbox,
            controlled,
            watched,
            names_senders: options.names_senders,
            addresses: options.addresses.clone(),
            waiting: BTreeMap::new(),
            n_installed: 0,
        })
    }

    fn wishes(&self) -> Vec<Wish<Happening>> {
        let wish = |step: Step| match self.clock.due(&self.raft, &step) {
            Due::Later if !self.controlled => None,
            Due::At(due) => Some(Wish::at(due, Happening::Step(step))),
            Due::Now | Due::Later => Some(Wish::now(Happening::Step(step))),
        };
        self.raft.enabled().into_iter().filter_map(wish).collect()
    }

    fn handle(&mut self, happening: Happening) -> Result<(), StorageError> {
        match happening {
            Happening::Step(step) => {
                if let Step::Receive { from, .. } = &step {
                    self.clock.heard(from);
                }
                self.take(step)
            }
            Happening::Client { request: Request::Status, reply } => {
                reply.send(&Response::Status(self.status()));
                Ok(())
            }
            Happening::Client { request: Request::Command { request, command }, reply } => {
                if !matches!(self.raft.role(), Role::Leader(_)) {
                    let leader = self.raft.leader().and_then(|leader| self.addresses.get(leader));
                    reply.send(&Response::Elsewhere(leader.cloned()));
                    return Ok(());
                }
                self.waiting.insert(self.raft.stored().last_index() + 1, (self.raft.stored().term, reply));
                self.take(Step::Propose { request, command })
            }
        }
    }

    fn take(&mut self, step: Step) -> Result<(), StorageError> {
        let received = matches!(step, Step::Receive { .. });
        let outcome = self.raft.take(step);
        self.clock.taken(&self.raft, &outcome, Instant::now());
        let is_snapshot = |write: &Write| matches!(write, Write::Snapshot(_));
        self.n_installed += u64::from(received && outcome.writes.iter().any(is_snapshot));
        self.carry_out(outcome)
    }

    /// Carries out the outcome of a step. Writes go to the disk before messages are sent.
    fn carry_out(&mut self, outcome: Outcome) -> Result<(), StorageError> {
        self.journal.save(&outcome.writes)?;
        for (to, message) in outcome.messages {
            if self.watched {
                self.outbox.sent(&to, &mapping::shown(&message, self.raft.id(), self.names_senders));
            }
            self.transport.send(&to, message);
        }
        for (index, term, answer) in outcome.applied {
            if let Some((expected, reply)) = self.waiting.remove(&index) {
                reply.send(&if term == expected { Response::Done(answer) } else { Response::Unsure });
            }
        }
        if !matches!(self.raft.role(), Role::Leader(_)) {
            for (_, reply) in std::mem::take(&mut self.waiting).into_values() {
                reply.send(&Response::Unsure);
            }
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let stored = self.raft.stored();
        Status {
            node: self.raft.id().clone(),
            role: self.raft.role().name().to_owned(),
            term: stored.term,
            commit: stored.commit,
            snapshot: stored.snapshot.index,
            installed: self.n_installed,
        }
    }
}
