//! loro: a text, a list, a list with moves, a map, a tree and a counter, with undo if it is wanted.

use std::collections::BTreeMap;

use kilter::datatype::{DataType, Edit, Edited, Effect, Name, Reading};
use loro::{
    Container, ExportMode, LoroDoc, LoroError, LoroList, LoroMap, LoroMovableList, LoroText, LoroTree,
    LoroValue, TreeID, TreeParentId, UndoManager, ValueOrContainer,
};
use serde_json::{Value as Json, json};

use crate::ops::{self, Op, Place};

/// The data type.
pub struct Loro {
    /// Whether replicas can undo.
    undo: bool,
    /// Whether the list is one with moves.
    movable: bool,
    /// What replicas hold at the beginning, as an update.
    base: Vec<u8>,
}

/// A replica.
pub struct Replica {
    doc: LoroDoc,
    undo: Option<UndoManager>,
}

/// How often two replicas may go on having updates for each other.
const SYNCS_MAX: u32 = 20;

fn wrong(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Replica {
    fn text(&self) -> LoroText {
        self.doc.get_text("text")
    }

    fn list(&self) -> LoroList {
        self.doc.get_list("list")
    }

    fn movable(&self) -> LoroMovableList {
        self.doc.get_movable_list("movable")
    }

    fn map(&self) -> LoroMap {
        self.doc.get_map("map")
    }

    fn tree(&self) -> LoroTree {
        self.doc.get_tree("tree")
    }
}

/// A list of either kind.
enum Items {
    Plain(LoroList),
    Movable(LoroMovableList),
}

impl Items {
    fn all(&self) -> Vec<String> {
        let values = match self {
            Items::Plain(list) => list.to_vec(),
            Items::Movable(list) => list.to_vec(),
        };
        values.iter().filter_map(|value| Some(value.as_string()?.to_string())).collect()
    }

    fn insert(&self, index: usize, element: &str) -> Result<(), LoroError> {
        match self {
            Items::Plain(list) => list.insert(index, element),
            Items::Movable(list) => list.insert(index, element),
        }
    }

    fn delete(&self, index: usize, len: usize) -> Result<(), LoroError> {
        match self {
            Items::Plain(list) => list.delete(index, len),
            Items::Movable(list) => list.delete(index, len),
        }
    }
}

/// The nodes of a tree in the order in which a user sees them.
fn nodes(tree: &LoroTree) -> Vec<TreeID> {
    fn below(tree: &LoroTree, parent: TreeParentId, all: &mut Vec<TreeID>) {
        for child in tree.children(parent).unwrap_or_default() {
            all.push(child);
            below(tree, TreeParentId::Node(child), all);
        }
    }
    let mut all = Vec::new();
    below(tree, TreeParentId::Root, &mut all);
    all
}

impl Loro {
    /// Makes the data type.
    pub fn new(undo: bool, movable: bool) -> Result<Loro, String> {
        let mut data = Loro { undo, movable, base: Vec::new() };
        let first = data.replica(1000)?;
        first.text().insert(0, ops::LETTERS).map_err(wrong)?;
        for (index, element) in ops::ELEMENTS.into_iter().enumerate() {
            data.items(&first).insert(index, element).map_err(wrong)?;
        }
        first.doc.commit();
        data.base = first.doc.export(ExportMode::all_updates()).map_err(wrong)?;
        Ok(data)
    }

    fn items(&self, replica: &Replica) -> Items {
        if self.movable { Items::Movable(replica.movable()) } else { Items::Plain(replica.list()) }
    }

    fn replica(&self, id: u64) -> Result<Replica, String> {
        let doc = LoroDoc::new();
        doc.set_peer_id(id).map_err(wrong)?;
        let undo = self.undo.then(|| {
            let mut undo = UndoManager::new(&doc);
            undo.set_merge_interval(0);
            undo
        });
        Ok(Replica { doc, undo })
    }

    fn edited(
        &self,
        replica: &mut Replica,
        op: Op<'_>,
        number: u32,
    ) -> Result<Option<Vec<Effect>>, LoroError> {
        let own = ops::element(number);
        let map = replica.map();
        let nothing = Ok(Some(Vec::new()));
        Ok(Some(match op {
            Op::Type(_) | Op::Erase(_) | Op::Bold(_) | Op::Plain(_) => {
                return typed(&replica.text(), op, number);
            }
            Op::Put(_) | Op::Drop(_) | Op::Move(_) | Op::Replace(_) => return self.listed(replica, op, own),
            Op::Plant | Op::Graft(_) | Op::Uproot | Op::Fell(_) => return grown(&replica.tree(), op),
            Op::Set(key) => {
                map.insert(key, own.as_str())?;
                vec![ops::set(key, Some(own))]
            }
            Op::Same(key) => {
                map.insert(key, ops::SAME)?;
                // The library leaves the edit out if the key has this value already. Then it may have that in the end, too.
                vec![ops::set(key, Some(ops::SAME.to_owned()))]
            }
            Op::Unset(key) => {
                map.delete(key)?;
                vec![ops::set(key, None)]
            }
            Op::Count(by) => {
                replica.doc.get_counter("counter").increment(by as f64)?;
                vec![Effect::Counted { counter: "counter".to_owned(), by }]
            }
            Op::Nest => {
                map.insert_container("nested", LoroList::new())?.push(own.as_str())?;
                ops::passing(own)
            }
            Op::Into => {
                let Some(ValueOrContainer::Container(Container::List(nested))) = map.get("nested") else {
                    return nothing;
                };
                nested.push(own.as_str())?;
                ops::passing(own)
            }
            Op::Unnest => {
                map.delete("nested")?;
                Vec::new()
            }
            Op::Swap(key) => {
                map.insert(key, own.as_str())?;
                map.delete("nested")?;
                vec![ops::set(key, Some(own))]
            }
            Op::Undo | Op::Redo => {
                let Some(undo) = &mut replica.undo else { return Ok(None) };
                if op == Op::Undo {
                    undo.undo()?
                } else {
                    undo.redo()?
                };
                vec![Effect::Anything]
            }
        }))
    }

    fn listed(&self, replica: &Replica, op: Op<'_>, own: String) -> Result<Option<Vec<Effect>>, LoroError> {
        let items = self.items(replica);
        let all = items.all();
        let nothing = Ok(Some(Vec::new()));
        Ok(Some(match (op, &items) {
            (Op::Put(at), _) => {
                items.insert(at.gap(all.len()), &own)?;
                ops::added([own])
            }
            (Op::Drop(at), _) => {
                let Some(range) = at.range(all.len()) else { return nothing };
                items.delete(range.start, range.len())?;
                ops::removed(&all[range])
            }
            (Op::Move(at), Items::Movable(list)) => {
                let Some(from) = at.one(all.len()) else { return nothing };
                list.mov(from, at.goal(all.len()))?;
                Vec::new()
            }
            (Op::Replace(at), Items::Movable(list)) => {
                let Some(index) = at.one(all.len()) else { return nothing };
                list.set(index, own.as_str())?;
                [ops::removed([&all[index]]), ops::passing(own)].concat()
            }
            _ => return Ok(None),
        }))
    }
}

fn typed(text: &LoroText, op: Op<'_>, number: u32) -> Result<Option<Vec<Effect>>, LoroError> {
    let shown = text.to_string();
    let n_letters = shown.chars().count();
    if let Op::Type(at) = op {
        text.insert(at.gap(n_letters), &ops::letters(number))?;
        return Ok(Some(ops::added(ops::letters(number).chars())));
    }
    let (Op::Erase(at) | Op::Bold(at) | Op::Plain(at)) = op else { return Ok(None) };
    let Some(range) = at.range(n_letters) else { return Ok(Some(Vec::new())) };
    match op {
        Op::Erase(_) => {
            text.delete(range.start, range.len())?;
            return Ok(Some(ops::removed(ops::slice(&shown, range).0.chars())));
        }
        Op::Bold(_) => text.mark(range, "bold", true)?,
        _ => text.unmark(range, "bold")?,
    }
    Ok(Some(Vec::new()))
}

fn grown(tree: &LoroTree, op: Op<'_>) -> Result<Option<Vec<Effect>>, LoroError> {
    let all = nodes(tree);
    let ends = all.first().copied().zip(all.last().copied());
    let done = match (op, ends) {
        (Op::Plant, _) => tree.create(TreeParentId::Root).map(|_| ()),
        (Op::Graft(Place::Front), Some((first, last))) if first != last => tree.mov(first, last),
        (Op::Graft(_), Some((first, last))) if first != last => tree.mov(last, first),
        (Op::Uproot, Some((_, last))) => tree.mov(last, TreeParentId::Root),
        (Op::Fell(Place::Front), Some((first, _))) => tree.delete(first),
        (Op::Fell(_), Some((_, last))) => tree.delete(last),
        _ => Ok(()),
    };
    match done {
        // The node is above the other one.
        Err(LoroError::TreeError(_)) | Ok(()) => Ok(Some(Vec::new())),
        Err(error) => Err(error),
    }
}

fn json(value: LoroValue) -> Result<Json, String> {
    serde_json::to_value(value).map_err(wrong)
}

impl DataType for Loro {
    type Replica = Replica;

    fn beginning(&self) -> Vec<Effect> {
        ops::beginning()
    }

    fn start(&self, name: Name) -> Result<Replica, String> {
        self.load(name, &self.base)
    }

    fn load(&self, name: Name, saved: &[u8]) -> Result<Replica, String> {
        let replica = self.replica(name.number())?;
        replica.doc.import(saved).map_err(wrong)?;
        Ok(replica)
    }

    fn save(&self, replica: &mut Replica) -> Result<Vec<u8>, String> {
        replica.doc.export(ExportMode::Snapshot).map_err(wrong)
    }

    fn edit(&self, replica: &mut Replica, edit: Edit<'_>) -> Result<Option<Edited>, String> {
        let Some(op) = Op::parse(edit) else { return Ok(None) };
        let before = replica.doc.oplog_vv();
        let Some(effects) = self.edited(replica, op, edit.number).map_err(wrong)? else { return Ok(None) };
        replica.doc.commit();
        let update = match replica.doc.oplog_vv() == before {
            true => Vec::new(),
            false => replica.doc.export(ExportMode::updates(&before)).map_err(wrong)?,
        };
        Ok(Some(Edited { update, effects }))
    }

    fn receive(&self, replica: &mut Replica, update: &[u8]) -> Result<(), String> {
        replica.doc.import(update).map(|_| ()).map_err(wrong)
    }

    fn sync(&self, first: &mut Replica, second: &mut Replica) -> Result<(), String> {
        // An update that came too early at one of them may be complete only with what the other one sends, and is
        // passed on only then. Each time round completes at least one; a schedule has few.
        for _ in 0..SYNCS_MAX {
            let update = first.doc.export(ExportMode::updates(&second.doc.oplog_vv())).map_err(wrong)?;
            second.doc.import(&update).map_err(wrong)?;
            let update = second.doc.export(ExportMode::updates(&first.doc.oplog_vv())).map_err(wrong)?;
            first.doc.import(&update).map_err(wrong)?;
            if first.doc.oplog_vv() == second.doc.oplog_vv() {
                return Ok(());
            }
        }
        Err("two replicas go on having updates for each other".to_owned())
    }

    fn read(&self, replica: &mut Replica) -> Result<Reading, String> {
        // The library compares what it shows with what its history gives.
        replica.doc.check_state_correctness_slow();
        let list = self.items(replica).all();
        let map = json(replica.map().get_deep_value())?;
        let mut all = list.clone();
        let nested = map.get("nested").and_then(Json::as_array).into_iter().flatten();
        all.extend(nested.filter_map(|element| Some(element.as_str()?.to_owned())));
        all.extend(replica.text().to_string().chars().map(String::from));
        let keys = map.as_object().into_iter().flatten();
        let keys = keys.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
        let counter = replica.doc.get_counter("counter").get_value();
        let version: BTreeMap<_, _> = replica.doc.oplog_vv().iter().map(|(id, n)| (*id, *n)).collect();
        Ok(Reading {
            value: json!({
                "text": json(replica.text().get_richtext_value())?,
                "list": list,
                "map": map,
                "tree": json(replica.tree().get_value())?,
                "counter": counter,
            }),
            version: format!("{version:?}"),
            elements: all,
            keys,
            counters: [("counter".to_owned(), counter as i64)].into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use kilter_converge::step;

    use super::*;

    #[test]
    fn a_sync_passes_on_what_it_completes() {
        let data = Loro::new(false, false).expect("a new data type");
        let start = |number| data.start(Name { replica: step::Replica(number), life: 0 }).expect("a start");
        let [mut a, mut b, mut c] = [start(0), start(1), start(2)];
        let mut set = |number| {
            let words = ["set".to_owned(), "x".to_owned()];
            let edited = data.edit(&mut a, Edit { number, words: &words }).expect("an edit");
            edited.expect("a known edit").update
        };
        let [first, second] = [set(1), set(2)];
        data.receive(&mut b, &second).expect("an update that is early");
        data.receive(&mut c, &first).expect("an update");
        data.sync(&mut b, &mut c).expect("a sync");
        let x = |replica: &mut Replica| data.read(replica).expect("a reading").keys["x"].clone();
        assert_eq!([x(&mut b), x(&mut c)], ["e2", "e2"]);
    }
}
