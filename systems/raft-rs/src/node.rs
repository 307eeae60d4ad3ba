//! A [`RawNode`] as a machine. Each action is a message, or ticks until a timer runs out, followed by everything that
//! the library then asks for.

use std::sync::Arc;

use kilter_probe::{Report, Variables};
use kilter_testbed::{Call, Machine, NodeName, Outbox};
use protobuf::Message as _;
use raft::eraftpb::{
    ConfChange, ConfChangeType, ConfState, Entry, EntryType, HardState, Message, MessageType,
};
use raft::storage::MemStorage;
use raft::{Config, RawNode, SnapshotStatus, StateRole};
use serde_json::{Map, Value as Json};
use slog::{Discard, Logger, o};

use crate::show;
use crate::storage::Storage;

/// The names of all nodes. The library numbers them from 1 in this order.
pub type Names = Arc<[NodeName]>;

/// The election timer runs out after at least this many ticks, and fewer than twice as many.
const ELECTION_TICKS: usize = 2;

/// A leader sends no more than this many appends to a follower that does not answer. The specification knows no such limit.
const IN_FLIGHT_MAX: usize = 1_000;

/// A node of the cluster.
pub struct Node {
    id: u64,
    names: Names,
    /// The storage, which survives a crash. Everything else is lost.
    storage: Storage,
    raw: RawNode<Storage>,
    /// The state machine: it keeps all that was applied.
    applied: Vec<Entry>,
    /// The entries that the last action has stored, in the pieces in which the library gave them out.
    written: Vec<Vec<Entry>>,
}

/// A message with the names of nodes that the library knows by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Addressed {
    /// The name of the sender.
    pub from: NodeName,
    /// The name of the receiver.
    pub to: NodeName,
    /// The message of the library.
    pub message: Message,
}

/// The timers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The election timer runs out.
    Election,
    /// The heartbeat timer runs out.
    Heartbeat,
}

impl Addressed {
    /// The name of the action that takes it in.
    pub fn handler(&self) -> &'static str {
        match self.message.get_msg_type() {
            MessageType::MsgRequestVote => "HandleRequestVote",
            MessageType::MsgRequestVoteResponse => "HandleRequestVoteResponse",
            MessageType::MsgAppend => "HandleAppend",
            MessageType::MsgAppendResponse => "HandleAppendResponse",
            MessageType::MsgSnapshot => "HandleSnapshot",
            MessageType::MsgHeartbeat => "HandleHeartbeat",
            MessageType::MsgHeartbeatResponse => "HandleHeartbeatResponse",
            // This offer is in no specification. An unexpected action is better than silence.
            _ => "HandleOther",
        }
    }
}

impl Timer {
    /// The name of the action in which it runs out.
    pub fn name(self) -> &'static str {
        match self {
            Timer::Election => "Campaign",
            Timer::Heartbeat => "Heartbeat",
        }
    }
}

impl Node {
    /// Makes a node that has never run.
    pub fn new(name: &NodeName, names: &Names) -> Node {
        Node::on(empty_storage(names), name, names)
    }

    /// Makes a node that starts with what is stored.
    pub fn on(memory: MemStorage, name: &NodeName, names: &Names) -> Node {
        let id = number(name, names);
        // The configuration is ours and constant, so this can't fail.
        let storage = Storage::new(memory);
        let raw = start(id, &storage).expect("raft-rs takes this configuration");
        Node { id, names: names.clone(), storage, raw, applied: Vec::new(), written: Vec::new() }
    }

    /// Whether it leads.
    pub fn is_leader(&self) -> bool {
        self.raw.raft.state == StateRole::Leader
    }

    /// What it stores apart from entries.
    pub fn hard_state(&self) -> HardState {
        self.storage.memory.rl().hard_state().clone()
    }

    /// The entries that its last action has stored, piece by piece. A piece replaces all entries from its first index on.
    pub fn take_written(&mut self) -> Vec<Vec<Entry>> {
        std::mem::take(&mut self.written)
    }

    /// Ticks until a timer has run out.
    fn tick(&mut self) -> Result<(), String> {
        let enough = 2 * ELECTION_TICKS;
        let ran_out = (0..enough).any(|_| self.raw.tick());
        if ran_out { Ok(()) } else { Err(format!("no timer ran out in {enough} ticks")) }
    }

    /// Does what the library asks for: stores, then sends what may be sent only after that, then applies.
    fn settle(&mut self, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        self.written.clear();
        while self.raw.has_ready() {
            let mut ready = self.raw.ready();
            self.send(ready.take_messages(), outbox);
            if !ready.snapshot().is_empty() {
                self.storage.install(ready.snapshot()).map_err(|error| error.to_string())?;
                self.applied = self.storage.compacted();
            }
            self.storage.memory.wl().append(ready.entries()).map_err(|error| error.to_string())?;
            self.written.push(ready.take_entries());
            if let Some(state) = ready.hs() {
                self.storage.memory.wl().set_hardstate(state.clone());
            }
            self.send(ready.take_persisted_messages(), outbox);
            self.apply(ready.take_committed_entries())?;
            let mut light = self.raw.advance(ready);
            if let Some(commit) = light.commit_index() {
                self.storage.memory.wl().mut_hard_state().set_commit(commit);
            }
            self.send(light.take_messages(), outbox);
            self.apply(light.take_committed_entries())?;
            self.raw.advance_apply();
        }
        Ok(())
    }

