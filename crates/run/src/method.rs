//! What a method has to say: what its cases are, and how one is played.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;
use std::time::Duration;

use serde_json::Value as Json;

use crate::desk::Done;
use crate::job::Limits;
use crate::record::{Counters, Finding, Group};
use crate::runner::Tally;

/// A way of testing.
pub trait Method: Sync {
    /// What is played.
    type Case: Send + Sync;
    /// What a case has shown, in the method's own terms: enough to look for it again.
    type Discovery: Clone + Send + Sync;

    /// What tells a case apart, in this run and in every other.
    fn id<'c>(&self, case: &'c Self::Case) -> &'c str;

    /// Makes a system and a player for it, and lets `work` have it. Called once by each job, in its own thread.
    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop>;

    /// Of how many findings of one group each is looked at again.
    fn looked_at_again_max(&self) -> usize {
        3
    }

    /// What else people should know at the end.
    fn remarks(&self, _tally: &Tally) -> Vec<String> {
        Vec::new()
    }

    /// Adds to a group what only the method knows.
    fn comment(&self, _group: &mut Group, _seen: &Seen<'_>) {}
}

/// What the findings of a group have in common, and what was covered besides.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// The one with the shortest way.
    pub example: &'s Finding,
    /// Where they are to be blamed.
    pub failed: &'s BTreeSet<Option<u64>>,
    /// What cases have covered, by number; what is beyond the end was not.
    pub covered: &'s [bool],
    /// Whether one of them did not come again.
    pub is_unstable: bool,
}

/// Plays cases on one system, one after the other.
pub trait Player<M: Method + ?Sized> {
    /// Plays a case.
    fn play(&mut self, case: &M::Case, control: &Control<'_, M>) -> Result<Played<M::Discovery>, Stop>;

    /// Plays a case again that has shown something: what is known then, whether it showed again and perhaps a shorter way to it.
    fn look_again(
        &mut self,
        case: &M::Case,
        found: &Found<M::Discovery>,
    ) -> Result<Found<M::Discovery>, Stop>;

    /// Looks for a shorter way to what a group is about, when all cases have been played. `first` is what the group has shown first,
    /// `shortest` what has the shortest way so far.
    fn shorten(
        &mut self,
        _first: &Found<M::Discovery>,
        _shortest: &Found<M::Discovery>,
        _covered: &[bool],
        _control: &Control<'_, M>,
    ) -> Result<Option<Found<M::Discovery>>, Stop> {
        Ok(None)
    }
}

/// Something that a case has shown.
#[derive(Clone, Debug)]
pub struct Found<D> {
    /// For the record.
    pub finding: Finding,
    /// In the method's own terms.
    pub discovery: D,
    /// Which part of what there is to cover is to blame, such as an edge of the graph. Of findings of one group with the same place,
    /// one is looked at again.
    pub place: Option<u64>,
    /// How many steps the shortest way to it has that is known.
    pub n_steps: u64,
    /// Why no other case can say more, if so.
    pub ends_run: Option<String>,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Played<D> {
    /// How it ended.
    pub ending: Ending,
    /// What it has shown, if that was not told while it was played.
    pub found: Option<Box<Found<D>>>,
    /// How many steps were taken.
    pub steps: u64,
    /// What it has covered, by number.
    pub covered: Vec<u32>,
    /// How long it took.
    pub took: Duration,
    /// How much of that was waiting for what did not come.
    pub waited: Duration,
    /// What was odd, but is no finding.
    pub notes: Vec<String>,
    /// What else was counted.
    pub counters: Counters,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The system did all that it should.
    Passed,
    /// It did not.
    Failed,
    /// The system could not be driven along the case.
    NotRun(String),
    /// It was cut short; from here it can go on.
    Cut(Json),
}

/// Why nothing more is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Time is up.
    Time,
    /// So much has been done as was wanted, in the words of the method.
    Enough(String),
    /// The system can't be run.
    NotRunnable(String),
    /// What the user wants can't be done with this system.
    Impossible(String),
}

/// What a player can say, and ask, while it plays a long case.
pub struct Control<'r, M: Method + ?Sized> {
    pub(crate) index: usize,
    pub(crate) limits: &'r Limits<'r>,
    pub(crate) sender: &'r Sender<Done<M>>,
}

impl<M: Method + ?Sized> Control<'_, M> {
    /// Whether the case should be cut short: somebody pressed Ctrl-C, time is up, or there are enough findings.
    pub fn is_over(&self) -> bool {
        self.limits.has_enough() || self.limits.reached().is_some()
    }

    /// Whether somebody pressed Ctrl-C.
    pub fn is_interrupted(&self) -> bool {
        self.limits.is_interrupted()
    }

    /// Tells at once what the case has shown.
    pub fn found(&self, found: Found<M::Discovery>) {
        self.send(Done::Found(Box::new(found)));
    }

    /// Tells what was counted so far in the case.
    pub fn progress(&self, counters: Counters) {
        self.send(Done::Progress(self.index, counters));
    }

    /// Writes down where the case with this id is.
    pub fn checkpoint(&self, id: &str, counters: Counters, state: Json) {
        self.send(Done::Checkpoint(id.to_owned(), counters, state));
    }

    fn send(&self, done: Done<M>) {
        // Nobody listens any more when the run has been stopped.
        let _ = self.sender.send(done);
    }
}
