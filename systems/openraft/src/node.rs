//! A node of the library as a machine. An action is a timer, a message or a client's request, and everything that the
//! library's tasks then do until all of them wait.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use kilter_held::{Runtime, TimerId};
use kilter_testbed::{Call, Machine, NodeName, Outbox};
use openraft::raft::AppendEntriesResponse;
use openraft::storage::Snapshot;
use openraft::{Config, Entry, EntryPayload, Instant as _, Membership, Raft, ServerState, SnapshotPolicy};
use serde_json::{Map, Value as Json, json};

use crate::network::{Answer, Appended, Factory, Key, Kind, Question, Wires};
use crate::show;
use crate::store::{Applied, Store};
use crate::types::{Id, Instant, LogId, Types, Vote};

/// The names of all nodes. The library numbers them from 1 in this order.
pub type Names = Arc<[NodeName]>;

/// So long that heartbeats alone never make a lease end.
const ELECTION_MS: u64 = 1_000_000;
const HEARTBEAT_MS: u64 = 10;
/// Longer than a lease, an election timeout, and what is added where another node has a longer log.
const LONG: Duration = Duration::from_millis(100 * ELECTION_MS);

/// A node of the cluster.
pub struct Node {
    id: Id,
    names: Names,
    /// What survives a crash.
    store: Store,
    wires: Wires,
    /// `None` after a crash, until it starts again.
    running: Option<Running>,
    seen: Seen,
}

/// What a crash ends.
struct Running {
    runtime: Runtime,
    raft: Raft<Types>,
    applied: Applied,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.runtime.crash();
    }
}

/// What the library says of its state.
struct Seen {
    vote: Vote,
    /// `None` after a crash.
    role: Option<ServerState>,
    commit: Option<LogId>,
    lease: bool,
    matched: Vec<(Id, Option<LogId>)>,
    log: Vec<Json>,
}

/// A message to another node.
#[derive(Clone)]
pub struct Message {
    /// How it is shown; this is all that tells messages apart.
    shown: Json,
    from: Id,
    key: Key,
    body: Arc<Body>,
}

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
    /// The tick of a leader: it sends heartbeats.
    Heartbeat,
    /// The tick of anybody else, long after it has heard of a leader.
    Election,
    /// Time passes, until votes may be given again.
    Lease,
    /// It starts after a crash.
    Boot,
    /// The time for an answer to an append or a snapshot is over.
    GiveUp(Key, TimerId),
}

impl Node {
    /// Makes a node that knows the members of the cluster and has done nothing yet.
    pub fn new(name: &NodeName, names: &Names) -> Node {
        let id = 1 + names.iter().position(|other| other == name).unwrap_or(0) as Id;
        let store = Store::default();
        let voters: BTreeSet<Id> = (1..=names.len() as Id).collect();
        let members = Membership::new(vec![voters], None);
        let first = Entry { log_id: LogId::default(), payload: EntryPayload::Membership(members) };
        store.content().log.insert(0, first);
        let wires = Wires::default();
        let running = start(id, &store, &wires).expect("the library starts on its first entry");
        let seen = look(id, &running, &store, names).expect("the library runs");
        Node { id, names: names.clone(), store, wires, running: Some(running), seen }
    }

    fn running(&self) -> Result<&Running, String> {
        self.running.as_ref().ok_or_else(|| "it is down".to_owned())
    }

    /// Lets some time pass, then the library's tick come.
    fn tick(&self, after: Duration) -> Result<(), String> {
        let runtime = &self.running()?.runtime;
        runtime.advance(after);
        let sleeps = runtime.sleeps();
        let [(tick, _)] = sleeps[..] else {
            return Err(format!("the library sleeps {} times, not once", sleeps.len()));
        };
        runtime.run_out(tick);
        Ok(())
    }

    /// Runs until all tasks wait, sends what they have asked others, and looks at the state.
    fn settle(&mut self, outbox: &mut Outbox<Message>) -> Result<(), String> {
        let running = self.running()?;
        running.runtime.settle()?;
        self.seen = look(self.id, running, &self.store, &self.names)?;
        for (key, question) in self.wires.take_sent() {
            let shown = show::question(self.id, &key, &question, &self.names);
            let message = Message { shown, from: self.id, key, body: Arc::new(Body::Question(question)) };
            self.send(key.to, message, outbox);
        }
        Ok(())
    }

