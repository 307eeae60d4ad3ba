//! Writes messages and state of the library as JSON. Indexes count from 1, as in the specification; the library counts from 0.

use kilter_testbed::NodeName;
use openraft::{EmptyNode, Entry, EntryPayload, Membership};
use serde_json::{Value as Json, json};

use crate::network::{Answer, Appended, Key, Question};
use crate::types::{Id, LogId, Types, Vote};

/// The name of the node with this number; `none` for the number 0, which no node has.
pub fn name(id: Id, names: &[NodeName]) -> Json {
    let place = id.checked_sub(1).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| names.get(place)).map_or(Json::from("none"), |name| Json::from(&**name))
}

/// A vote.
pub fn vote(vote: &Vote, names: &[NodeName]) -> Json {
    let leader = vote.leader_id();
    json!({ "term": leader.term, "node": name(leader.node_id, names), "committed": vote.committed })
}

/// Where an entry is. No entry has the index 0.
pub fn log_id(id: Option<&LogId>, names: &[NodeName]) -> Json {
    match id {
        None => json!({ "term": 0, "node": "none", "index": 0 }),
        Some(id) => {
            json!({ "term": id.leader_id.term, "node": name(id.leader_id.node_id, names), "index": id.index + 1 })
        }
    }
}

/// An entry.
pub fn entry(entry: &Entry<Types>, names: &[NodeName]) -> Json {
    let leader = &entry.log_id.leader_id;
    let value = match &entry.payload {
        EntryPayload::Blank => "blank".to_owned(),
        EntryPayload::Normal(request) => request.to_string(),
        EntryPayload::Membership(_) if entry.log_id.index == 0 => "members".to_owned(),
        EntryPayload::Membership(members) => self::members(members, names),
    };
    json!({ "term": leader.term, "node": name(leader.node_id, names), "value": value })
}

/// A membership in one word: the voters of each configuration, then the learners.
pub fn members(members: &Membership<Id, EmptyNode>, names: &[NodeName]) -> String {
    let word = |id: &Id| name(*id, names).as_str().unwrap_or("?").to_owned();
    let voters: Vec<String> = members
        .get_joint_config()
        .iter()
        .map(|voters| voters.iter().map(word).collect::<Vec<String>>().join("+"))
        .collect();
    let learners: Vec<String> = members.learner_ids().map(|id| word(&id)).collect();
    if learners.is_empty() {
        voters.join("/")
    } else {
        format!("{}, {}", voters.join("/"), learners.join("+"))
    }
}

/// A question to another node.
pub fn question(from: Id, key: &Key, question: &Question, names: &[NodeName]) -> Json {
    let (from, to) = (name(from, names), name(key.to, names));
    match question {
        Question::Vote(request) => json!({
            "type": "vote", "from": from, "to": to,
            "vote": vote(&request.vote, names), "last": log_id(request.last_log_id.as_ref(), names),
        }),
        Question::Append(request) => json!({
            "type": "append", "from": from, "to": to, "era": key.era,
            "vote": vote(&request.vote, names), "prev": log_id(request.prev_log_id.as_ref(), names),
            "entries": request.entries.iter().map(|item| entry(item, names)).collect::<Vec<Json>>(),
            "commit": log_id(request.leader_commit.as_ref(), names),
        }),
        Question::Snapshot(sender, meta, _) => json!({
            "type": "snapshot", "from": from, "to": to, "era": key.era,
            "vote": vote(sender, names), "last": log_id(meta.last_log_id.as_ref(), names),
        }),
    }
}

/// An answer to the question with this key of another node.
pub fn answer(from: Id, to: Id, key: &Key, answer: &Answer, names: &[NodeName]) -> Json {
    let (from, to) = (name(from, names), name(to, names));
    let asked = vote(&key.vote, names);
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
                "type": "appendAnswer", "from": from, "to": to, "era": key.era, "asked": asked,
                "result": result, "vote": greater,
            })
        }
        Answer::Snapshot(answered) => json!({
            "type": "snapshotAnswer", "from": from, "to": to, "era": key.era, "asked": asked,
            "vote": vote(answered, names),
        }),
    }
}
