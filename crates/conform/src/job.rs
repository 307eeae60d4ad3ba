//! A job: one world, and whatever the desk gives out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use kilter_value::Store;

use crate::desk::{Desk, Done, Task};
use crate::drive::{Case, Driver, Ending};
use crate::follow::{first_like, follow};
use crate::plan::Plan;
use crate::run::MakeWorld;

/// One job: a world, and whatever the desk gives out.
pub(crate) struct Job<'j> {
    pub(crate) plan: &'j Plan<'j>,
    pub(crate) store: &'j Store,
    pub(crate) cases: &'j [Case],
    pub(crate) desk: &'j Desk,
    pub(crate) sender: &'j Sender<Done>,
    pub(crate) interrupted: &'j AtomicBool,
}

impl Job<'_> {
    /// Works until there is nothing left to do.
    pub(crate) fn work(&self, make_world: &MakeWorld<'_>) {
        // A panic must not leave the others waiting for this job's results.
        let _guard = CloseOnPanic(self.desk);
        let world = match make_world() {
            Ok(world) => world,
            Err(trouble) => return self.send(Done::NotRunnable(trouble.to_string())),
        };
        let mut driver = Driver::new(self.plan, self.store, world);
        while let Some(task) = self.desk.take() {
            if self.interrupted.load(Ordering::Relaxed) {
                self.send(Done::Interrupted);
                break;
            }
            let done = self.carry_out(&mut driver, task);
            // What was cut short by Ctrl-C says nothing about the system.
            let is_cut = self.interrupted.load(Ordering::Relaxed) && !matches!(done, Done::Case(..));
            // What can't be started now can't be started for the next case either.
            let is_last = matches!(done, Done::NotRunnable(_));
            self.send(if is_cut { Done::Interrupted } else { done });
            if is_last {
                break;
            }
        }
        driver.stop();
    }

    fn carry_out(&self, driver: &mut Driver<'_>, task: Task) -> Done {
        match task {
            Task::Case(index) => {
                let played = driver.play(&self.cases[index]);
                match played.ending {
                    Ending::NotStarted(trouble) => Done::NotRunnable(trouble.to_string()),
                    Ending::Interrupted => Done::Interrupted,
                    _ => Done::Case(index, played),
                }
            }
            Task::Follow(index, discovery) => {
                Done::Follow(index, follow(self.plan, driver, &self.cases[index], &discovery))
            }
            Task::Shorten(group, cases, discovery) => {
                Done::Shorten(group, first_like(driver, &cases, &discovery).map(Box::new))
            }
        }
    }

    fn send(&self, done: Done) {
        // Nobody listens any more when the run has been stopped.
        let _ = self.sender.send(done);
    }
}

struct CloseOnPanic<'d>(&'d Desk);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}
