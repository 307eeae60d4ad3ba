//! Figures that text, page, JSON and JUnit must agree on.

use kilter_report::style::unstyled;
use kilter_report::{Building, Record, json, junit, page, summarize, text};
use kilter_run::{Case, Counters, Event, FORMAT, Finding, FindingKind, Header, Place, VERSION, Verb};

fn header(verb: Verb, n_cases: u64) -> Header {
    Header { format: FORMAT.to_owned(), version: VERSION, verb, cases: n_cases, ..Header::default() }
}

fn case(id: &str, not_run: Option<&str>) -> Event {
    Event::Case(Box::new(Case {
        id: id.to_owned(),
        passed: false,
        steps: 1,
        edges: Vec::new(),
        ms: 1.0,
        waited_ms: 0.0,
        not_run: not_run.map(str::to_owned),
        logs: None,
        counters: Counters::default(),
    }))
}

fn finding(case: &str, stands_for: Option<&str>) -> Event {
    Event::Finding(Box::new(Finding {
        kind: FindingKind::Crash,
        case: case.to_owned(),
        step: 1,
        edge: None,
        action: "Act".to_owned(),
        variables: Vec::new(),
        summary: "it is wrong".to_owned(),
        differences: Vec::new(),
        offers: Vec::new(),
        details: Vec::new(),
        initial: Vec::new(),
        path: Vec::new(),
        given: None,
        stable: None,
        shortest: None,
        stands_for: stands_for.map(str::to_owned),
        group: "one cause".to_owned(),
        hints: Vec::new(),
        repeat: format!("kilter --case {case}"),
        logs: None,
        more: serde_json::Map::new(),
    }))
}

fn sequences(n: u64) -> Counters {
    Counters { sums: [("sequences".to_owned(), n)].into(), ..Counters::default() }
}

fn checkpoint(n_sequences: u64) -> Event {
    Event::Checkpoint {
        case: "all".to_owned(),
        counters: sequences(n_sequences),
        state: serde_json::Value::Null,
    }
}

fn record(verb: Verb, n_cases: u64, events: Vec<Event>) -> Record {
    let mut building = Building::new(header(verb, n_cases));
    for event in events {
        building.add(event);
    }
    building.finish()
}

fn stopped() -> Event {
    Event::Stopped { why: "there was no more time".to_owned(), seconds: 1.0, is_error: false }
}

