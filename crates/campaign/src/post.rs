//! The thread in which a worker speaks with the broker, while others play. For the runner it is a source of cases and a sink of results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kilter_run::{Event, Finding, Further, Next, Sink, Source, when};
use serde::{Deserialize, Serialize};

use crate::broker::{Broker, BrokerError};
use crate::parcel::{Parcel, Played};
use crate::state::{Phase, State};
use crate::worker::{Counts, Worker};

/// The paper with the [`State`].
pub const STATE: &str = "state";
/// The kind of papers with the [`Status`] of each worker.
pub const WORKER: &str = "worker";
/// The kind of papers with a shorter path to the findings of a group.
pub const SHORTER: &str = "shorter";
/// How long a turn waits for cases if there are none.
const WAIT: Duration = Duration::from_millis(4);
/// How long a turn waits for results if there is no room for more cases.
const FULL_WAIT: Duration = Duration::from_millis(50);
/// How often the state of the campaign is read, and something is said about the worker.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often it is read by a worker that has nothing to do.
const IDLE_LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long to wait before something is tried again that did not work.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// How long to try to say the last words.
const LAST_WORDS: Duration = Duration::from_secs(20);

/// What a worker is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Every case that is known has its result.
    AllEnded,
    /// Somebody has stopped the campaign, or removed it.
    Stopped(String),
    /// The broker refuses to go on.
    Refused(BrokerError),
}

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The number of systems on which it plays.
    pub jobs: usize,
    /// The cases whose result came from it.
    pub played: u64,
    /// The cases that it has taken, and whose results are not stored yet.
    #[serde(default)]
    pub held: u64,
    /// When it said so, in seconds since 1970.
    pub at_s: u64,
    /// Why it plays no more. `None` while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

/// Why a worker plays no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Left {
    /// The reason, in words.
    pub why: String,
    /// Whether that is an error: the system could not be run, or is not that of the campaign.
    pub is_error: bool,
}

/// A worker in a thread of its own.
pub struct Post {
    /// The cases that come.
    pub inbox: Inbox,
    /// The results that go.
    pub outbox: Outbox,
    thread: Option<JoinHandle<Ended>>,
    shared: Arc<Shared>,
}

/// The cases that come.
pub struct Inbox {
    cases: Receiver<Parcel>,
    n_cases: u64,
    shared: Arc<Shared>,
}

/// The results that go.
pub struct Outbox {
    results: Sender<Played>,
    shared: Arc<Shared>,
    /// What the record says of the case that ends next.
    pending: Vec<Event>,
}

/// What comes of the thread in the end: the broker's last answer.
type Ended = Result<Counts, BrokerError>;

