//! A replay reports what the search would report, including what follows by itself after the schedule has ended.

use std::cell::Cell;

use crate::support;

use kilter_explore::extend::{Extended, extend};
use kilter_explore::minimise::all_possible;
use kilter_explore::outcome::{Explorable as _, Made};
use kilter_explore::{Explorer, Options, Subject as _, Unwatched};
use kilter_testbed::Trouble;
use support::{Case, PLAIN, system};

/// Whether a property is violated when the system goes on after these places. Does not use the code that replays.
fn goes_wrong(case: Case, places: &[usize], steps_max: u32) -> bool {
    let mut subject = system(case);
    subject.start().expect("machines start");
    for place in places {
        let event = all_possible(&subject)[*place].clone();
        subject.perform(&event).expect("machines can be run");
    }
    let (_, end) = extend(&mut subject, steps_max, &|| false).expect("machines can be run");
    matches!(end, Extended::Unsafe(_))
}

/// Real processes may take a second for a step, so an interruption counts before each of them.
#[test]
fn a_continuation_can_be_interrupted_before_each_step() {
    let mut subject = system(Case { seed: 1, ..PLAIN });
    for steps in 1..4 {
        subject.start().expect("machines start");
        let looks = Cell::new(0);
        let is_interrupted = || looks.replace(looks.get() + 1) == steps;
        let end = extend(&mut subject, 1000, &is_interrupted);
        assert!(matches!(end, Err(Trouble::Interrupted)), "{steps}");
        assert_eq!(looks.get(), steps + 1);
    }
}

/// Without a goal, the search looks no further than the schedule. The replay does, and must not drop what it sees.
#[test]
fn what_is_wrong_with_the_continuation_is_told() {
    let options = Options { depth: 8, ..Options::default() };
    let (mut wrong, mut fine) = (0, 0);
    for seed in 0..200 {
        let case = Case { seed, safety: true, ..PLAIN };
        let search = Options { sequences_max: Some(200), findings_max: 1, ..options.clone() };
        let explored = Explorer::new(system(case), &search).run(&mut Unwatched).expect("machines run");
        let Some(finding) = explored.findings.first() else { continue };
        let mut subject = system(case);
        subject.start().expect("machines start");
        let mut places = Vec::new();
        for event in &finding.events {
            places.extend(all_possible(&subject).iter().position(|other| other == event));
            subject.perform(event).expect("machines can be run");
        }
        for length in 0..places.len() {
            let begin = &places[..length];
            let told = Made(|| system(case)).replay(begin, &options).expect("it is possible");
            let expected = goes_wrong(case, begin, options.depth + options.extension);
            assert_eq!(told.fails, expected, "seed {seed}, {begin:?}: {told:?}");
            assert_eq!(told.kind, if expected { "safety" } else { "fine" }, "seed {seed}, {begin:?}");
            if expected { wrong += 1 } else { fine += 1 }
        }
    }
    assert!(wrong > 20 && fine > 20, "{wrong} {fine}");
}
