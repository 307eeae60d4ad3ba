//! Writes messages and state of the library as JSON.

use kilter_testbed::NodeName;
use raft::eraftpb::Entry;
use raft::storage::MemStorage;
use raft::{INVALID_ID, Progress, RawNode, StateRole};
use serde_json::{Map, Value as Json, json};

use crate::node::Addressed;

/// A message as JSON. Equal messages of two nodes are two messages, so the sender is part of it.
pub fn addressed(addressed: &Addressed) -> Json {
    let message = &addressed.message;
    json!({
        "from": &*addressed.from,
        "to": &*addressed.to,
        "type": format!("{:?}", message.get_msg_type()),
        "term": message.term,
        "index": message.index,
        "logTerm": message.log_term,
        "entries": message.entries.iter().map(entry).collect::<Vec<Json>>(),
        "commit": message.commit,
        "commitTerm": message.commit_term,
        "reject": message.reject,
        "hint": message.reject_hint,
    })
}

/// An entry as JSON. The empty entry with which a leader begins has the value 0.
fn entry(entry: &Entry) -> Json {
    let value = serde_json::from_slice(entry.get_data()).unwrap_or_else(|_| Json::from(0));
    json!({ "term": entry.term, "value": value })
}

/// The variables of a node. The library keeps its view of the others even when it does not lead, but does not use it
/// then.
pub fn variables(raw: &RawNode<MemStorage>, names: &[NodeName]) -> Map<String, Json> {
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
    let log: Vec<Json> = raft.raft_log.all_entries().iter().map(entry).collect();
    Map::from_iter([
        ("term".to_owned(), Json::from(raft.term)),
        ("vote".to_owned(), node_or_null(raft.vote, names)),
        ("role".to_owned(), Json::from(format!("{:?}", raft.state))),
        ("leader".to_owned(), node_or_null(raft.leader_id, names)),
        ("commit".to_owned(), Json::from(raft.raft_log.committed)),
        ("log".to_owned(), Json::from(log)),
        ("votes".to_owned(), Json::from(votes)),
        ("progress".to_owned(), Json::from(progress)),
    ])
}

fn show_progress(known: &Progress) -> Json {
    json!({
        "matched": known.matched,
        "next": known.next_idx,
        "state": format!("{:?}", known.state),
        "paused": known.paused,
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
