//! A node as a machine: Raft's steps, and a disk that is what the outcome says.

use std::collections::BTreeSet;

use kilter_probe::{Event as _, Json, Map, Report, Variables as _};
use kilter_testbed::{Call, Machine, Outbox};
use serde_json::json;

use crate::NodeId;
use crate::client::Request;
use crate::consensus::message::Message;
use crate::consensus::stored::Stored;
use crate::consensus::{Outcome, Raft, Step};
use crate::{mapping, mutant};

/// What makes a node act, as in the real system.
#[derive(Clone)]
pub enum Happening {
    Step(Step),
    Client { request: Request },
}

#[derive(Clone)]
pub struct Node {
    raft: Raft,
    disk: Stored,
    members: BTreeSet<NodeId>,
}

/// A message with its sender.
#[derive(Clone, PartialEq)]
pub struct Addressed {
    from: NodeId,
    message: Message,
}

impl Node {
    pub fn new(id: NodeId, members: BTreeSet<NodeId>) -> Node {
        let disk = Stored::default();
        let node = Node { raft: Raft::new(id, members.clone(), disk.clone(), None), disk, members };
        mutant::note(json!({"action": "start"}));
        node
    }

    /// What is known before a step. Whatever was reached since the last step was reached to decide about offers.
    fn before(&self, action: &str, args: &[Json], taken: Option<&Addressed>) -> Json {
        let mut line = json!({"node": self.raft.id(), "action": action, "args": args, "before": self.variables()});
        if let Some(taken) = taken {
            line["message"] = Node::show(taken);
            line["from"] = json!(taken.from);
        }
        mutant::note(json!({"action": "offer"}));
        line
    }

    fn take(&mut self, step: Step, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        let Outcome { writes, messages, .. } = self.raft.take(step);
        for write in &writes {
            self.disk.apply(write).map_err(|unfit| unfit.to_string())?;
        }
        for (to, message) in messages {
            outbox.send(&to, Addressed { from: self.raft.id().clone(), message });
        }
        Ok(())
    }

    fn call_of(&self, happening: &Happening) -> Option<Call> {
        let action = mapping::action(&self.raft, happening, false, true)?;
        Some(Call::new(action.name, action.args))
    }
}

impl Machine for Node {
    type Action = Step;
    type Message = Addressed;

    fn actions(&self) -> Vec<Step> {
        self.raft.enabled()
    }

    fn call(&self, step: &Step) -> Call {
        let action = Happening::Step(step.clone()).action();
        Call::new(action.name, action.args)
    }

    fn act(&mut self, step: Step, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        let action = Happening::Step(step.clone()).action();
        let line = self.before(&action.name, &action.args, None);
        let done = self.take(step, outbox);
        mutant::note(line);
        done
    }

    fn handler(&self, addressed: &Addressed) -> Option<Call> {
        let Addressed { from, message } = addressed.clone();
        self.call_of(&Happening::Step(Step::Receive { from, message }))
    }

    fn handle(&mut self, addressed: Addressed, outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        let call = self.handler(&addressed);
        let line = call.map(|call| self.before(&call.action, &call.args, Some(&addressed)));
        let Addressed { from, message } = addressed;
        let done = self.take(Step::Receive { from, message }, outbox);
        mutant::note(line.unwrap_or_else(|| json!({"action": "offer"})));
        done
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Addressed>) -> Result<(), String> {
        let line = self.before(action, args, None);
        let done = match Happening::from_request(action, args) {
            Some(Happening::Step(step)) => self.take(step, outbox),
            _ => Err(format!("there is no request {action}")),
        };
        mutant::note(line);
        done
    }

    fn variables(&self) -> Map<String, Json> {
        let mut report = Report::default();
        self.raft.variables(&mut report);
        report.into_values()
    }

    fn show(addressed: &Addressed) -> Json {
        serde_json::to_value(&addressed.message).unwrap_or_default()
    }

    fn restart(&mut self) -> Result<(), String> {
        mutant::note(json!({"action": "offer"}));
        self.raft = Raft::new(self.raft.id().clone(), self.members.clone(), self.disk.clone(), None);
        mutant::note(json!({"action": "start"}));
        Ok(())
    }
}
