//! Decides what nodes are told.

use kilter_protocol::{Request, ToNode};
use serde_json::Value as Json;

use super::Board;
use super::settle::is_cut;
use crate::cluster::flights::Taken;
use crate::cluster::seat::{Presence, Task};
use crate::world::{Offer, OfferId, Trouble};

impl Board {
    /// Lets the action of an offer go.
    pub(in crate::cluster) fn go(&mut self, id: OfferId) -> Result<(), Trouble> {
        let (node, own, offer) = self.answer(id)?;
        let taken = offer.message.as_ref().and_then(|message| self.take(node, message));
        let is_added = taken.as_ref().is_some_and(|taken| taken.is_added);
        let answer = if is_added { ToNode::Twice { id: own } } else { ToNode::Go { id: own } };
        self.tell(node, Task { id: own, is_request: false, action: offer.action, taken }, answer);
        Ok(())
    }

    /// Drops one copy of an offer's message.
    pub(in crate::cluster) fn drop_message(&mut self, id: OfferId) -> Result<(), Trouble> {
        let message = self.message(id)?;
        let (node, own, offer) = self.answer(id)?;
        let taken = self.take(node, &message);
        if taken.as_ref().is_some_and(|taken| taken.is_added) {
            // The node knows of one copy, and keeps it.
            let id = self.number();
            self.seats[node].standing.insert(own, Some(id));
            self.shown.insert(id, offer);
            return Ok(());
        }
        let action = format!("drop of {}", offer.action);
        let task = Task { id: own, is_request: false, action, taken };
        self.tell(node, task, ToNode::Drop { id: own });
        Ok(())
    }

    /// Adds a copy of an offer's message.
    pub(in crate::cluster) fn duplicate(&mut self, id: OfferId) -> Result<(), Trouble> {
        let message = self.message(id)?;
        self.flights.double(&self.shown[&id].node, &message);
        Ok(())
    }

    /// Drops one copy of a message for a node that is down.
    pub(in crate::cluster) fn drop_unread(&mut self, node: usize, message: &Json) -> Result<(), Trouble> {
        self.expect_unread(node, message)?;
        self.flights.take(&self.seats[node].name, message, |_| false);
        Ok(())
    }

    /// Adds a copy of a message for a node that is down.
    pub(in crate::cluster) fn duplicate_unread(
        &mut self,
        node: usize,
        message: &Json,
    ) -> Result<(), Trouble> {
        self.expect_unread(node, message)?;
        self.flights.double(&self.seats[node].name, message);
        Ok(())
    }

    fn expect_unread(&self, node: usize, message: &Json) -> Result<(), Trouble> {
        let seat = &self.seats[node];
        let is_there = self.flights.senders(&seat.name, message).next().is_some();
        if seat.presence == Presence::Down && is_there { Ok(()) } else { Err(Trouble::no_unread(&seat.name)) }
    }

    /// Sends a request to a node.
    pub(in crate::cluster) fn request(
        &mut self,
        node: usize,
        action: &str,
        args: &[Json],
    ) -> Result<(), Trouble> {
        let seat = &self.seats[node];
        if seat.presence != Presence::Up || seat.paused {
            return Err(Trouble::Impossible(format!("node {} can't be asked now", seat.name)));
        }
        let id = self.next_request;
        self.next_request += 1;
        let request = Request { id, action: action.to_owned(), args: args.to_vec() };
        self.tell(
            node,
            Task { id, is_request: true, action: action.to_owned(), taken: None },
            ToNode::Request(request),
        );
        Ok(())
    }

    /// Asks a node that has crashed in its process, and is up from now on. What has arrived before is counted on.
    pub(in crate::cluster) fn wake(&mut self, node: usize, action: &str) -> Result<(), Trouble> {
        let seat = &mut self.seats[node];
        seat.presence = Presence::Up;
        seat.expected = seat.received;
        if seat.manners.takes_delivery {
            seat.owed = self.flights.lost(&seat.name).into();
        }
        self.request(node, action, &[])
    }

    fn message(&self, id: OfferId) -> Result<Json, Trouble> {
        let offer = self.shown.get(&id).ok_or_else(|| Trouble::no_offer(id))?;
        offer.message.clone().ok_or_else(|| Trouble::no_message(id))
    }

    /// Removes an offer from the board to answer it. Returns its node, and the node's own number for it.
    fn answer(&mut self, id: OfferId) -> Result<(usize, u64, Offer), Trouble> {
        let offer = self.shown.remove(&id).ok_or_else(|| Trouble::no_offer(id))?;
        let node = self.find(&offer.node)?;
        let standing = &mut self.seats[node].standing;
        let own = standing.iter().find(|(_, other)| **other == Some(id)).map(|(own, _)| *own);
        let own = own.ok_or_else(|| Trouble::no_offer(id))?;
        standing.remove(&own);
        Ok((node, own, offer))
    }

    fn tell(&mut self, node: usize, task: Task, message: ToNode) {
        let seat = &mut self.seats[node];
        seat.task = Some(task);
        seat.still = false;
        seat.said = 0;
        self.outbox.push((node, message));
    }

    fn take(&mut self, node: usize, message: &Json) -> Option<Taken> {
        let (seats, cuts) = (&self.seats, &self.cuts);
        self.flights
            .take(&seats[node].name, message, |flight| is_cut(seats, cuts, flight.from.as_ref(), node))
    }
}
