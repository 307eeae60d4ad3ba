//! yrs: a text, a list and a map, with undo if it is wanted.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kilter::datatype::{DataType, Edit, Edited, Effect, Name, Reading};
use serde_json::json;
use yrs::types::ToJson;
use yrs::undo::Options as UndoOptions;
use yrs::updates::decoder::Decode;
use yrs::{
    Any, Array, ArrayPrelim, ArrayRef, Doc, GetString, Map, MapRef, Out, ReadTxn, StateVector, Text, TextRef,
    Transact, TransactionMut, UndoManager, Update,
};

use crate::ops::{self, Op};

/// The data type.
pub struct Yrs {
    /// Whether replicas can undo.
    pub undo: bool,
    /// What replicas hold at the beginning, as an update.
    base: Vec<u8>,
}

/// A replica.
pub struct Replica {
    doc: Doc,
    text: TextRef,
    list: ArrayRef,
    map: MapRef,
    undo: Option<UndoManager>,
}

/// The name of what comes from others, so that it can't be undone.
const REMOTE: &str = "remote";

fn replica(id: u64, undo: bool) -> Replica {
    let doc = Doc::with_client_id(id);
    let text = doc.get_or_insert_text("text");
    let list = doc.get_or_insert_array("list");
    let map = doc.get_or_insert_map("map");
    let undo = undo.then(|| {
        let options = UndoOptions { capture_timeout_millis: 0, ..UndoOptions::default() };
        let mut manager = UndoManager::with_options(options);
        manager.expand_scope(&doc, &text);
        manager.expand_scope(&doc, &list);
        manager.expand_scope(&doc, &map);
        manager
    });
    Replica { doc, text, list, map, undo }
}

impl Yrs {
    /// Makes the data type.
    pub fn new(undo: bool) -> Yrs {
        let first = replica(1000, false);
        let mut txn = first.doc.transact_mut();
        first.text.insert(&mut txn, 0, ops::LETTERS);
        for element in ops::ELEMENTS {
            first.list.push_back(&mut txn, element);
        }
        let base = txn.encode_update_v1();
        drop(txn);
        Yrs { undo, base }
    }
}

fn receive(replica: &Replica, update: &[u8]) -> Result<(), String> {
    let update = Update::decode_v1(update).map_err(|error| error.to_string())?;
    replica.doc.transact_mut_with(REMOTE).apply_update(update).map_err(|error| error.to_string())
}

fn elements(list: &ArrayRef, txn: &impl ReadTxn) -> Vec<String> {
    list.iter(txn).map(|element| element.to_string(txn)).collect()
}

fn bold(value: bool) -> HashMap<Arc<str>, Any> {
    let value = if value { Any::Bool(true) } else { Any::Null };
    [(Arc::from("bold"), value)].into_iter().collect()
}

/// Does an edit in a transaction. `None` if this library has no such edit.
fn edit(replica: &Replica, txn: &mut TransactionMut<'_>, op: Op<'_>, number: u32) -> Option<Vec<Effect>> {
    let Replica { text, list, map, .. } = replica;
    let shown = text.get_string(txn);
    let n_letters = shown.chars().count();
    let all = elements(list, txn);
    let own = ops::element(number);
    let nothing = Some(Vec::new());
    Some(match op {
        Op::Type(at) => {
            let (_, bytes) = ops::slice(&shown, 0..at.gap(n_letters));
            text.insert(txn, bytes.end as u32, &ops::letters(number));
            ops::added(ops::letters(number).chars())
        }
        Op::Erase(at) | Op::Bold(at) | Op::Plain(at) => {
            let Some(range) = at.range(n_letters) else { return nothing };
            let (letters, bytes) = ops::slice(&shown, range);
            let (index, len) = (bytes.start as u32, bytes.len() as u32);
            if let Op::Erase(_) = op {
                text.remove_range(txn, index, len);
                return Some(ops::removed(letters.chars()));
            }
            text.format(txn, index, len, bold(matches!(op, Op::Bold(_))));
            Vec::new()
        }
        Op::Put(at) => {
            list.insert(txn, at.gap(all.len()) as u32, own.as_str());
            ops::added([own])
        }
        Op::Drop(at) => {
            let Some(range) = at.range(all.len()) else { return nothing };
            list.remove_range(txn, range.start as u32, range.len() as u32);
            ops::removed(&all[range])
        }
        Op::Set(key) => {
            map.insert(txn, key, own.as_str());
            vec![ops::set(key, Some(own))]
        }
        Op::Same(key) => {
            map.insert(txn, key, ops::SAME);
            vec![ops::set(key, Some(ops::SAME.to_owned()))]
        }
        Op::Unset(key) => {
            map.remove(txn, key);
            vec![ops::set(key, None)]
        }
        Op::Nest => {
            map.insert(txn, "nested", ArrayPrelim::from([own.as_str()]));
            ops::passing(own)
        }
        Op::Into => {
            let Some(Out::YArray(nested)) = map.get(txn, "nested") else { return nothing };
            nested.push_back(txn, own.as_str());
            ops::passing(own)
        }
        Op::Unnest => {
            map.remove(txn, "nested");
            Vec::new()
        }
        Op::Swap(key) => {
            map.insert(txn, key, own.as_str());
            map.remove(txn, "nested");
            vec![ops::set(key, Some(own))]
        }
        _ => return None,
    })
}

