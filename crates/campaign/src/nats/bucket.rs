//! One campaign on `JetStream`: a stream of cases that each leave it when they are done, a stream of results with a subject for each case, a bucket
//! of papers, and a store of contents.
//!
//! - `make`     makes and removes all that
//! - `queue`    takes cases, and gives them back
//! - `messages` sends them, however long their contents are

mod make;
mod messages;
mod queue;

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull::{Batch, OrderedConfig};
use async_nats::jetstream::consumer::{DeliverPolicy, PullConsumer};
use async_nats::jetstream::kv::{self, Operation};
use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectStore};
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use futures_util::StreamExt as _;
use tokio::io::AsyncReadExt as _;

use super::connect::{Nats, PAPERS, away, is_gone};
use crate::broker::{Broker, BrokerError, Delivery, Kept, Paper, Queued, Settings, Ticket};
use crate::manifest::hash;
use crate::parcel::{Parcel, Played};

/// How many brokers keep everything, if there are so many.
const REPLICAS: usize = 3;
/// The consumer that all workers share.
const WORKERS: &str = "workers";
/// How long a request for cases waits at the broker.
const ASKED: Duration = Duration::from_secs(2);
/// How long to wait for cases that may be under way to a worker that ends. Those that come later are lost until others get them.
const UNDER_WAY: Duration = Duration::from_millis(250);
/// For how long the broker knows what it was sent, so that what is sent again is not doubled.
const KNOWN_FOR: Duration = Duration::from_secs(600);
/// How many messages are sent before their answers are waited for.
const AT_ONCE: usize = 2000;
/// How many results are read at once.
const READ_AT_ONCE: usize = 5000;
/// The longest id of a case that is part of a subject as it is.
const ID_CHARS_MAX: usize = 64;

/// One campaign.
pub struct Bucket {
    nats: Nats,
    name: String,
    open: Option<Open>,
    asked: Option<Asked>,
}

/// What a campaign consists of, once it was found.
#[derive(Clone)]
struct Open {
    papers: kv::Store,
    contents: ObjectStore,
    cases: Stream,
    results: Stream,
    workers: PullConsumer,
}

/// A request for cases that is not answered in full.
struct Asked {
    batch: Batch,
    until: Instant,
}

type Tried<T> = Result<T, BrokerError>;

impl Nats {
    /// A campaign, whether it is there or not.
    pub fn campaign(&self, name: &str) -> Bucket {
        Bucket { nats: self.clone(), name: name.to_owned(), open: None, asked: None }
    }
}

impl Bucket {
    fn bucket(&self) -> String {
        format!("{PAPERS}{}", self.name)
    }

    fn stream(&self, what: &str) -> String {
        format!("{PAPERS}{}-{what}", self.name)
    }

    fn case_subject(&self) -> String {
        format!("kilter.{}.case", self.name)
    }

    fn result_subject(&self, case: &str) -> String {
        format!("kilter.{}.result.{}", self.name, key(case))
    }

    /// What the campaign consists of. It is an error if it is not there.
    fn open(&mut self) -> Tried<Open> {
        if let Some(open) = &self.open {
            return Ok(open.clone());
        }
        let jetstream = self.nats.jetstream.clone();
        let open = self.nats.runtime.block_on(async {
            let papers = jetstream.get_key_value(self.bucket()).await.map_err(|error| away(&error))?;
            let contents = jetstream.get_object_store(self.bucket()).await.map_err(|error| away(&error))?;
            let cases = jetstream.get_stream(self.stream("cases")).await.map_err(|error| away(&error))?;
            let results = jetstream.get_stream(self.stream("results")).await.map_err(|error| away(&error))?;
            let workers =
                cases.get_consumer(WORKERS).await.map_err(|error| BrokerError::Away(error.to_string()))?;
            Ok(Open { papers, contents, cases, results, workers })
        })?;
        self.open = Some(open.clone());
        Ok(open)
    }
}

impl Broker for Bucket {
    fn create(&mut self, settings: &Settings) -> Tried<()> {
        self.make_all(settings)
    }

    fn remove(&mut self) -> Tried<()> {
        self.open = None;
        self.remove_all()
    }

