//! Waits until all nodes stand still, or until there is something new.

use std::time::{Duration, Instant};

use kilter_protocol::encode;

use super::Cluster;
use super::errand::Errand;
use super::interrupt::Interrupt;
use super::patience::Deadline;
use super::seat::Presence;
use super::transcript::Way;
use crate::world::{Trouble, Waited, last_words};

/// When the time of the whole run is over, a node still has this long to come to rest.
const GRACE: Duration = Duration::from_secs(2);

/// How many times the patience a wait may last while there is always something new, but not what is waited for.
const NEWS_MAX: u32 = 5;

impl Cluster {
    /// Waits until nothing more is expected from the nodes.
    pub(super) fn come_to_rest(&mut self, patience: Duration) -> Result<(), Trouble> {
        let mut work = Deadline::new(patience);
        let over = self.setup.interrupt.as_ref().and_then(Interrupt::end);
        let over = over.map(|end| end.max(Instant::now() + GRACE));
        // For messages alone, once all nodes have finished their work. Since when that is, and until when.
        let mut arrival: Option<(Instant, Deadline)> = None;
        loop {
            self.dispatch();
            let Some(late) = self.board.late() else {
                if let Some((since, _)) = arrival {
                    self.arrivals.learn(since.elapsed());
                }
                self.board.settle();
                return self.board.take_refusal().map_or(Ok(()), Err);
            };
            let deadline = if self.board.laggard().is_some() {
                arrival = None;
                &mut work
            } else {
                let limit = self.arrivals.limit().min(patience);
                &mut arrival.get_or_insert_with(|| (Instant::now(), Deadline::new(limit))).1
            };
            if over.is_some_and(|over| Instant::now() >= over) {
                return Err(Trouble::Interrupted);
            }
            if !deadline.has_passed() {
                let at = deadline.at();
                self.turn(over.map_or(at, |over| over.min(at)))?;
                continue;
            }
            let pulse = self.nodes[late].as_ref().and_then(|node| node.process.pulse());
            if deadline.extend(late, pulse) {
                continue;
            }
            let granted = deadline.granted();
            self.waited += granted;
            match self.board.laggard() {
                Some(node) => return Err(self.overdue(node, granted)),
                None => {
                    self.board.give_messages_up();
                    arrival = None; // How long lost messages take teaches nothing.
                }
            }
        }
    }

    /// Sends the lines that the board has for nodes.
    fn dispatch(&mut self) {
        for (node, message) in self.board.take_outbox() {
            if let Some(link) = self.nodes[node].as_mut().and_then(|node| node.link.as_mut()) {
                let line = encode(&message);
                self.transcript.add(node, Way::Told, &line);
                link.send(&line);
            }
        }
    }

    fn overdue(&self, node: usize, waited: Duration) -> Trouble {
        let seat = self.board.seat(node);
        let (name, doing) = (seat.name.clone(), seat.doing());
        let hint = self.board.last_note().map(|note| format!("; {note}")).unwrap_or_default();
        if seat.presence == Presence::Starting {
            return Trouble::NotStarted(format!(
                "node {name} did not connect within {} ms; does it use the probe?{hint}{}",
                waited.as_millis(),
                last_words(&self.tail(node))
            ));
        }
        if seat.said > 0 {
            let reason = format!(
                "it did not finish within {} ms {doing}, but said other things{hint}",
                waited.as_millis()
            );
            return Trouble::Restless { node: name, reason };
        }
        Trouble::Silent { node: name, doing, waited }
    }

    /// Waits for something new.
    pub(super) fn wait_for_news(&mut self) -> Result<Waited, Trouble> {
        let begin = Instant::now();
        let since = *self.waiting_since.get_or_insert(begin);
        if begin - since > self.setup.patience * NEWS_MAX {
            // There is always something new, and it is never what is waited for.
            return Ok(Waited::GaveUp);
        }
        // Nodes cannot know that a client is on its way to them.
        let sure = self.board.all_say_still() && !self.expects_offer;
        let mut deadline = Deadline::new(match (sure, self.expects_offer) {
            (true, _) => Duration::ZERO,
            (false, true) => self.setup.patience,
            (false, false) => self.patience.limit(),
        });
        self.board.take_changed();
        loop {
            self.turn(deadline.at())?;
            self.dispatch();
            if self.board.take_changed() {
                if !self.expects_offer {
                    self.patience.learn(begin.elapsed());
                }
                self.come_to_rest(self.setup.patience)?;
                return Ok(Waited::Changed);
            }
            if sure {
                return Ok(Waited::Still);
            }
            if deadline.has_passed() && !self.extend_for_the_unsaid(&mut deadline) {
                self.waited += deadline.granted();
                return Ok(Waited::GaveUp);
            }
        }
    }

    /// Extends the deadline if a node that does not say whether it waits is about to run.
    fn extend_for_the_unsaid(&self, deadline: &mut Deadline) -> bool {
        let is_unsaid = |node: usize| self.expects_offer || !self.board.seat(node).manners.says_still;
        let nodes = self.nodes.iter().enumerate().filter(|(node, _)| is_unsaid(*node));
        let pulses = nodes.filter_map(|(node, running)| Some((node, running.as_ref()?.process.pulse()?)));
        let errands = self.errands.iter().filter(|_| self.expects_offer).filter_map(Errand::pulse);
        let errands = errands.map(|pulse| (self.nodes.len(), pulse));
        pulses.chain(errands).any(|(who, pulse)| deadline.extend(who, Some(pulse)))
    }
}
