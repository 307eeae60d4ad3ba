//! A system of processes that stand still until told, as a system to explore. A state is come back to by a new start and a replay.
//!
//! - `event`     what can happen, as text: it means the same after a new start
//! - `subject`   how the search sees it
//! - `likeness`  whether two nodes can stand for each other, as far as they show it

use std::collections::BTreeSet;
use std::time::Instant;

use kilter_testbed::{Command, Fault, NodeName, Trouble, World};
use serde_json::{Map, Value as Json};

mod event;
mod likeness;
mod subject;

use event::Offered;
pub use event::{Event, Flight};

use crate::counts::Spent;

/// More than nodes have to do at their start.
const AT_ONCE_MAX: u32 = 10_000;

/// What a system of processes consists of, beyond how it is started.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "what a system is like, each by its name")]
pub struct Manners {
    /// Actions that are timers.
    pub timers: BTreeSet<String>,
    /// Actions that read or write what is stored.
    pub storage: BTreeSet<String>,
    /// Actions that are never let go.
    pub never: BTreeSet<String>,
    /// Actions that are let go as soon as they are offered, such as what a node does when it has come up; they are no events.
    pub at_once: BTreeSet<String>,
    /// Whether messages from one node to another are taken in in the order in which they were sent.
    pub in_order: bool,
    /// Whether nodes that crashed may come up again.
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen.
    pub patient: bool,
    /// A request that makes the action fail which its first argument names; the action's own arguments follow.
    pub disk_error: Option<String>,
    /// Whether nodes report all that they hold, so that equal reports mean equal states.
    pub complete: bool,
    /// What clients ask for, each once: the node, the action, its arguments.
    pub requests: Vec<(usize, String, Vec<Json>)>,
    /// The variable that tells a node's role.
    pub role: Option<String>,
    /// The variables that the safety properties see.
    pub sight: BTreeSet<String>,
}

/// What the properties say of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The first safety property that is violated.
    pub violated: Option<String>,
    /// Whether the goal is reached; `None` if there is none.
    pub reached: Option<bool>,
}

/// What a node reports; `None` while it is down.
pub type Report<'a> = Option<&'a Map<String, Json>>;

/// Judges a state by what the nodes report, in their order.
pub type Judge = Box<dyn FnMut(&[Report<'_>]) -> Result<Judgement, String>>;

/// A system of processes.
pub struct Processes<W> {
    world: W,
    names: Vec<NodeName>,
    manners: Manners,
    judge: Judge,
    judgement: Judgement,
    /// The requests that have been made.
    asked: Vec<bool>,
    offered: Vec<Offered>,
    spent: Spent,
}

impl<W: World> Processes<W> {
    /// A system that has not been started.
    pub fn new(world: W, names: Vec<NodeName>, manners: Manners, judge: Judge) -> Processes<W> {
        Processes {
            world,
            names,
            manners,
            judge,
            judgement: Judgement::default(),
            asked: Vec::new(),
            offered: Vec::new(),
            spent: Spent::default(),
        }
    }

    fn is_up(&self, node: usize) -> bool {
        self.world.variables(&self.names[node]).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| **other == *name)
    }

    /// Lets the world do something, and looks at what it is like then.
    fn let_world(&mut self, deed: impl FnOnce(&mut W) -> Result<(), Trouble>) -> Result<(), Trouble> {
        self.timed(deed)?;
        self.lose_unread()?;
        self.rouse()?;
        self.offered = self.read_offers();
        let reports: Vec<Report<'_>> = self.names.iter().map(|name| self.world.variables(name)).collect();
        self.judgement = (self.judge)(&reports).map_err(Trouble::Impossible)?;
        Ok(())
    }

    /// Lets the world do something, and notes how long that took.
    fn timed(&mut self, deed: impl FnOnce(&mut W) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let (begun, own) = (Instant::now(), self.world.own_time());
        let done = deed(&mut self.world);
        let own = self.world.own_time().saturating_sub(own);
        self.spent.testbed += own;
        self.spent.nodes += begun.elapsed().saturating_sub(own);
        done
    }

    /// Lets go what is not to wait.
    fn rouse(&mut self) -> Result<(), Trouble> {
        for _ in 0..AT_ONCE_MAX {
            let mut offers = self.world.offers().iter();
            let Some((id, _)) = offers.find(|(_, offer)| self.manners.at_once.contains(&offer.action)) else {
                return Ok(());
            };
            let go = Command::Go(*id);
            self.timed(|world| world.perform(&go))?;
        }
        let text = "what nodes do at once comes to no end; `at-once` should name what they do at their start";
        Err(Trouble::Impossible(text.to_owned()))
    }

    /// What a node has sent and nobody has taken in is lost with its connections.
    fn lose_sent(&mut self, node: usize) -> Result<(), Trouble> {
        let is_lost = |event: &Event| matches!(event, Event::Deliver(flight) if flight.from == Some(node));
        let lost = |it: &Self| {
            let mut offers = it.world.offers().iter();
            offers.find(|(_, offer)| it.event(offer).is_some_and(|event| is_lost(&event))).map(|(id, _)| *id)
        };
        // One copy after the other.
        while let Some(id) = lost(self) {
            self.timed(|world| world.perform(&Command::on_message(Fault::Drop, id)))?;
        }
        Ok(())
    }

    /// What is on its way to a node that is down is lost: nobody has a connection to it.
    fn lose_unread(&mut self) -> Result<(), Trouble> {
        let lost = |it: &Self| {
            let flights = it.world.flights().iter();
            let is_down = |name: &str| it.place(name).is_some_and(|node| !it.is_up(node));
            let mut unread = flights.filter(|flight| is_down(&flight.to));
            unread.next().map(|flight| (flight.to.clone(), flight.message.clone()))
        };
        while let Some((to, message)) = lost(self) {
            self.timed(|world| world.perform(&Command::on_unread(Fault::Drop, to, message)))?;
        }
        Ok(())
    }
}
