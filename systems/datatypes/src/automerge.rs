//! automerge: a text, a list, a map and a counter, with the sync protocol of the library.

use std::collections::BTreeMap;

use automerge::marks::{ExpandMark, Mark};
use automerge::sync::{State, SyncDoc};
use automerge::transaction::Transactable;
use automerge::{
    ActorId, AutoCommit, AutoSerde, AutomergeError, ObjId, ObjType, ROOT, ReadDoc, ScalarValue, Value,
};
use kilter::datatype::{DataType, Edit, Edited, Effect, Name, Reading};
use serde_json::{Value as Json, json};

use crate::ops::{self, Op};

/// The most messages that two replicas need to sync.
const MESSAGES_MAX: usize = 100;

/// The data type.
pub struct Automerge {
    /// What replicas hold at the beginning, as it is saved.
    base: Vec<u8>,
    objects: Objects,
}

/// The objects that all replicas have from the beginning.
#[derive(Clone)]
struct Objects {
    text: ObjId,
    list: ObjId,
    map: ObjId,
}

fn wrong(error: AutomergeError) -> String {
    error.to_string()
}

fn actor(number: u64) -> ActorId {
    ActorId::from(number.to_be_bytes())
}

impl Automerge {
    /// Makes the data type.
    pub fn new() -> Result<Automerge, AutomergeError> {
        let mut doc = AutoCommit::new().with_actor(actor(0));
        let text = doc.put_object(ROOT, "text", ObjType::Text)?;
        doc.splice_text(&text, 0, 0, ops::LETTERS)?;
        let list = doc.put_object(ROOT, "list", ObjType::List)?;
        for (index, element) in ops::ELEMENTS.into_iter().enumerate() {
            doc.insert(&list, index, element)?;
        }
        let map = doc.put_object(ROOT, "map", ObjType::Map)?;
        doc.put(ROOT, "counter", ScalarValue::counter(0))?;
        Ok(Automerge { base: doc.save(), objects: Objects { text, list, map } })
    }

    fn edited(
        &self,
        doc: &mut AutoCommit,
        op: Op<'_>,
        number: u32,
    ) -> Result<Option<Vec<Effect>>, AutomergeError> {
        let Objects { text, list, map } = &self.objects;
        let shown = doc.text(text)?;
        let n_letters = shown.chars().count();
        let n_elements = doc.length(list);
        let own = ops::element(number);
        let nothing = Ok(Some(Vec::new()));
        Ok(Some(match op {
            Op::Type(at) => {
                doc.splice_text(text, at.gap(n_letters), 0, &ops::letters(number))?;
                ops::added(ops::letters(number).chars())
            }
            Op::Erase(at) | Op::Bold(at) | Op::Plain(at) => {
                let Some(range) = at.range(n_letters) else { return nothing };
                if let Op::Erase(_) = op {
                    let (letters, _) = ops::slice(&shown, range.clone());
                    doc.splice_text(text, range.start, range.len() as isize, "")?;
                    return Ok(Some(ops::removed(letters.chars())));
                }
                let value = if let Op::Bold(_) = op { ScalarValue::Boolean(true) } else { ScalarValue::Null };
                doc.mark(
                    text,
                    Mark::new("bold".to_owned(), value, range.start, range.end),
                    ExpandMark::After,
                )?;
                Vec::new()
            }
            Op::Put(at) => {
                doc.insert(list, at.gap(n_elements), own.as_str())?;
                ops::added([own])
            }
            Op::Drop(at) => {
                let Some(range) = at.range(n_elements) else { return nothing };
                let gone = elements(doc, list)?[range.clone()].to_vec();
                for _ in range.clone() {
                    doc.delete(list, range.start)?;
                }
                ops::removed(gone)
            }
            Op::Replace(at) => {
                let Some(index) = at.one(n_elements) else { return nothing };
                let old = elements(doc, list)?[index].clone();
                doc.put(list, index, own.as_str())?;
                [ops::removed([old]), ops::passing(own)].concat()
            }
            Op::Set(key) => {
                doc.put(map, key, own.as_str())?;
                vec![ops::set(key, Some(own))]
            }
            Op::Same(key) => {
                doc.put(map, key, ops::SAME)?;
                // The library leaves the edit out if the key has this value already. Then it may have that in the end, too.
                vec![ops::set(key, Some(ops::SAME.to_owned()))]
            }
            Op::Unset(key) => {
                doc.delete(map, key)?;
                vec![ops::set(key, None)]
            }
            Op::Count(by) => {
                doc.increment(ROOT, "counter", by)?;
                vec![Effect::Counted { counter: "counter".to_owned(), by }]
            }
            Op::Nest => {
                let nested = doc.put_object(map, "nested", ObjType::List)?;
                doc.insert(&nested, 0, own.as_str())?;
                ops::passing(own)
            }
            Op::Into => {
                let Some((Value::Object(_), nested)) = doc.get(map, "nested")? else { return nothing };
                doc.insert(&nested, doc.length(&nested), own.as_str())?;
                ops::passing(own)
            }
            Op::Unnest => {
                doc.delete(map, "nested")?;
                Vec::new()
            }
            Op::Swap(key) => {
                doc.put(map, key, own.as_str())?;
                doc.delete(map, "nested")?;
                vec![ops::set(key, Some(own))]
            }
            _ => return Ok(None),
        }))
    }
}