    fn apply(&mut self, committed: Vec<Entry>) -> Result<(), String> {
        for entry in &committed {
            if entry.get_entry_type() == EntryType::EntryConfChange {
                let change =
                    ConfChange::parse_from_bytes(entry.get_data()).map_err(|error| error.to_string())?;
                let members = self.raw.apply_conf_change(&change).map_err(|error| error.to_string())?;
                self.storage.memory.wl().set_conf_state(members);
            }
        }
        self.applied.extend(committed);
        Ok(())
    }

    /// Asks the library to remove a member, or to add it again.
    fn change_member(&mut self, node: &str) -> raft::Result<()> {
        let id = number(node, &self.names);
        let is_member = self.raw.raft.prs().conf().voters().contains(id);
        let kind = if is_member { ConfChangeType::RemoveNode } else { ConfChangeType::AddNode };
        let context = node.as_bytes().to_vec().into();
        let change = ConfChange { change_type: kind, node_id: id, context, ..ConfChange::default() };
        self.raw.propose_conf_change(Vec::new(), change)
    }

    fn send(&self, messages: Vec<Message>, outbox: &mut Outbox<Addressed>) {
        for message in messages {
            let from = show::name(message.from, &self.names);
            let to = show::name(message.to, &self.names);
            outbox.send(&to.clone(), Addressed { from, to, message });
        }
    }
}

/// The library's number of a node, 1 if there is no such node.
fn number(name: &str, names: &Names) -> u64 {
    1 + names.iter().position(|other| &**other == name).unwrap_or(0) as u64
}

/// The storage of a node that has never run. All nodes are voters.
pub fn empty_storage(names: &Names) -> MemStorage {
    let voters: Vec<u64> = (1..=names.len() as u64).collect();
    MemStorage::new_with_conf_state(ConfState::from((voters, Vec::new())))
}

fn start(id: u64, storage: &Storage) -> raft::Result<RawNode<Storage>> {
    let config = Config {
        id,
        election_tick: ELECTION_TICKS,
        heartbeat_tick: 1,
        max_size_per_msg: u64::MAX,
        max_inflight_msgs: IN_FLIGHT_MAX,
        ..Config::default()
    };
    RawNode::new(&config, storage.clone(), &Logger::root(Discard, o!()))
}

impl Variables for Node {
    fn variables(&self, into: &mut Report) {
        show::variables(&self.raw, &self.storage.compacted(), &self.names, into);
    }
}

impl Machine for Node {
    type Action = Timer;
    type Message = Addressed;

    fn actions(&self) -> Vec<Timer> {
        vec![if self.is_leader() { Timer::Heartbeat } else { Timer::Election }]
    }

    fn call(&self, action: &Timer) -> Call {
        Call::new(action.name(), [])
    }

    fn act(&mut self, _: Timer, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        self.tick()?;
        self.settle(outbox)
    }

    fn handler(&self, addressed: &Addressed) -> Option<Call> {
        Some(Call::new(addressed.handler(), []))
    }

    fn handle(&mut self, addressed: Addressed, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        match self.raw.step(addressed.message) {
            // The answer of a node that is no member any more.
            Ok(()) | Err(raft::Error::StepPeerNotFound) => self.settle(outbox),
            Err(error) => Err(error.to_string()),
        }
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        match (action, args) {
            ("ClientRequest", [value]) => self.raw.propose(Vec::new(), value.to_string().into_bytes()),
            ("ChangeMember", [Json::String(node)]) => self.change_member(node),
            ("Compact", []) => self.storage.compact(&self.applied),
            ("ReportSnapshot", [Json::String(node), Json::Bool(reached)]) => {
                let status = if *reached { SnapshotStatus::Finish } else { SnapshotStatus::Failure };
                self.raw.report_snapshot(number(node, &self.names), status);
                Ok(())
            }
            _ => return Err(format!("there is no request {action} with {} arguments", args.len())),
        }
        .map_err(|error| error.to_string())?;
        self.settle(outbox)
    }

    fn variables(&self) -> Map<String, Json> {
        let mut report = Report::default();
        Variables::variables(self, &mut report);
        report.into_values()
    }

    fn show(addressed: &Addressed) -> Json {
        show::addressed(addressed)
    }

    fn restart(&mut self) -> Result<(), String> {
        self.raw = start(self.id, &self.storage).map_err(|error| error.to_string())?;
        self.applied = self.storage.compacted();
        // It applies what it knows to be committed, and sends nothing.
        let mut outbox = Outbox::new(self.names.clone());
        self.settle(&mut outbox)?;
        if outbox.into_sent().is_empty() { Ok(()) } else { Err("it sends something as it starts".to_owned()) }
    }
}
