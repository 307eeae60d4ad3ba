//! The data of the page's template, in the words that it shows.

use kilter_run::{Detail, Difference, Finding, Place, Shown, Verb, when};
use serde::Serialize;

use crate::record::Record;
use crate::shown::{Row, number_shown, shown};
use crate::style::plural;
use crate::summary::{Coverage, Group, Summary, share};
use crate::table::cited;
use crate::text::{count_cases, others_came_again, percent, rate, untold};

use super::cases::{address, log_files};

/// The number of groups whose first finding is open at the beginning.
const OPEN_MAX: usize = 5;

#[derive(Serialize)]
pub(super) struct Page<'r> {
    verdict: String,
    config: &'r str,
    spec: &'r str,
    states: u64,
    edges: u64,
    nodes: String,
    started: Option<String>,
    warnings: Vec<String>,
    calm: &'static str,
    cards: Vec<Card>,
    groups: Vec<GroupView<'r>>,
    coverage: Vec<CoverageRow<'r>>,
    shown: Vec<ShownTable>,
    ends: Vec<EndView<'r>>,
    n_notes: usize,
    n_cases: usize,
    case_word: &'static str,
    cases_word: &'static str,
    observed: &'static str,
}

/// What logs have shown of the actions, or of the branches.
#[derive(Serialize)]
struct ShownTable {
    caption: String,
    thing: &'static str,
    rows: Vec<ShownRow>,
}

#[derive(Serialize)]
struct ShownRow {
    name: String,
    text: String,
    steps: u64,
    logs: String,
}

/// The last steps of a log that is accepted.
#[derive(Serialize)]
struct EndView<'r> {
    index: usize,
    case: &'r str,
    is_open: bool,
    #[serde(skip)]
    shown: &'r Shown,
}

#[derive(Serialize)]
struct Card {
    label: String,
    value: String,
    note: String,
    tone: &'static str,
}

#[derive(Serialize)]
struct GroupView<'r> {
    id: String,
    kind: &'static str,
    kind_words: &'static str,
    subject: String,
    count: String,
    is_many: bool,
    findings: Vec<FindingView<'r>>,
    left_out: Option<String>,
}

#[derive(Serialize)]
struct FindingView<'r> {
    id: String,
    index: usize,
    is_open: bool,
    case: &'r str,
    place: String,
    stability: Option<&'static str>,
    summary: &'r str,
    differences: Vec<DifferenceView<'r>>,
    details: &'r [Detail],
    /// What it is about, with the lines of the table that say what that is.
    table: Vec<(&'r str, Vec<PlaceView<'r>>)>,
    hints: &'r [String],
    repeat: &'r str,
    shortest: Option<&'r str>,
    logs: Vec<(String, String)>,
    #[serde(skip)]
    finding: &'r Finding,
}

#[derive(Serialize)]
struct DifferenceView<'r> {
    variable: &'r str,
    place: &'r str,
    sides: [Side<'r>; 2],
}

/// A value, with the part marked that is not in the other value.
#[derive(Serialize)]
struct Side<'r> {
    class: &'static str,
    is_nothing: bool,
    before: &'r str,
    marked: &'r str,
    after: &'r str,
}

#[derive(Serialize)]
struct CoverageRow<'r> {
    action: &'r str,
    /// Its lines in the specification, in the code and in the table.
    places: Vec<PlaceView<'r>>,
    confirmed: String,
    failed: String,
    not_reached: String,
    edges: u64,
    percent: String,
    /// The widths of the parts of its bar, as percentages.
    bar: Vec<(&'static str, String)>,
}

/// A line of the specification, of the code or of the table.
#[derive(Serialize)]
struct PlaceView<'r> {
    file: &'r str,
    line: u32,
    address: Option<String>,
}

