//! The desk from which jobs get their tasks: cases in order, and before them the tasks that findings need.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::control::News;
use crate::method::Method;
use crate::played::{Found, Played, Stop};
use crate::record::Counters;
use crate::source::{Next, Source};

/// How long to wait before a source is asked again that had no case.
const ASK_EVERY: Duration = Duration::from_millis(2);

/// A task for a job.
pub(crate) enum Task<M: Method + ?Sized> {
    /// Play a case.
    Case(usize, Arc<M::Case>),
    /// Check the finding of a case again.
    LookAgain(usize, Arc<M::Case>, Box<Found<M::Discovery>>),
    /// Find a shorter path to the finding of a group.
    Shorten(Box<Known<M::Discovery>>),
    /// Tell the clerk, who may wait for a result, that there will be no more cases.
    TellEnd,
}

/// What is known about a group of findings.
pub(crate) struct Known<D> {
    pub(crate) group: usize,
    pub(crate) first: Found<D>,
    pub(crate) shortest: Found<D>,
    pub(crate) covered: Arc<[bool]>,
}

/// The result of a task.
pub(crate) enum Done<M: Method + ?Sized> {
    Case(usize, Arc<M::Case>, Box<Played<M::Discovery>>),
    LookedAgain(usize, Box<Found<M::Discovery>>),
    Shortened(usize, Option<Box<Found<M::Discovery>>>),
    News(News<M::Discovery>),
    /// There will be no more cases, which was not known when the last result came.
    NoMoreCases,
    Stopped(Stop),
}

/// The desk from which jobs get their tasks.
pub(crate) struct Desk<'s, M: Method + ?Sized> {
    state: Mutex<State<'s, M>>,
    news: Condvar,
    /// The number of cases that a job takes at once.
    batch: usize,
    /// How far the cases given out may be ahead of the last result in order.
    ahead: usize,
}

struct State<'s, M: Method + ?Sized> {
    source: &'s mut dyn Source<M::Case>,
    /// Cases that were planned during the run. They come when the source has no more.
    further: VecDeque<M::Case>,
    /// The next case. It is fetched early, so that it is known when the last case is given out.
    upcoming: Option<M::Case>,
    /// Whether the source has no case now, but may have one later.
    is_dry: bool,
    n_given: usize,
    /// The index from which on cases have to wait.
    until: usize,
    urgent: VecDeque<Task<M>>,
    is_closed: bool,
}

impl<'s, M: Method + ?Sized> Desk<'s, M> {
    pub(crate) fn new(source: &'s mut dyn Source<M::Case>, batch: usize, ahead: usize) -> Desk<'s, M> {
        let (further, urgent) = (VecDeque::new(), VecDeque::new());
        let (upcoming, is_dry, is_closed) = (None, false, false);
        let mut state =
            State { source, further, upcoming, is_dry, n_given: 0, until: ahead, urgent, is_closed };
        state.fetch();
        Desk { state: Mutex::new(state), news: Condvar::new(), batch: batch.max(1), ahead }
    }

    fn lock(&self) -> MutexGuard<'_, State<'s, M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next tasks. Empty when there will be no more.
    pub(crate) fn take(&self) -> Vec<Task<M>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return Vec::new();
            }
            if let Some(task) = state.urgent.pop_front() {
                return vec![task];
            }
            if state.is_dry && state.n_given < state.until {
                state.fetch();
                if !state.is_dry && state.upcoming.is_none() {
                    return vec![Task::TellEnd];
                }
            }
            let mut tasks = Vec::new();
            while tasks.len() < self.batch
                && state.n_given < state.until
                && let Some(case) = state.upcoming.take()
            {
                tasks.push(Task::Case(state.n_given, Arc::new(case)));
                state.n_given += 1;
                state.fetch();
            }
            if !tasks.is_empty() {
                return tasks;
            }
            state = if state.is_dry {
                let waited = self.news.wait_timeout(state, ASK_EVERY);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.news.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// Adds cases that come after all others.
    pub(crate) fn add(&self, cases: Vec<M::Case>) {
        let mut state = self.lock();
        state.further.extend(cases);
        if state.upcoming.is_none() {
            state.fetch();
        }
        self.news.notify_all();
    }

    /// Adds a task that comes before all further cases.
    pub(crate) fn urge(&self, task: Task<M>) {
        self.lock().urgent.push_back(task);
        self.news.notify_one();
    }

    /// Tells the source what was counted in a case.
    pub(crate) fn hear(&self, case: &M::Case, counters: &Counters) {
        self.lock().source.hear(case, counters);
    }

    /// Says that the results of all cases before this one have been passed on.
    pub(crate) fn advance(&self, index: usize) {
        self.lock().until = index + self.ahead;
        self.news.notify_all();
    }

    /// Whether there is no case at or after this index.
    pub(crate) fn ends_at(&self, index: usize) -> bool {
        let state = self.lock();
        state.upcoming.is_none() && !state.is_dry && state.n_given == index
    }

    /// Stops giving out cases.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        state.until = 0;
        state.urgent.clear();
    }

    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }
}

impl<M: Method + ?Sized> State<'_, M> {
    /// Gets the upcoming case, if there is one.
    fn fetch(&mut self) {
        let next = self.source.next();
        self.is_dry = matches!(next, Next::Later);
        self.upcoming = match next {
            Next::Case(case) => Some(case),
            Next::Later => None,
            Next::Never => self.further.pop_front(),
        };
    }
}
