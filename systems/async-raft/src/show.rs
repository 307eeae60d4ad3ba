//! Writes messages and state of the library as JSON.

use std::collections::{BTreeMap, BTreeSet};

use async_raft::raft::{Entry, EntryPayload};
use kilter_held::{Key, Names};
use serde_json::{Value as Json, json};

use crate::network::{Answer, Question};
use crate::store::{Request, Snapshot};

/// An entry. Those with members say who votes: one set of nodes, or two while it changes.
pub fn entry(entry: &Entry<Request>, names: &Names) -> Json {
    let (value, members) = match &entry.payload {
        EntryPayload::Blank => ("blank".to_owned(), None),
        EntryPayload::Normal(normal) => (normal.data.0.to_string(), None),
        EntryPayload::ConfigChange(change) => ("members".to_owned(), Some(&change.membership)),
        EntryPayload::SnapshotPointer(pointer) => ("snapshot".to_owned(), Some(&pointer.membership)),
    };
    let voters: Vec<Json> = members
        .iter()
        .flat_map(|members| std::iter::once(&members.members).chain(&members.members_after_consensus))
        .map(|ids| ids.iter().copied().collect::<BTreeSet<u64>>())
        .map(|ids| ids.into_iter().map(|id| names.show(id)).collect())
        .collect();
    json!({ "term": entry.term, "value": value, "voters": voters })
}

/// A log. Entries that are not there are in a snapshot, or have never been there.
pub fn log(log: &BTreeMap<u64, Entry<Request>>, names: &Names) -> Json {
    let last = log.last_key_value().map_or(0, |(index, _)| *index);
    let gone = json!({ "term": 0, "value": "gone", "voters": [] });
    (1..=last).map(|index| log.get(&index).map_or_else(|| gone.clone(), |item| entry(item, names))).collect()
}

/// What a state machine was told.
pub fn told(applied: &[(u64, u64)]) -> Json {
    applied.iter().map(|(index, value)| json!({ "index": index, "value": value.to_string() })).collect()
}

/// The last snapshot of a node.
pub fn snapshot(stored: Option<&Snapshot>) -> Json {
    match stored {
        None => json!({ "index": 0, "term": 0, "machine": [] }),
        Some(stored) => {
            json!({ "index": stored.index, "term": stored.term, "machine": told(&stored.requests) })
        }
    }
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
            "at": request.entries.first().map_or(0, |entry| entry.index),
            "entries": request.entries.iter().map(|item| entry(item, names)).collect::<Vec<Json>>(), "commit": request.leader_commit,
        }),
        // The first part has all that is in the snapshot; the second says that this was all.
        Question::Snapshot(request) => json!({
            "type": "snapshot", "from": from, "to": to, "era": key.era, "term": request.term,
            "index": request.last_included_index, "lastTerm": request.last_included_term,
            "machine": serde_json::from_slice(&request.data).map_or(json!([]), |sent: Snapshot| told(&sent.requests)),
            "first": request.offset == 0, "done": request.done,
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
        Answer::Snapshot(term) => json!({
            "type": "snapshotAnswer", "from": from, "to": to, "era": key.era, "asked": key.term, "term": term,
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
