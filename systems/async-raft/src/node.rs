//! A node of the library as a machine. An action is a timer, a message or a client's request, and everything that the
//! library's tasks then do until all of them wait.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_raft::raft::{AppendEntriesRequest, ClientWriteRequest, VoteRequest};
use async_raft::{Config, Raft, State};
use kilter_held::{Runtime, TimerId};
use kilter_testbed::{Call, Machine, NodeName, Outbox};
use serde_json::{Map, Value as Json, json};

use crate::network::{Answer, Key, Network, Question, Streams, Wires};
use crate::show;
use crate::store::{Answered, Request, Store};

/// The names of all nodes. The library numbers them from 1 in this order.
pub type Names = Arc<[NodeName]>;

const ELECTION_MS: u64 = 1_000_000;
const HEARTBEAT_MS: u64 = 10;
/// Longer than the time for which a node that has heard of a leader gives no votes.
const LONG: Duration = Duration::from_millis(100 * ELECTION_MS);

/// A node of the cluster.
pub struct Node {
    id: u64,
    names: Names,
    /// What survives a crash, but for what the state machine holds.
    store: Store,
    wires: Wires,
    streams: Streams,
    /// `None` after a crash, until it starts again.
    running: Option<Running>,
    /// Whether it may have heard of a leader since its clock was last moved.
    has_heard: bool,
}

/// What a crash ends.
struct Running {
    runtime: Runtime,
    raft: Raft<Request, Answered, Network, Store>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.runtime.crash();
    }
}

/// A message to another node.
#[derive(Clone)]
pub struct Message {
    /// How it is shown; this is all that tells messages apart.
    shown: Json,
    from: u64,
    key: Key,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Question(Question),
    Answer(Answer),
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.shown == other.shown
    }
}

/// What a node does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The timer for elections runs out.
    Election(TimerId),
    /// The timer of a leader for heartbeats to another node runs out.
    Heartbeat(u64, TimerId),
    /// Time passes, until votes may be given again.
    Lease,
    /// The time for an answer to an append is over.
    GiveUp(Key, TimerId),
    /// It starts after a crash.
    Boot,
}

impl Node {
    /// Makes a node that knows the members of the cluster and has done nothing yet.
    pub fn new(name: &NodeName, names: &Names) -> Node {
        let id = 1 + names.iter().position(|other| other == name).unwrap_or(0) as u64;
        let store = Store::new(1..=names.len() as u64);
        let (wires, streams) = (Wires::default(), Streams::default());
        let running = start(id, &store, &wires, &streams).expect("the library starts");
        Node { id, names: names.clone(), store, wires, streams, running: Some(running), has_heard: false }
    }

    fn running(&self) -> Result<&Running, String> {
        self.running.as_ref().ok_or_else(|| "it is down".to_owned())
    }

    /// Runs until all tasks wait, and sends what they have asked others.
    fn settle(&mut self, outbox: &mut Outbox<Message>) -> Result<(), String> {
        let running = self.running()?;
        running.runtime.settle()?;
        if running.raft.metrics().borrow().state == State::Shutdown {
            return Err("it has shut itself down".to_owned());
        }
        for (key, question) in self.wires.take_sent() {
            let shown = show::question(self.id, &key, &question, &self.names);
            send(key.to, Message { shown, from: self.id, key, body: Body::Question(question) }, outbox);
        }
        Ok(())
    }

    /// The answer of this node to a question.
    fn ask(&self, question: &Question) -> Result<Answer, String> {
        let running = self.running()?;
        let (raft, question) = (running.raft.clone(), question.clone());
        let answer = running.runtime.run(async move {
            match question {
                Question::Vote(request) => {
                    let copy = VoteRequest { ..*request };
                    let answer = raft.vote(copy).await.map_err(|error| error.to_string())?;
                    Ok(Answer::Vote(answer.term, answer.vote_granted))
                }
                Question::Append(request) => {
                    let copy = AppendEntriesRequest { entries: request.entries.clone(), ..*request };
                    let answer = raft.append_entries(copy).await.map_err(|error| error.to_string())?;
                    let conflict = answer.conflict_opt.map(|conflict| (conflict.term, conflict.index));
                    Ok(Answer::Append(answer.term, answer.success, conflict))
                }
            }
        })?;
        answer.ok_or_else(|| "it does not answer".to_owned())?
    }
}

fn send(to: u64, message: Message, outbox: &mut Outbox<Message>) {
    outbox.send_to(usize::try_from(to).unwrap_or(usize::MAX).wrapping_sub(1), message);
}

fn start(id: u64, store: &Store, wires: &Wires, streams: &Streams) -> Result<Running, String> {
    let config = Config::build("kilter".to_owned())
        .election_timeout_min(ELECTION_MS)
        .election_timeout_max(ELECTION_MS + 1)
        .heartbeat_interval(HEARTBEAT_MS)
        .validate()
        .map_err(|error| error.to_string())?;
    let runtime = Runtime::default();
    let network = Network { wires: wires.clone(), streams: streams.clone() };
    let raft = runtime.enter(|| Raft::new(id, Arc::new(config), Arc::new(network), Arc::new(store.clone())));
    runtime.settle()?;
    Ok(Running { runtime, raft })
}

