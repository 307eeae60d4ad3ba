//! The worker against a broker in memory that loses, doubles and delays.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kilter_campaign::post::{Manner, Told, write_state};
use kilter_campaign::results::Results;
use kilter_campaign::toy::{Mishap, Toy};
use kilter_campaign::{Broker, Kept, Parcel, Phase, Played, Post, Settings, State, Ticket, Worker};
use kilter_run::{Case, Event, Further, Next, Sink as _, Source as _};
use proptest::prelude::*;

const LOST_AFTER: Duration = Duration::from_secs(30);
const HEARTBEAT: Duration = Duration::from_secs(5);

fn parcels(n: u64) -> Vec<Parcel> {
    let parcel = |at: u64| Parcel { at, case: Further { id: format!("c{at}"), edges: vec![at as u32] } };
    (0..n).map(parcel).collect()
}

fn campaign(n_cases: u64) -> Toy {
    let mut toy = Toy::default();
    toy.create(&Settings { lost_after: LOST_AFTER, replicas: None }).expect("there is none yet");
    toy.enqueue(&parcels(n_cases)).expect("nothing goes wrong");
    toy
}

fn played(parcel: &Parcel) -> Played {
    let id = parcel.case.id.clone();
    let case = Case { id: id.clone(), passed: true, edges: parcel.case.edges.clone(), ..Case::default() };
    Played {
        case: id,
        at: parcel.at,
        worker: String::new(),
        given: 0,
        ended_ms: 1_000 * (parcel.at + 1),
        events: vec![Event::Case(Box::new(case))],
    }
}

fn results(toy: &Toy) -> Results {
    let mut results = Results::default();
    results.read(&mut toy.with([])).expect("nothing goes wrong");
    results
}

/// Plays all that is left with a worker to whom nothing happens.
fn play_the_rest(toy: &Toy) {
    let mut worker = Worker::new(Box::new(toy.with([])), "last", 4, HEARTBEAT);
    let mut now = Duration::ZERO;
    let mut done = Vec::new();
    let mut turns = 0;
    while !worker.is_idle() || toy.with([]).queued().is_ok_and(|queued| queued.waiting + queued.taken > 0) {
        // Those who are gone lose their cases in time; this one says that it is there.
        toy.wait(HEARTBEAT);
        now += HEARTBEAT;
        let to_play =
            worker.turn(now, std::mem::take(&mut done), Duration::ZERO).expect("nothing goes wrong");
        done = to_play.iter().map(played).collect();
        turns += 1;
        assert!(turns < 1000, "it comes to no end");
    }
}

#[test]
fn a_worker_plays_all_cases() {
    let toy = campaign(10);
    play_the_rest(&toy);
    let results = results(&toy);
    assert_eq!((results.len(), results.redelivered), (10, 0));
    assert!(results.iter().zip(parcels(10)).all(|(result, parcel)| result.case == parcel.case.id));
    assert!(results.iter().all(|result| result.worker == "last"));
    assert_eq!(toy.with([]).queued().map(|queued| (queued.waiting, queued.taken)), Ok((0, 0)));
}

#[test]
fn a_worker_that_is_killed_loses_no_case() {
    let toy = campaign(4);
    let mut killed = Worker::new(Box::new(toy.with([])), "killed", 3, HEARTBEAT);
    assert_eq!(killed.turn(Duration::ZERO, Vec::new(), Duration::ZERO).map(|cases| cases.len()), Ok(3));
    drop(killed);
    play_the_rest(&toy);
    let results = results(&toy);
    assert_eq!((results.len(), results.redelivered), (4, 3));
}

