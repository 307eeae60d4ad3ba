//! The search on a system that it knows only by what the system offers and reports, as it knows processes. Here the
//! system is made of state machines behind the same trait.

use std::collections::BTreeSet;

use kilter_explore::processes::{Judgement, Manners, Report};
use kilter_explore::{Counts, Explorer, Fault, Options, Processes, Search, Unwatched, searched_faults};
use kilter_testbed::{Call, InProcess, Machine, NodeName, Outbox};
use serde_json::{Map, Value as Json, json};

/// A node that wakes up, tells its neighbour, and writes down what it is told. The disk may make the write fail.
#[derive(Clone, Default)]
struct Node {
    me: usize,
    awake: bool,
    told: u32,
    written: u32,
    lost: u32,
}

impl Machine for Node {
    type Action = &'static str;
    type Message = u32;

    fn actions(&self) -> Vec<&'static str> {
        match (self.awake, self.written + self.lost < self.told) {
            (false, _) => vec!["wake"],
            (true, true) => vec!["write"],
            (true, false) => Vec::new(),
        }
    }

    fn call(&self, action: &&'static str) -> Call {
        Call::new(*action, [])
    }

    fn act(&mut self, action: &'static str, outbox: &mut Outbox<u32>) -> Result<(), String> {
        if action == "wake" {
            self.awake = true;
            if self.me == 0 {
                outbox.send_to(1, 7);
            }
        } else {
            self.written += 1;
        }
        Ok(())
    }

    fn handler(&self, _: &u32) -> Option<Call> {
        Some(Call::new("hear", []))
    }

    fn handle(&mut self, _: u32, _: &mut Outbox<u32>) -> Result<(), String> {
        self.told += 1;
        Ok(())
    }

    fn request(&mut self, action: &str, args: &[Json], _: &mut Outbox<u32>) -> Result<(), String> {
        assert_eq!((action, args), ("fail", [json!("write")].as_slice()));
        self.lost += 1;
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        json!({ "told": self.told, "written": self.written, "lost": self.lost })
            .as_object()
            .cloned()
            .unwrap_or_default()
    }

    fn show(message: &u32) -> Json {
        json!(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        *self = Node { me: self.me, ..Node::default() };
        Ok(())
    }
}

/// A system that violates its property if a node is told more than `told` times. The goal is that something is written.
fn system(manners: Manners, told: u64) -> Processes<InProcess<Node>> {
    let names: Vec<NodeName> = vec!["n0".into(), "n1".into()];
    let world =
        InProcess::new(names.clone(), |name| Node { me: usize::from(&**name == "n1"), ..Node::default() });
    let judge = Box::new(move |reports: &[Report<'_>]| {
        let number = |report: &Report<'_>, name: &str| {
            report.and_then(|report| report.get(name)).and_then(Json::as_u64).unwrap_or(0)
        };
        let twice = reports.iter().any(|report| number(report, "told") > told);
        let violated = twice.then(|| "told too often".to_owned());
        let reached = reports.iter().any(|report| number(report, "written") > 0);
        Ok(Judgement { violated, reached: Some(reached) })
    });
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<String>>();
    let manners = Manners { at_once: words(&["wake"]), storage: words(&["write"]), ..manners };
    Processes::new(world, names, manners, judge)
}

fn explore(system: Processes<InProcess<Node>>, options: &Options) -> (Counts, Vec<&'static str>) {
    let explored = Explorer::new(system, options).run(&mut Unwatched).expect("state machines can be run");
    (explored.counts, explored.findings.iter().map(|finding| finding.wrong.word()).collect())
}

#[test]
fn what_is_to_happen_at_once_is_no_event() {
    let (counts, findings) = explore(system(Manners::default(), 1), &Options::default());
    assert_eq!((counts.sequences, counts.events, findings.len()), (1, 2, 0), "{counts:?}");
}

/// A node with two things to do, which remembers which came first.
#[derive(Clone, Default)]
struct Eager {
    done: Vec<&'static str>,
}

impl Machine for Eager {
    type Action = &'static str;
    type Message = u32;

