//! Several records become one.

use kilter_report::{Building, Record, Unlike, merge, summarize, text};
use kilter_run::{Branch, Case, Event, Header, Shown, Verb};

fn log(verb: Verb, run: &str, name: &str, steps: u64, edges: Vec<u32>) -> Record {
    let header = Header {
        verb,
        run: run.to_owned(),
        cases: 1,
        edges: [("A".to_owned(), 9)].into(),
        ..Header::default()
    };
    let mut building = Building::new(header);
    let branch = Branch { file: "S.tla".to_owned(), line: 7, column: 3, text: "x' = 1".to_owned(), steps };
    let actions = [("A".to_owned(), steps), ("B".to_owned(), 0)].into();
    let shown = Shown {
        case: name.to_owned(),
        actions,
        branches: vec![branch],
        outside: Some(steps),
        ..Shown::default()
    };
    building.add(Event::Shown(Box::new(shown)));
    building.add(Event::Behind { edges: vec![1, 5] });
    building.add(Event::Case(Box::new(Case { id: name.to_owned(), passed: true, edges, ..Case::default() })));
    building.add(Event::Finished { seconds: 1.5 });
    building.finish()
}

fn named(records: Vec<Record>) -> Vec<(String, Record)> {
    records.into_iter().enumerate().map(|(index, record)| (format!("r{index}"), record)).collect()
}

#[test]
fn logs_are_added_up_and_told_apart() {
    let records = vec![
        log(Verb::Follow, "x", "a.log", 2, vec![0, 1]),
        log(Verb::Follow, "x", "a.log", 0, vec![1, 2]),
        log(Verb::Follow, "x", "b.log", 3, vec![]),
    ];
    let whole = merge(named(records)).expect("they fit").expect("there are some");
    let summary = summarize(&whole);
    assert_eq!((summary.n_planned, summary.n_passed, summary.n_confirmed), (3, 3, 3));
    assert_eq!(whole.behind, [5], "one of them came to the other edge");
    assert_eq!(whole.seconds, Some(4.5));
    let ids: Vec<&str> = whole.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["a.log", "a.log (r1)", "b.log"]);
    let text = kilter_report::style::unstyled(&text::text(&whole, &summary));
    assert!(text.contains("3 logs show 1 of 2 actions and 1 of 1 branches"), "{text}");
    assert!(text.contains("A  5 steps, in 2 logs") && text.contains("B  never"), "{text}");
    assert!(text.contains("5 steps are no edge of the graph"), "{text}");
}

#[test]
fn what_does_not_fit_is_not_added_up() {
    let one = || log(Verb::Follow, "x", "a.log", 2, vec![]);
    let other = merge(named(vec![one(), log(Verb::Follow, "y", "a.log", 2, vec![])]));
    assert!(matches!(other, Err(Unlike::Run { .. })));
    let test = merge(named(vec![one(), log(Verb::Test, "x", "a.log", 2, vec![])]));
    let said = test.map(|_| ()).expect_err("another command").to_string();
    assert_eq!(said, "r0 is a record of `kilter follow` and r1 one of `kilter test`; they cannot be merged");
    assert_eq!(merge(Vec::new()), Ok(None));
}
