//! Laws that hold for every record, whatever a system has written into it.

use crate::common;

use common::any;
use kilter_report::style::unstyled;
use kilter_report::{Record, json, junit, page, summarize, text};
use proptest::prelude::*;

/// The text between two marks of a page.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).expect("the beginning is there").1;
    rest.split_once(to).expect("the end is there").0
}

fn data(page: &str) -> serde_json::Value {
    let data = between(page, r#"<script type="application/json" id="data">"#, "</script>");
    serde_json::from_str(data).expect("the page's data is JSON")
}

fn shown(record: &Record) -> String {
    page::page(record, &summarize(record))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(4), ..ProptestConfig::default() })]

    #[test]
    fn junit_is_xml_with_a_testcase_for_each_case(record in any::record()) {
        let text = junit::junit(&record, &summarize(&record));
        let document = roxmltree::Document::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        prop_assert!(count("testcase") >= record.cases.len());
        prop_assert!(count("failure") >= record.findings.len());
        let declared = document.root_element().attribute("tests").expect("a count");
        prop_assert_eq!(declared, count("testcase").to_string());
    }

    #[test]
    fn scripts_get_their_counts(record in any::record()) {
        let json = json::json(&record, &summarize(&record));
        let text = json.to_string();
        let again: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(again["findings"].as_array().expect("a list").len(), record.findings.len());
        prop_assert!(again["seconds"].is_number() && again["cases_per_second"].is_number());
    }

    #[test]
    fn a_terminal_is_not_commanded(record in any::record()) {
        let text = unstyled(&text::text(&record, &summarize(&record)));
        prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    }

    #[test]
    fn the_page_has_the_tags_of_its_template_and_no_others(record in any::record()) {
        let page = shown(&record);
        prop_assert_eq!(page.matches("<script").count(), 2);
        prop_assert_eq!(page.matches("</script").count(), 2);
        prop_assert!(!page.contains("<!--"));
        prop_assert_eq!(page.matches("<details class=\"finding\"").count(), record.findings.len());
        let data = data(&page);
        let n_ends = record.shown.iter().filter(|shown| !shown.path.is_empty()).count();
        prop_assert_eq!(data["findings"].as_array().expect("a list").len(), record.findings.len() + n_ends);
        prop_assert_eq!(&data["nodes"], &serde_json::json!(record.header.nodes));
    }
}
