//! Being told to stop from outside, by Ctrl-C or by another thread.

use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// What asks a process to end.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A flag that several clusters can wait for together with everything else that may happen. Once raised it stays so.
#[derive(Clone, Debug)]
pub struct Interrupt {
    ends: Arc<(UnixStream, UnixStream)>,
}

impl Interrupt {
    /// A flag that is raised by [`Interrupt::raise`] only.
    pub fn new() -> io::Result<Interrupt> {
        let (read, write) = UnixStream::pair()?;
        write.set_nonblocking(true)?;
        Ok(Interrupt { ends: Arc::new((read, write)) })
    }

    /// A flag that is also raised when this process is asked to end: Ctrl-C, SIGTERM, SIGHUP. A second one ends it at once.
    pub fn on_signals() -> io::Result<Interrupt> {
        let raised = Arc::new(AtomicBool::new(false));
        for signal in SIGNALS {
            // In this order: the first signal finds the flag down and raises it.
            signal_hook::flag::register_conditional_default(signal, raised.clone())?;
            signal_hook::flag::register(signal, raised.clone())?;
        }
        Interrupt::on_first_signal()
    }

    /// The same, where the program itself says what a second signal does.
    pub fn on_first_signal() -> io::Result<Interrupt> {
        let interrupt = Interrupt::new()?;
        for signal in SIGNALS {
            signal_hook::low_level::pipe::register(signal, interrupt.ends.1.try_clone()?)?;
        }
        Ok(interrupt)
    }

    /// Raises the flag.
    pub fn raise(&self) {
        // If the pipe is full, it has been raised.
        let _ = (&self.ends.1).write(&[1]);
    }

    /// True if the flag has been raised.
    pub fn is_raised(&self) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|n_ready| n_ready > 0)
    }

    /// Readable once the flag has been raised. Nobody reads it.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.ends.0.as_fd()
    }
}
