//! What findings probably have in common: the kind, the resynchronisations that were seen, and what had happened to the
//! replica that differs.

use std::collections::BTreeMap;

use crate::drive::{Crash, Wrong};
use crate::step::{Blow, Deed, Replica, Step};
use crate::store::Contents;

/// The name of a finding's group. Findings of one group probably have one cause.
pub fn group(wrong: &Wrong, schedule: &[Step], seen: &BTreeMap<String, u64>, crash: Crash) -> String {
    let mut parts = vec![wrong.kind().name().to_owned()];
    if let Wrong::Differ { found, .. } = wrong
        && let Some(fate) = odd_fate(found, schedule)
    {
        parts.push(format!("of a replica that {fate}"));
    }
    let resyncs: Vec<&str> = seen.iter().filter(|(_, n)| **n > 0).map(|(name, _)| name.as_str()).collect();
    if !resyncs.is_empty() {
        parts.push(format!("after {}", resyncs.join(" and ")));
    }
    let name = parts.join(" ");
    match crash {
        Crash::Kill => name,
        other => format!("{name}, crash = {}", other.word()),
    }
}

/// What had last happened to the replica that has other data than most, if that sets it apart from the others.
fn odd_fate(found: &[Contents], schedule: &[Step]) -> Option<&'static str> {
    let is_usual =
        |contents: &Contents| 2 * found.iter().filter(|other| *other == contents).count() > found.len();
    let fates: Vec<(bool, &'static str)> = (0u8..)
        .map(Replica)
        .zip(found)
        .map(|(replica, contents)| (is_usual(contents), fate(replica, schedule)))
        .collect();
    let odd = fates.iter().find(|(is_usual, _)| !is_usual)?.1;
    fates.iter().all(|(is_usual, fate)| *is_usual == (*fate != odd)).then_some(odd)
}

/// What had last happened to a replica.
fn fate(replica: Replica, schedule: &[Step]) -> &'static str {
    let deeds = schedule.iter().rev().flat_map(|step| step.deeds.iter().rev());
    let mut blows = deeds.filter_map(|deed| match deed {
        Deed::Strike(blow, who) if who.contains(&replica) => Some(*blow),
        Deed::Spread(received) if received.get(replica.index()).is_some_and(Option::is_some) => {
            Some(Blow::Crash)
        }
        Deed::Isolate(_, but) if *but != replica => Some(Blow::Crash),
        _ => None,
    });
    match blows.next() {
        None => "never failed",
        Some(Blow::Crash) => "had crashed",
        Some(Blow::Kill) => "was killed",
        Some(Blow::Stop) => "was told to end",
        Some(Blow::Pause) => "stood still",
        Some(Blow::Cut) => "was cut off",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Difference;
    use crate::store::write_of;

    fn differ(writes: &[&[u8]]) -> Wrong {
        let found: Vec<Contents> =
            writes.iter().map(|writes| writes.iter().map(|number| write_of(*number)).collect()).collect();
        Wrong::Differ { differences: Vec::<Difference>::new(), found }
    }

    fn step(deeds: &[Deed]) -> Step {
        Step::new("Go".to_owned(), deeds.to_vec())
    }

    #[test]
    fn a_group_says_what_sets_the_odd_replica_apart() {
        let [a, b, c] = [Replica(0), Replica(1), Replica(2)];
        let paused = [step(&[Deed::Strike(Blow::Pause, vec![b])]), step(&[Deed::Up(vec![b])])];
        let seen = BTreeMap::from([("DIFF".to_owned(), 2), ("SNAP".to_owned(), 0)]);
        let wrong = differ(&[&[0, 1], &[0], &[0, 1]]);
        let name = group(&wrong, &paused, &seen, Crash::Kill);
        assert_eq!(name, "differ of a replica that stood still after DIFF");
        let all = [step(&[Deed::Strike(Blow::Kill, vec![a, b, c])])];
        assert_eq!(group(&wrong, &all, &BTreeMap::new(), Crash::Stop), "differ, crash = stop");
    }
}