    fn put(&mut self, hash: &str, content: &[u8]) -> Tried<()> {
        let contents = self.open()?.contents;
        self.nats.runtime.block_on(async {
            match contents.info(hash).await {
                Ok(info) if info.size == content.len() => return Ok(()),
                Err(error) if error.kind() != InfoErrorKind::NotFound => return Err(away(&error)),
                _ => {}
            }
            contents.put(hash, &mut &*content).await.map(drop).map_err(|error| away(&error))
        })
    }

    fn get(&mut self, hash: &str) -> Tried<Option<Vec<u8>>> {
        let contents = self.open()?.contents;
        self.nats.runtime.block_on(async {
            let mut object = match contents.get(hash).await {
                Ok(object) => object,
                Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(away(&error)),
            };
            let mut content = Vec::new();
            object.read_to_end(&mut content).await.map_err(|error| away(&error))?;
            Ok(Some(content))
        })
    }

    fn read(&mut self, name: &str) -> Tried<Option<Paper>> {
        let papers = self.open()?.papers;
        let entry = match self.nats.runtime.block_on(papers.entry(name)) {
            Err(error) if is_gone(&error) => return Ok(None),
            entry => entry.map_err(|error| away(&error))?,
        };
        Ok(entry.filter(|entry| entry.operation == Operation::Put).map(|entry| Paper {
            text: String::from_utf8_lossy(&entry.value).into_owned(),
            revision: entry.revision,
        }))
    }

    fn write(&mut self, name: &str, text: &str, revision: u64) -> Tried<bool> {
        let papers = self.open()?.papers;
        let written = self.nats.runtime.block_on(papers.update(name, text.to_owned().into(), revision));
        match written {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == kv::UpdateErrorKind::WrongLastRevision => Ok(false),
            Err(error) => Err(away(&error)),
        }
    }

    fn papers(&mut self, kind: &str) -> Tried<Vec<(String, String)>> {
        let papers = self.open()?.papers;
        let prefix = format!("{kind}.");
        self.nats.runtime.block_on(async {
            let mut names = papers.keys().await.map_err(|error| away(&error))?;
            let mut found = Vec::new();
            while let Some(name) = names.next().await {
                let name = name.map_err(|error| away(&error))?;
                let Some(rest) = name.strip_prefix(&prefix) else { continue };
                if let Some(text) = papers.get(&name).await.map_err(|error| away(&error))? {
                    found.push((rest.to_owned(), String::from_utf8_lossy(&text).into_owned()));
                }
            }
            found.sort();
            Ok(found)
        })
    }

    fn tell(&mut self, kind: &str, name: &str, text: &str) -> Tried<()> {
        let papers = self.open()?.papers;
        let put = papers.put(format!("{kind}.{}", key(name)), text.to_owned().into());
        self.nats.runtime.block_on(put).map(drop).map_err(|error| away(&error))
    }

    fn enqueue(&mut self, parcels: &[Parcel]) -> Tried<()> {
        let subject = self.case_subject();
        for parcels in parcels.chunks(AT_ONCE) {
            let message = |parcel: &Parcel| {
                let text = serde_json::to_vec(parcel).expect("a parcel has string keys");
                Ok((subject.clone(), self.message(text)?.message_id(&parcel.case.id)))
            };
            let messages = parcels.iter().map(message).collect::<Tried<Vec<_>>>()?;
            self.publish(messages)?;
        }
        Ok(())
    }

    fn fetch(&mut self, n: usize, wait: Duration) -> Tried<Vec<Delivery>> {
        let mut deliveries = Vec::new();
        for message in self.messages(n, wait)? {
            let content = self.content(message.headers.as_ref(), &message.payload)?;
            let given = self.given(&message);
            let ticket = Ticket(message.reply.as_ref().map(ToString::to_string).unwrap_or_default());
            let parcel = serde_json::from_slice(&content).map_err(|error| {
                BrokerError::Refused(format!(
                    "a case of the campaign cannot be read ({error}); another Kilter wrote it"
                ))
            })?;
            deliveries.push(Delivery { parcel, ticket, given });
        }
        Ok(deliveries)
    }

    fn extend(&mut self, tickets: &[Ticket]) -> Tried<()> {
        self.say(tickets, "+WPI")
    }

