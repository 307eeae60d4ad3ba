//! What schedules have shown of a store's resynchronisations, and what schedules have in common.

use std::collections::BTreeSet;

use crate::drive::{Crash, Seen};
use crate::step::{Deed, Link, Replica, Step};

/// How many events of a replica in a row make a feature, at most.
const EVENTS_MAX: usize = 3;

/// The combination of resynchronisations in a schedule: the kinds that each replica has written of, such as
/// `DIFF, DIFF+TRUNC, -`. Who of them is called A tells nothing, so the replicas are sorted. `None` if there were none.
pub fn combination(seen_by: &[Seen]) -> Option<String> {
    let kinds = |seen: &Seen| {
        let kinds: Vec<&str> = seen.iter().filter(|(_, n)| **n > 0).map(|(name, _)| name.as_str()).collect();
        if kinds.is_empty() { "-".to_owned() } else { kinds.join("+") }
    };
    let mut replicas: Vec<String> = seen_by.iter().map(kinds).collect();
    replicas.sort_unstable_by(|one, other| other.cmp(one));
    replicas.iter().any(|kinds| kinds != "-").then(|| replicas.join(", "))
}

/// What can be new in a combination: itself, the kinds of each replica together, and each kind.
pub fn parts(combination: &str) -> BTreeSet<String> {
    let of_replicas = combination.split(", ").filter(|kinds| *kinds != "-");
    let mut parts: BTreeSet<String> = of_replicas.clone().map(|kinds| format!("one {kinds}")).collect();
    parts.extend(of_replicas.flat_map(|kinds| kinds.split('+')).map(|kind| format!("kind {kind}")));
    parts.insert(format!("all {combination}"));
    parts
}

/// The features of a schedule: each step, each two steps in a row, and up to three events in a row of each replica, once
/// more if they happen to it twice. Which letter a replica has is no feature of its events.
pub fn features(schedule: &[Step], replicas: u8, crash: Crash) -> BTreeSet<String> {
    let words: Vec<String> = schedule.iter().map(ToString::to_string).collect();
    let mut features: BTreeSet<String> = words.iter().cloned().collect();
    features.extend(words.windows(2).map(|two| two.join(" ")));
    for replica in Replica::all(replicas) {
        let events: Vec<String> = schedule.iter().map(|step| event(step, replica)).collect();
        let mut own = BTreeSet::new();
        for some in (1..=EVENTS_MAX).flat_map(|n_events| events.windows(n_events)) {
            let some = some.join(" ");
            let how_often = if own.insert(some.clone()) { "one" } else { "one, twice" };
            features.insert(format!("{how_often}: {some}"));
        }
    }
    features.insert(format!("crash: {}", crash.word()));
    features
}

/// What a step is to one replica.
fn event(step: &Step, replica: Replica) -> String {
    let parts: Vec<String> = step.deeds.iter().filter_map(|deed| part(deed, replica)).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(",") }
}

/// What a deed is to one replica. `None` if it does not concern the replica.
fn part(deed: &Deed, replica: Replica) -> Option<String> {
    let if_is = |who: Replica, word: &str| (who == replica).then(|| word.to_owned());
    let if_in = |who: &[Replica], word: &str| who.contains(&replica).then(|| word.to_owned());
    let end_of = |link: &Link, word: &str| {
        if_is(link.target, word).or_else(|| if_is(link.source, &format!("{word}-from")))
    };
    match deed {
        Deed::WriteAt(at, _) => if_is(*at, "write"),
        Deed::Try(at, _) => if_is(*at, "try"),
        Deed::Read(at) => if_is(*at, "read"),
        Deed::Lead(who) => if_is(*who, "lead"),
        Deed::Say(who, text) => if_is(*who, text),
        Deed::WriteTo(to, _) => if_in(to, "got").or_else(|| Some("missed".to_owned())),
        Deed::Spread(received) => {
            let got = received.get(replica.index()).copied().flatten()?;
            let n_writes = received.iter().flatten().max()?;
            Some(format!("got {got} of {n_writes}"))
        }
        Deed::Strike(blow, who) => if_in(who, blow.word()),
        Deed::Isolate(_, but) => Some(if *but == replica { "alone" } else { "isolated" }.to_owned()),
        Deed::Up(who) => if_in(who, "up"),
        Deed::Link(link) => end_of(link, "link"),
        Deed::Copy(link) => end_of(link, "copy"),
        Deed::Agree(_) | Deed::Wait(_) | Deed::Data(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(kinds: &[(&str, u64)]) -> Seen {
        kinds.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
    }

    #[test]
    fn a_combination_says_what_replicas_did_whatever_their_names() {
        let (one, none) = (seen(&[("DIFF", 1), ("TRUNC", 2)]), seen(&[("DIFF", 0), ("TRUNC", 0)]));
        let some = combination(&[none.clone(), one.clone(), seen(&[("DIFF", 3)])]);
        assert_eq!(some.as_deref(), Some("DIFF+TRUNC, DIFF, -"));
        assert_eq!(combination(&[seen(&[("DIFF", 1)]), one, none.clone()]), some);
        assert_eq!(combination(&[none.clone(), none]), None);
        let parts: Vec<String> = parts("DIFF+TRUNC, DIFF, -").into_iter().collect();
        assert_eq!(
            parts,
            ["all DIFF+TRUNC, DIFF, -", "kind DIFF", "kind TRUNC", "one DIFF", "one DIFF+TRUNC"]
        );
    }

    #[test]
    fn features_of_a_replica_do_not_depend_on_its_letter() {
        let [a, b] = [Replica(0), Replica(1)];
        let step = |deeds: &[Deed]| Step::new("Go".to_owned(), deeds.to_vec());
        let of = |who: Replica, other: Replica| {
            let schedule = [
                step(&[Deed::Spread(vec![Some(1), Some(0)])]),
                step(&[Deed::Up(vec![who])]),
                step(&[Deed::Up(vec![other])]),
            ];
            let features = features(&schedule, 2, Crash::Kill).into_iter();
            features.filter(|feature| feature.starts_with("one: ")).collect::<BTreeSet<String>>()
        };
        assert!(of(a, b).contains("one: got 1 of 1 up -"), "{:?}", of(a, b));
        assert!(of(b, a).contains("one: got 1 of 1 - up"), "{:?}", of(b, a));
        assert_ne!(of(a, b), of(b, a));
    }
}
