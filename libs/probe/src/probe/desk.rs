//! What the threads of a node and the testbed hand to each other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use kilter_protocol::{Done, Environment, FromNode, Offer, Request, ToNode};
use serde_json::{Map, Value as Json};

use crate::Ending;
use crate::action::Action;
use crate::link::{Link, Manner, held};
use crate::variables::Variables;

/// What the testbed answers to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Go,
    Drop,
    Twice,
}

/// The desk: papers under a lock, a bell, and the way to the testbed.
pub(super) struct Desk {
    pub(super) link: Arc<Link>,
    papers: Arc<Papers>,
    /// How many threads or tasks take part; 0 if nobody has said.
    n_parties: usize,
}

#[derive(Default)]
struct Papers {
    content: Mutex<Content>,
    bell: Condvar,
}

#[derive(Default)]
struct Content {
    /// The offers that stand, or whose answer nobody has picked up yet.
    offers: BTreeMap<u64, Standing>,
    /// What the testbed asks for.
    requests: VecDeque<Request>,
    /// The latest value of every variable.
    variables: Map<String, Json>,
    /// True as soon as the testbed knows any variables.
    reported: bool,
    /// How many threads or tasks wait, for an answer or for the outside.
    n_waiting: usize,
    /// How many messages of other nodes have arrived.
    received: u64,
    /// True when nothing will come any more.
    closed: bool,
}

#[derive(Default)]
struct Standing {
    answer: Option<Answer>,
    /// The task to wake.
    waker: Option<Waker>,
}

impl Desk {
    /// Connects with the testbed. `None` if it can't be reached and `lost` has returned.
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

    /// Puts variables on the desk.
    pub(super) fn hold(&self, variables: &impl Variables) {
        variables.variables(&mut self.content().variables);
    }

    /// Puts one variable on the desk.
    pub(super) fn hold_one(&self, name: &str, value: Json) {
        self.content().variables.insert(name.to_owned(), value);
    }

    /// Reports the variables as they are.
    pub(super) fn report(&self) {
        let mut content = self.content();
        content.reported = true;
        self.link.say(&[FromNode::Report { variables: content.variables.clone() }]);
    }

    /// Offers an action. The first offer comes after a report, so that the testbed knows where the node begins.
    pub(super) fn offer(&self, action: &Action) -> u64 {
        let id = self.link.next_id();
        let Action { name, args, message } = action.clone();
        let offer = FromNode::Offer(Offer { id, action: name.into_owned(), args, message });
        let mut content = self.content();
        content.offers.insert(id, Standing::default());
        let mut said = Vec::new();
        if !std::mem::replace(&mut content.reported, true) {
            said.push(FromNode::Report { variables: content.variables.clone() });
        }
        said.push(offer);
        self.begin_to_wait(&mut content, said);
        id
    }

    /// Says that an action is done; `unknown` if the node does not know what it was asked for.
    pub(super) fn done(&self, id: u64, unknown: bool) {
        let variables = self.content().variables.clone();
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

    /// The answer to an offer if it is there, or a promise to wake the task when it is.
    pub(super) fn poll(&self, id: u64, waker: &Waker) -> Option<Answer> {
        let mut content = self.content();
        let answer = content.take_answer(id);
        if let Some(standing) = content.offers.get_mut(&id) {
            standing.waker = Some(waker.clone());
        }
        answer
    }

    /// Takes an offer back: its task has been cancelled.
    pub(super) fn withdraw(&self, id: u64) {
        let mut content = self.content();
        if content.offers.remove(&id).is_some_and(|standing| standing.answer.is_none()) {
            content.n_waiting -= 1;
        }
        self.link.say(&[FromNode::Withdraw { id }]);
    }

    /// Waits for a request of the testbed; `None` when there will be none.
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

    /// Begins to wait for the outside.
    pub(super) fn idle_begins(&self) {
        self.begin_to_wait(&mut self.content(), Vec::new());
    }

    /// Ends to wait for the outside.
    pub(super) fn idle_ends(&self) {
        self.content().n_waiting -= 1;
    }

    /// Counts a message of another node.
    pub(super) fn received(&self) {
        self.content().received += 1;
    }

    /// One more party waits, after saying something. If it was the last one, the node stands still.
    fn begin_to_wait(&self, content: &mut Content, mut said: Vec<FromNode>) {
        content.n_waiting += 1;
        if content.n_waiting == self.n_parties {
            said.push(FromNode::Still { received: content.received });
        }
        self.link.say(&said);
    }
}

impl Papers {
    /// Puts what the testbed says on the desk.
    fn hear(&self, told: Option<ToNode>, lost: fn(&Ending)) {
        let mut content = held(&self.content);
        match told {
            None => content.close(),
            Some(ToNode::Go { id }) => content.answer(id, Answer::Go),
            Some(ToNode::Drop { id }) => content.answer(id, Answer::Drop),
            Some(ToNode::Twice { id }) => content.answer(id, Answer::Twice),
            Some(ToNode::Request(request)) => content.requests.push_back(request),
            // The testbed was told in `Hello` that this node takes no deliveries.
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
    /// Notes an answer; one that crossed a withdrawal is for an offer that is no more. The party counts as busy from now on, whenever
    /// it will be scheduled: else another one might say that the node stands still.
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

    /// Lets everybody go: nobody is in control any more.
    fn close(&mut self) {
        self.closed = true;
        let ids: Vec<u64> = self.offers.keys().copied().collect();
        for id in ids {
            self.answer(id, Answer::Go);
        }
    }
}