#[test]
fn a_worker_that_ends_hands_its_cases_back_at_once() {
    let toy = campaign(4);
    let mut ended = Worker::new(Box::new(toy.with([])), "ended", 3, HEARTBEAT);
    let cases = ended.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    ended.end(vec![played(&cases[1])]).expect("nothing goes wrong");
    let queued = toy.with([]).queued().expect("nothing goes wrong");
    assert_eq!((queued.waiting, queued.taken, results(&toy).len()), (3, 0, 1));
    // They are not lost, however often that happens, so nobody gives them up.
    for _ in 0..2 * kilter_campaign::worker::GIVEN_MAX {
        let mut another = Worker::new(Box::new(toy.with([])), "another", 3, HEARTBEAT);
        another.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
        assert_eq!(another.counts().again, 0);
        another.end(Vec::new()).expect("nothing goes wrong");
    }
    play_the_rest(&toy);
    let results = results(&toy);
    assert_eq!((results.len(), results.redelivered), (4, 0));
    assert!(results.iter().all(|result| matches!(&result.events[..], [Event::Case(case)] if case.passed)));
}

#[test]
fn the_time_of_a_campaign_is_that_of_its_cases() {
    let toy = campaign(3);
    // Cases end at 1, 2 and 3 s, and the last one has taken as much as all.
    let mut all: Vec<Played> = parcels(3).iter().map(played).collect();
    let Event::Case(case) = &mut all[2].events[0] else { panic!("a case has ended") };
    case.ms = 2_500.0;
    toy.with([]).store(&all).expect("nothing goes wrong");
    assert!((results(&toy).seconds() - 2.5).abs() < 1e-9);
    assert!(Results::default().seconds().abs() < 1e-9);
}

/// What a worker has whose campaign has so many cases, and whether its run was ended.
fn post(toy: &Toy, mishaps: &[Mishap]) -> (Post, Arc<AtomicBool>) {
    let halted = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&halted);
    let manner = Manner {
        name: "w".to_owned(),
        jobs: 1,
        batch: 1,
        heartbeat: HEARTBEAT,
        cases: 2,
        say: Box::new(|_| {}),
        halt: Box::new(move || raised.store(true, Ordering::SeqCst)),
    };
    (Post::start(Box::new(toy.with(mishaps.to_vec())), manner), halted)
}

fn running(toy: &Toy, cases: u64) {
    let state = State { phase: Phase::Running, cases, rounds: Vec::new(), started_s: 0 };
    write_state(&mut toy.with([]), &state, 0).expect("nothing goes wrong");
}

