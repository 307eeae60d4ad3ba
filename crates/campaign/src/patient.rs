//! A broker that is asked again while nobody answers: when one of several brokers is lost, the others choose a leader first.

use std::fmt::Display;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::broker::{Broker, BrokerError, Delivery, Kept, Paper, Queued, Settings, Ticket};
use crate::parcel::{Parcel, Played};

/// How long brokers may take until they answer.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long to wait before they are asked again.
const PAUSE: Duration = Duration::from_millis(500);
/// How many cases are put into the queue with one question. Those that are there need no second one.
const AT_ONCE: usize = 2000;

/// How long something is asked again that does not work, and who is told of it.
pub struct Patience {
    limit: Duration,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

impl Patience {
    /// Asks again for so long since the last answer, and says why.
    pub fn telling(limit: Duration, say: impl Fn(&str) + Send + Sync + 'static) -> Patience {
        Patience { limit, say: Box::new(say) }
    }

    /// Asks again for a long time, of which nobody is told.
    pub fn silent() -> Patience {
        Patience::telling(PATIENCE, |_| {})
    }

    /// Asks, and asks again while that may help.
    pub fn ask<T, E: Display>(
        &self,
        mut ask: impl FnMut() -> Result<T, E>,
        is_away: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let mut away_since = None;
        loop {
            let error = match ask() {
                Err(error) if is_away(&error) => error,
                answer => {
                    if away_since.is_some() && answer.is_ok() {
                        (self.say)("the broker answers again\n");
                    }
                    return answer;
                }
            };
            let since: Instant = *away_since.get_or_insert_with(|| {
                (self.say)(&format!("{error}; trying again\n"));
                Instant::now()
            });
            if since.elapsed() >= self.limit {
                return Err(error);
            }
            thread::sleep(PAUSE);
        }
    }
}

/// A broker that is asked again. Everything may be: what was done although its answer was lost is done once.
pub struct Patient {
    broker: Box<dyn Broker>,
    patience: Arc<Patience>,
}

impl Patient {
    /// A broker that is asked again with this patience.
    pub fn new(broker: Box<dyn Broker>, patience: Arc<Patience>) -> Patient {
        Patient { broker, patience }
    }

    fn again<T>(
        &mut self,
        mut ask: impl FnMut(&mut Box<dyn Broker>) -> Result<T, BrokerError>,
    ) -> Result<T, BrokerError> {
        let Patient { broker, patience } = self;
        patience.ask(|| ask(broker), |error| matches!(error, BrokerError::Away(_)))
    }
}

impl Broker for Patient {
    fn create(&mut self, settings: &Settings) -> Result<(), BrokerError> {
        self.again(|broker| broker.create(settings))
    }

    fn remove(&mut self) -> Result<(), BrokerError> {
        self.again(|broker| broker.remove())
    }

    fn put(&mut self, hash: &str, content: &[u8]) -> Result<(), BrokerError> {
        self.again(|broker| broker.put(hash, content))
    }

    fn get(&mut self, hash: &str) -> Result<Option<Vec<u8>>, BrokerError> {
        self.again(|broker| broker.get(hash))
    }

    fn read(&mut self, name: &str) -> Result<Option<Paper>, BrokerError> {
        self.again(|broker| broker.read(name))
    }

    fn write(&mut self, name: &str, text: &str, revision: u64) -> Result<bool, BrokerError> {
        self.again(|broker| broker.write(name, text, revision))
    }

    fn papers(&mut self, kind: &str) -> Result<Vec<(String, String)>, BrokerError> {
        self.again(|broker| broker.papers(kind))
    }

    fn tell(&mut self, kind: &str, name: &str, text: &str) -> Result<(), BrokerError> {
        self.again(|broker| broker.tell(kind, name, text))
    }

    fn enqueue(&mut self, parcels: &[Parcel]) -> Result<(), BrokerError> {
        parcels.chunks(AT_ONCE).try_for_each(|parcels| self.again(|broker| broker.enqueue(parcels)))
    }

    fn fetch(&mut self, n: usize, wait: Duration) -> Result<Vec<Delivery>, BrokerError> {
        self.again(|broker| broker.fetch(n, wait))
    }

    fn extend(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.again(|broker| broker.extend(tickets))
    }

    fn finish(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.again(|broker| broker.finish(tickets))
    }

    fn hand_back(&mut self, tickets: &[Ticket]) -> Result<(), BrokerError> {
        self.again(|broker| broker.hand_back(tickets))
    }

    fn store(&mut self, results: &[Played]) -> Result<Vec<Kept>, BrokerError> {
        self.again(|broker| broker.store(results))
    }

    fn has_result(&mut self, case: &str) -> Result<bool, BrokerError> {
        self.again(|broker| broker.has_result(case))
    }

    fn n_results(&mut self) -> Result<u64, BrokerError> {
        self.again(|broker| broker.n_results())
    }

    fn results(&mut self, from: u64) -> Result<(Vec<Played>, u64), BrokerError> {
        self.again(|broker| broker.results(from))
    }

    fn queued(&mut self) -> Result<Queued, BrokerError> {
        self.again(|broker| broker.queued())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn away() -> BrokerError {
        BrokerError::Away("no room".to_owned())
    }

    fn is_away(error: &BrokerError) -> bool {
        matches!(error, BrokerError::Away(_))
    }

    #[test]
    fn who_does_not_answer_is_asked_again_and_who_refuses_is_not() {
        let mut answers = vec![Ok(7), Err(away())];
        let patience = Patience::silent();
        assert_eq!(patience.ask(|| answers.pop().expect("it is asked twice"), is_away), Ok(7));
        let mut answers = vec![Ok(7), Err(BrokerError::Refused("no".to_owned()))];
        patience.ask(|| answers.pop().expect("it is asked once"), is_away).expect_err("it is refused");
    }

    #[test]
    fn who_is_told_hears_it_once_and_patience_has_an_end() {
        let said = Arc::new(Mutex::new(String::new()));
        let telling = |limit| {
            let said = Arc::clone(&said);
            Patience::telling(limit, move |text| said.lock().expect("nobody panics").push_str(text))
        };
        let mut answers = vec![Ok(7), Err(away()), Err(away())];
        let answer = telling(PATIENCE).ask(|| answers.pop().expect("it is asked three times"), is_away);
        assert_eq!(answer, Ok(7));
        assert_eq!(*said.lock().expect("nobody panics"), "no room; trying again\nthe broker answers again\n");
        let ended = telling(Duration::ZERO).ask(|| Err::<u8, _>(away()), is_away);
        assert_eq!(ended, Err(away()));
    }
}
