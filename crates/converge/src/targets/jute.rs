//! The part of ZooKeeper's client protocol that is needed: open a session, create a node, list the nodes, read a node.
//!
//! Numbers are big-endian. A message begins with its length, and so do texts and buffers.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use thiserror::Error;

const CREATE: i32 = 1;
const GET_DATA: i32 = 4;
const GET_CHILDREN: i32 = 8;
/// All permissions.
const PERMISSIONS: i32 = 31;
/// The timeout of a session, longer than any schedule takes.
const SESSION_MS: i32 = 600_000;
const PASSWORD_BYTES: usize = 16;
/// The most bytes of an answer. Ours consist of a few nodes, so a larger one is wrong.
const FRAME_BYTES_MAX: usize = 1 << 20;

#[derive(Default)]
struct Frame(Vec<u8>);

impl Frame {
    fn int(mut self, value: i32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn long(mut self, value: i64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn flag(mut self, value: bool) -> Self {
        self.0.push(value.into());
        self
    }

    fn bytes(self, value: &[u8]) -> Self {
        let mut frame = self.int(value.len() as i32);
        frame.0.extend(value);
        frame
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n_bytes: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n_bytes).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.0 = rest;
        Ok(taken)
    }

    fn int(&mut self) -> io::Result<i32> {
        self.take(4)?.try_into().map(i32::from_be_bytes).map_err(io::Error::other)
    }

    fn long(&mut self) -> io::Result<i64> {
        self.take(8)?.try_into().map(i64::from_be_bytes).map_err(io::Error::other)
    }

    fn text(&mut self) -> io::Result<String> {
        let length = usize::try_from(self.int()?).unwrap_or(0);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
}

/// What a client needs to continue a session at another server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    id: i64,
    password: [u8; PASSWORD_BYTES],
    /// The last transaction that the client has seen.
    last_seen: i64,
}

impl Ticket {
    /// The same session of a client that has seen nothing yet.
    #[must_use]
    pub fn as_if_new(&self) -> Self {
        Self { last_seen: 0, ..self.clone() }
    }

    /// Encodes the ticket.
    pub fn to_bytes(&self) -> Vec<u8> {
        Frame::default().long(self.id).bytes(&self.password).long(self.last_seen).0
    }

    /// Decodes what `to_bytes` returned.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut reader = Reader(bytes);
        let ticket = Self::read(&mut reader)?;
        Ok(Self { last_seen: reader.long()?, ..ticket })
    }

    /// Reads the number and the password, as servers send them.
    fn read(reader: &mut Reader<'_>) -> io::Result<Self> {
        let id = reader.long()?;
        let length = usize::try_from(reader.int()?).unwrap_or(0);
        let password = reader.take(length)?.try_into().map_err(io::Error::other)?;
        Ok(Self { id, password, last_seen: 0 })
    }
}

/// An error with which a server answers a request.
#[derive(Debug, Error)]
#[error("ZooKeeper's error {0}")]
struct ServerError(i32);

/// Whether a server has answered, with an error.
pub fn is_error_of_server(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<ServerError>())
}

/// A session with one server.
pub struct Session {
    stream: TcpStream,
    next_id: i32,
    /// For continuing the session at another server.
    pub ticket: Ticket,
}

impl Session {
    /// Opens a new session. This is a transaction, on which the servers have to agree.
    pub fn open(port: u16, patience: Duration) -> io::Result<Self> {
        Self::resume(port, patience, &Ticket::default())
    }

    /// Continues a session. This is not a transaction.
    pub fn resume(port: u16, patience: Duration, ticket: &Ticket) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        let mut session = Self { stream, next_id: 1, ticket: ticket.clone() };
        let hello = Frame::default().int(0).long(ticket.last_seen).int(SESSION_MS).long(ticket.id);
        session.write(&hello.bytes(&ticket.password).flag(false))?;
        let answer = session.read()?;
        let mut reader = Reader(&answer);
        reader.int()?;
        if reader.int()? <= 0 {
            return Err(io::Error::other("the servers do not know the session any more"));
        }
        session.ticket = Ticket { last_seen: ticket.last_seen, ..Ticket::read(&mut reader)? };
        Ok(session)
    }

    /// Sends the request to create a node, and does not wait for the answer.
    pub fn send_create(&mut self, path: &str, data: &str) -> io::Result<()> {
        let request = self.request(CREATE).bytes(path.as_bytes()).bytes(data.as_bytes());
        let anybody = request.int(1).int(PERMISSIONS).bytes(b"world").bytes(b"anyone");
        self.write(&anybody.int(0))
    }

    /// Waits for the answer to the last request.
    pub fn wait(&mut self, patience: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(patience))?;
        while self.answer()?.0 != self.next_id - 1 {}
        Ok(())
    }

    /// The names of the nodes below the root.
    pub fn children(&mut self) -> io::Result<Vec<String>> {
        let request = self.request(GET_CHILDREN).bytes(b"/").flag(false);
        self.write(&request)?;
        let (_, answer) = self.answer()?;
        let mut reader = Reader(&answer);
        (0..reader.int()?).map(|_| reader.text()).collect()
    }

    /// The data of a node.
    pub fn data(&mut self, path: &str) -> io::Result<String> {
        let request = self.request(GET_DATA).bytes(path.as_bytes()).flag(false);
        self.write(&request)?;
        Reader(&self.answer()?.1).text()
    }

    fn request(&mut self, kind: i32) -> Frame {
        self.next_id += 1;
        Frame::default().int(self.next_id - 1).int(kind)
    }

    /// The next answer: the number of its request, and its content. An error of the server is returned as an error.
    fn answer(&mut self) -> io::Result<(i32, Vec<u8>)> {
        let bytes = self.read()?;
        let mut reader = Reader(&bytes);
        let id = reader.int()?;
        self.ticket.last_seen = self.ticket.last_seen.max(reader.long()?);
        match reader.int()? {
            0 => Ok((id, reader.0.to_vec())),
            code => Err(io::Error::other(ServerError(code))),
        }
    }

    fn write(&mut self, frame: &Frame) -> io::Result<()> {
        let mut bytes = (frame.0.len() as u32).to_be_bytes().to_vec();
        bytes.extend(&frame.0);
        self.stream.write_all(&bytes)
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > FRAME_BYTES_MAX {
            return Err(io::Error::other("an answer that is too long"));
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_kept_as_bytes() {
        let ticket = Ticket { id: 0x1000_0000_0000_0002, password: [7; PASSWORD_BYTES], last_seen: 9 };
        assert_eq!(Ticket::from_bytes(&ticket.to_bytes()).expect("a ticket"), ticket);
        assert!(Ticket::from_bytes(&ticket.to_bytes()[..20]).is_err());
    }
}
