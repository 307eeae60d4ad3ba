//! Pairs the basic blocks of two versions.
//!
//! Arms of a disjunction may be reordered, so blocks are paired by what they say: first by their text with all blocks
//! inside, then by their own text, then by the definition that they call. Blocks without a partner are added or
//! deleted. Only arms of the same branching are paired with each other.

use std::collections::BTreeMap;

use crate::blocks::Block;

/// The result of pairing. All blocks are given by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// New blocks without a partner. Blocks inside them are not listed.
    pub added: Vec<usize>,
    /// Old blocks without a partner. Blocks inside them are not listed.
    pub deleted: Vec<usize>,
    /// Pairs of an old and a new block with different texts.
    pub modified: Vec<(usize, usize)>,
    /// All old blocks that are deleted or modified, including blocks inside deleted ones.
    pub old_changed: Vec<usize>,
    /// All new blocks that are added or modified, including blocks inside added ones.
    pub new_changed: Vec<usize>,
}

/// Pairs the blocks of two versions, beginning with the whole actions.
pub fn pair(old: &[Block], new: &[Block]) -> Pairing {
    let mut pairing = Pairing::default();
    if old.is_empty() || new.is_empty() {
        return pairing;
    }
    let (old_whole, new_whole) = (whole_texts(old), whole_texts(new));
    let mut open = vec![(0, 0)];
    while let Some((before, after)) = open.pop() {
        if old[before].text != new[after].text {
            pairing.modified.push((before, after));
            pairing.old_changed.push(before);
            pairing.new_changed.push(after);
        } else if old_whole[before] == new_whole[after] {
            continue;
        }
        let (pairs, deleted, added) =
            pair_children((old, &old[before].children, &old_whole), (new, &new[after].children, &new_whole));
        open.extend(pairs);
        for block in &deleted {
            with_inner(old, *block, &mut pairing.old_changed);
        }
        for block in &added {
            with_inner(new, *block, &mut pairing.new_changed);
        }
        pairing.deleted.extend(deleted);
        pairing.added.extend(added);
    }
    pairing.modified.sort_unstable_by_key(|(_, new)| *new);
    pairing.added.sort_unstable();
    pairing.deleted.sort_unstable();
    pairing
}

/// A hash of the text of each block with all blocks inside it. The order of a disjunction's arms does not matter.
fn whole_texts(blocks: &[Block]) -> Vec<String> {
    let mut whole: Vec<String> = vec![String::new(); blocks.len()];
    // Children come after their parents, so go backwards.
    for number in (0..blocks.len()).rev() {
        let block = &blocks[number];
        let mut inner: Vec<String> = block
            .children
            .iter()
            .map(|child| format!("{}:{}", blocks[*child].arm_of, whole[*child]))
            .collect();
        inner.sort_unstable();
        let text = format!("{}{{{}}}", block.text, inner.join(";"));
        whole[number] = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()));
    }
    whole
}

type Children<'a> = (&'a [Block], &'a [usize], &'a [String]);

/// Pairs of children, then old children without a partner, then new children without a partner.
fn pair_children(old: Children<'_>, new: Children<'_>) -> (Vec<(usize, usize)>, Vec<usize>, Vec<usize>) {
    let mut pairs = Vec::new();
    let (mut left, mut right) = (old.1.to_vec(), new.1.to_vec());
    let by_whole = |(blocks, _, whole): Children<'_>, n: usize| format!("{} {}", blocks[n].arm_of, whole[n]);
    let by_text = |(blocks, ..): Children<'_>, n: usize| format!("{} {}", blocks[n].arm_of, blocks[n].text);
    let by_name = |(blocks, ..): Children<'_>, n: usize| format!("{} {}", blocks[n].arm_of, blocks[n].name);
    for key in [by_whole, by_text, by_name] as [fn(Children<'_>, usize) -> String; 3] {
        let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for number in right.iter().rev() {
            waiting.entry(key(new, *number)).or_default().push(*number);
        }
        left.retain(|number| match waiting.get_mut(&key(old, *number)).and_then(Vec::pop) {
            Some(partner) => {
                pairs.push((*number, partner));
                right.retain(|other| *other != partner);
                false
            }
            None => true,
        });
    }
    (pairs, left, right)
}

/// Adds a block and all blocks inside it to `out`.
fn with_inner(blocks: &[Block], block: usize, out: &mut Vec<usize>) {
    let mut open = vec![block];
    while let Some(number) = open.pop() {
        out.push(number);
        open.extend(&blocks[number].children);
    }
}
