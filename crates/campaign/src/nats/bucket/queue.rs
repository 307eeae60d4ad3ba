//! The queue of cases: requests for them, what is said about those that came, and how often one was given back.

use std::fmt;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use futures_util::{FutureExt as _, StreamExt as _};

use super::{ASKED, Asked, Bucket, Tried};
use crate::broker::{Broker as _, Ticket};
use crate::nats::connect::away;

/// How the names of papers begin that say how often a case was given back.
const BACK: &str = "back";

/// The place of a case in its stream, and how often the broker had delivered it by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    sequence: u64,
    delivered: u64,
}

/// How often a case was given back, as a paper says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Back {
    times: u64,
    /// The delivery after which it was given back last. Whoever says that twice, because an answer was lost, has given it back once.
    after: u64,
}

impl Bucket {
    /// Says something about tickets, without an answer.
    pub(super) fn say(&mut self, tickets: &[Ticket], what: &'static str) -> Tried<()> {
        let client = self.nats.jetstream.client();
        self.nats.runtime.block_on(async {
            for Ticket(ticket) in tickets {
                client.publish(ticket.clone(), what.into()).await.map_err(|error| away(&error))?;
            }
            // What is only in our buffer would be lost with us.
            let flushed = tokio::time::timeout(ASKED, client.flush()).await;
            flushed.map_err(|error| away(&error))?.map_err(|error| away(&error))
        })
    }

    /// Forgets a request for cases. That starts a task, which tells the broker.
    pub(super) fn forget(&mut self) {
        let _entered = self.nats.runtime.enter();
        self.asked = None;
    }

    /// The messages that have come, after a wait for the first.
    pub(super) fn messages(&mut self, n: usize, wait: Duration) -> Tried<Vec<Message>> {
        let workers = self.open()?.workers;
        if self.asked.as_ref().is_some_and(|asked| Instant::now() >= asked.until) {
            self.forget();
        }
        let asked = self.asked.take();
        self.nats.runtime.clone().block_on(async {
            let mut asked = match asked {
                Some(asked) => asked,
                None => {
                    let batch = workers.batch().max_messages(n).expires(ASKED).messages();
                    let batch = batch.await.map_err(|error| away(&error))?;
                    Asked { batch, until: Instant::now() + ASKED }
                }
            };
            let mut messages = Vec::new();
            let mut next = tokio::time::timeout(wait, asked.batch.next()).await.unwrap_or_default();
            loop {
                match next {
                    Some(Ok(message)) => messages.push(message),
                    // The request is answered in full, or has run out.
                    Some(Err(_)) => return Ok(messages),
                    None => break,
                }
                match asked.batch.next().now_or_never() {
                    Some(Some(more)) => next = Some(more),
                    Some(None) => return Ok(messages),
                    None => break,
                }
            }
            self.asked = Some(asked);
            Ok(messages)
        })
    }

    /// How often a case was taken, of which the broker says how often it was delivered: it counts also those times after which it was given
    /// back.
    pub(super) fn given(&mut self, message: &Message) -> u64 {
        let delivered = message.info().map_or(1, |info| info.delivered).max(1).unsigned_abs();
        let place = message.reply.as_ref().and_then(|reply| Place::of(reply));
        let Some(place) = place.filter(|place| place.delivered > 1) else { return delivered };
        // An error must not lose the case, which is here.
        let back = self.back(place).unwrap_or_default();
        delivered.saturating_sub(back.times).max(1)
    }

    /// Notes that these cases are given back.
    pub(super) fn note_back(&mut self, tickets: &[Ticket]) -> Tried<()> {
        let mut notes = Vec::new();
        for place in tickets.iter().filter_map(|Ticket(ticket)| Place::of(ticket)) {
            // Nobody has given back what was delivered once.
            let known = if place.delivered > 1 { self.back(place)? } else { Back::default() };
            if known.after != place.delivered {
                let back = Back { times: known.times + 1, after: place.delivered };
                let subject = format!("$KV.{}.{}", self.bucket(), place.paper());
                notes.push((subject, self.message(back.to_string().into_bytes())?));
            }
        }
        self.publish(notes).map(drop)
    }

    fn back(&mut self, place: Place) -> Tried<Back> {
        let paper = self.read(&place.paper())?;
        Ok(paper.and_then(|paper| Back::read(&paper.text)).unwrap_or_default())
    }
}

impl Place {
    /// Reads it from the subject of the answer to a message: `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.…`, where newer brokers have domain and
    /// account before the stream.
    fn of(reply: &str) -> Option<Place> {
        let parts: Vec<&str> = reply.strip_prefix("$JS.ACK.")?.split('.').collect();
        let first = if parts.len() >= 9 { 4 } else { 2 };
        let number = |index: usize| parts.get(index)?.parse().ok();
        Some(Place { delivered: number(first)?, sequence: number(first + 1)? })
    }

    fn paper(self) -> String {
        format!("{BACK}.{}", self.sequence)
    }
}

impl Back {
    fn read(text: &str) -> Option<Back> {
        let (times, after) = text.split_once(' ')?;
        Some(Back { times: times.parse().ok()?, after: after.parse().ok()? })
    }
}

impl fmt::Display for Back {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.times, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_has_the_place_of_its_case() {
        let place = Some(Place { sequence: 7, delivered: 3 });
        assert_eq!(Place::of("$JS.ACK.kilter-a-cases.workers.3.7.9.1700000000000000000.4"), place);
        assert_eq!(Place::of("$JS.ACK._.hash.kilter-a-cases.workers.3.7.9.1700000000000000000.4"), place);
        assert_eq!(
            Place::of("$JS.ACK.hub.hash.kilter-a-cases.workers.3.7.9.1700000000000000000.4.token"),
            place
        );
        assert_eq!((Place::of("7"), Place::of("$JS.ACK.a.b.c.d"), Place::of("$JS.ACK")), (None, None, None));
    }

    #[test]
    fn how_often_a_case_was_given_back_is_read_as_it_was_written() {
        let back = Back { times: 2, after: 5 };
        assert_eq!(
            (Back::read(&back.to_string()), Back::read("2"), Back::read("x 1")),
            (Some(back), None, None)
        );
    }
}
