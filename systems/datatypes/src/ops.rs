//! The edits that models name, the same for all libraries. A library that can't do one says so.

use std::ops::Range;

use kilter::datatype::{Edit, Effect};

/// Where an edit is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the beginning.
    Front,
    /// In the middle.
    Mid,
    /// At the end.
    End,
    /// Everywhere.
    All,
}

/// An edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op<'e> {
    /// `type front|mid|end`: inserts two letters into the text.
    Type(Place),
    /// `erase front|mid|end|all`: deletes letters of the text.
    Erase(Place),
    /// `bold front|mid|end|all`: formats letters of the text.
    Bold(Place),
    /// `plain front|mid|end|all`: takes the format away.
    Plain(Place),
    /// `put front|mid|end`: inserts an element into the list.
    Put(Place),
    /// `drop front|mid|end|all`: deletes elements of the list.
    Drop(Place),
    /// `move front|mid|end`: moves an element of the list to the other end; one from the middle goes to the front.
    Move(Place),
    /// `replace front|mid|end`: sets an element of the list to another value.
    Replace(Place),
    /// `set KEY`: sets a key of the map.
    Set(&'e str),
    /// `unset KEY`: removes a key of the map, also if there is none.
    Unset(&'e str),
    /// `same KEY`: sets a key of the map to what everybody may set it to.
    Same(&'e str),
    /// `count N`: adds to the counter.
    Count(i64),
    /// `nest`: puts a new list into the map.
    Nest,
    /// `into`: inserts an element into that list.
    Into,
    /// `unnest`: removes that list.
    Unnest,
    /// `swap KEY`: sets a key and removes the list, in one transaction.
    Swap(&'e str),
    /// `plant`: makes a root of the tree.
    Plant,
    /// `graft front|end`: moves the first node under the last one, or the last one under the first.
    Graft(Place),
    /// `uproot`: makes the last node a root.
    Uproot,
    /// `fell front|end`: deletes the first or the last node.
    Fell(Place),
    /// `undo`: takes the replica's own last edit back.
    Undo,
    /// `redo`: does it again.
    Redo,
}

impl<'e> Op<'e> {
    /// The edit that some words mean.
    pub fn parse(edit: Edit<'e>) -> Option<Op<'e>> {
        let words: Vec<&str> = edit.words.iter().map(String::as_str).collect();
        Some(match words[..] {
            ["type", at] => Op::Type(place(at)?),
            ["erase", at] => Op::Erase(place(at)?),
            ["bold", at] => Op::Bold(place(at)?),
            ["plain", at] => Op::Plain(place(at)?),
            ["put", at] => Op::Put(place(at)?),
            ["drop", at] => Op::Drop(place(at)?),
            ["move", at] => Op::Move(place(at)?),
            ["replace", at] => Op::Replace(place(at)?),
            ["set", key] => Op::Set(key),
            ["unset", key] => Op::Unset(key),
            ["same", key] => Op::Same(key),
            ["count", by] => Op::Count(by.parse().ok()?),
            ["nest"] => Op::Nest,
            ["into"] => Op::Into,
            ["unnest"] => Op::Unnest,
            ["swap", key] => Op::Swap(key),
            ["plant"] => Op::Plant,
            ["graft", at] => Op::Graft(place(at)?),
            ["uproot"] => Op::Uproot,
            ["fell", at] => Op::Fell(place(at)?),
            ["undo"] => Op::Undo,
            ["redo"] => Op::Redo,
            _ => return None,
        })
    }
}

fn place(word: &str) -> Option<Place> {
    Some(match word {
        "front" => Place::Front,
        "mid" => Place::Mid,
        "end" => Place::End,
        "all" => Place::All,
        _ => return None,
    })
}

impl Place {
    /// The index at which something is inserted.
    pub fn gap(self, len: usize) -> usize {
        match self {
            Place::Front | Place::All => 0,
            Place::Mid => len / 2,
            Place::End => len,
        }
    }

    /// The range that is deleted or formatted. `None` if there is nothing.
    pub fn range(self, len: usize) -> Option<Range<usize>> {
        if len == 0 {
            return None;
        }
        Some(match self {
            Place::Front => 0..1,
            Place::Mid => len.saturating_sub(2) / 2..len.saturating_sub(2) / 2 + 2.min(len),
            Place::End => len - 1..len,
            Place::All => 0..len,
        })
    }

    /// One index. `None` if there is nothing.
    pub fn one(self, len: usize) -> Option<usize> {
        Some(self.range(len)?.start)
    }

    /// Where an element that is moved goes: the index after it was taken out.
    pub fn goal(self, len: usize) -> usize {
        if self == Place::Front { len - 1 } else { 0 }
    }
}

/// The letters that an edit types. The second one takes two units of UTF-16, and both several bytes.
pub fn letters(number: u32) -> String {
    let letter = |base: u32| char::from_u32(base + number).unwrap_or('?');
    [letter(0x4E00), letter(0x1_F400)].iter().collect()
}

/// The element that an edit inserts.
pub fn element(number: u32) -> String {
    format!("e{number}")
}

/// The effects of adding and removing letters or elements.
pub fn added<'t>(all: impl IntoIterator<Item = impl ToString + 't>) -> Vec<Effect> {
    all.into_iter().map(|one| Effect::Added(one.to_string())).collect()
}

/// The effects of removing letters or elements.
pub fn removed<'t>(all: impl IntoIterator<Item = impl ToString + 't>) -> Vec<Effect> {
    all.into_iter().map(|one| Effect::Removed(one.to_string())).collect()
}

/// An element that may be gone although nobody removed it: its list may be.
pub fn passing(element: String) -> Vec<Effect> {
    vec![Effect::Added(element.clone()), Effect::Removed(element)]
}

/// The effect of setting a key of the map.
pub fn set(key: &str, value: Option<String>) -> Effect {
    Effect::Set { key: key.to_owned(), value }
}

/// The value that everybody may set a key to.
pub const SAME: &str = "same";

/// What replicas hold at the beginning: the letters of the text, and the elements of the list.
pub const LETTERS: &str = "abcd";
/// The elements of the list at the beginning.
pub const ELEMENTS: [&str; 3] = ["b1", "b2", "b3"];

/// What replicas hold at the beginning, as effects.
pub fn beginning() -> Vec<Effect> {
    added(LETTERS.chars()).into_iter().chain(added(ELEMENTS)).collect()
}

/// The letters of a text from index to index, and where they begin and end in bytes.
pub fn slice(text: &str, range: Range<usize>) -> (String, Range<usize>) {
    let byte = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(byte, _)| byte);
    let bytes = byte(range.start)..byte(range.end);
    (text[bytes.clone()].to_owned(), bytes)
}
