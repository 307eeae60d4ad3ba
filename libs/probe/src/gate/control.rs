//! A gate under the control of a testbed: its offers, and what it is told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use kilter_protocol::{Done, Environment, FromNode, Offer, ToNode};

use crate::Ending;
use crate::action::Action;
use crate::gate::{Arrived, Event, Wish};
use crate::link::{Link, Manner};
use crate::variables::{Report, Variables};

/// The state of the gate between two events.
pub(super) struct Control<E> {
    link: Arc<Link>,
    /// The offers that the testbed has not answered, by number.
    standing: BTreeMap<u64, Standing<E>>,
    /// Events that have arrived and are not offered at the moment.
    kept: Vec<E>,
    /// The event that the node is handling.
    in_hand: Option<InHand<E>>,
    /// The variables that the node last reported.
    variables: Report,
    /// The number of messages from other nodes that have arrived.
    received: u64,
    /// Whether the node has not reported yet.
    fresh: bool,
    /// Whether something has arrived of which the testbed must hear, even if it is not offered.
    must_say_still: bool,
    /// Lines that have to be sent and are not written yet.
    unsaid: Vec<FromNode>,
}

/// The action of an event in the node's present state. `None` if it must not be offered.
type Show<'s, E> = dyn Fn(&E) -> Option<Action> + 's;

#[derive(Clone)]
struct Standing<E> {
    action: Action,
    event: E,
    /// Whether it is offered only as long as the node wishes it.
    wish: bool,
}

struct InHand<E> {
    /// The number of the offer or of the request.
    id: u64,
    /// The event to offer again after this one.
    again: Option<E>,
}

