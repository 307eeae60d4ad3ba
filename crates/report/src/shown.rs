//! What the logs of a record have shown of their specification, and what none has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kilter_run::Branch;
use serde_json::{Map, Value as Json, json};

use crate::record::Record;
use crate::style::{BAD, FAINT, count, paint, plural, printable};

/// The most logs that are told one by one.
const LOGS_MAX: usize = 20;
/// The most branches that are told one by one.
const BRANCHES_MAX: usize = 20;

/// What logs have shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown<'r> {
    /// The number of logs.
    pub n_logs: usize,
    /// The actions, by name.
    pub actions: Vec<Row<'r>>,
    /// The branches of actions, in the order of the text.
    pub branches: Vec<Row<'r>>,
    /// The number of steps that are no edges of the graph. `None` if there is no graph.
    pub outside: Option<u64>,
}

/// An action or a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row<'r> {
    /// The name of the action, or the place of the branch.
    pub name: String,
    /// How the text of the branch begins. Empty for an action.
    pub text: &'r str,
    /// The number of steps in all logs.
    pub n_steps: u64,
    /// The logs that show it.
    pub logs: Vec<&'r str>,
}

impl Shown<'_> {
    /// For people: what logs show, what no log shows, and which log shows how much.
    pub(crate) fn text(&self, record: &Record) -> String {
        let mut out = String::new();
        let words = [number_shown(&self.actions, "actions"), number_shown(&self.branches, "branches")];
        _ = writeln!(out, "{} {}", self.logs_show(), words.join(" and "));
        let rows = self.actions.iter().map(|row| (printable(&row.name), row.steps_and_logs(self.n_logs)));
        write_columns(&mut out, &rows.collect::<Vec<_>>());
        let never: Vec<&Row<'_>> = self.branches.iter().filter(|row| row.logs.is_empty()).collect();
        if !never.is_empty() {
            out.push_str("branches that no log shows\n");
        }
        let rows = never.iter().map(|row| (printable(&row.name), paint(FAINT, printable(row.text))));
        write_columns(&mut out, &rows.take(BRANCHES_MAX).collect::<Vec<_>>());
        if never.len() > BRANCHES_MAX {
            _ = writeln!(out, "  and {} more", count((never.len() - BRANCHES_MAX) as u64));
        }
        if self.n_logs > 1 && self.n_logs <= LOGS_MAX {
            out.push_str("by log\n");
            let rows = record.shown.iter().map(|one| (printable(&one.case), by_log(record, one)));
            write_columns(&mut out, &rows.collect::<Vec<_>>());
        }
        if let Some(outside) = self.outside.filter(|outside| *outside > 0) {
            _ = writeln!(out, "{} no edge of the graph", plural_are(outside, "step"));
        }
        out
    }

    /// The beginning of a sentence on what the logs show.
    pub(crate) fn logs_show(&self) -> String {
        format!("{} {}", plural(self.n_logs as u64, "log"), if self.n_logs == 1 { "shows" } else { "show" })
    }

    /// For scripts: the same, with the names of all logs.
    pub(crate) fn json(&self) -> Json {
        let rows = |rows: &[Row<'_>]| -> Map<String, Json> {
            let row = |row: &Row<'_>| (row.name.clone(), json!({ "steps": row.n_steps, "logs": row.logs }));
            rows.iter().map(row).collect()
        };
        json!({ "actions": rows(&self.actions), "branches": rows(&self.branches), "outside": self.outside })
    }
}

impl Row<'_> {
    /// How many steps it has, in which of the logs.
    fn steps_and_logs(&self, n_logs: usize) -> String {
        let logs = match self.logs.as_slice() {
            [] => return paint(BAD, "never"),
            _ if n_logs == 1 => String::new(),
            [one] => format!(", only in {}", printable(one)),
            all => format!(", in {} logs", all.len()),
        };
        format!("{}{logs}", plural(self.n_steps, "step"))
    }
}

/// How many of these some log shows.
pub(crate) fn number_shown(rows: &[Row<'_>], things: &str) -> String {
    let n_shown = rows.iter().filter(|row| !row.logs.is_empty()).count();
    format!("{n_shown} of {} {things}", rows.len())
}

/// How much one log shows.
fn by_log(record: &Record, one: &kilter_run::Shown) -> String {
    let n_actions = one.actions.values().filter(|n| **n > 0).count();
    let n_branches = one.branches.iter().filter(|branch| branch.steps > 0).count();
    let mut told = format!("{n_actions} actions, {n_branches} branches");
    if let Some(outside) = one.outside {
        let case = record.cases.iter().find(|case| case.id == one.case);
        _ = write!(told, ", {} edges", case.map_or(0, |case| case.edges.len()));
        if outside > 0 {
            _ = write!(told, ", {outside} outside");
        }
    }
    told
}

fn plural_are(n: u64, thing: &str) -> String {
    format!("{} {}", plural(n, thing), if n == 1 { "is" } else { "are" })
}

/// Writes names with what is said about them, one below the other.
fn write_columns(out: &mut String, rows: &[(String, String)]) {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, told) in rows {
        let pad = " ".repeat(width - name.chars().count());
        _ = writeln!(out, "  {name}{pad}  {told}");
    }
}

/// Adds up what the logs of a record have shown. `None` if it is no record of logs.
pub fn shown(record: &Record) -> Option<Shown<'_>> {
    if record.shown.is_empty() {
        return None;
    }
    let mut actions: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    let mut branches: BTreeMap<(&str, u32, u32), Row<'_>> = BTreeMap::new();
    let mut outside = None;
    for one in &record.shown {
        for (name, n) in &one.actions {
            let row = actions.entry(name).or_insert_with(|| Row { name: name.clone(), ..Row::default() });
            row.add(*n, &one.case);
        }
        for Branch { file, line, column, text, steps } in &one.branches {
            let name = || format!("{file}:{line}:{column}");
            let row = branches.entry((file, *line, *column));
            row.or_insert_with(|| Row { name: name(), text, ..Row::default() }).add(*steps, &one.case);
        }
        if let Some(n) = one.outside {
            let sum = outside.get_or_insert(0_u64);
            *sum = sum.saturating_add(n);
        }
    }
    Some(Shown {
        n_logs: record.shown.len(),
        actions: actions.into_values().collect(),
        branches: branches.into_values().collect(),
        outside,
    })
}

impl<'r> Row<'r> {
    fn add(&mut self, n: u64, log: &'r str) {
        self.n_steps = self.n_steps.saturating_add(n);
        if n > 0 {
            self.logs.push(log);
        }
    }
}
