//! The one search: walks along sequences, asks the strategy where to go, looks at each state, places faults.
//!
//! A sequence ends where the goal is reached (and no fault is left to try), where nothing can happen, where it is as long as it may be,
//! or where something is wrong. Where an event reaches the goal and a fault is left, the event is taken back, a fault that destroys
//! it comes instead, and the goal is demanded again (Algorithm 1).

use kilter_testbed::Trouble;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use crate::extend::{Extended, extend};
use crate::finding::{Finding, Wrong, is_finding};
use crate::options::{Counts, Options, Progress, Search};
use crate::path::{Choice, End, Frame, Path};
use crate::strategy::Strategy;
use crate::strategy::bfs::Bfs;
use crate::strategy::bits::PLACES_MAX;
use crate::strategy::dfs::Dfs;
use crate::strategy::dpor::Dpor;
use crate::strategy::random::{Pct, Random};
use crate::subject::{Footprint, Subject};
use crate::waiting;

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

/// What a search has found.
pub struct Explored<E> {
    /// How far it has come.
    pub counts: Counts,
    /// What is wrong; at most as many as wanted.
    pub findings: Vec<Finding<E>>,
    /// Where it was when it was ended early, to go on from there.
    pub saved: Option<Json>,
}

impl<'a, S: Subject> Explorer<'a, S> {
    /// A search as the options want it.
    pub fn new(subject: S, options: &'a Options) -> Explorer<'a, S>
    where
        S::Event: 'a,
    {
        let steps = options.depth * (options.faults + 1);
        let strategy: Box<dyn Strategy<S::Event>> = match options.search {
            Search::Dfs => Box::new(Dfs::default()),
            Search::Dpor => Box::new(Dpor::new(options.faults_anywhere)),
            Search::Bfs => Box::new(Bfs::default()),
            Search::Random { seed, walks } => Box::new(Random::new(seed, 0, walks)),
            Search::Pct { seed, walks, bug_depth } => Box::new(Pct::new(seed, 0, walks, steps, bug_depth)),
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
    pub fn run(mut self, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        let frames_max = (self.options.depth as usize + 2) * (self.options.faults as usize + 1);
        if self.options.search == Search::Dpor && frames_max > PLACES_MAX {
            let text =
                format!("the reduction keeps at most {PLACES_MAX} steps; give less depth or fewer faults");
            return Err(Trouble::Impossible(text));
        }
        self.restart()?;
        self.search(progress)
    }

    fn search(mut self, progress: &mut dyn Progress) -> Result<Explored<S::Event>, Trouble> {
        let mut keep = 0;
        let mut saved = None;
        loop {
            let end = self.sequence(keep > 0)?;
            self.note_end(end);
            if self.options.sequences_max.is_some_and(|most| self.counts.sequences >= most)
                || !progress.goes_on(&self.counts)
            {
                saved = self.strategy.next(&self.path).map(|keep| self.save(keep));
                break;
            }
            match self.strategy.next(&self.path) {
                Some(next) => keep = next,
                None => break,
            }
            self.go_back(keep)?;
        }
        Ok(Explored { counts: self.counts, findings: self.findings, saved })
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

    /// Goes on to the end of a sequence: from a frame that is there already, or from a state that has none yet.
    fn sequence(&mut self, at_frame: bool) -> Result<End, Trouble> {
        if !at_frame && let Some(end) = self.begin() {
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
        self.marks.push(self.subject.mark());
        self.path.frames.push(next);
        Ok(())
    }

    /// At a state for the first time: its frame, unless the sequence ends here.
    fn arrive(&mut self) -> Option<End> {
        let (depth, faults) = self.progress_so_far();
        let events = self.subject.enabled();
        let fingerprint = self.fingerprint();
        let may_break = self.options.faults_anywhere && faults < self.options.faults;
        // Where nothing can happen and nothing is wrong, something can still break.
        if events.is_empty() && (!may_break || self.subject.reached() == Some(false)) {
            return Some(self.quiet());
        }
        if depth >= self.options.depth {
            return Some(self.cut());
        }
        if self.was_seen(fingerprint, depth, faults) {
            self.strategy.ended(&self.path, End::Pruned, &[], &[]);
            return Some(End::Pruned);
        }
        let mut choices = with_natures(&self.subject, events);
        let waits = waiting::advance(&self.path, &choices, self.subject.n_nodes());
        waiting::sort(&mut choices, &waits);
        let stand_ins = self.reduce(&mut choices);
        if may_break {
            choices.extend(with_natures(&self.subject, self.subject.all_faults()));
        }
        self.marks.push(self.subject.mark());
        self.path.frames.push(Frame {
            choices,
            stand_ins,
            blocked: with_natures(&self.subject, self.subject.blocked()),
            critical: false,
            chosen: None,
            touched: Footprint::default(),
            undone: false,
            depth,
            faults,
            waits,
        });
        None
    }

    /// Steps since the last fault, and faults, at the state after the path.
    fn progress_so_far(&self) -> (u32, u32) {
        let Some(frame) = self.path.frames.last() else { return (0, 0) };
        let broke = frame.taken().is_some_and(|choice| choice.nature.kind == crate::subject::Kind::Fault);
        if broke { (0, frame.faults + 1) } else { (frame.depth + 1, frame.faults) }
    }

    fn fingerprint(&mut self) -> Option<u64> {
        if !self.options.matching && !self.options.count_states {
            return None;
        }
        let fingerprint = self.subject.fingerprint()?;
        self.states.insert(fingerprint);
        self.counts.states = self.states.len() as u64;
        Some(fingerprint)
    }

    /// Whether the state was seen with at least as much left.
    fn was_seen(&mut self, fingerprint: Option<u64>, depth: u32, faults: u32) -> bool {
        if !self.options.matching || !self.strategy.may_match(&self.path) {
            return false;
        }
        let Some(fingerprint) = fingerprint else { return false };
        let left = Left { steps: self.options.depth - depth, faults: self.options.faults - faults };
        // The same state with other faults left is another one.
        let key = fingerprint ^ u64::from(left.faults).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.seen.get(&key) {
            Some(seen) if seen.steps >= left.steps && seen.faults >= left.faults => true,
            _ => {
                self.seen.insert(key, left);
                false
            }
        }
    }

    /// Of events on peers keeps the one that has waited longest (Algorithm 4); what stands for what.
    fn reduce(&mut self, choices: &mut Vec<Choice<S::Event>>) -> Vec<(Choice<S::Event>, usize)> {
        let Some(wanted) = self.options.peers else { return Vec::new() };
        let mut kept: Vec<Choice<S::Event>> = Vec::new();
        let mut stand_ins = Vec::new();
        for choice in choices.drain(..) {
            let like = |other: &Choice<S::Event>| {
                let possible = other.nature.kind == choice.nature.kind;
                possible
                    .then(|| self.subject.likeness(&other.event, &choice.event))
                    .filter(|found| *found >= wanted)
            };
            match kept.iter().enumerate().find_map(|(place, other)| Some((place, like(other)?))) {
                Some((place, likeness)) => {
                    self.counts.peers += 1;
                    self.counts.peers_unlike += u64::from(likeness < crate::subject::Likeness::Alike);
                    stand_ins.push((choice, place));
                }
                None => kept.push(choice),
            }
        }
        *choices = kept;
        stand_ins
    }

    /// Tells the strategy that the sequence ends here, or would without faults.
    fn close(&mut self, end: End) {
        let mut pending = with_natures(&self.subject, self.subject.enabled());
        if self.options.faults_anywhere && self.progress_so_far().1 < self.options.faults {
            pending.extend(with_natures(&self.subject, self.subject.all_faults()));
        }
        let blocked = with_natures(&self.subject, self.subject.blocked());
        self.strategy.ended(&self.path, end, &pending, &blocked);
    }

    fn quiet(&mut self) -> End {
        self.close(End::Quiet);
        if self.subject.reached() == Some(false) {
            return self.record(Wrong::Stuck, Vec::new());
        }
        End::Quiet
    }

    /// The sequence is as long as it may be: it is extended step by step, and reported only if that does not reach the goal either.
    fn cut(&mut self) -> End {
        self.close(End::Cut);
        if self.subject.reached() != Some(false) {
            return End::Cut;
        }
        let mark = self.subject.mark();
        let (events, found) = extend(&mut self.subject, self.options.extension);
        self.counts.events += events.len() as u64;
        let end = match found {
            Extended::Reached => {
                self.counts.late += 1;
                self.counts.late_by = self.counts.late_by.max(events.len() as u32);
                End::Cut
            }
            Extended::Unsafe(property) => self.record(Wrong::Unsafe { property }, events),
            Extended::Stuck => self.record(Wrong::Stuck, events),
            Extended::Broken(reason) => self.record(Wrong::Broken { reason }, events),
            Extended::Unmet => {
                self.record(Wrong::Unmet { steps: self.options.depth + self.options.extension }, events)
            }
        };
        if let Some(mark) = mark {
            self.subject.restore(&mark);
        }
        end
    }

    fn wrong(&mut self, wrong: Wrong) -> End {
        self.close(End::Violated);
        self.record(wrong, Vec::new())
    }

    /// A node that fails is a finding; that the system can't be run any more is not.
    fn broken(&mut self, trouble: &Trouble) -> Result<End, Trouble> {
        if !is_finding(trouble) {
            return Err(trouble.clone());
        }
        self.strategy.ended(&self.path, End::Violated, &[], &[]);
        Ok(self.record(Wrong::Broken { reason: trouble.to_string() }, Vec::new()))
    }

    fn record(&mut self, wrong: Wrong, extension: Vec<S::Event>) -> End {
        self.counts.failing += 1;
        if self.findings.len() < self.options.findings_max {
            let mut events = self.path.events();
            events.extend(extension);
            self.findings.push(Finding { wrong, events });
        }
        End::Violated
    }

    fn save(&self, keep: usize) -> Json {
        let chosen: Vec<Option<usize>> = self.path.frames[..keep].iter().map(|frame| frame.chosen).collect();
        serde_json::json!({ "path": chosen, "strategy": self.strategy.save() })
    }
}

pub(crate) fn with_natures<S: Subject>(subject: &S, events: Vec<S::Event>) -> Vec<Choice<S::Event>> {
    events.into_iter().map(|event| Choice { nature: subject.nature(&event), event }).collect()
}
