//! Exploration as a method of the runner. A case is a part of the search. Findings are reported at once. At the end,
//! the shortest finding of each group is shortened further.

#![expect(clippy::disallowed_methods, reason = "measures time for people, and saves from time to time")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kilter_run::{
    Carried, Control, Counters, Detail, Ending, FORMAT, Finding, FindingKind, Found, Further, Header, Method,
    Played, Player, Step, Stop, Tally, VERSION, Verb, when,
};
use kilter_testbed::Trouble;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json};

use crate::counts::Counts;
use crate::finding::Wrong;
use crate::options::Options;
use crate::outcome::Explorable;
use crate::progress::Progress;
use crate::search::Part;
use crate::subject::Described;
use crate::told::Told;

/// The number of parts for each job. With many parts, no job has to wait long for the others.
const PARTS_PER_JOB: usize = 8;
/// How often the progress of a part is reported.
const TELL_EVERY: Duration = Duration::from_millis(50);
/// How often the position in a part is saved, at most. Also, saving takes only a small share of the time.
const SAVE_EVERY: Duration = Duration::from_secs(2);
const SAVE_SHARE: u32 = 50;

/// A part of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    id: String,
    part: Part,
    /// What was counted in it before it was interrupted.
    before: Counters,
}

impl Case {
    /// Makes a case for a part that has not begun.
    pub fn new(part: Part) -> Case {
        Case { id: part.id(), part, before: Counters::default() }
    }

    /// The id of the part.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The case with this id. `None` if there is no such part.
    pub fn with_id(id: &str) -> Option<Case> {
        Part::with_id(id).map(Case::new)
    }

    /// The case, continued from where it was ended early.
    #[must_use]
    pub fn from_checkpoint(mut self, counters: Counters, state: Json) -> Case {
        self.part.saved = Some(state);
        self.before = counters;
        self
    }
}

/// The number of parts that a search should have for this many jobs or machines.
pub fn n_parts(jobs: usize) -> usize {
    if jobs > 1 { jobs * PARTS_PER_JOB } else { 1 }
}

/// The exploration of one system.
pub struct Exploration<'m> {
    system: &'m dyn Explorable,
    options: &'m Options,
    /// Makes the command line that repeats a finding.
    repeat: &'m (dyn Fn(&Told) -> String + Sync),
    /// The hashes of the states that any part has seen.
    states: Mutex<FxHashSet<u64>>,
    n_sequences: AtomicU64,
}

impl<'m> Exploration<'m> {
    /// Makes an exploration that has not begun.
    pub fn new(
        system: &'m dyn Explorable,
        options: &'m Options,
        repeat: &'m (dyn Fn(&Told) -> String + Sync),
    ) -> Exploration<'m> {
        let (states, n_sequences) = (Mutex::default(), AtomicU64::new(0));
        Exploration { system, options, repeat, states, n_sequences }
    }

    /// The header of the record, for a search with `n_cases` parts. `run` identifies the search.
    pub fn header(&self, config: &str, run: String, n_cases: u64) -> Header {
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            verb: Verb::Explore,
            config: config.to_owned(),
            run,
            nodes: self.system.nodes(),
            cases: n_cases,
            started_s: when::now(),
            ..Header::default()
        }
    }

    /// Adds states, and returns how many of them are new.
    fn n_new(&self, states: FxHashSet<u64>) -> u64 {
        let mut all = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.extend(states);
        (all.len() - before) as u64
    }

    fn found(&self, told: &Told, wrong: &Wrong) -> Found<Shown> {
        let path: Vec<Step> = told.events.iter().map(|event| step_of(event, &told.nodes)).collect();
        let more = if let Json::Object(more) = told.json() { more } else { Map::new() };
        let finding = Finding {
            kind: wrong.kind(),
            case: told.schedule(),
            step: path.len() as u32,
            edge: None,
            action: path.last().map(|step| step.action.clone()).unwrap_or_default(),
            variables: Vec::new(),
            summary: told.sentence.clone(),
            differences: Vec::new(),
            offers: Vec::new(),
            details: vec![Detail { title: "what happens".to_owned(), text: told.draw() }],
            initial: Vec::new(),
            path,
            given: Some(told.places.len() as u64),
            stable: None,
            shortest: None,
            stands_for: None,
            group: format!("{}: {}", wrong.word(), told.sentence),
            hints: Vec::new(),
            repeat: (self.repeat)(told),
            logs: told.logs.clone(),
            more,
        };
        let discovery = Shown { told: told.clone(), wrong: wrong.clone() };
        Found { finding, discovery, place: None, n_steps: told.places.len() as u64, ends_run: None }
    }
}

