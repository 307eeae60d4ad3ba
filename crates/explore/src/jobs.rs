//! A search in parts, several at once; and what is kept of one that was ended early.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use kilter_testbed::Trouble;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::options::{Counts, Options, Progress, Search};
use crate::outcome::Told;
use crate::search::{Explored, Explorer, Part};
use crate::subject::Subject;

/// So many parts for each job, so that none has to wait long for the others.
const PARTS_PER_JOB: usize = 8;
/// Sequences are taken apart at their first steps only.
const BELOW_MAX: usize = 5;
/// How often somebody looks how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Enough for the evaluator.
const STACK_BYTES: usize = 16 << 20;

/// What is left to do of a search, and what has been done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rest {
    /// The parts that are not done.
    pub parts: Vec<Part>,
    /// How far it has come.
    pub counts: Counts,
}

/// What several jobs have found.
pub struct Joined<E> {
    /// How far it has come.
    pub counts: Counts,
    /// What is wrong; at most as many as wanted.
    pub findings: Vec<Finding<E>>,
    /// What is left if it was ended early.
    pub rest: Option<Rest>,
}

/// The number of a part, and what became of it.
type Ended<E> = (usize, Result<Explored<E>, Trouble>);

/// What jobs say.
enum News<E> {
    /// There is a finding.
    Found(Told),
    /// A part has ended.
    Ended(Ended<E>),
}

/// Searches with several systems at once. `rest` is what an earlier search has left.
pub fn run<S: Subject<Event: Send>>(
    make: &(dyn Fn() -> S + Sync),
    options: &Options,
    n_jobs: usize,
    rest: Option<Rest>,
    progress: &mut dyn Progress,
) -> Result<Joined<S::Event>, Trouble> {
    let rest = match rest {
        Some(rest) => rest,
        None => Rest { parts: parts(make, options, n_jobs)?, counts: Counts::default() },
    };
    let desk = Desk::new(&rest, options);
    let (sender, receiver) = channel();
    let mut results: Vec<Ended<S::Event>> = Vec::new();
    thread::scope(|scope| {
        for _ in 0..n_jobs.clamp(1, rest.parts.len().max(1)) {
            let (desk, sender, parts) = (&desk, sender.clone(), &rest.parts);
            let job = move || work(make, options, desk, parts, &sender);
            thread::Builder::new()
                .stack_size(kilter_base::memory::stack_bytes(STACK_BYTES))
                .spawn_scoped(scope, job)
                .map_err(|error| Trouble::NotStarted(format!("no thread could be started: {error}")))?;
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(News::Found(told)) => {
                    progress.found(&told);
                    continue;
                }
                Ok(News::Ended(result)) => results.push(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if !progress.goes_on(&desk.counts()) {
                desk.stop.store(true, Ordering::Relaxed);
            }
        }
    })?;
    join(rest, options, results)
}

/// The parts of a search: what begins with each of the first choices.
fn parts<S: Subject>(
    make: &(dyn Fn() -> S + Sync),
    options: &Options,
    n_jobs: usize,
) -> Result<Vec<Part>, Trouble> {
    let wanted = if n_jobs > 1 { n_jobs * PARTS_PER_JOB } else { 1 };
    if let Search::Random { walks, .. } | Search::Pct { walks, .. } = options.search {
        let each = walks.div_ceil(wanted as u64).max(1);
        let begins = (0..walks).step_by(each as usize);
        let part =
            |first| Part { first_walk: first, walks: Some(each.min(walks - first)), ..Part::default() };
        return Ok(begins.map(part).collect());
    }
    if options.search == Search::Bfs {
        return Ok(vec![Part::default()]);
    }
    let plain = Options { search: Search::Dfs, count_states: false, ..options.clone() };
    let mut all = vec![Vec::new()];
    for _ in 0..BELOW_MAX {
        if all.len() >= wanted {
            break;
        }
        let mut longer = Vec::new();
        for below in all {
            match Explorer::new(make(), &plain).n_choices(&below)? {
                Some(n_choices) => {
                    longer.extend((0..n_choices).map(|place| [below.as_slice(), &[place]].concat()));
                }
                None => longer.push(below),
            }
        }
        all = longer;
    }
    Ok(all.into_iter().map(|below| Part { below, ..Part::default() }).collect())
}

/// What the jobs share.
struct Desk {
    next: AtomicU64,
    stop: AtomicBool,
    /// Sequences so far, and how many there may be.
    sequences: AtomicU64,
    sequences_max: u64,
    /// What was counted before, and in each part.
    counts: Mutex<Vec<Counts>>,
}

impl Desk {
    fn new(rest: &Rest, options: &Options) -> Desk {
        let mut counts = vec![Counts::default(); rest.parts.len()];
        counts.push(rest.counts.clone());
        Desk {
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            sequences: AtomicU64::new(0),
            sequences_max: options.sequences_max.unwrap_or(u64::MAX),
            counts: Mutex::new(counts),
        }
    }

    fn counts(&self) -> Counts {
        let counts = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut all = Counts::default();
        counts.iter().for_each(|part| all.join(part));
        all
    }
}

/// One job's view of the whole.
struct Reporter<'a> {
    desk: &'a Desk,
    part: usize,
    sequences: u64,
}

