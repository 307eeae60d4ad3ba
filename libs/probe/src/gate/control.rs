//! A gate under a testbed's control: what it has offered, and what it hears.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use kilter_protocol::{Done, Environment, FromNode, Offer, ToNode};
use serde_json::{Map, Value as Json};

use crate::Ending;
use crate::action::Action;
use crate::gate::{Arrived, Event, Wish};
use crate::link::{Link, Manner};
use crate::variables::Variables;

/// What the gate knows between two events.
pub(super) struct Control<E> {
    link: Arc<Link>,
    /// The offers that the testbed has not answered, by number.
    standing: BTreeMap<u64, Standing<E>>,
    /// The event that the node is handling now.
    in_hand: Option<InHand<E>>,
    /// What the node last reported.
    variables: Map<String, Json>,
    /// How many messages of other nodes have arrived.
    received: u64,
    /// True until the node has reported for the first time.
    fresh: bool,
    /// What is to be said, not yet written.
    unsaid: Vec<FromNode>,
}

#[derive(Clone)]
struct Standing<E> {
    action: Action,
    event: E,
    /// True if it is offered only for as long as the node wishes.
    wish: bool,
}

struct InHand<E> {
    /// The number of the offer or of the request.
    id: u64,
    /// What is to be offered again after it.
    again: Option<Standing<E>>,
}

impl<E: Event> Control<E> {
    /// `None` if the testbed can't be reached and `lost` has returned.
    pub(super) fn connect(
        environment: &Environment,
        lost: fn(&Ending),
        arrivals: Sender<Arrived<E>>,
    ) -> Option<Control<E>> {
        let manner = Manner { says_still: true, takes_delivery: true };
        // A gate that is gone hears nothing: the node is about to end.
        let link = Link::connect(environment, manner, lost, move |told| {
            let _ = arrivals.send(Arrived::Told(told));
        })?;
        Some(Control {
            link,
            standing: BTreeMap::new(),
            in_hand: None,
            variables: Map::new(),
            received: 0,
            fresh: true,
            unsaid: Vec::new(),
        })
    }

    pub(super) fn link(&self) -> Arc<Link> {
        self.link.clone()
    }

    pub(super) fn next(
        &mut self,
        node: &impl Variables,
        wishes: impl IntoIterator<Item = Wish<E>>,
        arrivals: &Receiver<Arrived<E>>,
    ) -> Option<E> {
        self.variables = Map::new();
        node.variables(&mut self.variables);
        self.finish();
        self.offer_wishes(wishes);
        loop {
            while let Ok(arrived) = arrivals.try_recv() {
                match self.take_in(arrived) {
                    Taken::Nothing => {}
                    Taken::Out(event) => {
                        self.link.say(&std::mem::take(&mut self.unsaid));
                        return Some(event);
                    }
                    Taken::End => return None,
                }
            }
            if !self.unsaid.is_empty() {
                self.unsaid.push(FromNode::Still { received: self.received });
                self.link.say(&std::mem::take(&mut self.unsaid));
            }
            // The gate holds a sender itself, so this waits until something comes.
            match self.take_in(arrivals.recv().ok()?) {
                Taken::Nothing => {}
                Taken::Out(event) => return Some(event),
                Taken::End => return None,
            }
        }
    }

    /// Reports the event in hand as done, or the node's first state.
    fn finish(&mut self) {
        if std::mem::take(&mut self.fresh) {
            self.unsaid.push(FromNode::Report { variables: self.variables.clone() });
        }
        if let Some(in_hand) = self.in_hand.take() {
            self.say_done(in_hand.id);
            if let Some(again) = in_hand.again {
                self.offer(again);
            }
        }
    }

    fn say_done(&mut self, id: u64) {
        let done = Done { id, variables: self.variables.clone(), sent: self.link.take_sent() };
        self.unsaid.push(FromNode::Done(done));
    }

    fn offer(&mut self, standing: Standing<E>) {
        let id = self.link.next_id();
        let Action { name, args, message } = standing.action.clone();
        self.unsaid.push(FromNode::Offer(Offer { id, action: name.into_owned(), args, message }));
        self.standing.insert(id, standing);
    }

    /// Offers the wishes that are new, and withdraws those that are gone. Two wishes are the same if they look the same.
    fn offer_wishes(&mut self, wishes: impl IntoIterator<Item = Wish<E>>) {
        let mut gone: Vec<u64> =
            self.standing.iter().filter(|(_, standing)| standing.wish).map(|(id, _)| *id).collect();
        let mut new = Vec::new();
        for Wish { event, .. } in wishes {
            let action = event.action();
            match gone.iter().position(|id| self.standing[id].action == action) {
                Some(index) => {
                    let id = gone.swap_remove(index);
                    self.standing.insert(id, Standing { action, event, wish: true });
                }
                None => new.push(Standing { action, event, wish: true }),
            }
        }
        gone.sort_unstable();
        for id in gone {
            self.standing.remove(&id);
            self.unsaid.push(FromNode::Withdraw { id });
        }
        for standing in new {
            self.offer(standing);
        }
    }

    fn take_in(&mut self, arrived: Arrived<E>) -> Taken<E> {
        match arrived {
            Arrived::Message(event) => {
                self.received += 1;
                self.offer(Standing { action: event.action(), event, wish: false });
                Taken::Nothing
            }
            Arrived::Event(event) => {
                self.offer(Standing { action: event.action(), event, wish: false });
                Taken::Nothing
            }
            Arrived::Told(told) => self.obey(told),
            Arrived::Closed => Taken::End,
        }
    }

    fn obey(&mut self, told: ToNode) -> Taken<E> {
        match told {
            ToNode::Welcome { .. } => Taken::Nothing,
            ToNode::Go { id } => self.hand_out(id, false),
            ToNode::Twice { id } => self.hand_out(id, true),
            ToNode::Drop { id } => {
                if self.standing.remove(&id).is_some() {
                    self.say_done(id);
                }
                Taken::Nothing
            }
            ToNode::Request(request) => match E::from_request(&request.action, &request.args) {
                Some(event) => {
                    self.in_hand = Some(InHand { id: request.id, again: None });
                    Taken::Out(event)
                }
                None => {
                    self.note(format!("the request {} is not known here", request.action));
                    self.say_done(request.id);
                    Taken::Nothing
                }
            },
            ToNode::Deliver { from, message } => {
                match E::from_delivery(&from, &message) {
                    Some(event) => self.offer(Standing { action: event.action(), event, wish: false }),
                    None => self.note(format!("can't take delivery of a message from {from}: {message}")),
                }
                Taken::Nothing
            }
            ToNode::Stop {} => Taken::End,
        }
    }

    fn hand_out(&mut self, id: u64, twice: bool) -> Taken<E> {
        // An answer that crossed a withdrawal is for an offer that is no more.
        let Some(standing) = self.standing.remove(&id) else { return Taken::Nothing };
        let event = standing.event.clone();
        self.in_hand = Some(InHand { id, again: twice.then_some(standing) });
        Taken::Out(event)
    }

    fn note(&mut self, text: String) {
        self.unsaid.push(FromNode::Note { text });
    }
}

/// What became of something that arrived.
enum Taken<E> {
    Nothing,
    Out(E),
    End,
}
