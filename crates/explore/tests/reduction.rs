//! Compares the reductions with exhaustive search on small random systems. The final states and the findings are the
//! same.

use crate::support;

use std::collections::BTreeSet;

use kilter_explore::{Explorer, Fault, Options, Part, Search, Subject, Unwatched, searched_faults};
use support::{Case, PLAIN, system};

/// The result of a search: the states where nothing can happen, what is wrong, and the number of sequences. [`search`]
/// returns `None` if there are too many sequences.
#[derive(Debug, PartialEq)]
struct Answer {
    final_states: BTreeSet<u64>,
    wrong: BTreeSet<&'static str>,
    sequences: u64,
}

fn is_final(system: &impl Subject) -> bool {
    system.enabled().is_empty() && system.reached() != Some(true) && system.violated().is_none()
}

fn search(case: Case, options: &Options) -> Option<Answer> {
    let mut final_states = BTreeSet::new();
    let mut explorer = Explorer::new(system(case), options);
    explorer.at_end = Some(Box::new(|system, _, _| {
        final_states.extend(is_final(system).then(|| system.fingerprint()));
    }));
    let explored = explorer.run(&mut Unwatched).expect("state machines can be run");
    let complete = explored.saved.is_none();
    let wrong = explored.findings.iter().map(|finding| finding.wrong.word()).collect();
    complete.then_some(Answer { final_states, wrong, sequences: explored.counts.sequences })
}

/// Like [`search`], in parts. A part has the sequences that begin with the same choices.
fn search_in_parts(case: Case, options: &Options) -> Answer {
    let n_choices = Explorer::new(system(case), options).n_choices(&[]).expect("state machines can be run");
    let mut all = Answer { final_states: BTreeSet::new(), wrong: BTreeSet::new(), sequences: 0 };
    for place in 0..n_choices.unwrap_or(0) {
        let n_below = Explorer::new(system(case), options).n_choices(&[place]).expect("they can be run");
        // There is one part that begins with one choice, or there are parts that begin with two.
        let belows: Vec<Vec<usize>> = match n_below.filter(|_| place % 2 == 1) {
            Some(n_below) => (0..n_below).map(|next| vec![place, next]).collect(),
            None => vec![vec![place]],
        };
        for below in belows {
            one_part(case, options, Part { below, ..Part::default() }, &mut all);
        }
    }
    all
}

/// Searches a part. The search is ended early and resumed until nothing is left.
fn one_part(case: Case, options: &Options, mut part: Part, all: &mut Answer) {
    loop {
        let final_states = &mut all.final_states;
        let mut explorer = Explorer::of_part(system(case), options, &part);
        explorer.at_end = Some(Box::new(|system, _, _| {
            final_states.extend(is_final(system).then(|| system.fingerprint()));
        }));
        let explored = explorer.run_part(&part, &mut Unwatched).expect("state machines can be run");
        all.sequences += explored.counts.sequences;
        all.wrong.extend(explored.findings.iter().map(|finding| finding.wrong.word()));
        match explored.saved {
            Some(saved) => part.saved = Some(saved),
            None => return,
        }
    }
}

/// Compares both searches on many random systems. Returns the numbers of sequences without and with the reduction.
#[track_caller]
fn compare(n_systems: usize, first_seed: u64, options: &Options, case: Case) -> (u64, u64) {
    let mut counts = (0, 0);
    let mut compared = 0;
    for seed in first_seed.. {
        let case = Case { seed, ..case };
        let most = Options { sequences_max: Some(3_000), findings_max: 50_000, ..options.clone() };
        let Some(all) = search(case, &most) else { continue };
        let reduced = Options { search: Search::Dpor, sequences_max: None, ..most };
        let some = search(case, &reduced).expect("it is not ended early");
        assert_eq!(some.final_states, all.final_states, "{case:?} {options:?}");
        assert_eq!(some.wrong, all.wrong, "{case:?} {options:?}");
        assert!(some.sequences <= all.sequences, "{case:?}: {} of {}", some.sequences, all.sequences);
        counts = (counts.0 + all.sequences, counts.1 + some.sequences);
        compared += usize::from(all.sequences > 1);
        if compared == n_systems {
            break;
        }
    }
    counts
}

fn options() -> Options {
    Options { depth: 60, extension: 0, ..Options::default() }
}

#[test]
fn final_states_are_the_same() {
    let (all, some) = compare(150, 1, &options(), PLAIN);
    assert!(some * 5 < all, "{some} of {all}");
}

#[test]
fn violations_of_safety_are_the_same() {
    compare(150, 10_000, &options(), Case { safety: true, ..PLAIN });
}

