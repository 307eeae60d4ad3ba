//! The runner, with a method whose cases are numbers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kilter_run::{
    Cases, Control, Counters, Ending, Event, Finding, FindingKind, Found, Header, Journal, Method, Next,
    Options, Outcome, Played, Player, Sink, Source, Stop, Stopped, Tally, VERSION,
};
use proptest::prelude::*;
use serde_json::json;

/// What a case does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pass,
    /// It fails with a finding of this group; a second time only if it is an even one.
    Fail(u8),
    NotRun,
    /// It goes on until somebody wants it to end.
    Endless,
    /// The system can't be run any more.
    Broken,
}

#[derive(Clone, Debug)]
struct Case {
    id: String,
    kind: Kind,
}

#[derive(Default)]
struct Numbers {
    /// What was looked at again.
    looked: Mutex<Vec<String>>,
}

fn finding(case: &str, group: u8, stable: Option<bool>, n_steps: u64) -> Found<u8> {
    let finding = Finding {
        kind: FindingKind::Crash,
        case: case.to_owned(),
        step: 1,
        edge: None,
        action: String::new(),
        variables: Vec::new(),
        summary: String::new(),
        differences: Vec::new(),
        offers: Vec::new(),
        details: Vec::new(),
        initial: Vec::new(),
        path: Vec::new(),
        given: None,
        stable,
        shortest: (n_steps == 1).then(|| "short".to_owned()),
        stands_for: None,
        group: format!("group {group}"),
        hints: Vec::new(),
        repeat: case.to_owned(),
        logs: None,
        more: serde_json::Map::new(),
    };
    let place = case.parse().ok();
    Found { finding, discovery: group, place, n_steps, ends_run: None }
}

fn played(ending: Ending, found: Option<Found<u8>>) -> Played<u8> {
    Played {
        ending,
        found: found.map(Box::new),
        steps: 1,
        covered: Vec::new(),
        took: Duration::from_millis(1),
        waited: Duration::ZERO,
        notes: Vec::new(),
        logs: None,
        counters: Counters::default(),
    }
}

impl Method for Numbers {
    type Case = Case;
    type Discovery = u8;

    fn id<'c>(&self, case: &'c Case) -> &'c str {
        &case.id
    }

    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop> {
        work(&mut Counting(self));
        Ok(())
    }
}

struct Counting<'m>(&'m Numbers);

impl Player<Numbers> for Counting<'_> {
    fn play(&mut self, case: &Case, control: &Control<'_, u8>) -> Result<Played<u8>, Stop> {
        Ok(match case.kind {
            Kind::Pass => played(Ending::Passed, None),
            Kind::Fail(group) => played(Ending::Failed, Some(finding(&case.id, group, None, 5))),
            Kind::NotRun => played(Ending::NotRun("it does not start".to_owned()), None),
            Kind::Broken => return Err(Stop::NotRunnable("it is gone".to_owned())),
            Kind::Endless => {
                control.checkpoint(&case.id, Counters::default(), json!(1));
                while !control.is_over() {
                    std::thread::yield_now();
                }
                played(Ending::Cut(json!(2)), None)
            }
        })
    }

    fn look_again(&mut self, case: &Case, found: &Found<u8>, _: &Control<'_, u8>) -> Result<Found<u8>, Stop> {
        self.0.looked.lock().expect("nobody panics").push(case.id.clone());
        let group = found.discovery;
        Ok(finding(&case.id, group, Some(group.is_multiple_of(2)), 3))
    }

    fn shorten(
        &mut self,
        first: &Found<u8>,
        _: &Found<u8>,
        _: &[bool],
        _: &Control<'_, u8>,
    ) -> Result<Option<Found<u8>>, Stop> {
        Ok(Some(finding(&first.finding.case, first.discovery, first.finding.stable, 1)))
    }
}

fn cases(kinds: &[Kind]) -> Vec<Case> {
    kinds.iter().enumerate().map(|(number, kind)| Case { id: number.to_string(), kind: *kind }).collect()
}