impl<'r> Page<'r> {
    pub(super) fn new(record: &'r Record, summary: &'r Summary<'r>, shown_max: usize) -> Page<'r> {
        let mut n_shown = 0;
        let groups = summary.groups.iter().enumerate();
        let view = |(place, group)| view_group(record, place, group, shown_max, &mut n_shown);
        let groups = groups.map(view).collect();
        let ends = record.shown.iter().filter(|shown| !shown.path.is_empty()).take(shown_max);
        let header = &record.header;
        Page {
            verdict: verdict(record, summary),
            config: &header.config,
            spec: &header.spec,
            states: header.states,
            edges: summary.n_edges,
            nodes: header.nodes.join(", "),
            started: (header.started_s > 0).then(|| when::utc(header.started_s)),
            warnings: warnings(record, summary),
            calm: calm(record, summary),
            cards: cards(record.header.verb, summary),
            groups,
            coverage: summary.coverage.iter().map(|row| view_coverage(record, row)).collect(),
            shown: view_shown(record),
            ends: ends
                .enumerate()
                .map(|(place, shown)| view_end(n_shown + place, shown, place == 0))
                .collect(),
            n_notes: record.notes.len(),
            n_cases: record.cases.len(),
            case_word: if header.verb == Verb::Follow { "Log" } else { "Case" },
            cases_word: cases_word(header.verb),
            observed: if header.verb == Verb::Follow { "Log says" } else { "System has" },
        }
    }

    /// The ends of logs on the page. Their indices follow those of the findings.
    pub(super) fn ends(&self) -> impl Iterator<Item = &'r Shown> {
        self.ends.iter().map(|view| view.shown)
    }

    /// The findings on the page, by their index.
    pub(super) fn shown(&self) -> Vec<&'r Finding> {
        self.groups.iter().flat_map(|group| group.findings.iter().map(|view| view.finding)).collect()
    }
}

fn cases_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Test | Verb::Converge => "Cases",
        Verb::Explore => "Parts",
        Verb::Follow => "Logs",
    }
}

fn view_end(index: usize, shown: &Shown, is_open: bool) -> EndView<'_> {
    EndView { index, case: &shown.case, is_open, shown }
}