impl Machine for Node {
    type Action = Timer;
    type Message = Message;

    fn actions(&self) -> Vec<Timer> {
        let Some(running) = &self.running else { return vec![Timer::Boot] };
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let sleep = |(timer, task): (TimerId, u64)| match streams.get(&task) {
            Some(to) => Timer::Heartbeat(*to, timer),
            None => Timer::Election(timer),
        };
        let sleeps = running.runtime.sleeps().into_iter().map(sleep);
        let lease = self.has_heard.then_some(Timer::Lease);
        let calls = self.wires.timed().into_iter().map(|(key, timer)| Timer::GiveUp(key, timer));
        sleeps.chain(lease).chain(calls).collect()
    }

    fn call(&self, action: &Timer) -> Call {
        match action {
            Timer::Election(_) => Call::new("Timeout", []),
            Timer::Heartbeat(to, _) => Call::new("Heartbeat", [show::name(*to, &self.names)]),
            Timer::Lease => Call::new("LeaseEnds", []),
            Timer::GiveUp(key, _) => Call::new("GiveUp", [show::name(key.to, &self.names)]),
            Timer::Boot => Call::new("Boot", []),
        }
    }

    fn act(&mut self, action: Timer, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match action {
            Timer::Election(timer) => {
                self.has_heard = false;
                let runtime = &self.running()?.runtime;
                runtime.advance(LONG);
                runtime.run_out(timer);
            }
            Timer::Heartbeat(_, timer) => {
                self.running()?.runtime.run_out(timer);
            }
            Timer::Lease => {
                self.has_heard = false;
                self.running()?.runtime.advance(LONG);
            }
            Timer::GiveUp(_, timer) => {
                self.wires.next_era();
                self.running()?.runtime.run_out(timer);
            }
            Timer::Boot => self.running = Some(start(self.id, &self.store, &self.wires, &self.streams)?),
        }
        self.settle(outbox)
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        self.running.as_ref()?;
        let name = match &message.body {
            Body::Question(Question::Vote(_)) => "HandleVote",
            Body::Question(Question::Append(_)) => "HandleAppend",
            Body::Answer(Answer::Vote(..)) => "HandleVoteAnswer",
            Body::Answer(Answer::Append(..)) => "HandleAppendAnswer",
        };
        Some(Call::new(name, []))
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match &message.body {
            Body::Question(question) => {
                self.has_heard |= matches!(question, Question::Append(_));
                let answer = self.ask(question)?;
                let shown = show::answer(self.id, message.from, &message.key, &answer, &self.names);
                let body = Body::Answer(answer);
                send(message.from, Message { shown, from: self.id, key: message.key, body }, outbox);
            }
            Body::Answer(answer) => self.wires.answer(&message.key, *answer),
        }
        self.settle(outbox)
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Message>) -> Result<(), String> {
        let ("ClientRequest", [value]) = (action, args) else {
            return Err(format!("there is no request {action} with {} arguments", args.len()));
        };
        let value = value.as_u64().ok_or_else(|| format!("{value} is no request"))?;
        let Running { runtime, raft } = self.running()?;
        let raft = raft.clone();
        // The client waits for its answer as long as it likes.
        runtime.run(async move {
            raft.client_write(ClientWriteRequest::new(Request(value))).await.map(drop).ok()
        })?;
        self.settle(outbox)
    }

    fn variables(&self) -> Map<String, Json> {
        let content = self.store.content();
        let (role, applied) = match &self.running {
            None => ("Down".to_owned(), 0),
            Some(running) => {
                let metrics = running.raft.metrics().borrow().clone();
                (format!("{:?}", metrics.state), metrics.last_applied)
            }
        };
        let vote = content.state.voted_for.map_or(Json::from("none"), |id| show::name(id, &self.names));
        let machine: Vec<Json> = content
            .applied
            .iter()
            .map(|(index, value)| json!({ "index": index, "value": value.to_string() }))
            .collect();
        Map::from_iter([
            ("term".to_owned(), Json::from(content.state.current_term)),
            ("vote".to_owned(), vote),
            ("role".to_owned(), Json::from(role)),
            ("commit".to_owned(), Json::from(applied)),
            ("machine".to_owned(), Json::from(machine)),
            ("log".to_owned(), Json::from(content.log.values().map(show::entry).collect::<Vec<Json>>())),
        ])
    }

    fn show(message: &Message) -> Json {
        message.shown.clone()
    }

    /// Only the store stays. The library starts with the next action, since it may send messages then.
    fn restart(&mut self) -> Result<(), String> {
        self.running = None;
        self.has_heard = false;
        self.store.content().applied.clear();
        self.streams.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.wires.next_era();
        self.wires.take_sent();
        Ok(())
    }
}