fn options(interrupted: &AtomicBool) -> Options<'_> {
    Options::new(interrupted)
}

fn run(kinds: &[Kind], change: impl FnOnce(&mut Options<'_>)) -> (Outcome, Vec<Event>, Vec<String>) {
    let (method, interrupted, mut events) = (Numbers::default(), AtomicBool::new(false), Vec::new());
    let mut options = options(&interrupted);
    change(&mut options);
    let outcome = kilter_run::run(&method, &mut Cases::new(cases(kinds)), &options, &mut events);
    (outcome, events, method.looked.into_inner().expect("nobody panics"))
}

/// Ids of cases in the order of the record.
fn ended(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| if let Event::Case(case) = event { Some(case.id.as_str()) } else { None })
        .collect()
}

/// What does not depend on time.
fn timeless(events: Vec<Event>) -> Vec<Event> {
    let timeless = |event| match event {
        Event::Finished { .. } => Event::Finished { seconds: 0.0 },
        Event::Stopped { why, is_error, .. } => Event::Stopped { why, seconds: 0.0, is_error },
        other => other,
    };
    events.into_iter().map(timeless).collect()
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![4 => Just(Kind::Pass), 2 => (0_u8..4).prop_map(Kind::Fail), 1 => Just(Kind::NotRun)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(5), ..ProptestConfig::default() })]

    #[test]
    fn neither_jobs_nor_batches_show_in_the_record(kinds in prop::collection::vec(kind(), 0..40), jobs in 2_usize..6, batch in 1_usize..9, most in prop::option::of(1_u64..5)) {
        let (one, events, _) = run(&kinds, |options| options.findings_max = most);
        let (many, other, _) = run(&kinds, |options| {
            (options.jobs, options.batch, options.findings_max) = (jobs, batch, most);
        });
        prop_assert_eq!(timeless(events), timeless(other));
        prop_assert_eq!((one.findings, one.groups, one.stopped), (many.findings, many.groups, many.stopped));
    }

    #[test]
    fn every_case_ends_once_and_in_order(kinds in prop::collection::vec(kind(), 0..40)) {
        let (outcome, events, _) = run(&kinds, |options| options.jobs = 3);
        let expected: Vec<String> = (0..kinds.len()).map(|number| number.to_string()).collect();
        prop_assert_eq!(ended(&events), expected);
        let n = |wanted: fn(&Kind) -> bool| kinds.iter().filter(|kind| wanted(kind)).count() as u64;
        prop_assert_eq!(outcome.tally.passed, n(|kind| *kind == Kind::Pass));
        prop_assert_eq!(outcome.tally.not_run, n(|kind| *kind == Kind::NotRun));
        prop_assert_eq!(outcome.tally.findings, n(|kind| matches!(kind, Kind::Fail(_))));
        let is_finished = matches!(events.last(), Some(Event::Finished { .. }));
        prop_assert!(is_finished);
    }
}

#[test]
fn few_of_a_group_are_looked_at_again_and_the_first_is_made_shorter() {
    let kinds = [Kind::Fail(0), Kind::Fail(1), Kind::Fail(0), Kind::Fail(0), Kind::Fail(0), Kind::Fail(0)];
    let (outcome, ..) = run(&kinds, |_| ());
    let (_, _, looked) = run(&kinds, |_| ());
    assert_eq!(looked, ["0", "1", "2", "3"]);
    let stable: Vec<Option<bool>> = outcome.findings.iter().map(|finding| finding.stable).collect();
    assert_eq!(stable, [Some(true), Some(false), Some(true), Some(true), None, None]);
    let groups: Vec<(u64, u64, &str)> =
        outcome.groups.iter().map(|group| (group.findings, group.steps, group.shortest.as_str())).collect();
    // What does not come again can't be made shorter.
    assert_eq!(groups, [(5, 1, "short"), (1, 3, "1")]);
    assert_eq!(outcome.findings[0].shortest.as_deref(), Some("short"));
}

