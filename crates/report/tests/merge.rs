//! Several records become one.

use kilter_report::{Building, Record, Unlike, json, junit, merge, summarize, text};
use kilter_run::{Branch, Case, Event, Finding, FindingKind, Group, Header, Shard, Shown, Verb};
use serde_json::json;

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

/// A part of a test of six edges, each with a case of its own.
fn part(number: u64, of: u64, edges: &[u32]) -> Record {
    let shard = Some(Shard { part: number, parts: of });
    let edges_by_action = [("A".to_owned(), 3), ("B".to_owned(), 3)].into();
    let header = Header {
        run: "graph".to_owned(),
        cases: edges.len() as u64,
        edges: edges_by_action,
        shard,
        started_s: number,
        ..Header::default()
    };
    let mut building = Building::new(header);
    building.add(Event::Actions {
        names: vec!["A".to_owned(), "B".to_owned()],
        of_edges: vec![0, 0, 0, 1, 1, 1],
    });
    for edge in edges {
        // Every case begins with the first edge.
        let edges = vec![0, *edge];
        let id = format!("e{edge}");
        building.add(Event::Case(Box::new(Case { id, passed: true, edges, ..Case::default() })));
    }
    building.add(Event::Finished { seconds: 1.0 });
    building.finish()
}

fn merged(records: Vec<Record>) -> Result<Record, Unlike> {
    merge(named(records)).map(|merged| merged.expect("there are some"))
}

fn said(records: Vec<Record>) -> String {
    merged(records).map(|_| ()).expect_err("they do not belong together").to_string()
}

#[test]
fn parts_of_a_run_are_the_run() {
    let whole =
        merged(vec![part(1, 3, &[0, 3]), part(2, 3, &[1, 4]), part(3, 3, &[2, 5])]).expect("they fit");
    let summary = summarize(&whole);
    assert_eq!((summary.n_planned, summary.n_passed, summary.n_confirmed, summary.n_edges), (6, 6, 6, 6));
    let answer = json::json(&whole, &summary);
    assert_eq!(answer["verdict"], "ok", "{answer}");
    assert_eq!((&answer["actions"]["A"]["confirmed"], answer.get("missing")), (&json!(3), None));
}

#[test]
fn a_part_that_is_missing_is_named() {
    let whole = merged(vec![part(2, 4, &[0, 1, 2, 3, 4, 5]), part(3, 4, &[])]).expect("they fit");
    let summary = summarize(&whole);
    let text = kilter_report::style::unstyled(&text::text(&whole, &summary));
    assert!(text.contains("bounded: nothing was found in the cases that were run"), "{text}");
    let missing = "there is no record of part 1/4; there is no record of part 4/4";
    assert!(text.contains(&format!("not all cases were run: {missing}\n")), "{text}");
    let answer = json::json(&whole, &summary);
    assert_eq!(answer["verdict"], "bounded");
    assert_eq!(answer["missing"].as_array().map(Vec::len), Some(2));
    let xml = junit::junit(&whole, &summary);
    assert!(xml.contains("errors=\"2\"") && xml.contains("no record of part 4/4"), "{xml}");
    // One part alone is not the run, either, even if it has come to every edge.
    let alone = part(1, 2, &[0, 1, 2, 3, 4, 5]);
    let text = kilter_report::style::unstyled(&text::text(&alone, &summarize(&alone)));
    assert!(text.contains("not all cases were run: this is part 1/2, without the others"), "{text}");
    assert_eq!(merged(vec![alone]).map(|whole| whole.missing.len()), Ok(1));
}

#[test]
fn a_part_without_an_end_is_named_and_so_is_one_that_was_stopped() {
    let mut killed = part(1, 2, &[0]);
    killed.is_finished = false;
    let mut stopped = part(2, 2, &[1]);
    (stopped.is_finished, stopped.stopped) = (false, Some("the time was over".to_owned()));
    let whole = merged(vec![killed, stopped]).expect("they fit");
    assert_eq!(whole.missing, ["the record r0 has no end, so its run was killed, or is still going"]);
    assert_eq!(whole.stopped.as_deref(), Some("r1: the time was over"));
    let text = kilter_report::style::unstyled(&text::text(&whole, &summarize(&whole)));
    assert!(text.contains("the record r0 has no end") && text.contains("; r1: the time was over"), "{text}");
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let one = || part(1, 3, &[0]);
    assert_eq!(
        said(vec![one(), part(2, 3, &[1]), one()]),
        "r0 and r2 are both part 1/3; leave one of them out"
    );
    let other = said(vec![one(), part(2, 4, &[1])]);
    assert_eq!(other, "r0 is part 1/3 and r1 is part 2/4; all must be parts of one division");
    let mut whole = part(1, 3, &[1]);
    whole.header.shard = None;
    assert_eq!(
        said(vec![whole.clone(), one()]),
        "r1 is part 1/3 and r0 is no part; all must be parts of one division"
    );
    assert_eq!(said(vec![whole.clone(), whole]), "r0 and r1 are the same record; leave one of them out");
    let suite = said(vec![one(), part(2, 3, &[0])]);
    assert!(suite.starts_with("r0 and r1 both have the case e0, so they are no parts of one run"), "{suite}");
    // Each part plans again what findings have hidden, and two may plan the same.
    let again = |number| {
        let mut record = part(number, 2, &[5]);
        record.header.cases = 0;
        record.further = vec![kilter_run::Further { id: "e5".to_owned(), edges: vec![0, 5] }];
        record
    };
    let whole = merged(vec![again(1), again(2)]).expect("they fit");
    let summary = summarize(&whole);
    assert_eq!((summary.n_planned, summary.n_passed, summary.n_confirmed), (2, 2, 2));
}

