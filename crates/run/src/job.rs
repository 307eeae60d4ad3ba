//! A job has one system, and carries out the tasks that it gets from the desk.

use std::sync::mpsc::Sender;

use crate::control::{Control, News};
use crate::desk::{Desk, Done, Task};
use crate::limits::Limits;
use crate::method::{Method, Player};
use crate::played::{Ending, Stop};

/// A job.
pub(crate) struct Job<'j, 's, M: Method> {
    pub(crate) method: &'j M,
    pub(crate) desk: &'j Desk<'s, M>,
    pub(crate) limits: &'j Limits<'j>,
    pub(crate) sender: &'j Sender<Done<M>>,
}

impl<M: Method> Job<'_, '_, M> {
    /// Works until there is nothing left to do.
    pub(crate) fn work(&self) {
        // If a job panics, the others must not wait for its results.
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
                // Tasks for findings are carried out even when no more cases are needed.
                if matches!(task, Task::Case(..)) && self.ends_cases() {
                    continue;
                }
                match self.carry_out(player, task) {
                    Ok(done) => self.tell(done),
                    // An error that stops this task would stop the next case too.
                    Err(stop) => return self.send(Done::Stopped(stop)),
                }
            }
        }
    }

    /// Whether no more cases should be played. Tells the clerk, if it does not know.
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
                let tell = |news| self.send(Done::News(news));
                let played = player.play(&case, &self.control(index, &tell))?;
                return Ok(Done::Case(index, case, Box::new(played)));
            }
            Task::LookAgain(index, case, found) => {
                let tell = |news| self.send(Done::News(news));
                let looked = player.look_again(&case, &found, &self.control(index, &tell))?;
                Done::LookedAgain(index, Box::new(looked))
            }
            Task::TellEnd => Done::NoMoreCases,
            Task::Shorten(known) => {
                let tell = |news| self.send(Done::News(news));
                let control = self.control(known.group, &tell);
                let shorter = player.shorten(&known.first, &known.shortest, &known.covered, &control)?;
                Done::Shortened(known.group, shorter.map(Box::new))
            }
        };
        // A result that was cut short by Ctrl-C says nothing about the system.
        if self.limits.is_interrupted() { Err(Stop::Interrupted) } else { Ok(done) }
    }

    fn control<'c>(
        &'c self,
        index: usize,
        tell: &'c dyn Fn(News<M::Discovery>),
    ) -> Control<'c, M::Discovery> {
        Control { index, limits: self.limits, tell }
    }

    fn send(&self, done: Done<M>) {
        // If the run has been stopped, nobody listens any more.
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
