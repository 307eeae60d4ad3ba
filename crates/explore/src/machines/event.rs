//! What can happen in a system of state machines, and its order.

use std::cmp::Ordering;
use std::sync::Arc;

use kilter_testbed::Machine;

use crate::peer::Peer;

/// Something that can happen.
pub enum Event<P: Peer> {
    /// A message is taken in.
    Deliver(Post<P::Message>),
    /// A node does something by itself.
    Act(usize, P::Action),
    /// A client asks for something: the number of the request.
    Request(usize),
    /// A node comes up again.
    Start(usize),
    /// A node crashes. What it has sent and nobody has taken in is lost, and so is what is on its way to it.
    Crash(usize),
    /// The link loses a message.
    Omit(Post<P::Message>),
    /// The link doubles a message.
    Duplicate(Post<P::Message>),
    /// The disk fails a node.
    DiskError(usize, P::Action),
}

/// A message on its way. The number orders messages of a link where that matters.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Post<T> {
    /// Who has sent it.
    pub from: usize,
    /// Who it is for.
    pub to: usize,
    /// Its place on its link if messages arrive in order, else 0.
    pub number: u32,
    /// What it says.
    pub message: Arc<T>,
}

impl<T> Clone for Post<T> {
    fn clone(&self) -> Post<T> {
        Post { from: self.from, to: self.to, number: self.number, message: Arc::clone(&self.message) }
    }
}

type Key<'a, P> = (u8, usize, Option<&'a Post<<P as Machine>::Message>>, Option<&'a <P as Machine>::Action>);

impl<P: Peer> Clone for Event<P> {
    fn clone(&self) -> Self {
        match self {
            Event::Deliver(post) => Event::Deliver(post.clone()),
            Event::Act(node, action) => Event::Act(*node, action.clone()),
            Event::Request(number) => Event::Request(*number),
            Event::Start(node) => Event::Start(*node),
            Event::Crash(node) => Event::Crash(*node),
            Event::Omit(post) => Event::Omit(post.clone()),
            Event::Duplicate(post) => Event::Duplicate(post.clone()),
            Event::DiskError(node, action) => Event::DiskError(*node, action.clone()),
        }
    }
}

impl<P: Peer> Event<P> {
    /// What events are ordered by.
    fn key(&self) -> Key<'_, P> {
        match self {
            Event::Deliver(post) => (0, 0, Some(post), None),
            Event::Act(node, action) => (1, *node, None, Some(action)),
            Event::Request(number) => (2, *number, None, None),
            Event::Start(node) => (3, *node, None, None),
            Event::Crash(node) => (4, *node, None, None),
            Event::Omit(post) => (5, 0, Some(post), None),
            Event::DiskError(node, action) => (6, *node, None, Some(action)),
            Event::Duplicate(post) => (7, 0, Some(post), None),
        }
    }
}

impl<P: Peer> PartialEq for Event<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P: Peer> Eq for Event<P> {}

impl<P: Peer> PartialOrd for Event<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P: Peer> Ord for Event<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