    fn finish(&mut self, tickets: &[Ticket]) -> Tried<()> {
        self.say(tickets, "+ACK")
    }

    fn hand_back(&mut self, tickets: &[Ticket]) -> Tried<()> {
        // Cases that are under way to us go back, too.
        let mut under_way = Vec::new();
        if self.asked.is_some() {
            let messages = self.messages(1, UNDER_WAY)?;
            under_way.extend(
                messages.iter().filter_map(|message| Some(Ticket(message.reply.as_ref()?.to_string()))),
            );
            self.forget();
        }
        under_way.extend_from_slice(tickets);
        self.note_back(&under_way)?;
        self.say(&under_way, "-NAK")
    }

    fn store(&mut self, results: &[Played]) -> Tried<Vec<Kept>> {
        let mut kept = Vec::with_capacity(results.len());
        for results in results.chunks(AT_ONCE) {
            let message = |result: &Played| {
                let text = serde_json::to_vec(result).expect("a record has string keys");
                let message = self.message(text)?.message_id(&result.case).expected_last_subject_sequence(0);
                Ok((self.result_subject(&result.case), message))
            };
            let messages = results.iter().map(message).collect::<Tried<Vec<_>>>()?;
            kept.extend(self.publish(messages)?);
        }
        Ok(kept)
    }

    fn has_result(&mut self, case: &str) -> Tried<bool> {
        let subject = self.result_subject(case);
        let results = self.open()?.results;
        match self.nats.runtime.block_on(results.get_last_raw_message_by_subject(&subject)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(false),
            Err(error) => Err(away(&error)),
        }
    }

    fn n_results(&mut self) -> Tried<u64> {
        let results = self.open()?.results;
        let info = self.nats.runtime.block_on(results.get_info()).map_err(|error| away(&error))?;
        Ok(info.state.messages)
    }

    fn results(&mut self, from: u64) -> Tried<(Vec<Played>, u64)> {
        let results = self.open()?.results;
        let runtime = self.nats.runtime.clone();
        let (messages, next) = runtime.block_on(async {
            let last = results.get_info().await.map_err(|error| away(&error))?.state.last_sequence;
            let (mut messages, mut next) = (Vec::new(), from);
            if last <= from {
                return Ok((messages, next));
            }
            let deliver_policy = DeliverPolicy::ByStartSequence { start_sequence: from + 1 };
            let reader = OrderedConfig { deliver_policy, ..OrderedConfig::default() };
            let reader = results.create_consumer(reader).await.map_err(|error| away(&error))?;
            let mut coming = reader.messages().await.map_err(|error| away(&error))?;
            while next < last && messages.len() < READ_AT_ONCE {
                let message =
                    tokio::time::timeout(ASKED * 3, coming.next()).await.map_err(|error| away(&error))?;
                let Some(message) = message else { break };
                let message = message.map_err(|error| away(&error))?;
                next = message.info().map_err(|error| away(&*error))?.stream_sequence;
                messages.push(message);
            }
            Ok((messages, next))
        })?;
        let mut played = Vec::with_capacity(messages.len());
        for message in messages {
            let content = self.content(message.headers.as_ref(), &message.payload)?;
            played.push(serde_json::from_slice(&content).map_err(|error| {
                BrokerError::Refused(format!(
                    "a result of the campaign cannot be read ({error}); another Kilter wrote it"
                ))
            })?);
        }
        Ok((played, next))
    }

    fn queued(&mut self) -> Tried<Queued> {
        let cases = self.open()?.cases;
        let info = self.nats.runtime.block_on(cases.consumer_info(WORKERS)).map_err(|error| away(&error))?;
        Ok(Queued { waiting: info.num_pending, taken: info.num_ack_pending as u64 })
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A name as a part of a subject. What can't be one is named by its hash.
fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= ID_CHARS_MAX && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("x-{}", hash(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_are_parts_of_subjects() {
        assert_eq!(key("m0123-ab"), "m0123-ab");
        for name in ["", "a.b", "a b", "*", ">", "write=A0,B0 up=AB", &"a".repeat(200)] {
            let key = key(name);
            assert!(key.len() < 40 && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{key}");
        }
        assert_ne!(key("a.b"), key("a b"));
    }
}
