//! What a cluster is known to be doing, from what its nodes have said. No sockets and no processes here: lines in, lines out.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use kilter_protocol::{Done, FromNode, Hello, Offer as Offered, Request, ToNode};
use serde_json::{Map, Value as Json};

use super::mail::{Copy, Mail};
use super::seat::{Presence, Seat, Task};
use crate::inprocess::{no_message, no_offer};
use crate::world::{Flight, NodeName, Offer, OfferId, Trouble};

/// A node with more offers than this at once has gone wild.
const OFFERS_MAX: usize = 10_000;
/// Notes beyond this are dropped.
const NOTES_MAX: usize = 1_000;
/// Notes are cut to this length.
const NOTE_CHARS_MAX: usize = 1_000;

/// All nodes, their offers, and the messages between them.
pub(super) struct Board {
    seats: Vec<Seat>,
    shown: BTreeMap<OfferId, Offer>,
    /// Offers that can't be let go now: their node is paused, or their message comes over a cut.
    hidden: BTreeMap<OfferId, Offer>,
    /// Offers that were made since the last standstill.
    fresh: Vec<(usize, Offered)>,
    mail: Mail,
    cuts: BTreeSet<(usize, usize)>,
    next_offer: u64,
    next_request: u64,
    outbox: Vec<(usize, ToNode)>,
    changed: bool,
    refused: Option<Trouble>,
    notes: Vec<String>,
}

impl Board {
    pub(super) fn new(names: &[NodeName]) -> Board {
        Board {
            seats: names.iter().cloned().map(Seat::new).collect(),
            shown: BTreeMap::new(),
            hidden: BTreeMap::new(),
            fresh: Vec::new(),
            mail: Mail::default(),
            cuts: BTreeSet::new(),
            next_offer: 0,
            next_request: 0,
            outbox: Vec::new(),
            changed: false,
            refused: None,
            notes: Vec::new(),
        }
    }

    /// Everything as before the first start; but numbers are not used again.
    pub(super) fn clear(&mut self) {
        let names: Vec<NodeName> = self.seats.iter().map(|seat| seat.name.clone()).collect();
        let notes = mem::take(&mut self.notes);
        let (next_offer, next_request) = (self.next_offer, self.next_request);
        *self = Board { next_offer, next_request, notes, ..Board::new(&names) };
    }

    pub(super) fn offers(&self) -> &BTreeMap<OfferId, Offer> {
        &self.shown
    }

    pub(super) fn flights(&self) -> &[Flight] {
        self.mail.flights()
    }

    pub(super) fn variables(&self, node: usize) -> Option<&Map<String, Json>> {
        self.seats[node].variables.as_ref()
    }

    pub(super) fn seat(&self, node: usize) -> &Seat {
        &self.seats[node]
    }

    pub(super) fn find(&self, name: &str) -> Result<usize, Trouble> {
        let found = self.seats.iter().position(|seat| *seat.name == *name);
        found.ok_or_else(|| Trouble::Impossible(format!("there is no node {name}")))
    }

    /// What has to be said to nodes, in order.
    pub(super) fn take_outbox(&mut self) -> Vec<(usize, ToNode)> {
        mem::take(&mut self.outbox)
    }

    pub(super) fn take_notes(&mut self) -> Vec<String> {
        mem::take(&mut self.notes)
    }

    /// True if something new was said since the last time.
    pub(super) fn take_changed(&mut self) -> bool {
        mem::take(&mut self.changed)
    }

    /// Why the last command was not carried out, if a node has refused.
    pub(super) fn take_refusal(&mut self) -> Option<Trouble> {
        self.refused.take()
    }