fn view_shown(record: &Record) -> Vec<ShownTable> {
    let Some(shown) = shown(record) else { return Vec::new() };
    let table = |rows: &[Row<'_>], thing, things| ShownTable {
        caption: format!("{} {}", shown.logs_show(), number_shown(rows, things)),
        thing,
        rows: rows.iter().map(view_row).collect(),
    };
    let tables = [table(&shown.actions, "Action", "actions"), table(&shown.branches, "Branch", "branches")];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn view_row(row: &Row<'_>) -> ShownRow {
    let logs = match row.logs.as_slice() {
        [] => "none".to_owned(),
        [first] => (*first).to_owned(),
        [first, rest @ ..] => format!("{first} and {}", plural(rest.len() as u64, "other")),
    };
    ShownRow { name: row.name.clone(), text: row.text.to_owned(), steps: row.n_steps, logs }
}

fn verdict(record: &Record, summary: &Summary<'_>) -> String {
    let n_findings: usize = summary.kinds.iter().map(|(_, n)| n).sum();
    if record.header.verb == Verb::Explore {
        let tried = plural(summary.n_tried(Verb::Explore), "sequence");
        return match n_findings {
            0 => format!("Nothing wrong in {tried}"),
            n => format!("{} in {tried}", plural(n as u64, "finding")),
        };
    }
    if record.header.verb == Verb::Follow {
        let logs = plural(summary.n_planned, "log");
        return format!("{} of {logs} accepted", summary.n_passed);
    }
    match (n_findings, summary.n_cases) {
        (0, 0) => "No case was run".to_owned(),
        (0, n) if n == summary.n_passed => format!("{} passed", count_cases(n)),
        (0, n) => format!("{} of {} passed", summary.n_passed, count_cases(n)),
        (1, n) => format!("1 finding in {}", count_cases(n)),
        (findings, n) => format!("{findings} findings in {}", count_cases(n)),
    }
}

/// The sentence that is shown if nothing was found.
fn calm(record: &Record, summary: &Summary<'_>) -> &'static str {
    if summary.n_tried(record.header.verb) == 0 {
        return "Nothing was run, so nothing was found.";
    }
    match record.header.verb {
        Verb::Test => {
            "No finding: in every case that was run, the system did what the specification says, and nothing else."
        }
        Verb::Explore => "No finding: every sequence that was tried is safe, and reaches its goal.",
        Verb::Follow => {
            "No finding: every log that could be followed to its end is a behavior of the specification."
        }
        Verb::Converge => "No finding: after every schedule that was run, the replicas agree again.",
    }
}

fn warnings(record: &Record, summary: &Summary<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if !record.missing.is_empty() {
        warnings.extend(record.missing.iter().map(|what| format!("Not all cases were run: {what}.")));
        warnings.extend(record.stopped.iter().map(|why| format!("Not all cases were run: {why}.")));
    } else if record.is_cut {
        warnings.push(
            "The record ends in the middle of a line: the run was killed. What it had written is counted."
                .to_owned(),
        );
    } else if let Some(why) = &record.stopped {
        warnings.push(format!("Not all cases were run: {why}."));
    } else if !summary.is_finished {
        warnings.push("The record has no end: the run was killed, or is still going.".to_owned());
    } else if let Some(only) = &record.header.only {
        warnings.push(format!("Not all cases were run: {only}."));
    } else if let Some(shard) = record.header.shard {
        warnings.push(format!("Not all cases were run: this is part {shard}, without the others."));
    }
    warnings.extend(untold(record, summary).map(|untold| format!("{untold}.")));
    warnings.extend(mutated(&record.header.mutations));
    warnings.extend(record.warnings.iter().map(|warning| format!("{warning}.")));
    if record.actions.is_none() && !record.header.edges.is_empty() {
        warnings.push(
            "The record does not say which action an edge carries, so coverage by action is unknown."
                .to_owned(),
        );
    }
    if let Some(outside) = shown(record).and_then(|shown| shown.outside).filter(|outside| *outside > 0) {
        let steps = plural(outside, "step");
        warnings.push(format!("{steps} of the logs lie outside the graph, so they are not among its edges."));
    }
    if record.header.verb == Verb::Follow {
        let undecided = record.cases.iter().filter_map(|case| Some((case, case.not_run.as_ref()?)));
        warnings.extend(undecided.map(|(case, why)| format!("{}: {why}", case.id)));
    } else if summary.n_not_run > 0 {
        warnings.push(format!("The system could not be driven along {}.", count_cases(summary.n_not_run)));
    }
    warnings
}

/// A sentence for a system that is not tested as it is.
fn mutated(mutations: &[String]) -> Option<String> {
    let number = plural(mutations.len() as u64, "mutation");
    let text =
        format!("The system was changed by {number} and is not what was released: {}.", mutations.join("; "));
    (!mutations.is_empty()).then_some(text)
}

fn cards(verb: Verb, summary: &Summary<'_>) -> Vec<Card> {
    let n_findings: usize = summary.kinds.iter().map(|(_, n)| n).sum();
    let kinds: Vec<String> = summary.kinds.iter().map(|(kind, n)| format!("{n} {}", kind.words())).collect();
    let share = share(summary.n_confirmed, summary.n_edges);
    let n_left = summary.n_planned - summary.n_cases;
    let card = |label: &str, value, note, tone| Card { label: label.to_owned(), value, note, tone };
    let mut cards = vec![
        card(
            cases_word(verb),
            summary.n_cases.to_string(),
            if n_left == 0 {
                "all of them".to_owned()
            } else {
                format!("{n_left} of {} not run to the end", summary.n_planned)
            },
            "",
        ),
        card(
            if verb == Verb::Follow { "Accepted" } else { "Passed" },
            summary.n_passed.to_string(),
            String::new(),
            if summary.n_passed == summary.n_cases { "good" } else { "" },
        ),
        card(
            "Findings",
            n_findings.to_string(),
            kinds.join(", "),
            if n_findings == 0 { "good" } else { "bad" },
        ),
    ];
    if summary.n_edges > 0 {
        cards.push(card(
            "Edges confirmed",
            percent(share),
            format!("{} of {}{}", summary.n_confirmed, summary.n_edges, summary.not_confirmed()),
            if summary.n_confirmed == summary.n_edges { "good" } else { "" },
        ));
    }
    let counted = summary.counters.sums.iter().chain(&summary.counters.peaks);
    for (name, n) in counted.filter(|(name, n)| **n > 0 && !name.ends_with("_us")) {
        cards.push(card(&name.replace('_', " "), n.to_string(), String::new(), ""));
    }
    for (name, n) in summary.counters.n_distinct() {
        cards.push(card(&format!("distinct {}", name.replace('_', " ")), n.to_string(), String::new(), ""));
    }
    if verb == Verb::Follow {
        cards.push(card("Time", format!("{:.1} s", summary.seconds), String::new(), ""));
        return cards;
    }
    cards.extend([
        card(
            "Cases a second",
            rate(summary.cases_per_second),
            format!("{:.1} s in all", summary.seconds),
            "",
        ),
        card("Waiting for timeouts", percent(summary.waited_share), "of the cases' time".to_owned(), ""),
    ]);
    cards
}

fn view_group<'r>(
    record: &'r Record,
    place: usize,
    group: &'r Group<'r>,
    shown_max: usize,
    n_shown: &mut usize,
) -> GroupView<'r> {
    let mut findings = Vec::new();
    for finding in group.findings.iter().take(shown_max) {
        let is_open = place < OPEN_MAX && findings.is_empty();
        findings.push(view_finding(record, *n_shown, finding, is_open));
        *n_shown += 1;
    }
    // What the run has found out about the whole group stands with its first finding, as in the text.
    if let (Some(first), Some(facts)) = (findings.first_mut(), group.facts) {
        first.hints = &facts.hints;
    }
    let n_left = group.findings.len() - findings.len();
    if let Some(first) = findings.first_mut().filter(|_| others_came_again(group)) {
        first.stability = Some("others of this group were seen twice");
    }
    GroupView {
        id: format!("group-{}", place + 1),
        kind: group.kind.name(),
        kind_words: group.kind.words(),
        subject: group.subject(),
        count: plural(group.findings.len() as u64, "finding"),
        is_many: group.findings.len() > 1,
        findings,
        left_out: (n_left > 0).then(|| format!("{n_left} more with longer paths are in the record.")),
    }
}

