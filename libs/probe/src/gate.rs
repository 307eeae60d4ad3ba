//! For programs with an event loop: an inbox that returns an event only when the testbed lets it go.
//!
//! Everything that makes a node act is an *event*: a message, a timer, a client's request, a local step whose guard
//! holds. The threads that read sockets push messages and clients' requests into the gate's [`Inbox`]. Timers and local
//! steps are *wishes*: each time, the loop lists what the node can do by itself now.
//!
//! ```no_run
//! # use kilter_probe::{Action, Event, Gate, Outbox, Report, Variables, Wish};
//! # use std::time::Instant;
//! # #[derive(Clone)] struct Message;
//! # struct Node { election_due: Instant, leader: bool }
//! # impl Variables for Node { fn variables(&self, _: &mut Report) {} }
//! # impl Node { fn handle(&mut self, _: Happening, _: &Outbox) {} }
//! # impl Node { fn wishes(&self) -> Vec<Wish<Happening>> { vec![Wish::at(self.election_due, Happening::Timeout)] } }
//! #[derive(Clone)]
//! enum Happening { Message { from: String, message: Message }, Timeout }
//!
//! impl Event for Happening {
//!     fn action(&self) -> Action {
//!         match self {
//!             Happening::Message { .. } => Action::new("Receive").message("the message"),
//!             Happening::Timeout => Action::new("Timeout"),
//!         }
//!     }
//! }
//!
//! # let mut node = Node { election_due: Instant::now(), leader: false };
//! let mut gate = Gate::<Happening>::from_environment();
//! let outbox = gate.outbox();                 // tells the testbed what is sent
//! let inbox = gate.inbox();                   // for the threads that read sockets: inbox.message(event)
//! while let Some(event) = gate.next(&node, node.wishes()) {
//!     node.handle(event, &outbox);            // outbox.sent("n2", &message) beside each real send
//! }
//! ```
//!
//! Under the control of a testbed, [`Gate::next`] reports that the last event is done, with the node's variables and
//! what was sent. It offers what is new, withdraws the wishes that are gone, says that the node stands still, and waits
//! for the testbed. Without a testbed it is a queue: wishes for now come first, then timers that are due, then what was
//! pushed.

#![expect(clippy::disallowed_methods, reason = "without a testbed, wishes wait for their time")]

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;

use serde::Serialize;
use serde_json::Value as Json;

use crate::action::Action;
use crate::variables::Variables;

#[cfg(feature = "controlled")]
mod control;
#[cfg(feature = "controlled")]
use control::Control;

/// An event that makes a node act.
pub trait Event: Clone + Send + 'static {
    /// The action that takes this event in, as the testbed sees it.
    fn action(&self) -> Action;

    /// Makes the event of a message that the testbed delivers again after a crash. `message` is what [`Outbox::sent`]
    /// was given. `None` if the node can't take it in.
    fn from_delivery(from: &str, message: &Json) -> Option<Self> {
        let _ = (from, message);
        None
    }

    /// Makes the event of a request of the testbed, such as a client's request or a reset. `None` if the node does not
    /// know it.
    fn from_request(action: &str, args: &[Json]) -> Option<Self> {
        let _ = (action, args);
        None
    }
}

/// Something that a node can do by itself.
#[derive(Clone, Debug)]
pub struct Wish<E> {
    /// The earliest time, or `None` for now. It does not matter under the control of a testbed, which fires timers when
    /// it wants.
    pub due: Option<Instant>,
    /// The event that will happen.
    pub event: E,
}

impl<E> Wish<E> {
    /// A step that the node would take at once.
    pub fn now(event: E) -> Wish<E> {
        Wish { due: None, event }
    }

    /// A timer that is due at this time.
    pub fn at(due: Instant, event: E) -> Wish<E> {
        Wish { due: Some(due), event }
    }
}

/// The place where any thread pushes events.
pub struct Inbox<E> {
    sender: Sender<Arrived<E>>,
}

impl<E> Clone for Inbox<E> {
    fn clone(&self) -> Inbox<E> {
        Inbox { sender: self.sender.clone() }
    }
}

impl<E> Inbox<E> {
    /// Pushes a message of another node. Each message that the sender has reported must be pushed exactly once, because
    /// the testbed counts them to know when nothing is in flight.
    pub fn message(&self, event: E) {
        self.put(Arrived::Message(event));
    }