/// A sequence that was found, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Shown {
    told: Told,
    wrong: Wrong,
}

fn step_of(event: &Described, nodes: &[String]) -> Step {
    let name = |node: usize| nodes.get(node).cloned().unwrap_or_default();
    let fate = if event.fault { "dropped" } else { "taken" };
    let message = event.from.map(|from| Carried {
        fate: fate.to_owned(),
        from: Some(name(from)),
        to: name(event.target),
        text: event.text.clone(),
        unexpected: false,
    });
    Step {
        action: event.text.clone(),
        args: Vec::new(),
        node: Some(name(event.target)),
        messages: message.into_iter().collect(),
        expected: Vec::new(),
        changes: Vec::new(),
    }
}

/// The counts by name. `n_states` is the number of new states.
fn counters(counts: &Counts, n_states: u64) -> Counters {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let sums = [
        ("sequences", counts.sequences),
        ("events", counts.events),
        ("states", n_states),
        ("failing_sequences", counts.failing),
        ("pruned", counts.pruned),
        ("late", counts.late),
        ("peers", counts.peers),
        ("peers_unlike", counts.peers_unlike),
        ("nodes_us", micros(counts.spent.nodes)),
        ("testbed_us", micros(counts.spent.testbed)),
        ("whole_us", micros(counts.spent.whole)),
    ];
    let peaks = [("depth", counts.depth), ("late_by", counts.late_by.into())];
    let named = |(name, n): (&str, u64)| (name.to_owned(), n);
    let (sums, peaks) = (sums.into_iter().map(named).collect(), peaks.into_iter().map(named).collect());
    Counters { sums, peaks, ..Counters::default() }
}

fn stop(trouble: Trouble) -> Stop {
    match trouble {
        Trouble::Interrupted => Stop::Interrupted,
        Trouble::Impossible(why) => Stop::Impossible(why),
        other => Stop::NotRunnable(other.to_string()),
    }
}

impl Method for Exploration<'_> {
    type Case = Case;
    type Discovery = Shown;

    fn id<'c>(&self, case: &'c Case) -> &'c str {
        &case.id
    }

    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop> {
        work(&mut Explorer { method: self });
        Ok(())
    }

    fn again(&self, further: &Further) -> Option<Case> {
        Case::with_id(&further.id)
    }

    fn remarks(&self, tally: &Tally) -> Vec<String> {
        let Counters { sums, peaks, .. } = &tally.counters;
        let sum = |name: &str| sums.get(name).copied().unwrap_or(0);
        let mut remarks = Vec::new();
        if sum("late") > 0 {
            let late_by = peaks.get("late_by").copied().unwrap_or(0);
            let text = "sequences reached the goal only when they were extended, by so many steps at most";
            remarks.push(format!("{} {text}: {late_by}", sum("late")));
        }
        if sum("peers_unlike") > 0 {
            remarks.push(format!(
                "peers that do not hold the same stood for each other {} of {} times: that they are alike is your claim",
                sum("peers_unlike"),
                sum("peers")
            ));
        }
        let (nodes, testbed, whole) = (sum("nodes_us"), sum("testbed_us"), sum("whole_us"));
        if whole > 0 {
            #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
            let share = |part: u64| 100.0 * part as f64 / whole as f64;
            remarks.push(format!(
                "time: {:.1} % the system itself, {:.1} % its testbed, {:.1} % the search",
                share(nodes),
                share(testbed),
                share(whole.saturating_sub(nodes + testbed))
            ));
        }
        remarks
    }
}

/// Explores one part after the other, each on a new system.
struct Explorer<'j, 'm> {
    method: &'j Exploration<'m>,
}