#[test]
fn a_shorter_way_takes_the_place_of_the_longer_one() {
    let planned = Event::Planned { cases: vec!["all".to_owned()] };
    let found = [finding("0.1.2", None), finding("3.4.5", None), finding("7", Some("0.1.2"))];
    let events = [planned].into_iter().chain(found).chain([checkpoint(5), stopped()]).collect();
    let record = record(Verb::Explore, 1, events);
    let summary = summarize(&record);
    let cases: Vec<&str> = record.findings.iter().map(|finding| finding.case.as_str()).collect();
    assert_eq!(cases, ["3.4.5", "7"]);
    let json = json::json(&record, &summary);
    assert_eq!((&json["groups"][0]["findings"], &json["verdict"]), (&2.into(), &"findings".into()));
    let xml = junit::junit(&record, &summary);
    assert!(xml.contains(r#"tests="3" failures="2" errors="0""#), "{xml}");
    assert!(xml.contains(r#"skipped="1""#) && xml.contains("there was no more time"), "{xml}");
    let page = page::page(&record, &summary);
    assert!(page.contains("<h1>2 findings in 5 sequences</h1>"), "{page}");
}

#[test]
fn a_search_that_was_cut_short_has_tried_something() {
    let record = record(Verb::Explore, 1, vec![checkpoint(20), stopped()]);
    let summary = summarize(&record);
    let text = unstyled(&text::text(&record, &summary));
    assert!(text.contains("bounded: nothing was found in the sequences that were tried"), "{text}");
    assert_eq!(json::json(&record, &summary)["verdict"], "bounded");
    assert!(page::page(&record, &summary).contains("<h1>Nothing wrong in 20 sequences</h1>"));
}

#[test]
fn a_search_without_sequences_has_its_counts() {
    let record = record(Verb::Explore, 1, vec![stopped()]);
    let json = json::json(&record, &summarize(&record));
    let counts = ["sequences", "events", "states", "depth"].map(|name| json[name].as_u64());
    assert_eq!(counts, [Some(0); 4]);
}

#[test]
fn cases_that_could_not_be_run_were_not_run() {
    let events = vec![case("0", Some("no connection")), case("1", Some("no connection"))];
    let record = record(Verb::Converge, 2, [events, vec![Event::Finished { seconds: 1.0 }]].concat());
    let summary = summarize(&record);
    let json = json::json(&record, &summary);
    assert_eq!((&json["cases"], &json["not_run"], &json["planned"]), (&0.into(), &2.into(), &2.into()));
    let text = unstyled(&text::text(&record, &summary));
    assert!(text.contains("0 of 2 cases run") && text.contains("bounded: nothing was run"), "{text}");
    let xml = junit::junit(&record, &summary);
    assert!(xml.contains(r#"failures="0" errors="2""#) && xml.contains("no connection"), "{xml}");
    let page = page::page(&record, &summary);
    assert!(page.contains("Nothing was run, so nothing was found."), "{page}");
}

#[test]
fn a_finding_cites_the_lines_of_the_table() {
    let mut record = record(Verb::Test, 1, vec![finding("a", None), case("a", None)]);
    let place = |line| Place {
        file: "systems/x/agent.toml".to_owned(),
        line,
        path: Some("../x/agent.toml".to_owned()),
    };
    record.findings[0].variables.push("vote".to_owned());
    for (name, lines) in [("Act", vec![7, 12]), ("vote", vec![3]), ("Other", vec![9])] {
        record.header.table.insert(name.to_owned(), lines.into_iter().map(place).collect());
    }
    let summary = summarize(&record);
    let text = unstyled(&text::text(&record, &summary));
    let said = "   in the table of the system:\n     Act: systems/x/agent.toml:7, systems/x/agent.toml:12\n     \
                vote: systems/x/agent.toml:3\n";
    assert!(text.contains(said), "{text}");
    let line = |line: u32| serde_json::json!({ "file": "systems/x/agent.toml", "line": line });
    let table = serde_json::json!({ "Act": [line(7), line(12)], "vote": [line(3)] });
    assert_eq!(json::json(&record, &summary)["findings"][0]["table"], table);
    let page = page::page(&record, &summary);
    assert!(
        page.contains("<li><code>vote</code> <a href=") && page.contains(">agent.toml:3</a></li>"),
        "{page}"
    );
    assert!(!page.contains("agent.toml:9"), "{page}");
}

#[test]
fn logs_of_a_record_that_is_read_elsewhere_are_told_with_its_folder() {
    let mut record = record(Verb::Test, 1, vec![finding("a", None), case("a", None)]);
    record.findings[0].logs = Some("kilter-logs/a".to_owned());
    let told = |record: &Record| unstyled(&text::text(record, &summarize(record)));
    assert!(told(&record).contains("   logs: kilter-logs/a in the folder of the report\n"));
    record.move_away("parts/1");
    assert!(told(&record).contains("   logs: parts/1/kilter-logs/a\n"), "{}", told(&record));
}

#[test]
fn groups_of_a_killed_run_are_told_too() {
    let record = record(Verb::Test, 3, vec![finding("a", None), case("a", None)]);
    let json = json::json(&record, &summarize(&record));
    assert_eq!(json["groups"][0]["group"], "one cause");
    assert_eq!(json["groups"][0]["repeat"], "kilter --case a");
}

/// The first finding of a group may not have been looked at again, although others were.
#[test]
fn a_group_says_that_others_of_it_came_again() {
    let mut building = Building::new(header(Verb::Test, 2));
    for (id, stable, length) in [("short", None, 1), ("long", Some(true), 2)] {
        let Event::Finding(mut found) = finding(id, None) else { panic!("a finding") };
        (found.stable, found.given) = (stable, Some(length));
        building.add(Event::Finding(found));
        building.add(case(id, None));
    }
    let record = building.finish();
    let summary = summarize(&record);
    let text = unstyled(&text::text(&record, &summary));
    assert!(text.contains("others of this group came again when their cases were run again\n"), "{text}");
    assert!(page::page(&record, &summary).contains("others of this group were seen twice"));
}

#[test]
fn mutations_and_warnings_are_in_every_form() {
    let mutation = "`a.B.c` returns at once".to_owned();
    let mut building = Building::new(Header { mutations: vec![mutation.clone()], ..header(Verb::Test, 1) });
    building.add(Event::Case(Box::new(Case {
        id: "a".to_owned(),
        passed: true,
        steps: 1,
        ..Case::default()
    })));
    let warning = "a node was still busy".to_owned();
    for _ in 0..2 {
        building.add(Event::Warning { text: warning.clone() });
    }
    building.add(Event::Finished { seconds: 1.0 });
    let record = building.finish();
    let summary = summarize(&record);
    let told = unstyled(&text::text(&record, &summary));
    let verdict =
        "ok: the system does what the specification says, with 1 mutation: `a.B.c` returns at once\n";
    assert!(told.contains(&format!("warning: {warning}\n{verdict}")), "{told}");
    let answer = json::json(&record, &summary);
    assert_eq!(answer["warnings"], serde_json::json!([warning]));
    assert_eq!(answer["mutations"], serde_json::json!([mutation]));
    let page = page::page(&record, &summary);
    for part in ["a node was still busy.", "was changed by 1 mutation", "returns at once"] {
        assert!(page.contains(part), "{part}");
    }
}
