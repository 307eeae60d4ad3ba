//! A broker that is asked again while nobody answers: when one of several brokers is lost, the others choose a leader first.

use std::thread;
use std::time::{Duration, Instant};

use crate::broker::{Broker, BrokerError, Delivery, Kept, Paper, Queued, Settings, Ticket};
use crate::parcel::{Parcel, Played};

/// How long brokers may take until they answer.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long to wait before they are asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// Asks again while no broker answers, but not for ever.
pub fn patiently<T, E>(mut ask: impl FnMut() -> Result<T, E>, is_away: impl Fn(&E) -> bool) -> Result<T, E> {
    let begun = Instant::now();
    loop {
        match ask() {
            Err(error) if is_away(&error) && begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
            answer => return answer,
        }
    }
}

/// A broker that is asked again. Everything may be: what was done although its answer was lost is done once.
pub struct Patient(pub Box<dyn Broker>);

impl Patient {
    fn again<T>(
        &mut self,
        mut ask: impl FnMut(&mut Box<dyn Broker>) -> Result<T, BrokerError>,
    ) -> Result<T, BrokerError> {
        patiently(|| ask(&mut self.0), |error| matches!(error, BrokerError::Away(_)))
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
        self.again(|broker| broker.enqueue(parcels))
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
    use super::*;

    #[test]
    fn who_does_not_answer_is_asked_again_and_who_refuses_is_not() {
        let mut answers = vec![Ok(7), Err(BrokerError::Away("an election".to_owned()))];
        let is_away = |error: &BrokerError| matches!(error, BrokerError::Away(_));
        assert_eq!(patiently(|| answers.pop().expect("it is asked twice"), is_away), Ok(7));
        let mut answers = vec![Ok(7), Err(BrokerError::Refused("no".to_owned()))];
        patiently(|| answers.pop().expect("it is asked once"), is_away).expect_err("it is refused");
    }
}
