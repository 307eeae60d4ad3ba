//! The node as Kilter sees it: the names of its actions, what they take in, and the variables that are compared.
//!
//! Testing against the specification needs only this file, three lines in `node.rs`, and `raft.toml`.

use std::collections::BTreeMap;

use kilter_probe::{Action, Event, Json, Report, Variables, json};

use crate::NodeId;
use crate::client::Request;
use crate::consensus::message::Message;
use crate::consensus::role::{Progress, Role};
use crate::consensus::{Handler, Raft, Step};
use crate::machine::{Command, RequestId};
use crate::node::Happening;

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::Client { .. } => Action::new("ClientRequest"),
            Happening::Step(step) => match step {
                Step::Timeout => Action::new("Timeout"),
                Step::RequestVote(peer) => Action::new("RequestVote").arg(peer),
                Step::BecomeLeader => Action::new("BecomeLeader"),
                Step::AppendEntries(peer) => Action::new("AppendEntries").arg(peer),
                Step::InstallSnapshot(peer) => Action::new("InstallSnapshot").arg(peer),
                Step::AdvanceCommitIndex => Action::new("AdvanceCommitIndex"),
                Step::TakeSnapshot => Action::new("TakeSnapshot"),
                Step::Propose { .. } => Action::new("ClientRequest"),
                Step::Receive { message, .. } => Action::new("Receive").message(message),
            },
        }
    }

    fn from_delivery(from: &str, message: &Json) -> Option<Happening> {
        let mut message = message.clone();
        message.as_object_mut()?.remove(SENDER);
        let message = serde_json::from_value(message).ok()?;
        Some(Happening::Step(Step::Receive { from: from.to_owned(), message }))
    }

    /// The first request writes 1 at key 1, the second 2 at key 2.
    fn from_request(action: &str, args: &[Json]) -> Option<Happening> {
        let count = args.first().and_then(Json::as_u64).filter(|_| action == "ClientRequest")?;
        let command = Command::Put { key: count.to_string(), value: count.to_string() };
        Some(Happening::Step(Step::Propose { request: RequestId(count), command }))
    }
}

/// The field with the sender of a message.
const SENDER: &str = "from";

/// A message as Kilter sees it. With `names_senders` it has the sender's name, which tells equal messages of two nodes
/// apart.
pub fn shown(message: &Message, from: &NodeId, names_senders: bool) -> Json {
    let mut shown = json!(message);
    if let Some(fields) = shown.as_object_mut().filter(|_| names_senders) {
        fields.insert(SENDER.to_owned(), json!(from));
    }
    shown
}

/// The action by which a node takes in an event, if its state allows it. Clients of nodes that do not lead have to
/// wait, because the specification does not know them.
///
/// A testbed makes requests itself; a trace says which ones clients have made.
pub fn action(
    raft: &Raft,
    happening: &Happening,
    names_senders: bool,
    is_controlled: bool,
) -> Option<Action> {
    match happening {
        Happening::Client { request: Request::Command { request, .. }, .. }
            if matches!(raft.role(), Role::Leader(_)) && !is_controlled =>
        {
            Some(happening.action().arg(request))
        }
        Happening::Client { request: Request::Command { .. }, .. }
            if matches!(raft.role(), Role::Leader(_)) =>
        {
            Some(happening.action())
        }
        Happening::Client { .. } => None,
        Happening::Step(Step::Receive { from, message }) => {
            let name = match raft.handler(message) {
                Some(handler) => handler_name(handler),
                // Nobody offers a message to a node that overlooks it. A trace says that it was there.
                None if !is_controlled => overlooked_name(message),
                None => return None,
            };
            Some(Action::new(name).message(&shown(message, from, names_senders)))
        }
        Happening::Step(_) => Some(happening.action()),
    }
}

/// The action that should take in a message.
fn overlooked_name(message: &Message) -> &'static str {
    handler_name(match message {
        Message::RequestVoteRequest { .. } => Handler::RequestVoteRequest,
        Message::RequestVoteResponse { .. } => Handler::RequestVoteResponse,
        Message::AppendEntriesRequest { .. } => Handler::AppendEntriesRequest,
        Message::AppendEntriesResponse { .. } => Handler::AppendEntriesResponse,
        Message::InstallSnapshotRequest { .. } => Handler::InstallSnapshotRequest,
    })
}

fn handler_name(handler: Handler) -> &'static str {
    match handler {
        Handler::RequestVoteRequest => "HandleRequestVoteRequest",
        Handler::RequestVoteResponse => "HandleRequestVoteResponse",
        Handler::AppendEntriesRequest => "HandleAppendEntriesRequest",
        Handler::AppendEntriesResponse => "HandleAppendEntriesResponse",
        Handler::InstallSnapshotRequest => "HandleInstallSnapshotRequest",
        Handler::StaleResponse => "DropStaleResponse",
    }
}

impl Variables for Raft {
    fn variables(&self, into: &mut Report) {
        let stored = self.stored();
        let (asked, votes) = match self.role() {
            Role::Candidate(campaign) => (json!(campaign.asked), json!(campaign.votes)),
            _ => (json!([]), json!([])),
        };
        let of_all = |value: &dyn Fn(&NodeId) -> u64| -> BTreeMap<NodeId, u64> {
            self.members().iter().map(|node| (node.clone(), value(node))).collect()
        };
        let progress = |node: &NodeId| match self.role() {
            Role::Leader(lead) => lead.progress.get(node).copied(),
            _ => None,
        };
        into.add("currentTerm", stored.term);
        into.add("votedFor", &stored.vote);
        into.add("log", &stored.entries);
        into.add("commitIndex", stored.commit);
        into.add("snapshotIndex", stored.snapshot.index);
        into.add("snapshotTerm", stored.snapshot.term);
        into.add("state", self.role().name());
        into.add("asked", asked);
        into.add("votesGranted", votes);
        into.add("nextIndex", of_all(&|node| progress(node).map_or(0, |Progress { next, .. }| next)));
        into.add("matchIndex", of_all(&|node| progress(node).map_or(0, |Progress { matched, .. }| matched)));
    }
}
