//! The record of a log that was followed, and the page that is made from it.

use std::collections::BTreeMap;
use std::path::Path;

use kilter_conform::record::{actions_of_edges, edges_by_action};
use kilter_follow::search::Stuck;
use kilter_follow::step::Mismatch;
use kilter_follow::why::{Why, Wrong};
use kilter_follow::{Outcome, Verdict};
use kilter_graph::fingerprint;
use kilter_report::Building;
use kilter_report::style::unstyled;
use kilter_run::{
    Branch, Case, Counters, Detail, Difference, Event, FORMAT, Finding, FindingKind, Header, Journal, Shown,
    Sink as _, VERSION, Verb, when,
};

use super::edges::Walk;
use crate::error::Tried;
use crate::graphs::content;
use crate::prepare::Prepared;
use crate::reports;
use crate::show::follow::{Followed, at_fault};
use crate::show::lanes::Lanes;
use crate::test::places;

/// The most characters of a branch that are told.
const TEXT_MAX: usize = 60;

/// A log that was followed, with what its record says besides.
pub(super) struct Recorded<'r> {
    /// The result.
    pub(super) followed: &'r Followed<'r>,
    /// The name of the log.
    pub(super) log: String,
    /// The path of the mapping, as the user named it.
    pub(super) config: String,
    /// The line that repeats it.
    pub(super) repeat: String,
    /// The edges that were walked, if there is a graph.
    pub(super) walk: Option<&'r Walk>,
}

