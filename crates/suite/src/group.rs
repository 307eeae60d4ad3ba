//! Groups of permutations, with all members listed.

use kilter_value::{Permutation, Value};
use rustc_hash::FxHashMap;

/// Larger groups are refused: every state would have that many images.
pub const ORDER_MAX: usize = 50_000;

/// All permutations that the generators can make. The first one is the identity.
pub struct Group {
    members: Vec<Permutation>,
    numbers: FxHashMap<Vec<(Value, Value)>, u32>,
}

impl Group {
    /// The group of these generators. `None` if it is too large.
    pub fn new(generators: &[Permutation]) -> Option<Group> {
        let mut group = Group { members: Vec::new(), numbers: FxHashMap::default() };
        group.add(Permutation::default());
        let mut next = 0;
        while let Some(member) = group.members.get(next).cloned() {
            next += 1;
            for generator in generators {
                group.add(member.then(generator));
            }
            if group.members.len() > ORDER_MAX {
                return None;
            }
        }
        Some(group)
    }

    fn add(&mut self, member: Permutation) {
        let number = self.members.len() as u32;
        let members = &mut self.members;
        self.numbers.entry(member.pairs().collect()).or_insert_with(|| {
            members.push(member);
            number
        });
    }

    /// How many members there are.
    pub fn order(&self) -> usize {
        self.members.len()
    }

    /// The member with this number.
    pub fn get(&self, number: u32) -> &Permutation {
        &self.members[number as usize]
    }

    /// The number of the permutation that applies `first` and then `second`.
    pub fn product(&self, first: u32, second: u32) -> u32 {
        let product = self.get(first).then(self.get(second));
        let pairs: Vec<(Value, Value)> = product.pairs().collect();
        *self.numbers.get(&pairs).expect("a group is closed")
    }
}