    /// Notes something for the log.
    pub(super) fn remark(&mut self, text: &str) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(text.chars().take(NOTE_CHARS_MAX).collect());
        }
    }

    fn note(&mut self, node: usize, text: &str) {
        self.remark(&format!("{}: {text}", self.seats[node].name));
    }

    /// True if nothing more will come by itself, as far as the nodes say.
    pub(super) fn rests(&self) -> bool {
        self.seats.iter().all(Seat::rests)
    }

    /// True if every node that runs says when it waits.
    pub(super) fn all_say_still(&self) -> bool {
        self.seats
            .iter()
            .all(|seat| seat.presence == Presence::Down || seat.manners.says_still || seat.paused)
    }

    /// The first node that has not finished what it has to do.
    pub(super) fn laggard(&self) -> Option<usize> {
        self.seats.iter().position(|seat| !seat.rests() && !seat.lacks_messages_only())
    }

    /// Stops waiting for messages that have not arrived: the system has lost them.
    pub(super) fn give_messages_up(&mut self) {
        for node in 0..self.seats.len() {
            let seat = &mut self.seats[node];
            if seat.lacks_messages_only() {
                let n_lost = seat.expected - seat.received;
                seat.expected = seat.received;
                self.note(node, &format!("{n_lost} of the messages that were sent to it have not arrived"));
            }
        }
    }

    // What becomes of nodes.

    /// A node's process has been started.
    pub(super) fn begin(&mut self, node: usize) {
        self.seats[node].leave();
        self.seats[node].presence = Presence::Starting;
    }

    /// A node has connected and said who it is.
    pub(super) fn welcome(&mut self, node: usize, hello: &Hello) {
        self.seats[node].arrive(hello);
        self.seats[node].owed =
            if hello.takes_delivery { self.mail.lost(&hello.node).into() } else { [].into() };
        self.outbox.push((node, ToNode::Welcome { version: kilter_protocol::VERSION }));
    }

    /// A node has been killed.
    pub(super) fn leave(&mut self, node: usize) {
        let name = self.seats[node].name.clone();
        self.shown.retain(|_, offer| offer.node != name);
        self.hidden.retain(|_, offer| offer.node != name);
        self.fresh.retain(|(other, _)| *other != node);
        self.seats[node].leave();
        if !self.seats[node].manners.takes_delivery {
            self.mail.forget(&name);
        }
    }

    pub(super) fn pause(&mut self, node: usize, paused: bool) {
        self.seats[node].paused = paused;
    }

    pub(super) fn connect(&mut self, a: usize, b: usize, connected: bool) {
        let pair = (a.min(b), a.max(b));
        if connected {
            self.cuts.remove(&pair);
        } else {
            self.cuts.insert(pair);
        }
    }

    // What nodes are told.

    /// Lets an action go.
    pub(super) fn go(&mut self, id: OfferId) -> Result<(), Trouble> {
        let (node, own, offer) = self.answer(id)?;
        let copy = offer.message.as_ref().map(|message| self.take(node, message));
        let answer =
            if copy == Some(Copy::Added) { ToNode::Twice { id: own } } else { ToNode::Go { id: own } };
        self.tell(node, Task { id: own, action: offer.action, message: offer.message }, answer);
        Ok(())
    }

    /// Loses one copy of the message of an offer.
    pub(super) fn drop_message(&mut self, id: OfferId) -> Result<(), Trouble> {
        let message = self.message(id)?;
        let (node, own, offer) = self.answer(id)?;
        if self.take(node, &message) == Copy::Added {
            // The node knows of one copy, and keeps it.
            let id = self.number();
            self.seats[node].standing.insert(own, Some(id));
            self.shown.insert(id, offer);
            return Ok(());
        }
        let task = Task { id: own, action: format!("drop of {}", offer.action), message: Some(message) };
        self.tell(node, task, ToNode::Drop { id: own });
        Ok(())
    }

    /// Adds a copy of the message of an offer.
    pub(super) fn duplicate(&mut self, id: OfferId) -> Result<(), Trouble> {
        let message = self.message(id)?;
        self.mail.double(&self.shown[&id].node, &message);
        Ok(())
    }

    /// Asks a node for something.
    pub(super) fn request(&mut self, node: usize, action: &str, args: &[Json]) -> Result<(), Trouble> {
        let seat = &self.seats[node];
        if seat.presence != Presence::Up || seat.paused {
            return Err(Trouble::Impossible(format!("node {} can't be asked now", seat.name)));
        }
        let id = self.next_request;
        self.next_request += 1;
        let request = Request { id, action: action.to_owned(), args: args.to_vec() };
        self.tell(node, Task { id, action: action.to_owned(), message: None }, ToNode::Request(request));
        Ok(())
    }

    /// Asks all nodes to be as they were at the beginning.
    pub(super) fn reset(&mut self, action: &str) -> Result<(), Trouble> {
        self.mail.clear();
        self.cuts.clear();
        (0..self.seats.len()).try_for_each(|node| self.request(node, action, &[]))
    }

    /// True if all nodes are there, so that they can be asked to start over.
    pub(super) fn is_whole(&self) -> bool {
        self.seats.iter().all(|seat| seat.presence == Presence::Up && !seat.paused)
    }

    fn message(&self, id: OfferId) -> Result<Json, Trouble> {
        let offer = self.shown.get(&id).ok_or_else(|| no_offer(id))?;
        offer.message.clone().ok_or_else(|| no_message(id))
    }

    /// Takes an offer off the board to answer it; with its node, and the node's own number for it.
    fn answer(&mut self, id: OfferId) -> Result<(usize, u64, Offer), Trouble> {
        let offer = self.shown.remove(&id).ok_or_else(|| no_offer(id))?;
        let node = self.find(&offer.node)?;
        let standing = &mut self.seats[node].standing;
        let own = standing.iter().find(|(_, other)| **other == Some(id)).map(|(own, _)| *own);
        let own = own.ok_or_else(|| no_offer(id))?;
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

    fn take(&mut self, node: usize, message: &Json) -> Copy {
        let (seats, cuts) = (&self.seats, &self.cuts);
        self.mail.take(&seats[node].name, message, |flight| is_cut(seats, cuts, flight.from.as_ref(), node))
    }

    // What nodes say.

    /// Takes in what a node says. An error is how it breaks the protocol.
    pub(super) fn hear(&mut self, node: usize, line: FromNode) -> Result<(), String> {
        self.seats[node].said += 1;
        match line {
            FromNode::Hello(_) => return Err("it said hello twice".to_owned()),
            FromNode::Offer(offer) => self.hear_offer(node, offer)?,
            FromNode::Withdraw { id } => self.hear_withdrawal(node, id),
            FromNode::Done(done) => self.hear_done(node, done)?,
            FromNode::Report { variables } => {
                self.seats[node].variables = Some(variables);
                self.changed = true;
                self.deliver_all(node);
            }
            FromNode::Still { received } => self.hear_still(node, received),
            FromNode::Note { text } => self.note(node, &text),
        }
        Ok(())
    }

    fn hear_offer(&mut self, node: usize, offer: Offered) -> Result<(), String> {
        let standing = &mut self.seats[node].standing;
        if standing.insert(offer.id, None).is_some() {
            return Err(format!("offer {} stands, and was made again", offer.id));
        }
        if standing.len() > OFFERS_MAX {
            return Err(format!("more than {OFFERS_MAX} offers at once"));
        }
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
        } else if self.seats[node].task.as_ref().is_some_and(|task| task.id == own) {
            self.hear_refusal(node);
        }
    }

    /// The offer that was just let go has been withdrawn at the same moment.
    fn hear_refusal(&mut self, node: usize) {
        let seat = &mut self.seats[node];
        let Some(task) = seat.task.take() else { return };
        if let Some(message) = task.message {
            self.mail.send(None, seat.name.clone(), message);
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
        seat.task = None;
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
                self.mail.send(Some(from.clone()), to, sent.message);
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
            // One at a time: it says that it is still after each.
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

    // Standing still.

    /// Numbers the offers that were made since the last time, and decides which can be let go. Their order depends on what they
    /// say and not on when they came.
    pub(super) fn settle(&mut self) {
        let mut fresh: Vec<(usize, String, Offered)> = mem::take(&mut self.fresh)
            .into_iter()
            .map(|(node, offer)| (node, sort_key(&offer), offer))
            .collect();
        fresh.sort_by(|(n, k, a), (m, l, b)| (n, k, a.id).cmp(&(m, l, b.id)));
        for (node, _, offer) in fresh {
            let id = self.number();
            self.seats[node].standing.insert(offer.id, Some(id));
            let Offered { action, args, message, .. } = offer;
            let offer = Offer { node: self.seats[node].name.clone(), action, args, message };
            self.find_sender(&offer);
            self.shown.insert(id, offer);
        }
        self.show_and_hide();
    }

    fn number(&mut self) -> OfferId {
        self.next_offer += 1;
        OfferId(self.next_offer - 1)
    }

    /// A message that nobody is known to have sent is in flight all the same, since somebody can take it in.
    fn find_sender(&mut self, offer: &Offer) {
        let Some(message) = &offer.message else { return };
        let alike = |other: &&Offer| other.node == offer.node && other.message == offer.message;
        let n_offered = 1 + self.shown.values().chain(self.hidden.values()).filter(alike).count();
        if n_offered > self.mail.known(&offer.node, message) as usize {
            self.mail.send(None, offer.node.clone(), message.clone());
        }
    }

    fn show_and_hide(&mut self) {
        self.shown.append(&mut self.hidden);
        if self.cuts.is_empty() && !self.seats.iter().any(|seat| seat.paused) {
            return;
        }
        let (seats, cuts, mail) = (&self.seats, &self.cuts, &self.mail);
        let held = |offer: &Offer| {
            let Some(node) = seats.iter().position(|seat| seat.name == offer.node) else { return false };
            let all_cut =
                |message| mail.senders(&offer.node, message).all(|from| is_cut(seats, cuts, from, node));
            seats[node].paused || offer.message.as_ref().is_some_and(all_cut)
        };
        let held: Vec<OfferId> =
            self.shown.iter().filter(|(_, offer)| held(offer)).map(|(id, _)| *id).collect();
        for id in held {
            if let Some(offer) = self.shown.remove(&id) {
                self.hidden.insert(id, offer);
            }
        }
    }
}

fn is_cut(seats: &[Seat], cuts: &BTreeSet<(usize, usize)>, from: Option<&NodeName>, to: usize) -> bool {
    let from = from.and_then(|from| seats.iter().position(|seat| seat.name == *from));
    from.is_some_and(|from| cuts.contains(&(from.min(to), from.max(to))))
}

fn sort_key(offer: &Offered) -> String {
    let message = offer.message.as_ref().map(ToString::to_string).unwrap_or_default();
    let args: Vec<String> = offer.args.iter().map(ToString::to_string).collect();
    format!("{} {} {message}", offer.action, args.join(" "))
}
