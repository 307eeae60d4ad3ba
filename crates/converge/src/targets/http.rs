//! Requests over HTTP, one on each connection, for stores whose clients speak JSON.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value as Json;

use crate::nodes::Seat;
use crate::store::Client;
use crate::trouble::Trouble;

const PATIENCE: Duration = Duration::from_secs(2);

/// Sends a request to a node's first port, and does not wait for the answer.
pub(super) fn post(seat: &Seat, path: &str, body: &Json) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    Ok(stream)
}

/// Asks a node.
pub(super) fn get(seat: &Seat, path: &str) -> io::Result<Json> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n")?;
    answer(stream)
}

/// Waits for the answer to a request.
pub(super) fn answer(mut stream: TcpStream) -> io::Result<Json> {
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    if head.lines().next().is_none_or(|line| !line.contains(" 200 ")) {
        return Err(io::Error::other(body.to_owned()));
    }
    Ok(serde_json::from_str(body)?)
}

/// A client. Each write has a connection of its own, because on one connection a write would wait for the answer to the
/// last one.
pub(super) struct Writer {
    /// The node that it writes to.
    pub seat: Seat,
    /// Where writes are sent to.
    pub path: &'static str,
    /// What is sent to write a value to a key.
    pub body: fn(&[(String, String)]) -> Json,
    /// Whether an answer says that a write is done.
    pub is_done: fn(&Json) -> bool,
    /// Whether an error says that a write is not made, and never will be.
    pub is_refusal: fn(&str) -> bool,
    /// The request that is not answered yet.
    pub last: Option<TcpStream>,
    /// Whether the last write was refused.
    pub is_refused: bool,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        self.send_together(&[(key.to_owned(), value.to_owned())])
    }

    fn send_together(&mut self, pairs: &[(String, String)]) -> Result<(), Trouble> {
        let names: Vec<&str> = pairs.iter().map(|(key, _)| key.as_str()).collect();
        let not_sent = |error: io::Error| Trouble::NotDriven(format!("put {}: {error}", names.join(", ")));
        self.last = Some(post(&self.seat, self.path, &(self.body)(pairs)).map_err(not_sent)?);
        Ok(())
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let Some(stream) = self.last.take() else { return false };
        let answer = stream.set_read_timeout(Some(patience)).and_then(|()| answer(stream));
        self.is_refused = answer.as_ref().is_err_and(|error| (self.is_refusal)(&error.to_string()));
        answer.is_ok_and(|answer| (self.is_done)(&answer))
    }

    fn is_refused(&self) -> bool {
        self.is_refused
    }
}
