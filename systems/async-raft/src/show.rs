//! Writes messages and state of the library as JSON.

use async_raft::raft::{Entry, EntryPayload};
use kilter_held::{Key, Names};
use serde_json::{Value as Json, json};

use crate::network::{Answer, Question};
use crate::store::Request;

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
pub fn question(from: u64, key: &Key<u64>, question: &Question, names: &Names) -> Json {
    let (from, to) = (names.show(from), names.show(key.to));
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
pub fn answer(from: u64, to: u64, key: &Key<u64>, answer: &Answer, names: &Names) -> Json {
    let (from, to) = (names.show(from), names.show(to));
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