#[test]
fn a_worker_whose_campaign_is_removed_ends_at_once() {
    let toy = campaign(2);
    running(&toy, 2);
    let (mut post, halted) = post(&toy, &[]);
    let began = Instant::now();
    while !matches!(post.inbox.next(), Next::Case(_)) {
        std::thread::sleep(Duration::from_millis(1));
    }
    toy.with([]).remove().expect("nothing goes wrong");
    while post.told().is_none() {
        std::thread::sleep(Duration::from_millis(1));
        assert!(began.elapsed() < Duration::from_secs(60), "nobody tells it");
    }
    assert_eq!(post.told(), Some(Told::Stopped("somebody has removed it".to_owned())));
    assert!(halted.load(Ordering::SeqCst));
    // It has a result that nobody wants any more, and does not try for long to get rid of it.
    let ended = Event::Case(Box::new(Case { id: "c0".to_owned(), ..Case::default() }));
    post.outbox.event(&ended);
    let began = Instant::now();
    post.end().expect("there is nothing to say");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn heartbeats_keep_a_case() {
    let toy = campaign(1);
    let mut slow = Worker::new(Box::new(toy.with([])), "slow", 1, HEARTBEAT);
    let case = slow.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    let mut other = Worker::new(Box::new(toy.with([])), "other", 1, HEARTBEAT);
    for minute in 1..20 {
        toy.wait(LOST_AFTER / 2);
        let now = LOST_AFTER / 2 * minute;
        assert_eq!(slow.turn(now, Vec::new(), Duration::ZERO), Ok(Vec::new()));
        assert_eq!(other.turn(now, Vec::new(), Duration::ZERO), Ok(Vec::new()));
    }
    slow.turn(LOST_AFTER * 20, vec![played(&case[0])], Duration::ZERO).expect("nothing goes wrong");
    assert_eq!(results(&toy).iter().map(|result| result.worker.clone()).collect::<Vec<_>>(), ["slow"]);
}

#[test]
fn a_result_counts_once_when_its_worker_was_taken_for_lost() {
    let toy = campaign(1);
    let mut slow = Worker::new(Box::new(toy.with([])), "slow", 1, HEARTBEAT);
    let case = slow.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    play_the_rest(&toy);
    slow.turn(LOST_AFTER * 2, vec![played(&case[0])], Duration::ZERO).expect("nothing goes wrong");
    assert_eq!((slow.counts().kept, slow.counts().late), (0, 1));
    assert_eq!(results(&toy).len(), 1);
    // And the one that counts is not replaced.
    let again = toy.with([]).store(&[played(&case[0])]);
    assert_eq!(again, Ok(vec![Kept::Before]));
}

/// The broker goes away between the cases that it gives and what else the worker wants of it. The worker has these cases, so it plays them.
#[test]
fn cases_that_came_before_the_broker_went_away_are_played() {
    let toy = campaign(2);
    running(&toy, 2);
    let (mut post, _) = post(&toy, &[Mishap::None, Mishap::Lost]);
    let began = Instant::now();
    let mut ids = Vec::new();
    while ids.len() < 2 {
        match post.inbox.next() {
            Next::Case(case) => ids.push(case.id),
            Next::Later => std::thread::sleep(Duration::from_millis(1)),
            Next::Never => panic!("nobody has stopped it"),
        }
        assert!(began.elapsed() < Duration::from_secs(60), "only {ids:?} came");
    }
    post.end().expect("the broker is there again");
}

#[test]
fn a_case_comes_even_if_nobody_hears_that_another_one_is_done() {
    let toy = campaign(2);
    let mut first = Worker::new(Box::new(toy.with([])), "first", 1, HEARTBEAT);
    let mine = first.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    // It has stored the result, and is lost before it says that the case is done.
    toy.with([]).store(&[played(&mine[0])]).expect("nothing goes wrong");
    toy.wait(LOST_AFTER);
    // Two cases are fetched, one of them has its result, and what is said of that is lost.
    let broker = toy.with([Mishap::None, Mishap::None, Mishap::Lost]);
    let mut second = Worker::new(Box::new(broker), "second", 2, HEARTBEAT);
    let to_play = second.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("it has fetched");
    assert_eq!(to_play.iter().map(|parcel| &parcel.case.id[..]).collect::<Vec<_>>(), ["c1"]);
}

#[test]
fn a_case_that_no_worker_survives_is_given_up() {
    let toy = campaign(1);
    let mut n_workers = 0;
    while results(&toy).is_empty() {
        let mut worker = Worker::new(Box::new(toy.with([])), "killed", 1, HEARTBEAT);
        worker.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
        toy.wait(LOST_AFTER);
        n_workers += 1;
    }
    assert_eq!(n_workers, kilter_campaign::worker::GIVEN_MAX + 1);
    let results = results(&toy);
    let Some(Event::Case(case)) = results.events().last() else { panic!("a case has ended") };
    assert!(!case.passed && case.not_run.is_some());
}

#[test]
fn a_worker_does_not_play_a_case_twice_at_the_same_time() {
    let toy = campaign(1);
    let mut worker = Worker::new(Box::new(toy.with([Mishap::Doubled])), "one", 2, HEARTBEAT);
    let first = worker.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    let second = worker.turn(Duration::ZERO, Vec::new(), Duration::ZERO).expect("nothing goes wrong");
    assert_eq!(first.len() + second.len(), 1);
}

/// What happens next in a campaign with three workers.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// A worker has its turn, with this mishap, after it has ended so many of its cases.
    Turn {
        worker: usize,
        mishap: Mishap,
        ends: usize,
    },
    /// A worker is killed, and another one takes its place.
    Kill(usize),
    /// A worker ends in an orderly way.
    End(usize),
    Wait(u64),
}

