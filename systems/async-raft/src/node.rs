//! The library as a node: how it starts, what it does by itself, and what is seen of it.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_raft::raft::{AppendEntriesRequest, ClientWriteRequest, InstallSnapshotRequest, VoteRequest};
use async_raft::{Config, SnapshotPolicy, State};
use kilter_held::{Key, Library, Names, Runtime, TimerId};
use kilter_testbed::Call;
use serde_json::{Map, Value as Json};

use crate::network::{Answer, Network, Question, Streams, Wires};
use crate::show;
use crate::store::{Answered, Request, Store};

const ELECTION_MS: u64 = 1_000_000;
const HEARTBEAT_MS: u64 = 10;
/// Longer than the time for which a node that has heard of a leader gives no votes.
const LONG: Duration = Duration::from_millis(100 * ELECTION_MS);

/// What a node stores, and who it is. It makes a snapshot after so many entries; none if that is 0.
pub struct AsyncRaft<const SNAPSHOT: u64 = 0> {
    id: u64,
    names: Names,
    store: Store,
}

/// The library, and what it does not say of itself.
pub struct Raft {
    raft: async_raft::Raft<Request, Answered, Network, Store>,
    streams: Streams,
    /// Whether it may have heard of a leader since its clock was last moved.
    has_heard: bool,
}

type Running = kilter_held::Running<Raft>;

/// What a node does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The timer for elections runs out.
    Election(TimerId),
    /// The timer of a leader for heartbeats to another node runs out.
    Heartbeat(u64, TimerId),
    /// Time passes, until votes may be given again.
    Lease,
}

impl<const SNAPSHOT: u64> Library for AsyncRaft<SNAPSHOT> {
    type Raft = Raft;
    type Term = u64;
    type Question = Question;
    type Answer = Answer;
    type Timer = Timer;

    fn new(id: u64, names: &Names) -> Self {
        AsyncRaft { id, names: names.clone(), store: Store::new(names.ids()) }
    }

    fn start(&self, runtime: &Runtime, wires: &Wires) -> Result<Raft, String> {
        let config = Config::build("kilter".to_owned())
            .election_timeout_min(ELECTION_MS)
            .election_timeout_max(ELECTION_MS + 1)
            .heartbeat_interval(HEARTBEAT_MS)
            .snapshot_policy(SnapshotPolicy::LogsSinceLast(if SNAPSHOT == 0 { u64::MAX } else { SNAPSHOT }))
            .validate()
            .map_err(|error| error.to_string())?;
        let streams = Streams::default();
        let network = Arc::new(Network { wires: wires.clone(), streams: streams.clone() });
        let store = Arc::new(self.store.clone());
        let raft = runtime.enter(|| async_raft::Raft::new(self.id, Arc::new(config), network, store));
        Ok(Raft { raft, streams, has_heard: false })
    }

    fn look(&self, running: &mut Running) -> Result<(), String> {
        match running.raft.raft.metrics().borrow().state {
            State::Shutdown => Err("it has shut itself down".to_owned()),
            _ => Ok(()),
        }
    }

    fn timers(&self, running: &Running) -> Vec<Timer> {
        let streams = running.raft.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let sleep = |(timer, task): (TimerId, u64)| match streams.get(&task) {
            Some(to) => Timer::Heartbeat(*to, timer),
            None => Timer::Election(timer),
        };
        let sleeps = running.runtime.sleeps().into_iter().map(sleep);
        sleeps.chain(running.raft.has_heard.then_some(Timer::Lease)).collect()
    }

    fn call(&self, timer: &Timer) -> Call {
        match timer {
            Timer::Election(_) => Call::new("Timeout", []),
            Timer::Heartbeat(to, _) => Call::new("Heartbeat", [self.names.show(*to)]),
            Timer::Lease => Call::new("LeaseEnds", []),
        }
    }

