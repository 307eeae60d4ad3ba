//! The library as a node: how it starts, what it does by itself, and what is seen of it.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::io::Cursor;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use kilter_held::{Key, Library, Names, Runtime};
use kilter_testbed::Call;
use openraft::raft::AppendEntriesResponse;
use openraft::storage::Snapshot;
use openraft::{
    Config, EmptyNode, Entry, EntryPayload, Instant as _, Membership, ServerState, SnapshotPolicy,
};
use serde_json::{Map, Value as Json, json};

use crate::network::{Answer, Appended, Factory, Question, Session, Wires};
use crate::show;
use crate::store::{Applied, Store};
use crate::types::{Id, Instant, LogId, Types, Vote};

/// So long that heartbeats alone never make a lease end.
const ELECTION_MS: u64 = 1_000_000;
const HEARTBEAT_MS: u64 = 10;
/// Longer than a lease, an election timeout, and what is added where another node has a longer log.
const LONG: Duration = Duration::from_millis(100 * ELECTION_MS);

/// What a node stores, and who it is. So many of the last nodes are no members at first, and have stored nothing.
pub struct OpenRaft<const JOINING: u64 = 0> {
    id: Id,
    names: Names,
    store: Store,
}

/// The library, and what it says of itself.
pub struct Raft {
    raft: openraft::Raft<Types>,
    applied: Applied,
    seen: Seen,
}

type Running = kilter_held::Running<Raft>;

/// What the library says of its state.
struct Seen {
    vote: Vote,
    role: ServerState,
    commit: Option<LogId>,
    lease: bool,
    matched: Vec<(Id, Option<LogId>)>,
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
}

/// Lets some time pass, then the library's tick come.
fn tick(runtime: &Runtime, after: Duration) -> Result<(), String> {
    runtime.advance(after);
    let sleeps = runtime.sleeps();
    let [(tick, _)] = sleeps[..] else {
        return Err(format!("the library sleeps {} times, not once", sleeps.len()));
    };
    runtime.run_out(tick);
    Ok(())
}

/// Reads the state of the library.
fn look(id: Id, runtime: &Runtime, raft: &openraft::Raft<Types>) -> Result<Seen, String> {
    let asked = raft.clone();
    let state = runtime.run(async move {
        let lease = Duration::from_millis(asked.config().election_timeout_max);
        let read = asked.with_raft_state(move |state| {
            let heard = state.vote_last_modified().unwrap_or_else(Instant::now);
            let lease = state.vote_ref().committed && Instant::now() <= heard + lease;
            (*state.vote_ref(), state.server_state, state.committed, lease)
        });
        read.await.map_err(|error| error.to_string())
    })?;
    let (vote, role, commit, lease) = state.ok_or("the library does not say its state")??;
    let metrics = raft.metrics().borrow().clone();
    metrics.running_state.map_err(|error| error.to_string())?;
    let matched = metrics.replication.into_iter().flatten().filter(|(other, _)| *other != id).collect();
    Ok(Seen { vote, role, commit, lease, matched })
}

impl<const JOINING: u64> OpenRaft<JOINING> {
    /// The number of a node.
    fn id_of(&self, name: &Json) -> Result<Id, String> {
        let name = name.as_str().ok_or_else(|| format!("{name} is no node"))?;
        Ok(self.names.id(&name.into()))
    }
}

