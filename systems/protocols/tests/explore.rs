//! The bugs are found, and the protocols without them pass with the same budget, whatever the search.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use kilter_explore::method::{Case, Exploration, n_parts};
use kilter_explore::outcome::{Explorable, Made};
use kilter_explore::{Counts, Explorer, Likeness, Options, Search, Subject, Unwatched};
use kilter_protocols::{Shape, broadcast, election, gossip};
use kilter_run::{Cases, Event, Outcome};

fn explore<S: Subject>(subject: S, options: &Options) -> Counts {
    let explored = Explorer::new(subject, options).run(&mut Unwatched).expect("state machines can be run");
    explored.counts
}

/// Every search, within a budget.
fn searches(faults: u32, sequences_max: u64) -> Vec<Options> {
    let budget = Options { depth: 20, faults, sequences_max: Some(sequences_max), ..Options::default() };
    [
        (Search::Dfs, None),
        (Search::Dpor, None),
        (Search::Dfs, Some(Likeness::Alike)),
        (Search::Dpor, Some(Likeness::Alike)),
        (Search::Dfs, Some(Likeness::Claimed)),
        (Search::Dpor, Some(Likeness::Claimed)),
    ]
    .map(|(search, peers)| Options { search, peers, ..budget.clone() })
    .to_vec()
}

#[track_caller]
fn check<S: Subject>(system: fn(Shape) -> S, faults: u32, sequences_max: u64) {
    for options in searches(faults, sequences_max) {
        let right = explore(system(Shape { n_nodes: 3, bug: false }), &options);
        assert_eq!(right.failing, 0, "{options:?}: {right:?}");
        let wrong = explore(system(Shape { n_nodes: 3, bug: true }), &options);
        assert!(wrong.failing > 0, "{options:?}: {wrong:?}");
    }
}

#[test]
fn an_election_that_never_settles_when_votes_cross() {
    check(election::system, 1, 3_000);
}

#[test]
fn a_broadcast_that_forgets_to_resend_after_the_leaders_crash() {
    check(broadcast::system, 1, 3_000);
}

#[test]
fn a_gossip_digest_that_drops_the_newest_version() {
    check(gossip::system, 2, 5_000);
}

/// Sequences at three nodes, depth 20, one fault, with each search; as many as the budget where there are more.
#[track_caller]
fn check_counts<S: Subject>(system: fn(Shape) -> S, faults: u32, expected: [u64; 4]) {
    let budget = Options { faults, sequences_max: Some(60_000), count_states: false, ..Options::default() };
    let searches = [
        (Search::Dfs, None),
        (Search::Dfs, Some(Likeness::Claimed)),
        (Search::Dpor, None),
        (Search::Dpor, Some(Likeness::Claimed)),
    ];
    let counts = searches.map(|(search, peers)| {
        let options = Options { search, peers, ..budget.clone() };
        explore(system(Shape { n_nodes: 3, bug: false }), &options).sequences
    });
    assert_eq!(counts, expected);
}

/// Table 3 of bench/results/explore-*.md: peers win on gossip, reduction of orders on election.
#[test]
fn reductions_leave_what_the_table_says() {
    check_counts(broadcast::system, 1, [2680, 280, 48, 8]);
    check_counts(election::system, 1, [60_000, 60_000, 48_909, 18_018]);
    check_counts(gossip::system, 1, [296, 2, 40, 2]);
    check_counts(gossip::system, 2, [1184, 5, 160, 5]);
}

/// Table 4: each fault doubles the sequences, and the bug shows from two on.
#[test]
fn gossip_of_ten_nodes_ends_with_any_number_of_faults() {
    for faults in 0..=4 {
        let options = Options {
            peers: Some(Likeness::Claimed),
            depth: 400,
            faults,
            count_states: false,
            ..Options::default()
        };
        let right = explore(gossip::system(Shape { n_nodes: 10, bug: false }), &options);
        assert_eq!((right.sequences, right.failing), (1 << faults, 0), "{right:?}");
        let wrong = explore(gossip::system(Shape { n_nodes: 10, bug: true }), &options);
        assert_eq!(wrong.failing > 0, faults >= 2, "{faults}: {wrong:?}");
    }
}

