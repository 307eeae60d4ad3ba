//! A connection that says when the other side is gone. Timely would end the process then; we want to say which process it
//! was, and to leave a checkpoint.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use kilter_check::Lost;
use timely::communication::allocator::zero_copy::stream::Stream;

/// What all connections of a process know.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lost: Option<Lost>,
    /// Whether this process has got all that it needs, so that others may leave.
    is_done: bool,
}

impl Watch {
    /// The first process that is gone.
    pub(crate) fn lost(&self) -> Option<Lost> {
        self.lock().lost.clone()
    }

    /// From now on others may leave.
    pub(crate) fn is_done(&self) {
        self.lock().is_done = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes down that a process is gone, and waits until others may leave.
    fn lose(&self, process: usize, how: String) {
        let mut state = self.lock();
        state.lost.get_or_insert(Lost { process, how });
        while !state.is_done {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A connection to another process.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    process: usize,
    watch: Arc<Watch>,
}

impl Link {
    pub(crate) fn new(stream: TcpStream, process: usize, watch: &Arc<Watch>) -> Link {
        Link { stream, process, watch: Arc::clone(watch) }
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let how = match self.stream.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => error.to_string(),
            Ok(0) => "it has closed the connection".to_owned(),
            read => return read,
        };
        self.watch.lose(self.process, how);
        Ok(0)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.watch.lose(self.process, error.to_string());
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Link { stream: self.stream.try_clone()?, process: self.process, watch: Arc::clone(&self.watch) })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // A process that is gone has shut down its side.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
