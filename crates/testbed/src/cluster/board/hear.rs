//! Handles what nodes say.

use kilter_protocol::{Done, FromNode, Offer as Offered, ToNode};

use super::Board;
use crate::cluster::FAULT_REQUEST;
use crate::cluster::seat::Presence;
use crate::world::{NodeName, Trouble};

/// The most offers that a node may have at once. A node with more must be faulty.
const OFFERS_MAX: usize = 10_000;

/// A node knows nothing of what it was asked for.
fn unknown(node: &NodeName, action: &str) -> Trouble {
    Trouble::Impossible(match action.strip_prefix(FAULT_REQUEST) {
        Some(fault) => format!("node {node} knows nothing of the fault `{fault}`"),
        None => format!("node {node} does not know the request `{action}`"),
    })
}

impl Board {
    /// Handles a line from a node. The error says how the node has broken the protocol.
    pub(in crate::cluster) fn hear(&mut self, node: usize, line: FromNode) -> Result<(), String> {
        self.seats[node].said += 1;
        match line {
            FromNode::Hello(_) => return Err("it said hello twice".to_owned()),
            FromNode::Offer(offer) => self.hear_offer(node, offer)?,
            FromNode::Withdraw { id } => self.hear_withdrawal(node, id),
            FromNode::Done(done) => self.hear_done(node, done)?,
            FromNode::Report { variables } => {
                let before = self.seats[node].variables.replace(variables);
                self.changed |= before != self.seats[node].variables;
                self.deliver_all(node);
            }
            FromNode::Still { received } => self.hear_still(node, received),
            FromNode::Note { text } => self.note(node, &text),
        }
        Ok(())
    }

    fn hear_offer(&mut self, node: usize, offer: Offered) -> Result<(), String> {
        let standing = &mut self.seats[node].standing;
        if standing.contains_key(&offer.id) {
            return Err(format!("offer {} stands, and was made again", offer.id));
        }
        if standing.len() >= OFFERS_MAX {
            return Err(format!("more than {OFFERS_MAX} offers at once"));
        }
        standing.insert(offer.id, None);
        self.fresh.push((node, offer));
        self.changed = true;
        Ok(())
    }

    fn hear_withdrawal(&mut self, node: usize, own: u64) {
        if let Some(number) = self.seats[node].standing.remove(&own) {
            match number {
                Some(id) => drop(self.shown.remove(&id).or_else(|| self.hidden.remove(&id))),
                None => self.fresh.retain(|(other, offer)| *other != node || offer.id != own),
            }
            self.changed = true;
        } else if self.seats[node].task.as_ref().is_some_and(|task| task.id == own && !task.is_request) {
            self.hear_refusal(node);
        }
    }

    /// The node refuses to let an offer go, because it withdrew the offer at the same moment. The message is in flight
    /// again.
    fn hear_refusal(&mut self, node: usize) {
        let seat = &mut self.seats[node];
        let Some(task) = seat.task.take() else { return };
        if let Some(taken) = task.taken {
            self.flights.put_back(&seat.name, taken);
        }
        let text = format!("node {} withdrew `{}` when it was let go", seat.name, task.action);
        self.refused = Some(Trouble::Impossible(text));
        self.changed = true;
    }

    fn hear_done(&mut self, node: usize, done: Done) -> Result<(), String> {
        let seat = &mut self.seats[node];
        match &seat.task {
            Some(task) if task.id == done.id => {}
            Some(task) => {
                return Err(format!("it finished {}, but was told `{}`, {}", done.id, task.action, task.id));
            }
            None => return Err(format!("it finished {}, which it was not told to do", done.id)),
        }
        let task = seat.task.take();
        if let Some(task) = task.filter(|_| done.unknown) {
            self.refused = Some(unknown(&seat.name, &task.action));
        }
        seat.variables = Some(done.variables);
        self.changed = true;
        let from = seat.name.clone();
        for sent in done.sent {
            let receiver = self.seats.iter_mut().find(|seat| *seat.name == *sent.to);
            let lost = receiver.is_some_and(|seat| {
                seat.expect(&sent, &from);
                seat.presence != Presence::Up && !seat.manners.takes_delivery
            });
            if !lost {
                let to = self.seats.iter().find(|seat| *seat.name == *sent.to).map(|seat| seat.name.clone());
                let to = to.unwrap_or_else(|| sent.to.into());
                self.flights.send(Some(from.clone()), to, sent.message);
            }
        }
        self.deliver_all(node);
        Ok(())
    }

    fn hear_still(&mut self, node: usize, received: u64) {
        let seat = &mut self.seats[node];
        seat.received = seat.received.max(received);
        seat.still = seat.task.is_none() && seat.variables.is_some();
        if seat.still && seat.manners.says_still && !seat.owed.is_empty() {
            // The node gets one message at a time, because it says that it is still after each.
            self.deliver(node);
        }
    }

    fn deliver_all(&mut self, node: usize) {
        while !self.seats[node].manners.says_still && !self.seats[node].owed.is_empty() {
            self.deliver(node);
        }
    }

    fn deliver(&mut self, node: usize) {
        let seat = &mut self.seats[node];
        if let Some((from, message)) = seat.owed.pop_front() {
            seat.still = false;
            let from = from.map(|name| name.to_string()).unwrap_or_default();
            self.outbox.push((node, ToNode::Deliver { from, message }));
        }
    }
}