fn deed() -> impl Strategy<Value = Deed> {
    let mishap = prop_oneof![
        6 => Just(Mishap::None),
        1 => Just(Mishap::Lost),
        1 => Just(Mishap::NoAnswer),
        1 => Just(Mishap::Doubled),
    ];
    prop_oneof![
        8 => (0usize..3, mishap, 0usize..4).prop_map(|(worker, mishap, ends)| Deed::Turn { worker, mishap, ends }),
        1 => (0usize..3).prop_map(Deed::Kill),
        1 => (0usize..3).prop_map(Deed::End),
        2 => (0u64..40).prop_map(Deed::Wait),
    ]
}

/// A worker, and the cases that it plays.
struct Seat {
    worker: Worker<Toy>,
    playing: Vec<Parcel>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_case_has_one_result_whatever_happens(
        n_cases in 1u64..12,
        deeds in prop::collection::vec(deed(), 0..80),
    ) {
        let toy = campaign(n_cases);
        let seat = |worker: usize| Seat {
            worker: Worker::new(Box::new(toy.with([])), &format!("w{worker}"), 2, HEARTBEAT),
            playing: Vec::new(),
        };
        let mut seats: Vec<Seat> = (0..3).map(seat).collect();
        let mut now = Duration::ZERO;
        let mut counted: BTreeMap<String, Played> = BTreeMap::new();
        for deed in deeds {
            match deed {
                Deed::Turn { worker, mishap, ends } => {
                    let seat = &mut seats[worker];
                    *seat.worker.broker() = toy.with([mishap]);
                    let n_ended = ends.min(seat.playing.len());
                    let ended: Vec<Played> = seat.playing.drain(..n_ended).map(|parcel| played(&parcel)).collect();
                    seat.playing.extend(seat.worker.turn(now, ended, Duration::ZERO).unwrap_or_default());
                }
                Deed::Kill(worker) => seats[worker] = seat(worker),
                Deed::End(worker) => {
                    let _ = seats[worker].worker.end(Vec::new());
                    seats[worker] = seat(worker);
                }
                Deed::Wait(seconds) => {
                    now += Duration::from_secs(seconds);
                    toy.wait(Duration::from_secs(seconds));
                }
            }
            for result in results(&toy).iter() {
                // A result that counts stays the one that counts.
                let known = counted.entry(result.case.clone()).or_insert_with(|| result.clone());
                prop_assert_eq!(&*known, result);
            }
        }
        play_the_rest(&toy);
        let results = results(&toy);
        let ids: Vec<&str> = results.iter().map(|result| result.case.as_str()).collect();
        let wanted = parcels(n_cases);
        let wanted: Vec<&str> = wanted.iter().map(|parcel| parcel.case.id.as_str()).collect();
        prop_assert_eq!(ids, wanted);
        prop_assert_eq!(toy.with([]).n_results(), Ok(n_cases));
        let queued = toy.with([]).queued().expect("nothing goes wrong");
        prop_assert_eq!((queued.waiting, queued.taken), (0, 0));
    }

    #[test]
    fn cases_are_put_into_the_queue_once(n_cases in 1u64..10, upto in 0u64..10) {
        let toy = campaign(n_cases);
        toy.with([Mishap::NoAnswer]).enqueue(&parcels(upto)).expect_err("the answer is lost");
        toy.with([]).enqueue(&parcels(n_cases.max(upto))).expect("nothing goes wrong");
        prop_assert_eq!(toy.with([]).queued().map(|queued| queued.waiting), Ok(n_cases.max(upto)));
    }
}

#[test]
fn a_ticket_that_is_worth_nothing_does_no_harm() {
    let mut toy = campaign(1);
    let stale = Ticket("7".to_owned());
    toy.finish(std::slice::from_ref(&stale))
        .and_then(|()| toy.hand_back(&[stale]))
        .expect("nothing goes wrong");
    assert_eq!(toy.queued().map(|queued| queued.waiting), Ok(1));
}