    /// Pushes something else from outside, such as a client's request.
    pub fn push(&self, event: E) {
        self.put(Arrived::Event(event));
    }

    /// Ends the loop: [`Gate::next`] returns `None` when it comes to this.
    pub fn close(&self) {
        self.put(Arrived::Closed);
    }

    fn put(&self, arrived: Arrived<E>) {
        // This fails if the gate is gone. Then nobody takes events any more, and the event may be lost.
        let _ = self.sender.send(arrived);
    }
}

/// Tells the testbed what is sent.
#[derive(Clone, Default)]
pub struct Outbox {
    #[cfg(feature = "controlled")]
    link: Option<std::sync::Arc<crate::link::Link>>,
    #[cfg(feature = "controlled")]
    tracer: Option<std::sync::Arc<crate::trace::Tracer>>,
}

impl Outbox {
    /// Reports that the current event makes this node send a message. Call it beside each real send to another node,
    /// before the next [`Gate::next`].
    #[inline]
    pub fn sent(&self, to: &str, message: &(impl Serialize + ?Sized)) {
        #[cfg(feature = "controlled")]
        if let Some(link) = &self.link {
            link.sent(to, crate::action::to_json(message));
        } else if let Some(tracer) = &self.tracer {
            tracer.sent(to, crate::action::to_json(message));
        }
        #[cfg(not(feature = "controlled"))]
        let _ = (to, message);
    }

    /// The vector clock to put into a message that is sent now, for lines whose order `kilter follow` then knows. `None` if the node
    /// writes no trace.
    #[inline]
    pub fn clock(&self) -> Option<Json> {
        #[cfg(feature = "controlled")]
        return self.tracer.as_ref().map(|tracer| tracer.clock());
        #[cfg(not(feature = "controlled"))]
        None
    }

    /// Takes in the vector clock of a message: to be called while the event of the message is handled, before anything is sent.
    #[inline]
    pub fn heard(&self, clock: &Json) {
        #[cfg(feature = "controlled")]
        if let Some(tracer) = &self.tracer {
            tracer.heard(clock);
        }
        #[cfg(not(feature = "controlled"))]
        let _ = clock;
    }

    /// Writes a line into the log of the run.
    #[inline]
    pub fn note(&self, text: &str) {
        #[cfg(feature = "controlled")]
        if let Some(link) = &self.link {
            link.say(&[kilter_protocol::FromNode::Note { text: text.to_owned() }]);
        }
        #[cfg(not(feature = "controlled"))]
        let _ = text;
    }
}

/// Something that comes into a gate.
pub(crate) enum Arrived<E> {
    Message(E),
    Event(E),
    #[cfg(feature = "controlled")]
    Told(kilter_protocol::ToNode),
    Closed,
}

/// The inbox of an event loop. It is under the control of a testbed, if there is one.
pub struct Gate<E> {
    arrivals: Receiver<Arrived<E>>,
    inbox: Inbox<E>,
    #[cfg(feature = "controlled")]
    control: Option<Control<E>>,
    #[cfg(feature = "controlled")]
    traced: Option<Traced>,
}

/// A gate that nobody controls, and whose events are written to a file.
#[cfg(feature = "controlled")]
struct Traced {
    tracer: std::sync::Arc<crate::trace::Tracer>,
    /// The action that takes the last event in. `None` before the first, and for an event that is no action.
    in_hand: Option<Action>,
    variables: crate::variables::Report,
}

impl<E: Event> Gate<E> {
    /// Makes a gate that nobody controls.
    pub fn open() -> Gate<E> {
        let (sender, arrivals) = channel();
        Gate {
            arrivals,
            inbox: Inbox { sender },
            #[cfg(feature = "controlled")]
            control: None,
            #[cfg(feature = "controlled")]
            traced: None,
        }
    }

    /// Makes a gate under the control of the testbed that has started this process, if one has.
    pub fn from_environment() -> Gate<E> {
        #[cfg(feature = "controlled")]
        if let Some(environment) = crate::link::environment() {
            return Gate::controlled(&environment, crate::link::exit);
        }
        #[cfg(feature = "controlled")]
        if let Some(tracer) = crate::trace::Tracer::of_environment() {
            let variables = crate::variables::Report::of_texts();
            return Gate { traced: Some(Traced { tracer, in_hand: None, variables }), ..Gate::open() };
        }
        Gate::open()
    }