#[derive(Default)]
struct Shared {
    told: Mutex<Option<Told>>,
    /// The places of the cases that are being played, among all.
    places: Mutex<BTreeMap<String, u64>>,
    is_over: AtomicBool,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a worker works.
pub struct Manner {
    /// Its name, which no other worker has.
    pub name: String,
    /// The number of systems on which it plays.
    pub jobs: usize,
    /// The number of cases that one of them takes at once.
    pub batch: usize,
    /// How often it says that it is still there.
    pub heartbeat: Duration,
    /// The number of cases of the campaign, for whoever shows how far it is.
    pub cases: u64,
    /// Tells people that the broker does not answer, or does so again.
    pub say: Box<dyn Fn(&str) + Send>,
    /// Ends the run, because nobody wants results any more.
    pub halt: Box<dyn Fn() + Send>,
}

impl Post {
    /// Starts a worker.
    pub fn start(broker: Box<dyn Broker>, manner: Manner) -> Post {
        let n_cases = manner.cases;
        let (to_player, cases) = channel();
        let (results, from_player) = channel();
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            // Each job has its cases, and the next ones at hand.
            let room = 2 * manner.jobs * manner.batch;
            let worker = Worker::new(broker, &manner.name, room, manner.heartbeat);
            let mut clerk = Clerk {
                worker,
                manner,
                begun: Instant::now(),
                looked: None,
                shared: of_thread,
                is_away: false,
                told_of_cases: false,
            };
            let rest = clerk.work(&to_player, &from_player);
            clerk.end(rest)
        });
        let inbox = Inbox { cases, n_cases, shared: Arc::clone(&shared) };
        let outbox = Outbox { results, shared: Arc::clone(&shared), pending: Vec::new() };
        Post { inbox, outbox, thread: Some(thread), shared }
    }

    /// What the worker was told. `None` if it shall go on.
    pub fn told(&self) -> Option<Told> {
        lock(&self.shared.told).clone()
    }

    /// Goes on after there were no more cases.
    pub fn go_on(&self) {
        *lock(&self.shared.told) = None;
    }

    /// Ends the worker: stores the results that there are, and gives the other cases back.
    pub fn end(mut self) -> Result<Counts, BrokerError> {
        self.shared.is_over.store(true, Ordering::SeqCst);
        let ended = self.thread.take().and_then(|thread| thread.join().ok());
        ended.unwrap_or_else(|| Err(BrokerError::Refused("the worker's thread has panicked".to_owned())))
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

impl Outbox {
    /// The findings that were told when their cases had ended: shorter paths to others.
    pub fn take_shorter(&mut self) -> Vec<Finding> {
        let finding = |event| match event {
            Event::Finding(finding) => Some(*finding),
            _ => None,
        };
        std::mem::take(&mut self.pending).into_iter().filter_map(finding).collect()
    }
}

impl Source<Further> for Inbox {
    fn next(&mut self) -> Next<Further> {
        // What was stopped is not begun.
        if lock(&self.shared.told).is_some() {
            return Next::Never;
        }
        match self.cases.try_recv() {
            Ok(parcel) => {
                lock(&self.shared.places).insert(parcel.case.id.clone(), parcel.at);
                Next::Case(parcel.case)
            }
            Err(TryRecvError::Empty) => Next::Later,
            Err(TryRecvError::Disconnected) => Next::Never,
        }
    }

    fn n_left(&self) -> u64 {
        self.n_cases
    }
}

impl Sink for Outbox {
    /// Sends a result when its case has ended. What is said when all cases have ended is no part of any.
    fn event(&mut self, event: &Event) {
        match event {
            Event::Finding(_) | Event::Note { case: Some(_), .. } => self.pending.push(event.clone()),
            Event::Case(case) => {
                let mut events = std::mem::take(&mut self.pending);
                events.push(event.clone());
                let at = lock(&self.shared.places).remove(&case.id).unwrap_or(u64::MAX);
                let (case, worker, ended_ms) = (case.id.clone(), String::new(), when::now_ms());
                let played = Played { case, at, worker, given: 1, ended_ms, events };
                // Nobody listens only if the thread has panicked, which `end` tells.
                let _ = self.results.send(played);
            }
            _ => {}
        }
    }
}

/// Speaks with the broker.
struct Clerk {
    worker: Worker<dyn Broker>,
    manner: Manner,
    begun: Instant,
    /// When the state was read last.
    looked: Option<Instant>,
    shared: Arc<Shared>,
    /// Whether people know that the broker does not answer.
    is_away: bool,
    /// Whether those who watch know that it has cases.
    told_of_cases: bool,
}

impl Clerk {
    /// Works until it is told to end. Returns the results that came then.
    fn work(&mut self, to_player: &Sender<Parcel>, from_player: &Receiver<Played>) -> Vec<Played> {
        let mut results = Vec::new();
        while !self.shared.is_over.load(Ordering::SeqCst) {
            results.extend(from_player.try_iter());
            let turned = self.worker.turn(self.begun.elapsed(), std::mem::take(&mut results), WAIT);
            let passed_on = turned.map(|cases| {
                let is_empty = cases.is_empty();
                for case in cases {
                    // If nobody plays any more, `end` gives it back.
                    let _ = to_player.send(case);
                }
                is_empty
            });
            // Whatever becomes of the look, the worker holds the cases that came, and they are to be played. And whatever became of the turn,
            // somebody may have stopped the campaign; one that was removed answers nothing else.
            let looked = self.look();
            match passed_on.and_then(|is_empty| looked.map(|()| is_empty)) {
                Ok(is_empty) => {
                    if std::mem::take(&mut self.is_away) {
                        (self.manner.say)("the broker answers again\n");
                    }
                    if is_empty {
                        let wait = if self.worker.has_room() { WAIT } else { FULL_WAIT };
                        results.extend(from_player.recv_timeout(wait));
                    }
                }
                Err(BrokerError::Away(why)) => {
                    if !std::mem::replace(&mut self.is_away, true) {
                        (self.manner.say)(&format!("{why}; trying again\n"));
                    }
                    thread::sleep(AGAIN_AFTER);
                }
                Err(refused) => {
                    self.tell(Told::Refused(refused));
                    thread::sleep(AGAIN_AFTER);
                }
            }
        }
        results.extend(from_player.try_iter());
        results
    }

    /// Says the last words, if need be again and again for a while.
    fn end(mut self, results: Vec<Played>) -> Ended {
        let began = Instant::now();
        let mut results = results;
        while let Err(error) = self.worker.end(std::mem::take(&mut results)) {
            // If the campaign was removed, nobody wants to hear them.
            if matches!(read_state(self.worker.broker()), Ok(None)) {
                break;
            }
            if began.elapsed() > LAST_WORDS {
                return Err(error);
            }
            thread::sleep(AGAIN_AFTER);
        }
        Ok(self.worker.counts())
    }

    /// Reads the state of the campaign now and then, and says something about this worker.
    fn look(&mut self) -> Result<(), BrokerError> {
        let has_said_all = self.told_of_cases && !self.worker.is_idle();
        let every = if has_said_all { LOOK_EVERY } else { IDLE_LOOK_EVERY };
        if self.looked.is_some_and(|looked| looked.elapsed() < every) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        let state = read_state(self.worker.broker())?.map(|(state, _)| state);
        let told = match &state {
            None => Some(Told::Stopped("somebody has removed it".to_owned())),
            Some(State { phase: Phase::Stopped { why }, .. }) => Some(Told::Stopped(why.clone())),
            Some(State { phase: Phase::Finished, .. }) => Some(Told::AllEnded),
            Some(state) if self.worker.is_idle() && self.worker.broker().n_results()? >= state.cases => {
                Some(Told::AllEnded)
            }
            Some(_) => None,
        };
        if let Some(told) = told {
            self.tell(told);
        }
        if state.is_none() {
            return Ok(());
        }
        let (jobs, played, held) = (self.manner.jobs, self.worker.counts().kept, self.worker.n_held());
        let status = Status { jobs, played, held, at_s: when::now(), left: None };
        status.tell(self.worker.broker(), &self.manner.name)?;
        self.told_of_cases = held > 0;
        Ok(())
    }

    fn tell(&self, told: Told) {
        let ends_run = told != Told::AllEnded;
        *lock(&self.shared.told) = Some(told);
        if ends_run {
            (self.manner.halt)();
        }
    }
}

impl Status {
    /// Tells it to whoever watches the campaign.
    pub fn tell(&self, broker: &mut dyn Broker, worker: &str) -> Result<(), BrokerError> {
        let text = serde_json::to_string(self).expect("a status has string keys");
        broker.tell(WORKER, worker, &text)
    }
}

/// The state of a campaign, with its revision. `None` if there is no campaign.
pub fn read_state(broker: &mut dyn Broker) -> Result<Option<(State, u64)>, BrokerError> {
    let Some(paper) = broker.read(STATE)? else { return Ok(None) };
    let state = serde_json::from_str(&paper.text).map_err(|error| {
        BrokerError::Refused(format!(
            "the state of the campaign cannot be read ({error}); another Kilter wrote it"
        ))
    })?;
    Ok(Some((state, paper.revision)))
}

/// Writes the state of a campaign. Returns whether it still had this revision.
pub fn write_state(broker: &mut dyn Broker, state: &State, revision: u64) -> Result<bool, BrokerError> {
    let text = serde_json::to_string(state).expect("a state has string keys");
    broker.write(STATE, &text, revision)
}
