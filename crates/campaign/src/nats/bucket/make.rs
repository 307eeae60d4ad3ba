//! Makes and removes what a campaign consists of.

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::pull::Config as Pull;
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::object_store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};

use super::{Bucket, KNOWN_FOR, REPLICAS, Tried, WORKERS};
use crate::broker::{BrokerError, Settings};
use crate::nats::connect::away;

impl Bucket {
    /// Makes everything of which a campaign consists.
    pub(super) fn make_all(&self, settings: &Settings) -> Tried<()> {
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

    /// Removes all that, whether it is there or not.
    pub(super) fn remove_all(&self) -> Tried<()> {
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
}
