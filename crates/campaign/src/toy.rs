//! A broker in memory. It makes tests fast, and can do what real ones do on bad days: lose what is said to it, lose its answers, and deliver twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::broker::{Broker, BrokerError, Delivery, Kept, Paper, Queued, Settings, Ticket};
use crate::parcel::{Parcel, Played};

/// A connection to a broker in memory. Clones are connections to the same one.
#[derive(Clone, Debug, Default)]
pub struct Toy {
    kept: Arc<Mutex<Memory>>,
    /// What goes wrong with the next things that are said over this connection.
    mishaps: VecDeque<Mishap>,
}

/// What can go wrong with something that is said to a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Nothing.
    None,
    /// The broker does not hear it. Whoever said it may know, or not.
    Lost,
    /// The broker does what was said, and the answer is lost.
    NoAnswer,
    /// A case that is delivered stays in the queue, and is delivered again at once.
    Doubled,
}

#[derive(Debug, Default)]
struct Memory {
    is_there: bool,
    lost_after: Duration,
    now: Duration,
    contents: BTreeMap<String, Vec<u8>>,
    papers: BTreeMap<String, Paper>,
    /// By kind and name.
    told: BTreeMap<(String, String), String>,
    /// The ids of all cases that ever came into the queue.
    known: BTreeSet<String>,
    waiting: VecDeque<(Parcel, u64)>,
    taken: BTreeMap<Ticket, Taken>,
    n_tickets: u64,
    results: Vec<Played>,
}

#[derive(Debug)]
struct Taken {
    parcel: Parcel,
    given: u64,
    until: Duration,
}

impl Toy {
    /// A connection that has these mishaps next.
    #[must_use]
    pub fn with(&self, mishaps: impl IntoIterator<Item = Mishap>) -> Toy {
        Toy { kept: Arc::clone(&self.kept), mishaps: mishaps.into_iter().collect() }
    }

