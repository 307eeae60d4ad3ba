//! Where jobs get their tasks: cases in order, and before them whatever a finding calls for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::discovery::Discovery;
use crate::drive::{Case, Played};
use crate::record::FollowUp;

/// What there is to do.
pub(crate) enum Task {
    /// Run a case.
    Case(usize),
    /// Look at a case's discovery again.
    Follow(usize, Box<Discovery>),
    /// Find the first of these cases that shows what a group is about.
    Shorten(usize, Vec<Case>, Box<Discovery>),
}

/// What has been done.
pub(crate) enum Done {
    Case(usize, Played),
    Follow(usize, FollowUp),
    Shorten(usize, Option<Box<(Case, Discovery)>>),
    NotRunnable(String),
    Interrupted,
}

/// Where jobs get their tasks.
pub(crate) struct Desk {
    state: Mutex<DeskState>,
    news: Condvar,
}

struct DeskState {
    next: usize,
    /// Cases from here on have to wait.
    until: usize,
    end: usize,
    ahead: usize,
    follow: VecDeque<Task>,
    is_closed: bool,
}

impl Desk {
    pub(crate) fn new(n_cases: usize, ahead: usize) -> Desk {
        let state = DeskState {
            next: 0,
            until: ahead,
            end: n_cases,
            ahead,
            follow: VecDeque::new(),
            is_closed: false,
        };
        Desk { state: Mutex::new(state), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; `None` when there will be none.
    pub(crate) fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(task) = state.follow.pop_front() {
                return Some(task);
            }
            if state.next < state.end.min(state.until) {
                state.next += 1;
                return Some(Task::Case(state.next - 1));
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn follow(&self, task: Task) {
        self.lock().follow.push_back(task);
        self.news.notify_one();
    }

    /// All cases before this one have been handed on.
    pub(crate) fn advance(&self, index: usize) {
        let mut state = self.lock();
        state.until = index + state.ahead;
        self.news.notify_all();
    }

    /// No more cases are given out.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        state.end = state.next;
        state.follow.clear();
    }

    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }
}