/// Figure 7: one sequence with peers, however many nodes.
#[test]
fn gossip_with_peers_is_one_sequence_at_any_size() {
    for n_nodes in 3..=10 {
        let options = Options { peers: Some(Likeness::Claimed), depth: 400, ..Options::default() };
        let counts = explore(gossip::system(Shape { n_nodes, bug: false }), &options);
        assert_eq!((counts.sequences, counts.failing), (1, 0), "{n_nodes}: {counts:?}");
    }
}

#[test]
fn gossip_with_one_fault_fewer_hides_its_bug() {
    let options = Options { faults: 1, ..Options::default() };
    let counts = explore(gossip::system(Shape { n_nodes: 3, bug: true }), &options);
    assert_eq!(counts.failing, 0, "{counts:?}");
}

/// Explores these parts with several jobs; what came of it, and all that was told.
fn run(system: &dyn Explorable, options: &Options, cases: Vec<Case>, jobs: usize) -> (Outcome, Vec<Event>) {
    let repeat = |told: &kilter_explore::told::Told| told.schedule();
    let method = Exploration::new(system, options, &repeat);
    let interrupted = AtomicBool::new(false);
    let settings = kilter_run::Options { jobs, ..kilter_run::Options::new(&interrupted) };
    let mut events = Vec::new();
    let outcome = kilter_run::run(&method, &mut Cases::new(cases), &settings, &mut events);
    (outcome, events)
}

fn cases(system: &dyn Explorable, options: &Options, jobs: usize) -> Vec<Case> {
    let parts = system.parts(options, n_parts(jobs), &mut |_| true).expect("state machines can be run");
    parts.into_iter().map(Case::new).collect()
}

fn sum(outcome: &Outcome, name: &str) -> u64 {
    outcome.tally.counters.sums.get(name).copied().unwrap_or(0)
}

#[test]
fn several_jobs_find_what_one_finds() {
    for (search, bug) in [(Search::Dfs, false), (Search::Dpor, false), (Search::Dpor, true)] {
        let options = Options { search, faults: 1, ..Options::default() };
        let system = Made(|| broadcast::system(Shape { n_nodes: 3, bug }));
        let run = |jobs| run(&system, &options, cases(&system, &options, jobs), jobs).0;
        let (one, three) = (run(1), run(3));
        assert_eq!(sum(&one, "failing_sequences") > 0, bug);
        assert_eq!((one.findings.is_empty(), three.findings.is_empty()), (!bug, !bug));
        let (few, many) = (sum(&one, "sequences"), sum(&three, "sequences"));
        if search == Search::Dfs {
            assert_eq!((few, sum(&one, "states")), (many, sum(&three, "states")));
        } else {
            assert!(few <= many, "{few} {many}");
        }
    }
}

#[test]
fn a_search_that_is_ended_early_goes_on_where_it_was() {
    let options = Options { faults: 1, ..Options::default() };
    let short = Options { sequences_max: Some(700), ..options.clone() };
    let system = Made(|| broadcast::system(Shape { n_nodes: 3, bug: false }));
    let whole = sum(&run(&system, &options, cases(&system, &options, 1), 1).0, "sequences");
    let mut left: BTreeMap<String, Case> =
        cases(&system, &options, 2).into_iter().map(|case| (case.id().to_owned(), case)).collect();
    let (mut sittings, mut n_ended) = (0, 0);
    while !left.is_empty() {
        let (_, events) = run(&system, &short, left.values().cloned().collect(), 2);
        sittings += 1;
        // As they are read back from a record.
        let events: Vec<Event> =
            serde_json::from_str(&serde_json::to_string(&events).expect("JSON")).expect("the same");
        for event in events {
            match event {
                Event::Case(case) => {
                    n_ended += case.counters.sums["sequences"];
                    left.remove(&case.id);
                }
                Event::Checkpoint { case, counters, state } => {
                    let again = Case::with_id(&case).expect("an id of ours").from_checkpoint(counters, state);
                    left.insert(case, again);
                }
                _ => {}
            }
        }
    }
    assert_eq!(n_ended, whole);
    assert!(sittings > 2, "{sittings}");
}