    /// Makes a gate under the control of a testbed. When the testbed goes away, `lost` is called, which should end the
    /// process.
    #[cfg(feature = "controlled")]
    pub fn controlled(environment: &kilter_protocol::Environment, lost: fn(&crate::Ending)) -> Gate<E> {
        let mut gate = Gate::open();
        gate.control = Control::connect(environment, lost, gate.inbox.sender.clone());
        gate
    }

    /// The inbox for pushing events.
    pub fn inbox(&self) -> Inbox<E> {
        self.inbox.clone()
    }

    /// The outbox for reporting messages.
    pub fn outbox(&self) -> Outbox {
        Outbox {
            #[cfg(feature = "controlled")]
            link: self.control.as_ref().map(Control::link),
            #[cfg(feature = "controlled")]
            tracer: self.traced.as_ref().map(|traced| traced.tracer.clone()),
        }
    }

    /// Whether a testbed decides when events happen.
    pub fn is_controlled(&self) -> bool {
        #[cfg(feature = "controlled")]
        return self.control.is_some();
        #[cfg(not(feature = "controlled"))]
        false
    }

    /// Whether somebody wants to know what is sent: a testbed, or a trace. A node that would do much work for
    /// [`Outbox::sent`] can ask first.
    pub fn is_watched(&self) -> bool {
        #[cfg(feature = "controlled")]
        return self.control.is_some() || self.traced.is_some();
        #[cfg(not(feature = "controlled"))]
        false
    }

    /// The next event to handle. Asking for it also says that the last event is done. `node` is reported to the
    /// testbed, and `wishes` is everything that the node can do by itself now. `None` if the node has to end.
    pub fn next(&mut self, node: &impl Variables, wishes: impl IntoIterator<Item = Wish<E>>) -> Option<E> {
        self.next_as(node, wishes, |event| Some(event.action()))
    }

    /// Like [`Gate::next`], for a node whose state decides which action takes an event in. `show` is called for all
    /// events each time, and offers that look different now are withdrawn. An event for which `show` returns `None` is
    /// kept, but not offered.
    pub fn next_as(
        &mut self,
        node: &impl Variables,
        wishes: impl IntoIterator<Item = Wish<E>>,
        show: impl Fn(&E) -> Option<Action>,
    ) -> Option<E> {
        #[cfg(feature = "controlled")]
        if let Some(control) = &mut self.control {
            return control.next(node, wishes, &show, &self.arrivals);
        }
        #[cfg(feature = "controlled")]
        if let Some(traced) = &mut self.traced {
            let variables = &mut traced.variables;
            node.variables(variables);
            traced.tracer.start(variables);
            match traced.in_hand.take() {
                Some(action) => traced.tracer.step(&action, variables),
                None => traced.tracer.forget(),
            }
            let event = self.next_by_itself(wishes);
            if let (Some(traced), Some(event)) = (&mut self.traced, &event) {
                traced.in_hand = show(event);
                if let Some(action) = &traced.in_hand {
                    traced.tracer.begin(action);
                }
            }
            return event;
        }
        let _ = (node, show);
        self.next_by_itself(wishes)
    }

    fn next_by_itself(&mut self, wishes: impl IntoIterator<Item = Wish<E>>) -> Option<E> {
        let first = wishes.into_iter().min_by_key(|wish| wish.due);
        let arrived = match first {
            None => self.arrivals.recv().ok(),
            Some(Wish { due: None, event }) => return Some(event),
            Some(Wish { due: Some(due), event }) => match self.arrival_before(due) {
                Ok(arrived) => Some(arrived),
                Err(_) => return Some(event),
            },
        };
        match arrived? {
            Arrived::Message(event) | Arrived::Event(event) => Some(event),
            #[cfg(feature = "controlled")]
            Arrived::Told(_) => None, // only a testbed tells, and there is none
            Arrived::Closed => None,
        }
    }

    /// The next arrival before a timer is due. A due timer comes before arrivals, because a busy node would otherwise
    /// never see it.
    fn arrival_before(&self, due: Instant) -> Result<Arrived<E>, RecvTimeoutError> {
        match due.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => self.arrivals.recv_timeout(left),
            _ => Err(RecvTimeoutError::Timeout),
        }
    }
}