#[test]
fn goals_that_are_missed_are_the_same() {
    compare(150, 20_000, &options(), Case { goal: true, ..PLAIN });
}

#[test]
fn goals_and_safety_together_are_the_same() {
    compare(100, 30_000, &options(), Case { goal: true, safety: true, ..PLAIN });
}

#[test]
fn sequences_that_are_cut_have_the_same_findings() {
    for depth in 2..7 {
        compare(30, 40_000 + u64::from(depth), &Options { depth, ..options() }, Case { goal: true, ..PLAIN });
    }
}

#[test]
fn links_that_keep_order_are_the_same() {
    compare(100, 50_000, &options(), Case { in_order: true, ..PLAIN });
}

#[test]
fn faults_anywhere_lead_to_the_same() {
    let options = Options { faults: 1, faults_anywhere: true, ..options() };
    compare(60, 60_000, &options, PLAIN);
    compare(40, 70_000, &options, Case { recover: true, ..PLAIN });
    compare(40, 80_000, &options, Case { in_order: true, ..PLAIN });
    // The number of faults is limited, so each fault depends on the others.
    compare(40, 85_000, &Options { faults: 2, ..options.clone() }, PLAIN);
    compare(20, 87_000, &Options { faults: 3, ..options }, PLAIN);
}

#[test]
fn messages_that_are_doubled_lead_to_the_same() {
    let options =
        Options { faults: 1, faults_anywhere: true, fault_kinds: searched_faults().collect(), ..options() };
    compare(60, 100_000, &options, PLAIN);
    compare(40, 110_000, &options, Case { in_order: true, ..PLAIN });
    compare(40, 120_000, &options, Case { safety: true, recover: true, ..PLAIN });
    compare(40, 130_000, &Options { faults: 2, ..options.clone() }, PLAIN);
    let only = Options { faults: 2, fault_kinds: BTreeSet::from([Fault::Duplicate]), ..options };
    compare(40, 135_000, &only, PLAIN);
}

#[test]
fn timers_that_are_patient_lead_to_the_same() {
    compare(100, 140_000, &options(), Case { patient: true, ..PLAIN });
    compare(60, 150_000, &options(), Case { patient: true, goal: true, safety: true, ..PLAIN });
    let options =
        Options { faults: 1, faults_anywhere: true, fault_kinds: searched_faults().collect(), ..options() };
    compare(40, 160_000, &options, Case { patient: true, ..PLAIN });
}

#[test]
fn parts_and_searches_that_are_ended_early_find_the_same() {
    let mut compared = 0;
    for seed in 90_000.. {
        let case =
            Case { seed, goal: seed % 3 == 0, safety: seed % 2 == 0, in_order: seed % 5 == 0, ..PLAIN };
        let most = Options { sequences_max: Some(500), findings_max: 50_000, ..options() };
        let Some(all) = search(case, &most).filter(|all| all.sequences > 1) else { continue };
        // Each sitting ends after two sequences.
        let short = Options { sequences_max: Some(2), ..most };
        for options in [short.clone(), Options { search: Search::Dpor, ..short }] {
            let some = search_in_parts(case, &options);
            assert_eq!(
                (&some.final_states, &some.wrong),
                (&all.final_states, &all.wrong),
                "{case:?} {options:?}"
            );
            assert!(some.sequences <= all.sequences, "{case:?} {some:?} {all:?}");
            let is_dfs = options.search == Search::Dfs;
            assert!(!is_dfs || some.sequences == all.sequences, "{case:?} {some:?} {all:?}");
        }
        compared += 1;
        if compared == 100 {
            break;
        }
    }
}

#[test]
fn sittings_share_the_number_of_findings_that_are_kept() {
    let mut seen = 0;
    for seed in 0..200 {
        let case = Case { seed, safety: true, ..PLAIN };
        // Each sitting ends after one sequence.
        let options = Options { sequences_max: Some(1), findings_max: 2, ..options() };
        let (mut part, mut kept, mut failing) = (Part::default(), 0, 0);
        for _ in 0..50 {
            let explorer = Explorer::of_part(system(case), &options, &part);
            let explored = explorer.run_part(&part, &mut Unwatched).expect("state machines can be run");
            kept += explored.findings.len() as u64;
            failing += explored.counts.failing;
            let Some(saved) = explored.saved else { break };
            part.saved = Some(saved);
        }
        assert_eq!(kept, failing.min(2), "{case:?}");
        seen += u64::from(failing > 2);
    }
    assert!(seen > 0, "some search must have more findings than are kept");
}
