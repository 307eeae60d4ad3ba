//! One campaign on `JetStream`: a stream of cases that each leave it when they are done, a stream of results with a subject for each case, a bucket
//! of papers, and a store of contents.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull::{Batch, Config as Pull, OrderedConfig};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::context::{CreateStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::kv::{self, Operation};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, GetErrorKind, InfoErrorKind, ObjectStore};
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, Stream,
};
use async_nats::jetstream::{ErrorCode, Message};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::io::AsyncReadExt as _;

use super::connect::{Nats, PAPERS, away};
use crate::broker::{Broker, BrokerError, Delivery, Kept, Paper, Queued, Settings, Ticket};
use crate::manifest::hash;
use crate::parcel::{Parcel, Played};

/// How many brokers keep everything, if there are so many.
const REPLICAS: usize = 3;
/// The consumer that all workers share.
const WORKERS: &str = "workers";
/// How long a request for cases waits at the broker.
const ASKED: Duration = Duration::from_secs(2);
/// For how long the broker knows what it was sent, so that what is sent again is not doubled.
const KNOWN_FOR: Duration = Duration::from_secs(600);
/// How many messages are sent before their answers are waited for.
const AT_ONCE: usize = 2000;
/// How many results are read at once.
const READ_AT_ONCE: usize = 5000;
/// The header of a message whose content is in the store of contents, because it is too long for a message.
const ELSEWHERE: &str = "Kilter-Content";
/// What a message has besides its content.
const HEADER_BYTES: usize = 4096;
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

    /// Makes a stream on as many brokers as are wanted; if nobody wants a number, on three or, where there is but one, on that.
    async fn make(&self, mut config: Config, replicas: &mut Option<usize>) -> Tried<()> {
        let mut wanted = replicas.unwrap_or(REPLICAS);
        loop {
            config.num_replicas = wanted;
            let made = self.nats.jetstream.create_stream(config.clone()).await;
            let Err(error) = made else {
                *replicas = Some(wanted);
                return Ok(());
            };
            match error.kind() {
                CreateStreamErrorKind::JetStream(why)
                    if why.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED && replicas.is_none() =>
                {
                    wanted = 1;
                }
                CreateStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::CLUSTER_NO_PEERS => {
                    return Err(BrokerError::Refused(format!(
                        "the cluster has not {wanted} brokers that can keep a campaign ({why}); start them, or use --replicas 1"
                    )));
                }
                CreateStreamErrorKind::JetStream(why) => {
                    return Err(BrokerError::Refused(format!(
                        "the broker does not make room for the campaign: {why}"
                    )));
                }
                _ => return Err(away(&error)),
            }
        }
    }

    /// The bucket of papers, as the client would make it. It would first ask older brokers what they do not say. And only the leader answers
    /// for it: another broker may not know the newest paper yet.
    fn bucket_of_papers(&self) -> Config {
        let bucket = self.bucket();
        Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            ..Config::default()
        }
    }

    async fn make_contents(&self, num_replicas: usize) -> Tried<()> {
        let contents =
            object_store::Config { bucket: self.bucket(), num_replicas, ..object_store::Config::default() };
        let made = self.nats.jetstream.create_object_store(contents).await;
        made.map(drop).map_err(|error| away(&error))
    }

    /// Sends messages, and waits for all answers. An error is that of the first message that has one.
    fn publish(&mut self, messages: Vec<(String, PublishMessage)>) -> Tried<Vec<Kept>> {
        let jetstream = self.nats.jetstream.clone();
        self.nats.runtime.block_on(async {
            let mut answers = Vec::with_capacity(messages.len());
            for (subject, message) in messages {
                let answer = jetstream.send_publish(subject, message).await.map_err(|error| away(&error))?;
                answers.push(answer.into_future());
            }
            let mut kept = Vec::with_capacity(answers.len());
            for answer in answers {
                kept.push(match answer.await {
                    Ok(answer) if answer.duplicate => Kept::Before,
                    Ok(_) => Kept::Now,
                    Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Kept::Before,
                    Err(error) => return Err(away(&error)),
                });
            }
            Ok(kept)
        })
    }

    /// A message with this content, which is put elsewhere if it is too long.
    fn message(&mut self, content: Vec<u8>) -> Tried<PublishMessage> {
        let longest = self.nats.jetstream.client().server_info().max_payload.saturating_sub(HEADER_BYTES);
        if content.len() <= longest {
            return Ok(PublishMessage::build().payload(content.into()));
        }
        let hash = hash(&content);
        self.put(&hash, &content)?;
        Ok(PublishMessage::build().header(ELSEWHERE, hash.as_str()))
    }

    /// The content of a message.
    fn content(&mut self, headers: Option<&async_nats::HeaderMap>, payload: &[u8]) -> Tried<Vec<u8>> {
        let Some(hash) = headers.and_then(|headers| headers.get(ELSEWHERE)) else {
            return Ok(payload.to_vec());
        };
        let hash = hash.to_string();
        self.get(&hash)?.ok_or_else(|| BrokerError::Away(format!("the content {hash} is not there")))
    }

    /// Says something about tickets, without an answer.
    fn say(&mut self, tickets: &[Ticket], what: &'static str) -> Tried<()> {
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
    fn forget(&mut self) {
        let _entered = self.nats.runtime.enter();
        self.asked = None;
    }

    /// The messages that have come, after a wait for the first.
    fn messages(&mut self, n: usize, wait: Duration) -> Tried<Vec<Message>> {
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
}

impl Broker for Bucket {
    fn create(&mut self, settings: &Settings) -> Tried<()> {
        let cases = Config {
            name: self.stream("cases"),
            subjects: vec![self.case_subject()],
            retention: RetentionPolicy::WorkQueue,
            duplicate_window: KNOWN_FOR,
            ..Config::default()
        };
        let results = Config {
            name: self.stream("results"),
            subjects: vec![format!("kilter.{}.result.*", self.name)],
            duplicate_window: KNOWN_FOR,
            ..Config::default()
        };
        let workers = Pull {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: settings.lost_after,
            max_ack_pending: -1,
            ..Pull::default()
        };
        let nats = self.nats.clone();
        nats.runtime.block_on(async {
            let mut replicas = settings.replicas;
            self.make(cases, &mut replicas).await?;
            self.make(results, &mut replicas).await?;
            self.make(self.bucket_of_papers(), &mut replicas).await?;
            self.make_contents(replicas.unwrap_or(1)).await?;
            let made = nats.jetstream.create_consumer_on_stream(workers, self.stream("cases")).await;
            made.map(drop).map_err(|error| away(&error))
        })
    }

    fn remove(&mut self) -> Tried<()> {
        self.open = None;
        let jetstream = self.nats.jetstream.clone();
        let bucket = self.bucket();
        // The papers go last, because by them a campaign is found.
        let streams =
            [self.stream("cases"), self.stream("results"), format!("OBJ_{bucket}"), format!("KV_{bucket}")];
        self.nats.runtime.block_on(async {
            for stream in streams {
                if let Err(error) = jetstream.delete_stream(&stream).await
                    && !error.to_string().contains("not found")
                {
                    return Err(away(&error));
                }
            }
            Ok(())
        })
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
        let entry = self.nats.runtime.block_on(papers.entry(name)).map_err(|error| away(&error))?;
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
            let given = message.info().map_or(1, |info| info.delivered);
            let ticket = Ticket(message.reply.as_ref().map(ToString::to_string).unwrap_or_default());
            let parcel = serde_json::from_slice(&content).map_err(|error| {
                BrokerError::Refused(format!(
                    "a case of the campaign cannot be read ({error}); another Kilter wrote it"
                ))
            })?;
            deliveries.push(Delivery { parcel, ticket, given: given.max(1).unsigned_abs() });
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
            let messages = self.messages(1, Duration::ZERO)?;
            under_way.extend(
                messages.iter().filter_map(|message| Some(Ticket(message.reply.as_ref()?.to_string()))),
            );
            self.forget();
        }
        under_way.extend_from_slice(tickets);
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
