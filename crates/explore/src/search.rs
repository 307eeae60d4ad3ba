//! The search. It walks along sequences, asks the strategy where to go, checks each state, and places faults.
//!
//! - `walk`   goes from one state to the next, and back
//! - `states` handles a state at which the search arrives
//! - `ends`   handles the ends of sequences
//! - `resume` continues a search that was ended early, and searches parts
//!
//! A sequence ends where the goal is reached and no fault is left to try, where nothing can happen, where it has the
//! most steps allowed, or where something is wrong. If an event reaches the goal and a fault is left, the event is
//! taken back. A fault that destroys it takes its place, and the goal is demanded again (Algorithm 1).

#![expect(clippy::disallowed_methods, reason = "measures where the time goes")]

mod ends;
mod resume;
mod states;
mod walk;

use std::collections::BTreeSet;
use std::time::Instant;

use kilter_testbed::Trouble;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use self::resume::Way;
use crate::counts::Counts;
use crate::finding::{Finding, Wrong};
use crate::minimise::Minimal;
use crate::options::{Options, Search};
use crate::path::{Choice, End, Path};
use crate::progress::Progress;
use crate::strategy::Strategy;
use crate::strategy::bfs::Bfs;
use crate::strategy::bits::PLACES_MAX;
use crate::strategy::dfs::Dfs;
use crate::strategy::dpor::Dpor;
use crate::strategy::random::{Pct, Random};
use crate::subject::{Footprint, Subject};
use crate::told::{Told, tell_anyway};
use kilter_testbed::Fault;

/// A search of one system.
pub struct Explorer<'a, S: Subject> {
    subject: S,
    options: &'a Options,
    strategy: Box<dyn Strategy<S::Event> + 'a>,
    path: Path<S::Event>,
    marks: Vec<Option<S::Mark>>,
    seen: FxHashMap<u64, Left>,
    states: FxHashSet<u64>,
    counts: Counts,
    findings: Vec<Finding<S::Event>>,
    /// The number of findings that were kept before the search was ended early and continued.
    n_earlier: usize,
    /// When the search began. It is only used to report where the time went.
    begun: Instant,
    /// Called at the end of each sequence that was not abandoned, with the state there.
    pub at_end: Option<EndHook<'a, S>>,
    /// Called with each finding that is kept, as soon as its sequence has ended.
    pub on_finding: Option<FindingHook<'a>>,
    n_told: usize,
}

/// A function that sees the end of a sequence.
pub type EndHook<'a, S> = Box<dyn FnMut(&S, &[<S as Subject>::Event], End) + 'a>;

/// A function that is told a finding.
pub type FindingHook<'a> = Box<dyn FnMut(&Told, &Wrong) + 'a>;

/// What was left when a state was seen.
#[derive(Clone, Copy)]
struct Left {
    steps: u32,
    faults: u32,
}

/// A part of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The first choices, by their indices. The part has all sequences that begin with them.
    pub below: Vec<usize>,
    /// The number of the first walk, for random searches.
    pub first_walk: u64,
    /// The number of walks, for random searches.
    pub walks: Option<u64>,
    /// Where it was when it was ended early.
    pub saved: Option<Json>,
}

impl Part {
    /// An id that no other part of any search has.
    pub fn id(&self) -> String {
        match self.walks {
            Some(walks) => format!("walks-{}-{walks}", self.first_walk),
            None if self.below.is_empty() => "all".to_owned(),
            None => self.below.iter().map(ToString::to_string).collect::<Vec<_>>().join("."),
        }
    }

    /// The part with this id. `None` if there is none.
    pub fn with_id(id: &str) -> Option<Part> {
        if id == "all" {
            return Some(Part::default());
        }
        if let Some(walks) = id.strip_prefix("walks-") {
            let (first, walks) = walks.split_once('-')?;
            let (first_walk, walks) = (first.parse().ok()?, Some(walks.parse().ok()?));
            return Some(Part { first_walk, walks, ..Part::default() });
        }
        let below: Option<Vec<usize>> = id.split('.').map(|place| place.parse().ok()).collect();
        Some(Part { below: below?, ..Part::default() })
    }
}

/// Where a sequence begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the initial state.
    Start,
    /// In the state of the last frame of the path.
    Frame,
}

/// The result of a search.
pub struct Explored<E> {
    /// The progress of the search.
    pub counts: Counts,
    /// The findings, up to the number that is kept.
    pub findings: Vec<Finding<E>>,
    /// The hashes of the states, if they are counted.
    pub states: FxHashSet<u64>,
    /// Where it was when it was ended early, to continue from there.
    pub saved: Option<Json>,
    /// What nodes wanted in the log, and what was odd but did no harm. Each once.
    pub notes: BTreeSet<String>,
}

