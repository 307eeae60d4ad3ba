//! The part of AMQP 0-9-1 that is needed: a connection with one channel, a durable queue, and messages that the server
//! confirms.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
const METHOD: u8 = 1;
const HEADER: u8 = 2;
const BODY: u8 = 3;
const FRAME_END: u8 = 0xce;
/// Longer frames are none that we wait for.
const LENGTH_MAX: usize = 1 << 20;
/// The class and the number of a method.
type Name = (u16, u16);
const START: Name = (10, 10);
const START_OK: Name = (10, 11);
const TUNE: Name = (10, 30);
const TUNE_OK: Name = (10, 31);
const OPEN: Name = (10, 40);
const OPEN_OK: Name = (10, 41);
const CLOSE: Name = (10, 50);
const CHANNEL_OPEN: Name = (20, 10);
const CHANNEL_OPEN_OK: Name = (20, 11);
const CHANNEL_CLOSE: Name = (20, 40);
const DECLARE: Name = (50, 10);
const DECLARE_OK: Name = (50, 11);
const PUBLISH: Name = (60, 40);
const ACK: Name = (60, 80);
const NACK: Name = (60, 120);
const CONFIRM: Name = (85, 10);
const CONFIRM_OK: Name = (85, 11);
/// The bit of a declaration for queues that survive.
const DURABLE: u8 = 2;

/// A connection whose channel 1 is open and confirms messages.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    /// The number of messages that were sent.
    sent: u64,
}

impl Connection {
    pub fn open(address: (&str, u16)) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut connection = Self { stream: BufReader::new(stream), sent: 0 };
        connection.stream.get_mut().write_all(b"AMQP\0\0\x09\x01")?;
        connection.expect(START)?;
        let who = [&[0; 4], &short("PLAIN")[..], &long(b"\0guest\0guest"), &short("en_US")].concat();
        connection.call(0, START_OK, &who)?;
        // We take the server's limits, and want no heartbeats.
        let mut limits = connection.expect(TUNE)?;
        limits.truncate(6);
        limits.extend([0, 0]);
        connection.call(0, TUNE_OK, &limits)?;
        connection.call(0, OPEN, &[short("/"), short(""), vec![0]].concat())?;
        connection.expect(OPEN_OK)?;
        connection.call(1, CHANNEL_OPEN, &short(""))?;
        connection.expect(CHANNEL_OPEN_OK)?;
        connection.call(1, CONFIRM, &[0])?;
        connection.expect(CONFIRM_OK)?;
        Ok(connection)
    }

    /// Declares a quorum queue.
    pub fn declare(&mut self, queue: &str) -> io::Result<()> {
        let kind = [short("x-queue-type"), b"S".to_vec(), long(b"quorum")].concat();
        self.call(1, DECLARE, &[&[0, 0], &short(queue)[..], &[DURABLE], &long(&kind)].concat())?;
        self.expect(DECLARE_OK).map(|_| ())
    }

    /// Sends a message to a queue, and does not wait for the confirmation.
    pub fn publish(&mut self, queue: &str, message: &str) -> io::Result<()> {
        self.call(1, PUBLISH, &[&[0, 0], &short("")[..], &short(queue), &[0]].concat())?;
        let length = (message.len() as u64).to_be_bytes();
        let (class, _) = PUBLISH;
        self.frame(HEADER, 1, &[&class.to_be_bytes()[..], &[0, 0], &length, &[0, 0]].concat())?;
        self.frame(BODY, 1, message.as_bytes())?;
        self.sent += 1;
        Ok(())
    }

    /// Waits until the server has confirmed all messages. It is an error if it refuses one.
    pub fn confirmed(&mut self, patience: Duration) -> io::Result<()> {
        self.stream.get_ref().set_read_timeout(Some(patience))?;
        loop {
            let body = self.expect(ACK)?;
            let tag = body.first_chunk::<8>().ok_or(io::ErrorKind::InvalidData)?;
            if u64::from_be_bytes(*tag) >= self.sent {
                return Ok(());
            }
        }
    }

    fn call(&mut self, channel: u16, (class, method): Name, arguments: &[u8]) -> io::Result<()> {
        self.frame(METHOD, channel, &[&class.to_be_bytes(), &method.to_be_bytes(), arguments].concat())
    }

    fn frame(&mut self, kind: u8, channel: u16, body: &[u8]) -> io::Result<()> {
        let length = (body.len() as u32).to_be_bytes();
        let frame = [&[kind], &channel.to_be_bytes()[..], &length, body, &[FRAME_END]].concat();
        self.stream.get_mut().write_all(&frame)
    }

    /// Waits for a method. Returns its arguments.
    fn expect(&mut self, wanted: Name) -> io::Result<Vec<u8>> {
        loop {
            let mut head = [0; 7];
            self.stream.read_exact(&mut head)?;
            let length = u32::from_be_bytes([head[3], head[4], head[5], head[6]]) as usize;
            if length > LENGTH_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let mut body = vec![0; length + 1];
            self.stream.read_exact(&mut body)?;
            body.pop();
            if head[0] != METHOD {
                continue;
            }
            let [a, b, c, d, arguments @ ..] = &body[..] else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            match (u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d])) {
                name if name == wanted => return Ok(arguments.to_vec()),
                CLOSE | CHANNEL_CLOSE => return Err(io::Error::other(reason(arguments))),
                NACK => return Err(io::Error::other("the message was refused")),
                _ => {}
            }
        }
    }
}

/// A text of at most 255 bytes.
fn short(text: &str) -> Vec<u8> {
    [&[text.len() as u8], text.as_bytes()].concat()
}

fn long(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

/// Why the server closes something: a code, and a text.
fn reason(arguments: &[u8]) -> String {
    let text = arguments.get(3..).unwrap_or_default();
    let length = arguments.get(2).map_or(0, |length| usize::from(*length));
    String::from_utf8_lossy(text.get(..length).unwrap_or(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_length_before_them() {
        assert_eq!(short("ab"), b"\x02ab");
        assert_eq!(long(b"ab"), b"\0\0\0\x02ab");
    }

    #[test]
    fn reasons_are_read_as_far_as_they_are_there() {
        let close = b"\x01\x94\x09NOT_FOUND\0\0\0\0";
        assert_eq!(reason(close), "NOT_FOUND");
        assert_eq!(reason(&close[..6]), "NOT");
        assert_eq!(reason(b""), "");
    }
}
