//! The state of a cluster, derived from what its nodes have said. There are no sockets and no processes here: lines in,
//! lines out.
//!
//! - `hear`   handles what a node says
//! - `tell`   decides what nodes are told
//! - `settle` lists what can be chosen when all nodes stand still

mod hear;
mod settle;
mod tell;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use kilter_protocol::{Hello, Offer as Offered, ToNode};
use serde_json::{Map, Value as Json};

use super::flights::Flights;
use super::seat::{Presence, Seat};
use crate::world::{Flight, NodeName, Offer, OfferId, Trouble};

/// The most notes that are kept. Further ones are dropped.
const NOTES_MAX: usize = 1_000;
/// Notes are cut to this length.
const NOTE_CHARS_MAX: usize = 1_000;

/// All nodes, their offers, and the messages between them.
pub(super) struct Board {
    seats: Vec<Seat>,
    shown: BTreeMap<OfferId, Offer>,
    /// Offers that can't be let go now, because their node is paused or their message has to pass a cut link.
    hidden: BTreeMap<OfferId, Offer>,
    /// Offers that were made since the last standstill.
    fresh: Vec<(usize, Offered)>,
    flights: Flights,
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
            flights: Flights::default(),
            cuts: BTreeSet::new(),
            next_offer: 0,
            next_request: 0,
            outbox: Vec::new(),
            changed: false,
            refused: None,
            notes: Vec::new(),
        }
    }

    /// Resets everything to the state before the first start. Numbers of offers and requests are not used again.
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
        self.flights.all()
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

    /// Takes the lines that have to be sent to nodes, in order.
    pub(super) fn take_outbox(&mut self) -> Vec<(usize, ToNode)> {
        mem::take(&mut self.outbox)
    }

    pub(super) fn take_notes(&mut self) -> Vec<String> {
        mem::take(&mut self.notes)
    }

    pub(super) fn last_note(&self) -> Option<&str> {
        self.notes.last().map(String::as_str)
    }

    /// Whether anything new was said since the last call.
    pub(super) fn take_changed(&mut self) -> bool {
        mem::take(&mut self.changed)
    }

    /// Why a node has refused the last command, if one has.
    pub(super) fn take_refusal(&mut self) -> Option<Trouble> {
        self.refused.take()
    }

    /// Adds a note for the log.
    pub(super) fn remark(&mut self, text: &str) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(text.chars().take(NOTE_CHARS_MAX).collect());
        }
    }

    fn note(&mut self, node: usize, text: &str) {
        self.remark(&format!("{}: {text}", self.seats[node].name));
    }

    /// The first node from which something more is expected. `None` if, as far as the nodes say, nothing will come by
    /// itself.
    pub(super) fn late(&self) -> Option<usize> {
        self.seats.iter().position(|seat| !seat.rests())
    }

    /// Whether every running node says when it waits.
    pub(super) fn all_say_still(&self) -> bool {
        self.seats
            .iter()
            .all(|seat| seat.presence == Presence::Down || seat.manners.says_still || seat.paused)
    }

    /// The first node that has not finished its work. Nodes that only lack messages do not count.
    pub(super) fn laggard(&self) -> Option<usize> {
        self.seats.iter().position(|seat| !seat.rests() && !seat.lacks_messages_only())
    }

    /// Stops waiting for messages that have not arrived, because the system has lost them.
    pub(super) fn give_messages_up(&mut self) {
        for node in 0..self.seats.len() {
            let seat = &mut self.seats[node];
            if seat.lacks_messages_only() {
                let n_lost = seat.give_messages_up();
                self.note(node, &format!("{n_lost} of the messages that were sent to it have not arrived"));
            }
        }
    }

    /// Notes that a node's process has been started.
    pub(super) fn begin(&mut self, node: usize) {
        self.seats[node].leave();
        self.seats[node].presence = Presence::Starting;
    }

    /// Notes that a node has connected and said who it is.
    pub(super) fn welcome(&mut self, node: usize, hello: &Hello) {
        self.seats[node].arrive(hello);
        self.seats[node].owed =
            if hello.takes_delivery { self.flights.lost(&hello.node).into() } else { [].into() };
        self.outbox.push((node, ToNode::Welcome { version: kilter_protocol::VERSION }));
    }

    /// Notes that a node has been killed.
    pub(super) fn leave(&mut self, node: usize) {
        let name = self.seats[node].name.clone();
        self.shown.retain(|_, offer| offer.node != name);
        self.hidden.retain(|_, offer| offer.node != name);
        self.fresh.retain(|(other, _)| *other != node);
        let received = self.seats[node].received;
        self.seats[node].leave();
        self.seats[node].received = received;
        if !self.seats[node].manners.takes_delivery {
            self.flights.forget(&name);
        }
    }

    /// Forgets all messages, and mends all links.
    pub(super) fn clear_traffic(&mut self) {
        self.flights.clear();
        self.cuts.clear();
    }

    pub(super) fn is_up(&self, node: usize) -> bool {
        self.seats[node].presence == Presence::Up
    }

    pub(super) fn is_any_paused(&self) -> bool {
        self.seats.iter().any(|seat| seat.paused)
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
}