/// A finding at an edge of the action A.
fn finding(case: &str, edge: u32) -> Finding {
    Finding {
        kind: FindingKind::InconsistentState,
        case: case.to_owned(),
        step: 1,
        edge: Some(edge),
        action: "A".to_owned(),
        variables: Vec::new(),
        summary: "x is wrong".to_owned(),
        differences: Vec::new(),
        offers: Vec::new(),
        details: Vec::new(),
        initial: Vec::new(),
        path: Vec::new(),
        given: None,
        stable: None,
        shortest: None,
        stands_for: None,
        group: "x after A".to_owned(),
        hints: Vec::new(),
        repeat: String::new(),
        logs: None,
        more: serde_json::Map::new(),
    }
}

#[test]
fn every_edge_of_parts_with_findings_is_counted_once() {
    let mut one = part(1, 2, &[3]);
    one.findings.push(finding("f1", 1));
    one.behind = vec![2, 4, 5];
    let mut two = part(2, 2, &[4]);
    two.findings.push(finding("f2", 2));
    two.behind = vec![5];
    two.header.edges.insert("A".to_owned(), 4);
    one.header.edges.insert("A".to_owned(), 4);
    let whole = merged(vec![one, two]).expect("they fit");
    // One part came to edge 4 and found that edge 2 fails, which the other could not reach. Nobody came to edge 6.
    assert_eq!(whole.behind, [5]);
    let summary = summarize(&whole);
    let edges = (summary.n_confirmed, summary.n_failed_edges, summary.n_behind, summary.n_untried);
    assert_eq!((edges, summary.n_edges), ((3, 2, 1, 1), 7));
    let text = kilter_report::style::unstyled(&text::text(&whole, &summary));
    let told = "3 of 7 edges confirmed, 2 failed, 1 not reachable for now, 1 not tried";
    assert!(text.contains(told), "{text}");
    assert_eq!(json::json(&whole, &summary)["untried_edges"], 1);
    let page = kilter_report::page::page(&whole, &summary);
    assert!(page.contains("2 failed, 1 not reachable for now, 1 not tried"), "{page}");
    // If all were tried, nobody wants to read of none.
    let whole = merged(vec![part(1, 1, &[0, 1, 2, 3, 4, 5])]).expect("it fits");
    let summary = summarize(&whole);
    assert_eq!(json::json(&whole, &summary).get("untried_edges"), None);
    assert!(!text::text(&whole, &summary).contains("not tried"));
}

#[test]
fn a_group_of_several_parts_is_one() {
    let failing = |number: u64, edge: u32| {
        let mut record = part(number, 2, &[if number == 1 { 3 } else { 4 }]);
        let finding = finding(&format!("f{number}"), edge);
        let group = Group {
            findings: 1,
            steps: number,
            edges_failed: Some(1),
            edges_passed: Some(1),
            hints: kilter_run::hint_of_numbers("A", 1, 1).into_iter().collect(),
            ..Group::of(&finding)
        };
        record.findings.push(finding);
        record.groups.push(group);
        record
    };
    let mut second = failing(2, 2);
    // It has confirmed another edge of the action, which the first part has not seen.
    second.cases[0].edges.push(1);
    (second.groups[0].edges_passed, second.groups[0].hints) =
        (Some(2), kilter_run::hint_of_numbers("A", 1, 2).into_iter().collect());
    let whole = merged(vec![failing(1, 2), second]).expect("they fit");
    let [group] = &whole.groups[..] else { panic!("{:?}", whole.groups) };
    // Both have found the same edge.
    assert_eq!((group.findings, group.edges_failed, group.edges_passed), (2, Some(1), Some(2)));
    let hints: Vec<String> = kilter_run::hint_of_numbers("A", 1, 2).into_iter().collect();
    assert_eq!(group.hints, hints);
}
