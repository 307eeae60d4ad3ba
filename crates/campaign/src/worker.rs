//! What a worker says to the broker: takes cases, says now and then that they are still being played, stores what came of them, and only then
//! says that they are done. One turn after the other, without threads and clocks; `post` has those.
//!
//! A result that was stored counts, whatever happens to the worker afterwards. A case whose worker is lost before that is given to another one.
//! A case that comes twice is played twice at most, and its first result counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kilter_run::{Case, Event, when};

use crate::broker::{Broker, BrokerError, Delivery, Kept, Ticket};
use crate::parcel::{Parcel, Played};

/// A case that has been given so often has lost its workers each time, so it is not played any more.
pub const GIVEN_MAX: u64 = 20;

/// A worker.
#[derive(Debug)]
pub struct Worker<B: ?Sized> {
    broker: Box<B>,
    name: String,
    /// How many cases it takes: those that are played, and those that come next.
    room: usize,
    /// How often it says that it is still there.
    heartbeat: Duration,
    heard: Duration,
    held: BTreeMap<String, Held>,
    /// What is not stored yet.
    results: Vec<Played>,
    /// Cases whose results are stored, but nobody has been told that they are done.
    done: BTreeSet<Ticket>,
    counts: Counts,
}

#[derive(Clone, Debug)]
struct Held {
    ticket: Ticket,
    given: u64,
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The cases whose result came from it.
    pub kept: u64,
    /// The results that came too late: another worker was faster.
    pub late: u64,
    /// The cases that some other worker had taken before.
    pub again: u64,
}

impl<B: Broker + ?Sized> Worker<B> {
    /// Makes a worker that has no cases yet.
    pub fn new(broker: Box<B>, name: &str, room: usize, heartbeat: Duration) -> Worker<B> {
        Worker {
            broker,
            name: name.to_owned(),
            room,
            heartbeat,
            heard: Duration::ZERO,
            held: BTreeMap::new(),
            results: Vec::new(),
            done: BTreeSet::new(),
            counts: Counts::default(),
        }
    }

    /// The broker, for whatever else is to be said to it.
    pub fn broker(&mut self) -> &mut B {
        &mut self.broker
    }

    /// What it has done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether it can take another case.
    pub fn has_room(&self) -> bool {
        self.held.len() < self.room
    }

    /// The number of cases that it has taken, and whose results are not stored yet.
    pub fn n_held(&self) -> u64 {
        self.held.len() as u64
    }

    /// Whether it has nothing to do and nothing to say.
    pub fn is_idle(&self) -> bool {
        self.held.is_empty() && self.results.is_empty()
    }

    /// Stores results, says that it is still there, and takes cases. Returns those that have to be played. After an error it has forgotten
    /// nothing, and the next turn tries again.
    pub fn turn(
        &mut self,
        now: Duration,
        results: Vec<Played>,
        wait: Duration,
    ) -> Result<Vec<Parcel>, BrokerError> {
        for result in results {
            self.add(result);
        }
        self.store()?;
        if now >= self.heard + self.heartbeat {
            let tickets: Vec<Ticket> = self.held.values().map(|held| held.ticket.clone()).collect();
            if !tickets.is_empty() {
                self.broker.extend(&tickets)?;
            }
            self.heard = now;
        }
        let n_free = self.room.saturating_sub(self.held.len());
        if n_free == 0 {
            return Ok(Vec::new());
        }
        let mut to_play = Vec::new();
        for delivery in self.broker.fetch(n_free, wait)? {
            to_play.extend(self.take_in(delivery));
        }
        // What nobody has to play is done at once. An error now would lose the cases that came; the next turn tries again.
        let _ = self.store();
        Ok(to_play)
    }

    /// The last turn: stores what there is, and gives all other cases back. After an error it can be tried again.
    pub fn end(&mut self, results: Vec<Played>) -> Result<(), BrokerError> {
        for result in results {
            self.add(result);
        }
        self.store()?;
        let tickets: Vec<Ticket> = self.held.values().map(|held| held.ticket.clone()).collect();
        if !tickets.is_empty() {
            self.broker.hand_back(&tickets)?;
            self.held.clear();
        }
        Ok(())
    }

    fn add(&mut self, mut result: Played) {
        result.worker.clone_from(&self.name);
        result.given = self.held.get(&result.case).map_or(1, |held| held.given);
        self.results.push(result);
    }

    fn store(&mut self) -> Result<(), BrokerError> {
        if !self.results.is_empty() {
            let kept = self.broker.store(&self.results)?;
            for (result, kept) in std::mem::take(&mut self.results).iter().zip(kept) {
                match kept {
                    Kept::Now => self.counts.kept += 1,
                    Kept::Before => self.counts.late += 1,
                }
                self.done.extend(self.held.remove(&result.case).map(|held| held.ticket));
            }
        }
        if !self.done.is_empty() {
            let done: Vec<Ticket> = self.done.iter().cloned().collect();
            self.broker.finish(&done)?;
            self.done.clear();
        }
        Ok(())
    }

    /// Takes a case in. Returns it if it has to be played.
    fn take_in(&mut self, Delivery { parcel, ticket, given }: Delivery) -> Option<Parcel> {
        let id = parcel.case.id.clone();
        if let Some(held) = self.held.get_mut(&id) {
            // It was taken for lost while it was played here. The older ticket is worth nothing now.
            *held = Held { ticket, given };
            return None;
        }
        // If nobody knows whether it has its result, it is played.
        if given > 1 && self.broker.has_result(&id).unwrap_or(false) {
            self.done.insert(ticket);
            return None;
        }
        self.counts.again += u64::from(given > 1);
        self.held.insert(id.clone(), Held { ticket, given });
        if given <= GIVEN_MAX {
            return Some(parcel);
        }
        let why = format!("{GIVEN_MAX} workers took it, and none of them came to its end");
        let case = Case { id: id.clone(), not_run: Some(why), ..Case::default() };
        let events = vec![Event::Case(Box::new(case))];
        self.add(Played {
            case: id,
            at: parcel.at,
            worker: String::new(),
            given,
            ended_ms: when::now_ms(),
            events,
        });
        None
    }
}
