//! What is done to a cluster: its nodes are killed and paused, its messages lost.

use std::time::{Duration, Instant};

use kilter_system::Fault;
use rustix::process::Signal;

use super::seat::Presence;
use super::transcript::Way;
use super::{Cluster, FAULT_REQUEST, REST_REQUEST};
use crate::world::{Target, Trouble};

/// How often it is asked whether nodes run that have lost a connection, and for how long. Nodes may always have something to do.
const LOOK_AFTER: Duration = Duration::from_millis(1);
const NOTICE_MAX: Duration = Duration::from_millis(500);

impl Cluster {
    pub(super) fn strike(&mut self, fault: Fault, target: &Target) -> Result<(), Trouble> {
        match target {
            Target::Node(node) => self.strike_node(fault, self.board.find(node)?),
            Target::Link(one, other) => {
                let (one, other) = (self.board.find(one)?, self.board.find(other)?);
                match fault {
                    Fault::Cut | Fault::Mend => self.board.connect(one, other, fault == Fault::Mend),
                    fault => return Err(Trouble::no_such_fault(fault)),
                }
                Ok(())
            }
            Target::Message(id) => match fault {
                Fault::Drop => self.board.drop_message(*id),
                Fault::Duplicate => self.board.duplicate(*id),
                fault => Err(Trouble::no_such_fault(fault)),
            },
            Target::Unread { to, message } => {
                let node = self.board.find(to)?;
                match fault {
                    Fault::Drop => self.board.drop_unread(node, message),
                    Fault::Duplicate => self.board.duplicate_unread(node, message),
                    fault => Err(Trouble::no_such_fault(fault)),
                }
            }
        }
    }

    fn strike_node(&mut self, fault: Fault, node: usize) -> Result<(), Trouble> {
        match fault {
            Fault::Crash => self.crash(node),
            Fault::Start => self.restart(node),
            Fault::Pause => self.pause(node, true),
            Fault::Resume => self.pause(node, false),
            other => self.board.request(node, &format!("{FAULT_REQUEST}{other}"), &[]),
        }
    }

    fn crash(&mut self, node: usize) -> Result<(), Trouble> {
        self.expect_up(node)?;
        if !self.crash_in_its_process(node)? {
            self.transcript.add(node, Way::Done, b"it is killed");
            self.kill([node].into_iter());
        }
        self.board.leave(node);
        self.let_others_notice()
    }

    /// Waits until nodes have noticed that connections are gone. Their last word was that they stand still, and threads that read from
    /// these connections do not. The kernel has woken such threads by now, so they are ready to run as long as they have not noticed.
    fn let_others_notice(&mut self) -> Result<(), Trouble> {
        if self.setup.agent.is_none() {
            return Ok(()); // Other probes would not understand the question.
        }
        let end = Instant::now() + NOTICE_MAX;
        while self.is_any_ready() && Instant::now() < end {
            self.turn(Instant::now() + LOOK_AFTER)?;
        }
        let awake =
            (0..self.nodes.len()).filter(|node| self.board.is_up(*node) && !self.board.seat(*node).paused);
        let awake: Vec<usize> = awake.collect();
        awake.into_iter().try_for_each(|node| self.board.request(node, REST_REQUEST, &[]))
    }

    fn is_any_ready(&self) -> bool {
        self.nodes.iter().flatten().any(|node| node.process.pulse().is_some_and(|pulse| pulse.ready))
    }

    /// Returns `false` if the process must be killed for that.
    fn crash_in_its_process(&mut self, node: usize) -> Result<bool, Trouble> {
        // A paused node can't answer.
        let Some(lives) = self.setup.lives.clone().filter(|_| !self.board.seat(node).paused) else {
            return Ok(false);
        };
        self.board.request(node, &lives.crash, &[])?;
        match self.come_to_rest(self.setup.patience) {
            Ok(()) => Ok(true),
            // Whoever cannot do that ends, and nothing else is a crash.
            Err(Trouble::Exited { node: name, .. }) if name == self.setup.nodes[node] => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    fn restart(&mut self, node: usize) -> Result<(), Trouble> {
        if self.board.seat(node).presence != Presence::Down {
            return Err(Trouble::Impossible(format!("node {} is up already", self.setup.nodes[node])));
        }
        match self.setup.lives.clone().filter(|_| self.nodes[node].is_some()) {
            Some(lives) => self.board.wake(node, &lives.begin),
            None => self.launch(node),
        }
    }

    fn pause(&mut self, node: usize, paused: bool) -> Result<(), Trouble> {
        self.expect_up(node)?;
        let done: &[u8] = if paused { b"it is paused" } else { b"it goes on" };
        self.transcript.add(node, Way::Done, done);
        if let Some(node) = &self.nodes[node] {
            if paused {
                node.process.pause();
            } else {
                node.process.signal(Signal::CONT);
            }
        }
        self.board.pause(node, paused);
        Ok(())
    }
}