impl Progress for Reporter<'_> {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        let more = counts.sequences - self.sequences;
        self.sequences = counts.sequences;
        let sequences = self.desk.sequences.fetch_add(more, Ordering::Relaxed) + more;
        // Nobody looks more often than now and then.
        if let Ok(mut all) = self.desk.counts.try_lock() {
            all[self.part] = counts.clone();
        }
        sequences < self.desk.sequences_max && !self.desk.stop.load(Ordering::Relaxed)
    }
}

/// Takes part after part, until none is left.
fn work<S: Subject>(
    make: &(dyn Fn() -> S + Sync),
    options: &Options,
    desk: &Desk,
    parts: &[Part],
    news: &Sender<News<S::Event>>,
) {
    let options = Options { sequences_max: None, ..options.clone() };
    while !desk.stop.load(Ordering::Relaxed) && desk.sequences.load(Ordering::Relaxed) < desk.sequences_max {
        let number = desk.next.fetch_add(1, Ordering::Relaxed) as usize;
        let Some(part) = parts.get(number) else { return };
        let mut reporter = Reporter { desk, part: number, sequences: 0 };
        let mut explorer = Explorer::of_part(make(), &options, part);
        // It fails if nobody listens any more.
        explorer.on_finding = Some(Box::new(|told| drop(news.send(News::Found(told)))));
        let result = explorer.run_part(part, &mut reporter);
        let failed = result.is_err();
        if let Ok(explored) = &result {
            reporter.goes_on(&explored.counts);
        }
        // It fails if nobody waits for results any more.
        if news.send(News::Ended((number, result))).is_err() || failed {
            desk.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Results in the order of the parts, whatever the order in which they came.
fn join<E>(rest: Rest, options: &Options, mut results: Vec<Ended<E>>) -> Result<Joined<E>, Trouble> {
    results.sort_by_key(|(number, _)| *number);
    let mut joined = Joined { counts: rest.counts, findings: Vec::new(), rest: None };
    let earlier_states = joined.counts.states;
    let mut states: FxHashSet<u64> = FxHashSet::default();
    let mut left: Vec<Option<Part>> = rest.parts.into_iter().map(Some).collect();
    for (number, result) in results {
        let explored = result?;
        joined.counts.join(&explored.counts);
        states.extend(explored.states);
        joined.findings.extend(explored.findings);
        left[number] = match (left[number].take(), explored.saved) {
            (Some(part), Some(saved)) => Some(Part { saved: Some(saved), ..part }),
            _ => None,
        };
    }
    // What two jobs have seen is one state; what an earlier sitting has seen is not known any more.
    joined.counts.states = earlier_states.max(states.len() as u64);
    joined.findings.truncate(options.findings_max);
    let parts: Vec<Part> = left.into_iter().flatten().collect();
    joined.rest = (!parts.is_empty()).then(|| Rest { parts, counts: joined.counts.clone() });
    Ok(joined)
}
