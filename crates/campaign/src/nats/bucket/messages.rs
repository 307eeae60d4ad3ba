//! Messages to the streams, whose contents may be too long for one.

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;

use super::{Bucket, Tried};
use crate::broker::{Broker as _, BrokerError, Kept};
use crate::manifest::hash;
use crate::nats::connect::away;

/// The header of a message whose content is in the store of contents, because it is too long for a message.
const ELSEWHERE: &str = "Kilter-Content";
/// What a message has besides its content.
const HEADER_BYTES: usize = 4096;

impl Bucket {
    /// Sends messages, and waits for all answers. An error is that of the first message that has one.
    pub(super) fn publish(&mut self, messages: Vec<(String, PublishMessage)>) -> Tried<Vec<Kept>> {
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
    pub(super) fn message(&mut self, content: Vec<u8>) -> Tried<PublishMessage> {
        let longest = self.nats.jetstream.client().server_info().max_payload.saturating_sub(HEADER_BYTES);
        if content.len() <= longest {
            return Ok(PublishMessage::build().payload(content.into()));
        }
        let hash = hash(&content);
        self.put(&hash, &content)?;
        Ok(PublishMessage::build().header(ELSEWHERE, hash.as_str()))
    }

    /// The content of a message.
    pub(super) fn content(&mut self, headers: Option<&HeaderMap>, payload: &[u8]) -> Tried<Vec<u8>> {
        let Some(hash) = headers.and_then(|headers| headers.get(ELSEWHERE)) else {
            return Ok(payload.to_vec());
        };
        let hash = hash.to_string();
        self.get(&hash)?.ok_or_else(|| BrokerError::Away(format!("the content {hash} is not there")))
    }
}
