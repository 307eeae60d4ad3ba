//! Lists what can be chosen when all nodes stand still.

use std::collections::BTreeSet;
use std::mem;

use kilter_protocol::Offer as Offered;

use super::Board;
use crate::cluster::seat::Seat;
use crate::world::{NodeName, Offer, OfferId};

impl Board {
    /// Numbers the offers that were made since the last time, and decides which can be let go. The order depends on
    /// what the offers say, not on when they came.
    pub(in crate::cluster) fn settle(&mut self) {
        let mut fresh: Vec<(usize, String, Offered)> = mem::take(&mut self.fresh)
            .into_iter()
            .map(|(node, offer)| (node, sort_key(&offer), offer))
            .collect();
        self.seats.iter_mut().for_each(Seat::count_late_messages);
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

    pub(super) fn number(&mut self) -> OfferId {
        self.next_offer += 1;
        OfferId(self.next_offer - 1)
    }

    /// Adds a flight for an offered message that no known node has sent. It must be in flight, because a node can take
    /// it in.
    fn find_sender(&mut self, offer: &Offer) {
        let Some(message) = &offer.message else { return };
        let alike = |other: &&Offer| other.node == offer.node && other.message == offer.message;
        let n_offered = 1 + self.shown.values().chain(self.hidden.values()).filter(alike).count();
        if n_offered > self.flights.known(&offer.node, message) as usize {
            self.flights.send(None, offer.node.clone(), message.clone());
        }
    }

    fn show_and_hide(&mut self) {
        self.shown.append(&mut self.hidden);
        if self.cuts.is_empty() && !self.seats.iter().any(|seat| seat.paused) {
            return;
        }
        let (seats, cuts, flights) = (&self.seats, &self.cuts, &self.flights);
        let held = |offer: &Offer| {
            let Some(node) = seats.iter().position(|seat| seat.name == offer.node) else { return false };
            let all_cut =
                |message| flights.senders(&offer.node, message).all(|from| is_cut(seats, cuts, from, node));
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

/// Whether the link between the sender and a node is cut.
pub(super) fn is_cut(
    seats: &[Seat],
    cuts: &BTreeSet<(usize, usize)>,
    from: Option<&NodeName>,
    to: usize,
) -> bool {
    let from = from.and_then(|from| seats.iter().position(|seat| seat.name == *from));
    from.is_some_and(|from| cuts.contains(&(from.min(to), from.max(to))))
}

fn sort_key(offer: &Offered) -> String {
    let message = offer.message.as_ref().map(ToString::to_string).unwrap_or_default();
    let args: Vec<String> = offer.args.iter().map(ToString::to_string).collect();
    format!("{} {} {message}", offer.action, args.join(" "))
}
