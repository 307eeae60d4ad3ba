//! A job: one system, and whatever the desk gives out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::desk::{Desk, Done, Task};
use crate::method::{Control, Ending, Method, Player, Stop};

/// What ends a run early.
pub(crate) struct Limits<'r> {
    interrupted: &'r AtomicBool,
    deadline: Option<Instant>,
    /// Set by the clerk when no more cases are wanted.
    has_enough: AtomicBool,
}

impl<'r> Limits<'r> {
    pub(crate) fn new(interrupted: &'r AtomicBool, time_max: Option<Duration>) -> Limits<'r> {
        // A time beyond all clocks is none.
        let deadline = time_max.and_then(|time| Instant::now().checked_add(time));
        Limits { interrupted, deadline, has_enough: AtomicBool::new(false) }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Why everything should end, if so.
    pub(crate) fn reached(&self) -> Option<Stop> {
        if self.is_interrupted() {
            return Some(Stop::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Time)
    }

    pub(crate) fn has_enough(&self) -> bool {
        self.has_enough.load(Ordering::Relaxed)
    }

    pub(crate) fn enough(&self) {
        self.has_enough.store(true, Ordering::Relaxed);
    }
}

/// One job.
pub(crate) struct Job<'j, 's, M: Method> {
    pub(crate) method: &'j M,
    pub(crate) desk: &'j Desk<'s, M>,
    pub(crate) limits: &'j Limits<'j>,
    pub(crate) sender: &'j Sender<Done<M>>,
}

impl<M: Method> Job<'_, '_, M> {
    /// Works until there is nothing left to do.
    pub(crate) fn work(&self) {
        // A panic must not leave the others waiting for this job's results.
        let _guard = CloseOnPanic(self.desk);
        if let Err(stop) = self.method.with_player(&mut |player| self.play_all(player)) {
            self.send(Done::Stopped(stop));
        }
    }

    fn play_all(&self, player: &mut dyn Player<M>) {
        loop {
            let tasks = self.desk.take();
            if tasks.is_empty() {
                return;
            }
            for task in tasks {
                if self.limits.is_interrupted() {
                    return self.send(Done::Stopped(Stop::Interrupted));
                }
                // What findings call for is still done when no more cases are wanted.
                if matches!(task, Task::Case(..)) && self.ends_cases() {
                    continue;
                }
                match self.carry_out(player, task) {
                    Ok(done) => self.tell(done),
                    // What can't be done now can't be done for the next case either.
                    Err(stop) => return self.send(Done::Stopped(stop)),
                }
            }
        }
    }

    /// Whether no more cases are to be played. The clerk is told, if it does not know.
    fn ends_cases(&self) -> bool {
        if self.limits.has_enough() {
            return true;
        }
        let Some(stop) = self.limits.reached() else { return false };
        self.send(Done::Stopped(stop));
        true
    }

    /// Tells what has been done. A case that was cut short ends the run.
    fn tell(&self, done: Done<M>) {
        let is_cut = matches!(&done, Done::Case(.., played) if matches!(played.ending, Ending::Cut(_)));
        self.send(done);
        if is_cut && !self.limits.has_enough() {
            let wanted = || Stop::Enough("as much as was wanted; `--resume` goes on".to_owned());
            self.send(Done::Stopped(self.limits.reached().unwrap_or_else(wanted)));
        }
    }

    fn carry_out(&self, player: &mut dyn Player<M>, task: Task<M>) -> Result<Done<M>, Stop> {
        let done = match task {
            Task::Case(index, case) => {
                let played = player.play(&case, &self.control(index))?;
                return Ok(Done::Case(index, case, Box::new(played)));
            }
            Task::LookAgain(index, case, found) => {
                Done::LookedAgain(index, Box::new(player.look_again(&case, &found)?))
            }
            Task::Shorten(known) => {
                let control = self.control(known.group);
                let shorter = player.shorten(&known.first, &known.shortest, &known.covered, &control)?;
                Done::Shortened(known.group, shorter.map(Box::new))
            }
        };
        // What was cut short by Ctrl-C says nothing about the system.
        if self.limits.is_interrupted() { Err(Stop::Interrupted) } else { Ok(done) }
    }

    fn control(&self, index: usize) -> Control<'_, M> {
        Control { index, limits: self.limits, sender: self.sender }
    }

    fn send(&self, done: Done<M>) {
        // Nobody listens any more when the run has been stopped.
        let _ = self.sender.send(done);
    }
}

struct CloseOnPanic<'d, 's, M: Method>(&'d Desk<'s, M>);

impl<M: Method> Drop for CloseOnPanic<'_, '_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}
