//! Decides what is wrong with replicas that have all synced with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kilter_run::FindingKind;

use super::history::{Edits, History};
use super::{Effect, Reading};
use crate::step::Replica;

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// All replicas show the same.
    Value,
    /// All replicas say that they have the same edits.
    Version,
    /// A replica that was saved and loaded shows the same.
    Reload,
    /// A new replica that gets all updates, the last first, shows the same.
    Replay,
    /// Elements that nobody removed are there.
    Missing,
    /// No element is there twice.
    Twice,
    /// Every element was added by an edit.
    Unknown,
    /// Keys have values that no later edit has replaced.
    Key,
    /// Counters are the sums of their changes.
    Counter,
    /// The data type neither fails nor panics.
    Failure,
}

impl Check {
    /// What is wrong, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Value => "values differ",
            Self::Version => "versions differ",
            Self::Reload => "another value after a save and a load",
            Self::Replay => "another value if updates come in another order",
            Self::Missing => "an element is missing",
            Self::Twice => "an element is there twice",
            Self::Unknown => "an element that nobody added",
            Self::Key => "a value that was replaced",
            Self::Counter => "a wrong sum",
            Self::Failure => "a failure",
        }
    }

    /// The kind of the finding.
    pub fn kind(self) -> FindingKind {
        match self {
            Self::Value | Self::Version | Self::Reload | Self::Replay => FindingKind::Differ,
            Self::Failure => FindingKind::Crash,
            _ => FindingKind::Lost,
        }
    }
}

/// What is wrong after a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What was looked at.
    pub check: Check,
    /// What was found, in a sentence.
    pub text: String,
    /// What tells its cause from others of the same check: where it panicked. Empty if nothing does.
    pub cause: String,
}

impl Flaw {
    /// Makes a flaw.
    pub fn new(check: Check, text: impl Into<String>) -> Flaw {
        Flaw { check, text: text.into(), cause: String::new() }
    }

    /// Code of the data type has failed while Kilter did something.
    pub fn failure(doing: &str, error: &str) -> Flaw {
        // A message may have numbers in it that differ each time; the place before it does not.
        let head = error.split(": ").next().unwrap_or_default();
        let cause = if head.starts_with("it panicked at") { head } else { error };
        let text = format!("{doing}: {error}");
        Flaw { check: Check::Failure, text, cause: cause.chars().take(80).collect() }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check.words(), self.text)
    }
}

/// Whether all replicas hold the same.
pub fn agree(readings: &[Reading]) -> Option<Flaw> {
    let first = readings.first()?;
    let all = |show: &dyn Fn(&Reading) -> String| {
        let each = (0u8..).map(Replica).zip(readings);
        each.map(|(name, reading)| format!("{name} has {}", show(reading))).collect::<Vec<_>>().join(", ")
    };
    if readings.iter().any(|reading| reading.value != first.value) {
        return Some(Flaw::new(Check::Value, all(&|reading| reading.value.to_string())));
    }
    let differ = readings.iter().any(|reading| reading.version != first.version);
    differ.then(|| Flaw::new(Check::Version, all(&|reading| reading.version.clone())))
}

/// Whether replicas that agree hold what was edited. `sure` are the edits that they must have; of others they may.
pub fn hold(reading: &Reading, history: &History, sure: Edits) -> Option<Flaw> {
    let counted = counters(reading, history, sure);
    let effects = || history.made().flat_map(|(_, made)| &made.effects);
    if effects().any(|effect| *effect == Effect::Anything) {
        return counted;
    }
    counted.or_else(|| elements(reading, history, sure)).or_else(|| keys(reading, history, sure))
}

fn elements(reading: &Reading, history: &History, sure: Edits) -> Option<Flaw> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for element in &reading.elements {
        *there.entry(element).or_default() += 1;
    }
    let flaw = |check, element: &str| Some(Flaw::new(check, format!("`{element}` in {}", reading.value)));
    if let Some((element, _)) = there.iter().find(|(_, n)| **n > 1) {
        return flaw(Check::Twice, element);
    }
    let effects =
        || history.made().flat_map(|(number, made)| made.effects.iter().map(move |it| (number, it)));
    let mut added = BTreeMap::new();
    let mut removed = BTreeSet::new();
    for (number, effect) in effects() {
        match effect {
            Effect::Added(element) => drop(added.insert(element.as_str(), number)),
            Effect::Removed(element) => drop(removed.insert(element.as_str())),
            _ => {}
        }
    }
    if let Some(element) = there.keys().find(|element| !added.contains_key(**element)) {
        return flaw(Check::Unknown, element);
    }
    let is_gone = |element: &&str, number: u32| {
        sure.has(number) && !removed.contains(*element) && !there.contains_key(*element)
    };
    let gone = added.iter().find(|(element, number)| is_gone(element, **number));
    gone.map(|(element, number)| {
        let text = format!("`{element}` of edit {number}, which nobody removed, is not in {}", reading.value);
        Flaw::new(Check::Missing, text)
    })
}

