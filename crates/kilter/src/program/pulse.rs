//! How far a job is, where nothing can be drawn: a line on standard error now and then.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// When the first line comes.
const FIRST: Duration = Duration::from_secs(10);
/// Lines never are further apart than this.
const APART_MAX: Duration = Duration::from_secs(300);
/// It only formats a line.
const STACK_BYTES: usize = 128 << 10;

/// Says a line after a while, and then more and more rarely. A thread of its own does it, for jobs are silent for long where they compute.
pub(super) struct Pulse {
    words: Arc<Mutex<String>>,
    /// Nothing is ever sent; the thread ends when this is gone.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    /// Begins to count. `say` writes a line.
    pub(super) fn start(say: impl FnMut(&str) + Send + 'static) -> Pulse {
        Pulse::after(gaps(), say)
    }

    fn after(
        gaps: impl Iterator<Item = Duration> + Send + 'static,
        mut say: impl FnMut(&str) + Send + 'static,
    ) -> Pulse {
        let words = Arc::new(Mutex::new(String::new()));
        let (alive, ended) = channel::<()>();
        let (shared, started) = (Arc::clone(&words), Instant::now());
        let beat = move || {
            for gap in gaps {
                if ended.recv_timeout(gap) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let words = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let words = if words.is_empty() { "at work" } else { &words };
                say(&format!("{} s  {words}\n", started.elapsed().as_secs()));
            }
        };
        // Without a thread nothing is said, and the job goes on.
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(beat).ok();
        Pulse { words, alive: Some(alive), thread }
    }

    /// What the next line says.
    pub(super) fn set(&self, words: String) {
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // A line that cannot be formatted is no reason to panic a second time.
            let _ = thread.join();
        }
    }
}

/// How long it is from each line to the next. After the first, each line comes when the job has taken twice as long as at the line before.
fn gaps() -> impl Iterator<Item = Duration> {
    let doubled = std::iter::successors(Some(FIRST), |gap| Some((*gap * 2).min(APART_MAX)));
    std::iter::once(FIRST).chain(doubled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter;
    use std::sync::mpsc::TryRecvError;

    #[test]
    fn lines_become_rarer() {
        let mut at = Duration::ZERO;
        let times: Vec<u64> = gaps()
            .map(|gap| {
                at += gap;
                at.as_secs()
            })
            .take(9)
            .collect();
        assert_eq!(times, [10, 20, 40, 80, 160, 320, 620, 920, 1220]);
    }

    #[test]
    fn a_line_says_what_was_set_last() {
        let (sender, lines) = channel();
        let pulse = Pulse::after(iter::repeat(Duration::from_millis(1)), move |line| {
            let _ = sender.send(line.to_owned());
        });
        assert_eq!(lines.recv().expect("a line"), "0 s  at work\n");
        pulse.set("5 states".to_owned());
        assert!(lines.iter().any(|line| line.ends_with(" s  5 states\n")));
        // When it is gone, so is the thread: nothing is said after the answer.
        drop(pulse);
        while lines.try_recv().is_ok() {}
        assert_eq!(lines.try_recv(), Err(TryRecvError::Disconnected));
    }
}