    fn send(&self, to: Id, message: Message, outbox: &mut Outbox<Message>) {
        outbox.send_to(usize::try_from(to).unwrap_or(usize::MAX).wrapping_sub(1), message);
        debug_assert!((1..=self.names.len() as Id).contains(&to), "only members are sent messages");
    }

    /// The answer of this node to a question.
    fn ask(&self, question: Question) -> Result<Answer, String> {
        let running = self.running()?;
        let raft = running.raft.clone();
        let answer = running.runtime.run(async move {
            match question {
                Question::Vote(request) => {
                    raft.vote(request).await.map(Answer::Vote).map_err(|error| error.to_string())
                }
                Question::Append(request) => {
                    let answer = raft.append_entries(request).await.map_err(|error| error.to_string())?;
                    Ok(Answer::Append(match answer {
                        AppendEntriesResponse::Success => Appended::Success,
                        AppendEntriesResponse::Conflict => Appended::Conflict,
                        AppendEntriesResponse::HigherVote(vote) => Appended::Higher(vote),
                        AppendEntriesResponse::PartialSuccess(_) => {
                            return Err("a part was appended".to_owned());
                        }
                    }))
                }
                Question::Snapshot(vote, meta, bytes) => {
                    let snapshot = Snapshot { meta, snapshot: Box::new(Cursor::new(bytes)) };
                    let answer = raft.install_full_snapshot(vote, snapshot).await;
                    answer.map(|answer| Answer::Snapshot(answer.vote)).map_err(|error| error.to_string())
                }
            }
        })?;
        answer.ok_or_else(|| "it does not answer".to_owned())?
    }
}

fn start(id: Id, store: &Store, wires: &Wires) -> Result<Running, String> {
    let config = Config {
        election_timeout_min: ELECTION_MS,
        election_timeout_max: ELECTION_MS + 1,
        heartbeat_interval: HEARTBEAT_MS,
        snapshot_policy: SnapshotPolicy::Never,
        max_in_snapshot_log_to_keep: 0,
        ..Config::default()
    };
    let config = Arc::new(config.validate().map_err(|error| error.to_string())?);
    let runtime = Runtime::default();
    let applied = Applied::new(store);
    let raft = Raft::new(id, config, Factory(wires.clone()), store.clone(), applied.clone());
    let raft = runtime.run(raft)?.ok_or("the library waits at its start")?;
    let raft = raft.map_err(|error| error.to_string())?;
    runtime.settle()?;
    Ok(Running { runtime, raft, applied })
}

/// Reads the state of the library.
fn look(id: Id, running: &Running, store: &Store, names: &Names) -> Result<Seen, String> {
    let asked = running.raft.clone();
    let state = running.runtime.run(async move {
        let lease = Duration::from_millis(asked.config().election_timeout_max);
        let read = asked.with_raft_state(move |state| {
            let heard = state.vote_last_modified().unwrap_or_else(Instant::now);
            let lease = state.vote_ref().committed && Instant::now() <= heard + lease;
            (*state.vote_ref(), state.server_state, state.committed, lease)
        });
        read.await.map_err(|error| error.to_string())
    })?;
    let (vote, role, commit, lease) = state.ok_or("the library does not say its state")??;
    let metrics = running.raft.metrics().borrow().clone();
    metrics.running_state.map_err(|error| error.to_string())?;
    let matched = metrics.replication.into_iter().flatten().filter(|(other, _)| *other != id).collect();
    Ok(Seen { vote, role: Some(role), commit, lease, matched, log: log(store, names) })
}

fn log(store: &Store, names: &Names) -> Vec<Json> {
    store.content().log.values().map(|entry| show::entry(entry, names)).collect()
}

impl Machine for Node {
    type Action = Timer;
    type Message = Message;

    fn actions(&self) -> Vec<Timer> {
        let tick = match self.seen.role {
            None => return vec![Timer::Boot],
            Some(ServerState::Leader) => Timer::Heartbeat,
            Some(_) => Timer::Election,
        };
        let lease = self.seen.lease.then_some(Timer::Lease);
        // Nobody waits for votes any longer when the timer for elections has run out, so these calls are never given up.
        let calls = self.wires.timed().into_iter().filter(|(key, _)| key.kind != Kind::Vote);
        let calls = calls.map(|(key, timer)| Timer::GiveUp(key, timer));
        [tick].into_iter().chain(lease).chain(calls).collect()
    }

