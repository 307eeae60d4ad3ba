//! How long cases have taken in earlier runs, so that shards can take about the same time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::record::Case;
use crate::shard::Shard;

/// How long each case has taken, by its id, in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Durations(BTreeMap<String, u64>);

impl Durations {
    /// The durations of these cases. Of a case that is there twice, the longer one counts.
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Durations {
        let mut durations = BTreeMap::new();
        for case in cases {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "no case takes that long"
            )]
            let us = (case.ms * 1000.0) as u64;
            let known: &mut u64 = durations.entry(case.id.clone()).or_default();
            *known = us.max(*known);
        }
        Durations(durations)
    }

    /// The cases of a shard, in their order. The longest cases are given away first, each to the shard that has least to
    /// do. A case that was never run counts as an average one. `None` if that is so for all of them.
    pub fn share<C>(&self, shard: Shard, cases: Vec<C>, id: impl Fn(&C) -> &str) -> Option<Vec<C>> {
        let known: Vec<Option<u64>> = cases.iter().map(|case| self.0.get(id(case)).copied()).collect();
        let n_known = known.iter().flatten().count() as u64;
        let average = known.iter().flatten().sum::<u64>().checked_div(n_known)?;
        let mut order: Vec<(Reverse<u64>, usize)> =
            (0..).zip(&known).map(|(at, us)| (Reverse(us.unwrap_or(average)), at)).collect();
        order.sort_unstable();
        // What each shard has to do, and its number.
        let mut shards: Vec<(u64, u64)> = (1..=shard.parts).map(|part| (0, part)).collect();
        let mut is_ours = vec![false; cases.len()];
        for (Reverse(us), at) in order {
            let idlest = shards.iter_mut().min()?;
            is_ours[at] = idlest.1 == shard.part;
            // A case that took no time is a case nevertheless.
            idlest.0 += us.max(1);
        }
        Some(cases.into_iter().zip(is_ours).filter_map(|(case, is_ours)| is_ours.then_some(case)).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn case(id: &str, ms: f64) -> Case {
        Case { id: id.to_owned(), ms, ..Case::default() }
    }

    fn parts(durations: &Durations, ids: &[String], parts: u64) -> Vec<Vec<String>> {
        let part = |part| durations.share(Shard { part, parts }, ids.to_vec(), |id| id);
        (1..=parts).map(|number| part(number).expect("some cases are known")).collect()
    }

    #[test]
    fn a_long_case_is_worth_many_short_ones() {
        let cases = [("a", 5.0), ("b", 100.0), ("c", 30.0), ("d", 70.0)].map(|(id, ms)| case(id, ms));
        let durations = Durations::of(&cases);
        let ids = ["a", "b", "c", "d", "new"].map(str::to_owned);
        // The new one counts as 51.25 ms.
        assert_eq!(parts(&durations, &ids, 2), [vec!["b", "c"], vec!["a", "d", "new"]]);
        assert!(durations.share(Shard::WHOLE, vec!["other"], |id| id).is_none());
    }

    proptest! {
        #[test]
        fn shards_are_a_partition_and_no_shard_waits_for_more_than_one_case(
            ms in prop::collection::vec(0u32..10_000, 1..60),
            n_shards in 1u64..8,
        ) {
            let cases: Vec<Case> =
                ms.iter().zip(0..).map(|(ms, at): (&u32, u32)| case(&at.to_string(), f64::from(*ms))).collect();
            let ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
            let parts = parts(&Durations::of(&cases), &ids, n_shards);
            let mut all: Vec<String> = parts.iter().flatten().cloned().collect();
            all.sort_by_key(|id| id.parse::<u32>().expect("a number"));
            prop_assert_eq!(all, ids);
            let took = |part: &Vec<String>| -> f64 { part.iter().map(|id| cases[id.parse::<usize>().expect("a number")].ms).sum() };
            let times: Vec<f64> = parts.iter().map(took).collect();
            let most = times.iter().copied().fold(0.0, f64::max);
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let longest = cases.iter().map(|case| case.ms).fold(0.0, f64::max);
            prop_assert!(most - least <= longest + 1.0, "{times:?}");
        }
    }
}
