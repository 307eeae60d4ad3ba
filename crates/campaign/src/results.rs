//! All results of a campaign, each counted once.

use std::collections::BTreeMap;
use std::time::Duration;

use kilter_run::Event;

use crate::broker::{Broker, BrokerError};
use crate::parcel::Played;

/// The results of a campaign, as far as they were read.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// By the place of their case among all cases.
    by_place: BTreeMap<(u64, String), Played>,
    next: u64,
    /// How often a case was given to another worker.
    pub redelivered: u64,
}

impl Results {
    /// Reads what has come since the last time.
    pub fn read(&mut self, broker: &mut dyn Broker) -> Result<(), BrokerError> {
        loop {
            let (results, next) = broker.results(self.next)?;
            for result in results {
                self.add(result);
            }
            if next == self.next {
                return Ok(());
            }
            self.next = next;
        }
    }

    /// Adds a result, unless there is one of its case.
    fn add(&mut self, result: Played) {
        let place = (result.at, result.case.clone());
        self.by_place.entry(place).or_insert_with(|| {
            self.redelivered += result.given.saturating_sub(1);
            result
        });
    }

    /// The number of cases that have a result.
    pub fn len(&self) -> u64 {
        self.by_place.len() as u64
    }

    /// Whether no case has a result.
    pub fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// The results, in the order of the cases.
    pub fn iter(&self) -> impl Iterator<Item = &Played> {
        self.by_place.values()
    }

    /// How long the cases have taken in all, in seconds: from the beginning of the first to the end of the last, by the clocks of workers.
    pub fn seconds(&self) -> f64 {
        let begun_ms = |result: &Played| {
            let ms =
                result.events.iter().map(|event| if let Event::Case(case) = event { case.ms } else { 0.0 });
            result.ended_ms.saturating_sub(ms.sum::<f64>() as u64)
        };
        let begun_ms = self.iter().map(begun_ms).min().unwrap_or(0);
        let ended_ms = self.iter().map(|result| result.ended_ms).max().unwrap_or(0);
        Duration::from_millis(ended_ms.saturating_sub(begun_ms)).as_secs_f64()
    }

    /// What the record says of all cases, in their order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.iter().flat_map(|result| &result.events)
    }
}