impl Recorded<'_> {
    /// Writes the record, the page and the XML into a folder.
    pub(super) fn write(&self, folder: &Path) -> Tried<()> {
        let header = self.header(folder);
        let mut journal = Journal::create(folder, &header, &[])?;
        let mut building = Building::new(header);
        for event in self.events() {
            journal.event(&event);
            building.add(event);
        }
        journal.check()?;
        Ok(reports::write(&building.finish(), folder)?)
    }

    fn prepared(&self) -> &Prepared {
        self.followed.prepared
    }

    fn outcome(&self) -> &Outcome {
        self.followed.outcome
    }

    fn header(&self, folder: &Path) -> Header {
        let graph = self.walk.map(Walk::graph);
        let prepared = self.prepared();
        let actions: Vec<String> = self.followed.taken().into_iter().map(|(name, _)| name).collect();
        let run =
            [Some(content(&prepared.loaded)), graph.map(|graph| format!("{:016x}", fingerprint(graph)))];
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            verb: Verb::Follow,
            config: self.config.clone(),
            spec: prepared.input.spec.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            run: run.into_iter().flatten().collect::<Vec<_>>().join("-"),
            states: graph.map_or(0, |graph| graph.n_states() as u64),
            edges: graph.map(edges_by_action).unwrap_or_default(),
            places: places::of_actions(&prepared.loaded, actions.iter().map(String::as_str), folder),
            table: places::in_table(&prepared.mapping, &prepared.path, &prepared.text, folder),
            nodes: prepared.mapping.words.nodes().iter().map(|(name, _)| name.clone()).collect(),
            cases: 1,
            started_s: when::now(),
            ..Header::default()
        }
    }

    fn events(&self) -> Vec<Event> {
        let finding = self.finding();
        let (outcome, seconds) = (self.outcome(), self.followed.seconds);
        let passed = self.followed.is_accepted();
        let not_run =
            (!passed && finding.is_none()).then(|| unstyled(&self.followed.headline()).trim_end().to_owned());
        let sums = [("lines".to_owned(), outcome.lines), ("explained".to_owned(), outcome.explained)];
        let case = Case {
            id: self.log.clone(),
            passed,
            steps: self.followed.taken().iter().map(|(_, n)| n).sum(),
            edges: self.walk.map(|walk| walk.edges().iter().copied().collect()).unwrap_or_default(),
            ms: seconds * 1000.0,
            not_run,
            counters: Counters { sums: sums.into_iter().collect(), ..Counters::default() },
            ..Case::default()
        };
        let mut events: Vec<Event> =
            self.walk.map(|walk| actions_of_edges(walk.graph())).into_iter().collect();
        events.push(Event::Shown(Box::new(self.shown(finding.is_none()))));
        events.extend(finding.map(|finding| Event::Finding(Box::new(finding))));
        events.push(Event::Case(Box::new(case)));
        events.push(Event::Finished { seconds });
        events
    }

    fn lanes(&self) -> Lanes<'_> {
        Lanes { prepared: self.prepared(), store: &self.outcome().store }
    }

    /// What the log shows. The last steps are told here if no finding has them.
    fn shown(&self, with_path: bool) -> Shown {
        let (lanes, path) = (self.lanes(), &self.outcome().path);
        let first = path.first().filter(|_| with_path);
        Shown {
            case: self.log.clone(),
            actions: self.followed.taken().into_iter().collect(),
            branches: branches(self.prepared(), &self.outcome().coverage.blocks()),
            outside: self.walk.map(Walk::n_outside),
            initial: first.map(|first| lanes.state(&first.row)).unwrap_or_default(),
            path: if with_path { lanes.path(path) } else { Vec::new() },
        }
    }

    /// The line that no behavior explains. `None` if there is none.
    fn finding(&self) -> Option<Finding> {
        let Verdict::Rejected(stuck) = &self.outcome().verdict else { return None };
        if self.followed.is_accepted() {
            return None;
        }
        let (at_fault, _) = at_fault(stuck);
        let first = at_fault.first()?;
        let nearest = first.why.first();
        let kind = match nearest.map(|why| &why.wrong) {
            Some(Wrong::Before(_) | Wrong::After(..)) => FindingKind::InconsistentState,
            _ => FindingKind::UnexpectedAction,
        };
        let differences = self.differences(nearest);
        let mut variables: Vec<String> = differences.iter().map(|one| one.variable.clone()).collect();
        variables.dedup();
        let lanes = self.lanes();
        let mut path = lanes.path(&self.outcome().path);
        path.push(lanes.refused(&first.demand, nearest));
        let action = nearest.map_or(&first.demand.event, |why| &why.action).clone();
        let mut group = format!("{} {action}", kind.name());
        if !variables.is_empty() {
            group = format!("{group}: {}", variables.join(", "));
        }
        let initial = self.outcome().path.first().map(|first| lanes.state(&first.row));
        Some(Finding {
            kind,
            case: self.log.clone(),
            step: path.len() as u32,
            edge: None,
            action,
            variables,
            summary: unstyled(&self.followed.headline()).trim_end().to_owned(),
            differences,
            offers: Vec::new(),
            details: self.details(&at_fault),
            initial: initial.unwrap_or_default(),
            path,
            given: None,
            stable: None,
            shortest: None,
            stands_for: None,
            group,
            hints: Vec::new(),
            repeat: self.repeat.clone(),
            logs: None,
            more: serde_json::Map::new(),
        })
    }

    /// The lines, each with what is in its way.
    fn details(&self, at_fault: &[&Stuck]) -> Vec<Detail> {
        let detail = |one: &&Stuck| {
            let mut text = String::new();
            self.followed.stuck(&mut text, one);
            let text = unstyled(text.trim_start());
            let (place, text) = text.split_once('\n').unwrap_or((&text, ""));
            Detail { title: place.to_owned(), text: text.trim_end().to_owned() }
        };
        at_fault.iter().map(detail).collect()
    }

    fn differences(&self, why: Option<&Why>) -> Vec<Difference> {
        let Some(Wrong::Before(mismatches) | Wrong::After(mismatches, _)) = why.map(|why| &why.wrong) else {
            return Vec::new();
        };
        let store = &self.outcome().store;
        let difference = |mismatch: &Mismatch| {
            let (variable, expected, observed) = match mismatch {
                Mismatch::Value { what, node, specified, logged } => {
                    let specified = specified.map(|value| store.show(value)).unwrap_or_default();
                    (self.followed.looked_at(*what, *node), specified, store.show(*logged))
                }
                Mismatch::NotLogged(message) => {
                    ("message sent".to_owned(), store.show(*message), String::new())
                }
                Mismatch::NotSent(message) => {
                    ("message sent".to_owned(), String::new(), store.show(*message))
                }
                Mismatch::Invariant(index) => {
                    let name = self.prepared().program.invariants[*index].name.to_string();
                    (name, "TRUE".to_owned(), "FALSE".to_owned())
                }
            };
            let (variable, place) = variable.split_once('[').unwrap_or((&variable, ""));
            let place = if place.is_empty() { String::new() } else { format!("[{place}") };
            Difference { variable: variable.to_owned(), place, expected, observed }
        };
        mismatches.iter().map(difference).collect()
    }
}

/// The branches of a specification, with the number of steps through each.
fn branches(prepared: &Prepared, taken: &BTreeMap<u32, u64>) -> Vec<Branch> {
    let (program, sources) = (&prepared.program, &prepared.loaded.sources);
    // An action that occurs in Next several times has each of its branches as often.
    let mut branches: BTreeMap<(String, u32, u32), Branch> = BTreeMap::new();
    for (index, origin) in program.blocks.iter().enumerate() {
        let span = program.origins.span(*origin);
        let file = sources.file(span.file);
        let position = file.position(span.start);
        let name = Path::new(&file.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (line, column) = (position.line, position.column);
        let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let branch = branches.entry((name.clone(), line, column)).or_insert_with(|| Branch {
            file: name,
            line,
            column,
            text: beginning(text),
            steps: 0,
        });
        branch.steps += taken.get(&(index as u32)).copied().unwrap_or(0);
    }
    branches.into_values().collect()
}

/// The beginning of a text, in one line.
fn beginning(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
