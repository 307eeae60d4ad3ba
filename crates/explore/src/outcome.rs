//! The results of a search without the types of the system, for people and scripts. `replay` repeats a finding.

mod replay;

use std::cell::RefCell;
use std::collections::BTreeSet;

use kilter_testbed::Trouble;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;

use crate::counts::Counts;
use crate::finding::{Finding, Wrong, is_finding};
use crate::minimise::{all_possible, minimise};
use crate::options::Options;
use crate::parts::parts;
use crate::progress::Progress;
use crate::search::{Explored, Explorer, Part};
use crate::subject::Subject;
use crate::told::{Told, tell_anyway};

/// The result of searching a part.
pub struct Searched {
    /// The progress of the search.
    pub counts: Counts,
    /// The hashes of the states, if they are counted.
    pub states: FxHashSet<u64>,
    /// Where it was when it was ended early.
    pub saved: Option<Json>,
    /// What nodes wanted in the log, and what was odd but did no harm.
    pub notes: BTreeSet<String>,
}

/// A system of any type that can be explored.
pub trait Explorable: Sync {
    /// The names of its nodes.
    fn nodes(&self) -> Vec<String>;

    /// Divides a search into about `n_wanted` parts. `goes_on` is told their number so far; when it says no, they are
    /// not divided any further.
    fn parts(
        &self,
        options: &Options,
        n_wanted: usize,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Part>, Trouble>;

    /// Searches a part. `progress` is told the findings.
    fn explore(
        &self,
        part: &Part,
        options: &Options,
        progress: &mut dyn Progress,
    ) -> Result<Searched, Trouble>;

    /// Shortens a sequence that shows what is wrong. `None` if the system behaves differently this time, or if it can't
    /// be shortened.
    fn shorten(
        &self,
        told: &Told,
        wrong: &Wrong,
        options: &Options,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<(Told, Wrong)>, Trouble>;

    /// Repeats a schedule, and then lets the system continue by itself.
    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble>;
}

/// Makes systems, as many as are needed.
pub struct Made<F>(pub F);

impl Made<()> {
    /// Makes systems by cloning one.
    pub fn boxed<S: Subject<Event: Send> + Clone + Sync + 'static>(subject: S) -> Box<dyn Explorable> {
        Box::new(Made(move || subject.clone()))
    }
}

impl<S: Subject<Event: Send>, F: Fn() -> S + Sync> Explorable for Made<F> {
    fn nodes(&self) -> Vec<String> {
        (self.0)().nodes()
    }

    fn parts(
        &self,
        options: &Options,
        n_wanted: usize,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Part>, Trouble> {
        parts(&self.0, options, n_wanted, goes_on)
    }

    fn explore(
        &self,
        part: &Part,
        options: &Options,
        progress: &mut dyn Progress,
    ) -> Result<Searched, Trouble> {
        let mut explorer = Explorer::of_part((self.0)(), options, part);
        let progress = RefCell::new(progress);
        explorer.on_finding = Some(Box::new(|told, wrong| progress.borrow_mut().found(told, wrong)));
        let explored = explorer.run_part(part, &mut Shared(&progress))?;
        let Explored { counts, states, saved, notes, .. } = explored;
        Ok(Searched { counts, states, saved, notes })
    }

    fn shorten(
        &self,
        told: &Told,
        wrong: &Wrong,
        options: &Options,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<(Told, Wrong)>, Trouble> {
        let mut subject = (self.0)();
        let Some(events) = events_of(&mut subject, &told.places)? else { return Ok(None) };
        let n_given = events.len();
        let finding = Finding { wrong: wrong.clone(), events, n_given };
        let minimal = minimise(&mut subject, &finding, options, is_interrupted);
        // A finding that could not be shortened was reported already, with everything that follows.
        if minimal.n_given >= n_given {
            return Ok(None);
        }
        let mut told = tell_anyway(&mut subject, &minimal);
        told.logs = subject.log(&told.schedule());
        Ok(Some((told, minimal.wrong)))
    }

    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble> {
        replay::replay(&self.0, places, options)
    }
}

/// The events at these indices. `None` if the system behaves differently this time.
fn events_of<S: Subject>(subject: &mut S, places: &[usize]) -> Result<Option<Vec<S::Event>>, Trouble> {
    subject.start()?;
    let mut events = Vec::new();
    for place in places {
        let Some(event) = all_possible(subject).into_iter().nth(*place) else { return Ok(None) };
        match subject.perform(&event) {
            Err(trouble) if !is_finding(&trouble) => return Err(trouble),
            _ => events.push(event),
        }
    }
    Ok((!events.is_empty()).then_some(events))
}

/// Shares one watcher between two users.
struct Shared<'s, 'p>(&'s RefCell<&'p mut dyn Progress>);

impl Progress for Shared<'_, '_> {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        self.0.borrow_mut().goes_on(counts)
    }

    fn checkpoint(&mut self, counts: &Counts, save: &dyn Fn() -> Json) {
        self.0.borrow_mut().checkpoint(counts, save);
    }
}
