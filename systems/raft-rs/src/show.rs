//! Writes messages and state of the library as JSON.

use kilter_probe::Report;
use kilter_testbed::NodeName;
use protobuf::Message as _;
use raft::eraftpb::{ConfChange, Entry, EntryType};
use raft::{INVALID_ID, Progress, RawNode, StateRole};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::node::Addressed;
use crate::storage::{Storage, content};

/// A message as JSON. Equal messages of two nodes are two messages, so the sender is part of it.
pub fn addressed(addressed: &Addressed) -> Json {
    let message = &addressed.message;
    let snapshot = message.get_snapshot();
    // The library leaves these three fields of a message with a snapshot alone.
    let (index, log_term, entries) = if snapshot.is_empty() {
        (message.index, message.log_term, message.entries.to_vec())
    } else {
        let last = snapshot.get_metadata();
        (last.index, last.term, content(snapshot).unwrap_or_default())
    };
    json!({
        "from": &*addressed.from,
        "to": &*addressed.to,
        "type": format!("{:?}", message.get_msg_type()),
        "term": message.term,
        "index": index,
        "logTerm": log_term,
        "entries": entries.iter().map(entry).collect::<Vec<_>>(),
        "commit": message.commit,
        "commitTerm": message.commit_term,
        "reject": message.reject,
        "hint": message.reject_hint,
    })
}

/// An entry as JSON. The empty entry with which a leader begins has the value 0, and a change of the members the name of the node, which is its context.
#[derive(Serialize)]
struct ShownEntry {
    term: u64,
    value: Json,
}

fn entry(entry: &Entry) -> ShownEntry {
    let value = if entry.get_entry_type() == EntryType::EntryConfChange {
        let change = ConfChange::parse_from_bytes(entry.get_data()).unwrap_or_default();
        Json::from(String::from_utf8_lossy(&change.context))
    } else {
        serde_json::from_slice(entry.get_data()).unwrap_or_else(|_| Json::from(0))
    };
    ShownEntry { term: entry.term, value }
}

/// Reports the variables of a node whose snapshot stands for the entries `compacted`. The library keeps its view of the others even when it does not lead, but does not use it
/// then.
pub fn variables(raw: &RawNode<Storage>, compacted: &[Entry], names: &[NodeName], into: &mut Report) {
    let raft = &raw.raft;
    let is_leader = raft.state == StateRole::Leader;
    let others = raft.prs().iter().filter(|(id, _)| is_leader && **id != raft.id);
    let progress: Map<String, Json> =
        others.map(|(id, known)| (name(*id, names).to_string(), show_progress(known))).collect();
    let votes: Map<String, Json> = raft
        .prs()
        .votes()
        .iter()
        .map(|(id, granted)| (name(*id, names).to_string(), Json::from(*granted)))
        .collect();
    let mut voters: Vec<String> =
        raft.prs().conf().voters().ids().iter().map(|id| name(id, names).to_string()).collect();
    voters.sort();
    let log: Vec<ShownEntry> = compacted.iter().chain(&raft.raft_log.all_entries()).map(entry).collect();
    into.add("term", raft.term);
    into.add("vote", node_or_null(raft.vote, names));
    into.add("voters", voters);
    into.add("role", format!("{:?}", raft.state));
    into.add("leader", node_or_null(raft.leader_id, names));
    into.add("commit", raft.raft_log.committed);
    into.add("log", log);
    into.add("compacted", raft.raft_log.first_index() - 1);
    into.add("votes", votes);
    into.add("progress", progress);
}

fn show_progress(known: &Progress) -> Json {
    json!({
        "matched": known.matched,
        "next": known.next_idx,
        "state": format!("{:?}", known.state),
        "paused": known.paused,
        "pending": known.pending_snapshot,
    })
}

/// The name of the node with this number.
pub fn name(id: u64, names: &[NodeName]) -> NodeName {
    let index = id.checked_sub(1).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| names.get(index).cloned()).unwrap_or_else(|| id.to_string().into())
}

fn node_or_null(id: u64, names: &[NodeName]) -> Json {
    if id == INVALID_ID { Json::Null } else { Json::from(&*name(id, names)) }
}
