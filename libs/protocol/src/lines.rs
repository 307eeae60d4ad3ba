//! Encodes messages as lines, and decodes them.

use std::io::{self, BufRead, Read as _};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The longest line that is read. A longer one is an error, so that a faulty node can't fill the memory.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// Why a message could not be read.
#[derive(Debug, Error)]
pub enum LineError {
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The line has no end within the limit.
    #[error("a line of more than {LINE_BYTES_MAX} bytes")]
    TooLong,
    /// The other side was cut off in the middle of a line.
    #[error("the connection ended in the middle of a line: {0:?}")]
    HalfLine(String),
    /// The line is not a message of this protocol.
    #[error("not a message of the protocol: {reason}: {line:?}")]
    Garbage {
        /// The beginning of the line.
        line: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Encodes a message as a line, with its line end.
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages have string keys and no failing parts");
    line.push(b'\n');
    line
}

/// Decodes a line, with or without its line end.
pub fn decode<M: DeserializeOwned>(line: &[u8]) -> Result<M, LineError> {
    serde_json::from_slice(line)
        .map_err(|error| LineError::Garbage { line: beginning(line), reason: error.to_string() })
}

/// Reads the next message of a connection. `None` at the end of the connection.
pub fn read_line<M: DeserializeOwned>(from: &mut impl BufRead) -> Result<Option<M>, LineError> {
    let mut line = Vec::new();
    let n_read = from.by_ref().take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)?;
    if n_read == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(if n_read > LINE_BYTES_MAX {
            LineError::TooLong
        } else {
            LineError::HalfLine(beginning(&line))
        });
    }
    decode(&line).map(Some)
}

fn beginning(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned()
}
