//! A connection to a node, with buffers for incoming and outgoing lines. It never blocks.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use kilter_protocol::{FromNode, LINE_BYTES_MAX, LineError, decode};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

/// The most bytes that are read at once. The rest stays in the socket, so that a node that floods us has to wait.
const CHUNK_BYTES: usize = 64 << 10;

/// A connection to a node.
pub(super) struct Link {
    socket: OwnedFd,
    /// The buffer for reads. It is kept, because clearing and growing the inbox for each read takes longer than the
    /// read.
    chunk: Vec<u8>,
    inbox: Vec<u8>,
    /// The start of the next line in the inbox, and the place up to which there is no end of line.
    begin: usize,
    searched: usize,
    /// The last line in the inbox that was read.
    last: Range<usize>,
    outbox: Vec<u8>,
    /// Whether the other side has closed the connection.
    pub ended: bool,
}

impl Link {
    /// Makes a connection over a socket that does not block.
    pub(super) fn new(socket: OwnedFd) -> Link {
        let chunk = vec![0; CHUNK_BYTES];
        let (inbox, outbox) = (Vec::new(), Vec::new());
        Link { socket, chunk, inbox, begin: 0, searched: 0, last: 0..0, outbox, ended: false }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether some output could not be sent yet.
    pub(super) fn is_clogged(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Reads what is there, up to a chunk.
    pub(super) fn fill(&mut self) {
        self.inbox.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        self.last = 0..0;
        let received = recv(&self.socket, &mut self.chunk[..], RecvFlags::DONTWAIT);
        let n_read = match received {
            Ok((0, _)) => {
                self.ended = true;
                0
            }
            Ok((n_read, _)) => n_read,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            // The connection was reset, so the other side is gone too.
            Err(_) => {
                self.ended = true;
                0
            }
        };
        self.inbox.extend_from_slice(&self.chunk[..n_read]);
    }

    /// The next complete line. `None` if there is none.
    pub(super) fn next_line(&mut self) -> Result<Option<FromNode>, LineError> {
        match self.inbox[self.searched..].iter().position(|byte| *byte == b'\n') {
            Some(length) => {
                let end = self.searched + length;
                self.last = self.begin..end;
                let line = decode(&self.inbox[self.begin..end]);
                (self.begin, self.searched) = (end + 1, end + 1);
                line.map(Some)
            }
            None => {
                self.searched = self.inbox.len();
                if self.searched - self.begin > LINE_BYTES_MAX { Err(LineError::TooLong) } else { Ok(None) }
            }
        }
    }

    /// The line that was read last, as it came.
    pub(super) fn last_line(&self) -> &[u8] {
        &self.inbox[self.last.clone()]
    }

    /// The number of bytes that have arrived and are not yet read as lines.
    pub(super) fn n_waiting(&self) -> usize {
        self.inbox.len() - self.begin
    }

    /// The start of a line that has no end yet.
    pub(super) fn half_line(&self) -> Option<String> {
        let rest = &self.inbox[self.begin..];
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest[..rest.len().min(80)]).into_owned())
    }

    /// Sends a line to the node, now or as soon as the node reads.
    pub(super) fn send(&mut self, line: &[u8]) {
        self.outbox.extend_from_slice(line);
        self.flush();
    }

    /// Sends what is left in the outbox, as far as the node reads.
    pub(super) fn flush(&mut self) {
        while !self.outbox.is_empty() {
            match send(&self.socket, &self.outbox, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(n_sent) => drop(self.outbox.drain(..n_sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The node is gone. Reading from the connection will notice it.
                Err(_) => self.outbox.clear(),
            }
        }
    }
}