    /// Lets time pass. Cases whose workers have been silent for too long go back into the queue.
    pub fn wait(&self, time: Duration) {
        let mut kept = self.lock();
        kept.now += time;
        let now = kept.now;
        let late: Vec<Ticket> = kept
            .taken
            .iter()
            .filter(|(_, taken)| taken.until <= now)
            .map(|(ticket, _)| ticket.clone())
            .collect();
        for ticket in late {
            kept.put_back(&ticket, true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the campaign, unless something goes wrong, or there is none.
    fn say<T>(&mut self, deed: impl FnOnce(&mut Memory, bool) -> T) -> Result<T, BrokerError> {
        let away = || BrokerError::Away("the toy does not answer".to_owned());
        let mishap = self.mishaps.pop_front().unwrap_or(Mishap::None);
        if mishap == Mishap::Lost || !self.lock().is_there {
            return Err(away());
        }
        let done = deed(&mut self.lock(), mishap == Mishap::Doubled);
        if mishap == Mishap::NoAnswer { Err(away()) } else { Ok(done) }
    }
}

impl Memory {
    /// Puts a case back into the queue, whose worker was lost, or has given it back.
    fn put_back(&mut self, ticket: &Ticket, is_lost: bool) {
        if let Some(taken) = self.taken.remove(ticket) {
            let given = if is_lost { taken.given } else { taken.given - 1 };
            self.waiting.push_front((taken.parcel, given));
        }
    }

    fn take(&mut self, is_doubled: bool) -> Option<Delivery> {
        let (parcel, given) = self.waiting.pop_front()?;
        let given = given + 1;
        self.n_tickets += 1;
        let ticket = Ticket(self.n_tickets.to_string());
        if is_doubled {
            self.waiting.push_front((parcel.clone(), given));
        }
        let until = self.now + self.lost_after;
        self.taken.insert(ticket.clone(), Taken { parcel: parcel.clone(), given, until });
        Some(Delivery { parcel, ticket, given })
    }

    fn has_result(&self, case: &str) -> bool {
        self.results.iter().any(|result| result.case == case)
    }
}

impl Broker for Toy {
    fn create(&mut self, settings: &Settings) -> Result<(), BrokerError> {
        let lost_after = settings.lost_after;
        let mut kept = self.lock();
        if std::mem::replace(&mut kept.is_there, true) {
            return Err(BrokerError::Refused("there is one already".to_owned()));
        }
        kept.lost_after = lost_after;
        Ok(())
    }

    fn remove(&mut self) -> Result<(), BrokerError> {
        self.say(|kept, _| *kept = Memory { now: kept.now, ..Memory::default() })
    }

    fn put(&mut self, hash: &str, content: &[u8]) -> Result<(), BrokerError> {
        self.say(|kept, _| drop(kept.contents.insert(hash.to_owned(), content.to_owned())))
    }

    fn get(&mut self, hash: &str) -> Result<Option<Vec<u8>>, BrokerError> {
        self.say(|kept, _| kept.contents.get(hash).cloned())
    }

    fn read(&mut self, name: &str) -> Result<Option<Paper>, BrokerError> {
        if !self.lock().is_there {
            return Ok(None);
        }
        self.say(|kept, _| kept.papers.get(name).cloned())
    }

    fn write(&mut self, name: &str, text: &str, revision: u64) -> Result<bool, BrokerError> {
        self.say(|kept, _| {
            if kept.papers.get(name).map_or(0, |paper| paper.revision) != revision {
                return false;
            }
            let paper = Paper { text: text.to_owned(), revision: revision + 1 };
            kept.papers.insert(name.to_owned(), paper);
            true
        })
    }

    fn papers(&mut self, kind: &str) -> Result<Vec<(String, String)>, BrokerError> {
        self.say(|kept, _| {
            let of_kind = kept.told.iter().filter(|((known, _), _)| known == kind);
            of_kind.map(|((_, name), text)| (name.clone(), text.clone())).collect()
        })
    }

    fn tell(&mut self, kind: &str, name: &str, text: &str) -> Result<(), BrokerError> {
        self.say(|kept, _| drop(kept.told.insert((kind.to_owned(), name.to_owned()), text.to_owned())))
    }

    fn enqueue(&mut self, parcels: &[Parcel]) -> Result<(), BrokerError> {
        self.say(|kept, _| {
            for parcel in parcels {
                if kept.known.insert(parcel.case.id.clone()) {
                    kept.waiting.push_back((parcel.clone(), 0));
                }
            }
        })
    }

    fn fetch(&mut self, n: usize, _: Duration) -> Result<Vec<Delivery>, BrokerError> {
        self.say(|kept, is_doubled| (0..n).map_while(|_| kept.take(is_doubled)).collect())
    }

    fn extend(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.say(|kept, _| {
            let until = kept.now + kept.lost_after;
            for ticket in tickets {
                if let Some(taken) = kept.taken.get_mut(ticket) {
                    taken.until = until;
                }
            }
        })
    }

    fn finish(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.say(|kept, _| {
            for ticket in tickets {
                kept.taken.remove(ticket);
            }
        })
    }

    fn hand_back(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.say(|kept, _| tickets.iter().for_each(|ticket| kept.put_back(ticket, false)))
    }

    fn store(&mut self, results: &[Played]) -> Result<Vec<Kept>, BrokerError> {
        self.say(|kept, _| {
            let store = |result: &Played| {
                if kept.has_result(&result.case) {
                    return Kept::Before;
                }
                kept.results.push(result.clone());
                Kept::Now
            };
            results.iter().map(store).collect()
        })
    }

    fn has_result(&mut self, case: &str) -> Result<bool, BrokerError> {
        self.say(|kept, _| kept.has_result(case))
    }

    fn n_results(&mut self) -> Result<u64, BrokerError> {
        self.say(|kept, _| kept.results.len() as u64)
    }

    fn results(&mut self, from: u64) -> Result<(Vec<Played>, u64), BrokerError> {
        self.say(|kept, _| (kept.results[from as usize..].to_vec(), kept.results.len() as u64))
    }

    fn queued(&mut self) -> Result<Queued, BrokerError> {
        self.say(|kept, _| Queued { waiting: kept.waiting.len() as u64, taken: kept.taken.len() as u64 })
    }
}
