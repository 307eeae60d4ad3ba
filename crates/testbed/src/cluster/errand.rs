//! Programs that are run against the cluster, like clients of it. A program that is still running at the end of the
//! case is killed.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::patience::Deadline;
use super::process::{Process, Pulse};
use super::{Cluster, cannot, not_started, output};
use crate::world::{Trouble, Until};

/// A program that is run against the cluster.
pub(super) struct Errand {
    words: String,
    output: PathBuf,
    state: State,
}

enum State {
    Running(Process),
    Done,
    Failed(String),
}

impl Errand {
    fn process(&self) -> Option<&Process> {
        match &self.state {
            State::Running(process) => Some(process),
            State::Done | State::Failed(_) => None,
        }
    }

    /// The file with its output.
    pub(super) fn output(&self) -> &Path {
        &self.output
    }

    /// The id of its process group. `None` when it has ended.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.process().map(Process::pid)
    }

    /// A descriptor that becomes readable when the program ends.
    pub(super) fn end(&self) -> Option<BorrowedFd<'_>> {
        self.process().map(Process::end)
    }

    /// Whether it is running, and its processor time so far.
    pub(super) fn pulse(&self) -> Option<Pulse> {
        self.process()?.pulse()
    }

    /// Kills it with everything that it has started.
    fn close(&mut self, state: State) {
        if let State::Running(process) = std::mem::replace(&mut self.state, state) {
            process.signal(Signal::KILL);
            process.reap();
        }
    }

    fn refused(&self, how: String) -> Trouble {
        Trouble::Refused { words: self.words.clone(), how, output: output::tail(&self.output) }
    }
}

impl Cluster {
    /// Runs a program against a node.
    pub(super) fn run(&mut self, node: usize, words: &[String], until: Until) -> Result<(), Trouble> {
        self.expect_up(node)?;
        let site = self.site.as_mut().ok_or_else(not_started)?;
        let program = words.first().map_or("", String::as_str);
        let started = site.start_errand(&self.setup, node, words);
        let (process, output) =
            started.map_err(|error| match cannot(&format!("start `{program}`"), &error) {
                Trouble::NotStarted(why) => Trouble::Impossible(why),
                other => other,
            })?;
        self.errands.push(Errand { words: words.join(" "), output, state: State::Running(process) });
        self.tell_guard();
        match until {
            Until::End => self.await_errand(self.errands.len() - 1),
            Until::Offer => {
                self.expects_offer = true;
                Ok(())
            }
        }
    }

    /// Waits for the end of a program.
    fn await_errand(&mut self, index: usize) -> Result<(), Trouble> {
        let mut deadline = Deadline::new(self.setup.patience);
        loop {
            let errand = &self.errands[index];
            match &errand.state {
                State::Done => return Ok(()),
                State::Failed(how) => return Err(errand.refused(format!("failed ({how})"))),
                State::Running(process) => {
                    if deadline.has_passed() && !deadline.extend(self.nodes.len(), process.pulse()) {
                        return Err(self.give_errand_up(index, deadline.granted()));
                    }
                }
            }
            self.turn(deadline.at())?;
        }
    }

    fn give_errand_up(&mut self, index: usize, waited: Duration) -> Trouble {
        self.waited += waited;
        self.errands[index].close(State::Done);
        self.tell_guard();
        self.errands[index].refused(format!("did not end within {} ms", waited.as_millis()))
    }

    /// Handles the end of a program.
    pub(super) fn errand_done(&mut self, index: usize) {
        let errand = &mut self.errands[index];
        let Some(process) = errand.process() else { return };
        let state = match process.how_ended() {
            Some(how) if !process.has_succeeded() => State::Failed(how),
            _ => State::Done,
        };
        errand.close(state);
        if let State::Failed(how) = &errand.state
            && self.expects_offer
        {
            let trouble = errand.refused(format!("failed ({how})"));
            self.board.remark(&trouble.to_string());
        }
        self.tell_guard();
    }

    /// Kills all programs that still run.
    pub(super) fn end_errands(&mut self) {
        for errand in &mut self.errands {
            errand.close(State::Done);
        }
        self.errands.clear();
        self.expects_offer = false;
    }
}
