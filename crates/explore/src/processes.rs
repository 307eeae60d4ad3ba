//! A system of processes that stand still until they are told what to do. A state is restored by a new start and a
//! replay.
//!
//! - `event`     events as text, because text means the same after a new start
//! - `subject`   the system as the search sees it
//! - `likeness`  decides whether two nodes can stand for each other, as far as they report it

#![expect(clippy::disallowed_methods, reason = "measures where the time goes")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use kilter_testbed::{Command, Fault, NodeName, Trouble, World};
use serde_json::{Map, Value as Json};

mod event;
mod likeness;
mod subject;

use event::Offered;
pub use event::{Event, Flight};

use crate::counts::Spent;

/// More actions than nodes can have to do at their start.
const AT_ONCE_MAX: u32 = 10_000;

/// What the search must know about a system of processes, besides how it is started.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "what a system is like, each by its name")]
pub struct Manners {
    /// Where to keep what nodes leave behind when a sequence shows something wrong.
    pub keep: Option<PathBuf>,
    /// The folder of the run, for the logs of sequences that show something wrong. `None` writes no logs.
    pub logs: Option<PathBuf>,
    /// The actions that are timers.
    pub timers: BTreeSet<String>,
    /// The actions that read or write what is stored.
    pub storage: BTreeSet<String>,
    /// The actions that are never let go.
    pub never: BTreeSet<String>,
    /// The actions that are let go as soon as they are offered, such as those of a node that has just started. They do
    /// not count as events. Timers among them are let go when there is no other such action.
    pub at_once: BTreeSet<String>,
    /// Whether a node takes in the messages of another node in the order in which they were sent.
    pub in_order: bool,
    /// Whether nodes that crashed may start again.
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen.
    pub patient: bool,
    /// The request that makes an action fail. Its first argument is the name of the action, and the action's own
    /// arguments follow.
    pub disk_error: Option<String>,
    /// Whether nodes report everything that they hold, so that equal reports mean equal states.
    pub complete: bool,
    /// The requests of clients, each of which is made once: the node, the action, its arguments.
    pub requests: Vec<(usize, String, Vec<Json>)>,
    /// The variable that has a node's role.
    pub role: Option<String>,
    /// The variables that the safety properties see.
    pub sight: BTreeSet<String>,
}

/// What the properties say about a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The first safety property that is violated.
    pub violated: Option<String>,
    /// Whether the goal is reached; `None` if there is none.
    pub reached: Option<bool>,
}

/// The variables that a node reports. `None` while it is down.
pub type Report<'a> = Option<&'a Map<String, Json>>;

/// Judges a state by the reports of the nodes, in their order.
pub type Judge = Box<dyn FnMut(&[Report<'_>]) -> Result<Judgement, String>>;

/// A system of processes.
pub struct Processes<W> {
    world: W,
    names: Vec<NodeName>,
    manners: Manners,
    judge: Judge,
    judgement: Judgement,
    /// For each request, whether it has been made.
    asked: Vec<bool>,
    offered: Vec<Offered>,
    spent: Spent,
}

impl<W: World> Processes<W> {
    /// Makes a system that has to be started.
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

    /// Lets the world do something, and reads the new state.
    fn let_world(&mut self, deed: impl FnOnce(&mut W) -> Result<(), Trouble>) -> Result<(), Trouble> {
        self.timed(deed)?;
        self.lose_unread()?;
        self.rouse()?;
        self.offered = self.read_offers();
        let reports: Vec<Report<'_>> = self.names.iter().map(|name| self.world.variables(name)).collect();
        self.judgement = (self.judge)(&reports).map_err(Trouble::Impossible)?;
        Ok(())
    }

    /// Lets the world do something, and measures the time.
    fn timed(&mut self, deed: impl FnOnce(&mut W) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let (begun, own) = (Instant::now(), self.world.own_time());
        let done = deed(&mut self.world);
        let own = self.world.own_time().saturating_sub(own);
        self.spent.testbed += own;
        self.spent.nodes += begun.elapsed().saturating_sub(own);
        done
    }

    /// Lets all actions go that must not wait.
    fn rouse(&mut self) -> Result<(), Trouble> {
        for _ in 0..AT_ONCE_MAX {
            let manners = &self.manners;
            let at_once =
                self.world.offers().iter().filter(|(_, offer)| manners.at_once.contains(&offer.action));
            let Some((id, _)) = at_once.min_by_key(|(_, offer)| manners.timers.contains(&offer.action))
            else {
                return Ok(());
            };
            let go = Command::Go(*id);
            self.timed(|world| world.perform(&go))?;
        }
        let text = "what nodes do at once comes to no end; `at-once` should name what they do at their start";
        Err(Trouble::Impossible(text.to_owned()))
    }

    /// Drops the messages that a node has sent and nobody has taken in. They are lost with its connections.
    fn lose_sent(&mut self, node: usize) -> Result<(), Trouble> {
        let is_lost = |event: &Event| matches!(event, Event::Deliver(flight) if flight.from == Some(node));
        let lost = |it: &Self| {
            let mut offers = it.world.offers().iter();
            offers.find(|(_, offer)| it.event(offer).is_some_and(|event| is_lost(&event))).map(|(id, _)| *id)
        };
        // Copies are dropped one by one.
        while let Some(id) = lost(self) {
            self.timed(|world| world.perform(&Command::on_message(Fault::Drop, id)))?;
        }
        Ok(())
    }

    /// Drops the messages for nodes that are down, because nobody has a connection to them.
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