    fn run_out(&self, timer: Timer, running: &mut Running) -> Result<(), String> {
        if matches!(timer, Timer::Election(_) | Timer::Lease) {
            running.raft.has_heard = false;
            running.runtime.advance(LONG);
        }
        if let Timer::Election(timer) | Timer::Heartbeat(_, timer) = timer {
            running.runtime.run_out(timer);
        }
        Ok(())
    }

    fn answer(&self, question: &Question, running: &mut Running) -> Result<Answer, String> {
        let raft = running.raft.raft.clone();
        // The library's requests can't be cloned.
        let answer = match question {
            Question::Vote(request) => {
                let copy = VoteRequest { ..*request };
                running.runtime.run(async move {
                    let answer = raft.vote(copy).await.map_err(|error| error.to_string())?;
                    Ok(Answer::Vote(answer.term, answer.vote_granted))
                })
            }
            Question::Append(request) => {
                running.raft.has_heard = true;
                let copy = AppendEntriesRequest { entries: request.entries.clone(), ..*request };
                running.runtime.run(async move {
                    let answer = raft.append_entries(copy).await.map_err(|error| error.to_string())?;
                    let conflict = answer.conflict_opt.map(|conflict| (conflict.term, conflict.index));
                    Ok(Answer::Append(answer.term, answer.success, conflict))
                })
            }
            Question::Snapshot(request) => {
                running.raft.has_heard = true;
                let copy = InstallSnapshotRequest { data: request.data.clone(), ..*request };
                running.runtime.run(async move {
                    let answer = raft.install_snapshot(copy).await.map_err(|error| error.to_string())?;
                    Ok(Answer::Snapshot(answer.term))
                })
            }
        };
        answer?.ok_or_else(|| "it does not answer".to_owned())?
    }

    fn request(&self, action: &str, args: &[Json], running: &Running) -> Result<(), String> {
        let raft = running.raft.raft.clone();
        // The client waits for its answer as long as it likes.
        match (action, args) {
            ("ClientRequest", [value]) => {
                let value = value.as_u64().ok_or_else(|| format!("{value} is no request"))?;
                running.runtime.run(async move {
                    raft.client_write(ClientWriteRequest::new(Request(value))).await.map(drop).ok()
                })?;
            }
            ("ChangeMembers", [Json::Array(members)]) => {
                let id = |name: &Json| name.as_str().map(|name| self.names.id(&name.into()));
                let members: Option<HashSet<u64>> = members.iter().map(id).collect();
                let members = members.ok_or("members are nodes")?;
                running.runtime.run(async move { raft.change_membership(members).await.ok() })?;
            }
            _ => return Err(format!("there is no request {action} with {} arguments", args.len())),
        }
        Ok(())
    }

    fn variables(&self, running: Option<&Running>) -> Map<String, Json> {
        let content = self.store.content();
        let (role, applied) = match running {
            None => ("Down".to_owned(), 0),
            Some(running) => {
                let metrics = running.raft.raft.metrics().borrow().clone();
                (format!("{:?}", metrics.state), metrics.last_applied)
            }
        };
        let vote = content.state.voted_for.map_or(Json::from("none"), |id| self.names.show(id));
        Map::from_iter([
            ("term".to_owned(), Json::from(content.state.current_term)),
            ("vote".to_owned(), vote),
            ("role".to_owned(), Json::from(role)),
            ("commit".to_owned(), Json::from(applied)),
            ("machine".to_owned(), show::told(&content.applied)),
            ("snapshot".to_owned(), show::snapshot(content.snapshot.as_ref())),
            ("log".to_owned(), show::log(&content.log, &self.names)),
        ])
    }

    fn show_question(&self, key: &Key<u64>, question: &Question) -> Json {
        show::question(self.id, key, question, &self.names)
    }

    fn show_answer(&self, to: u64, key: &Key<u64>, answer: &Answer) -> Json {
        show::answer(self.id, to, key, answer, &self.names)
    }

    /// The state machine is in memory only; what is in a snapshot comes back.
    fn crash(&self) {
        self.store.content().crash();
    }
}
