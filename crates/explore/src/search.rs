//! The one search: walks along sequences, asks the strategy where to go, looks at each state, places faults.
//!
//! A sequence ends where the goal is reached (and no fault is left to try), where nothing can happen, where it is as long as it may be,
//! or where something is wrong. Where an event reaches the goal and a fault is left, the event is taken back, a fault that destroys
//! it comes instead, and the goal is demanded again (Algorithm 1).

mod ends;
mod states;

use kilter_testbed::Trouble;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::finding::{Finding, Wrong};
use crate::options::{Counts, Options, Progress, Search};
use crate::path::{Choice, End, Frame, Path};
use crate::strategy::Strategy;
use crate::strategy::bfs::Bfs;
use crate::strategy::bits::PLACES_MAX;
use crate::strategy::dfs::Dfs;
use crate::strategy::dpor::Dpor;
use crate::strategy::random::{Pct, Random};
use crate::subject::{Footprint, Subject};

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
    /// Called at the end of each sequence that has not been given up, with the state there.
    pub at_end: Option<EndHook<'a, S>>,
}

/// Looks at where a sequence ended.
pub type EndHook<'a, S> = Box<dyn FnMut(&S, &[<S as Subject>::Event], End) + 'a>;

/// What a state had left when it was seen.
#[derive(Clone, Copy)]
struct Left {
    steps: u32,
    faults: u32,
}

/// A part of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// All that begins with these choices, by their places; what begins with others is explored elsewhere.
    pub below: Vec<usize>,
    /// The number of the first walk of random searches.
    pub first_walk: u64,
    /// How many walks.
    pub walks: Option<u64>,
    /// Where it was when it was ended early.
    pub saved: Option<Json>,
}

/// Where a sequence begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start.
    Start,
    /// At the last frame of the path.
    Frame,
}

/// Where given choices led.
enum Way {
    /// To a frame.
    Open,
    /// To the end of the sequence.
    Ended(End),
    /// To what is explored elsewhere.
    Elsewhere,
}

/// What a search has found.
pub struct Explored<E> {
    /// How far it has come.
    pub counts: Counts,
    /// What is wrong; at most as many as wanted.
    pub findings: Vec<Finding<E>>,
    /// The states, as hashes, if they are counted.
    pub states: FxHashSet<u64>,
    /// Where it was when it was ended early, to go on from there.
    pub saved: Option<Json>,
}

