//! The connection with a node. Nothing here waits for longer than it is told to, whatever the node does.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use kilter_protocol::LINE_BYTES_MAX;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What comes out of a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(Vec<u8>),
    /// Nothing within the time.
    Nothing,
    /// The node has closed the connection, after this much of a line.
    End(Vec<u8>),
    /// A line that has no end within the limit.
    TooLong,
}

/// A connection with a node.
pub struct Link {
    socket: File,
    /// What was read and is not yet a whole line.
    rest: Vec<u8>,
    lines: VecDeque<Vec<u8>>,
    is_over: bool,
}

impl Link {
    /// A connection whose socket does not block.
    pub fn new(socket: OwnedFd) -> Link {
        Link { socket: File::from(socket), rest: Vec::new(), lines: VecDeque::new(), is_over: false }
    }

    /// Writes, and reads meanwhile: a node may have to get rid of its answers before it reads on. False if it has not taken all within
    /// the time, or is gone.
    pub fn write(&mut self, mut bytes: &[u8], patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while !bytes.is_empty() {
            match self.socket.write(bytes) {
                Ok(n_written) => bytes = &bytes[n_written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let interest = if self.is_over { PollFlags::OUT } else { PollFlags::IN | PollFlags::OUT };
                    if !wait(self.socket.as_fd(), interest, until) {
                        return false;
                    }
                    self.read();
                }
                Err(_) => return false,
            }
        }
        true
    }

    /// The next line.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        let until = Instant::now() + patience;
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Heard::Line(line);
            }
            if self.rest.len() > LINE_BYTES_MAX {
                return Heard::TooLong;
            }
            if self.is_over {
                return Heard::End(std::mem::take(&mut self.rest));
            }
            if !wait(self.socket.as_fd(), PollFlags::IN, until) {
                return Heard::Nothing;
            }
            self.read();
        }
    }

    /// Reads what is there, at most a bit.
    fn read(&mut self) {
        let mut chunk = vec![0; 1 << 16];
        match self.socket.read(&mut chunk) {
            Ok(0) => self.is_over = true,
            Ok(n_read) => {
                for part in chunk[..n_read].split_inclusive(|byte| *byte == b'\n') {
                    self.rest.extend_from_slice(part);
                    if self.rest.last() == Some(&b'\n') {
                        self.rest.pop();
                        self.lines.push_back(std::mem::take(&mut self.rest));
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.is_over = true,
        }
    }
}

/// Waits until something can be read or written, or the time is over. False if it is over.
pub fn wait(fd: BorrowedFd<'_>, interest: PollFlags, until: Instant) -> bool {
    wait_for_any(&mut [PollFd::from_borrowed_fd(fd, interest)], until)
}

/// Waits until one of several descriptors is ready, or the time is over. False if it is over.
pub fn wait_for_any(fds: &mut [PollFd<'_>], until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        match poll(fds, Some(&timeout)) {
            Ok(n_ready) if n_ready > 0 => return true,
            _ if left.is_zero() => return false,
            _ => {}
        }
    }
}
