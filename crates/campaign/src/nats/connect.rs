//! A connection to brokers, and errors that say what to do.

use std::sync::Arc;
use std::time::Duration;

use async_nats::ConnectErrorKind;
use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::{self, ErrorCode};
use futures_util::StreamExt as _;
use serde_json::Value as Json;
use tokio::runtime::Runtime;

use super::access::{Access, Who};
use crate::broker::BrokerError;

/// How long to wait for an answer before it counts as lost. A cluster that has lost its leader takes some seconds to have another one.
const ANSWER: Duration = Duration::from_secs(5);
/// How many messages may be on their way to the broker without an answer.
const IN_FLIGHT: usize = 4096;
/// How the streams begin that have the papers of a campaign.
pub(super) const PAPERS: &str = "kilter-";

/// A connection to the brokers of one cluster.
#[derive(Clone)]
pub struct Nats {
    pub(super) runtime: Arc<Runtime>,
    pub(super) jetstream: jetstream::Context,
    url: String,
}

impl Nats {
    /// Connects.
    pub fn connect(access: &Access) -> Result<Nats, BrokerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime =
            runtime.map_err(|error| BrokerError::Refused(format!("no thread could be started: {error}")))?;
        let url = access.urls.join(",");
        let client = runtime.block_on(connect(access, &url))?;
        // It starts a task.
        let entered = runtime.enter();
        let jetstream = jetstream::context::ContextBuilder::new()
            .timeout(ANSWER)
            .ack_timeout(ANSWER)
            .max_ack_inflight(IN_FLIGHT)
            .backpressure_on_inflight(true)
            .build(client);
        drop(entered);
        check(runtime.block_on(jetstream.request("INFO", b"")), &url)?;
        Ok(Nats { runtime: Arc::new(runtime), jetstream, url })
    }

    /// The names of the campaigns that the brokers have.
    pub fn campaigns(&self) -> Result<Vec<String>, BrokerError> {
        let mut names = Vec::new();
        let prefix = format!("KV_{PAPERS}");
        self.runtime.block_on(async {
            let mut streams = self.jetstream.stream_names();
            while let Some(name) = streams.next().await {
                let name = name.map_err(|error| away(&error))?;
                names.extend(name.strip_prefix(&prefix).map(str::to_owned));
            }
            Ok(())
        })?;
        names.sort();
        Ok(names)
    }

    /// Where the brokers are.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Checks what a broker says of its `JetStream`. The client's own question fails with older brokers, which say less.
fn check(said: Result<Json, RequestError>, url: &str) -> Result<(), BrokerError> {
    let off = [ErrorCode::JETSTREAM_NOT_ENABLED, ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT];
    match said {
        Ok(said) if off.iter().any(|code| said["error"]["err_code"] == code.0) => Err(no_jetstream(url)),
        Ok(said) if said["error"].is_object() => {
            let why = said["error"]["description"].as_str().unwrap_or("for no reason that it says");
            Err(BrokerError::Refused(format!("the broker at {url} does not let us use JetStream: {why}")))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == RequestErrorKind::NoResponders => Err(no_jetstream(url)),
        Err(error) => Err(BrokerError::Away(format!(
            "the broker at {url} does not answer for JetStream ({error}); if it is one of several, its cluster may have no leader yet"
        ))),
    }
}

async fn connect(access: &Access, url: &str) -> Result<async_nats::Client, BrokerError> {
    let options = async_nats::ConnectOptions::new().name("kilter").connection_timeout(ANSWER);
    // A worker whose broker is gone for long goes on when it is back.
    let options = options
        .max_reconnects(None)
        .reconnect_delay_callback(|tries| Duration::from_millis((tries as u64).saturating_mul(50).min(2000)));
    let options = match &access.who {
        Who::Anybody => options,
        Who::User(user, password) => options.user_and_password(user.clone(), password.clone()),
        Who::Token(token) => options.token(token.clone()),
        Who::Key { seed, .. } => options.nkey(seed.clone()),
        Who::Credentials(path) => options.credentials_file(path).await.map_err(|error| {
            BrokerError::Refused(format!(
                "{} has no credentials: {error}; it should be a file that `nsc generate creds` has made",
                path.display()
            ))
        })?,
    };
    let options = access
        .tls
        .authority
        .iter()
        .fold(options, |options, path| options.add_root_certificates(path.clone()));
    let options = match &access.tls.certificate {
        Some((certificate, key)) => options.add_client_certificate(certificate.clone(), key.clone()),
        None => options,
    };
    options.connect(&access.urls).await.map_err(|error| not_connected(&error, url, access))
}

fn not_connected(error: &async_nats::ConnectError, url: &str, access: &Access) -> BrokerError {
    let why = with_causes(error);
    // What one side has against the certificate of the other comes as an error of the stream.
    let is_of_stream = ["fatal alert", "peer certificate"].iter().any(|words| why.contains(words));
    let is_tls = error.kind() == ConnectErrorKind::Tls || is_of_stream;
    BrokerError::Refused(match error.kind() {
        ConnectErrorKind::ServerParse => {
            format!("`{url}` is no address of a broker ({why}); write nats://HOST:4222")
        }
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => format!(
            "the broker at {url} does not let us in {} ({why}); set NATS_CREDS, NATS_NKEY, NATS_USER and NATS_PASSWORD, or NATS_TOKEN, or use a context",
            access.who.words()
        ),
        _ if is_tls => {
            let files: Vec<String> = access.tls.files().map(|path| path.display().to_string()).collect();
            let with = if files.is_empty() { String::new() } else { format!(" with {}", files.join(", ")) };
            format!(
                "there is no secure connection to the broker at {url}{with} ({why}); see NATS_CA, NATS_CERT and NATS_KEY"
            )
        }
        _ => format!(
            "no broker answers at {url} ({why}); start one with `nats-server -js`, or name another one with --nats"
        ),
    })
}

fn no_jetstream(url: &str) -> BrokerError {
    BrokerError::Refused(format!(
        "the broker at {url} has no JetStream, which keeps cases and results; start it with `nats-server -js`, or turn JetStream on for the account"
    ))
}

/// An error that may be gone if it is tried again.
pub(super) fn away(error: &(dyn std::error::Error + 'static)) -> BrokerError {
    BrokerError::Away(format!("the broker does not answer as it should: {}", with_causes(error)))
}

/// Whether an error says that the stream is not there, which asking again does not change.
pub(super) fn is_gone(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        cause
            .downcast_ref::<jetstream::Error>()
            .is_some_and(|error| error.error_code() == ErrorCode::STREAM_NOT_FOUND)
    })
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut said: Vec<String> = Vec::new();
    for cause in causes.map(ToString::to_string) {
        // Some errors have their cause in their own text.
        if !said.iter().any(|text| text.contains(&cause)) {
            said.push(cause);
        }
    }
    said.join(": ")
}