impl<'a, S: Subject> Explorer<'a, S> {
    /// Makes a search with the strategy that the options name.
    pub fn new(subject: S, options: &'a Options) -> Explorer<'a, S>
    where
        S::Event: 'a,
    {
        Explorer::of_part(subject, options, &Part::default())
    }

    /// Makes a search of a part, to be run with [`Explorer::run_part`].
    pub fn of_part(subject: S, options: &'a Options, part: &Part) -> Explorer<'a, S>
    where
        S::Event: 'a,
    {
        let first = part.first_walk;
        let steps = options.depth * (options.faults + 1);
        let strategy: Box<dyn Strategy<S::Event>> = match options.search {
            Search::Dfs => Box::new(Dfs::default()),
            Search::Dpor => Box::new(Dpor::new(options.faults_anywhere)),
            Search::Bfs => Box::new(Bfs::default()),
            Search::Random { seed, walks } => Box::new(Random::new(seed, first, part.walks.unwrap_or(walks))),
            Search::Pct { seed, walks, bug_depth } => {
                Box::new(Pct::new(seed, first, part.walks.unwrap_or(walks), steps, bug_depth))
            }
        };
        Explorer::with_strategy(subject, options, strategy)
    }

    /// Makes a search with another strategy.
    pub fn with_strategy(
        subject: S,
        options: &'a Options,
        strategy: Box<dyn Strategy<S::Event> + 'a>,
    ) -> Explorer<'a, S> {
        Explorer {
            subject,
            options,
            strategy,
            path: Path { frames: Vec::new() },
            marks: Vec::new(),
            seen: FxHashMap::default(),
            states: FxHashSet::default(),
            counts: Counts::default(),
            findings: Vec::new(),
            n_earlier: 0,
            begun: Instant::now(),
            at_end: None,
            on_finding: None,
            n_told: 0,
        }
    }

    /// Searches until everything is explored, or until `progress` ends it.
    pub fn run(self, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        self.run_part(&Part::default(), progress)
    }

    /// Searches a part.
    pub fn run_part(
        mut self,
        part: &Part,
        progress: &mut dyn Progress,
    ) -> Result<Explored<S::Event>, Trouble> {
        let frames_max = (self.options.depth as usize + 2) * (self.options.faults as usize + 1);
        if self.options.search == Search::Dpor && frames_max > PLACES_MAX {
            let text =
                format!("the reduction keeps at most {PLACES_MAX} steps; give less depth or fewer faults");
            return Err(Trouble::Impossible(text));
        }
        self.restart()?;
        match &part.saved {
            Some(saved) => self.resume(saved, progress),
            None if part.below.is_empty() => self.search(Place::Start, progress),
            None => match self.retrace(&part.below, true)? {
                Way::Open => self.search(Place::Frame, progress),
                Way::Ended(end) => {
                    self.note_end(end)?;
                    Ok(self.explored(None))
                }
                Way::Elsewhere => Ok(self.explored(None)),
            },
        }
    }

    fn search(mut self, mut from: Place, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        loop {
            let end = self.sequence(from)?;
            self.note_end(end)?;
            let next = self.strategy.next(&self.path);
            let Some(keep) = next else { return Ok(self.explored(None)) };
            if self.options.sequences_max.is_some_and(|most| self.counts.sequences >= most)
                || !progress.goes_on(&self.counts)
            {
                let saved = self.save(keep);
                return Ok(self.explored(Some(saved)));
            }
            progress.checkpoint(&self.counts, &|| self.save(keep));
            self.go_back(keep)?;
            from = if keep > 0 { Place::Frame } else { Place::Start };
        }
    }

    /// The number of findings that are kept, with those from before the search was continued.
    fn n_findings(&self) -> usize {
        self.n_earlier + self.findings.len()
    }

    fn explored(mut self, saved: Option<Json>) -> Explored<S::Event> {
        self.counts.spent = self.subject.spent().of(self.begun.elapsed());
        // A node that is started for each sequence may say the same each time.
        let notes = self.subject.take_notes().into_iter().collect();
        Explored { counts: self.counts, findings: self.findings, states: self.states, saved, notes }
    }

    fn note_end(&mut self, end: End) -> Result<(), Trouble> {
        self.counts.depth = self.counts.depth.max(self.path.frames.len() as u64);
        if end == End::Pruned {
            self.counts.pruned += 1;
            return Ok(());
        }
        self.counts.sequences += 1;
        if let Some(hook) = &mut self.at_end {
            hook(&self.subject, &self.path.events(), end);
        }
        self.tell_findings()
    }

    /// Reports new findings. This may lead the system elsewhere, which is fine because the next sequence first goes
    /// back.
    fn tell_findings(&mut self) -> Result<(), Trouble> {
        let Some(hook) = &mut self.on_finding else { return Ok(()) };
        for finding in &self.findings[self.n_told..] {
            let mut told = tell_anyway(&mut self.subject, &Minimal::whole(finding));
            told.logs = self.subject.log(&told.schedule());
            hook(&told, &finding.wrong);
            self.subject.keep(&told.schedule())?;
        }
        self.n_told = self.findings.len();
        Ok(())
    }
}

pub(crate) fn with_natures<S: Subject>(subject: &S, events: Vec<S::Event>) -> Vec<Choice<S::Event>> {
    events.into_iter().map(|event| Choice { nature: subject.nature(&event), event }).collect()
}

/// The faults of the kinds that may happen.
fn only<S: Subject>(subject: &S, faults: Vec<S::Event>, kinds: &BTreeSet<Fault>) -> Vec<Choice<S::Event>> {
    let mut faults = with_natures(subject, faults);
    faults.retain(|fault| fault.nature.fault.is_none_or(|kind| kinds.contains(&kind)));
    faults
}

/// The faults that are possible now, if faults may happen at any place.
fn anywhere<S: Subject>(subject: &S, options: &Options) -> Vec<Choice<S::Event>> {
    let mut faults = only(subject, subject.all_faults(), &options.fault_kinds);
    for fault in &mut faults {
        fault.nature.footprint.writes |= Footprint::budget();
    }
    faults
}