/// A key has the value of an edit that no other edit of the key has seen. Which of several is up to the data type.
fn keys(reading: &Reading, history: &History, sure: Edits) -> Option<Flaw> {
    let mut edits: BTreeMap<&str, Vec<(u32, Option<&str>)>> = BTreeMap::new();
    for (number, made) in history.made() {
        for effect in &made.effects {
            if let Effect::Set { key, value } = effect {
                edits.entry(key).or_default().push((number, value.as_deref()));
            }
        }
    }
    let after = |number: u32| history.made().nth(number as usize).map(|(_, made)| made.after);
    for (key, edits) in edits {
        let is_replaced = |number: u32| {
            let mut later = edits.iter().filter(|(other, _)| sure.has(*other));
            later.any(|(other, _)| after(*other).is_some_and(|after| after.has(number)))
        };
        let mut possible: Vec<Option<&str>> =
            edits.iter().filter(|(number, _)| !is_replaced(*number)).map(|(_, value)| *value).collect();
        if !edits.iter().any(|(number, _)| sure.has(*number)) {
            possible.push(None);
        }
        let has = reading.keys.get(key).map(String::as_str);
        if !possible.contains(&has) {
            let show = |value: Option<&str>| value.unwrap_or("no value").to_owned();
            let possible: Vec<String> = possible.into_iter().map(show).collect();
            let text = format!("`{key}` has {}, and should have {}", show(has), possible.join(" or "));
            return Some(Flaw::new(Check::Key, text));
        }
    }
    None
}

fn counters(reading: &Reading, history: &History, sure: Edits) -> Option<Flaw> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for (number, made) in history.made() {
        for effect in &made.effects {
            if let Effect::Counted { counter, by } = effect {
                // What became of this edit is not known.
                if !sure.has(number) {
                    return None;
                }
                *sums.entry(counter).or_default() += by;
            }
        }
    }
    let has = |counter: &str| reading.counters.get(counter).copied().unwrap_or(0);
    let (counter, sum) = sums.into_iter().find(|(counter, sum)| has(counter) != *sum)?;
    let text = format!("`{counter}` is {}, and its changes give {sum}", has(counter));
    Some(Flaw::new(Check::Counter, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Replica = Replica(0);
    const B: Replica = Replica(1);

    fn set(key: &str, value: Option<&str>) -> Effect {
        Effect::Set { key: key.to_owned(), value: value.map(str::to_owned) }
    }

    fn check(history: &History, reading: &Reading) -> Option<Check> {
        let sure = history.clone().converged();
        hold(reading, history, sure).map(|flaw| flaw.check)
    }

    #[test]
    fn elements_are_there_once() {
        let mut history = History::new(2, vec![Effect::Added("base".to_owned())]);
        history.edited(A, Vec::new(), vec![Effect::Added("x".to_owned())]);
        history.edited(B, Vec::new(), vec![Effect::Removed("base".to_owned())]);
        let has = |elements: &[&str]| Reading {
            elements: elements.iter().map(|&element| element.to_owned()).collect(),
            ..Reading::default()
        };
        assert_eq!(check(&history, &has(&["x"])), None);
        assert_eq!(check(&history, &has(&["x", "base"])), None);
        assert_eq!(check(&history, &has(&[])), Some(Check::Missing));
        assert_eq!(check(&history, &has(&["x", "x"])), Some(Check::Twice));
        assert_eq!(check(&history, &has(&["x", "y"])), Some(Check::Unknown));
    }

    #[test]
    fn a_key_has_what_nobody_replaced() {
        let mut history = History::new(2, Vec::new());
        history.edited(A, Vec::new(), vec![set("k", Some("1"))]);
        history.pulled(B, A);
        history.edited(B, Vec::new(), vec![set("k", Some("2"))]);
        history.edited(A, Vec::new(), vec![set("k", None)]);
        let has = |value: Option<&str>| Reading {
            keys: value.map(|value| ("k".to_owned(), value.to_owned())).into_iter().collect(),
            ..Reading::default()
        };
        assert_eq!(check(&history, &has(Some("2"))), None);
        assert_eq!(check(&history, &has(None)), None);
        assert_eq!(check(&history, &has(Some("1"))), Some(Check::Key));
    }

    #[test]
    fn counters_are_sums() {
        let mut history = History::new(2, Vec::new());
        let count = |by| vec![Effect::Counted { counter: "n".to_owned(), by }];
        history.edited(A, Vec::new(), count(2));
        history.edited(B, Vec::new(), count(-1));
        let has =
            |n: i64| Reading { counters: [("n".to_owned(), n)].into_iter().collect(), ..Reading::default() };
        assert_eq!(check(&history, &has(1)), None);
        assert_eq!(check(&history, &has(3)), Some(Check::Counter));
    }
}
