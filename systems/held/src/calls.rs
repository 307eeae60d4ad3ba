//! Calls to other nodes. A call puts a question under way and waits for its answer, or until it is given up.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::runtime::lock;
use crate::time::{TimerId, timer_of_call};

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vote.
    Vote,
    /// That entries, or none, are appended.
    Append,
    /// That a snapshot is taken over.
    Snapshot,
}

/// Which call it is. An answer names the key of its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<T> {
    /// The number of the node that it asks.
    pub to: u64,
    /// What it asks for.
    pub kind: Kind,
    /// The term of whoever asks, or what the library has for it.
    pub term: T,
    /// How many calls the node had given up, and how often it had crashed, when it made this one.
    pub era: u64,
}

/// The calls of a node: terms, questions, answers. Clones are the same.
pub struct Wires<T, Q, A>(Arc<Mutex<Calls<T, Q, A>>>);

struct Calls<T, Q, A> {
    era: u64,
    made: u64,
    sent: Vec<(Key<T>, Q)>,
    waiting: Vec<Waiting<T, A>>,
}

struct Waiting<T, A> {
    key: Key<T>,
    number: u64,
    timer: Option<TimerId>,
    answer: Option<A>,
    waker: Option<Waker>,
}

impl<T, Q, A> Clone for Wires<T, Q, A> {
    fn clone(&self) -> Self {
        Wires(Arc::clone(&self.0))
    }
}

impl<T, Q, A> Default for Wires<T, Q, A> {
    fn default() -> Self {
        Wires(Arc::new(Mutex::new(Calls { era: 0, made: 0, sent: Vec::new(), waiting: Vec::new() })))
    }
}

impl<T: Copy + PartialEq, Q, A> Wires<T, Q, A> {
    fn calls(&self) -> MutexGuard<'_, Calls<T, Q, A>> {
        lock(&self.0)
    }

    /// The questions that were asked since this was last called.
    pub fn take_sent(&self) -> Vec<(Key<T>, Q)> {
        std::mem::take(&mut self.calls().sent)
    }

    /// Gives an answer to the call that waits for it. If none does, it is lost.
    pub fn answer(&self, key: &Key<T>, answer: A) {
        let mut calls = self.calls();
        let waiting =
            calls.waiting.iter_mut().find(|waiting| waiting.key == *key && waiting.answer.is_none());
        let Some(waiting) = waiting else { return };
        waiting.answer = Some(answer);
        let waker = waiting.waker.take();
        drop(calls);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The calls that wait and have a timer.
    pub fn timed(&self) -> Vec<(Key<T>, TimerId)> {
        let calls = self.calls();
        calls.waiting.iter().filter_map(|waiting| Some((waiting.key, waiting.timer?))).collect()
    }

    /// Begins a new era, because a call was given up or the node has crashed.
    pub fn next_era(&self) {
        self.calls().era += 1;
    }

    /// Asks a node a question.
    pub fn call(&self, to: u64, kind: Kind, term: T, question: Q) -> Call<T, Q, A> {
        let mut calls = self.calls();
        calls.made += 1;
        let number = calls.made;
        let key = Key { to, kind, term, era: calls.era };
        calls.sent.push((key, question));
        calls.waiting.push(Waiting { key, number, timer: timer_of_call(), answer: None, waker: None });
        Call { wires: self.clone(), number }
    }
}

/// A call that waits for its answer. When it is dropped, nobody waits for that any more.
pub struct Call<T: Copy + PartialEq, Q, A> {
    wires: Wires<T, Q, A>,
    number: u64,
}

impl<T: Copy + PartialEq, Q, A> Future for Call<T, Q, A> {
    type Output = A;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<A> {
        let mut calls = self.wires.calls();
        let waiting = calls.waiting.iter_mut().find(|waiting| waiting.number == self.number);
        let waiting = waiting.expect("it is there until the call is dropped");
        if let Some(answer) = waiting.answer.take() {
            return Poll::Ready(answer);
        }
        waiting.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T: Copy + PartialEq, Q, A> Drop for Call<T, Q, A> {
    fn drop(&mut self) {
        self.wires.calls().waiting.retain(|waiting| waiting.number != self.number);
    }
}

impl<T: Copy + PartialEq, Q, A> fmt::Debug for Call<T, Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({})", self.number)
    }
}