#[test]
fn enough_findings_are_enough() {
    let kinds = [Kind::Pass, Kind::Fail(0), Kind::Fail(2), Kind::Pass, Kind::Fail(0)];
    let (outcome, events, _) = run(&kinds, |options| options.findings_max = Some(2));
    assert_eq!(outcome.stopped, Some(Stopped::Findings));
    assert_eq!((outcome.findings.len(), ended(&events)), (2, vec!["0", "1", "2"]));
    assert!(matches!(events.last(), Some(Event::Stopped { .. })), "{events:?}");
}

#[test]
fn a_system_that_cannot_be_run_stops_all() {
    let (outcome, events, _) = run(&[Kind::Pass, Kind::Broken, Kind::Pass], |_| ());
    assert_eq!(outcome.stopped, Some(Stopped::NotRunnable("it is gone".to_owned())));
    assert_eq!(ended(&events), ["0"]);
}

#[test]
fn when_time_is_up_long_cases_are_cut_short_and_can_go_on() {
    for jobs in [1, 3] {
        let kinds = [Kind::Pass, Kind::Endless, Kind::Endless, Kind::Pass];
        let (outcome, events, _) = run(&kinds, |options| {
            (options.jobs, options.time_max) = (jobs, Some(Duration::from_millis(200)));
        });
        assert_eq!(outcome.stopped, Some(Stopped::Time));
        let last = events.iter().rev().find_map(|event| match event {
            Event::Checkpoint { case, state, .. } if case == "1" => Some(state),
            _ => None,
        });
        assert_eq!(last, Some(&json!(2)), "{events:?}");
        assert_eq!(ended(&events).first(), Some(&"0"));
    }
}

/// Raises the flag when the endless case has begun.
struct Impatient<'i> {
    events: Vec<Event>,
    interrupted: &'i AtomicBool,
}

impl Sink for Impatient<'_> {
    fn event(&mut self, event: &Event) {
        if matches!(event, Event::Checkpoint { .. }) {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        self.events.push(event.clone());
    }

    fn progress(&mut self, _: &Tally) {}
}

/// Interrupts when so many cases are told as ended, and keeps what was told then.
struct Watching<'w> {
    until: u64,
    told: Option<Tally>,
    interrupted: &'w AtomicBool,
}

impl Sink for Watching<'_> {
    fn event(&mut self, _: &Event) {}

    fn progress(&mut self, tally: &Tally) {
        if tally.ended == self.until && self.told.is_none() {
            self.told = Some(tally.clone());
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }
}

/// The record is in order. Progress isn't, or one case that takes long would look as if nothing happened.
#[test]
fn progress_tells_cases_that_wait_for_an_earlier_one() {
    let interrupted = AtomicBool::new(false);
    let mut sink = Watching { until: 3, told: None, interrupted: &interrupted };
    let kinds = [Kind::Endless, Kind::Pass, Kind::Fail(0), Kind::NotRun];
    let options = Options { jobs: 2, time_max: Some(Duration::from_secs(60)), ..options(&interrupted) };
    let outcome = kilter_run::run(&Numbers::default(), &mut Cases::new(cases(&kinds)), &options, &mut sink);
    let told = sink.told.expect("three cases ended while the first one went on");
    assert_eq!((told.passed, told.not_run, told.findings, told.steps), (1, 1, 1, 3));
    // They are counted once.
    assert_eq!((outcome.tally.ended, outcome.tally.findings), (3, 1));
}

#[test]
fn what_has_ended_when_somebody_interrupts_is_kept_though_nobody_has_looked_again() {
    let interrupted = AtomicBool::new(false);
    let mut sink = Impatient { events: Vec::new(), interrupted: &interrupted };
    let method = Numbers::default();
    let kinds = [Kind::Endless, Kind::Fail(0)];
    let options = Options { jobs: 2, ..options(&interrupted) };
    let outcome = kilter_run::run(&method, &mut Cases::new(cases(&kinds)), &options, &mut sink);
    assert_eq!(outcome.stopped, Some(Stopped::Interrupted));
    // The second case may or may not have been played; if it was, its finding is there.
    let n_ended = ended(&sink.events).len();
    assert_eq!(outcome.findings.len(), n_ended);
}