impl<E: Event> Control<E> {
    /// Connects to the testbed. `None` if that is not possible and `lost` has returned.
    pub(super) fn connect(
        environment: &Environment,
        lost: fn(&Ending),
        arrivals: Sender<Arrived<E>>,
    ) -> Option<Control<E>> {
        let manner = Manner { says_still: true, takes_delivery: true };
        // If the gate is gone, the node is about to end, and sending fails.
        let link = Link::connect(environment, manner, lost, move |told| {
            let _ = arrivals.send(told.map_or(Arrived::Closed, Arrived::Told));
        })?;
        Some(Control {
            link,
            standing: BTreeMap::new(),
            kept: Vec::new(),
            in_hand: None,
            variables: Report::default(),
            received: 0,
            fresh: true,
            must_say_still: false,
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
        show: &Show<'_, E>,
        arrivals: &Receiver<Arrived<E>>,
    ) -> Option<E> {
        self.variables = Report::default();
        node.variables(&mut self.variables);
        self.finish();
        self.offer_arrived(show);
        self.offer_wishes(wishes, show);
        loop {
            while let Ok(arrived) = arrivals.try_recv() {
                match self.take_in(arrived, show) {
                    Taken::Nothing => {}
                    Taken::Out(event) => {
                        self.link.say(&std::mem::take(&mut self.unsaid));
                        return Some(event);
                    }
                    Taken::End => return None,
                }
            }
            if std::mem::take(&mut self.must_say_still) || !self.unsaid.is_empty() {
                self.unsaid.push(FromNode::Still { received: self.received });
                self.link.say(&std::mem::take(&mut self.unsaid));
            }
            // The gate holds a sender itself, so this waits until something comes.
            match self.take_in(arrivals.recv().ok()?, show) {
                Taken::Nothing => {}
                Taken::Out(event) => return Some(event),
                Taken::End => return None,
            }
        }
    }

    /// Reports the current event as done, or the node's first state.
    fn finish(&mut self) {
        if std::mem::take(&mut self.fresh) {
            self.unsaid.push(FromNode::Report { variables: self.variables.clone().into_values() });
        }
        if let Some(in_hand) = self.in_hand.take() {
            self.say_done(in_hand.id);
            self.kept.extend(in_hand.again);
        }
    }

    fn say_done(&mut self, id: u64) {
        let done = self.done(id);
        self.unsaid.push(FromNode::Done(done));
    }

    fn done(&self, id: u64) -> Done {
        Done {
            id,
            variables: self.variables.clone().into_values(),
            sent: self.link.take_sent(),
            unknown: false,
        }
    }

    fn offer(&mut self, standing: Standing<E>) {
        let id = self.link.next_id();
        let Action { name, args, message } = standing.action.clone();
        self.unsaid.push(FromNode::Offer(Offer { id, action: name.into_owned(), args, message }));
        self.standing.insert(id, standing);
    }

    /// Handles an event from outside. It is offered if the node's state allows it.
    fn arrive(&mut self, event: E, show: &Show<'_, E>) {
        match show(&event) {
            Some(action) => self.offer(Standing { action, event, wish: false }),
            None => self.kept.push(event),
        }
    }

    /// Offers the events that have arrived as the node's new state shows them. Withdraws those that looked different
    /// before.
    fn offer_arrived(&mut self, show: &Show<'_, E>) {
        let changed = |standing: &Standing<E>| {
            !standing.wish && show(&standing.event).as_ref() != Some(&standing.action)
        };
        let gone: Vec<u64> =
            self.standing.iter().filter(|(_, standing)| changed(standing)).map(|(id, _)| *id).collect();
        let mut arrived = std::mem::take(&mut self.kept);
        for id in gone {
            arrived.extend(self.standing.remove(&id).map(|standing| standing.event));
            self.unsaid.push(FromNode::Withdraw { id });
        }
        for event in arrived {
            self.arrive(event, show);
        }
    }

    /// Offers new wishes, and withdraws those that are gone. Two wishes are the same if they look the same.
    fn offer_wishes(&mut self, wishes: impl IntoIterator<Item = Wish<E>>, show: &Show<'_, E>) {
        let mut gone: Vec<u64> =
            self.standing.iter().filter(|(_, standing)| standing.wish).map(|(id, _)| *id).collect();
        let mut new = Vec::new();
        for Wish { event, .. } in wishes {
            let Some(action) = show(&event) else { continue };
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

    fn take_in(&mut self, arrived: Arrived<E>, show: &Show<'_, E>) -> Taken<E> {
        match arrived {
            Arrived::Message(event) => {
                self.received += 1;
                // Even if the message is not offered, the testbed has to learn that it has arrived.
                self.arrive(event, show);
                self.must_say_still = true;
                Taken::Nothing
            }
            Arrived::Event(event) => {
                self.arrive(event, show);
                Taken::Nothing
            }
            Arrived::Told(told) => self.obey(told, show),
            Arrived::Closed => Taken::End,
        }
    }

    fn obey(&mut self, told: ToNode, show: &Show<'_, E>) -> Taken<E> {
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
                    self.unsaid.push(FromNode::Done(Done { unknown: true, ..self.done(request.id) }));
                    Taken::Nothing
                }
            },
            ToNode::Deliver { from, message } => {
                // Whether the message is offered or not, the testbed waits for a sign of it.
                self.must_say_still = true;
                match E::from_delivery(&from, &message) {
                    Some(event) => self.arrive(event, show),
                    None => self.note(format!("can't take delivery of a message from {from}: {message}")),
                }
                Taken::Nothing
            }
            ToNode::Stop {} => Taken::End,
        }
    }

    fn hand_out(&mut self, id: u64, twice: bool) -> Taken<E> {
        // The answer crossed a withdrawal, so its offer does not exist any more.
        let Some(standing) = self.standing.remove(&id) else { return Taken::Nothing };
        self.in_hand = Some(InHand { id, again: twice.then(|| standing.event.clone()) });
        Taken::Out(standing.event)
    }

    fn note(&mut self, text: String) {
        self.unsaid.push(FromNode::Note { text });
    }
}

/// The result of an arrival.
enum Taken<E> {
    Nothing,
    Out(E),
    End,
}