    fn call(&self, action: &Timer) -> Call {
        match action {
            Timer::Heartbeat => Call::new("Heartbeat", []),
            Timer::Election => Call::new("Timeout", []),
            Timer::Lease => Call::new("LeaseEnds", []),
            Timer::Boot => Call::new("Boot", []),
            Timer::GiveUp(key, _) => Call::new("GiveUp", [show::name(key.to, &self.names)]),
        }
    }

    fn act(&mut self, action: Timer, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match action {
            Timer::Heartbeat => self.tick(Duration::from_millis(HEARTBEAT_MS))?,
            Timer::Election => self.tick(LONG)?,
            Timer::Lease => self.running()?.runtime.advance(LONG),
            Timer::GiveUp(_, timer) => {
                self.wires.next_era();
                self.running()?.runtime.run_out(timer);
            }
            Timer::Boot => self.running = Some(start(self.id, &self.store, &self.wires)?),
        }
        self.settle(outbox)
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        self.running.as_ref()?;
        let name = match &*message.body {
            Body::Question(Question::Vote(_)) => "HandleVote",
            Body::Question(Question::Append(_)) => "HandleAppend",
            Body::Question(Question::Snapshot(..)) => "HandleSnapshot",
            Body::Answer(Answer::Vote(_)) => "HandleVoteAnswer",
            Body::Answer(Answer::Append(_)) => "HandleAppendAnswer",
            Body::Answer(Answer::Snapshot(_)) => "HandleSnapshotAnswer",
        };
        Some(Call::new(name, []))
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match &*message.body {
            Body::Question(question) => {
                let answer = self.ask(question.clone())?;
                let shown = show::answer(self.id, message.from, &message.key, &answer, &self.names);
                let body = Arc::new(Body::Answer(answer));
                self.send(message.from, Message { shown, from: self.id, key: message.key, body }, outbox);
            }
            Body::Answer(answer) => self.wires.answer(&message.key, answer.clone()),
        }
        self.settle(outbox)
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Message>) -> Result<(), String> {
        let Running { runtime, raft, .. } = self.running()?;
        let raft = raft.clone();
        match (action, args) {
            ("ClientRequest", [value]) => {
                let value = value.as_u64().ok_or_else(|| format!("{value} is no request"))?;
                let asked = runtime.run(async move { raft.client_write_ff(value).await.map(drop) })?;
                asked.ok_or("it does not take requests")?.map_err(|error| error.to_string())?;
            }
            ("TakeSnapshot", []) => {
                let asked = runtime.run(async move { raft.trigger().snapshot().await })?;
                asked.ok_or("it does not take requests")?.map_err(|error| error.to_string())?;
            }
            _ => return Err(format!("there is no request {action} with {} arguments", args.len())),
        }
        self.settle(outbox)
    }

    fn variables(&self) -> Map<String, Json> {
        let (seen, names) = (&self.seen, &self.names);
        let position = |id: Option<&LogId>| id.map_or(0, |id| id.index + 1);
        let named = |(id, log_id): &(Id, Option<LogId>)| {
            Some((show::name(*id, names).as_str()?.to_owned(), Json::from(position(log_id.as_ref()))))
        };
        let matched: Map<String, Json> = seen.matched.iter().filter_map(named).collect();
        let role = seen.role.map_or_else(|| "Down".to_owned(), |role| format!("{role:?}"));
        Map::from_iter([
            ("vote".to_owned(), show::vote(&seen.vote, names)),
            ("role".to_owned(), Json::from(role)),
            ("commit".to_owned(), Json::from(position(seen.commit.as_ref()))),
            (
                "applied".to_owned(),
                json!(self.running.as_ref().map(|running| running.applied.state().requests.clone())),
            ),
            ("lease".to_owned(), Json::from(seen.lease)),
            ("match".to_owned(), Json::from(matched)),
            ("log".to_owned(), Json::from(seen.log.clone())),
        ])
    }

    fn show(message: &Message) -> Json {
        message.shown.clone()
    }

    /// Only the store stays. The library starts with the next action, since it may send messages then.
    fn restart(&mut self) -> Result<(), String> {
        self.running = None;
        self.wires.next_era();
        // Nobody waits for the answers to what was about to be sent, and it was not sent.
        self.wires.take_sent();
        let vote = self.store.content().vote.unwrap_or_default();
        let log = log(&self.store, &self.names);
        self.seen = Seen { vote, role: None, commit: None, lease: false, matched: Vec::new(), log };
        Ok(())
    }
}
