//! Which threads of a Java system do something that no action covers: plays cases for a while, and asks the agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Context as _, Error, Tried};
use crate::explore::{self, ExploreOptions};
use crate::host::Host;
use crate::java;
use crate::run::{Ended, RunOptions};
use crate::test::{self, TestOptions};

/// The variable that tells the agent where to write what it has seen.
const VARIABLE: &str = "KILTER_COVERAGE";

/// What was seen.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// The number of cases, or parts of a search, that were played.
    pub cases: u64,
    /// The threads, those of the same kind together.
    pub threads: Vec<Threads>,
}

/// Threads whose names differ in numbers only, in all nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threads {
    /// Their name, with `*` for numbers.
    pub name: String,
    /// Whether a step lasts until they wait.
    pub covered: bool,
    /// The actions that they have offered.
    pub actions: BTreeSet<String>,
    /// If they are not covered: where in the system they were after they had run: its first method.
    pub places: BTreeSet<String>,
    /// The processor time that they took after the start of the system, in microseconds.
    pub micros: u64,
}

impl Threads {
    /// Whether they do what no action covers.
    pub fn is_uncovered(&self) -> bool {
        !self.covered && !self.places.is_empty()
    }
}

/// Plays cases of a mapping, or searches as a configuration says, for this long.
pub fn run(config: &Path, time_max: Duration, host: &mut Host) -> Result<Coverage, Error> {
    Ok(play(config, time_max, host)?)
}

fn play(config: &Path, time_max: Duration, host: &mut Host) -> Tried<Coverage> {
    // The record of a whole run must not be touched.
    let folder = tempfile::tempdir().context("no folder can be made for what the agent sees")?;
    host.env.push((VARIABLE.to_owned(), folder.path().display().to_string()));
    let report = Some(folder.path().join("run"));
    let run = RunOptions { time_max: Some(time_max), report, ..RunOptions::default() };
    let ended = if explore::is_search(config) {
        explore::run_here(&ExploreOptions { run, ..ExploreOptions::of(config) }, host)?
    } else {
        test::run_here(&TestOptions { run, ..TestOptions::of(config) }, host)?
    };
    let cases = match &ended {
        Ended::Ran(ran) => match ran.not_runnable() {
            Some(why) => return Err(why.into()),
            None => ran.n_cases(),
        },
        Ended::Said { .. } => 0,
    };
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder.path()).context("what the agent has seen can't be read")? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let text = std::fs::read(&path)?;
            all.extend(
                serde_json::from_slice::<Vec<Threads>>(&text)
                    .context("the agent has written no list of threads")?,
            );
        }
    }
    if all.is_empty() {
        let why = "the agent has written nothing: is this a Java system, with {agent} in its command?";
        return Err(why.into());
    }
    let names = |pattern: &str| all.iter().any(|thread| fits(pattern, &thread.name));
    for pattern in java::thread_patterns(config).iter().filter(|pattern| !names(pattern)) {
        host.watch.say(&format!("note: `{pattern}` of `threads` is the name of no thread that was seen\n"));
    }
    Ok(Coverage { cases, threads: kinds(all) })
}

/// Whether a thread is called so. `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, rest)) => name.strip_prefix(begin).is_some_and(|name| {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| fits(rest, &name[at..]))
        }),
    }
}

/// Puts threads of one kind together.
fn kinds(all: Vec<Threads>) -> Vec<Threads> {
    let mut kinds: BTreeMap<String, Threads> = BTreeMap::new();
    for thread in all {
        let name = kind(&thread.name);
        let known = kinds.entry(name.clone()).or_insert_with(|| Threads {
            name,
            covered: false,
            actions: BTreeSet::new(),
            places: BTreeSet::new(),
            micros: 0,
        });
        known.covered |= thread.covered;
        known.actions.extend(thread.actions);
        known.places.extend(thread.places);
        known.micros += thread.micros;
    }
    kinds.into_values().collect()
}

/// The name with `*` for each number.
fn kind(name: &str) -> String {
    let mut kind = String::new();
    for c in name.chars() {
        match c {
            '0'..='9' if kind.ends_with('*') => {}
            '0'..='9' => kind.push('*'),
            other => kind.push(other),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_with_any_text_for_stars() {
        for (pattern, name) in
            [("Main", "Main"), ("Worker-*", "Worker-"), ("*:*", "Sync:1"), ("a*c*c", "abcdc"), ("**", "")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("Main", "Main2"), ("Worker-*", "Work"), ("a*c", "abcd"), ("", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn threads_of_one_kind_come_together() {
        let thread = |name: &str, covered, action: &str, place: &str| Threads {
            name: name.to_owned(),
            covered,
            actions: [action].into_iter().filter(|action| !action.is_empty()).map(str::to_owned).collect(),
            places: [place].into_iter().filter(|place| !place.is_empty()).map(str::to_owned).collect(),
            micros: 5,
        };
        let all = vec![
            thread("Worker-1", true, "Take", ""),
            thread("Worker-12", true, "Put", ""),
            thread("Sender:2", false, "", "Sender.run"),
            thread("Cleaner", false, "", ""),
        ];
        let kinds = kinds(all);
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["Cleaner", "Sender:*", "Worker-*"]);
        assert_eq!(kinds.iter().map(Threads::is_uncovered).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!((kinds[2].actions.len(), kinds[2].micros), (2, 10));
    }
}
