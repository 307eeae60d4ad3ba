//! What is done to a cluster: its nodes are killed and paused, its messages lost.

use kilter_system::Fault;
use rustix::process::Signal;

use super::transcript::Way;
use super::{Cluster, FAULT_REQUEST};
use crate::world::{Target, Trouble};

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
        self.transcript.add(node, Way::Done, b"it is killed");
        self.kill([node].into_iter());
        self.board.leave(node);
        Ok(())
    }

    fn restart(&mut self, node: usize) -> Result<(), Trouble> {
        if self.nodes[node].is_some() {
            return Err(Trouble::Impossible(format!("node {} is up already", self.setup.nodes[node])));
        }
        self.launch(node)
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