fn view_finding<'r>(
    record: &'r Record,
    index: usize,
    finding: &'r Finding,
    is_open: bool,
) -> FindingView<'r> {
    let n_steps = finding.path.len();
    FindingView {
        id: format!("finding-{}", index + 1),
        index,
        is_open,
        case: &finding.case,
        place: if finding.step == 0 {
            "in the initial state".to_owned()
        } else {
            format!("step {} of {n_steps}", finding.step)
        },
        stability: finding
            .stable
            .map(|stable| if stable { "seen twice" } else { "not seen in a second run" }),
        summary: &finding.summary,
        differences: finding.differences.iter().map(view_difference).collect(),
        details: &finding.details,
        table: cited(record, finding)
            .into_iter()
            .map(|(name, places)| (name, places.iter().map(view_place).collect()))
            .collect(),
        hints: &finding.hints,
        repeat: &finding.repeat,
        shortest: finding.shortest.as_deref(),
        // Those of a campaign are not beside the page.
        logs: finding
            .logs
            .as_ref()
            .filter(|_| !finding.more.contains_key("worker"))
            .map(|logs| log_files(record, logs))
            .unwrap_or_default(),
        finding,
    }
}

fn view_difference(difference: &Difference) -> DifferenceView<'_> {
    let Difference { variable, place, expected, observed } = difference;
    let (before, after) = in_common(expected, observed);
    let sides = [cut("expected", expected, before, after), cut("observed", observed, before, after)];
    DifferenceView { variable, place, sides }
}

fn cut<'r>(class: &'static str, text: &'r str, before: usize, after: usize) -> Side<'r> {
    let (rest, after) = text.split_at(text.len() - after);
    let (before, marked) = rest.split_at(before);
    Side { class, is_nothing: text.is_empty(), before, marked, after }
}

/// The number of bytes that two texts have in common at their beginnings and at their ends. These are whole characters
/// and do not overlap.
fn in_common(a: &str, b: &str) -> (usize, usize) {
    let same = |(x, y): &(char, char)| x == y;
    let before: usize = a.chars().zip(b.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (a, b) = (&a[before..], &b[before..]);
    let after = a.chars().rev().zip(b.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (before, after)
}

fn view_coverage<'r>(record: &'r Record, row: &'r Coverage) -> CoverageRow<'r> {
    let number = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let share_of = |n: Option<u64>| n.map_or(0.0, |n| share(n, row.n_edges));
    let width = |n: Option<u64>| format!("{:.2}", share_of(n) * 100.0);
    let places = [&record.header.places, &record.header.code].into_iter().map(|known| known.get(&row.action));
    let table = record.header.table.get(&row.action);
    CoverageRow {
        action: &row.action,
        places: places.flatten().chain(table.into_iter().flatten()).map(view_place).collect(),
        confirmed: number(row.n_confirmed),
        failed: number(row.n_failed),
        not_reached: number(row.n_not_reached()),
        edges: row.n_edges,
        percent: row.n_confirmed.map(|n| percent(share(n, row.n_edges))).unwrap_or_default(),
        bar: vec![("confirmed", width(row.n_confirmed)), ("failed", width(row.n_failed))],
    }
}

fn view_place(place: &Place) -> PlaceView<'_> {
    PlaceView {
        file: place.file.rsplit('/').next().unwrap_or_default(),
        line: place.line,
        address: place.path.as_deref().map(address),
    }
}

#[cfg(test)]
mod tests {
    use super::in_common;

    #[test]
    fn what_two_values_share_never_overlaps() {
        assert_eq!(in_common("{n1}", "{n1, n2}"), (3, 1));
        assert_eq!(in_common("aa", "aaa"), (2, 0));
        assert_eq!(in_common("é1é", "é2é"), (2, 2));
        assert_eq!(in_common("", "x"), (0, 0));
    }
}
