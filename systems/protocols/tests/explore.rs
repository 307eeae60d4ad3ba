//! The bugs are found, and the protocols without them pass with the same budget, whatever the search.

use kilter_explore::{Counts, Explorer, Likeness, Options, Search, Subject, Unwatched};
use kilter_protocols::{Shape, broadcast, election, gossip};

fn explore<S: Subject>(subject: S, options: &Options) -> Counts {
    let explored = Explorer::new(subject, options).run(&mut Unwatched).expect("state machines can be run");
    explored.counts
}

/// Every search, within a budget.
fn searches(faults: u32) -> Vec<Options> {
    let budget = Options { depth: 20, faults, sequences_max: Some(20_000), ..Options::default() };
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
fn check<S: Subject>(system: fn(Shape) -> S, faults: u32) {
    for options in searches(faults) {
        let right = explore(system(Shape { n_nodes: 3, bug: false }), &options);
        assert_eq!(right.failing, 0, "{options:?}: {right:?}");
        let wrong = explore(system(Shape { n_nodes: 3, bug: true }), &options);
        assert!(wrong.failing > 0, "{options:?}: {wrong:?}");
    }
}

#[test]
fn an_election_that_never_settles_when_votes_cross() {
    check(election::system, 1);
}

#[test]
fn a_broadcast_that_forgets_to_resend_after_the_leaders_crash() {
    check(broadcast::system, 1);
}

#[test]
fn a_gossip_digest_that_drops_the_newest_version() {
    check(gossip::system, 2);
}

#[test]
fn gossip_with_one_fault_fewer_hides_its_bug() {
    let options = Options { faults: 1, ..Options::default() };
    let counts = explore(gossip::system(Shape { n_nodes: 3, bug: true }), &options);
    assert_eq!(counts.failing, 0, "{counts:?}");
}
