//! All runs, merged in tiers: as soon as there are four runs of a tier, they become one of the next. So there are few
//! runs to look into, and each entry is written only a few times.

use std::io;

use super::folder::Folder;
use super::sorted::{Entries, Page, Run};

/// So many runs of a tier become one of the next.
const FAN: usize = 4;

/// The hashes of states on disk, with their numbers.
#[derive(Default)]
pub(crate) struct Index {
    /// Runs with their tiers. Older runs are in higher tiers and come first.
    runs: Vec<(u32, Run)>,
}

/// A hash that somebody looks for, and what it belongs to.
pub(crate) type Wanted = (u32, u32);

impl Index {
    /// Adds entries, which are in order.
    pub(crate) fn add(&mut self, folder: &dyn Folder, entries: &[u64]) -> io::Result<()> {
        let run = Run::write(folder, entries.len(), entries.iter().map(|entry| Ok(*entry)))?;
        self.runs.push((0, run));
        while let Some((tier, _)) = self.runs.last() {
            let tier = *tier;
            let start = self.runs.iter().position(|(other, _)| *other == tier).unwrap_or(0);
            if self.runs.len() - start < FAN {
                break;
            }
            let merged = self.runs.drain(start..).map(|(_, run)| run).collect();
            self.runs.push((tier + 1, merge(folder, merged)?));
        }
        Ok(())
    }

    /// Calls `found` with each wanted hash, its index among the wanted, and the lower half of an entry with that hash.
    pub(crate) fn find(
        &self,
        wanted: &[u32],
        open: &mut Vec<Wanted>,
        page: &mut Page,
        mut found: impl FnMut(u32, u32),
    ) -> io::Result<()> {
        for (_, run) in &self.runs {
            open.clear();
            // First all questions to the filter: the processor waits for several lines of memory at a time.
            let may_be = (0..).zip(wanted).filter(|(_, hash)| run.may_have(**hash));
            open.extend(may_be.map(|(at, hash): (u32, &u32)| (*hash, at)));
            open.sort_unstable();
            page.clear();
            for (hash, at) in &*open {
                run.find(*hash, page, |low| found(*at, low))?;
            }
        }
        Ok(())
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.memory_bytes()).sum()
    }

    pub(crate) fn disk_bytes(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.disk_bytes()).sum()
    }
}

/// Makes one run of several.
fn merge(folder: &dyn Folder, runs: Vec<Run>) -> io::Result<Run> {
    let n_entries = runs.iter().map(Run::n_entries).sum();
    // The filters of the old runs are freed before the new one is made.
    let inputs: Vec<Entries> = runs.into_iter().map(Run::into_entries).collect();
    Run::write(folder, n_entries, Merged::new(inputs)?)
}

/// The entries of several runs in order.
struct Merged {
    inputs: Vec<(u64, Entries)>,
}

impl Merged {
    fn new(runs: Vec<Entries>) -> io::Result<Merged> {
        let mut inputs = Vec::new();
        for mut run in runs {
            if let Some(first) = run.next() {
                inputs.push((first?, run));
            }
        }
        Ok(Merged { inputs })
    }
}

impl Iterator for Merged {
    type Item = io::Result<u64>;

    fn next(&mut self) -> Option<io::Result<u64>> {
        let (at, _) = self.inputs.iter().enumerate().min_by_key(|(_, (entry, _))| *entry)?;
        let (entry, run) = &mut self.inputs[at];
        let least = *entry;
        match run.next() {
            Some(Ok(next)) => *entry = next,
            Some(Err(error)) => return Some(Err(error)),
            None => drop(self.inputs.swap_remove(at)),
        }
        Some(Ok(least))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::disk::toy::Toy;

    /// Adds batches of hashes, numbered in order, and looks for hashes after each batch. Everything must be as in a map.
    fn check(batches: &[Vec<u32>], wanted: &[u32]) {
        let mut index = Index::default();
        let mut model: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut number = 0;
        for batch in batches {
            let mut entries = Vec::new();
            for hash in batch {
                entries.push(u64::from(*hash) << 32 | number);
                model.entry(*hash).or_default().insert(number as u32);
                number += 1;
            }
            entries.sort_unstable();
            index.add(&Toy, &entries).expect("memory is no disk");
            let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            let (mut open, mut page) = (Vec::new(), Page::default());
            index
                .find(wanted, &mut open, &mut page, |at, low| {
                    assert!(found.entry(at).or_default().insert(low), "{low} is found twice");
                })
                .expect("memory is no disk");
            for (at, hash) in (0..).zip(wanted) {
                assert_eq!(found.get(&at), model.get(hash), "hash {hash}");
            }
            assert!(index.runs.len() < FAN * 12 && index.disk_bytes() == 8 * number);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_index_is_a_map(
            batches in prop::collection::vec(prop::collection::vec(0u32..400, 1..300), 1..30),
            wanted in prop::collection::vec(0u32..500, 0..200),
        ) {
            check(&batches, &wanted);
        }
    }

    #[test]
    fn many_entries_with_one_hash_cross_pages() {
        let same = vec![7; 3000];
        let others: Vec<u32> = (0..3000).map(|i| i % 11).collect();
        check(&[same.clone(), others, vec![8; 600], same, vec![u32::MAX, 0]], &[6, 7, 8, 0, u32::MAX, 12]);
    }
}
