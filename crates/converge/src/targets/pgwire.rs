//! The part of PostgreSQL's client protocol that is needed: simple queries, with answers as text.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);
/// Version 3.0 of the protocol.
const VERSION: u32 = 3 << 16;
/// Longer messages are none that we wait for.
const LENGTH_MAX: usize = 1 << 20;

/// A session with a server that trusts everybody.
pub(super) struct Session {
    stream: BufReader<TcpStream>,
}

/// The rows of an answer. A value is `None` where it is NULL.
pub(super) type Rows = Vec<Vec<Option<String>>>;

impl Session {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut session = Self { stream: BufReader::new(stream) };
        let mut body = VERSION.to_be_bytes().to_vec();
        body.extend(b"user\0postgres\0database\0postgres\0\0");
        session.write(&[], &body)?;
        session.rows()?;
        Ok(session)
    }

    /// Sends a query, and does not wait for the answer.
    pub fn send(&mut self, query: &str) -> io::Result<()> {
        let mut body = query.as_bytes().to_vec();
        body.push(0);
        self.write(b"Q", &body)
    }

    pub fn ask(&mut self, query: &str) -> io::Result<Rows> {
        self.send(query)?;
        self.rows()
    }

    /// How long to wait for answers from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        let _ = self.stream.get_ref().set_read_timeout(Some(patience));
    }

    /// Waits until the server is ready for the next query. Returns the rows that it has sent until then, or its error.
    pub fn rows(&mut self) -> io::Result<Rows> {
        let mut rows = Rows::new();
        let mut error = None;
        loop {
            let (kind, body) = self.message()?;
            match kind {
                b'D' => rows.push(values(&body).ok_or(io::ErrorKind::InvalidData)?),
                b'E' => error = Some(reason(&body)),
                b'R' if body != [0; 4] => return Err(io::Error::other("the server wants a password")),
                b'Z' => return error.map_or(Ok(rows), |error| Err(io::Error::other(error))),
                _ => {}
            }
        }
    }

    fn write(&mut self, kind: &[u8], body: &[u8]) -> io::Result<()> {
        let mut message = kind.to_vec();
        message.extend((body.len() as u32 + 4).to_be_bytes());
        message.extend(body);
        self.stream.get_mut().write_all(&message)
    }

    fn message(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let length = length.checked_sub(4).filter(|length| *length <= LENGTH_MAX);
        let mut body = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
        self.stream.read_exact(&mut body)?;
        // A server that does not take us says why, and closes the connection.
        if head[0] == b'E' && body.starts_with(b"SFATAL") {
            return Err(io::Error::other(reason(&body)));
        }
        Ok((head[0], body))
    }
}

/// The values of a row.
fn values(body: &[u8]) -> Option<Vec<Option<String>>> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let mut values = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        rest = after;
        // The length of NULL is -1.
        values.push(match usize::try_from(i32::from_be_bytes(*length)) {
            Ok(length) => {
                let (value, after) = rest.split_at_checked(length)?;
                rest = after;
                Some(String::from_utf8_lossy(value).into_owned())
            }
            Err(_) => None,
        });
    }
    Some(values)
}

/// The text of an error: its field `M`.
fn reason(body: &[u8]) -> String {
    let mut fields = body.split(|byte| *byte == 0);
    let text = fields.find_map(|field| field.strip_prefix(b"M")).unwrap_or(body);
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_half_rows_are_refused() {
        let row = [&[0, 2, 0, 0, 0, 2][..], b"k1", &[0xff; 4]].concat();
        assert_eq!(values(&row), Some(vec![Some("k1".to_owned()), None]));
        for end in 0..row.len() {
            assert_eq!(values(&row[..end]), None, "{end} bytes");
        }
    }

    #[test]
    fn errors_are_told_by_their_text() {
        assert_eq!(reason(b"SERROR\0C25006\0Mcannot execute INSERT\0\0"), "cannot execute INSERT");
    }
}