#[test]
fn a_record_that_was_cut_goes_on_after_its_last_whole_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = Header {
        format: kilter_run::FORMAT.to_owned(),
        version: VERSION,
        run: "r".to_owned(),
        ..Header::default()
    };
    let (_, events, _) = run(&[Kind::Pass, Kind::Fail(0), Kind::NotRun], |_| ());
    let mut journal = Journal::create(folder.path(), &header, &[]).expect("written");
    for event in &events {
        journal.event(event);
    }
    journal.check().expect("all of it");
    drop(journal);
    let path = folder.path().join(kilter_run::journal::RECORD);
    let whole = std::fs::read_to_string(&path).expect("a record");
    for cut in (0..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        std::fs::write(&path, &whole[..cut]).expect("ours");
        let Ok((_, earlier)) = Journal::resume(folder.path(), &header) else {
            assert!(cut <= whole.find('\n').expect("lines"), "cut at {cut}");
            continue;
        };
        // A finding stands before the end of its case, and goes with it.
        let left = std::fs::read_to_string(&path).expect("a record");
        assert!(whole.starts_with(&left) && left.ends_with('\n'), "cut at {cut}");
        assert_eq!(left.contains("\"event\":\"finding\""), earlier.done.contains("1"), "cut at {cut}");
        // What could not be run is tried again.
        assert!(!earlier.done.contains("2"));
    }
    let other = Header { run: "other".to_owned(), ..header.clone() };
    std::fs::write(&path, &whole).expect("ours");
    // A sitting that came to its end is kept as a whole: how long it took counts.
    assert!(Journal::resume(folder.path(), &header).is_ok());
    assert_eq!(std::fs::read_to_string(&path).expect("a record"), whole);
    assert!(Journal::resume(folder.path(), &other).is_err());
    let chosen = |chosen: &str| Header { chosen: chosen.to_owned(), ..header.clone() };
    drop(Journal::create(folder.path(), &chosen("some"), &[]).expect("written"));
    assert!(Journal::resume(folder.path(), &chosen("others")).is_err());
    assert!(Journal::resume(folder.path(), &chosen("some")).is_ok());
}

/// A source that has a case every third time that it is asked, and at the end takes a while to know that it is the end.
struct Hesitant {
    cases: std::vec::IntoIter<Case>,
    asked: u32,
    /// How often it was asked when there were no more.
    asked_in_vain: u32,
}

impl Source<Case> for Hesitant {
    fn next(&mut self) -> Next<Case> {
        self.asked += 1;
        if !self.asked.is_multiple_of(3) {
            return Next::Later;
        }
        self.cases.next().map_or_else(
            || {
                self.asked_in_vain += 1;
                if self.asked_in_vain > 5 { Next::Never } else { Next::Later }
            },
            Next::Case,
        )
    }

    fn n_left(&self) -> u64 {
        self.cases.len() as u64
    }
}

#[test]
fn a_source_may_have_no_case_now() {
    let kinds = [Kind::Pass, Kind::Fail(2), Kind::Pass, Kind::Fail(2), Kind::NotRun];
    for jobs in [1, 2, 4] {
        let (method, interrupted, mut events) = (Numbers::default(), AtomicBool::new(false), Vec::new());
        let options = Options { jobs, ..Options::new(&interrupted) };
        let mut source = Hesitant { cases: cases(&kinds).into_iter(), asked: 0, asked_in_vain: 0 };
        let outcome = kilter_run::run(&method, &mut source, &options, &mut events);
        let (usual, _, _) = run(&kinds, |options| options.jobs = jobs);
        assert_eq!((outcome.stopped, outcome.tally.ended, outcome.tally.passed), (None, 5, 2));
        assert_eq!(outcome.findings, usual.findings);
    }
}