impl<'m> Player<Exploration<'m>> for Explorer<'_, 'm> {
    fn play(&mut self, case: &Case, control: &Control<'_, Shown>) -> Result<Played<Shown>, Stop> {
        let options = Options { sequences_max: None, ..self.method.options.clone() };
        let begun = Instant::now();
        let mut watch = Watch::new(self.method, case, control);
        if watch.has_enough() {
            return Err(Stop::Enough("as many sequences as wanted; `--resume` goes on".to_owned()));
        }
        let searched = self.method.system.explore(&case.part, &options, &mut watch).map_err(stop)?;
        let mut counters = counters(&searched.counts, self.method.n_new(searched.states));
        counters.join(&case.before);
        let n_failing = counters.sums.get("failing_sequences").copied().unwrap_or(0);
        Ok(Played {
            ending: match searched.saved {
                Some(state) => Ending::Cut(state),
                None if n_failing == 0 => Ending::Passed,
                None => Ending::Failed,
            },
            found: None,
            steps: searched.counts.events,
            covered: Vec::new(),
            took: begun.elapsed(),
            waited: Duration::ZERO,
            notes: searched.notes.into_iter().collect(),
            logs: None,
            counters,
        })
    }

    /// Findings are not checked again, because they are reported while a part is played.
    fn look_again(
        &mut self,
        _: &Case,
        found: &Found<Shown>,
        _: &Control<'_, Shown>,
    ) -> Result<Found<Shown>, Stop> {
        Ok(found.clone())
    }

    fn shorten(
        &mut self,
        _: &Found<Shown>,
        shortest: &Found<Shown>,
        _: &[bool],
        control: &Control<'_, Shown>,
    ) -> Result<Option<Found<Shown>>, Stop> {
        let Shown { told, wrong } = &shortest.discovery;
        let shorter = self.method.system.shorten(told, wrong, self.method.options, &|| control.is_late());
        let shorter = shorter.map_err(stop)?;
        Ok(shorter.map(|(told, wrong)| self.method.found(&told, &wrong)))
    }
}

/// Watches the search of a part.
struct Watch<'w, 'm> {
    method: &'w Exploration<'m>,
    case: &'w Case,
    control: &'w Control<'w, Shown>,
    n_sequences: u64,
    /// The time after the last sequence. The clock is not read more often, because there are a million sequences in a
    /// second.
    now: Instant,
    told: Instant,
    saved: Instant,
    /// The time that must pass after the last save before the next one.
    save_after: Duration,
}

impl<'w, 'm> Watch<'w, 'm> {
    fn new(method: &'w Exploration<'m>, case: &'w Case, control: &'w Control<'w, Shown>) -> Watch<'w, 'm> {
        let now = Instant::now();
        Watch { method, case, control, n_sequences: 0, now, told: now, saved: now, save_after: SAVE_EVERY }
    }

    fn has_enough(&self) -> bool {
        let most = self.method.options.sequences_max;
        most.is_some_and(|most| self.method.n_sequences.load(Ordering::Relaxed) >= most)
    }

    fn so_far(&self, counts: &Counts) -> Counters {
        let mut counters = counters(counts, counts.states);
        counters.join(&self.case.before);
        counters
    }
}

impl Progress for Watch<'_, '_> {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        let more = counts.sequences - self.n_sequences;
        self.n_sequences = counts.sequences;
        self.method.n_sequences.fetch_add(more, Ordering::Relaxed);
        self.now = Instant::now();
        if self.now - self.told >= TELL_EVERY {
            self.control.progress(self.so_far(counts));
            self.told = self.now;
        }
        !self.has_enough() && !self.control.is_over()
    }

    fn found(&mut self, told: &Told, wrong: &Wrong) {
        self.control.found(self.method.found(told, wrong));
    }

    fn checkpoint(&mut self, counts: &Counts, save: &dyn Fn() -> Json) {
        if self.now - self.saved < self.save_after {
            return;
        }
        let begun = Instant::now();
        self.control.checkpoint(&self.case.id, self.so_far(counts), save());
        self.save_after = SAVE_EVERY.max(begun.elapsed() * SAVE_SHARE);
        self.saved = Instant::now();
    }
}

impl Wrong {
    /// The kind of the finding.
    pub fn kind(&self) -> FindingKind {
        match self {
            Wrong::Unsafe { .. } => FindingKind::Safety,
            Wrong::Stuck => FindingKind::Deadlock,
            Wrong::Unmet { .. } => FindingKind::Liveness,
            Wrong::Broken { .. } => FindingKind::Crash,
        }
    }

    /// The kind in one word, for scripts.
    pub fn word(&self) -> &'static str {
        self.kind().name()
    }
}
