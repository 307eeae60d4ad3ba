//! Calls to other nodes. A call puts a question under way and waits for its answer, or until it is given up.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::runtime::lock;
use crate::time::{TimerId, timer_of_call};

/// The calls of a node. Keys tell calls apart, and an answer names the key of its question. Clones are the same.
pub struct Wires<K, Q, A>(Arc<Mutex<Calls<K, Q, A>>>);

struct Calls<K, Q, A> {
    era: u64,
    n_calls: u64,
    sent: Vec<(K, Q)>,
    waiting: Vec<Waiting<K, A>>,
}

struct Waiting<K, A> {
    key: K,
    number: u64,
    timer: Option<TimerId>,
    answer: Option<A>,
    waker: Option<Waker>,
}

impl<K, Q, A> Clone for Wires<K, Q, A> {
    fn clone(&self) -> Self {
        Wires(Arc::clone(&self.0))
    }
}

impl<K, Q, A> Default for Wires<K, Q, A> {
    fn default() -> Self {
        Wires(Arc::new(Mutex::new(Calls { era: 0, n_calls: 0, sent: Vec::new(), waiting: Vec::new() })))
    }
}

impl<K: Clone + PartialEq, Q, A> Wires<K, Q, A> {
    fn calls(&self) -> MutexGuard<'_, Calls<K, Q, A>> {
        lock(&self.0)
    }

    /// The questions that were asked since this was last called.
    pub fn take_sent(&self) -> Vec<(K, Q)> {
        std::mem::take(&mut self.calls().sent)
    }

    /// Gives an answer to the call that waits for it. If none does, it is lost.
    pub fn answer(&self, key: &K, answer: A) {
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
    pub fn timed(&self) -> Vec<(K, TimerId)> {
        let calls = self.calls();
        calls.waiting.iter().filter_map(|waiting| Some((waiting.key.clone(), waiting.timer?))).collect()
    }

    /// How many calls the node has given up, and how often it has crashed.
    pub fn era(&self) -> u64 {
        self.calls().era
    }

    /// Begins to count anew, because a call was given up or the node has crashed.
    pub fn next_era(&self) {
        self.calls().era += 1;
    }

    /// Asks a question.
    pub fn call(&self, key: K, question: Q) -> Call<K, Q, A> {
        let mut calls = self.calls();
        calls.n_calls += 1;
        let number = calls.n_calls;
        calls.sent.push((key.clone(), question));
        calls.waiting.push(Waiting { key, number, timer: timer_of_call(), answer: None, waker: None });
        Call { wires: self.clone(), number }
    }
}

/// A call that waits for its answer. When it is dropped, nobody waits for that any more.
pub struct Call<K: Clone + PartialEq, Q, A> {
    wires: Wires<K, Q, A>,
    number: u64,
}

impl<K: Clone + PartialEq, Q, A> Future for Call<K, Q, A> {
    type Output = A;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<A> {
        let mut calls = self.wires.calls();
        let waiting = calls.waiting.iter_mut().find(|waiting| waiting.number == self.number);
        let waiting = waiting.expect("it is there until the call is dropped");
        match waiting.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                waiting.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<K: Clone + PartialEq, Q, A> Drop for Call<K, Q, A> {
    fn drop(&mut self) {
        self.wires.calls().waiting.retain(|waiting| waiting.number != self.number);
    }
}

impl<K: Clone + PartialEq, Q, A> fmt::Debug for Call<K, Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({})", self.number)
    }
}
