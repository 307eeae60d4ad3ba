//! Writes messages and state of the library as JSON. Indexes count from 1, as in the specification; the library counts from 0.

use kilter_held::{Key, Names};
use openraft::{EmptyNode, Entry, EntryPayload, LeaderId, Membership, SnapshotMeta};
use serde_json::{Value as Json, json};

use crate::network::{Answer, Appended, Question, Session};
use crate::store;
use crate::types::{Id, LogId, Types, Vote};

/// A vote.
pub fn vote(vote: &Vote, names: &Names) -> Json {
    let leader = vote.leader_id();
    json!({ "term": leader.term, "node": names.show(leader.node_id), "committed": vote.committed })
}

/// Where an entry is. No entry has the index 0.
pub fn log_id(id: Option<&LogId>, names: &Names) -> Json {
    match id {
        None => json!({ "term": 0, "node": "none", "index": 0 }),
        Some(id) => {
            json!({ "term": id.leader_id.term, "node": names.show(id.leader_id.node_id), "index": id.index + 1 })
        }
    }
}

/// An entry.
pub fn entry(entry: &Entry<Types>, names: &Names) -> Json {
    let leader = &entry.log_id.leader_id;
    match &entry.payload {
        EntryPayload::Blank => item(leader, "blank", None, names),
        EntryPayload::Normal(request) => item(leader, &request.to_string(), None, names),
        EntryPayload::Membership(members) => item(leader, "members", Some(members), names),
    }
}

/// An entry that a leader has made. Those with members say who votes, by configuration, and who is there at all.
fn item(
    leader: &LeaderId<Id>,
    value: &str,
    members: Option<&Membership<Id, EmptyNode>>,
    names: &Names,
) -> Json {
    let configurations = members.into_iter().flat_map(Membership::get_joint_config);
    let voters: Vec<Json> =
        configurations.map(|ids| ids.iter().map(|id| names.show(*id)).collect()).collect();
    let nodes: Vec<Json> =
        members.into_iter().flat_map(Membership::nodes).map(|(id, _)| names.show(*id)).collect();
    let node = names.show(leader.node_id);
    json!({ "term": leader.term, "node": node, "value": value, "voters": voters, "nodes": nodes })
}

/// The entries that a snapshot stands for, up to the last one. Only of that one it is known where it was.
pub fn gone(last: &LogId, names: &Names) -> Vec<Json> {
    let unknown = item(&LeaderId::default(), "gone", None, names);
    let mut gone = vec![unknown; place(last.index)];
    gone.push(item(&last.leader_id, "gone", None, names));
    gone
}

/// How many entries come before an index.
fn place(index: u64) -> usize {
    usize::try_from(index).expect("logs are short")
}

/// What a state machine was told.
pub fn requests(requests: &[u64]) -> Json {
    requests.iter().map(u64::to_string).collect()
}

/// The last snapshot of a node.
pub fn snapshot(stored: Option<&(SnapshotMeta<Id, EmptyNode>, Vec<u64>)>, names: &Names) -> Json {
    let last = stored.and_then(|(meta, _)| meta.last_log_id.as_ref());
    let values = stored.map_or(&[][..], |(_, requests)| requests);
    json!({ "last": log_id(last, names), "values": requests(values) })
}

/// A question to another node.
pub fn question(from: Id, key: &Key<Session>, question: &Question, names: &Names) -> Json {
    let (from, to) = (names.show(from), names.show(key.to));
    match question {
        Question::Vote(request) => json!({
            "type": "vote", "from": from, "to": to,
            "vote": vote(&request.vote, names), "last": log_id(request.last_log_id.as_ref(), names),
        }),
        Question::Append(request) => json!({
            "type": "append", "from": from, "to": to, "era": key.era, "turn": key.term.turn,
            "vote": vote(&request.vote, names), "prev": log_id(request.prev_log_id.as_ref(), names),
            "entries": request.entries.iter().map(|item| entry(item, names)).collect::<Vec<Json>>(),
            "commit": log_id(request.leader_commit.as_ref(), names),
        }),
        Question::Snapshot(sender, meta, bytes) => json!({
            "type": "snapshot", "from": from, "to": to, "era": key.era, "turn": key.term.turn,
            "vote": vote(sender, names), "last": log_id(meta.last_log_id.as_ref(), names),
            "values": requests(&store::requests(bytes)),
        }),
    }
}

/// An answer to the question with this key of another node.
pub fn answer(from: Id, to: Id, key: &Key<Session>, answer: &Answer, names: &Names) -> Json {
    let (from, to) = (names.show(from), names.show(to));
    let (turn, asked) = (key.term.turn, vote(&key.term.vote, names));
    match answer {
        Answer::Vote(response) => json!({
            "type": "voteAnswer", "from": from, "to": to, "asked": asked,
            "vote": vote(&response.vote, names), "granted": response.vote_granted,
            "last": log_id(response.last_log_id.as_ref(), names),
        }),
        Answer::Append(appended) => {
            let (result, greater) = match appended {
                Appended::Success => ("success", Json::from("none")),
                Appended::Conflict => ("conflict", Json::from("none")),
                Appended::Higher(higher) => ("higher", vote(higher, names)),
            };
            json!({
                "type": "appendAnswer", "from": from, "to": to, "era": key.era, "turn": turn, "asked": asked,
                "result": result, "vote": greater,
            })
        }
        Answer::Snapshot(answered) => json!({
            "type": "snapshotAnswer", "from": from, "to": to, "era": key.era, "turn": turn, "asked": asked,
            "vote": vote(answered, names),
        }),
    }
}
