//! Lists of small numbers in one array, and a compact way to write growing numbers.

use serde::{Deserialize, Serialize};

/// Lists of small numbers, one after the other in one array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lists {
    /// For each list, the index at which it ends.
    #[serde(with = "deltas")]
    ends: Vec<u32>,
    words: Vec<u32>,
}

impl Lists {
    /// Appends a list and returns its index.
    pub(crate) fn push(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        self.words.extend(words);
        self.ends.push(u32::try_from(self.words.len()).expect("fewer than 2^32 words in all"));
        self.ends.len() as u32 - 1
    }

    /// The list with this index.
    pub(crate) fn get(&self, number: u32) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.words[start as usize..self.ends[number as usize] as usize]
    }

    /// The number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All lists in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len() as u32).map(|number| self.get(number))
    }

    /// Whether every list lies inside of the array. This may be false for lists from a file.
    pub(crate) fn is_sound(&self) -> bool {
        self.ends.is_sorted() && self.ends.last().map_or(0, |end| *end as usize) == self.words.len()
    }
}

/// Writes numbers as differences, which are small where neighbours are similar.
pub(crate) mod deltas {
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::ptr_arg, reason = "serde passes the field's own type")]
    pub(crate) fn serialize<S: Serializer>(numbers: &Vec<u32>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0u32;
        serializer.collect_seq(numbers.iter().map(|number| {
            let difference = number.wrapping_sub(last) as i32;
            last = *number;
            difference
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
        let differences = Vec::<i32>::deserialize(deserializer)?;
        let mut last = 0u32;
        let sum = |difference| {
            last = last.wrapping_add(difference as u32);
            last
        };
        Ok(differences.into_iter().map(sum).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_keep_their_words() {
        let mut lists = Lists::default();
        assert_eq!(lists.push([]), 0);
        assert_eq!(lists.push([7, 8]), 1);
        assert_eq!(lists.push([9]), 2);
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[][..], &[7, 8], &[9]]);
        assert!(lists.is_sound());
    }

    #[test]
    fn ends_past_the_words_are_noticed() {
        assert!(!Lists { ends: vec![2], words: vec![1] }.is_sound());
        assert!(!Lists { ends: vec![2, 1], words: vec![1] }.is_sound());
        assert!(!Lists { ends: vec![], words: vec![1] }.is_sound());
    }

    proptest! {
        #[test]
        fn any_numbers_survive_as_differences(words: Vec<Vec<u32>>) {
            let mut lists = Lists::default();
            for list in words {
                lists.push(list);
            }
            let bytes = postcard::to_stdvec(&lists).expect("it can be written");
            prop_assert_eq!(postcard::from_bytes::<Lists>(&bytes), Ok(lists));
        }
    }
}
