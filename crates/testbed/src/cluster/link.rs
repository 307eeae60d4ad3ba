//! A connection to a node: lines that have arrived, lines that have yet to leave. Never blocks.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use kilter_protocol::{FromNode, LINE_BYTES_MAX, LineError, ToNode, decode, encode};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

/// How much is read at once. What a node says beyond that waits in the socket, and then the node waits.
const CHUNK_BYTES: usize = 64 << 10;

/// A connection to a node.
pub(super) struct Link {
    socket: OwnedFd,
    /// Where it is read to. Kept, since clearing and growing the inbox for each read takes longer than the read.
    chunk: Vec<u8>,
    inbox: Vec<u8>,
    /// Where in the inbox the next line begins, and up to where there is no end of line.
    begin: usize,
    searched: usize,
    outbox: Vec<u8>,
    /// True when the other side has closed.
    pub ended: bool,
}

impl Link {
    /// A connection over a socket that does not block.
    pub(super) fn new(socket: OwnedFd) -> Link {
        let chunk = vec![0; CHUNK_BYTES];
        Link { socket, chunk, inbox: Vec::new(), begin: 0, searched: 0, outbox: Vec::new(), ended: false }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// True if something could not be sent yet.
    pub(super) fn is_clogged(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Reads what is there, up to a chunk.
    pub(super) fn fill(&mut self) {
        self.inbox.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        let received = recv(&self.socket, &mut self.chunk[..], RecvFlags::DONTWAIT);
        let n_read = match received {
            Ok((0, _)) => {
                self.ended = true;
                0
            }
            Ok((n_read, _)) => n_read,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            // Reset: the other side is gone as well.
            Err(_) => {
                self.ended = true;
                0
            }
        };
        self.inbox.extend_from_slice(&self.chunk[..n_read]);
    }

    /// The next line that has arrived whole.
    pub(super) fn next_line(&mut self) -> Result<Option<FromNode>, LineError> {
        match self.inbox[self.searched..].iter().position(|byte| *byte == b'\n') {
            Some(length) => {
                let end = self.searched + length;
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

    /// How much has arrived that is no whole line yet.
    pub(super) fn n_waiting(&self) -> usize {
        self.inbox.len() - self.begin
    }

    /// What has arrived of a line that has no end.
    pub(super) fn half_line(&self) -> Option<String> {
        let rest = &self.inbox[self.begin..];
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest[..rest.len().min(80)]).into_owned())
    }

    /// Says something to the node, now or as soon as it listens.
    pub(super) fn send(&mut self, message: &ToNode) {
        self.outbox.extend(encode(message));
        self.flush();
    }

    /// Sends what is left to be sent, as far as the node listens.
    pub(super) fn flush(&mut self) {
        while !self.outbox.is_empty() {
            match send(&self.socket, &self.outbox, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(n_sent) => drop(self.outbox.drain(..n_sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The node is gone; its end is noticed where it is read from.
                Err(_) => self.outbox.clear(),
            }
        }
    }
}
