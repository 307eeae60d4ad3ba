//! Writes messages and state of the library as JSON.

use async_raft::raft::{Entry, EntryPayload};
use kilter_testbed::NodeName;
use serde_json::{Value as Json, json};

use crate::network::{Answer, Key, Question};
use crate::store::Request;

/// The name of the node with this number; `none` if there is none.
pub fn name(id: u64, names: &[NodeName]) -> Json {
    let place = id.checked_sub(1).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| names.get(place)).map_or(Json::from("none"), |name| Json::from(&**name))
}

/// An entry.
pub fn entry(entry: &Entry<Request>) -> Json {
    let value = match &entry.payload {
        EntryPayload::Blank => "blank".to_owned(),
        EntryPayload::Normal(normal) => normal.data.0.to_string(),
        EntryPayload::ConfigChange(_) => "members".to_owned(),
        EntryPayload::SnapshotPointer(_) => "snapshot".to_owned(),
    };
    json!({ "term": entry.term, "value": value })
}

/// A question to another node.
pub fn question(from: u64, key: &Key, question: &Question, names: &[NodeName]) -> Json {
    let (from, to) = (name(from, names), name(key.to, names));
    match question {
        Question::Vote(request) => json!({
            "type": "vote", "from": from, "to": to, "term": request.term,
            "lastIndex": request.last_log_index, "lastTerm": request.last_log_term,
        }),
        Question::Append(request) => json!({
            "type": "append", "from": from, "to": to, "era": key.era, "term": request.term,
            "prevIndex": request.prev_log_index, "prevTerm": request.prev_log_term,
            "entries": request.entries.iter().map(entry).collect::<Vec<Json>>(), "commit": request.leader_commit,
        }),
    }
}

/// An answer to the question with this key of another node.
pub fn answer(from: u64, to: u64, key: &Key, answer: &Answer, names: &[NodeName]) -> Json {
    let (from, to) = (name(from, names), name(to, names));
    match answer {
        Answer::Vote(term, granted) => json!({
            "type": "voteAnswer", "from": from, "to": to, "asked": key.term, "term": term, "granted": granted,
        }),
        Answer::Append(term, success, conflict) => {
            let conflict =
                conflict.map_or(Json::from("none"), |(term, index)| json!({ "term": term, "index": index }));
            json!({
                "type": "appendAnswer", "from": from, "to": to, "era": key.era, "asked": key.term, "term": term,
                "success": success, "conflict": conflict,
            })
        }
    }
}
