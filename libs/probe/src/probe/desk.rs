//! What the threads of a node and the testbed exchange.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use kilter_protocol::{Done, Environment, FromNode, Offer, Request, ToNode};
use serde::Serialize;

use crate::Ending;
use crate::action::Action;
use crate::link::{Link, Manner, held};
use crate::variables::{Report, Variables};

/// The testbed's answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Go,
    Drop,
    Twice,
}

/// The desk: data under a lock, a condition variable, and the connection to the testbed.
pub(super) struct Desk {
    pub(super) link: Arc<Link>,
    papers: Arc<Papers>,
    /// The number of threads or tasks that take part. 0 if it is not known.
    n_parties: usize,
}

#[derive(Default)]
struct Papers {
    content: Mutex<Content>,
    bell: Condvar,
}

#[derive(Default)]
struct Content {
    /// The offers that stand, or whose answer has not been picked up yet.
    offers: BTreeMap<u64, Standing>,
    /// The requests of the testbed.
    requests: VecDeque<Request>,
    /// The latest value of each variable.
    variables: Report,
    /// Whether variables have been reported yet.
    reported: bool,
    /// The number of threads or tasks that wait, for an answer or for something from outside.
    n_waiting: usize,
    /// The number of messages from other nodes that have arrived.
    received: u64,
    /// Whether nothing will come any more.
    closed: bool,
}

#[derive(Default)]
struct Standing {
    answer: Option<Answer>,
    /// Wakes the task that waits for the answer.
    waker: Option<Waker>,
}

impl Desk {
    /// Connects to the testbed. `None` if it can't be reached and `lost` has returned.
    pub(super) fn connect(environment: &Environment, n_parties: usize, lost: fn(&Ending)) -> Option<Desk> {
        let papers = Arc::new(Papers::default());
        let manner = Manner { says_still: n_parties > 0, takes_delivery: false };
        let hearing = papers.clone();
        let link = Link::connect(environment, manner, lost, move |told| hearing.hear(told, lost))?;
        Some(Desk { link, papers, n_parties })
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        held(&self.papers.content)
    }

    /// Updates variables.
    pub(super) fn hold(&self, variables: &impl Variables) {
        variables.variables(&mut self.content().variables);
    }

    /// Updates one variable.
    pub(super) fn hold_one(&self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.content().variables.add(name, value);
    }

    /// Reports the present variables.
    pub(super) fn report(&self) {
        let mut content = self.content();
        content.reported = true;
        self.link.say(&[FromNode::Report { variables: content.variables.clone().into_values() }]);
    }

    /// Offers an action. Before the first offer, the variables are reported, so that the testbed knows the initial
    /// state.
    pub(super) fn offer(&self, action: &Action) -> u64 {
        let id = self.link.next_id();
        let Action { name, args, message } = action.clone();
        let offer = FromNode::Offer(Offer { id, action: name.into_owned(), args, message });
        let mut content = self.content();
        content.offers.insert(id, Standing::default());
        let mut said = Vec::new();
        if !std::mem::replace(&mut content.reported, true) {
            said.push(FromNode::Report { variables: content.variables.clone().into_values() });
        }
        said.push(offer);
        self.begin_to_wait(&mut content, said);
        id
    }

    /// Says that an action is done; `unknown` if the node does not know what it was asked for.
    pub(super) fn done(&self, id: u64, unknown: bool) {
        let variables = self.content().variables.clone().into_values();
        self.link.say(&[FromNode::Done(Done { id, variables, sent: self.link.take_sent(), unknown })]);
    }

    /// Waits for the answer to an offer.
    pub(super) fn wait(&self, id: u64) -> Answer {
        let mut content = self.content();
        loop {
            if let Some(answer) = content.take_answer(id) {
                return answer;
            }
            content = self.papers.bell.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The answer to an offer, if there is one. Otherwise the task is woken when it comes.
    pub(super) fn poll(&self, id: u64, waker: &Waker) -> Option<Answer> {
        let mut content = self.content();
        let answer = content.take_answer(id);
        if let Some(standing) = content.offers.get_mut(&id) {
            standing.waker = Some(waker.clone());
        }
        answer
    }

    /// Withdraws an offer, because its task was cancelled.
    pub(super) fn withdraw(&self, id: u64) {
        let mut content = self.content();
        if content.offers.remove(&id).is_some_and(|standing| standing.answer.is_none()) {
            content.n_waiting -= 1;
        }
        self.link.say(&[FromNode::Withdraw { id }]);
    }

    /// Waits for a request of the testbed. `None` if there will be none.
    pub(super) fn wait_for_request(&self) -> Option<Request> {
        let mut content = self.content();
        self.begin_to_wait(&mut content, Vec::new());
        loop {
            if let Some(request) = content.requests.pop_front() {
                content.n_waiting -= 1;
                return Some(request);
            }
            if content.closed {
                return None;
            }
            content = self.papers.bell.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts this thread or task as waiting for something from outside.
    pub(super) fn idle_begins(&self) {
        self.begin_to_wait(&mut self.content(), Vec::new());
    }

    /// Ends such a wait.
    pub(super) fn idle_ends(&self) {
        self.content().n_waiting -= 1;
    }

    /// Counts a message of another node.
    pub(super) fn received(&self) {
        self.content().received += 1;
    }

    /// Counts one more waiting party, which has something to say first. If it is the last one, the node stands still.
    fn begin_to_wait(&self, content: &mut Content, mut said: Vec<FromNode>) {
        content.n_waiting += 1;
        if content.n_waiting == self.n_parties {
            said.push(FromNode::Still { received: content.received });
        }
        self.link.say(&said);
    }
}

impl Papers {
    /// Handles what the testbed says.
    fn hear(&self, told: Option<ToNode>, lost: fn(&Ending)) {
        let mut content = held(&self.content);
        match told {
            None => content.close(),
            Some(ToNode::Go { id }) => content.answer(id, Answer::Go),
            Some(ToNode::Drop { id }) => content.answer(id, Answer::Drop),
            Some(ToNode::Twice { id }) => content.answer(id, Answer::Twice),
            Some(ToNode::Request(request)) => content.requests.push_back(request),
            // This node has said in its `Hello` that it takes no deliveries.
            Some(ToNode::Welcome { .. } | ToNode::Deliver { .. }) => {}
            Some(ToNode::Stop {}) => {
                content.close();
                drop(content);
                lost(&Ending::Stopped);
            }
        }
        self.bell.notify_all();
    }
}

impl Content {
    /// Stores an answer. If the answer crossed a withdrawal, its offer does not exist any more. The party counts as
    /// busy from now on, even before it is scheduled. Otherwise another party might say that the node stands still.
    fn answer(&mut self, id: u64, answer: Answer) {
        let Some(standing) = self.offers.get_mut(&id) else { return };
        if standing.answer.replace(answer).is_none() {
            self.n_waiting -= 1;
        }
        if let Some(waker) = standing.waker.take() {
            waker.wake();
        }
    }

    fn take_answer(&mut self, id: u64) -> Option<Answer> {
        let left_alone = self.closed.then_some(Answer::Go);
        let answer = self.offers.get(&id).map_or(Some(Answer::Go), |standing| standing.answer.or(left_alone));
        if answer.is_some() {
            self.offers.remove(&id);
        }
        answer
    }

    /// Lets all parties go, because nobody is in control any more.
    fn close(&mut self) {
        self.closed = true;
        let ids: Vec<u64> = self.offers.keys().copied().collect();
        for id in ids {
            self.answer(id, Answer::Go);
        }
    }
}