    fn actions(&self) -> Vec<&'static str> {
        ["decide", "listen"].into_iter().filter(|action| !self.done.contains(action)).collect()
    }

    fn call(&self, action: &&'static str) -> Call {
        Call::new(*action, [])
    }

    fn act(&mut self, action: &'static str, _: &mut Outbox<u32>) -> Result<(), String> {
        self.done.push(action);
        Ok(())
    }

    fn handler(&self, _: &u32) -> Option<Call> {
        None
    }

    fn handle(&mut self, _: u32, _: &mut Outbox<u32>) -> Result<(), String> {
        Ok(())
    }

    fn request(&mut self, action: &str, _: &[Json], _: &mut Outbox<u32>) -> Result<(), String> {
        Err(format!("nobody knows {action}"))
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([("first".to_owned(), json!(self.done.first()))])
    }

    fn show(message: &u32) -> Json {
        json!(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        *self = Eager::default();
        Ok(())
    }
}

#[test]
fn timers_among_what_is_to_happen_at_once_wait_for_the_rest() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<String>>();
    for (timer, first) in [("decide", "listen"), ("listen", "decide")] {
        let names: Vec<NodeName> = vec!["n0".into()];
        let world = InProcess::new(names.clone(), |_| Eager::default());
        let judge = Box::new(move |reports: &[Report<'_>]| {
            let reached = reports.iter().flatten().all(|report| report["first"] == json!(first));
            Ok(Judgement { violated: None, reached: Some(reached) })
        });
        let manners =
            Manners { at_once: words(&["decide", "listen"]), timers: words(&[timer]), ..Manners::default() };
        let system = Processes::new(world, names, manners, judge);
        let options = Options::default();
        let explored =
            Explorer::new(system, &options).run(&mut Unwatched).expect("state machines can be run");
        let findings = explored.findings;
        assert!(findings.is_empty(), "the timer {timer} came first");
    }
}

#[test]
fn the_disk_fails_where_the_system_has_a_way_to_make_it_fail() {
    let options = Options { faults: 1, ..Options::default() };
    // The write reaches the goal. A crash destroys the write. A disk error does so only if the disk can be made to
    // fail.
    let (counts, _) = explore(system(Manners::default(), 1), &options);
    assert_eq!(counts.sequences, 1, "{counts:?}");
    let manners = Manners { disk_error: Some("fail".to_owned()), ..Manners::default() };
    let (counts, findings) = explore(system(manners, 1), &options);
    assert_eq!((counts.sequences, findings), (2, vec!["deadlock", "deadlock"]), "{counts:?}");
}

#[test]
fn a_message_that_is_doubled_is_taken_in_twice() {
    for search in [Search::Dfs, Search::Dpor] {
        let options = Options { search, faults: 1, faults_anywhere: true, ..Options::default() };
        let (_, findings) = explore(system(Manners::default(), 1), &options);
        assert!(!findings.contains(&"safety"), "{findings:?}");
        let doubling = Options { fault_kinds: BTreeSet::from([Fault::Duplicate]), ..options };
        let (_, findings) = explore(system(Manners::default(), 1), &doubling);
        assert!(findings.contains(&"safety"), "{findings:?}");
        let (_, findings) = explore(system(Manners::default(), 2), &doubling);
        assert!(findings.is_empty(), "{findings:?}");
    }
}

#[test]
fn states_are_matched_only_where_all_of_them_is_reported() {
    let fault_kinds = searched_faults().filter(|fault| !fault.is_suffered()).collect();
    let options = Options { faults: 2, faults_anywhere: true, fault_kinds, ..Options::default() };
    let matching = Options { matching: true, ..options.clone() };
    let reporting = |complete| Manners { complete, ..Manners::default() };
    let (all, found) = explore(system(reporting(true), 2), &options);
    let (unmatched, _) = explore(system(reporting(false), 2), &matching);
    assert_eq!((all.sequences, all.states), (unmatched.sequences, unmatched.states));
    let (matched, found_too) = explore(system(reporting(true), 2), &matching);
    assert!(matched.sequences < all.sequences && matched.pruned > 0, "{matched:?} {all:?}");
    assert_eq!(matched.states, all.states);
    let kinds = |found: Vec<&'static str>| found.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(kinds(found), kinds(found_too));
}