/// Makes a request. Whoever has made it no longer waits when all tasks of the library do, so it does nothing more then.
fn ask<T, E: ToString>(
    runtime: &Runtime,
    request: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<(), String> {
    let has_left = Arc::new(AtomicBool::new(false));
    let leaves = Arc::clone(&has_left);
    let asked = async move {
        let mut request = pin!(request);
        let answer = poll_fn(|context| {
            if leaves.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
            request.as_mut().poll(context).map_ok(drop).map_err(|error| error.to_string())
        });
        answer.await
    };
    let answer = runtime.run(asked)?;
    has_left.store(true, Ordering::Relaxed);
    answer.unwrap_or(Ok(()))
}

impl<const JOINING: u64> Library for OpenRaft<JOINING> {
    type Raft = Raft;
    type Term = Session;
    type Question = Question;
    type Answer = Answer;
    type Timer = Timer;

    fn new(id: Id, names: &Names) -> Self {
        let store = Store::default();
        let members = names.ids().count() as u64 - JOINING;
        if id <= members {
            let members = Membership::new(vec![(1..=members).collect::<BTreeSet<Id>>()], None);
            let first = Entry { log_id: LogId::default(), payload: EntryPayload::Membership(members) };
            store.content().log.insert(0, first);
        }
        OpenRaft { id, names: names.clone(), store }
    }

    fn start(&self, runtime: &Runtime, wires: &Wires) -> Result<Raft, String> {
        let config = Config {
            election_timeout_min: ELECTION_MS,
            election_timeout_max: ELECTION_MS + 1,
            heartbeat_interval: HEARTBEAT_MS,
            snapshot_policy: SnapshotPolicy::Never,
            max_in_snapshot_log_to_keep: 0,
            ..Config::default()
        };
        let config = Arc::new(config.validate().map_err(|error| error.to_string())?);
        let (network, applied) = (Factory::new(wires), Applied::new(&self.store));
        let raft = openraft::Raft::new(self.id, config, network, self.store.clone(), applied.clone());
        let raft = runtime.run(raft)?.ok_or("the library waits at its start")?;
        let raft = raft.map_err(|error| error.to_string())?;
        let seen = look(self.id, runtime, &raft)?;
        Ok(Raft { raft, applied, seen })
    }

    fn look(&self, running: &mut Running) -> Result<(), String> {
        running.raft.seen = look(self.id, &running.runtime, &running.raft.raft)?;
        Ok(())
    }

    fn timers(&self, running: &Running) -> Vec<Timer> {
        let seen = &running.raft.seen;
        let tick = if seen.role == ServerState::Leader { Timer::Heartbeat } else { Timer::Election };
        [tick].into_iter().chain(seen.lease.then_some(Timer::Lease)).collect()
    }

    fn call(&self, timer: &Timer) -> Call {
        match timer {
            Timer::Heartbeat => Call::new("Heartbeat", []),
            Timer::Election => Call::new("Timeout", []),
            Timer::Lease => Call::new("LeaseEnds", []),
        }
    }

    fn run_out(&self, timer: Timer, running: &mut Running) -> Result<(), String> {
        match timer {
            Timer::Heartbeat => tick(&running.runtime, Duration::from_millis(HEARTBEAT_MS)),
            Timer::Election => tick(&running.runtime, LONG),
            Timer::Lease => {
                running.runtime.advance(LONG);
                Ok(())
            }
        }
    }

    fn answer(&self, question: &Question, running: &mut Running) -> Result<Answer, String> {
        let (raft, question) = (running.raft.raft.clone(), question.clone());
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

    fn request(&self, action: &str, args: &[Json], running: &Running) -> Result<(), String> {
        let (runtime, raft) = (&running.runtime, running.raft.raft.clone());
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
            ("AddLearner", [name]) => {
                let id = self.id_of(name)?;
                ask(runtime, async move { raft.add_learner(id, EmptyNode {}, false).await })?;
            }
            ("ChangeVoters", [Json::Array(goal)]) => {
                let goal =
                    goal.iter().map(|name| self.id_of(name)).collect::<Result<BTreeSet<Id>, String>>()?;
                ask(runtime, async move { raft.change_membership(goal, false).await })?;
            }
            _ => return Err(format!("there is no request {action} with {} arguments", args.len())),
        }
        Ok(())
    }

    fn variables(&self, running: Option<&Running>) -> Map<String, Json> {
        let (names, content) = (&self.names, self.store.content());
        let seen = running.map(|running| &running.raft.seen);
        let vote = seen.map_or(content.vote.unwrap_or_default(), |seen| seen.vote);
        let position = |id: Option<&LogId>| id.map_or(0, |id| id.index + 1);
        let named = |(id, log_id): &(Id, Option<LogId>)| {
            Some((names.show(*id).as_str()?.to_owned(), Json::from(position(log_id.as_ref()))))
        };
        let matched: Map<String, Json> =
            seen.iter().flat_map(|seen| &seen.matched).filter_map(named).collect();
        let role = seen.map_or_else(|| "Down".to_owned(), |seen| format!("{:?}", seen.role));
        let commit = position(seen.and_then(|seen| seen.commit.as_ref()));
        let applied = running.map(|running| show::requests(&running.raft.applied.state().requests));
        let gone = content.purged.iter().flat_map(|last| show::gone(last, names));
        let log: Vec<Json> =
            gone.chain(content.log.values().map(|entry| show::entry(entry, names))).collect();
        Map::from_iter([
            ("vote".to_owned(), show::vote(&vote, names)),
            ("role".to_owned(), Json::from(role)),
            ("commit".to_owned(), Json::from(commit)),
            ("applied".to_owned(), applied.unwrap_or_else(|| json!([]))),
            ("snapshot".to_owned(), show::snapshot(content.snapshot.as_ref(), names)),
            ("lease".to_owned(), Json::from(seen.is_some_and(|seen| seen.lease))),
            ("match".to_owned(), Json::from(matched)),
            ("log".to_owned(), Json::from(log)),
        ])
    }

    fn show_question(&self, key: &Key<Session>, question: &Question) -> Json {
        show::question(self.id, key, question, &self.names)
    }

    fn show_answer(&self, to: Id, key: &Key<Session>, answer: &Answer) -> Json {
        show::answer(self.id, to, key, answer, &self.names)
    }
}