impl DataType for Yrs {
    type Replica = Replica;

    fn beginning(&self) -> Vec<Effect> {
        ops::beginning()
    }

    fn start(&self, name: Name) -> Result<Replica, String> {
        let replica = replica(name.number(), self.undo);
        receive(&replica, &self.base)?;
        Ok(replica)
    }

    fn load(&self, name: Name, saved: &[u8]) -> Result<Replica, String> {
        let replica = replica(name.number(), self.undo);
        receive(&replica, saved)?;
        Ok(replica)
    }

    fn save(&self, replica: &mut Replica) -> Result<Vec<u8>, String> {
        Ok(replica.doc.transact().encode_state_as_update_v1(&StateVector::default()))
    }

    fn edit(&self, replica: &mut Replica, wanted: Edit<'_>) -> Result<Option<Edited>, String> {
        let Some(op) = Op::parse(wanted) else { return Ok(None) };
        if let Op::Undo | Op::Redo = op {
            let before = replica.doc.transact().state_vector();
            let Some(undo) = &mut replica.undo else { return Ok(None) };
            let is_done = if op == Op::Undo { undo.undo_blocking() } else { undo.redo_blocking() };
            let update = replica.doc.transact().encode_state_as_update_v1(&before);
            let update = if is_done { update } else { Vec::new() };
            return Ok(Some(Edited { update, effects: vec![Effect::Anything] }));
        }
        let mut txn = replica.doc.transact_mut();
        let effects = edit(replica, &mut txn, op, wanted.number);
        // What a transaction has changed is known when it has ended.
        txn.commit();
        let update = txn.encode_update_v1();
        Ok(effects.map(|effects| Edited { update, effects }))
    }

    fn receive(&self, replica: &mut Replica, update: &[u8]) -> Result<(), String> {
        receive(replica, update)
    }

    fn sync(&self, first: &mut Replica, second: &mut Replica) -> Result<(), String> {
        let lacks = second.doc.transact().state_vector();
        let update = first.doc.transact().encode_state_as_update_v1(&lacks);
        receive(second, &update)?;
        let lacks = first.doc.transact().state_vector();
        let update = second.doc.transact().encode_state_as_update_v1(&lacks);
        receive(first, &update)
    }

    fn read(&self, replica: &mut Replica) -> Result<Reading, String> {
        let txn = replica.doc.transact();
        let text = replica.text.get_string(&txn);
        let styled = replica.text.diff(&txn, yrs::types::text::YChange::identity);
        let styled: Vec<String> = styled
            .into_iter()
            .map(|part| {
                format!("{}{}", part.insert.to_string(&txn), if part.attributes.is_some() { "*" } else { "" })
            })
            .collect();
        let map = serde_json::to_value(replica.map.to_json(&txn)).map_err(|error| error.to_string())?;
        let list = elements(&replica.list, &txn);
        let mut all = list.clone();
        if let Some(Out::YArray(nested)) = replica.map.get(&txn, "nested") {
            all.extend(elements(&nested, &txn));
        }
        all.extend(text.chars().map(String::from));
        let keys = map.as_object().into_iter().flatten();
        let keys = keys.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
        let version: BTreeMap<_, _> = txn.state_vector().iter().map(|(id, n)| (*id, *n)).collect();
        Ok(Reading {
            value: json!({ "text": styled, "list": list, "map": map }),
            version: format!("{version:?}"),
            elements: all,
            keys,
            ..Reading::default()
        })
    }
}