impl<'a, S: Subject> Explorer<'a, S> {
    /// A search as the options want it.
    pub fn new(subject: S, options: &'a Options) -> Explorer<'a, S>
    where
        S::Event: 'a,
    {
        Explorer::of_part(subject, options, &Part::default())
    }

    /// A search of a part, to be run with [`Explorer::run_part`].
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

    /// A search with a strategy of one's own.
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
            at_end: None,
        }
    }

    /// Searches until all is done, or until `progress` wants no more.
    pub fn run(self, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        self.run_part(&Part::default(), progress)
    }

    /// Searches a part of all.
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
                    self.note_end(end);
                    Ok(self.explored(None))
                }
                Way::Elsewhere => Ok(self.explored(None)),
            },
        }
    }

    /// How many choices there are where these lead; `None` if the sequence ends before.
    pub fn n_choices(mut self, places: &[usize]) -> Result<Option<usize>, Trouble> {
        self.restart()?;
        let way = self.retrace(places, false)?;
        let n_choices = self.path.frames.last().map(|frame| frame.choices.len());
        Ok(n_choices.filter(|_| matches!(way, Way::Open)))
    }

    fn search(mut self, mut from: Place, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        loop {
            let end = self.sequence(from)?;
            self.note_end(end);
            let next = self.strategy.next(&self.path);
            let Some(keep) = next else { return Ok(self.explored(None)) };
            if self.options.sequences_max.is_some_and(|most| self.counts.sequences >= most)
                || !progress.goes_on(&self.counts)
            {
                let saved = self.save(keep);
                return Ok(self.explored(Some(saved)));
            }
            self.go_back(keep)?;
            from = if keep > 0 { Place::Frame } else { Place::Start };
        }
    }

    fn explored(mut self, saved: Option<Json>) -> Explored<S::Event> {
        self.counts.busy = self.subject.busy();
        Explored { counts: self.counts, findings: self.findings, states: self.states, saved }
    }

    /// Goes on from where [`Explorer::save`] was.
    fn resume(mut self, saved: &Json, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        let unknown = || Trouble::Impossible("what was saved is not of this search".to_owned());
        let places: Vec<usize> = serde_json::from_value(saved["path"].clone()).map_err(|_| unknown())?;
        let at_frame = saved["frame"].as_bool().ok_or_else(unknown)?;
        if at_frame && !matches!(self.retrace(&places, false)?, Way::Open) {
            return Err(unknown());
        }
        if !self.strategy.load(&self.path, &saved["strategy"]) {
            return Err(unknown());
        }
        self.search(if at_frame { Place::Frame } else { Place::Start }, progress)
    }

    /// Makes given choices from the start. If they are `fixed`, those before and after each of them are explored elsewhere.
    fn retrace(&mut self, places: &[usize], fixed: bool) -> Result<Way, Trouble> {
        let mut end = self.begin();
        for place in places {
            if let Some(end) = end {
                return Ok(Way::Ended(end));
            }
            let frame = self.path.frames.last().filter(|frame| *place < frame.choices.len());
            if frame.is_none() || (fixed && !self.strategy.fix(&self.path, *place)) {
                return Ok(Way::Elsewhere);
            }
            end = match self.perform(*place) {
                Ok(()) => self.look()?,
                Err(trouble) => Some(self.broken(&trouble)?),
            };
        }
        Ok(end.map_or(Way::Open, Way::Ended))
    }

    fn note_end(&mut self, end: End) {
        self.counts.depth = self.counts.depth.max(self.path.frames.len() as u64);
        if end == End::Pruned {
            self.counts.pruned += 1;
            return;
        }
        self.counts.sequences += 1;
        if let Some(hook) = &mut self.at_end {
            hook(&self.subject, &self.path.events(), end);
        }
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        self.path.frames.clear();
        self.marks.clear();
        self.subject.start()
    }

    /// Back to where the choice of the last of the first `keep` frames was made.
    fn go_back(&mut self, keep: usize) -> Result<(), Trouble> {
        let Some(last) = keep.checked_sub(1) else { return self.restart() };
        self.path.frames.truncate(keep);
        self.marks.truncate(keep);
        let frame = &mut self.path.frames[last];
        frame.chosen = None;
        frame.undone = false;
        if let Some(mark) = &self.marks[last] {
            self.subject.restore(mark);
            return Ok(());
        }
        self.subject.start()?;
        for event in self.path.events() {
            self.counts.events += 1;
            self.subject.perform(&event)?;
        }
        Ok(())
    }

    /// Goes on to the end of a sequence.
    fn sequence(&mut self, from: Place) -> Result<End, Trouble> {
        if from == Place::Start
            && let Some(end) = self.begin()
        {
            return Ok(end);
        }
        loop {
            let Some(chosen) = self.strategy.choose(&self.path) else {
                self.strategy.ended(&self.path, End::Pruned, &[], &[]);
                return Ok(End::Pruned);
            };
            let end = match self.perform(chosen) {
                Ok(()) => self.look()?,
                Err(trouble) => Some(self.broken(&trouble)?),
            };
            if end.is_some() {
                return Ok(end.unwrap_or(End::Violated));
            }
        }
    }

    /// Looks at the state after the start.
    fn begin(&mut self) -> Option<End> {
        if let Some(property) = self.subject.violated() {
            return Some(self.record(Wrong::Unsafe { property }, Vec::new()));
        }
        if self.subject.reached() == Some(true) { Some(End::Reached) } else { self.arrive() }
    }

    /// Makes the chosen event happen, and notes what it touched.
    fn perform(&mut self, chosen: usize) -> Result<(), Trouble> {
        let last = self.path.frames.len() - 1;
        let frame = &mut self.path.frames[last];
        frame.chosen = Some(chosen);
        let Choice { event, nature } = &frame.choices[chosen];
        frame.touched = nature.footprint;
        let before = self.subject.sight();
        self.counts.events += 1;
        let result = self.subject.perform(event);
        if self.subject.sight() != before {
            frame.touched.writes |= Footprint::seen();
        }
        self.strategy.performed(&self.path);
        result
    }

    /// Looks at the state after an event: the end of the sequence, or a new frame.
    fn look(&mut self) -> Result<Option<End>, Trouble> {
        if let Some(property) = self.subject.violated() {
            return Ok(Some(self.wrong(Wrong::Unsafe { property })));
        }
        if self.subject.reached() != Some(true) {
            return Ok(self.arrive());
        }
        self.close(End::Reached);
        let last = self.path.frames.len() - 1;
        let frame = &self.path.frames[last];
        // What a fault itself reaches, another fault could not have prevented.
        if frame.critical || frame.faults >= self.options.faults || self.options.faults_anywhere {
            return Ok(Some(End::Reached));
        }
        let faults = frame.chosen.map(|chosen| self.subject.faults(&frame.choices[chosen].event));
        match faults {
            Some(faults) if !faults.is_empty() => self.destroy(faults).map(|()| None),
            _ => Ok(Some(End::Reached)),
        }
    }

    /// Takes the last event back, and makes a choice of the faults that destroy it.
    fn destroy(&mut self, faults: Vec<S::Event>) -> Result<(), Trouble> {
        let last = self.path.frames.len() - 1;
        let chosen = self.path.frames[last].chosen;
        self.go_back(last + 1)?;
        let frame = &mut self.path.frames[last];
        frame.chosen = chosen;
        frame.undone = true;
        let next = Frame {
            choices: with_natures(&self.subject, faults),
            stand_ins: Vec::new(),
            blocked: Vec::new(),
            critical: true,
            chosen: None,
            touched: Footprint::default(),
            undone: false,
            depth: frame.depth,
            faults: frame.faults,
            waits: frame.waits.clone(),
        };
        self.push(next);
        Ok(())
    }

    /// A new frame, about the state that the system is in.
    fn push(&mut self, frame: Frame<S::Event>) {
        self.marks.push(self.subject.mark());
        self.path.frames.push(frame);
        self.strategy.enter(&self.path);
    }

    fn save(&self, keep: usize) -> Json {
        let chosen: Vec<Option<usize>> = self.path.frames[..keep].iter().map(|frame| frame.chosen).collect();
        // The last frame's choice is the next to be made.
        let places = &chosen[..keep.saturating_sub(1)];
        serde_json::json!({ "path": places, "frame": keep > 0, "strategy": self.strategy.save(&self.path) })
    }
}

pub(crate) fn with_natures<S: Subject>(subject: &S, events: Vec<S::Event>) -> Vec<Choice<S::Event>> {
    events.into_iter().map(|event| Choice { nature: subject.nature(&event), event }).collect()
}
