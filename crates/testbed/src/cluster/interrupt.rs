//! A request to stop that comes from outside, by Ctrl-C or from another thread.

use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The signals that ask a process to end.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A flag that several clusters can wait for, together with their other events. Once raised, it stays raised.
#[derive(Clone, Debug)]
pub struct Interrupt {
    ends: Arc<(UnixStream, UnixStream)>,
    /// When the time of the whole run is over, if anybody has said so.
    end: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// Makes a flag that only [`Interrupt::raise`] raises.
    pub fn new() -> io::Result<Interrupt> {
        let (read, write) = UnixStream::pair()?;
        write.set_nonblocking(true)?;
        Ok(Interrupt { ends: Arc::new((read, write)), end: Arc::default() })
    }

    /// Makes a flag that is also raised by Ctrl-C, SIGTERM and SIGHUP. A second signal ends the process at once.
    pub fn on_signals() -> io::Result<Interrupt> {
        let raised = Arc::new(AtomicBool::new(false));
        for signal in SIGNALS {
            // The order matters: the first signal finds the flag down and then raises it.
            signal_hook::flag::register_conditional_default(signal, raised.clone())?;
            signal_hook::flag::register(signal, raised.clone())?;
        }
        Interrupt::on_first_signal()
    }

    /// Like `on_signals`, but leaves a second signal to the program.
    pub fn on_first_signal() -> io::Result<Interrupt> {
        let interrupt = Interrupt::new()?;
        for signal in SIGNALS {
            signal_hook::low_level::pipe::register(signal, interrupt.ends.1.try_clone()?)?;
        }
        Ok(interrupt)
    }

    /// Raises the flag.
    pub fn raise(&self) {
        // If the pipe is full, the flag has been raised already.
        let _ = (&self.ends.1).write(&[1]);
    }

    /// Says when the time of the whole run is over. A cluster does not wait much longer for a node that does not come to rest. Only the first call
    /// counts.
    pub fn end_at(&self, end: Instant) {
        let _ = self.end.set(end);
    }

    /// When the time of the whole run is over. `None` if nobody has said so.
    pub(super) fn end(&self) -> Option<Instant> {
        self.end.get().copied()
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|n_ready| n_ready > 0)
    }

    /// A descriptor that is readable once the flag has been raised. Nobody reads from it.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.ends.0.as_fd()
    }
}
