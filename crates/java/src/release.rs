//! What a table says of one release of the system: the sections that count for it, and names that a build has changed.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::check::Mistake;
use crate::table::{Point, Section, Table};

/// The table for the release that it names. Sections of other releases are gone, and classes have the names of this build.
pub fn of_release(mut table: Table) -> Result<Table, Mistake> {
    for section in std::mem::take(&mut table.sections) {
        if counts(&section, table.release.as_deref())? {
            add(&mut table, section);
        }
    }
    let renamed = std::mem::take(&mut table.renamed);
    for (from, to) in &renamed {
        rename(&mut table, &|text: &mut String| *text = with_name(text, from, to));
    }
    table.renamed = renamed;
    Ok(table)
}

/// A text of the table as it is written, of one with the names of this build.
pub fn as_written(text: &str, renamed: &BTreeMap<String, String>) -> String {
    renamed.iter().fold(text.to_owned(), |text, (from, to)| with_name(&text, to, from))
}

/// Whether a section is for this release.
pub(crate) fn counts(section: &Section, release: Option<&str>) -> Result<bool, Mistake> {
    let wrong = |text: &str, message: String, help: &str| Mistake {
        mutation: None,
        text: text.to_owned(),
        message,
        help: Some(help.to_owned()),
    };
    if section.since.is_none() && section.before.is_none() {
        let message = "a section does not say for which releases it is".to_owned();
        return Err(wrong("[[sections]]", message, "add since = \"…\", before = \"…\", or both"));
    }
    let Some(release) = release else {
        let message =
            "there are sections for some releases, and the table does not say which release this is";
        return Err(wrong("[[sections]]", message.to_owned(), "add release = \"…\" above"));
    };
    let number = |text: &str| {
        numbers(text)
            .ok_or_else(|| wrong(text, format!("`{text}` is no release"), "it consists of numbers: 3.8.0"))
    };
    let this = number(release)?;
    let since = section.since.as_deref().map(number).transpose()?;
    let before = section.before.as_deref().map(number).transpose()?;
    Ok(since.is_none_or(|since| this >= since) && before.is_none_or(|before| this < before))
}

/// The numbers of a release. What follows them after a hyphen does not count.
fn numbers(release: &str) -> Option<Vec<u32>> {
    release.split('-').next()?.split('.').map(|part| part.parse().ok()).collect()
}

fn add(table: &mut Table, section: Section) {
    let Section { since: _, before: _, scan, unused, threads, objects, variables, requests, points } =
        section;
    table.scan.extend(scan);
    table.unused.extend(unused);
    table.threads.extend(threads);
    table.objects.extend(objects);
    table.variables.extend(variables);
    table.requests.extend(requests);
    table.points.extend(points);
}

/// Changes all texts of a table that may name classes.
fn rename(table: &mut Table, change: &dyn Fn(&mut String)) {
    table.scan.iter_mut().chain(&mut table.unused).for_each(change);
    table.objects.values_mut().chain(table.requests.values_mut()).for_each(change);
    table.variables.values_mut().for_each(|value| rename_in(value, change));
    for Point { method, call, args, message, sends, to, when, .. } in &mut table.points {
        std::iter::once(method).chain(call).chain(to).chain(when).for_each(change);
        args.iter_mut().chain(message).chain(sends).for_each(|value| rename_in(value, change));
    }
    for mutation in &mut table.mutations {
        let texts = [&mut mutation.call, &mut mutation.with, &mut mutation.result];
        std::iter::once(&mut mutation.method).chain(texts.into_iter().flatten()).for_each(change);
    }
}

fn rename_in(value: &mut Json, change: &dyn Fn(&mut String)) {
    match value {
        Json::String(text) => change(text),
        Json::Object(fields) => fields.values_mut().for_each(|value| rename_in(value, change)),
        Json::Array(items) => items.iter_mut().for_each(|value| rename_in(value, change)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// The text with `to` wherever it has `from` as the beginning of a name.
fn with_name(text: &str, from: &str, to: &str) -> String {
    let mut new = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let begins = !new.chars().chain(before.chars()).next_back().is_some_and(|c| is_part(c) || c == '.');
        let ends = !after.chars().next().is_some_and(is_part);
        new.push_str(before);
        new.push_str(if begins && ends { to } else { from });
        rest = after;
    }
    new + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"
        release = "3.5.9"
        renamed = { "org.example" = "shaded.org.example" }
        [objects]
        peer = "org.example.Peer"
        [variables]
        phase = "peer.phase"
        [[points]]
        in = "org.example.Peer.run"
        call = "Queue.take"
        polls = true
        [[sections]]
        before = "3.6"
        variables = { phase = "peer.state" }
        [[sections.points]]
        in = "org.example.Peer.old"
        action = "Old"
        if = "org.example.Peer.self != 'org.example.x' && my.org.example.Peer.a == 1"
        [[sections]]
        since = "3.6"
        threads = ["New*"]
    "#;

    fn read(text: &str) -> Table {
        toml::from_str(text).expect("a table")
    }

    #[test]
    fn sections_count_by_release_and_names_are_those_of_the_build() {
        let table = of_release(read(TABLE)).expect("it is sound");
        assert_eq!(table.variables["phase"], "peer.state");
        assert_eq!(table.objects["peer"], "shaded.org.example.Peer");
        let methods: Vec<&str> = table.points.iter().map(|point| point.method.as_str()).collect();
        assert_eq!(methods, ["shaded.org.example.Peer.run", "shaded.org.example.Peer.old"]);
        let when = "shaded.org.example.Peer.self != 'shaded.org.example.x' && my.org.example.Peer.a == 1";
        assert_eq!(table.points[1].when.as_deref(), Some(when));
        assert_eq!(as_written("shaded.org.example.Peer", &table.renamed), "org.example.Peer");
        assert!(table.threads.is_empty());

        let newer = of_release(read(&TABLE.replace("3.5.9", "3.6.0-2"))).expect("it is sound");
        assert_eq!((newer.variables["phase"].as_str(), newer.points.len()), (Some("peer.phase"), 1));
        assert_eq!(newer.threads, ["New*"]);
    }

    #[test]
    fn what_is_wrong_with_a_section_is_said() {
        let wrong =
            |from: &str, to: &str| of_release(read(&TABLE.replace(from, to))).expect_err("wrong").message;
        assert!(wrong("release = \"3.5.9\"", "").contains("does not say which release this is"));
        assert_eq!(wrong("3.5.9", "newest"), "`newest` is no release");
        assert_eq!(wrong("before = \"3.6\"", "before = \"3.x\""), "`3.x` is no release");
        assert_eq!(wrong("since = \"3.6\"", ""), "a section does not say for which releases it is");
    }
}
