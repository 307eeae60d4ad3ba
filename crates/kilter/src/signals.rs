//! Ctrl-C and other signals, as flags that long jobs check.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use kilter_testbed::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::error::{INTERRUPTED, Interrupted};

/// Two signals within this time count as one, because `timeout` sends its signal to the process and to the whole group.
const ONE_SIGNAL: Duration = Duration::from_millis(300);
/// How often a patient process checks for a signal.
const LOOK: Duration = Duration::from_millis(50);

/// Ctrl-C, SIGTERM and SIGHUP. They end the process at once with [`INTERRUPTED`], except for patient verbs. There the
/// first signal only raises a flag, so that the verb can report what was done so far and clean up. A second signal ends
/// the process.
#[derive(Clone, Debug)]
pub struct Signals {
    raised: Arc<AtomicBool>,
    /// Whether the next signal ends the process.
    at_once: Arc<AtomicBool>,
    /// Whether this process listens for signals.
    is_heard: bool,
}

/// A time in which the first signal only raises the flag. It ends when this is dropped.
pub struct Patience {
    signals: Signals,
    was_at_once: bool,
    /// Dropping it ends the wait for a second signal.
    _ends: Sender<()>,
}

impl Signals {
    /// Starts to listen for signals.
    pub fn listen() -> io::Result<Signals> {
        let at_once = Arc::new(AtomicBool::new(true));
        let signals = Signals { at_once, is_heard: true, ..Signals::unheard() };
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&signals.at_once))?;
            flag::register(signal, Arc::clone(&signals.raised))?;
        }
        // If a file may not grow any more, writing to it should be an error and not end the process.
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(signals)
    }

    /// Makes signals that never come.
    pub fn unheard() -> Signals {
        Signals { raised: Arc::default(), at_once: Arc::default(), is_heard: false }
    }

    /// The flag that a signal raises.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.raised)
    }

    /// Has signals raise this flag, too.
    pub(crate) fn also_raise(&self, flag: &Arc<AtomicBool>) -> io::Result<()> {
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|_| self.is_heard) {
            flag::register(signal, Arc::clone(flag))?;
        }
        if self.are_raised() {
            flag.store(true, Ordering::SeqCst);
        }
        Ok(())
    }

    /// An interrupt for a testbed. A signal raises it if this process listens for signals.
    pub(crate) fn interrupt(&self) -> io::Result<Interrupt> {
        if self.is_heard { Interrupt::on_first_signal() } else { Interrupt::new() }
    }

    /// Whether there was a signal.
    pub fn are_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    /// Returns an error if there was a signal.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.are_raised() { Err(Interrupted) } else { Ok(()) }
    }

    /// Begins a time in which the caller checks the flag.
    pub fn patience(&self) -> Patience {
        let was_at_once = self.at_once.swap(false, Ordering::SeqCst);
        let (ends, ended) = mpsc::channel();
        let signals = self.clone();
        thread::spawn(move || {
            let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            while !signals.are_raised() && goes_on(LOOK) {}
            if signals.are_raised() && goes_on(ONE_SIGNAL) {
                signals.at_once.store(true, Ordering::SeqCst);
            }
        });
        Patience { signals: self.clone(), was_at_once, _ends: ends }
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        if self.was_at_once {
            self.signals.at_once.store(true, Ordering::SeqCst);
        }
    }
}