fn elements(doc: &AutoCommit, list: &ObjId) -> Result<Vec<String>, AutomergeError> {
    let element = |index| Ok(doc.get(list, index)?.and_then(|(value, _)| value.into_string().ok()));
    (0..doc.length(list)).filter_map(|index| element(index).transpose()).collect()
}

/// All values of a key, those that are in conflict with the winner too.
fn conflicts(doc: &AutoCommit, map: &ObjId) -> Result<BTreeMap<String, Vec<String>>, AutomergeError> {
    let all = |key: String| {
        let values = doc.get_all(map, key.as_str())?;
        Ok((key, values.into_iter().map(|(value, id)| format!("{value} {id}")).collect()))
    };
    doc.keys(map).map(all).collect()
}

impl DataType for Automerge {
    type Replica = AutoCommit;

    fn beginning(&self) -> Vec<Effect> {
        ops::beginning()
    }

    fn start(&self, name: Name) -> Result<AutoCommit, String> {
        self.load(name, &self.base)
    }

    fn load(&self, name: Name, saved: &[u8]) -> Result<AutoCommit, String> {
        Ok(AutoCommit::load(saved).map_err(wrong)?.with_actor(actor(name.number())))
    }

    fn save(&self, doc: &mut AutoCommit) -> Result<Vec<u8>, String> {
        Ok(doc.save())
    }

    fn edit(&self, doc: &mut AutoCommit, edit: Edit<'_>) -> Result<Option<Edited>, String> {
        let Some(op) = Op::parse(edit) else { return Ok(None) };
        let Some(effects) = self.edited(doc, op, edit.number).map_err(wrong)? else { return Ok(None) };
        let is_changed = doc.commit().is_some();
        let change = doc.get_last_local_change().filter(|_| is_changed);
        let update = change.map(|change| change.raw_bytes().to_vec()).unwrap_or_default();
        Ok(Some(Edited { update, effects }))
    }

    fn receive(&self, doc: &mut AutoCommit, update: &[u8]) -> Result<(), String> {
        doc.load_incremental(update).map(|_| ()).map_err(wrong)
    }

    fn sync(&self, first: &mut AutoCommit, second: &mut AutoCommit) -> Result<(), String> {
        let (mut of_first, mut of_second) = (State::new(), State::new());
        for _ in 0..MESSAGES_MAX {
            let there = first.sync().generate_sync_message(&mut of_first);
            let is_quiet = there.is_none();
            if let Some(message) = there {
                second.sync().receive_sync_message(&mut of_second, message).map_err(wrong)?;
            }
            let back = second.sync().generate_sync_message(&mut of_second);
            if is_quiet && back.is_none() {
                return Ok(());
            }
            if let Some(message) = back {
                first.sync().receive_sync_message(&mut of_first, message).map_err(wrong)?;
            }
        }
        Err(format!("the sync does not end after {MESSAGES_MAX} messages"))
    }

    fn read(&self, doc: &mut AutoCommit) -> Result<Reading, String> {
        let mut heads: Vec<String> = doc.get_heads().iter().map(ToString::to_string).collect();
        heads.sort_unstable();
        let Objects { text, list, map } = &self.objects;
        let mut value = serde_json::to_value(AutoSerde::from(&*doc)).map_err(|error| error.to_string())?;
        let marks = doc.marks(text).map_err(wrong)?;
        let marks = marks
            .iter()
            .map(|mark| format!("{} {:?} {}..{}", mark.name(), mark.value(), mark.start, mark.end));
        value["marks"] = json!(marks.collect::<Vec<_>>());
        value["conflicts"] = json!(conflicts(doc, map).map_err(wrong)?);
        let mut all = elements(doc, list).map_err(wrong)?;
        all.extend(doc.text(text).map_err(wrong)?.chars().map(String::from));
        if let Some((Value::Object(_), nested)) = doc.get(map, "nested").map_err(wrong)? {
            all.extend(elements(doc, &nested).map_err(wrong)?);
        }
        let keys = value["map"].as_object().into_iter().flatten();
        let keys = keys.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
        let counter = value["counter"].as_i64();
        let counters = counter.map(|n| ("counter".to_owned(), n)).into_iter().collect();
        if value == Json::Null {
            return Err("the document has no value".to_owned());
        }
        Ok(Reading { value, version: heads.join(" "), elements: all, keys, counters })
    }
}
